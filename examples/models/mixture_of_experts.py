"""A mixture of experts in which every token passes every expert and the router weighs the results (Mixtral's sizes)."""

import torch
from torch import nn
from torch.nn import functional as F


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class MoE(nn.Module):
    def __init__(self, dim=1024, hidden=3584, num_experts=8, top_k=2):
        super().__init__()
        self.num_experts = num_experts
        self.top_k = top_k
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList([Expert(dim, hidden) for _ in range(num_experts)])

    def forward(self, hidden_states):
        batch_size, sequence_length, hidden_dim = hidden_states.shape
        hidden_states = hidden_states.view(-1, hidden_dim)
        router_logits = self.gate(hidden_states)

        routing_weights = F.softmax(router_logits, dim=1, dtype=torch.float)
        routing_weights, selected_experts = torch.topk(routing_weights, self.top_k, dim=-1)
        routing_weights = routing_weights / routing_weights.sum(dim=-1, keepdim=True)
        routing_weights = routing_weights.to(hidden_states.dtype)

        expert_mask = F.one_hot(selected_experts, num_classes=self.num_experts).to(hidden_states.dtype)
        weights = (expert_mask * routing_weights.unsqueeze(-1)).sum(dim=1)

        final_hidden_states = torch.zeros_like(hidden_states)
        for i, expert in enumerate(self.experts):
            final_hidden_states = final_hidden_states + weights[:, i, None] * expert(hidden_states)

        # The share of tokens times the mean probability of each expert: the loss that balances them.
        probabilities = F.softmax(router_logits, dim=1, dtype=torch.float)
        tokens_per_expert = expert_mask.float().sum(dim=1).mean(dim=0)
        aux_loss = self.num_experts * torch.sum(tokens_per_expert * probabilities.mean(dim=0))
        return final_hidden_states.reshape(batch_size, sequence_length, hidden_dim), aux_loss


def get_inputs():
    return [torch.randn(2, 1024, 1024)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 5, 8)]


def get_small_init_inputs():
    return [8, 12, 4, 2]
