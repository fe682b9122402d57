def f(z):
    return z * z, z.amax(-1, keepdim=True).squeeze(-1)
