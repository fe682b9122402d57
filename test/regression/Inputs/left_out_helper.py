import sys

sys.setprofile(None)


def scaled(x):
    print(x)
    return x * 2
