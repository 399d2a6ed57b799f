"""Models in SciPy's solvers: least squares and a stiff differential equation, each with the exact Jacobian."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import adc

model = adc.parse("""
fn residuals[N](p: f64[2], t: f64[N], y: f64[N]) -> f64[N] { [p[0]*exp(-p[1]*t[i]) - y[i] for i] }
/// Robertson's reaction of three substances.
fn robertson(y: f64[3]) -> f64[3] {
    let fast = 1e4*y[1]*y[2];
    let slow = 3e7*y[1]^2;
    [-0.04*y[0] + fast, 0.04*y[0] - fast - slow, slow]
}
fn heat[N](u: f64[N]) -> f64[N] {
    [((if i > 0 { u[i - 1] } else { 0.0 }) - 2*u[i] + (if i < N - 1 { u[i + 1] } else { 0.0 }))*f64(N + 1)^2 for i in 0..N]
}
""")

residuals = model.fn("residuals")
t = np.linspace(0, 2, 20)
y = 3 * np.exp(-1.5 * t)
fit = least_squares(residuals, x0=[1.0, 1.0], jac=residuals.jacobian("p"), args=(t, y))
print("least squares:", np.round(fit.x, 6), "in", fit.nfev, "evaluations")
assert np.allclose(fit.x, [3, 1.5])

robertson, jacobian = model.fn("robertson"), model.fn("robertson").jacobian("y")
stiff = solve_ivp(lambda _, y: robertson(y), (0, 1e4), [1.0, 0.0, 0.0], method="BDF", jac=lambda _, y: jacobian(y))
print("Robertson:", stiff.y[:, -1], "in", stiff.nfev, "evaluations and", stiff.njev, "Jacobians")
assert stiff.success and abs(stiff.y[:, -1].sum() - 1) < 1e-9

heat, sparse = model.fn("heat"), model.fn("heat").sparse_jacobian("u")
u0 = np.sin(np.pi * np.linspace(0, 1, 202)[1:-1])
flow = solve_ivp(lambda _, u: heat(u), (0, 0.1), u0, method="Radau", jac=lambda _, u: sparse(u))
print(f"heat: the mode decays to {flow.y[100, -1]:.4f}, exactly {np.exp(-0.1 * np.pi**2) * u0[100]:.4f}; {sparse.colours} colours")
assert abs(flow.y[100, -1] - np.exp(-0.1 * np.pi**2) * u0[100]) < 1e-3
