"""Style transfer: adaptive instance norm target, content loss and mean/std style loss of the generated features."""

import torch
import torch.nn.functional as F


def adain_style_loss(content, style, generated):
    n, c = content.shape[:2]
    eps = 1e-5
    c_flat = content.reshape(n, c, -1)
    s_flat = style.reshape(n, c, -1)
    g_flat = generated.reshape(n, c, -1)
    c_mean, c_std = c_flat.mean(dim=2), (c_flat.var(dim=2) + eps).sqrt()
    s_mean, s_std = s_flat.mean(dim=2), (s_flat.var(dim=2) + eps).sqrt()
    g_mean, g_std = g_flat.mean(dim=2), (g_flat.var(dim=2) + eps).sqrt()

    target = (content - c_mean[:, :, None, None]) / c_std[:, :, None, None]
    target = target * s_std[:, :, None, None] + s_mean[:, :, None, None]
    loss_c = F.mse_loss(generated, target.detach())
    loss_s = F.mse_loss(g_mean, s_mean) + F.mse_loss(g_std, s_std)
    return target, loss_c + 10.0 * loss_s


def get_inputs():
    return [
        torch.randn(16, 256, 64, 64),
        torch.randn(16, 256, 56, 56),
        torch.randn(16, 256, 64, 64),
    ]
