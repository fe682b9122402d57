# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules by which random programs grow: each draws one statement of its family, or gives up."""

import torch

MAPS = """torch.sin({0})|{0}.cos()|torch.tanh({0})|torch.sigmoid({0})|({0} * 0.5).exp()|F.gelu({0})|F.silu({0})
|F.softplus({0})|torch.erf({0})|torch.atan({0})|1.0 / (1.0 + {0} * {0})|torch.rsqrt({0} * {0} + 1.0)
|({0}.abs() + 1.0).sqrt()|torch.log1p({0}.abs())|{0}.square()|{0} * 0.7 + 0.1|F.elu({0})|torch.exp(-{0} * {0})
|F.gelu({0}, approximate="tanh")|F.mish({0})|F.logsigmoid({0})|({0}.abs() + 0.5) ** 1.5|1 - {0}|{0} / 3
|torch.expm1({0} * 0.3)|F.softsign({0})|torch.asinh({0})|{0} ** 3 * 0.1|torch.lerp({0}, {0} * 2, 0.3)"""
# What is exact where its operand is, and has a kink: near to it the last digit decides.
KINKS = """torch.relu({0})|{0}.abs()|{0}.clamp(-0.5, 0.75)|{0}.clamp(min=0.25)|-{0}|{0} * 2|F.hardtanh({0})
|{0}.clamp_max(0.5)|F.threshold({0}, 0.25, 0.0)|{0} / 2|{0}.neg()|F.relu6({0} * 4)|torch.where({0} > 0, {0}, 0.0)"""
STEPS = "torch.floor({0})|torch.sign({0})|{0}.round()|torch.trunc({0} * 2)|{0}.ceil()"
BINARY = """{0} + {1}|{0} * {1}|{0} - {1}|{0} / (1.0 + {1}.abs())|torch.atan2({0}, {1}.abs() + 1.0)
|torch.add({0}, {1}, alpha=0.5)|torch.lerp({0}, {1}, 0.25)|torch.hypot({0}, {1} + 3.0)|torch.logaddexp({0}, {1})
|{0} * torch.sigmoid({1})|torch.addcmul({0}, {1}, {1}, value=0.5)|(1 + {0} * {0}) ** torch.sigmoid({1})"""
CHOICES = "torch.maximum({0}, {1})|torch.minimum({0}, {1})|torch.where({0} > {1}, {0}, {1})|torch.copysign({0}, {1})"
FOLDS = "sum|mean|sum|mean|logsumexp|var|std|norm|square().sum|exp().mean"
ROWS = """torch.softmax({0}, {1})|F.log_softmax({0}, {1})|{0} - {0}.mean({1}, keepdim=True)
|{0} / ({0}.abs().sum({1}, keepdim=True) + 1.0)|F.normalize({0}, dim={1}, eps=0.1)
|({0} - {0}.mean({1}, keepdim=True)) / ({0}.var({1}, keepdim=True, unbiased=False) + 0.1).sqrt()
|{0} * torch.rsqrt({0}.square().mean({1}, keepdim=True) + 0.1)|{0} - torch.logsumexp({0}, {1}, keepdim=True)
|torch.softmax({0} * 3, {1}) * {0}|{0} * torch.softmax({0}, {1}).sum({1}, keepdim=True)|F.softmin({0}, {1})
|{0} / {0}.exp().sum({1}, keepdim=True)|{0} * {0}.amax({1}, keepdim=True).sigmoid()"""
SCANS = """{0}.cumsum({1})|({0} * 0.1 + 1.0).cumprod({1})|torch.logcumsumexp({0}, {1})
|{0}.flip({1}).cumsum({1}).flip({1})|{0}.cumsum({1}) / 4.0|({0} * {0}).cumsum({1}).sqrt()"""
EXACT_SCANS = "{0}.cummax({1}).values|{0}.cummin({1})[0]"


def split(table):
    return [part.strip() for part in table.replace("\n", "").split("|")]


def dim_of(writer, name):
    """An axis, from the front or from the back."""
    dim = writer.random.randrange(writer.rank(name))
    return dim, dim if writer.random.random() < 0.5 else dim - writer.rank(name)


def ranked(writer, least=1, most=4):
    return lambda name: least <= writer.rank(name) <= most


def extend_map(writer):
    x = writer.find()
    return writer.add(writer.choose(*split(MAPS)).format(x))


def extend_kink(writer):
    x = writer.find_exact() or writer.find()
    return writer.add(writer.choose(*split(KINKS)).format(x), x in writer.exact)


def extend_step(writer):
    x = writer.find_exact()
    return x and writer.add(writer.choose(*split(STEPS)).format(x), True)


def extend_binary(writer):
    x = writer.find()
    y = writer.find_like(x)
    return y and writer.add(writer.choose(*split(BINARY)).format(*writer.random.sample([x, y], 2)))


def extend_choice(writer):
    x = writer.find_exact()
    y = x and writer.find_like(x)
    return y in writer.exact and writer.add(writer.choose(*split(CHOICES)).format(x, y), True)


def extend_fold(writer):
    x = writer.find(ranked(writer))
    if not x:
        return False
    rank, keep = writer.rank(x), writer.choose("", ", keepdim=True")
    dims = sorted(writer.random.sample(range(rank), writer.random.randint(1, min(rank, 2))))
    text = str(dims[0]) if len(dims) == 1 else str(tuple(dims))
    fold = writer.choose(*split(FOLDS))
    if fold == "norm":
        return writer.add(f"({x}.square().sum({text}{keep}) + 0.1).sqrt()")
    if fold in ("var", "std"):
        keep += writer.choose(", unbiased=False", "", ", correction=0")
        x = f"({x} + 0)" if fold == "var" else f"({x} * 2.0)"
    if writer.random.random() < 0.15 and fold in ("sum", "mean"):
        return writer.add(f"{x}.{fold}()")
    return writer.add(f"{x}.{fold}({text}{keep})")


def extend_extreme(writer):
    x = writer.find_exact(ranked(writer))
    if not x:
        return False
    dim, keep = dim_of(writer, x)[1], writer.choose("", ", keepdim=True")
    text = writer.choose(
        f"{x}.amax({dim}{keep})",
        f"{x}.amin({dim}{keep})",
        f"{x}.max({dim}{keep}).values",
        f"torch.min({x}, {dim}{keep})[0]",
        f"{x}.argmax({dim}{keep})",
        f"({x} > 0).sum({dim}{keep})",
        f"({x} > 0.5).any({dim}{keep})",
        f"{x}.max()",
    )
    return writer.add(text, True)


def extend_row(writer):
    x = writer.find(ranked(writer))
    return x and writer.add(writer.choose(*split(ROWS)).format(x, dim_of(writer, x)[1]))


def extend_layer_norm(writer):
    x = writer.find(ranked(writer, 2))
    size = x and writer.size_name(writer.shape(x)[-1])
    if not size:
        return False
    dtypes = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16"}
    weight = writer.add_parameter(dtypes[writer.value(x).dtype], [size])
    return writer.add(f"F.layer_norm({x}, ({x}.shape[-1],), {weight})")


def extend_scan(writer):
    x = writer.find(ranked(writer))
    return x and writer.add(writer.choose(*split(SCANS)).format(x, dim_of(writer, x)[1]))


def extend_exact_scan(writer):
    x = writer.find_exact(ranked(writer))
    return x and writer.add(writer.choose(*split(EXACT_SCANS)).format(x, dim_of(writer, x)[1]), True)


def extend_view(writer):
    x = writer.find(ranked(writer), None)
    if not x:
        return False
    rank, (place, dim) = writer.rank(x), dim_of(writer, x)
    order = writer.random.sample(range(rank), rank)
    other = writer.random.randrange(rank)
    first = min(place, rank - 2)
    options = [
        f"{x}.transpose({place}, {other})",
        f"{x}.permute({', '.join(map(str, order))})",
        f"{x}.unsqueeze({dim})",
        f"{x}.flatten({first}, {first + 1})" if rank > 1 else f"{x}.view(-1, 1)",
        f"{x}.reshape(-1)",
        f"{x}.reshape({x}.shape[0], -1)",
        f"{x}.flip({dim})",
        f"torch.roll({x}, {writer.choose(1, 2, -1)}, {dim})",
        f"{x}.narrow({dim}, 1, {x}.shape[{dim}] - 1)",
        f"{x}[{':, ' * place}1:]",
        f"{x}[{':, ' * place}:-1]",
        f"{x}[{':, ' * place}::{writer.choose(2, 3)}]",
        f"{x}.select({dim}, {writer.choose(0, -1)})",
        f"{x}[{':, ' * place}0]",
        f"{x}.movedim({place}, {other})",
        f"{x}[..., None]",
        f"{x}.contiguous()",
        f"{x}.squeeze({dim})",
    ]
    if writer.shape(x)[place] % 2 == 0:
        options += [f"{x}.unflatten({dim}, (2, -1))", f"{x}.chunk(2, {dim})[{writer.choose(0, 1)}]"] * 3
    return writer.add(writer.random.choice(options), x in writer.exact)


def extend_repeat(writer):
    x = writer.find(ranked(writer), None)
    if not x:
        return False
    place, dim = dim_of(writer, x)
    ones = [1] * writer.rank(x)
    ones[place] = 2
    sizes = ", ".join(["-1"] * writer.rank(x))
    text = writer.choose(
        f"{x}.repeat({', '.join(map(str, ones))})",
        f"{x}.repeat_interleave(2, {dim})",
        f"{x}.unsqueeze(0).expand(3, {sizes})",
        f"torch.tile({x}, (2,))",
        f"{x}.unsqueeze({place}).expand({', '.join(['-1'] * place + ['2'] + ['-1'] * (writer.rank(x) - place))})",
    )
    return writer.add(text, x in writer.exact)


def extend_joined(writer):
    x = writer.find(ranked(writer))
    if not x:
        return False
    place, dim = dim_of(writer, x)

    def fits(other):
        mine, theirs = list(writer.shape(x)), list(writer.shape(other))
        if len(mine) == len(theirs):
            mine[place] = theirs[place] = 0
        return mine == theirs

    y = writer.find(fits)
    if not y:
        return False
    parts = writer.choose(f"[{x}, {y}]", f"[{x}, {y}, {x}]", f"[{y}, {x}]", f"[{x}[{':, ' * place}:2], {y}]")
    text = f"torch.stack({parts}, {dim})" if writer.random.random() < 0.3 else f"torch.cat({parts}, {dim})"
    return writer.add(text, {x, y} <= writer.exact)


def extend_pad(writer):
    x = writer.find(ranked(writer))
    if not x:
        return False
    a, b = writer.random.randint(0, 2), writer.random.randint(0, 2)
    text = writer.choose(
        f"F.pad({x}, ({a}, {b}))",
        f"F.pad({x}, ({a}, {b}), value=0.5)",
        f"F.pad({x}, ({a}, {b}, {b}, 1))",
        f'F.pad({x}, ({a}, {b}), mode="{writer.choose("replicate", "reflect", "circular")}")',
        f"F.pad({x}, (-1, {b}))",
        f"{x}.unfold({dim_of(writer, x)[1]}, 2, {writer.choose(1, 2)})",
        f"{x}.diff(dim={dim_of(writer, x)[1]})",
    )
    return writer.add(text, x in writer.exact and "diff" not in text)


def extend_mask(writer):
    x = writer.find()
    mask = writer.find_like(x, False)
    e = writer.find_exact(lambda name: writer.shape(name) == writer.shape(x))
    options = [f"torch.tril({x})", f"{x}.triu(1)", f"torch.tril({x}, -1)"]
    if e:
        options += [f"{x}.masked_fill({e} > 0, 0.25)", f"torch.where({e} > 0.1, {x}, {x} * 0.5)", f"{x} * ({e} < 0)"]
    if mask:
        test = mask if "bool" in str(writer.value(mask).dtype) else f"({mask} % 2 == 0)"
        options += [f"torch.where({test}, {x}, -1.0)", f"{x}.masked_fill({test}, 0.0)", f"{x} + {mask}"] * 2
    if writer.rank(x) and "N" == writer.size_name(writer.shape(x)[-1]):
        options += [f"{x}.masked_fill(torch.arange({x}.shape[-1]) % 2 == 0, 0.0)"]
    return writer.add(writer.random.choice(options))


def extend_mask_parameter(writer):
    x = writer.find(ranked(writer))
    sizes = x and [writer.size_name(size) for size in writer.shape(x)]
    if not sizes or None in sizes:
        return False
    sizes = sizes[writer.random.randrange(len(sizes)) :]
    mask = writer.add_parameter("bool", sizes)
    options = [f"{x}.masked_fill({mask}, -1.0)", f"torch.where({mask}, {x}, 0.5)", f"{x} * {mask}", f"{x} + ~{mask}"]
    return writer.add(writer.random.choice(options))


def extend_gather(writer):
    x = writer.find(ranked(writer, 1, 3))
    if not x:
        return False
    place, dim = dim_of(writer, x)
    sizes = [writer.size_name(size) for size in writer.shape(x)]
    if None in sizes:
        return False
    if writer.random.random() < 0.5:
        index = writer.add_parameter("i64", [writer.choose("M", "N", "K", 4)], sizes[place])
        text = writer.choose(f"{x}.index_select({dim}, {index})", f"{x}[{':, ' * place}{index}]")
    else:
        sizes[place], below = writer.choose(sizes[place], "K", 3), sizes[place]
        index = writer.add_parameter("i64", sizes, below)
        text = writer.choose(f"{x}.gather({dim}, {index})", f"torch.take_along_dim({x}, {index}, {dim})")
    return writer.add(text, x in writer.exact)


def extend_scatter(writer):
    x = writer.find(ranked(writer, 1, 3))
    if not x:
        return False
    place, dim = dim_of(writer, x)
    sizes = [writer.size_name(size) for size in writer.shape(x)]
    if None in sizes:
        return False
    below = writer.choose("K", "N", 4)
    length = {"K": 13, "N": 9, 4: 4}[below]
    holder = writer.find(lambda name: length in writer.shape(name))
    if not holder:
        return False
    extent = f"{holder}.shape[{writer.shape(holder).index(length)}]"
    target = ", ".join(extent if at == place else f"{x}.shape[{at}]" for at in range(len(sizes)))
    zeros = f"{x}.new_zeros({target})"
    if writer.random.random() < 0.5:
        index = writer.add_parameter("i64", [sizes[place]], below)
        return writer.add(f"{zeros}.index_add({dim}, {index}, {x})")
    index = writer.add_parameter("i64", sizes, below)
    return writer.add(f"{zeros}.scatter_add({dim}, {index}, {x})")


def extend_sort(writer):
    x = writer.find_exact(ranked(writer))
    if not x:
        return False
    place, dim = dim_of(writer, x)
    down = writer.choose("", ", descending=True")
    # Of equal elements PyTorch's topk may pick any, and halves are often equal.
    is_half = writer.value(x).dtype in (torch.float16, torch.bfloat16)
    text = writer.choose(
        f"{x}.sort({dim}{down}).values",
        f"{x}.sort({dim}{down}, stable=True)[1]",
        f"{x}.gather({dim}, {x}.argsort({dim}, stable=True))",
        f"{x}.amax({dim}, keepdim=True)" if is_half else f"{x}.topk(1, {dim}).values",
    )
    return writer.add(text, True)


def extend_layer(writer):
    """Layers as people write them, each over the axes that it wants."""
    x = writer.find(ranked(writer))
    if not x:
        return False
    rank, dim = writer.rank(x), dim_of(writer, x)[1]
    options = [
        f"F.rms_norm({x}, ({x}.shape[-1],), eps=0.1)",
        f"F.glu(torch.cat([{x}, {x} * 2], {dim}), {dim})",
        f"{x}.masked_fill({x} > 0.5, float('-inf')).softmax({dim})",
        f"torch.softmax(torch.where({x} > 2.5, float('-inf'), {x}), {dim})",
        f"{x}.sum({dim}, dtype=torch.float32)",
        f"({x} * 0.5 + 1.0).prod({dim})",
        f"torch.nan_to_num({x} / 0.0 * 0.0, nan=0.5) + {x}",
        f"{x}.unsqueeze(-1) * {x}.unsqueeze(-2)",
        f"torch.linalg.vector_norm({x} + 2.0, dim={dim})",
        f"{x}.nanmean({dim})",
        f"torch.aminmax({x}, dim={dim})[1]",
    ]
    y = writer.find(lambda name: writer.shape(name) == writer.shape(x))
    options += [
        f"F.mse_loss({x}, {y})",
        f"F.smooth_l1_loss({x}, {y}, reduction='none')",
        f"F.binary_cross_entropy_with_logits({x}, torch.sigmoid({y}))",
        f"F.kl_div(F.log_softmax({x}, -1), torch.softmax({y}, -1), reduction='sum')",
        f"F.cosine_similarity({x} + 1.0, {y}, dim={dim})",
        f"F.huber_loss({x}, {y}, delta=0.5)",
        f"({x} * {y}).sum({dim}, keepdim=True) * {x}",
        f"torch.stack([{x}, {y}], {dim}).amax({dim})",
    ]
    if rank == 2:
        options += [
            f"F.batch_norm({x}, None, None, training=True, eps=0.1)",
            f"torch.einsum('ij,ij->i', {x}, {y})",
            f"{x}.diagonal()",
            f"torch.outer({x}[0], {y}[:, 0])",
            f"F.pairwise_distance({x}, {y} + 1.0)",
            # Not trace(): of matrices with more rows than columns PyTorch's gradient goes round to the next diagonal.
            f"{x}.diagonal().sum() * {x}",
            f"F.cross_entropy({x}, {y}.argmax(1))"
            if y in writer.exact
            else f"F.cross_entropy({x}, torch.softmax({y}, 1))",
        ] * 2
    if rank == 3:
        options += [
            f"F.avg_pool1d({x}, 2)",
            f"F.max_pool1d({x}, 2)",
            f"F.group_norm({x}, 1, eps=0.1)",
            f"F.instance_norm({x}, eps=0.1)",
            f"F.interpolate({x}, scale_factor=2)",
            f"F.adaptive_avg_pool1d({x}, 1)",
            f"torch.einsum('ijk->kj', {x})",
            f"{x}.diagonal(dim1=-1, dim2=-2)" if writer.shape(x)[1] == writer.shape(x)[2] else f"{x}.swapaxes(0, 2)",
        ] * 2
    if rank == 4:
        options += [
            f"F.avg_pool2d({x}, 2)",
            f"F.max_pool2d({x}, 2, 1)",
            f"F.batch_norm({x}, None, None, training=True)",
        ] * 4
    text = writer.random.choice(options)
    kinked = ("> 0.5", "> 2.5", "aminmax", "max_pool", "amax", "smooth", "huber", "argmax")
    if any(word in text for word in kinked) and x not in writer.exact:
        return False
    return writer.add(text)


def extend_cast(writer):
    x = writer.find(floats=None)
    to = writer.choose("torch.float32", "torch.bfloat16", "torch.float16", "torch.float64")
    if writer.family == "f64" and writer.is_float(x):
        return False
    return writer.add(f"{x}.to({to})")


def extend_integers(writer):
    n = writer.find(lambda name: "int64" in str(writer.value(name).dtype), False)
    if not n:
        x = writer.find(ranked(writer))
        return x and writer.add(f"torch.arange({x}.shape[{dim_of(writer, x)[0]}])", True)
    text = writer.choose(f"{n} * 2 + 1", f"{n} % 3", f"{n} // 2", f"({n} > 1)", f"{n}.float()", f"-{n}", f"{n} & 3")
    return writer.add(text, True)


def extend_in_place(writer):
    x = writer.find(ranked(writer))
    if not x:
        return False
    place, _ = dim_of(writer, x)
    y = writer.find(lambda name: writer.shape(name) == writer.shape(x))
    at = ":, " * place
    text = writer.choose(
        f"@ = {x}.clone()\n@[{at}1:] += {y}[{at}:-1]",
        f"@ = {x} * 1.5\n@[{at}0] = 0.25",
        f"@ = {x}.sin()\n@.mul_({y}).add_(0.5)",
        f"@ = {x} + 1\n@[{at}::2] *= 0.5",
        f"@ = torch.zeros_like({x})\n@[{at}1:] = {x}[{at}:-1]",
        f"@ = {x}.clone()\n@[{at}-1].mul_(2.0)",
        f"@ = torch.empty_like({x})\n@[{at}:2] = 1.0\n@[{at}2:] = {y}[{at}2:]",
        f"@ = {x}.cos()\npart = @[{at}1:]\npart.add_({y}[{at}1:] * 0.5)",
    )
    return writer.add(text)


def extend_loop(writer):
    x = writer.find(ranked(writer))
    if not x:
        return False
    place, _ = dim_of(writer, x)
    text = writer.choose(
        f"@ = {x}\nfor k in range(3):\n    @ = torch.sin(@ + k) * 0.5 + @ * 0.5",
        f"@ = {x} * 0.5\nfor k in range(2):\n    @ = @ - 0.25 * (@ * @ - {x}).mean({place}, keepdim=True)",
        f"@ = torch.softmax(torch.stack([{x} * k for k in range(1, 4)]), 0).sum(0) * {x}",
    )
    return writer.add(text)


def extend_moving_state(writer):
    """A loop that reads what it carries at places that move with its turns, or that it finds."""
    x = writer.find(ranked(writer, 2, 2))
    if not x:
        return False
    other = writer.choose(
        f"@[k % {x}.shape[1]]",
        f"@[-1 - k % {x}.shape[1]]",
        f"@[{x}[k].argmax()]",
        "@[@.argmin()]",
        "@.roll(1)",
        "@.flip(0)",
        f"@[(k + 1) % {x}.shape[1] :].sum()",
    )
    start = writer.choose(f"{x}.mean(0)", f"torch.zeros_like({x}.mean(0))", f"{x}.mean(0).sin()")
    step = writer.choose(f"@ * 0.5 + {x}[k] * {other}", f"torch.maximum(@ * 0.5, {other} - {x}[k])")
    return writer.add(f"@ = {start}\nfor k in range({x}.shape[0]):\n    @ = {step}")


RULES = {
    extend_map: 10,
    extend_kink: 5,
    extend_step: 1,
    extend_binary: 12,
    extend_choice: 4,
    extend_fold: 9,
    extend_extreme: 5,
    extend_row: 8,
    extend_layer_norm: 2,
    extend_scan: 4,
    extend_exact_scan: 2,
    extend_view: 14,
    extend_repeat: 3,
    extend_joined: 5,
    extend_pad: 4,
    extend_mask: 5,
    extend_mask_parameter: 2,
    extend_gather: 4,
    extend_scatter: 2,
    extend_sort: 2,
    extend_layer: 9,
    extend_cast: 2,
    extend_integers: 2,
    extend_in_place: 5,
    extend_loop: 1,
    extend_moving_state: 1,
}


def extend(writer):
    """Draws one statement; it may fail to find one."""
    (rule,) = writer.random.choices(list(RULES), list(RULES.values()))
    return rule(writer)
