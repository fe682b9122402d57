# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module `triton.language.target_info`: kernels are looked at as an NVIDIA GPU of compute capability 9.0 has them."""

import triton


class GPUTarget:
    def __init__(self, backend, arch, warp_size):
        self.backend = backend
        self.arch = arch
        self.warp_size = warp_size


def current_target():
    return GPUTarget("cuda", 90, 32)


@triton.constexpr_function
def is_cuda():
    return True


@triton.constexpr_function
def cuda_capability_geq(major, minor=0):
    return current_target().arch >= major * 10 + minor


@triton.constexpr_function
def is_hip():
    return False


is_hip_cdna3 = is_hip
is_hip_cdna4 = is_hip
is_hip_gfx1250 = is_hip
