# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other spellings of operators: views that copy, and the forms that PyTorch's own functions call
(arithmetic.py explains the decorators)."""


# --- Views that copy


def _copied(result):
    if isinstance(result, torch.Tensor):
        return result.clone()
    return tuple([part.clone() for part in result])


def _register_copy(name):
    def copy(input, *arguments, **options):
        return _copied(getattr(input, name)(*arguments, **options))

    view(at="torch", names=name + "_copy")(copy)


for _name in ("view", "expand", "unfold", "squeeze", "unsqueeze", "transpose", "permute", "t", "diagonal", "select", "split", "split_with_sizes", "unbind"):
    _register_copy(_name)


@export(at="prims", names="sliced")
def _sliced(input, dim=0, start=None, end=None, step=1):
    return input[(slice(None),) * (dim % input.dim()) + (slice(start, end, step),)]


@view(at="torch")
def slice_copy(input, dim=0, start=None, end=None, step=1):
    return _sliced(input, dim, start, end, step).clone()


@view()
def narrow_copy(input, dim, start, length):
    return torch.narrow(input, dim, start, length).clone()


@view()
def unsafe_chunk(input, chunks, dim=0):
    return torch.chunk(input, chunks, dim)


@view()
def unsafe_split(input, split_size, dim=0):
    return torch.split(input, split_size, dim)


@view()
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    return torch.split_with_sizes(input, split_sizes, dim)


@view(at="torch")
def fill(input, value):
    return torch.full_like(input, 0).copy_(value.expand(input.shape)) if isinstance(value, torch.Tensor) else torch.full_like(input, value)


@view(at="torch")
def constant_pad_nd(input, pad, value=0):
    return F.pad(input, pad, "constant", value)


@view(at="special", names="round")
def _round(input, *, decimals=0, out=None):
    return torch.round(input, decimals=decimals)


@view(at="special", names="modified_bessel_i0")
def _bessel_i0(input):
    return torch.special.i0(input)


@view(at="special", names="modified_bessel_i1")
def _bessel_i1(input):
    return torch.special.i1(input)


@view(at="torch")
def frobenius_norm(input, dim=(), keepdim=False):
    return torch.linalg.vector_norm(input, 2, None if dim == () or dim == [] else dim, keepdim)


@view(at="torch")
def native_channel_shuffle(input, groups):
    return torch.channel_shuffle(input, groups)


# --- Normalisation with its statistics


def _wide(input):
    return input if input.dtype == torch.float64 else input.float()


@view(at="torch")
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    axes = tuple(range(input.dim() - len(normalized_shape), input.dim()))
    # No gradient goes through the statistics that PyTorch gives here.
    variance, mean = torch.var_mean(_wide(input).detach(), axes, correction=0, keepdim=True)
    return F.layer_norm(input, normalized_shape, weight, bias, eps), mean, torch.rsqrt(variance + eps)


@view(at="torch")
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    if not prims.match(tuple(input.shape[:2]), (N, C)):
        raise RuntimeError("native_group_norm: N and C are " + str(N) + " and " + str(C) + " for an input of size " + str(list(input.shape)))
    variance, mean = torch.var_mean(_wide(input).reshape(N, group, -1), 2, correction=0)
    return F.group_norm(input, group, weight, bias, eps), mean, torch.rsqrt(variance + eps)


@view(at="torch", names="batch_norm")
def _batch_norm_with_flag(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def _batch_norm_and_statistics(input, weight, bias, running_mean, running_var, training, momentum, eps):
    result = F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return result, input.new_zeros((0,)), input.new_zeros((0,))
    variance, mean = torch.var_mean(_wide(input), (0,) + tuple(range(2, input.dim())), correction=0)
    kind = input.dtype if weight is None else weight.dtype
    return result, mean.to(kind).detach(), torch.rsqrt(variance + eps).to(kind).detach()


@view(at="torch")
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    return _batch_norm_and_statistics(input, weight, bias, running_mean, running_var, training, momentum, eps)


@view(at="torch", names="_native_batch_norm_legit")
def _native_batch_norm_legit(input, weight, bias, running_mean, running_var, training=None, momentum=None, eps=None):
    if eps is None:
        training, momentum, eps = running_mean, running_var, training if momentum is None else momentum
        return _batch_norm_and_statistics(input, weight, bias, None, None, training, momentum, eps)
    return _batch_norm_and_statistics(input, weight, bias, running_mean, running_var, training, momentum, eps)


@view(at="torch", names="embedding")
def _embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return F.embedding(indices, weight, None if padding_idx == -1 else padding_idx, None, 2.0, scale_grad_by_freq, sparse)


# --- Losses whose reduction is a number: by default 0, whatever their schema says


def _reduction(number):
    names = ("none", "mean", "sum")
    if isinstance(number, bool) or not isinstance(number, int) or number < 0 or number > 2:
        raise ValueError(str(number) + " is not a valid value for reduction")
    return names[number]


@view(at="torch", names="kl_div")
def _kl_div(input, target, reduction=0, *, log_target=False):
    return F.kl_div(input, target, reduction=_reduction(reduction), log_target=log_target)


@view(at="torch", names="binary_cross_entropy_with_logits")
def _binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    return F.binary_cross_entropy_with_logits(input, target, weight, reduction=_reduction(reduction), pos_weight=pos_weight)


@view(at="torch", names="cosine_embedding_loss")
def _cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=_reduction(reduction))


@view(at="torch", names="hinge_embedding_loss")
def _hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    return F.hinge_embedding_loss(input, target, margin, reduction=_reduction(reduction))


@view(at="torch", names="margin_ranking_loss")
def _margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=_reduction(reduction))


@view(at="torch", names="triplet_margin_loss")
def _triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction=0):
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_reduction(reduction))


@view(at="torch", names="poisson_nll_loss")
def _poisson_nll_loss(input, target, log_input, full, eps, reduction):
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_reduction(reduction))

# --- Inner operators ---------------------------------------------------------------------------------


@view(at="torch")
def alias_copy(input):
    return input.clone()


@view(at="torch", names="_chunk_cat")
def _chunk_cat(tensors, dim, num_chunks):
    pieces = []
    for tensor in tensors:
        axis = dim % tensor.dim()
        size = tensor.shape[axis]
        missing = (size + num_chunks - 1) // num_chunks * num_chunks - size
        padded = prims.pad(tensor, [0, 0] * (tensor.dim() - axis - 1) + [0, missing], 0)
        pieces.append(padded.reshape(tuple(tensor.shape[:axis]) + (num_chunks, -1)))
    return torch.cat(pieces, axis + 1)


def _within(input, indices):
    """Indices of places, those outside at the nearest one: a mask keeps them from counting."""
    return tuple(
        slice(None) if index is None else torch.clamp(index, -input.shape[axis], input.shape[axis] - 1)
        for axis, index in enumerate(indices)
    )


@view(at="torch", names="_unsafe_masked_index")
def _masked_index(input, mask, indices, fill):
    return input[_within(input, indices)].masked_fill(~mask, fill)


@view(at="torch", names="_unsafe_masked_index_put_accumulate")
def _masked_index_put(input, mask, indices, values):
    return input.index_put(_within(input, indices), values.masked_fill(~mask, 0), True)
