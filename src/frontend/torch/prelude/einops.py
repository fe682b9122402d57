# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of einops: patterns such as "b (h d) n -> b h (d n)" (arithmetic.py explains the decorators)."""


def _groups(text, pattern):
    """Lists of names, one for each axis: "b (h d) 1" is [["b"], ["h", "d"], ["1"]]."""
    groups = []
    inner = None
    for word in text.replace("(", " ( ").replace(")", " ) ").replace("...", " ... ").split():
        if word == "(":
            if inner is not None:
                raise ValueError("brackets within brackets in the pattern '" + pattern + "'")
            inner = []
        elif word == ")":
            if inner is None:
                raise ValueError("brackets do not match in the pattern '" + pattern + "'")
            groups.append(inner)
            inner = None
        elif inner is not None:
            inner.append(word)
        else:
            groups.append(["each..."] if word == "..." else [word])
    if inner is not None:
        raise ValueError("brackets do not match in the pattern '" + pattern + "'")
    return groups


def _with_ellipsis(groups, count):
    """The names of the axes for which ... stands, in its place."""
    names = ["..." + str(index) for index in range(count)]
    result = []
    for group in groups:
        if group == ["each..."]:
            result = result + [[name] for name in names]
        elif "..." in group:
            place = group.index("...")
            result.append(group[:place] + names + group[place + 1 :])
        else:
            result.append(group)
    return result


def _product(sizes):
    result = 1
    for size in sizes:
        result = result * size
    return result


class _Pattern:
    def __init__(self, pattern, rank, lengths):
        self.pattern = pattern
        if pattern.count("->") != 1:
            raise ValueError("the pattern '" + pattern + "' has no ->")
        left, right = [_groups(side, pattern) for side in pattern.split("->")]
        plain = len([group for group in left if group not in (["each..."], ["..."])])
        dotted = plain != len(left)
        count = rank - plain
        if count < 0 or (count != 0 and not dotted):
            raise RuntimeError("the pattern '" + pattern + "' does not fit a tensor of " + str(rank) + " dimensions")
        self.left = _with_ellipsis(left, count)
        self.right = _with_ellipsis(right, count if dotted else 0)
        self.lengths = dict(lengths)

    def cut(self, tensor):
        """The tensor with an axis for each name, and the names."""
        names = []
        sizes = []
        for place in range(len(self.left)):
            size = tensor.shape[place]
            group = self.left[place]
            known = [self.length(name) for name in group]
            open_names = [name for name in group if self.length(name) is None]
            total = _product([length for length in known if length is not None])
            if len(open_names) > 1:
                raise RuntimeError("the sizes of " + str(open_names) + " in '" + self.pattern + "' are not given")
            if len(open_names) == 0 and not prims.match((total,), (size,)):
                raise RuntimeError("an axis does not have the size that '" + self.pattern + "' says")
            if len(open_names) == 1:
                if len(group) > 1 and size % total != 0:
                    raise RuntimeError("an axis of '" + self.pattern + "' is not divisible by " + str(total))
                self.lengths[open_names[0]] = size // total if len(group) > 1 else size
            for name in group:
                if name != "1":
                    names.append(name)
                    sizes.append(self.length(name))
        return tensor.reshape(sizes), names

    def length(self, name):
        return int(name) if name.isdigit() else self.lengths.get(name)

    def joined(self, tensor, names):
        """The axes in the order of the right side; those that are new are repeated."""
        wanted = [name for group in self.right for name in group if name != "1"]
        tensor = tensor.permute([names.index(name) for name in wanted if name in names])
        for place in range(len(wanted)):
            if wanted[place] not in names:
                if self.length(wanted[place]) is None:
                    raise RuntimeError("the size of '" + wanted[place] + "' in '" + self.pattern + "' is not given")
                tensor = tensor.unsqueeze(place)
        tensor = tensor.expand([self.length(name) for name in wanted])
        return tensor.reshape([_product([self.length(name) for name in group]) for group in self.right])


def _stacked(tensor):
    return torch.stack(list(tensor)) if isinstance(tensor, (list, tuple)) else tensor


def _names_of(side):
    return [name for group in side for name in group if name != "1"]


@export(at="einops")
def rearrange(tensor, pattern, **axes_lengths):
    tensor = _stacked(tensor)
    plan = _Pattern(pattern, tensor.dim(), axes_lengths)
    if sorted(_names_of(plan.left)) != sorted(_names_of(plan.right)):
        raise ValueError("the two sides of '" + pattern + "' do not have the same names")
    tensor, names = plan.cut(tensor)
    return plan.joined(tensor, names)


@export(at="einops")
def repeat(tensor, pattern, **axes_lengths):
    tensor = _stacked(tensor)
    plan = _Pattern(pattern, tensor.dim(), axes_lengths)
    tensor, names = plan.cut(tensor)
    if any(name not in _names_of(plan.right) for name in names):
        raise ValueError("a name of the left side of '" + pattern + "' is missing on the right")
    return plan.joined(tensor, names)


_FOLDS = {
    "sum": lambda tensor, dims: tensor.sum(dims),
    "mean": lambda tensor, dims: tensor.mean(dims),
    "max": lambda tensor, dims: tensor.amax(dims),
    "min": lambda tensor, dims: tensor.amin(dims),
    "any": lambda tensor, dims: tensor.any(dims),
    "all": lambda tensor, dims: tensor.all(dims),
}


def _each_prod(tensor, dims):
    for dim in sorted(dims, reverse=True):
        tensor = tensor.prod(dim)
    return tensor


@export(at="einops")
def reduce(tensor, pattern, reduction, **axes_lengths):
    tensor = _stacked(tensor)
    plan = _Pattern(pattern, tensor.dim(), axes_lengths)
    tensor, names = plan.cut(tensor)
    kept = _names_of(plan.right)
    dims = tuple(place for place in range(len(names)) if names[place] not in kept)
    if dims:
        if reduction == "mean" and not tensor.is_floating_point():
            raise NotImplementedError("reduce_mean is not available for non-floating tensors")
        fold = _each_prod if reduction == "prod" else _FOLDS[reduction] if isinstance(reduction, str) else reduction
        tensor = fold(tensor, dims)
    return plan.joined(tensor, [name for name in names if name in kept])


@export(at="einops")
def parse_shape(x, pattern):
    names = pattern.split()
    if "..." in names:
        place = names.index("...")
        names = names[:place] + ["_"] * (x.dim() - len(names) + 1) + names[place + 1 :]
    return {names[place]: x.shape[place] for place in range(len(names)) if names[place] != "_"}


@export(at="einops")
def pack(tensors, pattern):
    words = pattern.split()
    before = words.index("*")
    after = len(words) - before - 1
    shapes = []
    parts = []
    for tensor in tensors:
        end = tensor.dim() - after
        shapes.append(tuple(tensor.shape[before:end]))
        parts.append(tensor.reshape(tuple(tensor.shape[:before]) + (_product(tensor.shape[before:end]),) + tuple(tensor.shape[end:])))
    return torch.cat(parts, before), shapes


@export(at="einops")
def unpack(tensor, packed_shapes, pattern):
    axis = pattern.split().index("*")
    shape = tuple(tensor.shape)
    parts = []
    start = 0
    for packed in packed_shapes:
        size = _product(packed)
        parts.append(tensor.narrow(axis, start, size).reshape(shape[:axis] + tuple(packed) + shape[axis + 1 :]))
        start = start + size
    return parts


@export(at="einops_layers")
class Rearrange(nn.Module):
    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return rearrange(input, self.pattern, **self.axes_lengths)


@export(at="einops_layers")
class Reduce(nn.Module):
    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.reduction = reduction
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)
