import casadi as ca

x = ca.SX.sym("x", 4)
f = ca.sum1(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)
rosenbrock = ca.Function("rosenbrock", [x], [f, ca.gradient(f, x)])
value, gradient = rosenbrock([-1.2, 1.0, 0.5, 2.0])
print(float(value), *gradient.full().ravel())
