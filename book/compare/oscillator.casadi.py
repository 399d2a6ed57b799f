import casadi as ca

k, c, x, v = (ca.SX.sym(n) for n in "kcxv")
h = 0.05
xm = x + 0.5*h*v
vm = v + 0.5*h*(-k*x - c*v)
step = ca.Function("step", [ca.vertcat(x, v), ca.vertcat(k, c)], [ca.vertcat(x + h*vm, v + h*(-k*xm - c*vm))])

p = ca.MX.sym("p", 2)
state = step.fold(100)(ca.DM([1, 0]), p)
f = 0.5*(p[0]*state[0]**2 + state[1]**2)
energy = ca.Function("energy", [p], [f, ca.gradient(f, p)])
value, gradient = energy([1.3, 0.1])
print(float(value), *gradient.full().ravel())
