"""An actor and a critic on a shared body: actions scored, advantages normalised, the clipped loss of a step."""

import torch
from torch import nn
from torch.distributions import Normal


def layer_init(layer, std=2**0.5, bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs=5, act=2):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(obs, 8)), nn.Tanh(), layer_init(nn.Linear(8, 1), std=1.0))
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs, 8)), nn.Tanh(), layer_init(nn.Linear(8, act), std=0.01)
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, act))

    def forward(self, x, action, old_logprob, returns, clip_coef=0.2, ent_coef=0.01, vf_coef=0.5):
        action_mean = self.actor_mean(x)
        action_logstd = self.actor_logstd.expand_as(action_mean)
        probs = Normal(action_mean, torch.exp(action_logstd))
        logprob, entropy = probs.log_prob(action).sum(1), probs.entropy().sum(1)
        value = self.critic(x).view(-1)
        advantages = (returns - value).detach()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        ratio = (logprob - old_logprob).exp()
        pg_loss = torch.max(-advantages * ratio, -advantages * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)).mean()
        v_loss = 0.5 * ((value - returns) ** 2).mean()
        return pg_loss - ent_coef * entropy.mean() + v_loss * vf_coef


# program: Agent
def get_inputs():
    return [torch.randn(6, 5), torch.randn(6, 2), torch.randn(6) - 3, torch.randn(6)]
