// Hand-written primals of the GradBench problems that hand.cpp lacks: the yardstick of "derivative over primal".
// g++ -w -std=c++17 -O3 -march=native primals.cpp -o primals && ./primals DIR_WITH_NPY   (the .npy files of models/bench/data)
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <algorithm>
using V = std::vector<double>;
static std::string dir;
static V npy(const char *name) { // float64, C order
    FILE *f = fopen((dir + "/" + name + ".npy").c_str(), "rb");
    if (!f) { perror(name); exit(1); }
    unsigned char h[10]; fread(h, 1, 10, f); int n = h[8] + 256*h[9]; fseek(f, 10 + n, SEEK_SET);
    V v; double x; while (fread(&x, 8, 1, f) == 1) v.push_back(x); fclose(f); return v;
}
template <class F> static double bench(F f, double total = getenv("BENCH_SECONDS") ? atof(getenv("BENCH_SECONDS")) : 0.3) { // least of batches, ns per call
    using C = std::chrono::steady_clock; auto t = [&](int n) { auto a = C::now(); for (int i = 0; i < n; i++) f(); return std::chrono::duration<double>(C::now() - a).count(); };
    int n = 1; while (t(n) < 0.0005) n *= 2;
    V s; double sum = 0; while (sum < total || s.size() < 5) { double x = t(n); sum += x; s.push_back(x/n*1e9); }
    return *std::min_element(s.begin(), s.end());
}
static void keep(double x) { asm volatile("" ::"x"(x) : "memory"); }
__attribute__((noinline)) double llsq(const double *x, int m, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) { double t = -1 + 2.0*i/(n - 1), p = 0, sg = t > 0 ? 1 : t < 0 ? -1 : 0; for (int j = m - 1; j >= 0; j--) p = p*t + x[j]; s += (sg - p)*(sg - p); }
    return 0.5*s;
}
__attribute__((noinline)) double lse(const double *x, int n) { double a = x[0], s = 0; for (int i = 1; i < n; i++) a = a < x[i] ? x[i] : a; for (int i = 0; i < n; i++) s += exp(x[i] - a); return a + log(s); }
__attribute__((noinline)) double ode(const double *x, int n, int s) {
    static V y, k1, k2, k3, k4, t; for (V *v : {&y, &k1, &k2, &k3, &k4, &t}) v->assign(n, 0); double h = 2.0/s;
    auto f = [&](const V &y, V &k) { k[0] = x[0]; for (int i = 1; i < n; i++) k[i] = x[i]*y[i - 1]; };
    for (int q = 0; q < s; q++) {
        f(y, k1); for (int i = 0; i < n; i++) t[i] = y[i] + h/2*k1[i]; f(t, k2); for (int i = 0; i < n; i++) t[i] = y[i] + h/2*k2[i]; f(t, k3);
        for (int i = 0; i < n; i++) t[i] = y[i] + h*k3[i]; f(t, k4); for (int i = 0; i < n; i++) y[i] += h/6*(k1[i] + 2*k2[i] + 2*k3[i] + k4[i]);
    }
    return y[n - 1];
}
static double det(const double *a, int l, const int *cols, int n, int row) { // expansion along the first row
    if (n == 1) return a[row*l + cols[0]];
    double s = 0; int rest[16];
    for (int j = 0; j < n; j++) { for (int c = 0, k = 0; c < n; c++) if (c != j) rest[k++] = cols[c]; s += (j%2 ? -1 : 1)*a[row*l + cols[j]]*det(a, l, rest, n - 1, row + 1); }
    return s;
}
__attribute__((noinline)) double kmeans(const double *p, const double *c, int n, int k, int d) {
    double s = 0;
    for (int i = 0; i < n; i++) { double m = 1e300; for (int q = 0; q < k; q++) { double e = 0; for (int j = 0; j < d; j++) { double u = p[i*d + j] - c[q*d + j]; e += u*u; } m = e < m ? e : m; } s += m; }
    return s;
}
static void report(const char *w, double ns, double value) { printf("{\"w\":\"%s\",\"primal_ns\":%.1f,\"value\":%.15g}\n", w, ns, value); }
int main(int argc, char **argv) {
    dir = argc > 1 ? argv[1] : "npy";
    V x = npy("llsq_x"); report("llsq 128 256", bench([&] { keep(llsq(x.data(), 128, 256)); }), llsq(x.data(), 128, 256));
    V e = npy("lse_2500_x"); report("lse 2500", bench([&] { keep(lse(e.data(), 2500)); }), lse(e.data(), 2500));
    V o = npy("ode_1000_x"); report("ode 1000 10", bench([&] { keep(ode(o.data(), 1000, 10)); }), ode(o.data(), 1000, 10));
    int cols[16]; for (int i = 0; i < 16; i++) cols[i] = i;
    for (int l : {5, 8}) { V a = npy(("det_" + std::to_string(l) + "_A").c_str()); std::string n = "det " + std::to_string(l); report(n.c_str(), bench([&] { keep(det(a.data(), l, cols, l, 0)); }), det(a.data(), l, cols, l, 0)); }
    V p = npy("kmeans_1000_8_points"); report("kmeans 1000 10 8", bench([&] { keep(kmeans(p.data(), p.data() + 990*8, 1000, 10, 8)); }), kmeans(p.data(), p.data() + 990*8, 1000, 10, 8));
}
