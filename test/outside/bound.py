# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bound of docs/validation.md, for every judge that runs kernels.

An element may be off by four times PyTorch's own greatest error in that dtype, or by two units in the last place of the
dtype at the reference, the program in float64. NaN and infinities stand where PyTorch has them, or float64 rounded to
the dtype has. `--validate` of emitted files has the same bound in a text of its own (src/emit/companion/runs.py).
"""

import torch


def get_spacing(reference, dtype):
    """The distance between neighbouring numbers of the dtype at the reference."""
    info = torch.finfo(dtype)
    magnitude = reference.abs().clamp(min=info.tiny)
    exponent = torch.floor(torch.log2(magnitude))
    return torch.pow(2.0, exponent) * info.eps


def get_parts(x):
    """Real and imaginary parts of a complex tensor; others as they are."""
    return torch.view_as_real(x.resolve_conj()) if isinstance(x, torch.Tensor) and x.is_complex() else x


def get_error(result, reference):
    """The greatest error of a result where it and the reference are finite."""
    result, reference = get_parts(result), get_parts(reference)
    if not isinstance(result, torch.Tensor) or not result.dtype.is_floating_point:
        return 0.0
    error = (result.to(torch.float64) - reference.to(torch.float64)).abs()
    error = error[torch.isfinite(error)]
    return float(error.max()) if error.numel() else 0.0


def get_errors(value, reference, dtype, own_error, finite):
    """The error of each element, and what is allowed for it."""
    bound = torch.tensor(4 * own_error, dtype=torch.float64)
    allowed = torch.maximum(bound, 2 * get_spacing(reference, dtype)[finite])
    return (value - reference).abs()[finite], allowed


def get_ratio(found, reference, torch_result, own_error):
    """The greatest error of a right result over what is allowed."""
    found, reference, torch_result = map(get_parts, (found, reference, torch_result))
    if not isinstance(found, torch.Tensor) or not found.dtype.is_floating_point:
        return 0.0
    value, reference = found.to(torch.float64), reference.to(torch.float64)
    finite = torch.isfinite(value) & torch.isfinite(reference)
    error, allowed = get_errors(value, reference, torch_result.dtype, own_error, finite)
    return float((error / allowed).max()) if error.numel() else 0.0


def compare(found, reference, torch_result, own_error):
    """An empty text, or what is wrong with a result; `own_error` is PyTorch's own."""
    if found is None or torch_result is None:
        present = torch_result if found is None else found
        return "" if present is None else f"found {found}, expected {torch_result}"
    if not isinstance(torch_result, torch.Tensor):
        return "" if found == torch_result else f"found {found}, expected {torch_result}"
    if not isinstance(found, torch.Tensor):
        return f"found {type(found).__name__}, expected a tensor"
    if found.shape != torch_result.shape or found.dtype != torch_result.dtype:
        expected = f"{torch_result.dtype}{list(torch_result.shape)}"
        return f"found {found.dtype}{list(found.shape)}, expected {expected}"
    found, reference, torch_result = map(get_parts, (found, reference, torch_result))
    if not found.dtype.is_floating_point:
        wrong = int((found != torch_result).sum())
        return f"{wrong} elements differ" if wrong else ""
    reference, dtype = reference.to(torch.float64), found.dtype
    value, own = found.to(torch.float64), torch_result.to(torch.float64)
    # Beyond the range of the dtype the reference is what the dtype makes of it.
    rounded = reference.to(dtype).to(torch.float64)
    finite = torch.isfinite(rounded) & torch.isfinite(own)
    same = (value == own) | (value == rounded) | (value.isnan() & (own.isnan() | rounded.isnan()))
    if not bool(same[~finite].all()):
        return "infinities or NaN differ"
    if not bool(torch.isfinite(value[finite]).all()):
        return "not finite where PyTorch is"
    error, allowed = get_errors(value, reference, dtype, own_error, finite)
    worst = (error / allowed).max() if error.numel() else 0.0
    return f"error {float(error.max()):.3g} is {float(worst):.2f} of what is allowed" if worst > 1 else ""
