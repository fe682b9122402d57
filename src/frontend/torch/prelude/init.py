# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.init: parameters are arguments of a converted program, so their first values do not matter."""


def calculate_gain(nonlinearity, param=None):
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return 2.0**0.5
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return (2.0 / (1 + slope**2)) ** 0.5
    if nonlinearity == "selu":
        return 3.0 / 4
    return 1.0


def _leave(tensor, *arguments, **options):
    return tensor


uniform_ = _leave
normal_ = _leave
trunc_normal_ = _leave
constant_ = _leave
ones_ = _leave
zeros_ = _leave
eye_ = _leave
dirac_ = _leave
xavier_uniform_ = _leave
xavier_normal_ = _leave
kaiming_uniform_ = _leave
kaiming_normal_ = _leave
orthogonal_ = _leave
sparse_ = _leave
