# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The methods behind Python's operators, for programs that call them by name: `x.__rsub__(1)`."""

_OF_TWO = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
    "matmul": lambda a, b: a @ b,
}
_IN_PLACE = "add sub mul truediv floordiv mod pow and or xor lshift rshift"
_COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_OF_ONE = {
    "neg": lambda a: -a,
    "pos": lambda a: +a,
    "invert": lambda a: ~a,
    "abs": lambda a: abs(a),
    "len": lambda a: len(a),
    "float": lambda a: float(a),
    "int": lambda a: int(a),
}


def _reflected(function):
    return lambda self, other: function(other, self)


def _in_place(function):
    return lambda self, other: self.copy_(function(self, other))


for _name, _function in _OF_TWO.items():
    export(at="Tensor", names="__" + _name + "__")(_function)
    export(at="Tensor", names="__r" + _name + "__")(_reflected(_function))
for _name in _IN_PLACE.split():
    export(at="Tensor", names="__i" + _name + "__")(_in_place(_OF_TWO[_name]))
for _name, _function in _COMPARISONS.items():
    export(at="Tensor", names="__" + _name + "__")(_function)
for _name, _function in _OF_ONE.items():
    export(at="Tensor", names="__" + _name + "__")(_function)


@export(at="Tensor", names="__deepcopy__")
def _deep_copy(self, memo):
    if isinstance(self, Parameter):
        return Parameter(self.detach().clone(), self.requires_grad)
    return self.detach().clone()


@export(at="Tensor", names="__len__")
def _length(self):
    return len(self)


@export(at="Tensor", names="__iter__")
def _rows(self):
    return iter(self)


@export(at="Tensor", names="__reversed__")
def _reversed_rows(self):
    return self.flip(0) if self.dim() else self


@export(at="Tensor", names="__contains__")
def _holds(self, element):
    return element in self


@export(at="Tensor", names="__hash__")
def _hash(self):
    return hash(self)


@export(at="Tensor", names="__getitem__")
def _item(self, index):
    return self[index]


@export(at="Tensor", names="__setitem__")
def _set_item(self, index, value):
    self[index] = value
