"""Embeddings of words, positions and segments, summed and normalised, in bfloat16."""
# surveyed: bert_embedding_norm

import torch
from torch import nn


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, hidden_size, positions, types=2, eps=1e-12):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=0, dtype=torch.bfloat16)
        self.position_embeddings = nn.Embedding(positions, hidden_size, dtype=torch.bfloat16)
        self.token_type_embeddings = nn.Embedding(types, hidden_size, dtype=torch.bfloat16)
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=eps, dtype=torch.bfloat16)
        self.register_buffer("position_ids", torch.arange(positions).expand((1, -1)))

    def forward(self, input_ids, token_type_ids):
        seq_length = input_ids.shape[1]
        position_ids = self.position_ids[:, :seq_length]
        embeddings = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        embeddings = embeddings + self.position_embeddings(position_ids)
        return self.LayerNorm(embeddings)


def get_inputs():
    shape = (600, 500)
    return [torch.randint(0, 30522, shape), torch.randint(0, 2, shape)]


def get_init_inputs():
    return [30522, 1024, 512]
