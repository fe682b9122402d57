"""nn.Transformer from one sequence to another, with masks of padding, normalised first."""

import torch
from torch import nn


class Seq2SeqTransformer(nn.Module):
    def __init__(self, emb_size=8, nhead=2, vocab=9):
        super().__init__()
        self.transformer = nn.Transformer(emb_size, nhead, 1, 2, 12, 0.1, "gelu", batch_first=True, norm_first=True)
        self.generator = nn.Linear(emb_size, vocab)
        self.tok_emb = nn.Embedding(vocab, emb_size)

    def forward(self, src, tgt):
        tgt_mask = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1])
        src_padding_mask = src == 0
        outs = self.transformer(
            self.tok_emb(src),
            self.tok_emb(tgt),
            tgt_mask=tgt_mask,
            src_key_padding_mask=src_padding_mask,
            memory_key_padding_mask=src_padding_mask,
            tgt_is_causal=True,
        )
        return self.generator(outs)


def get_inputs():
    return [torch.tensor([[3, 4, 5, 0], [1, 2, 8, 7]]), torch.randint(0, 9, (2, 3))]
