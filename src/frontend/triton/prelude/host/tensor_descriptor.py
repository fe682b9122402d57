# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module `triton.tools.tensor_descriptor`: what host code makes for kernels that read a tensor by blocks."""


class TensorDescriptor:
    def __init__(self, base, shape, strides, block_shape, padding="zero", round_f32_to_tf32=False):
        assert len(shape) == len(strides) == len(block_shape), "shape, strides and block_shape have one length"
        assert 1 <= len(shape) <= 5, "a descriptor has one to five axes"
        assert strides[-1] == 1, "the last axis is contiguous"
        self.base = base
        self.shape = shape
        self.strides = strides
        self.block_shape = block_shape
        self.padding = padding
        self.round_f32_to_tf32 = round_f32_to_tf32

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(tensor, tensor.shape, tensor.stride(), block_shape, padding, round_f32_to_tf32)
