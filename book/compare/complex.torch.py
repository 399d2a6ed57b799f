import torch

z = torch.tensor(0.6 + 0.8j, dtype=torch.complex128, requires_grad=True)
c = torch.tensor(1 - 2j, dtype=torch.complex128)
value = (z**2 - c).abs()**2
value.backward()
print(value.item(), z.grad.real.item(), z.grad.imag.item())
