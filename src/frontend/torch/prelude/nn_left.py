# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn: modules of operators that can only be left to PyTorch (kept.py)."""


class _Left(nn.Module):
    def __init__(self, operator):
        super().__init__()
        self._is_left = prims.is_left(operator, "torch.nn." + type(self).__name__)

    # Parameters are arguments of a converted program: their first values do not matter.
    def reset_parameters(self):
        pass

    def forward(self, *inputs, **options):
        return self._compute(*inputs, **options) if self._is_left else prims.poison()


def _sizes(value, count):
    return (value,) * count if isinstance(value, int) else tuple(value)


class _Conv(_Left):
    def __init__(self, count, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(f"conv{count}d")
        if padding_mode != "zeros":
            prims.refuse(f"padding_mode='{padding_mode}' of a convolution is not supported", "pad the input with F.pad before it")
        if in_channels % groups or out_channels % groups:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _sizes(kernel_size, count)
        self.stride = _sizes(stride, count)
        self.padding = padding if isinstance(padding, str) else _sizes(padding, count)
        self.dilation = _sizes(dilation, count)
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = nn.Parameter(torch.empty((out_channels, in_channels // groups) + self.kernel_size, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(out_channels, dtype=dtype)) if bias else None
        self.reset_parameters()


class Conv1d(_Conv):
    def __init__(self, *arguments, **options):
        super().__init__(1, *arguments, **options)

    def _compute(self, input):
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv):
    def __init__(self, *arguments, **options):
        super().__init__(2, *arguments, **options)

    def _compute(self, input):
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv3d(_Conv):
    def __init__(self, *arguments, **options):
        super().__init__(3, *arguments, **options)

    def _compute(self, input):
        return F.conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTranspose(_Left):
    def __init__(self, count, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(f"conv_transpose{count}d")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _sizes(kernel_size, count)
        self.stride = _sizes(stride, count)
        self.padding = _sizes(padding, count)
        self.output_padding = _sizes(output_padding, count)
        self.groups = groups
        self.dilation = _sizes(dilation, count)
        self.weight = nn.Parameter(torch.empty((in_channels, out_channels // groups) + self.kernel_size, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(out_channels, dtype=dtype)) if bias else None
        self.reset_parameters()

    def _transpose(self, function, input):
        return function(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


class ConvTranspose1d(_ConvTranspose):
    def __init__(self, *arguments, **options):
        super().__init__(1, *arguments, **options)

    def _compute(self, input):
        return self._transpose(F.conv_transpose1d, input)


class ConvTranspose2d(_ConvTranspose):
    def __init__(self, *arguments, **options):
        super().__init__(2, *arguments, **options)

    def _compute(self, input):
        return self._transpose(F.conv_transpose2d, input)


class ConvTranspose3d(_ConvTranspose):
    def __init__(self, *arguments, **options):
        super().__init__(3, *arguments, **options)

    def _compute(self, input):
        return self._transpose(F.conv_transpose3d, input)
