def narrowed(x):
    return x.narrow(0, 2, x.shape[0] - 3).sum(0)


def filled(x):
    return x.new_ones(x.shape[0] - 3).sum()


def constant(x):
    return x.narrow(0, 2, -1).sum(0)
