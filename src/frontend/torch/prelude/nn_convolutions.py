# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn: convolutions."""


def _each(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value)


class _ConvNd(prims.Initialized):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, bias, padding_mode, device=None, dtype=None):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        if padding == "same" and any(step != 1 for step in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(f"padding_mode must be one of {{'zeros', 'reflect', 'replicate', 'circular'}}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        # As F.pad takes it: the last axis first.
        if padding == "same":
            totals = [step * (length - 1) for step, length in zip(dilation, kernel_size)]
            self._reversed_padding_repeated_twice = [part for total in reversed(totals) for part in (total // 2, total - total // 2)]
        elif padding == "valid":
            self._reversed_padding_repeated_twice = [0, 0] * len(kernel_size)
        else:
            self._reversed_padding_repeated_twice = tuple(amount for amount in reversed(padding) for _ in range(2))
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = nn.Parameter(torch.empty(channels + kernel_size, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(out_channels, dtype=dtype)) if bias else None
        self.reset_parameters()


class _Convolution(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        rank = self._axes
        padding = padding if isinstance(padding, str) else _each(padding, rank)
        super().__init__(in_channels, out_channels, _each(kernel_size, rank), _each(stride, rank), padding, _each(dilation, rank), False, (0,) * rank, groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input, weight, bias):
        convolution = getattr(F, f"conv{self._axes}d")
        if self.padding_mode == "zeros":
            return convolution(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return convolution(padded, weight, bias, self.stride, 0, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Convolution):
    _axes = 1


class Conv2d(_Convolution):
    _axes = 2


class Conv3d(_Convolution):
    _axes = 3


class _ConvTransposeNd(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        rank = self._axes
        super().__init__(in_channels, out_channels, _each(kernel_size, rank), _each(stride, rank), _each(padding, rank), _each(dilation, rank), True, _each(output_padding, rank), groups, bias, padding_mode, device, dtype)

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        if output_size is None:
            return _each(self.output_padding, num_spatial_dims)
        has_batch = input.dim() == num_spatial_dims + 2
        if len(output_size) == num_spatial_dims + (2 if has_batch else 1):
            output_size = output_size[-num_spatial_dims:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(f"{type(self).__name__}: output_size has another number of axes than the input")
        more = []
        for axis in range(num_spatial_dims):
            step = 1 if dilation is None else dilation[axis]
            least = (input.shape[axis - num_spatial_dims] - 1) * stride[axis] - 2 * padding[axis] + step * (kernel_size[axis] - 1) + 1
            more.append(output_size[axis] - least)
            if more[axis] < 0 or more[axis] >= stride[axis]:
                raise ValueError(f"{type(self).__name__}: requested an output size of {output_size}, which no output padding gives")
        return more

    def forward(self, input, output_size=None):
        more = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, self._axes, self.dilation)
        transposed = getattr(F, f"conv_transpose{self._axes}d")
        return transposed(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    _axes = 1


class ConvTranspose2d(_ConvTransposeNd):
    _axes = 2


class ConvTranspose3d(_ConvTransposeNd):
    _axes = 3
