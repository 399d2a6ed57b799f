/* A chain of atoms, neighbours bound by a Morse potential: its energy, and the derivative of the energy by hand. */
#include <math.h>
#include <stdint.h>

int32_t morse(int64_t n, const double *x, double depth, double width, double *energy)
{
    double sum = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        const double e = 1 - exp(-width * (x[i + 1] - x[i] - 1));
        sum += depth * e * e;
    }
    *energy = sum;
    return 0;
}

/* The derivative with respect to every position, the depth and the width. */
int32_t morse_slopes(int64_t n, const double *x, double depth, double width,
                     double *dx, double *ddepth, double *dwidth)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] = 0;
    *ddepth = *dwidth = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        const double r = x[i + 1] - x[i] - 1, u = exp(-width * r), e = 1 - u;
        const double force = 2 * depth * e * u * width;
        dx[i] -= force;
        dx[i + 1] += force;
        *ddepth += e * e;
        *dwidth += 2 * depth * e * u * r;
    }
    return 0;
}

/* The same with a mistake: an atom between two neighbours feels the right one only. */
int32_t morse_slopes_wrong(int64_t n, const double *x, double depth, double width,
                           double *dx, double *ddepth, double *dwidth)
{
    *ddepth = *dwidth = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        const double r = x[i + 1] - x[i] - 1, u = exp(-width * r), e = 1 - u;
        const double force = 2 * depth * e * u * width;
        dx[i] = -force;
        dx[i + 1] = force;
        *ddepth += e * e;
        *dwidth += 2 * depth * e * u * r;
    }
    return 0;
}
