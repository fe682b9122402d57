def f(x, y):
    assert x.shape[0] == y.shape[0] * 2
    return x * 2, y + 1
