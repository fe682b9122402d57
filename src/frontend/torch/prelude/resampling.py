# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resampling of images and windows as matrices (arithmetic.py explains the decorators)."""


# --- Interpolation ----------------------------------------------------------------------------------


def _scaled_size(size, factor):
    """floor(size * factor). A factor that is the number nearest to a fraction gives what the fraction does: the product is
    rounded to the nearest number, and so to the whole one where the fraction gives that."""
    for denominator in range(1, 1025):
        numerator = int(factor * denominator + 0.5)
        if numerator / denominator == factor:
            return size * numerator // denominator
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

    def places(self, clamped):
        """The positions in the input, as real numbers."""
        at = prims.iota((self.size,), 0).to(self.dtype)
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

    def nearest(self, input, exact):
        factor = self.whole_factor()
        if factor in (1, 2, 3, 4, 5, 6, 7, 8, 16):
            return torch.repeat_interleave(input, int(factor), self.axis)
        at = prims.iota((self.size,), 0)
        place = (at.to(torch.float32) + (0.5 if exact else 0.0)) * self.scale(torch.float32)
        return self.take(input, torch.floor(place).to(torch.int64))

    def linear(self, input):
        place = self.places(True)
        first = torch.floor(place)
        weight = self.along(place - first)
        first = first.to(torch.int64)
        return self.take(input, first) * (1 - weight) + self.take(input, first + 1) * weight

    def cubic(self, input):
        place = self.places(False)
        first = torch.floor(place)
        t = place - first
        first = first.to(torch.int64)
        inner = [_near_cubic(t), _near_cubic(1 - t)]
        outer = [_far_cubic(t + 1), _far_cubic(2 - t)]
        weights = [outer[0], inner[0], inner[1], outer[1]]
        result = self.take(input, first - 1) * self.along(weights[0])
        for index in range(1, 4):
            result = result + self.take(input, first + (index - 1)) * self.along(weights[index])
        return result


@export(at="prims", names="near_cubic")
def _near_cubic(t):
    return (1.25 * t - 2.25) * t * t + 1


@export(at="prims", names="far_cubic")
def _far_cubic(t):
    return ((-0.75 * t + 3.75) * t - 6.0) * t + 3.0


@op("aten::interpolate(Tensor self, SymInt[] size, float[]? scale_factors, str mode, bool align_corners) -> Tensor", at="", dtypes="first")
def _resampled(input, sizes, factors, mode, align_corners):
    for index in range(len(sizes)):
        axis = _Axis(input, 2 + index, sizes[index], None if factors is None else factors[index], align_corners)
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
