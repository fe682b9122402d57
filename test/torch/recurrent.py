# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers and cells: (statements, input types), as in table.py."""


def _layers(gates, states, kinds=("f32", "f64")):
    """Input, state and weights of one layer: x, y and z, w, u, v."""
    return [
        [kind + size + ("unit" if kind == "f16" else "") for size in ("[4,2,3]", states, f"[{5 * gates},3]", f"[{5 * gates},5]", f"[{5 * gates}]", f"[{5 * gates}]")]
        for kind in kinds
    ]


_PLAIN = "torch.{}(x, y, [z, w, u, v], True, 1, 0.0, False, False, {})"
_BIASLESS = "torch.{}(x, y, [z, w, u, v], False, 2, 0.0, True, False, False)"
_BOTH_WAYS = "torch.{}(x, y, [z, w, u, v], False, 1, 0.5, True, True, False)"
_LSTM_STATE = "(y, y * 0.5 + 1)"

RECURRENT = (
    [(_PLAIN.format("rnn_tanh", False), specs) for specs in _layers(1, "[1,2,5]")]
    + [(_PLAIN.format("rnn_relu", False), specs) for specs in _layers(1, "[1,2,5]")]
    + [(_PLAIN.format("gru", False), specs) for specs in _layers(3, "[1,2,5]")]
    + [(_PLAIN.format("gru", True), specs) for specs in _layers(3, "[1,4,5]")]
    + [(_PLAIN.format("lstm", False).replace("y", _LSTM_STATE, 1), specs) for specs in _layers(4, "[1,2,5]")]
    + [(_PLAIN.format("lstm", True).replace("y", _LSTM_STATE, 1), specs) for specs in _layers(4, "[1,4,5]", ["f32", "f16"])]
    + [
        (_BIASLESS.format("gru"), ["f32[4,2,3]", "f32[2,2,5]", "f32[15,3]", "f32[15,5]", "f32[15,5]", "f32[15,5]"]),
        (_BOTH_WAYS.format("gru"), ["f32[4,2,3]", "f32[2,2,5]", "f32[15,3]", "f32[15,5]", "f32[15,3]", "f32[15,5]"]),
        (_BOTH_WAYS.format("rnn_tanh"), ["f32[4,2,3]", "f32[2,2,5]", "f32[5,3]", "f32[5,5]", "f32[5,3]", "f32[5,5]"]),
        (
            "torch.lstm(x, (y, y), [z, w, u, v], False, 1, 0.0, False, True, False)",
            ["f32[3,2,3]", "f32[2,2,5]", "f32[20,3]", "f32[20,5]", "f32[20,3]", "f32[20,5]"],
        ),
        (
            "torch.lstm(x, (y, z), [w, u, v], False, 1, 0.0, False, False, False)",
            ["f32[3,2,3]", "f32[1,2,4]", "f32[1,2,5]", "f32[20,3]", "f32[20,4]", "f32[4,5]"],
        ),
        ("torch.gru(x, y, [z, w], False, 1, 0.0, False, False, False)", ["f32[1,1,3]", "f32[1,1,5]", "f32[15,3]", "f32[15,5]"]),
        ("torch.gru(x, y, [z, w], False, 1, 0.0, False, False, False)", ["f32[2,0,3]", "f32[1,0,5]", "f32[15,3]", "f32[15,5]"]),
        ("torch.gru(x, y, [z, w], False, 1, 0.0, False, False, False)", ["f32[2,3]", "f32[1,5]", "f32[15,3]", "f32[15,5]"]),
        ("torch.gru(x, y, [z, w], False, 1, 0.0, False, False, False)", ["f32[2,2,3]", "f64[1,2,5]", "f32[15,3]", "f32[15,5]"]),
    ]
    + [
        ("torch.rnn_tanh_cell(x, y, z, w, u, v)", ["f32[2,3]", "f32[2,5]", "f32[5,3]", "f32[5,5]", "f32[5]", "f32[5]"]),
        ("torch.rnn_relu_cell(x, y, z, w)", ["f64[2,3]", "f64[2,5]", "f64[5,3]", "f64[5,5]"]),
        ("torch.gru_cell(x, y, z, w, u, v)", ["f32[2,3]", "f32[2,5]", "f32[15,3]", "f32[15,5]", "f32[15]", "f32[15]"]),
        ("torch.gru_cell(x, y, z, w)", ["f16[2,3]", "f16[2,5]", "f16[15,3]", "f16[15,5]"]),
        ("torch.lstm_cell(x, (y, y + 1), z, w, u, v)", ["f32[2,3]", "f32[2,5]", "f32[20,3]", "f32[20,5]", "f32[20]", "f32[20]"]),
        ("torch.lstm_cell(x, [y, y + 1], z, w)", ["f64[2,3]", "f64[2,5]", "f64[20,3]", "f64[20,5]"]),
    ]
)
