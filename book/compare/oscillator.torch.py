import torch

k = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
c = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
h = 0.05
x, v = torch.tensor(1.0, dtype=torch.float64), torch.tensor(0.0, dtype=torch.float64)
for _ in range(100):
    xm = x + 0.5*h*v
    vm = v + 0.5*h*(-k*x - c*v)
    x, v = x + h*vm, v + h*(-k*xm - c*vm)
value = 0.5*(k*x**2 + v**2)
value.backward()
print(value.item(), k.grad.item(), c.grad.item())
