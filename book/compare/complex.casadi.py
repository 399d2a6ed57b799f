import casadi as ca

# No complex numbers: by real and imaginary part.
x, y, a, b = (ca.SX.sym(n) for n in "xyab")
re, im = x**2 - y**2 - a, 2*x*y - b
f = re**2 + im**2
misfit = ca.Function("misfit", [x, y, a, b], [f, ca.gradient(f, ca.vertcat(x, y))])
value, gradient = misfit(0.6, 0.8, 1, -2)
print(float(value), *gradient.full().ravel())
