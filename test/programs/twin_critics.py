"""Two critics and their slow copies: targets by the smaller, losses of both, the policy's loss (SAC)."""

import torch
from torch import nn
import torch.nn.functional as F


class QNetwork(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.fc1 = nn.Linear(obs + act, 8)
        self.fc2 = nn.Linear(8, 8)
        self.fc3 = nn.Linear(8, 1)

    def forward(self, x, a):
        x = torch.cat([x, a], 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class SACLoss(nn.Module):
    def __init__(self, obs=4, act=2, gamma=0.99, alpha=0.2):
        super().__init__()
        self.qf1, self.qf2 = QNetwork(obs, act), QNetwork(obs, act)
        self.qf1_target, self.qf2_target = QNetwork(obs, act), QNetwork(obs, act)
        self.qf1_target.load_state_dict(self.qf1.state_dict())
        self.qf2_target.load_state_dict(self.qf2.state_dict())
        for p in list(self.qf1_target.parameters()) + list(self.qf2_target.parameters()):
            p.requires_grad = False
        self.gamma, self.alpha = gamma, alpha

    def forward(self, obs, actions, rewards, dones, next_obs, next_actions, next_log_pi):
        with torch.no_grad():
            q1 = self.qf1_target(next_obs, next_actions)
            q2 = self.qf2_target(next_obs, next_actions)
            min_q = torch.min(q1, q2) - self.alpha * next_log_pi
            target = rewards.flatten() + (1 - dones.flatten()) * self.gamma * (min_q).view(-1)
        a1 = self.qf1(obs, actions).view(-1)
        a2 = self.qf2(obs, actions).view(-1)
        return F.mse_loss(a1, target) + F.mse_loss(a2, target), torch.min(a1, a2).mean()


# program: SACLoss
def get_inputs():
    return [
        torch.randn(5, 4),
        torch.randn(5, 2),
        torch.randn(5, 1),
        (torch.rand(5, 1) > 0.7).float(),
        torch.randn(5, 4),
        torch.randn(5, 2),
        torch.randn(5, 1),
    ]
