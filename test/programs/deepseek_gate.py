"""DeepSeek's grouped gate with a correction bias."""

import torch
import torch.nn as nn


class MoEGate(nn.Module):
    def __init__(
        self, n_routed_experts=8, n_group=4, topk_group=2, top_k=3, routed_scaling_factor=2.5, norm_topk_prob=True
    ):
        super().__init__()
        self.n_routed_experts = n_routed_experts
        self.n_group = n_group
        self.topk_group = topk_group
        self.top_k = top_k
        self.routed_scaling_factor = routed_scaling_factor
        self.norm_topk_prob = norm_topk_prob
        self.e_score_correction_bias = nn.Parameter(torch.linspace(-0.1, 0.1, n_routed_experts))

    def forward(self, logits):
        n = logits.shape[0]
        scores = logits.sigmoid()
        scores_for_choice = scores.view(n, -1) + self.e_score_correction_bias.unsqueeze(0)
        group_scores = scores_for_choice.view(n, self.n_group, -1).topk(2, dim=-1)[0].sum(dim=-1)
        group_idx = torch.topk(group_scores, k=self.topk_group, dim=-1, sorted=False)[1]
        group_mask = torch.zeros_like(group_scores)
        group_mask.scatter_(1, group_idx, 1)
        score_mask = (
            group_mask.unsqueeze(-1).expand(n, self.n_group, self.n_routed_experts // self.n_group).reshape(n, -1)
        )
        tmp_scores = scores_for_choice.masked_fill(~score_mask.bool(), float("-inf"))
        _, topk_idx = torch.topk(tmp_scores, k=self.top_k, dim=-1)
        topk_weight = scores.gather(1, topk_idx)
        if self.top_k > 1 and self.norm_topk_prob:
            denominator = topk_weight.sum(dim=-1, keepdim=True) + 1e-20
            topk_weight = topk_weight / denominator
        return topk_idx, topk_weight * self.routed_scaling_factor


def get_inputs():
    return [torch.randn(6, 8)]


def get_init_inputs():
    return []
