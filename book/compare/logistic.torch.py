import torch

X = torch.tensor([[1, 0.5], [1, -1.5], [1, 2], [1, 0]], dtype=torch.float64)
y = torch.tensor([1, 0, 1, 0], dtype=torch.float64)
w = torch.tensor([0.1, 0.8], dtype=torch.float64, requires_grad=True)

z = X @ w
# Its softplus is linear above the threshold.
value = torch.sum(torch.nn.functional.softplus(z, threshold=1000) - y*z)
value.backward()
print(value.item(), *w.grad.tolist())
