def summed(x, y):
    return (x[..., ::2] @ y[::2]).sum(0)
