import torch


def schedule_free_step(p, z, grad, lr: float = 0.1, beta: float = 0.9, warmup: float = 0.25):
    rate = lr * (1 - warmup)
    z = z - rate * grad
    p = p * beta + z * (1 - beta)
    return {"p": p, "z": z, "rate": rate, "lr": lr, "weight": torch.tensor(rate)}


def get_inputs():
    return [torch.randn(5, 70), torch.randn(5, 70), torch.randn(5, 70)]
