"""PyTorch's attention with grouped heads, a float mask and a row that is masked altogether."""

import torch
import torch.nn.functional as F


def grouped_query_attention(query, key, value, bias):
    mask = torch.where(bias > -1, bias, float("-inf"))
    mask[0] = float("-inf")
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)


def get_inputs():
    return [torch.randn(2, 6, 5, 4), torch.randn(2, 2, 7, 4), torch.randn(2, 2, 7, 4), torch.randn(5, 7)]
