"""From a model to a checked fit with error bars: a decaying oscillation, measured 40 times."""

import numpy as np
from scipy.optimize import minimize

import adc

# %% The model: half the sum of squared residuals in units of the measurement's error.
model = adc.parse("""
/// The oscillation at time t.
fn oscillation(t: f64, amplitude: f64, rate: f64, frequency: f64) -> f64 { amplitude*exp(-rate*t)*cos(2*PI*frequency*t) }

fn misfit[N](t: f64[N], y: f64[N], sigma: f64, p: f64[3]) -> f64 {
    sum(((y[i] - oscillation(t[i], p[0], p[1], p[2]))/sigma)^2 for i)/2
}
check misfit[N = 4] { t in [0, 5]; y ~ normal(0, 1); sigma = 0.05; p in [0.5, 1]; }
""")
model.check().raise_if_failed()
misfit = model.fn("misfit")

# %% Measurements.
rng = np.random.default_rng(0)
truth, sigma = np.array([1.5, 0.3, 0.8]), 0.05
t = np.linspace(0, 5, 40)
y = model.fn("oscillation").batch(over="t")(t, *truth) + sigma * rng.standard_normal(t.size)

# %% The fit: value and gradient in one call, Hessian times a vector in another.
value_and_grad, hvp = misfit.value_and_grad("p"), misfit.hvp("p")
fit = minimize(
    lambda p: value_and_grad(t, y, sigma, p),
    x0=[1.0, 0.1, 0.75],
    jac=True,
    hessp=lambda p, v: hvp(t, y, sigma, p, v),
    method="trust-ncg",
)

# %% Error bars: the inverse of the Hessian at the minimum is the covariance.
errors = np.sqrt(np.diag(np.linalg.inv(misfit.hessian("p")(t, y, sigma, fit.x))))
for name, p, e, p0 in zip(["amplitude", "rate", "frequency"], fit.x, errors, truth):
    print(f"{name:<10} {p:.4f} ± {e:.4f}   (true {p0})")
assert fit.success and np.all(np.abs(fit.x - truth) < 4 * errors)
