"""Sentence embeddings by the mean of tokens."""

import torch
import torch.nn.functional as F


def mean_pooling(token_embeddings, attention_mask):
    input_mask_expanded = attention_mask.unsqueeze(-1).expand(token_embeddings.size()).float()
    sum_embeddings = torch.sum(token_embeddings * input_mask_expanded, 1)
    sum_mask = torch.clamp(input_mask_expanded.sum(1), min=1e-9)
    return F.normalize(sum_embeddings / sum_mask, p=2, dim=1)


def get_inputs():
    return [torch.randn(3, 7, 16), torch.randint(0, 2, (3, 7))]
