# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.init: parameters are arguments of a converted program, so their first values do not matter. In its call
the functions do what they say, or are refused."""


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


def _while_running(fill):
    """A function that fills its tensor in the call of a program, and leaves it alone before."""

    def init(tensor, *arguments, generator=None, **options):
        if not prims.draws(generator):
            return tensor
        with torch.no_grad():
            return fill(tensor, *arguments, **options)

    return init


def _in_constructors(name):
    def refuse(*arguments, **options):
        return prims.refuse(
            f"'torch.nn.init.{name}' in the call of a program is not supported", "call it where the module is made"
        )

    return _while_running(refuse)


def _constant(tensor, val):
    return tensor.fill_(val)


def _uniform(tensor, a=0.0, b=1.0):
    return tensor.uniform_(a, b)


def _normal(tensor, mean=0.0, std=1.0):
    return tensor.normal_(mean, std)


constant_ = _while_running(_constant)
ones_ = _while_running(lambda tensor: tensor.fill_(1.0))
zeros_ = _while_running(lambda tensor: tensor.zero_())
uniform_ = _while_running(_uniform)
normal_ = _while_running(_normal)
trunc_normal_ = _in_constructors("trunc_normal_")
eye_ = _in_constructors("eye_")
dirac_ = _in_constructors("dirac_")
xavier_uniform_ = _in_constructors("xavier_uniform_")
xavier_normal_ = _in_constructors("xavier_normal_")
kaiming_uniform_ = _in_constructors("kaiming_uniform_")
kaiming_normal_ = _in_constructors("kaiming_normal_")
orthogonal_ = _in_constructors("orthogonal_")
sparse_ = _in_constructors("sparse_")
