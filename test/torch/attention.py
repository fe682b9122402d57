# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and what is built of it: (statements, input types), as in table.py."""

_KINDS = ["f32", "f64", "f16", "bf16"]

# Of a query, keys and values.
_CALLS = """
F.scaled_dot_product_attention(x, y, z)
F.scaled_dot_product_attention(x, y, z, is_causal=True)
F.scaled_dot_product_attention(x, y, z, scale=0.3)
F.scaled_dot_product_attention(x, y, z, scale=1)
F.scaled_dot_product_attention(x, y, z, None, 0.0, False)
F.scaled_dot_product_attention(x, y, z, dropout_p=1.0)
F.scaled_dot_product_attention(query=x, key=y, value=z, attn_mask=None, scale=-0.5)
""".strip().split("\n")

_MASKS = [
    ("F.scaled_dot_product_attention(x, y, z, w)", "bool[5,7]"),
    ("F.scaled_dot_product_attention(x, y, z, w)", "bool[2,1,5,7]"),
    ("F.scaled_dot_product_attention(x, y, z, w)", "bool[2,1,1,7]"),
    ("F.scaled_dot_product_attention(x, y, z, w > 0)", "f32[3,5,1]"),
    ("w = w.clone()\nw[1] = False\nF.scaled_dot_product_attention(x, y, z, w)", "bool[5,7]"),
    ("F.scaled_dot_product_attention(x, y, z, w, scale=0.7)", "f32[5,7]"),
    ("F.scaled_dot_product_attention(x, y, z, w)", "f32[2,3,5,7]"),
    ("F.scaled_dot_product_attention(x, y, z, attn_mask=torch.log(w.clamp(min=0)))", "f32[5,7]"),
    ("m = w.masked_fill(w < 0, float('-inf'))\nm[2] = float('-inf')\nF.scaled_dot_product_attention(x, y, z, m)", "f32[5,7]"),
    ("F.scaled_dot_product_attention(x, y, z, w, dropout_p=0.0)", "f32[3,1,1]"),
]

_SDPA = ["[2,3,5,4]", "[2,3,7,4]", "[2,3,7,6]"]

# Many heads: query, keys or values, the matrices and biases of the projections.
_HEADS = "F.multi_head_attention_forward(x, y, y, 8, 2, z, w, None, None, False, 0.0, u, v"
_OWN = "F.multi_head_attention_forward(x, x, x, 8, 2, z, w, None, None, False, 0.0, u, v"
_WEIGHTS = ["f32[24,8]", "f32[24]", "f32[8,8]", "f32[8]"]
_CROSS = ["f32[5,2,8]", "f32[7,2,8]"] + _WEIGHTS

ATTENTION = (
    [(text, [kind + size for size in _SDPA]) for text in _CALLS for kind in _KINDS]
    + [(text, ["f32" + size for size in _SDPA] + [mask]) for text, mask in _MASKS]
    + [(_MASKS[place][0], [kind + size for size in _SDPA] + ["bool[5,7]"]) for place in (0, 4) for kind in ("f16", "f64")]
    + [
        ("F.scaled_dot_product_attention(x, y, z, w)", ["f16[2,5,4]", "f16[2,7,4]", "f16[2,7,6]", "f16[5,7]"]),
        ("F.scaled_dot_product_attention(x, y, z, w)", ["bf16[2,5,4]", "bf16[2,7,4]", "bf16[2,7,6]", "f32[5,7]"]),
        ("F.scaled_dot_product_attention(x, y, z, w)", ["f32[2,5,4]", "f32[2,7,4]", "f32[2,7,6]", "f64[5,7]"]),
        ("F.scaled_dot_product_attention(x, y, z, w)", ["f32[2,5,4]", "f32[2,7,4]", "f32[2,7,6]", "i64[5,7]"]),
        ("F.scaled_dot_product_attention(x, x, x)", ["f32[5,4]"]),
        ("F.scaled_dot_product_attention(x, x, x, is_causal=True)", ["f32[6,4]"]),
        ("F.scaled_dot_product_attention(x, y, y, is_causal=True)", ["f32[2,7,4]", "f32[2,5,4]"]),
        ("F.scaled_dot_product_attention(x, y, y, scale=0.5)", ["f32[2,2,3,5,4]", "f32[2,2,3,7,4]"]),
        ("F.scaled_dot_product_attention(x, y, z)", ["f32[2,3,5,4]", "f32[1,1,7,4]", "f32[1,3,7,4]"]),
        ("F.scaled_dot_product_attention(x, y, z)", ["f32[3,5,4]", "f32[2,3,7,4]", "f32[3,7,4]"]),
        ("F.scaled_dot_product_attention(x, y, y)", ["f32[2,5,4]", "f32[2,0,4]"]),
        ("F.scaled_dot_product_attention(x, y, y)", ["f32[2,0,4]", "f32[2,3,4]"]),
        ("F.scaled_dot_product_attention(x, y, y)", ["f32[2,1,4]", "f32[2,1,4]"]),
        ("F.scaled_dot_product_attention(x, y, z, enable_gqa=True)", ["f32[2,6,5,4]", "f32[2,2,7,4]", "f32[2,2,7,3]"]),
        ("F.scaled_dot_product_attention(x, y, y, enable_gqa=True, is_causal=True)", ["f16[2,8,5,4]", "f16[2,1,7,4]"]),
        ("F.scaled_dot_product_attention(x, y, y, w, enable_gqa=True)", ["f32[2,4,5,4]", "f32[2,4,7,4]", "f32[2,4,7,4]", "bool[4,5,7]"]),
        ("F.scaled_dot_product_attention(x, y, y, enable_gqa=True)", ["f32[2,6,5,4]", "f32[2,4,7,4]"]),
        ("F.scaled_dot_product_attention(x, x, x)", ["f32[4]"]),
        ("F.scaled_dot_product_attention(x, y, y)", ["f32[2,5,4]", "f64[2,7,4]"]),
        ("F.scaled_dot_product_attention(x, y, y)", ["f32[2,5,4]", "f32[2,7,3]"]),
        ("F.scaled_dot_product_attention(x, y, z)", ["f32[2,5,4]", "f32[2,7,4]", "f32[2,6,4]"]),
        ("F.scaled_dot_product_attention(x, x, x, y, is_causal=True)", ["f32[5,4]", "bool[5,5]"]),
        ("F.scaled_dot_product_attention(x, x, x, dropout_p=1.5)", ["f32[5,4]"]),
        (
            "from torch.nn.attention import SDPBackend, sdpa_kernel\nwith sdpa_kernel(SDPBackend.MATH):\n    y = F.scaled_dot_product_attention(x, x, x)\ny",
            ["f32[2,5,4]"],
        ),
        ("torch._safe_softmax(x, -1), torch._safe_softmax(torch.where(x < 1, float('-inf'), x), 0)", ["f32[3,4]"]),
        (_HEADS + ")", _CROSS),
        (_HEADS + ", need_weights=False)", _CROSS),
        (_HEADS + ", average_attn_weights=False)", _CROSS),
        (_HEADS + ", training=False, attn_mask=x[:, 0, :7])", _CROSS),
        (_HEADS + ", need_weights=False, attn_mask=x[:, 0, :7] > 2)", _CROSS),
        (_HEADS + ", attn_mask=x[:, :, :4].reshape(4, 5, -1)[:, :, :1].expand(4, 5, 7))", ["f32[5,2,8]", "f32[7,2,8]"] + _WEIGHTS),
        (_HEADS + ", key_padding_mask=y[:, :, 0].t() > 2)", _CROSS),
        (_HEADS + ", need_weights=False, key_padding_mask=y[:, :, 0].t())", _CROSS),
        (_HEADS + ", need_weights=False, key_padding_mask=y[:, :, 0].t() > 2, attn_mask=x[:, 0, :7])", _CROSS),
        (_HEADS + ", key_padding_mask=y[:, :, 0].t() > 2, attn_mask=(x[:, 0, :7] > 3).expand(4, 5, 7))", _CROSS),
        (_HEADS + ", attn_mask=y[:, 0, :7] > 9)", _CROSS),
        (_HEADS + ", is_causal=True)", _CROSS),
        (_HEADS + ", need_weights=False, is_causal=True, attn_mask=x[:, 0, :7])", _CROSS),
        (_HEADS + ", is_causal=True, attn_mask=x[:, 0, :7])", _CROSS),
        (_OWN + ")", ["f32[5,2,8]", "f32[1]"] + _WEIGHTS),
        (_OWN + ", need_weights=False)", ["f16[5,2,8]unit", "f16[1]"] + [spec.replace("f32", "f16") + "unit" for spec in _WEIGHTS]),
        (_OWN + ")", ["f32[5,8]", "f32[1]"] + _WEIGHTS),
        (_OWN + ", need_weights=False, key_padding_mask=x[:, 0] > 2)", ["f32[5,8]", "f32[1]"] + _WEIGHTS),
        (_OWN + ", key_padding_mask=x[:, 0])", ["f32[5,2,8]", "f32[1]"] + _WEIGHTS),
        (_OWN.replace("8, 2, z", "8, 3, z") + ")", ["f32[5,2,8]", "f32[1]"] + _WEIGHTS),
        (_OWN.replace("8, 2, z", "6, 2, z") + ")", ["f32[5,2,8]", "f32[1]"] + _WEIGHTS),
        (
            "F.multi_head_attention_forward(x, y, x[:1].expand(7, -1, -1), 8, 4, z, None, w, u, True, 0.0, v, None)",
            ["f32[5,2,8]", "f32[7,2,8]", "f32[24,8]", "f32[1,1,8]", "f32[1,1,8]", "f32[8,8]"],
        ),
        (
            "F.multi_head_attention_forward(x, x, x, 8, 4, z, None, w, u, True, 0.0, v, None, need_weights=False, attn_mask=x[:, 0, :5], key_padding_mask=x[:, :, 1].t() > 3)",
            ["f32[5,2,8]", "f32[1]", "f32[24,8]", "f32[1,1,8]", "f32[1,1,8]", "f32[8,8]"],
        ),
        (
            "F.multi_head_attention_forward(x, y, z, 4, 2, None, None, None, None, False, 0.0, w, None, use_separate_proj_weight=True, q_proj_weight=w, k_proj_weight=u, v_proj_weight=v)",
            ["f32[5,2,4]", "f32[7,2,3]", "f32[7,2,6]", "f32[4,4]", "f32[4,3]", "f32[4,6]"],
        ),
        (
            "F.multi_head_attention_forward(x, x, x, 4, 2, y, None, None, None, False, 0.0, z, None, static_k=w, static_v=u)",
            ["f32[5,2,4]", "f32[12,4]", "f32[4,4]", "f32[4,7,2]", "f32[4,7,2]"],
        ),
    ]
)
