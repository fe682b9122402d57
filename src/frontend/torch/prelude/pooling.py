# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling: folds over windows of the last axes (arithmetic.py explains the decorators)."""


def _each_axis(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value) * rank if len(value) == 1 else tuple(value)


class _Windows:
    """The windows of the last `rank` axes: as many shifted copies as a window has places."""

    def __init__(self, input, rank, kernel, stride, padding, dilation, ceil_mode, fill):
        if input.dim() not in (rank + 1, rank + 2):
            raise RuntimeError("pooling: expected an input of " + str(rank + 1) + " or " + str(rank + 2) + " dimensions, got " + str(input.dim()))
        self.rank = rank
        self.kernel = _each_axis(kernel, rank)
        self.stride = self.kernel if stride is None or (isinstance(stride, (tuple, list)) and len(stride) == 0) else _each_axis(stride, rank)
        self.padding = _each_axis(padding, rank)
        self.dilation = _each_axis(dilation, rank)
        self.first = input.dim() - rank
        self.counts = []
        self.is_clipped = False
        amounts = []
        for index in range(rank):
            size = input.shape[self.first + index]
            pad = self.padding[index]
            if 2 * pad > self.kernel[index]:
                raise RuntimeError("pad should be at most half of effective kernel size")
            free = size + 2 * pad - self.dilation[index] * (self.kernel[index] - 1) - 1
            if free < 0:
                raise RuntimeError("pooling: the window is larger than the input")
            count = free // self.stride[index] + 1
            rest = 0
            if ceil_mode and free % self.stride[index] != 0 and count * self.stride[index] < size + pad:
                # One more window, which starts inside of the input or its left padding.
                count = count + 1
                rest = (count - 1) * self.stride[index] - free
            self.counts.append(count)
            amounts = [pad, pad + rest] + amounts
            self.is_clipped = self.is_clipped or not prims.same(rest, 0)
        self.padded = prims.pad(input, amounts, fill) if any(amount != 0 for amount in amounts) else input

    def shifted(self):
        places = [()]
        for length in self.kernel:
            places = [place + (index,) for place in places for index in range(length)]
        if len(places) > 256:
            prims.refuse("a pooling window of more than 256 places", "reduce over a reshaped axis")
        return [self._at(place) for place in places]

    def _at(self, place):
        result = self.padded
        for index in range(self.rank):
            result = prims.slice(result, self.first + index, place[index] * self.dilation[index], self.counts[index], self.stride[index])
        return result


def _average(input, rank, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override):
    windows = _Windows(input, rank, kernel, stride, padding, 1, ceil_mode, 0)
    parts = windows.shifted()
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    if divisor_override is not None:
        return total / divisor_override
    if not windows.is_clipped and (count_include_pad or all(pad == 0 for pad in windows.padding)):
        return total / len(parts)
    for index in range(rank):
        axis = windows.first + index
        margin = windows.padding[index] if count_include_pad else 0
        start = prims.iota((windows.counts[index],), 0) * windows.stride[index] - windows.padding[index]
        end = torch.minimum(start + windows.kernel[index], input.shape[axis] + margin)
        length = end - torch.maximum(start, -margin)
        total = total / length.reshape([-1] + [1] * (rank - 1 - index))
    return total


@op("aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor", at="torch F")
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    return _average(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


@op("aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", at="F")
def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return _average(input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op("aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", at="F")
def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return _average(input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _greatest(input, rank, kernel, stride, padding, dilation, ceil_mode, return_indices):
    if return_indices:
        return prims.refuse("max pooling with return_indices is not supported yet", "use argmax over windows made by unfold")
    parts = _Windows(input, rank, kernel, stride, padding, dilation, ceil_mode, float("-inf")).shifted()
    result = parts[0]
    for part in parts[1:]:
        result = torch.maximum(result, part)
    return result


@op("aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor", at="torch F")
def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _greatest(input, 1, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@op("aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor", at="torch F")
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _greatest(input, 2, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@op("aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor", at="torch F")
def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _greatest(input, 3, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _adaptive(fold, input, rank, output_size):
    """Folds over equal pieces of the last axes."""
    sizes = _each_axis(output_size, rank) if output_size is not None else (None,) * rank
    if input.dim() not in (rank + 1, rank + 2):
        raise RuntimeError("adaptive pooling: expected an input of " + str(rank + 1) + " or " + str(rank + 2) + " dimensions, got " + str(input.dim()))
    shape = list(input.shape[: input.dim() - rank])
    axes = []
    for index in range(rank):
        size = input.shape[input.dim() - rank + index]
        wanted = size if sizes[index] is None else sizes[index]
        if wanted != 1 and not prims.same(size, wanted) and size % wanted != 0:
            raise NotImplementedError("adaptive pooling is supported where the pieces have one length")
        shape = shape + [wanted, size // wanted]
        axes.append(len(shape) - 1)
    return fold(input.reshape(shape), axes)


def _mean(input, axes):
    return torch.sum(input, axes) / prims.count(input, axes)


@op("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", at="torch F")
def adaptive_avg_pool1d(input, output_size):
    return _adaptive(_mean, input, 1, output_size)


@op("aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", at="F")
def adaptive_avg_pool2d(input, output_size):
    return _adaptive(_mean, input, 2, output_size)


@op("aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", at="F")
def adaptive_avg_pool3d(input, output_size):
    return _adaptive(_mean, input, 3, output_size)


def _adaptive_max(input, rank, output_size, return_indices):
    if return_indices:
        return prims.refuse("max pooling with return_indices is not supported yet", "use argmax over a reshaped axis")
    return _adaptive(torch.amax, input, rank, output_size)


@op("aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", at="torch F")
def adaptive_max_pool1d(input, output_size, return_indices=False):
    return _adaptive_max(input, 1, output_size, return_indices)


@op("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", at="F")
def adaptive_max_pool2d(input, output_size, return_indices=False):
    return _adaptive_max(input, 2, output_size, return_indices)


@op("aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", at="F")
def adaptive_max_pool3d(input, output_size, return_indices=False):
    return _adaptive_max(input, 3, output_size, return_indices)


# --- Power means ------------------------------------------------------------------------------------


def _power_pool(input, norm_type, kernel_size, stride, ceil_mode, rank):
    count = 1
    for length in _each_axis(kernel_size, rank):
        count = count * length
    pool = F.avg_pool2d if rank == 2 else F.avg_pool1d
    mean = pool(torch.pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return torch.pow(torch.sign(mean) * torch.relu(torch.abs(mean)) * count, 1.0 / norm_type)


@view(at="F")
def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _power_pool(input, norm_type, kernel_size, stride, ceil_mode, 1)


@view(at="F")
def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _power_pool(input, norm_type, kernel_size, stride, ceil_mode, 2)
