import casadi as ca

x, v = ca.SX.sym("x", 3), ca.SX.sym("v", 3)
f = ca.logsumexp(x) + 0.5*ca.dot(x, x)
product = ca.jtimes(ca.gradient(f, x), x, v)
along = ca.Function("along", [x, v], [f, product])
value, product = along([0.1, -0.4, 0.7], [1, 2, -1])
print(float(value), *product.full().ravel())
