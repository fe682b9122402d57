# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions: folds of products over channels and the taps of a window (arithmetic.py explains the decorators).

Along each axis an element of the wide side, at i, meets one of the narrow side, at j, with the tap k where
i + padding = j * stride + k * dilation. A convolution goes over the taps of each j: windows. A transposed one, and the
gradient of the data, go over the taps of each i, which is a convolution too: of the padded narrow side with the
reversed weight."""

import itertools
from math import gcd


class _Geometry:
    """What a convolution does along its last axes; `padding` holds the elements before and behind each of them."""

    def __init__(self, name, rank, stride, padding, dilation, groups):
        self.name, self.rank, self.groups = name, rank, groups
        self.stride, self.dilation = prims.each_axis(stride, rank), prims.each_axis(dilation, rank)
        self.padding = padding
        if len(self.stride) != rank or len(self.dilation) != rank or len(padding) != rank:
            raise RuntimeError(f"{name}: expected {rank} numbers for stride, padding and dilation")
        if any(step <= 0 for step in self.stride) or any(step <= 0 for step in self.dilation):
            raise RuntimeError(f"{name}: stride and dilation must be greater than zero")
        if groups <= 0:
            raise RuntimeError(f"{name}: expected groups to be greater than 0, but got {groups}")

    def padded(self, input):
        amounts = [amount for pair in reversed(self.padding) for amount in pair]
        return input if all(prims.same(amount, 0) for amount in amounts) else prims.pad(input, amounts, 0)

    def windows(self, input, kernel):
        """The padded input with the taps of each window as last axes."""
        first = input.dim() - self.rank
        result = self.padded(input)
        for index in range(self.rank):
            step = self.dilation[index]
            result = result.unfold(first + index, step * (kernel[index] - 1) + 1, self.stride[index])[..., ::step]
        return result


def _by_groups(tensor, axis, groups):
    """An axis as one of groups and one within them."""
    sizes = tuple(tensor.shape)
    if not prims.is_symbolic(groups) and groups == 1:
        return tensor.unsqueeze(axis)
    return tensor.reshape(sizes[:axis] + (groups, sizes[axis] // groups) + sizes[axis + 1 :])


def _joined(tensor, axis, channels):
    """The groups and what is within them as the channels again, which a symbolic number of groups only divides by a check."""
    sizes = tuple(tensor.shape)
    return tensor.reshape(sizes[:axis] + (channels,) + sizes[axis + 2 :])


def _numbers(first, count):
    return list(range(first, first + count))


class _Phase:
    """Places of the wide side along an axis, at stride * q + phase for `count` phases from the first on, that meet as many
    taps of a kernel: of each phase those from number `tap` + phase on, `step` apart. They stand on the narrow elements
    q - turn, q - turn - reach, ... There are `places` of each phase, less `crop` at the first. Of the taps of several
    phases there may be one in `apart`, with holes between them."""

    def __init__(self, count, taps, tap, step, turn, reach, places, crop=0, apart=1):
        self.count, self.taps, self.tap, self.step = count, taps, tap, step
        self.turn, self.reach, self.places, self.crop, self.apart = turn, reach, places, crop, apart

    def windows(self, narrow, axis):
        """What each q meets, in the order of the narrow side, as a last axis."""
        length = (self.taps - 1) * self.reach
        pads = [0, 0] * (narrow.dim() - 1 - axis) + [self.turn + length, self.places - narrow.shape[axis] - self.turn]
        return prims.pad(narrow, pads, 0).unfold(axis, length + 1, 1)[..., :: self.reach]

    def weights(self, weight, tap):
        """The taps in that order, with the phases as an axis behind them."""
        if self.count == 1:
            if self.step > 1 or self.tap:
                end = self.tap + (self.taps - 1) * self.step + 1
                weight = weight[tuple([slice(None)] * tap + [slice(self.tap, end, self.step)])]
            return weight.flip(tap).unsqueeze(tap + 1)
        short = self.taps * self.step - weight.shape[tap]
        weight = prims.pad(weight, [0, 0] * (weight.dim() - 1 - tap) + [0, short], 0)
        sizes = tuple(weight.shape)
        return weight.reshape(sizes[:tap] + (self.taps, self.step) + sizes[tap + 1 :]).flip(tap)


def _all_phases(stride, taps, before, size, apart):
    """All phases of an axis as one group, of the most taps that one has; the padding is cropped."""
    return _Phase(stride, (taps + stride - 1) // stride, 0, stride, 0, 1, (size + before + stride - 1) // stride, before, apart)


def _phases(stride, dilation, taps, before, size):
    """The phases of an axis, in their order: as one group, where all have as many taps and the same turn, or one by one."""
    if dilation == 1 and taps % stride == 0 and before % stride == 0:
        return [_all_phases(stride, taps, before, size, 1)]
    common = gcd(stride, dilation)
    step, reach, result = stride // common, dilation // common, []
    for phase in range(stride):
        place = phase + before
        own = [tap for tap in range(min(taps, step)) if (tap * dilation - place) % stride == 0]
        first = own[0] if own else 0
        count = (taps - first + step - 1) // step if own else 0
        # As many of each; the last ones may stand beyond the end.
        places = (size + stride - 1) // stride
        result.append(_Phase(1, count, first, step, (first * dilation - place) // stride, reach, places))
    return result


def _with_holes(weight, axis, step):
    """The taps of an axis `step` apart, with zeros between them."""
    count = weight.shape[axis]
    weight = prims.pad(weight.unsqueeze(axis + 1), [0, 0] * (weight.dim() - 1 - axis) + [0, step - 1], 0)
    weight = weight.flatten(axis, axis + 1)
    return prims.slice(weight, axis, 0, (count - 1) * step + 1)


def _held(taps, phase):
    """Which of the turns of each phase, last ones first, have a tap: nothing is to become of what others meet, infinity
    times 0 neither. None where all have."""
    if phase.count == 1 or (not prims.is_symbolic(taps) and phase.apart == 1 and taps % phase.count == 0):
        return None
    turn = phase.taps - 1 - prims.iota((phase.taps,), 0)
    tap = prims.iota((phase.count,), 0).unsqueeze(1) + phase.count * turn
    return tap < taps if phase.apart == 1 else (tap < taps) & (tap % phase.apart == 0)


def _sum_of_phases(narrow, weight, phases):
    """The wide side (N, G * D, places...) of a phase or group of phases of each axis, from the narrow side
    (N, G, C / G, q...) and the weight (G, C / G, D, k...)."""
    rank = len(phases)
    if any(not prims.is_symbolic(phase.taps) and phase.taps == 0 for phase in phases):
        sizes = (phase.places * phase.count for phase in phases)
        return narrow.new_zeros((narrow.shape[0], weight.shape[0] * weight.shape[2], *sizes))
    held = [_held(weight.shape[3 + index], phase) for index, phase in enumerate(phases)]
    for index, phase in enumerate(phases):
        weight = phase.weights(weight, 3 + 2 * index)
        narrow = phase.windows(narrow, 3 + index)
    # (N, G, C / G, D, q..., phase..., t...)
    order = _numbers(0, 3) + list(range(4, 4 + 2 * rank, 2)) + list(range(3, 3 + 2 * rank, 2))
    weight = weight.permute(order)
    weight = weight.reshape(tuple(weight.shape[:3]) + (1,) * rank + tuple(weight.shape[3:]))
    shape = tuple(narrow.shape)
    narrow = narrow.reshape(shape[:3] + (1,) + shape[3 : 3 + rank] + (1,) * rank + shape[3 + rank :])
    for index, turns in enumerate(held):
        if turns is not None:
            behind = rank - 1 - index
            turns = turns.reshape((turns.shape[0],) + (1,) * (rank - 1) + (turns.shape[1],) + (1,) * behind)
            narrow = torch.where(turns, narrow, 0)
    product = narrow * weight
    total = torch.sum(product, [2] + _numbers(4 + 2 * rank, rank), dtype=product.dtype).flatten(1, 2)
    pairs = [axis for index in range(rank) for axis in (2 + index, 2 + rank + index)]
    total = total.permute([0, 1] + pairs)
    for index in range(rank):
        total = total.flatten(2 + index, 3 + index)
    return total


def _spread(geometry, narrow, weight, sizes):
    """From the narrow side (N, C, ...) and a weight (C, D, ...) the wide side (N, G * D, ...), of the given sizes.

    Along each axis the wide side is a convolution of the padded narrow one with the reversed weight, for a stride of
    more than 1 one for each place within a stride, with the taps that stand there."""
    groups, most = geometry.groups, 9
    narrow, weight = prims.tf32(narrow), prims.tf32(weight)
    narrow, weight = _by_groups(narrow, 1, groups), _by_groups(weight, 0, groups)
    phases, parts = [], 1
    for index in range(geometry.rank):
        stride, dilation, before = geometry.stride[index], geometry.dilation[index], geometry.padding[index][0]
        taps, size = weight.shape[3 + index], sizes[index]
        if stride == 1:
            # All places are of one phase; what the padding hides is not computed.
            phases.append([_Phase(1, taps, 0, 1, -before, dilation, size)])
            continue
        phases.append(None if prims.is_symbolic(taps) else _phases(stride, dilation, taps, before, size))
        parts *= len(phases[-1] or [None])
    for index, own in enumerate(phases):
        if own is None or (parts > most and len(own) > 1):
            apart, before = geometry.dilation[index], geometry.padding[index][0]
            weight = _with_holes(weight, 3 + index, apart)
            phases[index] = [_all_phases(geometry.stride[index], weight.shape[3 + index], before, sizes[index], apart)]
    return _interleaved(narrow, weight, phases, sizes)


def _interleaved(narrow, weight, phases, sizes):
    """The wide side, of the given sizes, from the phases of each axis.

    The sums of phases that stand apart lie one behind the other, and neighbours are read of them: kernels that store
    every other element write each sector of memory twice."""
    sums = [_sum_of_phases(narrow, weight, each) for each in itertools.product(*phases)]
    total = sums[0]
    if len(sums) > 1:
        rank = len(phases)
        total = torch.stack(sums).unflatten(0, [len(own) for own in phases])
        total = total.permute([rank, rank + 1] + [axis for index in range(rank) for axis in (rank + 2 + index, index)])
        for index in range(rank):
            total = total.flatten(2 + index, 3 + index)
    for index, size in enumerate(sizes):
        if not prims.same(total.shape[2 + index], size):
            total = prims.slice(total, 2 + index, phases[index][0].crop, size)
    return total


def _first_places(tensor, first, sizes):
    """As many elements of the axes from `first` on: an output padding of a stride and more adds windows that nothing meets."""
    for index, size in enumerate(sizes):
        if not prims.same(tensor.shape[first + index], size):
            tensor = prims.slice(tensor, first + index, 0, size)
    return tensor


def _weight_slope(geometry, narrow, wide, kernel):
    """The gradient of a weight (narrow channels, wide channels / G, ...): folds over the batch and the places."""
    rank, groups = geometry.rank, geometry.groups
    narrow, wide = prims.tf32(narrow), prims.tf32(wide)
    windows = _by_groups(geometry.windows(wide, kernel), 1, groups)
    channels, narrow = narrow.shape[1], _by_groups(narrow, 1, groups)
    windows = _first_places(windows, 3, narrow.shape[3:])
    narrow = narrow.reshape(tuple(narrow.shape[:3]) + (1,) + tuple(narrow.shape[3:]) + (1,) * rank)
    product = narrow * windows.unsqueeze(2)
    return _joined(torch.sum(product, [0] + _numbers(4, rank)), 0, channels)


def _bias_slope(grad):
    return torch.sum(grad, [0] + list(range(2, grad.dim())))


def _check(name, rank, input, weight, bias, channels, results):
    if weight.dim() != rank + 2:
        raise RuntimeError(f"{name}: expected a weight of {rank + 2} dimensions, found {weight.dim()}")
    if input.dim() not in (rank + 1, rank + 2):
        raise RuntimeError(f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {name}, but got input of size: {list(input.shape)}")
    assert input.shape[-rank - 1] == channels, f"{name}: the input has another number of channels than the weight"
    if bias is not None and bias.dim() != 1:
        raise RuntimeError(f"{name}: expected a bias of 1 dimension, found {bias.dim()}")
    if bias is not None:
        assert bias.shape[0] == results, f"{name}: the bias has another number of channels than the result"


def _batched(tensor, rank):
    return tensor.unsqueeze(0) if tensor.dim() == rank + 1 else tensor


def _with_bias(result, bias, rank, is_batched):
    if bias is not None:
        result = result + bias.reshape((-1,) + (1,) * rank)
    return result if is_batched else result.squeeze(0)


def _even(padding, rank):
    if any(amount < 0 for amount in prims.each_axis(padding, rank)):
        raise RuntimeError("negative padding is not supported")
    return [(amount, amount) for amount in prims.each_axis(padding, rank)]


def _paddings(name, rank, kernel, stride, padding, dilation):
    """The elements before and behind each axis."""
    if not isinstance(padding, str):
        return _even(padding, rank)
    if padding == "valid":
        return _even(0, rank)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(step != 1 for step in prims.each_axis(stride, rank)):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [step * (length - 1) for step, length in zip(prims.each_axis(dilation, rank), kernel)]
    return [(total // 2, total - total // 2) for total in totals]


def _of_convolution(rank, weight, stride, padding, dilation, groups):
    name = f"conv{rank}d"
    pads = _paddings(name, rank, weight.shape[2:], stride, padding, dilation)
    return _Geometry(name, rank, stride, pads, dilation, groups)


def _convolved(geometry, input, weight):
    """From the wide side (N, C, ...) and a weight (D, C / G, ...) the narrow side (N, D, ...)."""
    rank, groups = geometry.rank, geometry.groups
    input, weight = prims.tf32(input), prims.tf32(weight)
    windows = _by_groups(geometry.windows(input, tuple(weight.shape[2:])), 1, groups).unsqueeze(2)
    channels, weight = weight.shape[0], _by_groups(weight, 0, groups)
    weight = weight.reshape(tuple(weight.shape[:3]) + (1,) * rank + tuple(weight.shape[3:]))
    # (N, G, D / G, C / G, places, taps)
    product = windows * weight
    return _joined(torch.sum(product, [3] + _numbers(4 + rank, rank), dtype=product.dtype), 1, channels)


def _register_convolution(rank):
    def gradient(grad, input, weight, bias, stride, padding, dilation, groups):
        geometry = _of_convolution(rank, weight, stride, padding, dilation, groups)
        batch, grad = _batched(input, rank), _batched(grad, rank)
        data = _spread(geometry, grad, weight, tuple(batch.shape[2:]))
        gradients = {"input": data if input.dim() == rank + 2 else data.squeeze(0)}
        gradients["weight"] = _weight_slope(geometry, grad, batch, tuple(weight.shape[2:]))
        if bias is not None:
            gradients["bias"] = _bias_slope(grad)
        return gradients

    schema = "aten::convNd(Tensor input, Tensor weight, Tensor? bias=None, SymInt[N] stride=1, SymInt[N] padding=0, SymInt[N] dilation=1, SymInt groups=1) -> Tensor"

    @op(schema.replace("N", str(rank)), at="torch F", names=f"conv{rank}d", dtypes="one", grad=gradient)
    def convolution(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if prims.is_symbolic(groups) and not prims.is_symbolic(weight.shape[0]):
            # A window for each channel, of which the module has a known number: `groups=x.size(1)`.
            prims.match((groups,), (weight.shape[0],))
        geometry = _of_convolution(rank, weight, stride, padding, dilation, groups)
        _check(geometry.name, rank, input, weight, bias, weight.shape[1] * groups, weight.shape[0])
        result = _convolved(geometry, _batched(input, rank), weight)
        return _with_bias(result, bias, rank, input.dim() == rank + 2)


def _of_transposed(rank, stride, padding, dilation, groups):
    return _Geometry(f"conv_transpose{rank}d", rank, stride, _even(padding, rank), dilation, groups)


def _wide_sizes(geometry, sizes, kernel, output_padding):
    more = prims.each_axis(output_padding, geometry.rank)
    wide = []
    for index in range(geometry.rank):
        stride, dilation = geometry.stride[index], geometry.dilation[index]
        if more[index] >= stride and more[index] >= dilation:
            raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got output_padding {more[index]}, stride {stride}, dilation {dilation}")
        wide.append((sizes[index] - 1) * stride - sum(geometry.padding[index]) + dilation * (kernel[index] - 1) + more[index] + 1)
    return tuple(wide)


def _register_transposed(rank):
    def gradient(grad, input, weight, bias, stride, padding, output_padding, groups, dilation):
        geometry = _of_transposed(rank, stride, padding, dilation, groups)
        batch, grad = _batched(input, rank), _batched(grad, rank)
        kernel = tuple(weight.shape[2:])
        data = _first_places(_convolved(geometry, grad, weight), 2, batch.shape[2:])
        gradients = {"input": data if input.dim() == rank + 2 else data.squeeze(0)}
        gradients["weight"] = _weight_slope(geometry, batch, grad, kernel)
        if bias is not None:
            gradients["bias"] = _bias_slope(grad)
        return gradients

    schema = "aten::conv_transposeNd(Tensor input, Tensor weight, Tensor? bias=None, SymInt[N] stride=1, SymInt[N] padding=0, SymInt[N] output_padding=0, SymInt groups=1, SymInt[N] dilation=1) -> Tensor"

    @op(schema.replace("N", str(rank)), at="torch F", names=f"conv_transpose{rank}d", dtypes="one", grad=gradient)
    def transposed(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        geometry = _of_transposed(rank, stride, padding, dilation, groups)
        _check(geometry.name, rank, input, weight, bias, weight.shape[0], weight.shape[1] * groups)
        batch = _batched(input, rank)
        sizes = _wide_sizes(geometry, tuple(batch.shape[2:]), tuple(weight.shape[2:]), output_padding)
        result = _spread(geometry, batch, weight, sizes)
        return _with_bias(result, bias, rank, input.dim() == rank + 2)


for _rank in (1, 2, 3):
    _register_convolution(_rank)
    _register_transposed(_rank)


# --- Other spellings ----------------------------------------------------------------------------------


@view(at="torch")
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    rank = weight.dim() - 2
    if transposed:
        return getattr(F, f"conv_transpose{rank}d")(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(F, f"conv{rank}d")(input, weight, bias, stride, padding, dilation, groups)


@view(at="torch F")
def conv_tbc(input, weight, bias, pad=0):
    # Time, batch, channels; the weight (taps, channels, results).
    return F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad).permute(2, 0, 1)
