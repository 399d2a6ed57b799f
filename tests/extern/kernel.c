/* Native kernels of the extern test: the C signature is parameters in order (a complex number as two
 * doubles), then a pointer per result; 0 means success. */
#include <math.h>
#include <stdint.h>

/* Steady-state concentration of a first-order reaction in a stirred tank. */
int32_t tank(double inflow, double rate, double volume, double *out)
{
    if (volume < 0.0)
        return 7;
    *out = inflow / (1.0 + rate * volume);
    return 0;
}

/* The rotation z -> z e^(i phi) and the length of z. */
int32_t rotate(double re, double im, double phi, double *turned, double *length)
{
    const double c = cos(phi), s = sin(phi);
    turned[0] = re * c - im * s;
    turned[1] = re * s + im * c;
    *length = hypot(re, im);
    return 0;
}

/* n-th power by an integer, scaled if a flag says so. */
int32_t scaled_power(int64_t n, uint8_t scaled, double x, double *out)
{
    *out = pow(x, (double)n) * (scaled ? 0.5 : 1.0);
    return 0;
}
