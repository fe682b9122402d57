# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resampling of images and windows as matrices (arithmetic.py explains the decorators)."""


# --- Interpolation ----------------------------------------------------------------------------------


def _fraction(factor):
    """The numerator and the denominator, up to 1024, to whose quotient the factor is nearest; None: there are none."""
    for denominator in range(1, 1025):
        numerator = int(factor * denominator + 0.5)
        if numerator / denominator == factor:
            return numerator, denominator
    return None


def _scaled_size(size, factor):
    """floor(size * factor). A factor that is the number nearest to a fraction gives what the fraction does: the product is
    rounded to the nearest number, and so to the whole one where the fraction gives that."""
    fraction = _fraction(factor)
    if fraction is not None:
        return size * fraction[0] // fraction[1]
    if prims.is_symbolic(size):
        return prims.refuse("a scale factor that is no fraction, of a size that is not fixed", "pass size=")
    return int(size * factor)


class _Axis:
    """Where the elements of one axis of the result come from."""

    def __init__(self, input, axis, size, factor, align_corners):
        self.axis = axis
        self.rank = input.dim()
        self.source = input.shape[axis]
        self.size = size
        self.factor = factor
        self.align = align_corners
        self.dtype = torch.float64 if input.dtype == torch.float64 else torch.float32

    def scale(self, dtype):
        if self.factor is not None:
            return torch.tensor(1.0 / self.factor, dtype=dtype)
        return torch.tensor(self.source, dtype=dtype) / torch.tensor(self.size, dtype=dtype)

    def places(self, clamped, at=None):
        """The positions in the input, as real numbers, of all elements of the result or of these."""
        at = (prims.iota((self.size,), 0) if at is None else at).to(self.dtype)
        if self.align:
            steps = torch.maximum(torch.tensor(self.size, dtype=self.dtype) - 1, 1)
            scale = (torch.tensor(self.source, dtype=self.dtype) - 1) / steps
            return at * scale
        place = (at + 0.5) * self.scale(self.dtype) - 0.5
        return torch.maximum(place, 0) if clamped else place

    def take(self, input, index):
        return prims.take(input, self.axis, torch.minimum(torch.maximum(index, 0), self.source - 1))

    def along(self, weight):
        return weight.reshape([-1] + [1] * (self.rank - 1 - self.axis))

    def whole_factor(self):
        """How many elements of the result one of the input makes; 0 where that is no fixed number."""
        if self.factor is not None:
            return self.factor if self.factor == int(self.factor) else 0
        ratio = self.size // self.source
        return ratio if prims.is_known(ratio) and ratio * self.source == self.size else 0

    def nearest_places(self, at, exact):
        place = (at.to(torch.float32) + (0.5 if exact else 0.0)) * self.scale(torch.float32)
        return torch.minimum(torch.floor(place).to(torch.int64), self.source - 1)

    def nearest(self, input, exact):
        if self.whole_factor() in (1, 2, 3, 4, 5, 6, 7, 8, 16):
            return torch.repeat_interleave(input, int(self.whole_factor()), self.axis)
        return prims.take(input, self.axis, self.nearest_places(prims.iota((self.size,), 0), exact))

    def steps(self):
        """How many elements of the result lie as so many of the input; None: these are no fixed numbers."""
        if self.align:
            return None
        if self.factor is not None:
            return _fraction(self.factor)
        if self.whole_factor() != 0:
            return int(self.whole_factor()), 1
        return None

    def split(self, clamped):
        """Of the positions in the input the element before each, and how far behind it they are. Where the factor is a
        fraction both are quotients of integers: no position is rounded, and the reader knows which elements are read."""
        steps = self.steps()
        if steps is None:
            place = self.places(clamped)
            first = torch.floor(place)
            return first.to(torch.int64), place - first
        results, sources = steps
        place = (2 * prims.iota((self.size,), 0) + 1) * sources - results
        if clamped:
            place = torch.maximum(place, 0)
        return place // (2 * results), (place % (2 * results)).to(self.dtype) / (2 * results)

    def linear(self, input):
        first, weight = self.split(True)
        weight = self.along(weight)
        return self.take(input, first) * (1 - weight) + self.take(input, first + 1) * weight

    def cubic(self, input):
        first, t = self.split(False)
        inner = [_near_cubic(t), _near_cubic(1 - t)]
        outer = [_far_cubic(t + 1), _far_cubic(2 - t)]
        weights = [outer[0], inner[0], inner[1], outer[1]]
        result = self.take(input, first - 1) * self.along(weights[0])
        for index in range(1, 4):
            result = result + self.take(input, first + (index - 1)) * self.along(weights[index])
        return result


    # The gradient: an element of the input has a share in those of the result whose places are near it, side by side.

    def ratio(self):
        """How many elements of the result there are for so many of the input, and whether that is exact."""
        if self.align:
            return max(self.size - 1, 1), max(self.source - 1, 1), True
        fraction = None if self.factor is None else _fraction(self.factor)
        return (self.size, self.source, self.factor is None) if fraction is None else (*fraction, True)

    def around(self, start, count):
        """So many elements of the result from each start on, and whether there are such."""
        at = start.unsqueeze(1) + prims.iota((count,), 0)
        return torch.minimum(torch.maximum(at, 0), self.size - 1), (at >= 0) & (at < self.size)

    def reached(self, places, near):
        """For each of the places in the input the elements of the result that lie less than `near` from it."""
        results, sources, is_exact = self.ratio()
        more = 0 if is_exact else 1
        if self.align:
            start = (places - near) * results // sources
        else:
            start = ((2 * places - (2 * near - 1)) * results - sources) // (2 * sources)
        return self.around(start + (1 - more), (2 * near * results + sources - 1) // sources + 2 * more)

    def gather(self, grad, at, weight):
        weight = weight.reshape(tuple(weight.shape) + (1,) * (self.rank - 1 - self.axis))
        taken = prims.take(grad, self.axis, at)
        return torch.sum(torch.where(weight != 0, taken * weight, 0), self.axis + 1)

    def nearest_gradient(self, grad, exact):
        if self.whole_factor() in (1, 2, 3, 4, 5, 6, 7, 8, 16):
            shape = tuple(grad.shape)
            pieces = shape[: self.axis] + (self.source, int(self.whole_factor())) + shape[self.axis + 1 :]
            return grad.reshape(pieces).sum(self.axis + 1)
        # Numbers that are rounded may lie one before or behind.
        places = prims.iota((self.source,), 0)
        results, sources, _ = self.ratio()
        at, held = self.around(places * results // sources - 1, (results + sources - 1) // sources + 2)
        hit = held & (self.nearest_places(at, exact) == places.unsqueeze(1))
        return self.gather(grad, at, hit.to(self.dtype))

    def linear_gradient(self, grad):
        places = prims.iota((self.source,), 0)
        at, held = self.reached(places, 1)
        distance = torch.abs(torch.minimum(self.places(True, at), self.source - 1) - places.unsqueeze(1))
        return self.gather(grad, at, torch.where(held, torch.maximum(1 - distance, 0), 0))

    def cubic_gradient(self, grad):
        # What is taken beyond the ends is their share too.
        places = prims.iota((self.source + 4,), 0) - 2
        at, held = self.reached(places, 2)
        distance = torch.abs(self.places(False, at) - places.unsqueeze(1))
        weight = torch.where(distance < 1, _near_cubic(distance), _far_cubic(distance))
        shares = self.gather(grad, at, torch.where(held & (distance < 2), weight, 0))
        last, place = self.source - 1, self.along(prims.iota((self.source,), 0))
        result = shares.narrow(self.axis, 2, self.source)
        for index in range(2):
            result = result + torch.where(place == 0, shares.narrow(self.axis, index, 1), 0)
            result = result + torch.where(place == last, shares.narrow(self.axis, self.source + 2 + index, 1), 0)
        return result


@export(at="prims", names="near_cubic")
def _near_cubic(t):
    return (1.25 * t - 2.25) * t * t + 1


@export(at="prims", names="far_cubic")
def _far_cubic(t):
    return ((-0.75 * t + 3.75) * t - 6.0) * t + 3.0


def _axes(input, sizes, factors, align_corners):
    return [_Axis(input, 2 + index, sizes[index], None if factors is None else factors[index], align_corners) for index in range(len(sizes))]


def _resampled_gradient(grad, input, sizes, factors, mode, align_corners):
    for axis in reversed(_axes(input, sizes, factors, align_corners)):
        if mode in ("nearest", "nearest-exact"):
            grad = axis.nearest_gradient(grad, mode == "nearest-exact")
        elif mode == "bicubic":
            grad = axis.cubic_gradient(grad)
        else:
            grad = axis.linear_gradient(grad)
    return grad


@op("aten::interpolate(Tensor self, SymInt[] size, float[]? scale_factors, str mode, bool align_corners) -> Tensor", at="", dtypes="first", grad=_resampled_gradient)
def _resampled(input, sizes, factors, mode, align_corners):
    for axis in _axes(input, sizes, factors, align_corners):
        if mode in ("nearest", "nearest-exact"):
            input = axis.nearest(input, mode == "nearest-exact")
        elif mode == "bicubic":
            input = axis.cubic(input)
        else:
            input = axis.linear(input)
    return input


@view(at="F")
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
    rank = input.dim() - 2
    ranks = {"nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "area": (1, 2, 3), "linear": (1,), "bilinear": (2,), "trilinear": (3,), "bicubic": (2,)}
    if mode not in ranks or rank not in ranks[mode]:
        raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported (got " + str(input.dim()) + "D) for the mode " + mode)
    if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
        raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    if not input.is_floating_point() and mode not in ("nearest", "nearest-exact"):
        return prims.refuse("interpolation of integers in mode " + repr(mode) + " is not supported", "convert with .float()")
    if antialias:
        return prims.refuse("interpolate with antialias=True is not supported", "use antialias=False")
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined")
    factors = None
    if size is not None:
        sizes = (size,) * rank if isinstance(size, int) else tuple(size)
    else:
        factors = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * rank
        sizes = tuple(_scaled_size(input.shape[2 + index], factors[index]) for index in range(rank))
        if recompute_scale_factor:
            factors = None
    if len(sizes) != rank:
        raise ValueError("Input and output must have the same number of spatial dimensions")
    if mode == "area":
        return (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d)[rank - 1](input, sizes)
    return _resampled(input, sizes, factors, mode, bool(align_corners))


@view(at="F", names="upsample")
def _upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


@view(at="F", names="upsample_nearest")
def _upsample_nearest(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "nearest")


@view(at="F", names="upsample_bilinear")
def _upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "bilinear", True)


# --- Windows as columns -----------------------------------------------------------------------------


def _pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)


@op("aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", at="", dtypes="any")
def _columns(input, kernel, dilation, padding, stride):
    if any(pad != 0 for pad in padding):
        input = prims.pad(input, (padding[1], padding[1], padding[0], padding[0]))
    for index in range(2):
        reach = dilation[index] * (kernel[index] - 1) + 1
        input = input.unfold(2 + index, reach, stride[index])
    input = input[..., :: dilation[0], :: dilation[1]]
    batch, channels, rows, columns = input.shape[:4]
    ordered = input.permute(0, 1, 4, 5, 2, 3)
    return ordered.reshape(batch, channels * kernel[0] * kernel[1], rows * columns)


@view(at="F")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    if input.dim() == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    return _columns(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def _spread(part, axis, size, offset, stride):
    """The elements of an axis at `offset + stride * i` of an axis of `size`, zeros between them."""
    count = part.shape[axis]
    place = prims.iota((size,), 0) - offset
    step = place // stride
    hit = (place % stride == 0) & (place >= 0) & (step < count)
    taken = prims.take(part, axis, torch.where(hit, step, 0))
    return torch.where(hit.reshape([-1] + [1] * (part.dim() - 1 - axis)), taken, 0)


@op("aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", at="", dtypes="first")
def _image(input, size, kernel, dilation, padding, stride):
    counts = [(size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]
    channels = input.shape[1] // (kernel[0] * kernel[1])
    parts = input.reshape(input.shape[0], channels, kernel[0], kernel[1], counts[0], counts[1])
    result = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            part = _spread(parts[:, :, i, j], 2, size[0], i * dilation[0] - padding[0], stride[0])
            part = _spread(part, 3, size[1], j * dilation[1] - padding[1], stride[1])
            result = part if result is None else result + part
    return result


@view(at="F")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    if input.dim() == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    return _image(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
