"""One step of the Gray-Scott reaction and diffusion on a periodic grid."""
# program: gray_scott

import torch


def laplacian(z):
    near = torch.roll(z, 1, -1) + torch.roll(z, -1, -1) + torch.roll(z, 1, -2) + torch.roll(z, -1, -2)
    far = torch.roll(z, (1, 1), (-2, -1)) + torch.roll(z, (1, -1), (-2, -1))
    far = far + torch.roll(z, (-1, 1), (-2, -1)) + torch.roll(z, (-1, -1), (-2, -1))
    return 0.2 * near + 0.05 * far - z


def gray_scott(u, v, du=1.0, dv=0.5, feed=0.055, kill=0.062, dt=1.0):
    reaction = u * v * v
    u_next = u + dt * (du * laplacian(u) - reaction + feed * (1 - u))
    v_next = v + dt * (dv * laplacian(v) + reaction - (feed + kill) * v)
    return u_next, v_next


def get_inputs():
    return [torch.rand(3, 5800, 6200), torch.rand(3, 5800, 6200)]
