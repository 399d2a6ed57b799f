/* scalar15 in C: value and gradient by hand, as a yardstick for `benches/scalar15.rs`.
 * Prints the nanoseconds of one call (median over batches), the value and the gradient. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static double value_and_grad(const double *p, double *grad)
{
    const double x = p[0], y = p[1], z = p[2];
    const double a = sin(x * y), da = cos(x * y);
    const double b = cos(y + z), db = -sin(y + z);
    const double c = exp(0.3 * x - z);
    const double xy = x * x + y * y, d = log(1.0 + xy);
    const double e = sqrt(xy + z * z + 1.0), k = 1.0 / (1.0 + e);
    const double g = a * b * k, h = pow(d + 1.5, 2.3);
    const double ed = exp(-(d * d)), u = sin(c) * ed;
    const double m = exp(z * y), w = e + m, v = log(w);
    const double le = log(e), r = exp(x * le);
    const double cg = cos(g * h), sg = sin(g * h), q = 1.0 / sqrt(1.0 + u * u), s = cg * q;
    const double lc = log(1.0 + c * c), sv = sin(v), cv = cos(v);

    const double u_bar = v - r * s * u * q * q;
    const double v_bar = u + lc * cv;
    const double gh_bar = 1.0 - r * sg * q;
    const double c_bar = sv * 2.0 * c / (1.0 + c * c) + u_bar * ed * cos(c);
    const double w_bar = v_bar / w, m_bar = w_bar * m;
    const double g_bar = gh_bar * h, h_bar = gh_bar * g;
    const double d_bar = -2.0 * d * u_bar * u + h_bar * 2.3 * h / (d + 1.5);
    const double e_bar = s * x * r / e + w_bar - g_bar * g * k;
    const double a_bar = g_bar * b * k * da, b_bar = g_bar * a * k * db;
    const double xy_bar = e_bar / (2.0 * e) + d_bar / (1.0 + xy);
    grad[0] = s * r * le + 2.0 * x * xy_bar + 0.3 * c_bar * c + a_bar * y;
    grad[1] = m_bar * z + 2.0 * y * xy_bar + a_bar * x + b_bar;
    grad[2] = m_bar * y + e_bar * z / e - c_bar * c + b_bar;
    return g * h + u * v + r * s + lc * sv;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    enum { BATCHES = 401, CALLS = 2000 };
    static double ns[BATCHES];
    double p[3] = {0.7, 1.3, 0.4}, grad[3], value = 0.0;
    for (int i = 0; i < BATCHES; i++) {
        const double start = now();
        for (int j = 0; j < CALLS; j++) {
            __asm__ volatile("" : : "r"(p) : "memory");
            value = value_and_grad(p, grad);
            __asm__ volatile("" : : "r"(grad) : "memory");
        }
        ns[i] = (now() - start) / CALLS;
    }
    qsort(ns, BATCHES, sizeof ns[0], ascending);
    printf("%.3f %.17g %.17g %.17g %.17g\n", ns[BATCHES / 2], value, grad[0], grad[1], grad[2]);
    return 0;
}
