"""A step of a deterministic diffusion sampler."""

# program: ddim_step

import torch


class DDIM:
    def __init__(self, num_train_timesteps=1000, beta_start=0.00085, beta_end=0.012):
        self.betas = torch.linspace(beta_start**0.5, beta_end**0.5, 10, dtype=torch.float32) ** 2
        self.alphas = 1.0 - self.betas
        self.alphas_cumprod = torch.cumprod(self.alphas, dim=0)
        self.final_alpha_cumprod = torch.tensor(1.0)

    def step(self, model_output, sample, timestep: int = 5, eta: float = 0.0):
        alpha_prod_t = self.alphas_cumprod[timestep]
        alpha_prod_t_prev = self.alphas_cumprod[timestep - 1] if timestep >= 1 else self.final_alpha_cumprod
        beta_prod_t = 1 - alpha_prod_t
        pred_original_sample = (sample - beta_prod_t ** (0.5) * model_output) / alpha_prod_t ** (0.5)
        pred_original_sample = pred_original_sample.clamp(-1.0, 1.0)
        pred_sample_direction = (1 - alpha_prod_t_prev) ** (0.5) * model_output
        return alpha_prod_t_prev ** (0.5) * pred_original_sample + pred_sample_direction


SCHED = DDIM()


def ddim_step(model_output, sample):
    return SCHED.step(model_output, sample)


def get_inputs():
    return [torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 4)]
