# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What samples say together: covariances, pairs, histograms, folds of pieces (arithmetic.py explains the decorators)."""


# --- Covariances ----------------------------------------------------------------------------------


@view()
def cov(input, *, correction=1, fweights=None, aweights=None):
    if input.dim() > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions")
    if input.dtype == torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input if input.dim() == 2 else input.reshape(1, -1)
    for weight in (fweights, aweights):
        if weight is not None and (weight.dim() > 1 or not prims.match(weight.reshape(-1).shape, rows.shape[1:])):
            raise RuntimeError("cov(): expected weights to have one or fewer dimensions, and as many elements as there are observations")
    weight = fweights
    if aweights is not None:
        weight = aweights if fweights is None else fweights * aweights
    if weight is None:
        total = torch.tensor(rows.shape[1], dtype=rows.dtype if rows.is_floating_point() else torch.float32)
        centre = torch.sum(rows, 1, True) / total
        divisor = total - correction
    else:
        total = torch.sum(weight)
        centre = torch.sum(rows * weight, 1, True) / total
        divisor = total
        if correction != 0:
            divisor = total - correction * (1 if aweights is None else torch.sum(weight * aweights) / total)
    distance = rows - centre
    weighted = distance if weight is None else distance * weight
    products = torch.sum(distance.unsqueeze(1) * weighted.unsqueeze(0), -1)
    return (products / torch.clamp_min(divisor, 0)).squeeze()


@view()
def corrcoef(input):
    products = cov(input)
    if products.dim() == 0:
        return products / products
    spread = torch.sqrt(products.diagonal())
    return torch.clamp(products / spread.unsqueeze(1) / spread.unsqueeze(0), -1, 1)


# --- Pairs ------------------------------------------------------------------------------------------


def _pairs(count):
    """The first and second place of each pair of `count` elements, in their order."""
    place = prims.iota((count * (count - 1) // 2,), 0)
    longest = torch.tensor(2 * count - 1, dtype=torch.int64)

    def start(row):
        return row * (longest - row) // 2

    root = torch.sqrt((longest * longest - 8 * place).to(torch.float64))
    row = ((longest.to(torch.float64) - root) / 2).to(torch.int64)
    # The root is rounded: the row that it names is the right one or a neighbour.
    row = torch.where(start(row) > place, row - 1, row)
    row = torch.where(start(row + 1) <= place, row + 1, row)
    return row, place - start(row) + row + 1


@view(at="torch F")
def pdist(input, p=2.0):
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = _pairs(input.shape[0])
    return torch.linalg.vector_norm(prims.take(input, 0, first) - prims.take(input, 0, second), p, -1)


def _chosen(count, length, again):
    """The places of each choice of `length` out of `count`, in their order."""
    found = [[]]
    for _ in range(length):
        found = [places + [place] for places in found for place in range((places[-1] + (0 if again else 1)) if places else 0, count)]
    return found


@view(at="torch")
def combinations(input, r=2, with_replacement=False):
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {tuple(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_zeros((0,))
    if r == 1:
        return input.unsqueeze(1)
    if r == 2 and not with_replacement:
        return torch.stack([prims.take(input, 0, places) for places in _pairs(input.shape[0])], 1)
    places = _chosen(prims.fixed(input.shape[0]), r, with_replacement)
    if not places:
        return input.new_zeros((0, r))
    return torch.stack([prims.take(input, 0, torch.tensor([choice[column] for choice in places])) for column in range(r)], 1)


# --- Histograms -------------------------------------------------------------------------------------


class _histogram(tuple):
    hist = property(lambda self: self[0])
    bin_edges = property(lambda self: self[1])


def _edges(input, bins, range):
    if isinstance(bins, torch.Tensor):
        if bins.dim() != 1:
            raise RuntimeError(f"torch.histogram(): bins tensor should have one dimension, but got {bins.dim()} dimensions")
        return bins
    if bins <= 0:
        raise RuntimeError(f"torch.histogramdd(): bins must be > 0, but got {bins} for dimension 0")
    if range is not None:
        low, high = range
        if low > high:
            raise RuntimeError("torch.histogramdd(): min should not exceed max")
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        return torch.linspace(low, high, bins + 1, dtype=input.dtype)
    low, high = torch.amin(input), torch.amax(input)
    single = low == high
    low, high = torch.where(single, low - 0.5, low), torch.where(single, high + 0.5, high)
    # From the nearer end, exact at both.
    step = (high - low) / bins
    place = prims.iota((bins + 1,), 0)
    return torch.where(place < (bins + 1) // 2, low + step * place, high - step * (bins - place))


def _bin_of(input, edges):
    """The bin of each element, the last one closed; below 0 where there is none."""
    count = edges.shape[0] - 1
    place = torch.searchsorted(edges, input, right=True) - 1
    place = torch.where(input == edges[-1], count - 1, place)
    return torch.where((input >= edges[0]) & (input <= edges[-1]), place, -1)


def _dense(counts, edges):
    result = counts / torch.sum(counts)
    for axis, own in enumerate(edges):
        result = result / torch.diff(own).reshape([-1] + [1] * (len(edges) - 1 - axis))
    return result


def _counts(rows, edges, weight, density):
    """How many rows, or how much weight, lie in each bin of the axes."""
    flat, sizes = None, []
    inside = None
    for axis, own in enumerate(edges):
        place = _bin_of(rows[:, axis], own)
        count = own.shape[0] - 1
        sizes.append(count)
        inside = (place >= 0) if inside is None else inside & (place >= 0)
        flat = place if flat is None else flat * count + place
    total = 1
    for size in sizes:
        total = total * size
    weight = torch.ones_like(rows[:, 0]) if weight is None else weight.reshape(-1).to(rows.dtype)
    found = prims.scatter("sum", weight, torch.where(inside, flat, -1), 0, total).reshape(sizes)
    return _dense(found, edges) if density else found


@view()
def histogram(input, bins, *, range=None, weight=None, density=False):
    if weight is not None and not prims.match(weight.shape, input.shape):
        raise RuntimeError("torch.histogram(): if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension")
    flat = input.reshape(-1).detach()
    edges = _edges(flat, bins, range)
    weight = None if weight is None else weight.detach()
    return _histogram((_counts(flat.unsqueeze(1), [edges], weight, density), edges))


@view(at="torch")
def histogramdd(input, bins, *, range=None, weight=None, density=False):
    if input.dim() < 2:
        raise RuntimeError("torch.histogramdd(): input tensor should have at least 2 dimensions")
    axes = prims.fixed(input.shape[-1])
    rows = input.reshape(-1, axes).detach()
    bins = [bins] * axes if isinstance(bins, int) else list(bins)
    if len(bins) != axes:
        raise RuntimeError("torch.histogramdd(): the size of bins must be equal to the innermost dimension of the input tensor")
    if weight is not None and not prims.match(weight.shape, input.shape[:-1]):
        raise RuntimeError("torch.histogramdd(): if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension")
    edges = []
    for axis, own in enumerate(bins):
        limits = None if range is None else (range[2 * axis], range[2 * axis + 1])
        edges.append(_edges(rows[:, axis], own, limits))
    weight = None if weight is None else weight.detach()
    return _histogram((_counts(rows, edges, weight, density), tuple(edges)))


# --- Pieces -----------------------------------------------------------------------------------------


_NEUTRAL = {"max": float("-inf"), "min": float("inf"), "sum": 0.0, "mean": 0.0, "prod": 1.0}


@view(at="torch")
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    if reduce not in _NEUTRAL:
        raise RuntimeError(f"Reduction type {reduce} is not supported")
    if indices is not None or (lengths is None) == (offsets is None):
        return prims.refuse("segment_reduce takes either lengths or offsets here", "pass one of them")
    axis = axis + data.dim() if axis < 0 else axis
    given = offsets if lengths is None else lengths
    if given.dim() != axis + 1:
        raise RuntimeError("segment_reduce(): Expected dimension of lengths to be axis + 1")
    if lengths is not None:
        bounds = F.pad(torch.cumsum(lengths.to(torch.int64), -1), (1, 0))
    else:
        bounds = offsets.to(torch.int64)
    length, rest = data.shape[axis], data.shape[axis + 1 :]
    outer, pieces = bounds.shape[:-1], bounds.shape[-1] - 1
    rows = data.reshape((-1,) + tuple(rest))
    if axis > 0:
        before = prims.iota((bounds[..., 0].numel(),), 0) * length
        bounds = (bounds.reshape(-1, pieces + 1) + before.unsqueeze(1)).reshape(-1)
        bounds = torch.cat([bounds, torch.full((1,), rows.shape[0], dtype=torch.int64)])
    kind = "sum" if reduce == "mean" else reduce
    result = prims.segment(kind, rows, bounds)
    if axis > 0:
        result = result.reshape((-1, pieces + 1) + tuple(rest))[:, :-1].reshape(tuple(outer) + (pieces,) + tuple(rest))
        bounds = bounds[:-1].reshape(tuple(outer) + (pieces + 1,))
    count = (bounds[..., 1:] - bounds[..., :-1]).reshape(tuple(outer) + (pieces,) + (1,) * len(rest))
    start = _NEUTRAL[reduce] if initial is None else initial
    if reduce in ("max", "min"):
        result = torch.where(count > 0, result, _NEUTRAL[reduce])
        both = result if initial is None else torch.clamp_min(result, start) if reduce == "max" else torch.clamp_max(result, start)
    elif reduce == "prod":
        both = result if initial is None else result * start
    else:
        both = result if initial is None else result + start
    if reduce == "mean":
        both = torch.where(count > 0, both / count, float("nan") if initial is None else start)
    return both.to(data.dtype)


# --- Places of what is not zero ---------------------------------------------------------------------


@view()
def nonzero_static(input, *, size, fill_value=-1):
    rank = input.dim()
    mask = (input != 0).reshape(-1)
    place = torch.where(mask, torch.cumsum(mask.to(torch.int64), 0) - 1, -1)
    flat = prims.scatter("max", prims.iota(place.shape, 0), place, 0, size)
    found, rest = [], flat
    for length in reversed(input.shape):
        found.append(torch.where(flat >= 0, rest % length, fill_value))
        rest = rest // length
    return torch.stack(found[::-1], 1) if rank else torch.zeros((size, 0), dtype=torch.int64)
