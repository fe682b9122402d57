"""Decays within chunks of a padded sequence, as state space models have them."""

# program: ssd_decay

import torch


def pad_tensor_by_size(input_tensor, pad_size: int):
    pad_shape = (0, 0, 0, 0, 0, pad_size, 0, 0) if len(input_tensor.shape) == 4 else (0, 0, 0, pad_size, 0, 0)
    return torch.nn.functional.pad(input_tensor, pad_shape, mode="constant", value=0)


def segment_sum(input_tensor):
    chunk_size = input_tensor.size(-1)
    input_tensor = input_tensor[..., None].expand(*input_tensor.size(), chunk_size)
    mask = torch.tril(torch.ones(chunk_size, chunk_size, device=input_tensor.device, dtype=torch.bool), diagonal=-1)
    input_tensor = input_tensor.masked_fill(~mask, 0)
    tensor_segsum = torch.cumsum(input_tensor, dim=-2)
    mask = torch.tril(torch.ones(chunk_size, chunk_size, device=input_tensor.device, dtype=torch.bool), diagonal=0)
    tensor_segsum = tensor_segsum.masked_fill(~mask, -torch.inf)
    return tensor_segsum


def ssd_decay(A, chunk_size: int = 4):
    pad_size = (chunk_size - A.shape[1] % chunk_size) % chunk_size
    A = pad_tensor_by_size(A, pad_size)
    A = A.reshape(A.shape[0], -1, chunk_size, A.shape[2]).permute(0, 3, 1, 2)
    A_cumsum = torch.cumsum(A, dim=-1)
    L = torch.exp(segment_sum(A))
    return L, torch.exp(A_cumsum[:, :, :, -1:] - A_cumsum)


def get_inputs():
    return [-torch.rand(2, 10, 3)]
