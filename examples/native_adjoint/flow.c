/* One time step of a flow in a ring: transport by the flow itself, and viscosity. Its tangent and its adjoint by hand. */
#include <math.h>
#include <stdint.h>

#define DT 0.1
#define LEFT(i) u[((i) + n - 1) % n]
#define RIGHT(i) u[((i) + 1) % n]

int32_t flow(int64_t n, const double *u, double nu, double *next)
{
    for (int64_t i = 0; i < n; i++)
        next[i] = u[i] + DT * (nu * (LEFT(i) - 2 * u[i] + RIGHT(i)) - u[i] * (RIGHT(i) - LEFT(i)) / 2);
    return 0;
}

/* The change of the next state for a change du of the state and dnu of the viscosity. */
int32_t flow_tangent(int64_t n, const double *u, double nu, const double *du, double dnu, double *dnext)
{
    for (int64_t i = 0; i < n; i++) {
        const double dl = du[(i + n - 1) % n], dr = du[(i + 1) % n];
        const double slope = (RIGHT(i) - LEFT(i)) / 2, bend = LEFT(i) - 2 * u[i] + RIGHT(i);
        dnext[i] = du[i] + DT * (dnu * bend + nu * (dl - 2 * du[i] + dr) - du[i] * slope - u[i] * (dr - dl) / 2);
    }
    return 0;
}

/* The same backwards: what the next state is worth, g, belongs to the state and to the viscosity. */
int32_t flow_adjoint(int64_t n, const double *u, double nu, const double *g, double *u_bar, double *nu_bar)
{
    *nu_bar = 0;
    for (int64_t i = 0; i < n; i++)
        u_bar[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double a = DT * g[i];
        u_bar[(i + n - 1) % n] += a * (nu + u[i] / 2);
        u_bar[i] += g[i] - a * (2 * nu + (RIGHT(i) - LEFT(i)) / 2);
        u_bar[(i + 1) % n] += a * (nu - u[i] / 2);
        *nu_bar += a * (LEFT(i) - 2 * u[i] + RIGHT(i));
    }
    return 0;
}

/* With a mistake: transport is not reversed. */
int32_t flow_adjoint_wrong(int64_t n, const double *u, double nu, const double *g, double *u_bar, double *nu_bar)
{
    *nu_bar = 0;
    for (int64_t i = 0; i < n; i++)
        u_bar[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double a = DT * g[i];
        u_bar[(i + n - 1) % n] += a * (nu - u[i] / 2);
        u_bar[i] += g[i] - a * (2 * nu + (RIGHT(i) - LEFT(i)) / 2);
        u_bar[(i + 1) % n] += a * (nu + u[i] / 2);
        *nu_bar += a * (LEFT(i) - 2 * u[i] + RIGHT(i));
    }
    return 0;
}

/* With a limiter that somebody left in: not linear in g. */
int32_t flow_adjoint_limited(int64_t n, const double *u, double nu, const double *g, double *u_bar, double *nu_bar)
{
    flow_adjoint(n, u, nu, g, u_bar, nu_bar);
    for (int64_t i = 0; i < n; i++)
        u_bar[i] = fmin(fmax(u_bar[i], -1), 1);
    return 0;
}
