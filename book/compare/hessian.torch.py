import torch

def loss(x):
    return torch.logsumexp(x, 0) + 0.5*x @ x

x = torch.tensor([0.1, -0.4, 0.7], dtype=torch.float64)
v = torch.tensor([1, 2, -1], dtype=torch.float64)
value, product = torch.autograd.functional.hvp(loss, x, v)
print(value.item(), *product.tolist())
