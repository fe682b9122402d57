"""BERT input embeddings: word, position and segment rows added, then layer norm."""

import torch
import torch.nn.functional as F


def bert_embedding_norm(input_ids, token_type_ids, word_weight, pos_weight, type_weight, gamma, beta):
    seq_len = input_ids.shape[1]
    position_ids = torch.arange(seq_len, device=input_ids.device).unsqueeze(0)
    words = F.embedding(input_ids, word_weight, padding_idx=0)
    positions = F.embedding(position_ids, pos_weight)
    types = F.embedding(token_type_ids, type_weight)
    x = words + types + positions
    mean = x.mean(-1, keepdim=True)
    var = (x - mean).pow(2).mean(-1, keepdim=True)
    x = (x - mean) / torch.sqrt(var + 1e-12)
    return gamma * x + beta


def get_inputs():
    return [
        torch.randint(0, 30522, (64, 384)),
        torch.randint(0, 2, (64, 384)),
        torch.randn(30522, 768) * 0.02,
        torch.randn(512, 768) * 0.02,
        torch.randn(2, 768) * 0.02,
        torch.rand(768) + 0.5,
        torch.randn(768) * 0.1,
    ]
