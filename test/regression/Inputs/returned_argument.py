def scaled(a, b):
    a.mul_(2.0)
    b = b + a
    return a, b
