"""A bidirectional LSTM with a conditional random field on top (Lample et al., 2016): its loss, and its best tags' score."""

import torch
from torch import nn


class CRF(nn.Module):
    def __init__(self, num_tags):
        super().__init__()
        self.num_tags = num_tags
        self.start_transitions = nn.Parameter(torch.empty(num_tags))
        self.end_transitions = nn.Parameter(torch.empty(num_tags))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.uniform_(self.start_transitions, -0.1, 0.1)
        nn.init.uniform_(self.end_transitions, -0.1, 0.1)
        nn.init.uniform_(self.transitions, -0.1, 0.1)

    def forward(self, emissions, tags, mask):
        numerator = self._compute_score(emissions, tags, mask)
        denominator = self._compute_normalizer(emissions, mask)
        return numerator - denominator

    def _compute_score(self, emissions, tags, mask):
        # emissions: (seq_length, batch_size, num_tags); tags, mask: (seq_length, batch_size)
        mask = mask.to(emissions.dtype)
        local = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        steps = self.transitions[tags[:-1], tags[1:]]
        score = self.start_transitions[tags[0]] + local[0]
        score = score + ((steps + local[1:]) * mask[1:]).sum(dim=0)
        seq_ends = mask.long().sum(dim=0) - 1
        last_tags = tags.gather(0, seq_ends.unsqueeze(0)).squeeze(0)
        return score + self.end_transitions[last_tags]

    def _compute_normalizer(self, emissions, mask):
        seq_length = emissions.size(0)
        score = self.start_transitions + emissions[0]
        for i in range(1, seq_length):
            broadcast_score = score.unsqueeze(2)
            broadcast_emissions = emissions[i].unsqueeze(1)
            next_score = broadcast_score + self.transitions + broadcast_emissions
            next_score = torch.logsumexp(next_score, dim=1)
            score = torch.where(mask[i].unsqueeze(1), next_score, score)
        score = score + self.end_transitions
        return torch.logsumexp(score, dim=1)

    def best_score(self, emissions, mask):
        score = self.start_transitions + emissions[0]
        for i in range(1, emissions.size(0)):
            next_score = score.unsqueeze(2) + self.transitions + emissions[i].unsqueeze(1)
            next_score, _ = next_score.max(dim=1)
            score = torch.where(mask[i].unsqueeze(1), next_score, score)
        return (score + self.end_transitions).max(dim=1).values


class BiLSTMCRF(nn.Module):
    def __init__(self, vocab_size=20000, embedding_dim=100, hidden_dim=200, num_tags=17, dropout=0.5):
        super().__init__()
        self.word_embeds = nn.Embedding(vocab_size, embedding_dim)
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim // 2, num_layers=1, bidirectional=True)
        self.hidden2tag = nn.Linear(hidden_dim, num_tags)
        self.crf = CRF(num_tags)

    def forward(self, sentences, tags, mask):
        embeds = self.dropout(self.word_embeds(sentences))
        lstm_out, _ = self.lstm(embeds)
        emissions = self.hidden2tag(lstm_out)
        log_likelihood = self.crf(emissions, tags, mask)
        return -log_likelihood.mean(), self.crf.best_score(emissions, mask)


def get_tagged_inputs(length, batch, words, tags):
    lengths = torch.randint(1, length + 1, (batch,))
    mask = torch.arange(length)[:, None] < lengths
    return [torch.randint(0, words, (length, batch)), torch.randint(0, tags, (length, batch)), mask]


def get_inputs():
    return get_tagged_inputs(128, 32, 20000, 17)


def get_init_inputs():
    return []


def get_small_inputs():
    return get_tagged_inputs(5, 3, 11, 4)


def get_small_init_inputs():
    return [11, 5, 8, 4, 0.0]
