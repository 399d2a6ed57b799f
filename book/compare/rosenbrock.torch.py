import torch

def rosenbrock(x):
    return torch.sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)

x = torch.tensor([-1.2, 1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
value = rosenbrock(x)
value.backward()
print(value.item(), *x.grad.tolist())
