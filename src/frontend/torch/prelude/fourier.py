# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Discrete Fourier transforms, torch.fft and torch.stft, as products with tables of cosines and sines (arithmetic.py
explains the decorators).

X[k] = sum over p of x[p] exp(s 2 pi i p k / n), with s = -1 forward and 1 back. Real and imaginary parts lie along a
last axis of two, so that a transform of rows is one product of real matrices: the n real and the n imaginary parts of a
row times a table for as many of `count` frequencies; in memory parts lie one behind the other between two transforms. A length that is known and has two factors is transformed by them, n = a b:
with p = b q + r and k = u + a v, X[u + a v] = sum over r of (exp(s 2 pi i r u / n) sum over q of x[b q + r]
exp(s 2 pi i q u / a)) exp(s 2 pi i r v / b) (Cooley and Tukey, 1965); 2 n (a + b) products a row in place of 4 n n."""

import math

# The longest transform by one table: its sides have up to twice as many elements each. On an H200 rows of 1024 take
# 200 us by one table and 680 by two factors, whose passes lie across memory; longer ones are made for one length.
_MOST_PLACES = 2048


def _circle(turns, n, dtype):
    """Cosine and sine of 2 pi turns / n for integers 0 <= turns < n: angles are brought to the first eighth of the
    circle exactly, and an error of their rounding is at most one of the result's."""
    quarter = 4 * torch.minimum(turns, n - turns)  # of half a circle, as pi / 2 * quarter / n
    is_behind = quarter > n
    quarter = torch.where(is_behind, 2 * n - quarter, quarter)
    is_far = 2 * quarter > n
    angle = torch.where(is_far, n - quarter, quarter).to(dtype) * (0.5 * math.pi / n)
    cos, sin = torch.cos(angle), torch.sin(angle)
    cosine = torch.where(is_far, sin, cos)
    sine = torch.where(is_far, cos, sin)
    return torch.where(is_behind, -cosine, cosine), torch.where(2 * turns > n, -sine, sine)


def _table(n, count, sign, dtype, device, takes, gives_pairs):
    """What `n` places are multiplied by to get `count` frequencies: [n or 2 n, count or 2 count], the real parts of all
    frequencies before the imaginary ones. `takes`: "real", "pairs" of places side by side, or "halves", too."""
    place = torch.arange(n, device=device)[:, None]
    frequency = torch.arange(count, device=device)
    cosine, sine = _circle(place * frequency % n, n, dtype)
    if sign < 0:
        sine = -sine
    rows = [torch.cat([cosine, sine], 1) if gives_pairs else cosine]
    if takes != "real":
        rows.append(torch.cat([-sine, cosine], 1) if gives_pairs else -sine)
    table = torch.cat(rows, 0) if takes == "halves" else torch.stack(rows, 1)
    return prims.stored(table).view(-1, table.shape[-1])


def _joined(pairs):
    """The parts of all places, [..., n, 2], as [..., 2 n], in the order in which they lie; and which it is."""
    if prims.is_innermost(pairs):
        return pairs.flatten(-2), "pairs"
    return pairs.transpose(-1, -2).flatten(-2), "halves"


def _by_table(x, n, count, sign, takes_pairs, gives_pairs):
    """[..., n] or [..., n, 2] to [..., count] or [..., count, 2]."""
    x, takes = _joined(x) if takes_pairs else (x, "real")
    result = torch.matmul(x, _table(n, count, sign, x.dtype, x.device, takes, gives_pairs))
    return result.unflatten(-1, (2, count)).transpose(-1, -2) if gives_pairs else result


def _factors(n):
    """The two factors of a length that are closest; None where one table is shorter."""
    if not prims.is_known(n) or n <= _MOST_PLACES:
        return None
    first = max(each for each in range(1, math.isqrt(n) + 1) if n % each == 0)
    return None if first < 4 else (first, n // first)


def _longest_table(n):
    """Of how many places the longest table is that a transform of a known length reads."""
    factors = _factors(n)
    return n if factors is None else max(_longest_table(each) for each in factors)


def _times_turns(x, n, sign):
    """[..., b, a, 2] times exp(sign 2 pi i r u / n)."""
    row = torch.arange(x.shape[-3], device=x.device)[:, None]
    cosine, sine = _circle(row * torch.arange(x.shape[-2], device=x.device) % n, n, x.dtype)
    if sign < 0:
        sine = -sine
    real, imag = x[..., 0], x[..., 1]
    return torch.stack([real * cosine - imag * sine, real * sine + imag * cosine], -1)


def _transformed(x, n, count, sign, takes_pairs, gives_pairs):
    """The first `count` frequencies of rows of `n` places, [..., n] or [..., n, 2]."""
    factors = _factors(n)
    if factors is None:
        return _by_table(x, n, count, sign, takes_pairs, gives_pairs)
    first, second = factors
    last = 2 if takes_pairs else 1
    x = x.unflatten(-last, (first, second)).transpose(-last, -last - 1)
    x = _transformed(x, first, first, sign, takes_pairs, True)
    x = _times_turns(x, n, sign).transpose(-2, -3)
    blocks = (count + first - 1) // first
    x = _transformed(x, second, blocks, sign, True, gives_pairs)
    last = 2 if gives_pairs else 1
    x = x.transpose(-last, -last - 1).flatten(-last - 1, -last)
    return x if blocks * first == count else x.narrow(-last, 0, count)


# --- Rows that torch.fft takes --------------------------------------------------------------------------


def _real_of(input, name):
    """A real tensor of a type that is transformed."""
    if input.dtype == torch.float16:
        return prims.refuse(f"{name} of float16 is not supported", "transform x.float()")
    if input.dtype == torch.bfloat16:
        raise RuntimeError("Unsupported dtype BFloat16")
    return input if input.is_floating_point() else input.to(torch.get_default_dtype())


def _parts_of(input, name):
    """The last axis of two of what is complex, and whether it is."""
    if prims.is_complex(input):
        return prims.parts_of(input), True
    return _real_of(input, name), False


def _length(size):
    if prims.is_known(size) and size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    if not prims.is_known(size) and not prims.holds(size <= _MOST_PLACES, "longer Fourier transforms are made for one length"):
        size = prims.pinned(size, "how a Fourier transform is taken apart")
    if prims.is_known(size) and _longest_table(size) > _MOST_PLACES:
        prims.refuse(f"a Fourier transform of {size} places, which has a factor of {_longest_table(size)}, is not supported", "pad to a length with small factors, n=")
    return size


def _cut(x, n, axis):
    """The first `n` places along an axis, and zeros behind the last one."""
    size = x.shape[axis]
    if n is None or prims.same(n, size):
        return x
    if prims.holds(n <= size, "a Fourier transform of less than it is given"):
        return x.narrow(axis, 0, n)
    return F.pad(x, (0, 0) * (x.dim() - 1 - axis) + (0, n - size))


def _to_last(x, axis, is_complex):
    last = x.dim() - (2 if is_complex else 1)
    return x if axis == last else x.movedim(axis, last)


def _scale(norm, n, sign, name):
    """By what the result is multiplied; None: by nothing."""
    if norm is None or norm == "backward":
        return 1.0 / n if sign > 0 else None
    if norm == "forward":
        return 1.0 / n if sign < 0 else None
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _along(input, n, dim, name):
    """An axis, counted from the start, and as many places along it as are transformed."""
    rank = input.dim()
    if dim >= max(rank, 1) or dim < -max(rank, 1):
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    axis = dim % rank
    return axis, _length(input.shape[axis] if n is None else n)


def _complex_rows(input, n, dim, norm, sign, name, count=None):
    """Transforms what is real or complex along an axis; `count`: of a half, frequencies."""
    axis, n = _along(input, n, dim, name)
    x, is_complex = _parts_of(input, name)
    x = _to_last(_cut(x, n, axis), axis, is_complex)
    x = _transformed(x, n, n if count is None else n // 2 + 1, sign, is_complex, True)
    scale = _scale(norm, n, sign, name)
    if scale is not None:
        x = x * scale
    return prims.complex_of(x.movedim(-2, axis))


def _real_rows(input, n, dim, norm, sign, name):
    """The real rows of length n whose first n // 2 + 1 frequencies are given: the others are their conjugates."""
    if n is None:
        axis, half = _along(input, None, dim, name)
        n = 2 * (half - 1)
        if prims.is_known(n) and n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
    else:
        axis, n = _along(input, n, dim, name)
    x, is_complex = _parts_of(input, name)
    if not is_complex:
        x = torch.stack([x, torch.zeros_like(x)], -1)
    half = n // 2 + 1
    x = _to_last(_cut(x, half, axis), axis, True)
    # Each frequency but the first, and the last of an even length, stands for two.
    place = torch.arange(half, device=x.device)
    x = x * torch.where((place == 0) | (2 * place == n), 1.0, 2.0).to(x.dtype)[:, None]
    if _factors(n) is None:
        x, takes = _joined(x)
        x = torch.matmul(x, _table_of_half(n, half, sign, x.dtype, x.device, takes))
    else:
        x = _transformed(F.pad(x, (0, 0, 0, n - half)), n, n, sign, True, False)
    scale = _scale(norm, n, sign, name)
    if scale is not None:
        x = x * scale
    return x.movedim(-1, axis)


def _table_of_half(n, half, sign, dtype, device, takes):
    """[2 half, n]: what the first frequencies add to real places."""
    frequency = torch.arange(half, device=device)[:, None]
    cosine, sine = _circle(frequency * torch.arange(n, device=device) % n, n, dtype)
    rows = [cosine, -sine if sign > 0 else sine]
    table = torch.cat(rows, 0) if takes == "halves" else torch.stack(rows, 1)
    return prims.stored(table).view(-1, n)


@view(at="fft Complex", names="fft")
def _fft(input, n=None, dim=-1, norm=None):
    return _complex_rows(input, n, dim, norm, -1, "fft")


@view(at="fft Complex", names="ifft")
def _ifft(input, n=None, dim=-1, norm=None):
    return _complex_rows(input, n, dim, norm, 1, "ifft")


@view(at="fft", names="rfft")
def _rfft(input, n=None, dim=-1, norm=None):
    return _complex_rows(input, n, dim, norm, -1, "rfft", True)


@view(at="Complex", names="rfft rfft2 rfftn ihfft ihfft2 ihfftn")
def _rfft_of_complex(input, *args, **kwargs):
    raise RuntimeError("rfft expects a real input tensor, but got ComplexFloat")


@view(at="fft Complex", names="irfft")
def _irfft(input, n=None, dim=-1, norm=None):
    return _real_rows(input, n, dim, norm, 1, "irfft")


def _turned(norm):
    """The mode that scales a transform as another one the transform of the other sign."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


@view(at="fft Complex", names="hfft")
def _hfft(input, n=None, dim=-1, norm=None):
    return _real_rows(input, n, dim, norm, -1, "hfft")


@view(at="fft", names="ihfft")
def _ihfft(input, n=None, dim=-1, norm=None):
    return _complex_rows(input, n, dim, norm, 1, "ihfft", True)


# --- Along several axes ---------------------------------------------------------------------------------


def _axes_of(input, s, dim, name):
    """Pairs of a length, or None, and an axis."""
    rank = input.dim()
    if dim is None:
        dim = tuple(range(rank)) if s is None else tuple(range(rank - len(s), rank))
    if isinstance(dim, int):
        dim = (dim,)
    if s is None:
        s = (None,) * len(dim)
    if isinstance(s, int):
        s = (s,)
    if len(s) != len(dim):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    axes = [each % rank for each in dim]
    if len(set(axes)) != len(axes):
        raise RuntimeError("FFT dims must be unique")
    return [(None if prims.is_known(n) and n == -1 else n, axis) for n, axis in zip(s, axes)]


def _complex_axes(input, s, dim, norm, sign, name):
    for n, axis in reversed(_axes_of(input, s, dim, name)):
        input = _complex_rows(input, n, axis, norm, sign, name)
    return input


@view(at="fft Complex", names="fftn")
def _fftn(input, s=None, dim=None, norm=None):
    return _complex_axes(input, s, dim, norm, -1, "fftn")


@view(at="fft Complex", names="ifftn")
def _ifftn(input, s=None, dim=None, norm=None):
    return _complex_axes(input, s, dim, norm, 1, "ifftn")


@view(at="fft Complex", names="fft2")
def _fft2(input, s=None, dim=(-2, -1), norm=None):
    return _complex_axes(input, s, dim, norm, -1, "fft2")


@view(at="fft Complex", names="ifft2")
def _ifft2(input, s=None, dim=(-2, -1), norm=None):
    return _complex_axes(input, s, dim, norm, 1, "ifft2")


def _half_axes(input, s, dim, norm, sign, name):
    """A half along the last axis, then all along the others."""
    axes = _axes_of(input, s, dim, name)
    n, axis = axes[-1]
    input = _complex_rows(input, n, axis, norm, sign, name, True)
    for n, axis in reversed(axes[:-1]):
        input = _complex_rows(input, n, axis, norm, sign, name)
    return input


@view(at="fft", names="rfftn")
def _rfftn(input, s=None, dim=None, norm=None):
    return _half_axes(input, s, dim, norm, -1, "rfftn")


@view(at="fft", names="rfft2")
def _rfft2(input, s=None, dim=(-2, -1), norm=None):
    return _half_axes(input, s, dim, norm, -1, "rfft2")


@view(at="fft", names="ihfftn")
def _ihfftn(input, s=None, dim=None, norm=None):
    return _half_axes(input, s, dim, norm, 1, "ihfftn")


@view(at="fft", names="ihfft2")
def _ihfft2(input, s=None, dim=(-2, -1), norm=None):
    return _half_axes(input, s, dim, norm, 1, "ihfft2")


def _real_axes(input, s, dim, norm, sign, name):
    axes = _axes_of(input, s, dim, name)
    for n, axis in axes[:-1]:
        input = _complex_rows(input, n, axis, norm, sign, name)
    n, axis = axes[-1]
    return _real_rows(input, n, axis, norm, sign, name)


@view(at="fft Complex", names="irfftn")
def _irfftn(input, s=None, dim=None, norm=None):
    return _real_axes(input, s, dim, norm, 1, "irfftn")


@view(at="fft Complex", names="irfft2")
def _irfft2(input, s=None, dim=(-2, -1), norm=None):
    return _real_axes(input, s, dim, norm, 1, "irfft2")


@view(at="fft Complex", names="hfftn")
def _hfftn(input, s=None, dim=None, norm=None):
    return _real_axes(input, s, dim, norm, -1, "hfftn")


@view(at="fft Complex", names="hfft2")
def _hfft2(input, s=None, dim=(-2, -1), norm=None):
    return _real_axes(input, s, dim, norm, -1, "hfft2")


# --- Frequencies and their order ------------------------------------------------------------------------


def _shifted(input, dim, back):
    rank = input.dim()
    if dim is None:
        dim = tuple(range(rank))
    if isinstance(dim, int):
        dim = (dim,)
    shifts = [(input.shape[axis] + 1) // 2 if back else input.shape[axis] // 2 for axis in dim]
    return torch.roll(input, shifts, tuple(dim))


@view(at="fft Complex")
def fftshift(input, dim=None):
    return _shifted(input, dim, False)


@view(at="fft Complex")
def ifftshift(input, dim=None):
    return _shifted(input, dim, True)


@view(at="fft")
def fftfreq(n, d=1.0, *, dtype=None, layout=None, device=None, requires_grad=False):
    place = torch.arange(n, device=device)
    turns = torch.where(2 * place < n, place, place - n)
    return turns.to(torch.get_default_dtype() if dtype is None else dtype) * (1.0 / (n * d))


@view(at="fft")
def rfftfreq(n, d=1.0, *, dtype=None, layout=None, device=None, requires_grad=False):
    place = torch.arange(n // 2 + 1, device=device)
    return place.to(torch.get_default_dtype() if dtype is None else dtype) * (1.0 / (n * d))


# --- Frames of signals ----------------------------------------------------------------------------------


def _window(window, win_length, n_fft, like, name):
    """A window of n_fft places, around whose `win_length` there are zeros; None: all are one."""
    if window is None:
        if win_length == n_fft:
            return None
        window = torch.ones(win_length, dtype=like.dtype, device=like.device)
    elif window.dim() != 1 or not prims.match((window.shape[0],), (win_length,)):
        raise RuntimeError(f"{name}: expected a 1D window tensor of size equal to win_length={win_length}")
    left = (n_fft - win_length) // 2
    return window if win_length == n_fft else F.pad(window, (left, n_fft - win_length - left))


def _lengths(n_fft, hop_length, win_length, name):
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if hop_length <= 0:
        raise RuntimeError(f"{name}: expected hop_length > 0, but got hop_length={hop_length}")
    if win_length <= 0 or win_length > n_fft:
        raise RuntimeError(f"{name}: expected 0 < win_length <= n_fft, but got win_length={win_length}")
    return hop_length, win_length


@view(at="torch Tensor")
def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=None, return_complex=None, align_to_window=None):
    if align_to_window is not None:
        return prims.refuse("stft with align_to_window is not supported", "leave it out")
    if return_complex is None:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a future PyTorch release.")
    if window is not None and prims.is_complex(window):
        return prims.refuse("stft with a complex window is not supported", "transform frames of x.unfold(-1, n, hop)")
    input = _real_of(input, "stft")
    hop_length, win_length = _lengths(n_fft, hop_length, win_length, "stft")
    if input.dim() not in (1, 2):
        raise RuntimeError(f"stft: expected a tensor with 1 or 2 dimensions, but got {input.dim()}")
    rows = input if input.dim() == 2 else input[None]
    if center:
        rows = F.pad(rows[:, None], (n_fft // 2, n_fft // 2), mode=pad_mode)[:, 0]
    frames = rows.unfold(-1, n_fft, hop_length)
    window = _window(window, win_length, n_fft, rows, "stft")
    if window is not None:
        frames = frames * window
    half = onesided is None or onesided
    x = _transformed(frames, n_fft, n_fft // 2 + 1 if half else n_fft, -1, False, True)
    if normalized:
        x = x * (1.0 / math.sqrt(n_fft))
    x = x.transpose(-3, -2)
    x = x if input.dim() == 2 else x[0]
    return prims.complex_of(x) if return_complex else x


@view(at="torch Tensor", names="istft")
def _istft_of_real(input, *args, **kwargs):
    raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")


@view(at="Complex", names="istft")
def _istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False):
    if return_complex:
        return prims.refuse("istft with return_complex=True is not supported", "transform back by torch.fft.ifft")
    hop_length, win_length = _lengths(n_fft, hop_length, win_length, "istft")
    x = prims.parts_of(input)
    x = x if input.dim() == 3 else x[None]
    half = onesided is None or onesided
    if not prims.match((x.shape[1],), (n_fft // 2 + 1 if half else n_fft,)):
        raise RuntimeError("istft: expected the frequency dimension (3rd to the last) to match n_fft")
    spectra = prims.complex_of(x.transpose(1, 2))
    frames = _irfft(spectra, n_fft) if half else prims.parts_of(_ifft(spectra))[..., 0]
    if normalized:
        frames = frames * math.sqrt(n_fft)
    window = _window(window, win_length, n_fft, frames, "istft")
    if window is None:
        window = torch.ones(n_fft, dtype=frames.dtype, device=frames.device)
    count = frames.shape[1]
    whole = n_fft + hop_length * (count - 1)

    def added(rows):
        return F.fold(rows.transpose(1, 2), (1, whole), (1, n_fft), stride=(1, hop_length))[:, 0, 0]

    signal = added(frames * window)
    weight = added((window * window).expand(1, count, n_fft))
    start = n_fft // 2 if center else 0
    end = whole - (n_fft // 2 if center else 0) if length is None else start + length
    if length is not None and not prims.holds(end <= whole, "istft gives as many places as its frames have"):
        signal = F.pad(signal, (0, end - whole))
        weight = F.pad(weight, (0, end - whole), value=1.0)
    signal = signal[:, start:end] / weight[:, start:end]
    return signal if input.dim() == 3 else signal[0]
