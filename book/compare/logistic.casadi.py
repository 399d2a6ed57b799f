import casadi as ca

X = ca.DM([[1, 0.5], [1, -1.5], [1, 2], [1, 0]])
y = ca.DM([1, 0, 1, 0])
w = ca.SX.sym("w", 2)
z = X @ w
# There is no softplus: this one does not overflow.
softplus = ca.fmax(z, 0) + ca.log1p(ca.exp(-ca.fabs(z)))
f = ca.sum1(softplus - y*z)
nll = ca.Function("nll", [w], [f, ca.gradient(f, w)])
value, gradient = nll([0.1, 0.8])
print(float(value), *gradient.full().ravel())
