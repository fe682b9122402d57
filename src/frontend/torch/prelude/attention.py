# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention: each row of the result is the mean of the values, weighted by a softmax of the row's scores."""


def _safe_softmax_gradient(grad, result, input, dim, dtype):
    return result * (grad - torch.sum(grad * result, dim, True))


@op("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", at="torch", grad=_safe_softmax_gradient)
def _safe_softmax(input, dim, dtype=None):
    """A softmax of which lines of -inf alone are 0, where others are NaN."""
    if dtype is not None:
        input = input.to(dtype)
    maximum = prims.amax(input, dim, True).detach()
    # Chosen for lines, not for elements: a sum over these is an online one.
    is_hidden = maximum == float("-inf")
    numerator = torch.exp(input - torch.where(is_hidden, 0.0, maximum))
    return numerator / torch.where(is_hidden, 1.0, torch.sum(numerator, dim, True))


def _product(left, right, grouped):
    """The product of matrices; where heads are grouped, each of `right` is for several neighbours of `left`."""
    if not grouped:
        return torch.matmul(left, right)
    return torch.matmul(left.unflatten(-3, (right.shape[-3], -1)), right.unsqueeze(-3)).flatten(-4, -3)


def _scores_gradient(grad, query, key, grouped):
    # A product of halves for each of both, as PyTorch's kernels have it.
    grad = prims.rounded(grad)
    if not grouped:
        return {"query": torch.matmul(grad, key), "key": torch.matmul(grad.mT, query)}
    grad, query = (part.unflatten(-3, (key.shape[-3], -1)) for part in (grad, query))
    grad_query = torch.matmul(grad, key.unsqueeze(-3)).flatten(-4, -3)
    return {"query": grad_query, "key": torch.sum(torch.matmul(grad.mT, query), -3)}


@op("nereid::scores(Tensor query, Tensor key, bool grouped) -> Tensor", at="prims", names="scores", grad=_scores_gradient)
def _scores(query, key, grouped):
    return _product(query, key.mT, grouped)


def _mean_gradient(grad, result, scores, value, grouped):
    weights = _safe_softmax(scores, -1)
    # As PyTorch's kernels have it: the sum that a softmax's gradient takes away, from the result.
    taken = torch.sum(grad * prims.rounded(result), -1, True)
    grad_scores = weights * (_product(grad, value.mT, grouped) - taken)
    weights = prims.rounded(weights)
    if not grouped:
        return {"scores": grad_scores, "value": torch.matmul(weights.mT, grad)}
    weights, grad = (part.unflatten(-3, (value.shape[-3], -1)) for part in (weights, grad))
    return {"scores": grad_scores, "value": torch.sum(torch.matmul(weights.mT, grad), -3)}


@op("nereid::weighted_mean(Tensor scores, Tensor value, bool grouped) -> Tensor", at="prims", names="weighted_mean", grad=_mean_gradient)
def _weighted_mean(scores, value, grouped):
    return _product(prims.rounded(_safe_softmax(scores, -1)), value, grouped)


def _drops(p):
    """Whether dropout with this probability changes anything, at some call."""
    if not prims.is_known(p):
        return prims.refuse("the probability of dropout is not known while converting", "give it a number")
    if prims.is_live(p, 0.0, 1.0):
        return True
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return p != 0


def _masked(scores, mask):
    if mask.dtype == torch.bool:
        mask = torch.where(mask, 0.0, float("-inf"))
    return scores + mask


@op(
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    at="prims",
    names="attention",
    dtypes="first",
)
def _attention(query, key, value, attn_mask, seed, dropout_p, is_causal, scale, enable_gqa):
    scores = prims.scores(query, key, enable_gqa) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        rows, columns = torch.arange(scores.shape[-2]), torch.arange(scores.shape[-1])
        scores = prims.visible(rows[:, None] >= columns, scores)
    if attn_mask is not None:
        scores = _masked(scores, attn_mask)
    if seed is None:
        return prims.weighted_mean(scores, value, enable_gqa)
    weights = prims.drop(_safe_softmax(scores, -1), seed, scores.shape, dropout_p)
    return _product(prims.rounded(weights), value, enable_gqa)


@view(at="F")
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    name = "scaled_dot_product_attention"
    for tensor in (query, key, value):
        if tensor.dim() < 2:
            raise RuntimeError(f"{name}: query, key and value need at least 2 dimensions, found {tensor.dim()}")
        if tensor.dtype != query.dtype and not torch.is_autocast_enabled():
            raise RuntimeError(f"{name}: query, key and value need one dtype, found {query.dtype} and {tensor.dtype}")
    if attn_mask is not None:
        if attn_mask.dtype not in (torch.bool, torch.float32, query.dtype) and not torch.is_autocast_enabled():
            raise RuntimeError(f"{name}: the mask must be bool, float32 or of the query's dtype, found {attn_mask.dtype}")
        if is_causal:
            raise RuntimeError(f"{name}: attn_mask must be None where is_causal is True")
    if enable_gqa:
        for tensor in (key, value):
            # Of a quotient of two symbols little can be proved.
            heads = prims.fixed(tensor.shape[-3])
            if query.shape[-3] % heads != 0:
                raise RuntimeError(f"{name}: the query has {query.shape[-3]} heads, no multiple of {heads}")
    drops = _drops(dropout_p)
    if drops and not prims.draws():
        return prims.unknown(query)
    seed = prims.seed() if drops else None
    return prims.attention(query, key, value, attn_mask, seed, dropout_p, is_causal, scale, enable_gqa)


# --- Many heads -----------------------------------------------------------------------------------


def _added_mask(mask, name, dtype):
    """A mask as what is added to the scores: True stands for -inf."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype != torch.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, float("-inf"))


def _projected(query, key, value, weight, bias):
    """Queries, keys and values of one matrix; what is the same tensor is read once."""
    width = weight.shape[-1]

    def project(input, first, last):
        rows = slice(first * width, last * width)
        return F.linear(input, weight[rows], None if bias is None else bias[rows])

    def part(tensor, place):
        return tensor[..., place * width : (place + 1) * width]

    if query is key and key is value:
        all = F.linear(query, weight, bias)
        return part(all, 0), part(all, 1), part(all, 2)
    if key is value:
        both = project(key, 1, 3)
        return project(query, 0, 1), part(both, 0), part(both, 1)
    return project(query, 0, 1), project(key, 1, 2), project(value, 2, 3)


def _projected_apart(inputs, weights, bias):
    width = weights[0].shape[0]
    parts = [None if bias is None else bias[place * width : (place + 1) * width] for place in range(3)]
    return [F.linear(input, weight, part) for input, weight, part in zip(inputs, weights, parts)]


def _check_ranks(query, key, value, key_padding_mask, attn_mask):
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(f"expected `key` and `value` to be {rank}-D as `query` is, but found {key.dim()}-D and {value.dim()}-D tensors")
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(f"expected `key_padding_mask` to be {rank - 1}-D, but found a {key_padding_mask.dim()}-D tensor")
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(f"expected `attn_mask` to be 2-D or 3-D, but found a {attn_mask.dim()}-D tensor")


def _heads(tensor, count):
    """(time, batch, width) as (batch, heads, time, width of a head)."""
    return tensor.unflatten(-1, (count, -1)).permute(1, 2, 0, 3)


def _static(tensor, count):
    return tensor.unflatten(0, (-1, count))


def _mask_of_heads(attn_mask, key_padding_mask, heads):
    """The sum of both masks, of the rank of the scores."""
    if attn_mask is not None and attn_mask.dim() == 3:
        attn_mask = attn_mask.unflatten(0, (-1, heads))
    if key_padding_mask is None:
        return attn_mask
    key_padding_mask = key_padding_mask[:, None, None, :]
    return key_padding_mask if attn_mask is None else attn_mask + key_padding_mask


def _longer(mask):
    return None if mask is None else F.pad(mask, (0, 1))


@export(at="F")
def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    _check_ranks(query, key, value, key_padding_mask, attn_mask)
    batched = query.dim() == 3
    if not prims.match((query.shape[-1],), (embed_dim_to_check,)):
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {query.shape[-1]}")
    if embed_dim_to_check % num_heads != 0:
        raise AssertionError(f"embed_dim {embed_dim_to_check} not divisible by num_heads {num_heads}")
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    dtype = query.dtype
    key_padding_mask = _added_mask(key_padding_mask, "key_padding_mask", dtype)
    # The mask says nothing else, and need not be read.
    is_causal = is_causal and key_padding_mask is None and not need_weights
    attn_mask = None if is_causal else _added_mask(attn_mask, "attn_mask", dtype)
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _projected_apart((query, key, value), weights, in_proj_bias)
    else:
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    if not batched:
        q, k, v = q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    if (bias_k is None) != (bias_v is None):
        raise AssertionError("bias_k and bias_v are given both or none")
    if bias_k is not None:
        if static_k is not None or static_v is not None:
            raise AssertionError("bias cannot be added to static key and value.")
        k = torch.cat([k, bias_k.expand(1, k.shape[1], -1)])
        v = torch.cat([v, bias_v.expand(1, v.shape[1], -1)])
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
    q = _heads(q, num_heads)
    k = _heads(k, num_heads) if static_k is None else _static(static_k, num_heads)
    v = _heads(v, num_heads) if static_v is None else _static(static_v, num_heads)
    if add_zero_attn:
        k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
    mask = _mask_of_heads(attn_mask, key_padding_mask, num_heads)
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        scores = torch.matmul(q * (embed_dim_to_check // num_heads) ** -0.5, k.mT)
        weights = F.dropout(F.softmax(scores if mask is None else scores + mask, -1), dropout_p)
        result = torch.matmul(weights, v)
    else:
        result = F.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    result = F.linear(result.permute(2, 0, 1, 3).flatten(2), out_proj_weight, out_proj_bias)
    result = result if batched else result.squeeze(1)
    if not need_weights:
        return result, None
    weights = weights.mean(1) if average_attn_weights else weights
    return result, weights if batched else weights.squeeze(0)
