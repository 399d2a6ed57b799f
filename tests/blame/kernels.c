/* What the extern functions of externs.dsl compute. */
#include <math.h>
#include <stdint.h>

int32_t tank(double inflow, double volume, double *out) { *out = inflow/(1 + volume); return 0; }
int32_t drag(double v, double area, double *out) { *out = 0.5*area*v*v; return 0; }
int32_t lorentz(double x, double gamma, double *out) { *out = gamma/(x*x + gamma*gamma); return 0; }
int32_t share(double a, double b, double *out) { *out = 1/(1 + exp(b - a)); return 0; }
int32_t antenna(double re, double im, double *out) {
  double s = re*re + im*im;
  *out = s/(0.1 + s);
  return 0;
}
int32_t squash(double x, double k, double *out) { *out = tanh(k*x); return 0; }
int32_t entropy(double p, double *out) { *out = -(p*log(p) + (1 - p)*log(1 - p)); return 0; }
