import os

from left_out_helper import scaled

os.system("true")


def f(x):
    return scaled(x)
