# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling: folds over windows of the last axes (arithmetic.py explains the decorators)."""


class _Windows:
    """The windows of the last `rank` axes: as many shifted copies as a window has places."""

    def __init__(self, input, rank, kernel, stride, padding, dilation, ceil_mode, fill):
        if input.dim() not in (rank + 1, rank + 2):
            raise RuntimeError("pooling: expected an input of " + str(rank + 1) + " or " + str(rank + 2) + " dimensions, got " + str(input.dim()))
        self.rank = rank
        self.kernel = prims.each_axis(kernel, rank)
        given = self.kernel if stride is None or (isinstance(stride, (tuple, list)) and len(stride) == 0) else stride
        self.stride = list(prims.each_axis(given, rank))
        self.padding = prims.each_axis(padding, rank)
        self.dilation = prims.each_axis(dilation, rank)
        self.first = input.dim() - rank
        self.input_sizes = tuple(input.shape[self.first :])
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
            count, rest = free // self.stride[index] + 1, 0
            if ceil_mode:
                # The last window may reach beyond the padding, but starts inside of the input or its left padding.
                count = (free + self.stride[index] - 1) // self.stride[index] + 1
                if pad + self.stride[index] > self.dilation[index] * (self.kernel[index] - 1) + 1:
                    count = min(count, (size + pad + self.stride[index] - 1) // self.stride[index])
                rest = (count - 1) * self.stride[index] - free
            self.counts.append(count)
            if prims.same(count, 1):
                self.stride[index] = 1
            amounts = [pad, pad + rest] + amounts
            self.is_clipped = self.is_clipped or not prims.same(rest, 0)
        self.padded = prims.pad(input, amounts, fill) if not all(prims.same(amount, 0) for amount in amounts) else input

    def size(self):
        size = 1
        for length in self.kernel:
            size = size * length
        return size

    def is_large(self):
        """Whether windows are folded over as axes; the places of small ones are written out."""
        return prims.is_symbolic(self.size()) or self.size() > 9

    def places(self):
        """The places of a window, in the order of memory."""
        places = [()]
        for length in self.kernel:
            places = [place + (index,) for place in places for index in range(length)]
        return places

    def beside(self):
        """The places of each window along last axes, one for each pooled axis."""
        result = self.padded
        for index in range(self.rank):
            step = self.dilation[index]
            result = result.unfold(self.first + index, step * (self.kernel[index] - 1) + 1, self.stride[index])[..., ::step]
        return result

    def unfolded(self):
        """The places of each window as a last axis."""
        return self.beside().flatten(-self.rank)

    def last_axes(self):
        return tuple(range(-self.rank, 0))

    def covering(self, index):
        """The windows that each place of an axis lies in, and as which of their places."""
        at = prims.iota((self.input_sizes[index],), 0).unsqueeze(1) + self.padding[index]
        stride, kernel, step = self.stride[index], self.kernel[index], self.dilation[index]
        if step == 1 and prims.same(self.counts[index], 1):
            window, place = at * 0, at
            held = place < kernel
        elif step == 1:
            window = prims.floor_quotient(at, stride) - prims.iota(((kernel + stride - 1) // stride,), 0)
            place = at - window * stride
            held = (window >= 0) & (window < self.counts[index]) & (place < kernel)
        else:
            place = prims.iota((kernel,), 0)
            start = torch.maximum(at - place * step, 0)
            window = prims.floor_quotient(start, stride)
            held = (at >= place * step) & (start % stride == 0) & (window < self.counts[index])
        return prims.AxisPart(torch.minimum(torch.maximum(window, 0), self.counts[index] - 1), held, place)

    def are_side_by_side(self):
        """Whether each place is the first one of a window: strides of 1, and more than one window."""
        return all(prims.same(stride, 1) for stride in self.stride) and not any(prims.same(count, 1) for count in self.counts)

    def reaching(self, values, fill):
        """What lies at the windows, side by side, that each place of the input lies in, as windows of their own: first the
        window whose last place it is; `fill` where there is none."""
        amounts = []
        for index in range(self.rank):
            before = self.dilation[index] * (self.kernel[index] - 1) - self.padding[index]
            after = self.input_sizes[index] - self.counts[index] + self.padding[index]
            amounts = [before, after] + amounts
        padded = prims.pad(values, amounts, fill)
        return _Windows(padded, self.rank, self.kernel, 1, 0, self.dilation, False, fill)

    def shifted(self):
        return [self._at(place) for place in self.places()]

    def _along(self, index, place):
        # Where a place of each window lies on an axis of the input; negative in the padding before it.
        start = prims.iota((self.counts[index],), 0) * self.stride[index] - self.padding[index]
        return (start + place[index] * self.dilation[index]).reshape([-1] + [1] * (self.rank - 1 - index))

    def positions(self, place):
        """Where a place of each window lies in the pooled axes of the input, which count as one."""
        position = self._along(0, place)
        for index in range(1, self.rank):
            position = position * self.input_sizes[index] + self._along(index, place)
        return position

    def first_places(self):
        """The number of the first place of each window that lies in the input."""
        number = 0
        for index in range(self.rank):
            # At least 0, so that cutting is rounding down.
            outside = torch.clamp(-self._along(index, (0,) * self.rank), min=0)
            number = number * self.kernel[index] + prims.floor_quotient(outside + self.dilation[index] - 1, self.dilation[index])
        return number

    def _folded_greatest(self):
        windows = self.unfolded()
        best, number = self.beside().amax(self.last_axes()), windows.max(-1)[1]
        last = torch.where(torch.isnan(windows), prims.iota((self.size(),), 0), -1).amax(-1)
        return best, torch.where(last >= 0, last, number)

    def _written_greatest(self, kind):
        best, *others = self.shifted()
        number = torch.zeros_like(best, dtype=kind)
        for place, part in enumerate(others, 1):
            is_greater = (part > best) | torch.isnan(part)
            best = torch.where(is_greater, part, best)
            number = torch.where(is_greater, place, number)
        return best, number

    def greatest_places(self):
        """The number of the place of each window that max pooling takes: the first of several greatest elements, or
        the last that is no number; where nothing is greater than -inf, the first that lies in the input."""
        kind = torch.uint8 if self.size() < 256 else torch.int16 if self.size() < 32768 else torch.int32
        best, number = self._folded_greatest() if self.is_large() else self._written_greatest(kind)
        number = number.to(kind)
        if all(pad == 0 for pad in self.padding):
            return number
        return torch.where(best == float("-inf"), self.first_places().to(number.dtype), number)

    def _at(self, place):
        result = self.padded
        for index in range(self.rank):
            result = prims.slice(result, self.first + index, place[index] * self.dilation[index], self.counts[index], self.stride[index])
        return result


def _window_sum_gradient(grad, input, rank, kernel, stride, padding, ceil_mode):
    windows = _Windows(input, rank, kernel, stride, padding, 1, ceil_mode, 0)
    if windows.are_side_by_side():
        return windows.reaching(grad, 0).beside().sum(windows.last_axes())
    parts = [windows.covering(index) for index in range(rank)]
    return torch.sum(prims.taken(grad, windows.first, parts, 0), prims.second_axes(windows.first, rank))


@op("nereid::window_sum(Tensor self, int rank, int[] kernel_size, int[] stride, int[] padding, bool ceil_mode) -> Tensor", at="prims", names="window_sum", grad=_window_sum_gradient)
def _window_sum(input, rank, kernel, stride, padding, ceil_mode):
    windows = _Windows(input, rank, kernel, stride, padding, 1, ceil_mode, 0)
    if windows.is_large():
        return windows.beside().sum(windows.last_axes())
    total = 0
    for part in windows.shifted():
        total = total + part
    return total


def _average(input, rank, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override):
    windows = _Windows(input, rank, kernel, stride, padding, 1, ceil_mode, 0)
    total = _window_sum(input, rank, windows.kernel, windows.stride, windows.padding, ceil_mode)
    if divisor_override is not None:
        return total / divisor_override
    if not windows.is_clipped and (count_include_pad or all(pad == 0 for pad in windows.padding)):
        return total / windows.size()
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


def _greatest(input, rank, kernel, stride, padding, dilation, ceil_mode):
    windows = _Windows(input, rank, kernel, stride, padding, dilation, ceil_mode, float("-inf"))
    if windows.is_large():
        return windows.beside().amax(windows.last_axes())
    best = None
    for part in windows.shifted():
        best = part if best is None else torch.maximum(best, part)
    return best


def _stretched(part, axis, size, offset, stride):
    """The elements of an axis at `offset + stride * i` of an axis of `size`, zeros between them."""
    behind = [0, 0] * (part.dim() - 1 - axis)
    count = part.shape[axis] * stride
    if stride > 1:
        shape = tuple(part.shape[:axis]) + (count,) + tuple(part.shape[axis + 1 :])
        part = prims.pad(part.unsqueeze(axis + 1), behind + [0, stride - 1], 0).reshape(shape)
    return prims.pad(part, behind + [offset, size - offset - count], 0)


def _greatest_gradient(grad, input, rank, kernel, stride, padding, dilation, ceil_mode):
    """The gradient goes to the element that the pooling took."""
    windows = _Windows(input, rank, kernel, stride, padding, dilation, ceil_mode, float("-inf"))
    taken = windows.greatest_places()
    if windows.is_large() and windows.are_side_by_side():
        took = windows.reaching(taken.to(torch.int32), -1).unfolded() == windows.size() - 1 - prims.iota((windows.size(),), 0)
        return torch.sum(torch.where(took, windows.reaching(grad, 0).unfolded(), 0), -1)
    # A place lies in fewer windows than a window has places where these are not side by side.
    if windows.is_large() or any(not prims.same(stride, 1) for stride in windows.stride):
        parts, place = [windows.covering(index) for index in range(rank)], 0
        for index in range(rank):
            place = place * windows.kernel[index] + prims.beside_pairs(parts[index].place.expand(parts[index].held.shape), index, rank)
        # A window whose place is not meant is none that any window took.
        took = prims.taken(taken.to(torch.int32), windows.first, parts, -1) == place
        return torch.sum(torch.where(took, prims.taken(grad, windows.first, parts, 0), 0), prims.second_axes(windows.first, rank))
    total = None
    for number, place in enumerate(windows.places()):
        part = torch.where(taken == number, grad, 0.0)
        for index in range(rank):
            offset = place[index] * windows.dilation[index] - windows.padding[index]
            part = _stretched(part, windows.first + index, windows.input_sizes[index], offset, windows.stride[index])
        total = part if total is None else total + part
    return total


def _places(input, rank, kernel_size, stride, padding, dilation, ceil_mode):
    windows = _Windows(input.detach(), rank, kernel_size, stride, padding, dilation, ceil_mode, float("-inf"))
    taken = windows.greatest_places()
    if windows.is_large():
        # The number of a place, taken apart into the places along the axes.
        rest, position, stride = taken.to(torch.int64), 0, 1
        for index in range(rank - 1, -1, -1):
            along = windows._along(index, (0,) * rank) + rest % windows.kernel[index] * windows.dilation[index]
            rest = prims.floor_quotient(rest, windows.kernel[index])
            position, stride = position + along * stride, stride * windows.input_sizes[index]
        return position
    position = windows.positions(windows.places()[0])
    for number, place in enumerate(windows.places()):
        position = torch.where(taken == number, windows.positions(place), position)
    return position


def _is_of_all(input, rank, kernel_size, padding, dilation):
    """Whether the one window is all of the last axes, whose sizes are not known: `max_pool1d(x, x.shape[-1])`."""
    kernel, padding, dilation = (prims.each_axis(given, rank) for given in (kernel_size, padding, dilation))
    sizes = input.shape[input.dim() - rank :]
    return any(prims.is_symbolic(length) for length in kernel) and all(
        prims.same(kernel[index], sizes[index]) and padding[index] == 0 and dilation[index] == 1 for index in range(rank)
    )


def _register_max_pool(rank):
    def gradient(grad, input, kernel_size, stride, padding, dilation, ceil_mode):
        return _greatest_gradient(grad, input, rank, kernel_size, stride, padding, dilation, ceil_mode)

    schema = "aten::max_poolNd(Tensor self, int[N] kernel_size, int[N] stride=[], int[N] padding=0, int[N] dilation=1, bool ceil_mode=False) -> Tensor"

    @op(schema.replace("N", str(rank)), at="prims", names="greatest" + str(rank), grad=gradient)
    def greatest(input, kernel_size, stride, padding, dilation, ceil_mode):
        return _greatest(input, rank, kernel_size, stride, padding, dilation, ceil_mode)

    name = "max_pool" + str(rank) + "d"

    @view(at="torch F", names=name)
    def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if _is_of_all(input, rank, kernel_size, padding, dilation):
            return getattr(F, "adaptive_" + name)(input, 1, return_indices)
        result = greatest(input, kernel_size, stride, padding, dilation, ceil_mode)
        return (result, _places(input, rank, kernel_size, stride, padding, dilation, ceil_mode)) if return_indices else result

    @view(at="torch F" if rank == 1 else "F", names=name + "_with_indices")
    def max_pool_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True):
        return max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)


for _rank in (1, 2, 3):
    _register_max_pool(_rank)


# --- Power means ------------------------------------------------------------------------------------


def _power_pool(input, norm_type, kernel_size, stride, ceil_mode, rank):
    count = 1
    for length in prims.each_axis(kernel_size, rank):
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


# --- Back to where they came from -------------------------------------------------------------------


def _unpool(input, indices, rank, kernel_size, stride, padding, output_size):
    first = input.dim() - rank
    kernel, padding = prims.each_axis(kernel_size, rank), prims.each_axis(padding, rank)
    stride = kernel if stride is None else prims.each_axis(stride, rank)
    sizes = tuple((input.shape[first + index] - 1) * stride[index] - 2 * padding[index] + kernel[index] for index in range(rank))
    if output_size is not None:
        sizes = tuple(output_size)[-rank:]
    lead = tuple(input.shape[:first])
    count = 1
    for size in sizes:
        count = count * size
    indices = prims.check_index(indices, count, "max_unpool")
    flat = torch.zeros(lead + (count,), dtype=input.dtype)
    return flat.scatter(-1, indices.reshape(lead + (-1,)), input.reshape(lead + (-1,))).reshape(lead + sizes)


def _register_max_unpool(rank):
    @view(at="F", names="max_unpool" + str(rank) + "d")
    def max_unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        return _unpool(input, indices, rank, kernel_size, stride, padding, output_size)


for _rank in (1, 2, 3):
    _register_max_unpool(_rank)
