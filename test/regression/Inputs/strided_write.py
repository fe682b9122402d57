def f(x):
    y = x + 1
    y[::2] *= 0.5
    y.diagonal().mul_(2.0)
    return y
