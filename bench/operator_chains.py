# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of a convolution or a product and a few operators, as public benchmarks of kernels have them, at their sizes.

`CHAINS` maps names to an expression and the sizes of what it reads, as `PROGRAMS` of gpu_operators.py.
"""


def convolution(batch, channels, filters, *sizes, size=3):
    """An image, the filters and their bias."""
    return {"x": (batch, channels, *sizes), "w": (filters, channels, *[size] * len(sizes)), "c": (filters,)}


def transposed(batch, channels, filters, *sizes, size=3):
    """An image, the filters of a transposed convolution and their bias."""
    return {"x": (batch, channels, *sizes), "w": (channels, filters, *[size] * len(sizes)), "c": (filters,)}


def linear(rows, inputs, outputs):
    return {"x": (rows, inputs), "w": (outputs, inputs), "c": (outputs,)}


def normed(sizes, channels):
    """The same with the factors and shifts of a norm."""
    return {**sizes, "g": (channels,), "h": (channels,)}


UPSAMPLED_2D = "F.conv_transpose2d(x, w, c, stride=2, padding=1, output_padding=1)"
UPSAMPLED_3D = "F.conv_transpose3d(x, w, c, stride=2, padding=1, output_padding=1)"
HALVED_3D = "F.conv_transpose3d(x, w, c, stride=2, padding=1)"
BATCH_NORM = "F.batch_norm({}, None, None, g, h, training=True)"

CHAINS = {
    "t2_clamps": (
        f"torch.clamp(torch.clamp({UPSAMPLED_2D} + d, 0.0, 1.0) * 2.0, 0.0, 1.0) / 2.0",
        {**transposed(128, 64, 64, 128, 128), "d": (64, 1, 1)},
    ),
    "t2_subtract_tanh": (
        f"torch.tanh({UPSAMPLED_2D} - d)",
        {**transposed(32, 64, 64, 256, 256, size=4), "d": (64, 1, 1)},
    ),
    "t2_pool_mean": (
        "torch.tanh(F.hardtanh(F.max_pool2d(F.conv_transpose2d(x, w, c, padding=1), 2)).mean(dim=(2, 3), keepdim=True))",
        transposed(64, 64, 64, 256, 256),
    ),
    "t2_norm_pool_norm": (
        f"F.group_norm(F.max_pool2d(torch.tanh({BATCH_NORM.format('F.conv_transpose2d(x, w, c, padding=1)')}), 2), 8, g, h)",
        normed(transposed(256, 64, 128, 32, 32, size=5), 128),
    ),
    "t2_mish_scale": (
        f"F.hardtanh(F.mish({UPSAMPLED_2D}) + 0.5) * 2",
        transposed(128, 64, 64, 128, 128),
    ),
    "t2_gelu_group_norm": (
        "F.group_norm(F.gelu(F.conv_transpose2d(x, w, c)), 8, g, h)",
        normed(transposed(64, 64, 64, 256, 256), 64),
    ),
    "t2_min_sum": (
        f"F.gelu({UPSAMPLED_2D}.amin(1, keepdim=True).sum(2, keepdim=True)) + d",
        {**transposed(16, 64, 128, 128, 128), "d": (1, 1, 1)},
    ),
    "t2_mean_mean": (
        f"({UPSAMPLED_2D} * 0.5).mean(dim=(2, 3), keepdim=True).mean(dim=(2, 3), keepdim=True).mean()",
        transposed(16, 64, 128, 128, 128),
    ),
    "t2_softmax_sigmoid": (
        "torch.sigmoid((torch.softmax("
        "F.conv_transpose2d(x, w, c, stride=2, padding=1, output_padding=1), dim=1) + d) * 2.0)",
        {**transposed(128, 64, 128, 64, 64, size=4), "d": (128, 1, 1)},
    ),
    "t3_layer_norm_pool": (
        f"F.gelu(F.avg_pool3d(F.layer_norm({UPSAMPLED_3D} + d, (64,), g, h), 2))",
        {**normed(transposed(32, 32, 64, 16, 32, 32), 64), "d": (1,)},
    ),
    "t3_mean_softmax": (
        "torch.tanh(torch.softmax(F.conv_transpose3d(x, w, c, padding=1).mean(1, keepdim=True) + d, dim=1)) * 2.0",
        {**transposed(16, 16, 64, 32, 128, 128), "d": (1, 1, 1, 1)},
    ),
    "t3_batch_norm_subtract": (
        f"(lambda y: y - y.mean(dim=(2, 3, 4), keepdim=True))({BATCH_NORM.format(HALVED_3D)})",
        normed(transposed(16, 16, 32, 16, 32, 32), 32),
    ),
    "t3_residual": (
        f"(lambda y: ((y + d) + y) * y + y)({UPSAMPLED_3D})",
        {**transposed(16, 32, 64, 16, 32, 32), "d": (64, 1, 1, 1)},
    ),
    "t3_add_hardswish": (
        f"(lambda y: y * F.hardswish(y))({UPSAMPLED_3D} + a)",
        {**transposed(128, 32, 64, 16, 16, 16), "a": (128, 64, 32, 32, 32)},
    ),
    "t3_layer_norm_gelu": (
        "F.gelu(F.layer_norm(F.conv_transpose3d(x, w, c, stride=2, padding=1), (64,), g, h)) * 1.5",
        normed(transposed(32, 32, 64, 16, 32, 32, size=4), 64),
    ),
    "t3_pool_softmax": (
        "(lambda y: torch.softmax(torch.clamp(y, 0.0, 1.0).flatten(2), dim=2).view_as(y) * d)"
        "(F.conv_transpose3d(F.avg_pool3d(x, 2), w, c, stride=2, padding=1, output_padding=1))",
        {**transposed(32, 32, 64, 32, 64, 64), "d": (1, 64, 1, 1, 1)},
    ),
    "t3_softmax_sigmoid": (f"torch.sigmoid(torch.softmax({UPSAMPLED_3D}, dim=1))", transposed(16, 32, 64, 16, 32, 32)),
    "t3_scale_pool": (
        f"(F.avg_pool3d({HALVED_3D} * 0.5, 2) + d) * p",
        {**transposed(128, 3, 16, 16, 32, 32), "d": (16, 1, 1, 1), "p": (1,)},
    ),
    "t3_logsumexp": (
        f"(lambda y: torch.clamp(y * torch.sigmoid(y + 3) / 6 - d, -1, 1))(torch.logsumexp({HALVED_3D}, 1, keepdim=True))",
        {**transposed(128, 3, 16, 16, 32, 32), "d": (1, 1, 1, 1)},
    ),
    "t3_relu_group_norm": (
        "F.group_norm(torch.relu(F.conv_transpose3d(x, w, c)), 8, g, h)",
        normed(transposed(16, 64, 128, 32, 32, 32), 128),
    ),
    "t3_batch_norm_pools": (
        f"F.avg_pool3d(F.avg_pool3d({BATCH_NORM.format(HALVED_3D)}, 2), 2)",
        normed(transposed(64, 3, 16, 32, 32, 32), 16),
    ),
    "t3_leaky_max": (
        f"F.max_pool3d(F.leaky_relu(F.leaky_relu({UPSAMPLED_3D}, 0.2) * d, 0.2), 2)",
        {**transposed(16, 16, 32, 16, 32, 32), "d": (32, 1, 1, 1)},
    ),
    "t3_norm_mean": (
        f"{BATCH_NORM.format('F.conv_transpose3d(x, w, c) * 2.0')}.mean(dim=(2, 3, 4), keepdim=True)",
        normed(transposed(16, 64, 128, 16, 32, 32, size=5), 128),
    ),
    "t3_pool_swish_max": (
        f"(lambda y: torch.max(torch.sigmoid(y - d) * (y - d), dim=1)[0])"
        f"(torch.softmax(F.max_pool3d({UPSAMPLED_3D}, 2), dim=1))",
        {**transposed(128, 3, 16, 16, 32, 32), "d": (16, 1, 1, 1)},
    ),
    "t3_max_mean_clamp": (
        f"torch.clamp(F.max_pool3d({HALVED_3D} * 0.5, 2).mean(dim=(2, 3, 4), keepdim=True), 0, 1)",
        transposed(128, 3, 16, 16, 32, 32),
    ),
    "t3_clamp_divide": (f"torch.clamp({HALVED_3D}, min=-1.0) / 2.0", transposed(16, 64, 128, 24, 48, 48)),
    "c2_group_norm": (
        "F.group_norm(torch.sigmoid((F.conv2d(x, w, c) + d) * p), 8, g, h)",
        {**normed(convolution(128, 8, 32, 256, 256), 32), "d": (32, 1, 1), "p": (32, 1, 1)},
    ),
    "c2_scale_min": ("torch.min(F.conv2d(x, w, c) * 2.0, dim=1, keepdim=True)[0]", convolution(64, 64, 128, 256, 256)),
    "c2_pool_sum": (
        "torch.sigmoid(F.avg_pool2d(F.conv2d(x, w, c), 4)).sum(dim=(1, 2, 3))",
        convolution(128, 8, 64, 384, 384),
    ),
    "c2_batch_norm": (
        f"{BATCH_NORM.format('(lambda y: torch.tanh(F.softplus(y)) * y)(F.conv2d(x, w, c))')}",
        normed(convolution(64, 64, 128, 128, 128), 128),
    ),
    "c2_norm_scale": (f"{BATCH_NORM.format('F.conv2d(x, w, c)')} * 2.0", normed(convolution(128, 8, 64, 128, 128), 64)),
    "c2_tanh_pool": (
        "F.max_pool2d(torch.tanh(F.conv2d(x, w, c)) * 2.0 + d, 4)",
        {**convolution(128, 8, 64, 256, 256), "d": (64, 1, 1)},
    ),
    "c2_norm_act_logsumexp": (
        "(lambda y: torch.logsumexp(y + F.hardswish(torch.tanh(F.group_norm(y, 16, g, h))), 1, keepdim=True))"
        "(F.conv2d(x, w, c))",
        normed(convolution(128, 8, 64, 128, 128), 64),
    ),
    "c2_norm_pool_clamp": (
        "torch.clamp(F.max_pool2d(F.group_norm(F.conv2d(x, w, c), 16, g, h) * d, 4), 0.0, 1.0)",
        {**normed(convolution(128, 8, 64, 128, 128), 64), "d": (64, 1, 1)},
    ),
    "c2_gelu_mean": ("F.gelu(F.conv2d(x, w, c)).mean(dim=(2, 3))", convolution(128, 8, 64, 256, 256)),
    "c3_activations": (
        "torch.sigmoid(F.gelu(F.leaky_relu(torch.relu(F.conv3d(x, w, c))))) + d",
        {**convolution(64, 8, 32, 32, 64, 64), "d": (32, 1, 1, 1)},
    ),
    "c3_divide_pools": (
        "(F.max_pool3d(F.conv3d(x, w, c) / 2.0, 2).mean(dim=(2, 3, 4), keepdim=True) + d).sum(1)",
        {**convolution(128, 8, 16, 16, 64, 64), "d": (16, 1, 1, 1)},
    ),
    "c3_min_softmax": (
        "torch.softmax(F.conv3d(x, w, c).amin(2), dim=1)",
        convolution(128, 3, 24, 24, 32, 32),
    ),
    "c3_norm_mean": (
        "F.group_norm(F.hardswish(F.conv3d(x, w, c)), 4, g, h).mean(dim=(2, 3, 4))",
        normed(convolution(1024, 3, 16, 16, 32, 32, size=4), 16),
    ),
    "c3_logsumexp": (
        "torch.relu(torch.logsumexp(F.max_pool3d(F.conv3d(x, w, c, padding=1), 2), 1, keepdim=True))",
        convolution(4, 32, 64, 32, 128, 128),
    ),
    "c3_norm_min": (
        "(lambda y: F.dropout(torch.clamp(torch.min(y, torch.tensor(0.0, device=y.device)), 0.0, 1.0), 0.2, False))"
        "(F.group_norm(F.conv3d(x, w, c), 8, g, h))",
        normed(convolution(128, 3, 16, 16, 64, 64), 16),
    ),
    "linear_batch_norm": (
        f"torch.relu(F.gelu({BATCH_NORM.format('F.linear(x, w, c)')}))",
        normed(linear(16384, 4096, 4096), 4096),
    ),
    "linear_swish_group_norm": (
        "F.group_norm(torch.sigmoid(F.linear(x, w, c)) * F.linear(x, w, c) + d, 64, g, h)",
        {**normed(linear(32768, 1024, 4096), 4096), "d": (4096,)},
    ),
    "linear_pool_sum": (
        "F.max_pool1d(F.linear(x, w, c)[:, None], 2)[:, 0].sum(1) * 0.5",
        linear(128, 32768, 32768),
    ),
    "linear_norm_min": (
        "F.group_norm(F.linear(x, w, c), 512, g, h).amin(1, keepdim=True) + d",
        {**normed(linear(1024, 8192, 8192), 8192), "d": (1, 8192, 1, 1)},
    ),
    "linear_sigmoid_linear": (
        "torch.logsumexp(F.linear(torch.sigmoid(F.linear(x, w, c)), p, d), 1)",
        {**linear(16384, 2048, 4096), "p": (1024, 4096), "d": (1024,)},
    ),
    "linear_residual": ("(lambda y: y * 0.5 + y)(F.linear(x, w, c))", linear(16384, 4096, 4096)),
    "linear_dropout_softmax": ("torch.softmax(F.dropout(F.linear(x, w, c), 0.2, False), 1)", linear(128, 16384, 16384)),
    "linear_norm_swish": (
        f"(lambda y: y * torch.sigmoid(y))(({BATCH_NORM.format('F.linear(x, w, c)')} + d) / 1.0)",
        {**normed(linear(1024, 8192, 8192), 8192), "d": (1,)},
    ),
}
