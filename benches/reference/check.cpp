// The least a gradient check can cost: central differences of every input beside hand-written gradients, of the functions
// of benches/check.rs. Reads the inputs as text (x of (b), W, z of (c), A; complex numbers as all real, then all imaginary
// parts) and prints the nanoseconds of the checks (a) dense, (b) dense, (b) along one direction, (c) dense; medians.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

using std::cos; using std::exp; using std::fabs; using std::log; using std::pow; using std::sin; using std::sqrt;

static volatile double sink;
static const double H = 1e-6;

template <class F> static double median_ns(F f) {
    std::vector<double> times;
    int n = 1;
    for (;;) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < n; i++) f();
        std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        if (took.count() < 2e6) { n *= 2; continue; }
        times.push_back(took.count() / n);
        if (times.size() == 31) break;
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

__attribute__((noinline)) static double scalar15(const double *p) {
    const double x = p[0], y = p[1], z = p[2];
    const double a = sin(x * y), b = cos(y + z), c = exp(0.3 * x - z), xy = x * x + y * y, d = log(1.0 + xy);
    const double e = sqrt(xy + z * z + 1.0), g = a * b / (1.0 + e), h = pow(d + 1.5, 2.3);
    const double u = sin(c) * exp(-(d * d)), v = log(e + exp(z * y)), r = pow(e, x);
    const double s = cos(g * h) / sqrt(1.0 + u * u);
    return g * h + u * v + r * s + log(1.0 + c * c) * sin(v);
}

static double W[32][32];

__attribute__((noinline)) static void layer(const double *x, double *y) {
    for (int i = 0; i < 32; i++) {
        double s = 0;
        for (int j = 0; j < 32; j++) s += W[i][j] * x[j];
        y[i] = tanh(s) * sin(x[i]);
    }
}

__attribute__((noinline)) static void layer_vjp(const double *x, const double *v, double *g) {
    double q[32];
    for (int i = 0; i < 32; i++) {
        double s = 0;
        for (int j = 0; j < 32; j++) s += W[i][j] * x[j];
        const double t = tanh(s);
        q[i] = v[i] * sin(x[i]) * (1 - t * t);
        g[i] = v[i] * t * cos(x[i]);
    }
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) g[j] += q[i] * W[i][j];
}

static double Ar[16][16], Ai[16][16];

__attribute__((noinline)) static double cquad(const double *p, double *g) {
    const double *x = p, *y = p + 16;
    double s = 0, xy = 0, S = 0, vr[16], vi[16];
    for (int k = 0; k < 16; k++) {
        double a = 0, b = 0;
        for (int j = 0; j < 16; j++) {
            a += Ar[k][j] * x[j] - Ai[k][j] * y[j];
            b += Ar[k][j] * y[j] + Ai[k][j] * x[j];
        }
        const double d = 1 / (1 + x[k] * x[k] + y[k] * y[k]), q = (a * a + b * b) * d;
        s += q;
        if (g) {
            g[k] = -2 * q * d * x[k];
            g[16 + k] = -2 * q * d * y[k];
            vr[k] = 2 * a * d;
            vi[k] = 2 * b * d;
        }
        xy += x[k] * y[k];
        S += x[k] * x[k] - y[k] * y[k];
    }
    const double E = exp(-2 * xy), c = E * cos(S), z = E * sin(S);
    if (g) {
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 16; j++) {
                g[j] += Ar[k][j] * vr[k] + Ai[k][j] * vi[k];
                g[16 + j] += Ar[k][j] * vi[k] - Ai[k][j] * vr[k];
            }
        for (int k = 0; k < 16; k++) {
            g[k] += -2 * y[k] * c - 2 * x[k] * z;
            g[16 + k] += -2 * x[k] * c + 2 * y[k] * z;
        }
    }
    return s + c;
}

int main() {
    double b[32], c[32];
    auto read = [](double *to, int n) { for (int i = 0; i < n; i++) if (scanf("%lf", to + i) != 1) return false; return true; };
    if (!read(b, 32) || !read(&W[0][0], 1024) || !read(c, 32) || !read(&Ar[0][0], 256) || !read(&Ai[0][0], 256)) return 1;
    // The gradient of (a) is charged as two values.
    double a[3] = {0.7, 1.3, 0.4};
    printf("%.1f\n", median_ns([&] {
        for (int i = 0; i < 3; i++) {
            const double o = a[i];
            a[i] = o + H; const double up = scalar15(a);
            a[i] = o - H; const double down = scalar15(a);
            a[i] = o;
            sink = (up - down) / (2 * H);
        }
        sink = scalar15(a); sink = scalar15(a);
    }));
    printf("%.1f\n", median_ns([&] {
        static double J[32][32];
        double x[32], u[32], d[32], v[32] = {0}, worst = 0;
        std::copy(b, b + 32, x);
        for (int r = 0; r < 32; r++) { v[r] = 1; layer_vjp(b, v, J[r]); v[r] = 0; }
        for (int i = 0; i < 32; i++) {
            const double o = x[i];
            x[i] = o + H; layer(x, u);
            x[i] = o - H; layer(x, d);
            x[i] = o;
            for (int r = 0; r < 32; r++) worst = std::max(worst, fabs((u[r] - d[r]) / (2 * H) - J[r][i]));
        }
        sink = worst;
    }));
    printf("%.1f\n", median_ns([&] {
        double x[32], u[32], d[32], v[32], along[32], g[32];
        for (int i = 0; i < 32; i++) { along[i] = 0.1 + i * 0.01; v[i] = 0.2 - 0.003 * i; x[i] = b[i] + H * along[i]; }
        layer(x, u);
        for (int i = 0; i < 32; i++) x[i] = b[i] - H * along[i];
        layer(x, d);
        layer_vjp(b, v, g);
        double l = 0, r = 0;
        for (int i = 0; i < 32; i++) { l += v[i] * (u[i] - d[i]) / (2 * H); r += g[i] * along[i]; }
        sink = fabs(l - r);
    }));
    printf("%.1f\n", median_ns([&] {
        double x[32], g[32], worst = 0;
        std::copy(c, c + 32, x);
        cquad(x, g);
        for (int i = 0; i < 32; i++) {
            const double o = x[i];
            x[i] = o + H; const double up = cquad(x, nullptr);
            x[i] = o - H; const double down = cquad(x, nullptr);
            x[i] = o;
            worst = std::max(worst, fabs((up - down) / (2 * H) - g[i]));
        }
        sink = worst;
    }));
}
