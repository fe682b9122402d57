# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions for table.py: strides, paddings, dilations, groups and their spellings, plain and transposed."""

FLOATS = ["f32", "f64"]

# Of x [2,4,9], w [6,4,3] (as y), u [6] (as z).
LINES = """
F.conv1d(x, y) | F.conv1d(x, y, z) | F.conv1d(x, y, z, 2) | F.conv1d(x, y, z, stride=3, padding=1) | F.conv1d(x, y, None, 1, 2, 2) | F.conv1d(x, y, padding='same') | F.conv1d(x, y, padding='valid', stride=2) | F.conv1d(x, y, padding='same', dilation=3) | F.conv1d(x, y[:, :2], groups=2) | F.conv1d(x, y[:4, :1], z[:4], groups=4, stride=2, padding=1)
F.conv1d(x[0], y, z) | F.conv1d(x, y[:, :, :1]) | F.conv1d(x, y[:, :, :2], padding='same') | F.conv1d(x, y, padding='same', stride=2) | F.conv1d(x, y, stride=4, padding=3, dilation=2) | F.conv1d(x[:0], y) | F.conv1d(x[:, :, :2], y) | F.conv1d(x[:, :, :3], y) | torch.conv1d(x, y, z, (2,), [1], (1,), 1)
F.conv_transpose1d(x, y[:4]) | F.conv_transpose1d(x, y[:4], z[:4]) | F.conv_transpose1d(x, y[:4], z[:4], 2, 1, 1) | F.conv_transpose1d(x, y[:4], None, 3) | F.conv_transpose1d(x, y[:4], None, 2, 0, 0, 1, 2) | F.conv_transpose1d(x, y[:4], None, 4, 2, 1, 1, 2) | F.conv_transpose1d(x, y[:4], z[:4], 1, 2) | F.conv_transpose1d(x, y[:4, :2], groups=2, stride=2) | F.conv_transpose1d(x, y[:4, :1], groups=4, stride=3, dilation=2) | F.conv_transpose1d(x[0], y[:4], stride=2)
F.conv_transpose1d(x, y[:4], stride=2, output_padding=2, dilation=3) | F.conv_transpose1d(x, y[:4], stride=2, output_padding=2) | F.conv_transpose1d(x, y[:4, :, :1], stride=2) | F.conv_transpose1d(x, y[:4], stride=6, dilation=4, padding=3)
"""

# Of x [2,4,7,6] and y [6,2,3,2].
PLANES = """
F.conv2d(x, y, groups=2) | F.conv2d(x[:, :2], y) | F.conv2d(x[:, :2], y, y[:, 0, 0, 0], 2, 1) | F.conv2d(x[:, :2], y, stride=(2, 1), padding=(1, 0), dilation=(1, 2)) | F.conv2d(x[:, :2], y, padding='same') | F.conv2d(x[0, :2], y, stride=2) | F.conv2d(x, y[:4, :1], groups=4, padding=1)
F.conv_transpose2d(x, y[:4], stride=2, padding=1, output_padding=1) | F.conv_transpose2d(x, y[:4], y[0, :, 0, 0], (2, 3), (1, 0), (1, 2)) | F.conv_transpose2d(x, y[:4], stride=2, dilation=2, groups=2) | F.conv_transpose2d(x, y[:4, :1], groups=4, stride=2) | F.conv_transpose2d(x[0], y[:4])
"""

MODULES = """
nn.Conv2d(4, 6, 3, stride=2, padding=1)(x).shape[-1] * x | nn.Conv2d(4, 6, 3, padding=2, padding_mode='circular')(x).shape[2] * x | nn.Conv2d(4, 6, (3, 2), padding='same', padding_mode='reflect')(x).shape[2] * x | nn.ConvTranspose2d(4, 6, 3, 2)(x, output_size=(16, 14)).shape[2] * x | nn.Conv2d(4, 6, 3).weight.shape[1] * x
"""

OTHERS = [
    # What no tap reaches stays what it is beside infinities and NaN: holes between taps are no zeros to multiply by.
    ("F.conv_transpose1d(x, y, stride=3, dilation=4), F.conv_transpose1d(x, y, stride=2, dilation=3, padding=1)", ["f32[2,1,8]odd", "f32[1,2,N4]"]),
    ("F.conv_transpose2d(x, y, stride=(2, 3), dilation=(2, 1)), F.conv_transpose2d(x, y, stride=4, dilation=3)", ["f32[1,1,4,5]odd", "f32[1,2,3,2]"]),
    ("F.conv_transpose3d(x, y, stride=(3, 2, 2), dilation=(2, 3, 1), output_padding=1)", ["f32[1,1,2,3,4]odd", "f32[1,1,3,2,2]"]),
    ("F.conv1d(x, y, z, 2, 1), F.conv1d(x, y[:4, :1], groups=4)", ["f16[2,4,9]", "f16[6,4,3]", "f16[6]"]),
    ("F.conv2d(x, y, y[:, 0, 0, 0], padding=1)", ["bf16[2,2,7,6]", "bf16[6,2,3,2]"]),
    ("F.conv1d(x, y, groups=2)", ["f32[2,4,9]", "f32[5,2,3]"]),
    ("F.conv1d(x, y)", ["f16[2,4,9]", "bf16[6,4,3]"]),
    ("F.conv2d(x, y)", ["f32[2,4,7,6]", "f64[6,4,3,3]"]),
    ("F.conv2d(x, y)", ["f32[2,3,7,6]", "f32[6,4,3,3]"]),
    ("F.conv2d(x, y, z)", ["f32[2,4,7,6]", "f32[6,4,3,3]", "f32[5]"]),
    ("F.conv2d(x, y)", ["f32[4,6]", "f32[6,4,3,3]"]),
    ("F.conv2d(x, y, groups=4)", ["f32[2,4,7,6]", "f32[6,1,3,3]"]),
    ("F.conv1d(x, y, padding=1)", ["i64[2,4,7]", "i64[6,4,3]"]),
    ("F.conv1d(x, y, stride=0)", ["f32[2,4,7]", "f32[6,4,3]"]),
    ("F.conv3d(x, y, z, 2, 1)", ["f64[2,3,4,5,6]", "f64[4,3,3,2,3]", "f64[4]"]),
    ("F.conv3d(x, y, groups=3, dilation=(1, 2, 1))", ["f64[1,3,4,5,4]", "f64[6,1,2,3,2]"]),
    ("F.conv_transpose3d(x, y, z, 2, 1, 1)", ["f64[2,3,2,3,2]", "f64[3,4,3,2,3]", "f64[4]"]),
    ("F.conv_transpose1d(x, y)", ["i64[2,4,7]", "i64[4,6,3]"]),
    ("torch.conv_tbc(x, y, z, 1)", ["f64[7,2,4]", "f64[3,4,5]", "f64[5]"]),
    (
        "torch.convolution(x, y, None, [2], [1], [1], False, [0], 1), torch.convolution(x, y[:4], None, [2], [1], [1], True, [1], 1)",
        ["f64[2,4,7]", "f64[6,4,3]"],
    ),
    ("F.conv2d(F.pad(x, (1, 0, 2, 1)), y)", ["f64[2,3,4,5]", "f64[4,3,3,3]"]),
]


def entries():
    found = []
    for text in LINES.replace("\n", "|").split("|"):
        if text.strip():
            found += [(text.strip(), [dtype + "[2,4,9]", dtype + "[6,4,3]", dtype + "[6]"]) for dtype in FLOATS]
    for text in PLANES.replace("\n", "|").split("|"):
        if text.strip():
            found += [(text.strip(), [dtype + "[2,4,7,6]", dtype + "[6,2,3,2]"]) for dtype in FLOATS]
    for text in MODULES.replace("\n", "|").split("|"):
        if text.strip():
            found.append((text.strip(), ["f32[2,4,7,6]"]))
    return found + OTHERS
