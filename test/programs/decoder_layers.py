"""The library's decoder layers with a memory, norms first, and a final norm."""

import torch
from torch import nn


class Captioner(nn.Module):
    def __init__(self, vocab=9, dim=8, heads=2, layers=2, features=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.project = nn.Linear(features, dim)
        layer = nn.TransformerDecoderLayer(
            dim, heads, dim_feedforward=12, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.decoder = nn.TransformerDecoder(layer, num_layers=layers, norm=nn.LayerNorm(dim))
        self.head = nn.Linear(dim, vocab)

    def forward(self, tokens, image):
        memory = self.project(image)
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.head(self.decoder(self.embed(tokens), memory, tgt_mask=mask))


def get_inputs():
    return [torch.randint(0, 9, (2, 4)), torch.randn(2, 5, 6)]
