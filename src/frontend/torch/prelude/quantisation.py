# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as a quantised type would hold them (arithmetic.py explains the decorators). Gradients go straight through
to what lies within the range."""


def _quantised(input, scale, zero_point, quant_min, quant_max):
    return torch.clamp(torch.round(input * (1.0 / scale)) + zero_point, quant_min, quant_max)


def _fake_gradient(grad, input, scale, zero_point, quant_min, quant_max):
    place = torch.round(input * (1.0 / scale)) + zero_point
    return torch.where((place >= quant_min) & (place <= quant_max), grad, 0.0)


@op("aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor", at="torch", dtypes="first", grad=_fake_gradient)
def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    return (_quantised(input, scale, zero_point, quant_min, quant_max) - zero_point) * scale


@view(at="torch")
def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    shape = [1] * input.dim()
    shape[axis] = -1
    return fake_quantize_per_tensor_affine(input, scale.detach().reshape(shape), zero_point.detach().reshape(shape), quant_min, quant_max)
