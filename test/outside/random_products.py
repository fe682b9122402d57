# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules of random programs with products: matrices, convolutions, attention and recurrences."""

import dataclasses

import torch

import random_rules
from random_rules import ranked, split

#: How often a statement of a program with products is one of this family.
SHARE = 0.4
NAMES = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16"}
FREE = ("M", "N", "K", 1, 2, 3, 4)

# Operands are made where a template names them: Operands says what they are.
ANY_RANK = """{x} @ {w}|torch.matmul({x}, {w})|F.linear({x}, {t})|F.linear({x}, {t}, {b})|{x} @ {v}|{x} @ {w} + {b}
|torch.einsum('...i,ij->...j', {x}, {w})|torch.tensordot({x}, {w}, dims=1)|torch.tensordot({x}, {t}, dims=([-1], [1]))
|({x}[..., :, None] * {w}).sum(-2)|({x} * {v}).sum(-1)|torch.inner({x}, {t})|F.gelu({x} @ {w}) @ {u}|{x} @ {w} @ {u}
|F.silu({x} @ {w}) * ({x} @ {like_w})|{x} + {x} @ {square}|({x} @ {square}) * {x}|({x}[..., None, :] * {t}).sum(-1)
|F.bilinear({x}, {x}, {cube}) * 0.1|torch.softmax({x} @ {w}, -1) @ {t}|torch.logsumexp({x} @ {w}, -1)
|F.log_softmax({x} @ {w} + {b}, -1)|({x}[..., None, :] - {t}).square().sum(-1)|F.rms_norm({x}, {x}.shape[-1:]) @ {w}
|(({x} @ {square}) * 0.3).softmax(-1) * {x}|F.linear({x} * {v}, {t})|({x} @ {w}).sum(0)|({x} @ {w}).cumsum(-1)
|torch.cat([{x} @ {w}, {x} @ {like_w}], -1)|({x} @ {w}).reshape(-1)|{x} @ {w} / {x}.shape[-1] ** 0.5
|({x}.{wide}() @ {w}.{wide}()).to({x}.dtype)|({x} @ {w}).amax(-1, keepdim=True) - {x}.sum(-1, keepdim=True)
|torch.einsum('...e,eij,...i->...j', torch.softmax({x} @ {w}, -1), {experts}, {x})|({x} @ {w}).mT @ ({x} @ {like_w})
|{x} @ {w} + (({x} @ {like_w}) @ {u}).sum(-1, keepdim=True)|F.linear(F.normalize({x}, dim=-1, eps=0.1), {t})
|{x} @ ({w} @ {u})|({x} @ {w}).softmax(-1).cumsum(-1)|F.layer_norm({x} @ {w} + {b}, {b}.shape)"""
OF_VECTOR = """torch.mv({t}, {x})|torch.dot({x}, {v})|torch.outer({x}, {b})|({x}[:, None] * {w}).sum(0)|{t} @ {x}
|torch.addmv({b}, {t}, {x}, beta=0.5, alpha=2.0)|torch.einsum('i,ij->j', {x}, {w})|torch.addr({w}, {x}, {b})
|torch.einsum('i,j->ij', {x}, {b})|torch.dot({x}, {v}) * {x}|torch.outer({x}, {x}) @ {w}|torch.vdot({x}, {x})"""
OF_MATRIX = """torch.mm({x}, {w})|torch.addmm({b}, {x}, {w})|torch.addmm({b}, {x}, {w}, beta=0.5, alpha=0.25)
|torch.einsum('ij,jk->ik', {x}, {w})|torch.einsum('ij,jk->ki', {x}, {w})|torch.einsum('ij,kj->ik', {x}, {t})
|torch.linalg.multi_dot([{x}, {w}, {u}])|torch.mv({x}, {v})|torch.einsum('ij,ik->jk', {x}, {x})|{x} @ {x}.T
|torch.bmm({x}[None], {w}[None])[0]|({x}[:, :, None] * {w}[None]).sum(1)|{x}.T @ {x}|torch.einsum('ij,jk->k', {x}, {w})
|torch.tensordot({x}, {x}, dims=([0], [0]))|torch.einsum('ij,jk,kl->il', {x}, {w}, {u})|({x}[:, None] * {t}).mean(-1)
|torch.addmv({x} @ {v}, {x}, {v}, alpha=0.5)|{x}.expand(2, -1, -1) @ {w}|({x} @ {w}) @ ({x} @ {w}).T * 0.1
|F.cross_entropy({x} @ {w}, {labels})|({x} @ {w}).gather(1, {labels}[:, None])|{x} @ {w}[:, {labels}]
|F.log_softmax({x} @ {w}, 1)[torch.arange({x}.shape[0]), {labels}]"""
OF_BATCH = """torch.bmm({x}, {g})|{x} @ {g}|torch.baddbmm({b}, {x}, {g})|torch.baddbmm({b}, {x}, {g}, beta=0.5, alpha=2)
|torch.einsum('bij,bjk->bik', {x}, {g})|torch.einsum('bij,jk->bik', {x}, {w})|torch.einsum('bij,bik->bjk', {x}, {x})
|torch.bmm({x}, {x}.mT)|torch.einsum('bij,bjk->ik', {x}, {g})|{x} @ {w}[None]|torch.addbmm({b}, {x}, {g})
|({x}[:, :, :, None] * {g}[:, None]).sum(2)|torch.tensordot({x}, {g}, dims=([0, 2], [0, 1]))|{x} @ {g}[:1]|{x}[:1] @ {g}
|{x} @ {g}.sum(0)|{x}[0] @ {g}|{x} @ {w}.expand({x}.shape[0], -1, -1)|torch.einsum('bij,bkj->bk', {x}, {g}.mT)
|{x}.transpose(0, 1) @ {w}|{x}.flatten(0, 1) @ {w}|{x}[:, None] @ {w}.expand(2, -1, -1)
|torch.cat([{x}.softmax(-1), {x}], 1) @ {w}|F.pad(F.normalize({x}, dim=-1, eps=0.1), (0, 0, 1, -1)) @ {w}
|{x}.softmax(-1).roll(1, 1) @ {w}|{x}.softmax(-1).repeat(1, 2, 1).roll(1, 1) @ {w}"""
OF_HEADS = """torch.einsum('bhqd,bhkd->bhqk', {x}, {x})|{x} @ {g}|torch.einsum('bhqd,hde->bqhe', {x}, {g})|{x} @ {x}.mT
|{x}.flatten(0, 1) @ {w}|{x}.transpose(1, 2).flatten(2) @ {x}.transpose(1, 2).flatten(2).mT
|torch.einsum('bhqd,de->bqe', {x}, {w})|(({x}[..., None] * {w}).sum(-2)).mean(1)"""
BY_RANK = {1: OF_VECTOR, 2: OF_MATRIX, 3: OF_BATCH, 4: OF_HEADS}
PAIRS = """{0} @ {1}|{0} @ {1}.mT|{0}.mT @ {1}|{1} @ {0}|{1}.mT @ {0}.mT|torch.matmul({0}, {1}.transpose(-1, -2))
|torch.einsum('...ij,...kj->...ik', {0}, {1})|torch.einsum('...ij,...jk->...ki', {0}, {1})|({0} * {1}).sum(-1)
|torch.softmax({0} @ {1}.mT * 0.5, -1) @ {1}|({0}[..., :, None] * {1}[..., None, :, :]).sum(-2)"""
INTEGERS = """{n} @ {m}|torch.matmul({n}, {m})|({n} @ {m}) % 7|({n} @ {m}).float()|({n}.float() @ {f})|{n}.T @ {n}
|({n} % 2 == 0).float() @ {f}|torch.einsum('ij,jk->ik', {n}, {m})|({n}[:, :, None] * {m}).sum(1)|torch.mm({n}, {m}) > 0
|({n} @ {m}).clamp(-5, 5)|({n} * 0.25) @ {f}|({n} @ {m}).argmax(-1)"""


class NoOperand(Exception):
    pass


def add(writer, text, exact=False):
    """Adds a statement; `$` stands for the name that it sets, because `@` is a product here."""
    return writer.add(text, exact, mark="$")


class Operands(dict):
    """Weights, each made as soon as a template names it: views of parameters, of the type of a value."""

    def __init__(self, writer, x, text, inner):
        super().__init__(x=text)
        self.writer, self.value, self.inner = writer, x, inner
        self.free, self.after = writer.choose(*FREE), writer.choose(*FREE)
        self.cut = writer.choose(None, None, None, None, None, "1:", ":-1", "::2")
        if self.cut:
            self["x"] = f"{text}[..., {self.cut}]"

    def parameter(self, *sizes):
        if None in sizes:
            raise NoOperand
        return self.writer.add_parameter(NAMES[self.writer.value(self.value).dtype], sizes)

    def batch(self):
        return [self.writer.size_name(size) for size in self.writer.shape(self.value)[-3:-2]]

    def labels(self):
        """One column of `w` for each row of `x`."""
        rows = self.writer.size_name(eval(self["x"], self.writer.space).shape[0])
        if rows is None:
            raise NoOperand
        return self.writer.add_parameter("i64", [rows], self.free)

    def matrix(self, rows, columns):
        """Some view of a parameter with these sizes."""
        make, choose = self.parameter, self.writer.choose
        if self.writer.random.random() < 0.45:
            return make(rows, columns)
        return choose(
            lambda: f"{make(columns, rows)}.T",
            lambda: f"{make(columns, rows)}.transpose(0, 1)",
            lambda: f"{make(2, rows, columns)}[{choose(0, 1)}]",
            lambda: f"{make(rows, columns, 2)}[..., 1]",
            lambda: f"{make(columns, 3, rows)}[:, 1].mT",
            lambda: f"{make(rows, columns)}.flip({choose(0, 1)})",
            lambda: f"{make(rows, columns)}.{choose('tril', 'triu')}()",
            lambda: f"{make(rows, 1)}.expand(-1, {columns})" if columns in (2, 3, 4) else make(rows, columns),
            lambda: f"{make(rows, columns)}.mul(0.5)",
            lambda: f"{make(1, rows, columns)}.squeeze(0)",
            lambda: f"torch.softmax({make(rows, columns)}, {choose(0, 1)})",
            lambda: f"torch.tanh({make(columns, rows)}).T",
        )()

    def __missing__(self, key):
        cut, inner, free = self.cut or ":", self.inner, self.free
        make = {
            "w": lambda: self.matrix(inner, free) + (f"[{cut}]" if self.cut else ""),
            "like_w": lambda: self.matrix(inner, free) + (f"[{cut}]" if self.cut else ""),
            "t": lambda: self.matrix(free, inner) + (f"[:, {cut}]" if self.cut else ""),
            "v": lambda: self.parameter(inner) + (f"[{cut}]" if self.cut else ""),
            "b": lambda: self.parameter(free),
            "wide": lambda: "double" if self.writer.family == "f64" else "float",
            "labels": lambda: self.labels(),
            "u": lambda: self.matrix(free, self.after),
            "experts": lambda: self.parameter(free, inner, self.after) + (f"[:, {cut}]" if self.cut else ""),
            "square": lambda: self.matrix(inner, inner) + (f"[{cut}, {cut}]" if self.cut else ""),
            "gates": lambda: self.parameter(3, inner, inner),
            "cube": lambda: self.parameter(free, inner, inner) + (f"[:, {cut}, {cut}]" if self.cut else ""),
            "g": lambda: self.parameter(*self.batch(), inner, free) + (f"[..., {cut}, :]" if self.cut else ""),
        }
        self[key] = make[key]()
        return self[key]


def fill(writer, template, operands):
    try:
        text = template.format_map(operands)
    except NoOperand:
        return False
    return add(writer, text)


def extend_matrix(writer):
    x = writer.find(ranked(writer))
    if not x:
        return False
    rank, sizes = writer.rank(x), writer.shape(x)
    turned = rank > 1 and writer.random.random() < 0.25
    text = writer.choose(f"{x}.transpose(-1, -2)", f"{x}.mT") if turned else x
    inner = writer.size_name(sizes[-2 if turned else -1])
    table = ANY_RANK if writer.random.random() < 0.5 else BY_RANK[rank]
    return fill(writer, writer.choose(*split(table)), Operands(writer, x, text, inner))


def extend_pair(writer):
    """A product of two values of the program."""
    x = writer.find(ranked(writer, 2))
    y = x and writer.find(
        lambda name: writer.rank(name) > 1 and set(writer.shape(name)[-2:]) & set(writer.shape(x)[-2:])
    )
    if not y:
        return False
    other = y if writer.value(x).dtype == writer.value(y).dtype else f"{y}.to({x}.dtype)"
    return add(writer, writer.choose(*split(PAIRS)).format(x, other))


def extend_einsum(writer):
    """A sum over products of a value with one or two parameters, along axes by chance."""
    x = writer.find(ranked(writer))
    if not x:
        return False
    choose, chance = writer.choose, writer.random
    sizes = dict(zip("pqrs", (writer.size_name(size) for size in writer.shape(x))))
    letters, terms, dtype = "".join(sizes), ["".join(sizes)], NAMES[writer.value(x).dtype]
    twins = [b for at, b in enumerate(letters) if writer.shape(x)[at] in writer.shape(x)[:at]]
    if twins and chance.random() < 0.3:
        # The diagonal of two axes.
        first = letters[writer.shape(x).index(writer.shape(x)[letters.index(twins[0])])]
        terms, letters = [letters.replace(twins[0], first)], letters.replace(twins[0], "")
    names, free = [x], dict(zip("uvw", chance.sample(FREE, 3)))
    for _ in range(choose(0, 1, 1, 1, 1, 2)):
        term = chance.sample(letters, chance.randint(1, min(2, len(letters)))) + chance.sample("uvw", choose(0, 1, 1))
        chance.shuffle(term)
        wanted = [(sizes | free)[letter] for letter in term]
        if None in wanted:
            return False
        names.append(writer.add_parameter(dtype, wanted))
        terms.append("".join(term))
    if chance.random() < 0.15:
        names, terms = [*names, x], [*terms, terms[0]]
    used = sorted(set("".join(terms)))
    kept = "".join(chance.sample(used, chance.randint(0 if chance.random() < 0.1 else 1, min(len(used), 4))))
    return add(writer, f"torch.einsum('{','.join(terms)}->{kept}', {', '.join(names)}) * {choose(0.3, 1.0)}")


def extend_broadcast(writer):
    """A product whose batches broadcast, or what is added to one."""
    x = writer.find(ranked(writer, 2))
    if not x:
        return False
    sizes, choose = [writer.size_name(size) for size in writer.shape(x)], writer.choose
    dtype, rows, columns = NAMES[writer.value(x).dtype], choose(*FREE), choose(*FREE)
    batch = [choose(1, size) for size in sizes[:-2]]
    batch = choose(batch, batch[1:], [choose(2, 3), *batch], [2, 1, *batch][-2:] if len(sizes) == 2 else batch)
    left = choose(True, False)
    wanted = [*batch, rows, sizes[-2]] if left else [*batch, sizes[-1], columns]
    if None in wanted:
        return False
    y = writer.add_parameter(dtype, wanted)
    a, b = (y, x) if left else (x, y)
    shape = [rows, sizes[-1]] if left else [sizes[-2], columns]
    if None in shape:
        return add(writer, f"{a} @ {b}")
    bias = writer.add_parameter(dtype, choose(shape, shape[1:], [shape[0], 1], [1, shape[1]], [1], [1, 1]))
    numbers = choose("", ", beta=0.5", ", alpha=-0.5", ", beta=2, alpha=0.25", ", beta=0")
    options = [f"{bias} + {a} @ {b}", f"torch.matmul({a}, {b}) * {bias}"]
    if len(wanted) == len(sizes) == 2:
        options += [f"torch.addmm({bias}, {a}, {b}{numbers})", f"{bias}.addmm({a}, {b}{numbers})"] * 2
    if len(wanted) == len(sizes) == 3 and wanted[0] == sizes[0]:
        options += [f"torch.baddbmm({bias}, {a}, {b}{numbers})", f"torch.addbmm({bias}, {a}, {b}{numbers})"] * 2
    return add(writer, writer.random.choice(options))


def extend_integers(writer):
    """Products of integers are exact; those with masks and integers as numbers are not."""
    n = writer.find(lambda name: writer.rank(name) == 2 and writer.value(name).dtype == torch.int64, False)
    rows, columns = writer.choose(*FREE), writer.choose(*FREE)
    n = n or writer.add_parameter("i64", [writer.choose(*FREE), rows])
    rows = writer.size_name(writer.shape(n)[1])
    if rows is None:
        return False
    template = writer.choose(*split(INTEGERS))
    operands = {"n": n}
    if "{m}" in template:
        operands["m"] = writer.add_parameter("i64", [rows, columns])
    if "{f}" in template:
        operands["f"] = writer.add_parameter("f32", [rows, columns])
    return add(writer, template.format(**operands), "{f}" not in template)


def find_image(writer, axes, batched=True):
    """A value with channels before its last axes, or a new parameter; the name of its number of channels."""
    x = writer.random.random() < 0.6 and writer.find(ranked(writer, axes + 1 + batched, axes + 1 + batched))
    if not x:
        sizes = [
            writer.choose(1, 2, 3),
            writer.choose("M", 1, 2, 3, 4),
            writer.choose("N", "K", 6),
            writer.choose("K", 4),
        ]
        dtype = NAMES[writer.value(writer.find()).dtype]
        x = writer.add_parameter(dtype, sizes[not batched : axes + 2])
    return x, writer.size_name(writer.shape(x)[batched])


def draw_window(writer, axes, names):
    """Options of a convolution, each one number or one for every axis."""
    text = ""
    for name, options in names.items():
        if writer.random.random() < 0.5:
            continue
        values = [writer.choose(*options) for _ in range(axes)]
        text += f", {name}={tuple(values) if writer.random.random() < 0.3 and axes > 1 else values[0]}"
    return text


def extend_convolution(writer):
    axes = writer.choose(1, 1, 2)
    x, channels = find_image(writer, axes, writer.random.random() < 0.85)
    if channels is None:
        return False
    dtype, lengths = NAMES[writer.value(x).dtype], [writer.choose(1, 2, 3, 3) for _ in range(axes)]
    made, inside, options = writer.choose("M", 1, 2, 3, 4), channels, ""
    batched = writer.rank(x) == axes + 2
    if writer.random.random() < 0.25:
        made = channels * writer.choose(1, 2) if isinstance(channels, int) else channels
        inside, options = 1, f", groups={x}.shape[{int(batched)}]"
    elif channels in (2, 4, 6) and writer.random.random() < 0.5:
        made, inside, options = writer.choose(2, 4, 6), channels // 2, ", groups=2"
    weight = writer.add_parameter(dtype, [made, inside, *lengths])
    bias = f", {writer.add_parameter(dtype, [made])}" if writer.random.random() < 0.4 else ""
    window = draw_window(writer, axes, {"stride": (1, 2, 3), "padding": (0, 1, 2), "dilation": (1, 2)})
    if "stride" not in window and "padding" not in window and writer.random.random() < 0.2:
        window += ", padding='same'"
    return add(writer, f"F.conv{axes}d({x}, {weight}{bias}{window}{options})")


def extend_transposed(writer):
    """A convolution the other way round: strides spread its operand."""
    axes = writer.choose(1, 1, 2)
    x, channels = find_image(writer, axes)
    if channels is None:
        return False
    dtype, lengths = NAMES[writer.value(x).dtype], [writer.choose(1, 2, 3) for _ in range(axes)]
    made, options = writer.choose("M", 1, 2, 3), ""
    if channels in (2, 4) and writer.random.random() < 0.3:
        options = ", groups=2"
    weight = writer.add_parameter(dtype, [channels, made, *lengths])
    bias = f", {writer.add_parameter(dtype, [made])}" if not options and writer.random.random() < 0.4 else ""
    names = {"stride": (1, 2, 3), "padding": (0, 1), "output_padding": (0, 1), "dilation": (1, 2)}
    return add(writer, f"F.conv_transpose{axes}d({x}, {weight}{bias}{draw_window(writer, axes, names)}{options})")


def extend_windows(writer):
    """Convolutions by hand, of windows that are unfolded."""
    if writer.random.random() < 0.4:
        x = writer.find(ranked(writer, 1, 3))
        place, dim = random_rules.dim_of(writer, x) if x else (0, 0)
        # Of short axes one window may be left, which would broadcast.
        if not x or writer.shape(x)[place] < 5:
            return False
        length, step = writer.choose(2, 3), writer.choose(1, 2)
        taps = writer.add_parameter(NAMES[writer.value(x).dtype], [length])
        text = f"{x}.unfold({dim}, {length}, {step})"
        return add(writer, writer.choose(f"({text} * {taps}).sum(-1)", f"{text} @ {taps}", f"F.linear({text}, {taps})"))
    x, channels = find_image(writer, 2)
    if channels is None:
        return False
    length = writer.choose(1, 2, 3)
    options = draw_window(writer, 2, {"stride": (1, 2), "padding": (0, 1), "dilation": (1, 2)})
    windows = f"F.unfold({x}, {length}{options})"
    weight = writer.add_parameter(NAMES[writer.value(x).dtype], [writer.choose("M", 2, 3), channels])
    text = writer.choose(
        windows,
        f"{weight}.repeat_interleave({length * length}, 1) @ {windows}",
        f"torch.einsum('bckl,oc->bol', {windows}.unflatten(1, ({x}.shape[1], -1)), {weight})",
        f"F.fold({windows} * 0.5, {x}.shape[-2:], {length}{options})",
        f"F.fold({windows}.square(), ({x}.shape[2], {x}.shape[3]), {length}{options})",
    )
    return add(writer, text)


@dataclasses.dataclass
class Attention:
    """The texts of a query, keys and values, and the lines before them."""

    q: str
    k: str
    v: str
    #: The value that the query is made of, and the names of the numbers of queries and keys.
    source: str
    lengths: tuple
    dtype: str
    before: str = ""


def draw_attention(writer):
    """Parameters, values of the program or products of one with weights."""
    q = writer.find(ranked(writer, 2))
    if not q:
        return None
    sizes = [writer.size_name(size) for size in writer.shape(q)]
    length, width, dtype, way = sizes[-2], sizes[-1], NAMES[writer.value(q).dtype], writer.random.random()
    if way < 0.2 or width is None:
        return Attention(q, q, q, q, (length, length), dtype)
    if way < 0.5:
        names = ("query", "keys", "values")
        lines = [f"{name} = {q} @ {writer.add_parameter(dtype, [width, width])} * 0.3\n" for name in names]
        return Attention(*names, q, (length, length), dtype, "".join(lines))
    batch = sizes[:-2] if None not in sizes[:-2] and writer.random.random() < 0.7 else []
    other = writer.choose("M", "N", "K", 3, 4)
    keys = writer.add_parameter(dtype, [*batch, other, width])
    values = writer.add_parameter(dtype, [*batch, other, writer.choose(width, 2, 3, "N")])
    return Attention(q, keys, values, q, (length, other), dtype)


def draw_masking(writer, attention):
    """Lines that change `scores`."""
    q, dtype, lengths = attention.source, attention.dtype, attention.lengths
    rows, columns = "scores.shape[-2]", "scores.shape[-1]"
    options = [
        f"scores = scores.masked_fill(torch.ones({rows}, {columns}).tril() == 0, float('-inf'))",
        f"mask = torch.arange({columns}) > torch.arange({rows})[:, None]\n"
        "scores = scores.masked_fill(mask, float('-inf'))",
        f"scores = torch.where(torch.ones({rows}, {columns}, dtype=torch.bool).tril(), scores, -1e4)",
        f"apart = (torch.arange({rows})[:, None] - torch.arange({columns})).abs()\n"
        "scores = scores.masked_fill(apart > 2, -1e4)",
        f"apart = (torch.arange({rows})[:, None] - torch.arange({columns})).abs()\n"
        f"scores = scores - (apart * 0.25).to({q}.dtype)",
        f"scores = scores + torch.full(({rows}, {columns}), float('-inf'), dtype={q}.dtype).triu(1)",
        "scores = 2.0 * torch.tanh(scores / 2.0)",
        "scores = scores - scores.amax(-1, keepdim=True)",
        "scores = scores - torch.logsumexp(scores, -2, keepdim=True)",
        "scores = torch.softmax(scores, -2)",
    ]
    options.append(
        lambda: (
            f"apart = (torch.arange({rows})[:, None] - torch.arange({columns})).clamp(-1, 1)\n"
            f"scores = scores + {writer.add_parameter(dtype, [3])}[apart + 1]"
        )
    )
    e = writer.find_exact(lambda name: writer.rank(name) > 0 and writer.size_name(writer.shape(name)[-1]) == lengths[1])
    if e and writer.rank(e) == 1:
        options += [f"scores = scores.masked_fill({e} > {writer.choose(0.5, 1.0)}, float('-inf'))"] * 3
    if None not in lengths:
        options += [
            lambda: f"scores = scores.masked_fill({writer.add_parameter('bool', lengths)}, -1e4)",
            lambda: f"scores = scores + {writer.add_parameter(dtype, lengths)}",
            lambda: f"scores = scores.masked_fill({writer.add_parameter(dtype, lengths)} > 1.0, float('-inf'))",
            lambda: (
                f"segments = {writer.add_parameter('i64', [lengths[1]], 3)}\n"
                f"scores = scores.masked_fill(segments[:{rows}, None] != segments, -1e4)"
            ),
        ] * 2
        if writer.rank(q) == 3 and writer.size_name(writer.shape(q)[0]):
            options += [
                lambda: (
                    f"filled = {writer.add_parameter('i64', [writer.size_name(writer.shape(q)[0])], lengths[1])}\n"
                    f"scores = scores.masked_fill(torch.arange({columns}) > filled[:, None, None], float('-inf'))"
                )
            ] * 2
        if writer.rank(q) > 2 and writer.size_name(writer.shape(q)[-3]):
            slopes = writer.size_name(writer.shape(q)[-3])
            options += [
                lambda: (
                    f"apart = (torch.arange({rows})[:, None] - torch.arange({columns})).abs()\n"
                    f"scores = scores - {writer.add_parameter(dtype, [slopes])}[:, None, None].sigmoid() * apart"
                )
            ] * 2
    drawn = writer.random.choice(options)
    return drawn if isinstance(drawn, str) else drawn()


ATTENTION = """$ = torch.softmax(scores, -1) @ {v}|weights = torch.softmax(scores, dim=-1)\n$ = weights @ {v}
|$ = torch.matmul(F.softmax(scores, -1, dtype=torch.float32).to({v}.dtype), {v})
|weights = scores.exp()\n$ = (weights @ {v}) / (weights.sum(-1, keepdim=True) + 1.0)
|$ = (torch.softmax(scores, -1) @ {v}).transpose(-1, -2)
|weights = (scores - scores.amax(-1, keepdim=True)).exp()\n$ = (weights / weights.sum(-1, keepdim=True)) @ {v}
|$ = torch.sigmoid(scores) @ {v}|$ = torch.einsum('...ij,...jk->...ik', torch.softmax(scores, -1), {v})
|$ = torch.logsumexp(scores, -1)|$ = torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)) @ {v}"""


def extend_attention(writer):
    attention = draw_attention(writer)
    if not attention:
        return False
    q, k, v = attention.q, attention.k, attention.v
    scores = writer.choose(
        f"{q} @ {k}.transpose(-1, -2) * 0.5",
        f"{q} @ {k}.mT / {k}.shape[-1] ** 0.5",
        f"torch.einsum('...id,...jd->...ij', {q}, {k}) * 0.3",
        f"({q} * 0.4) @ {k}.mT",
        f"torch.matmul({q}, {k}.transpose(-2, -1)) / 3.0",
    )
    text = f"{attention.before}scores = {scores}\n"
    if writer.random.random() < 0.2 and writer.shape(attention.source)[-1] % 2 == 0:
        # Rotary embeddings.
        text = (
            f"{attention.before}angles = (torch.arange({q}.shape[-2])[:, None] * 0.3).to({q}.dtype)\n"
            f"first, second = {q}.chunk(2, -1)\n"
            f"turned = {q} * angles.cos() + torch.cat([-second, first], -1) * angles.sin()\n"
            f"scores = turned @ {k}.mT * 0.5\n"
        )
    for _ in range(writer.random.choice([0, 1, 1, 1, 2])):
        text += draw_masking(writer, attention) + "\n"
    # split() takes the ends of lines away.
    ends = [part.strip() for part in ATTENTION.split("|")]
    return add(writer, text + writer.random.choice(ends).format(v=v))


def extend_linear_attention(writer):
    """Attention without a softmax."""
    attention = draw_attention(writer)
    if not attention:
        return False
    q, k, v = attention.q, attention.k, attention.v
    text = writer.choose(
        f"$ = torch.relu({q} @ {k}.mT * 0.3).square() @ {v}",
        f"$ = F.relu({q} @ {k}.mT) @ {v} / {k}.shape[-2]",
        f"$ = {q} @ ({k}.mT @ {v}) * 0.1",
        f"$ = torch.tril({q} @ {k}.mT * 0.2) @ {v}",
        f"heads, others = F.elu({q}) + 1, F.elu({k}) + 1\n"
        f"$ = heads @ (others.mT @ {v}) / (heads @ others.sum(-2, keepdim=True).mT + 0.5)",
        f"$ = torch.softmax({q}, -1) @ (torch.softmax({k}, -2).mT @ {v})",
        f"$ = torch.einsum('...id,...jd,...jv->...iv', {q}, {k}, {v}) * 0.1",
        f"inner = ({k}[..., :, None] * {v}[..., None, :]).cumsum(-3)\n$ = ({q}[..., None] * inner).sum(-2) * 0.1",
        f"$ = ({q} @ {k}.mT * 0.2).cumsum(-1) @ {v}",
    )
    return add(writer, attention.before + text)


def extend_fused_attention(writer):
    attention = draw_attention(writer)
    if not attention:
        return False
    q, k, v, dtype, lengths = attention.q, attention.k, attention.v, attention.dtype, attention.lengths
    options = [", is_causal=True", "", ", scale=0.5", ", is_causal=True, scale=0.25"]
    if None not in lengths:
        options += [
            lambda: f", attn_mask={writer.add_parameter(dtype, lengths)}",
            lambda: f", attn_mask={writer.add_parameter(dtype, lengths)} < 1.0",
            lambda: (
                f", {writer.add_parameter('bool', lengths)}.logical_or(torch.eye(*{q}.shape[-2:-1], {k}.shape[-2]).bool())"
            ),
        ]
    drawn = writer.random.choice(options)
    arguments = drawn if isinstance(drawn, str) else drawn()
    if writer.random.random() < 0.2:
        size, inner, length = writer.choose("M", "N", 3), writer.choose("M", 2, 4), writer.choose("N", "K", 3)
        q = writer.add_parameter(dtype, [2, 4, size, inner])
        k, v = (writer.add_parameter(dtype, [2, writer.choose(2, 1), length, inner]) for _ in range(2))
        attention.before, arguments = "", writer.choose("", ", is_causal=True") + ", enable_gqa=True"
    return add(writer, f"{attention.before}$ = F.scaled_dot_product_attention({q}, {k}, {v}{arguments})")


def extend_heads(writer):
    """Attention of two heads, as layers write it."""
    x = writer.find(ranked(writer, 3, 3))
    sizes = x and [writer.size_name(size) for size in writer.shape(x)]
    if not x or sizes[-1] is None:
        return False
    dtype = NAMES[writer.value(x).dtype]
    width = writer.choose(2, 4, 6)
    weights = [writer.add_parameter(dtype, [sizes[-1], width]) for _ in range(3)]
    last = writer.add_parameter(dtype, [width, sizes[-1]])
    q, k, v = (f"({x} @ {weight}).unflatten(-1, (2, -1)).transpose(1, 2)" for weight in weights)
    if writer.random.random() < 0.3:
        q, k, v = (f"({x} @ {weight}).view({x}.shape[0], {x}.shape[1], 2, -1).transpose(1, 2)" for weight in weights)
    text = writer.choose(
        f"inner = torch.softmax({q} @ {k}.mT * 0.5, -1) @ {v}",
        f"inner = F.scaled_dot_product_attention({q}, {k}, {v})",
        f"inner = F.scaled_dot_product_attention({q}, {k}, {v}, is_causal=True)",
        f"scores = {q} @ {k}.mT * 0.3\n"
        f"scores = scores.masked_fill(torch.ones({x}.shape[1], {x}.shape[1]).triu(1).bool(), float('-inf'))\n"
        f"inner = scores.softmax(-1) @ {v}",
    )
    end = writer.choose(f" @ {last} + {x}", f" @ {last}", "")
    return add(writer, f"{text}\n$ = inner.transpose(1, 2).flatten(2){end}")


STEPS = """state = torch.tanh((state @ {w}) * 0.3 + {row})|state = torch.tanh({row} + F.linear(state, {w}) * 0.2)
|state = torch.sigmoid({row}) * state + {row}|state = 0.5 * state + {row} @ {w} * 0.3
|gate = torch.sigmoid({row} @ {w})\n    state = gate * state + (1 - gate) * {row}
|gate = torch.sigmoid((state @ {w}) * 0.2)\n    state = state + gate * ({row} - state)
|state = state * 0.9 + {v} * {row}|state = torch.tanh(state * {v} + {row} @ {w} * 0.3)
|gate = torch.sigmoid({row} @ {w} + (state @ {u}) * 0.3)\n    state = gate * state + (1 - gate) * torch.tanh({row})"""
STEPS += """|gates = torch.einsum('...i,kij->k...j', state, {gates}) * 0.3 + {row}
    state = torch.sigmoid(gates[0]) * state + torch.sigmoid(gates[1]) * torch.tanh(gates[2])
|for _ in range(2):\n        state = torch.tanh((state @ {w}) * 0.3 + {row} * 0.5)
|state = torch.softmax((state @ {w}) * 0.3 + {row}, -1)|state = F.layer_norm(state + {row} @ {w}, state.shape[-1:])
|state = state * torch.sigmoid({row}).mean(-1, keepdim=True) + {row}
|state = torch.maximum(state * 0.9, {row})|state = {row} + (state @ {w} @ {u}) * 0.05"""
#: Steps that look at all rows until theirs, whose number differs from turn to turn.
HISTORY_STEPS = """state = 0.5 * state + {past}.mean({axis})
|state = {row} + 0.3 * torch.softmax({past}, {axis}).amax({axis}) * state
|state = 0.5 * state + (torch.softmax(({past} * state.unsqueeze({axis})).sum(-1, keepdim=True), {axis}) * {past}).sum({axis})
|state = torch.logaddexp(state, ({past} + {row}.unsqueeze({axis})).logsumexp({axis}))
|state = 0.5 * state + {past}.cumsum({axis}).amax({axis})
|state = 0.5 * state + torch.cat([{past}, state.unsqueeze({axis})], {axis}).flip({axis}).std({axis}, correction=0)"""
MATRIX_STEPS = """state = 0.8 * state + {row}[..., :, None] * {other}[..., None, :]
|state = torch.sigmoid({row})[..., :, None] * state + {row}[..., :, None] * {other}[..., None, :]
|state = state * 0.5 + torch.einsum('...i,...j->...ij', {row}, {other})
|state = state + 0.1 * {row}[..., :, None] * ({other}[..., None, :] - {row}[..., None, :] @ state)"""


def extend_recurrence(writer):
    """A state that each row of a value changes; rows lie along the first axis, or behind that of a batch."""
    x = writer.find(ranked(writer, 2, 3))
    sizes = x and [writer.size_name(size) for size in writer.shape(x)]
    if not x or None in sizes:
        return False
    axis = int(len(sizes) == 3 and writer.random.random() < 0.4)
    at, dtype, inner = ":, " * axis, NAMES[writer.value(x).dtype], sizes[:axis] + sizes[axis + 1 :]
    count = f"range({x}.shape[{axis}])"
    if isinstance(sizes[axis], int) or writer.random.random() < 0.3:
        count = writer.choose(f"range({writer.choose(2, 3)})", count)
    count = f"reversed({count})" if writer.random.random() < 0.15 else count
    operands = Operands(writer, x, x, sizes[-1])
    operands.free = operands.after = sizes[-1]
    operands.cut = None
    operands |= {"x": x, "row": f"{x}[{at}k]", "past": f"{x}[{at}:k + 1]", "axis": str(axis)}
    if writer.random.random() < 0.3:
        y = writer.add_parameter(dtype, sizes)
        operands["other"] = f"{y}[{at}k]"
        step = writer.random.choice([part.strip() for part in MATRIX_STEPS.split("|")])
        first = f"{x}[{at}0][..., :, None] * {y}[{at}0][..., None, :] * 0"
        made = writer.choose(
            "state",
            "({row}[..., None, :] @ state)[..., 0, :]",
            "(state * {other}[..., None, :]).sum(-1)",
            "torch.einsum('...i,...ij->...j', {row}, state) * 0.3",
        )
    else:
        steps = HISTORY_STEPS if writer.random.random() < 0.2 else STEPS
        step, made = writer.random.choice([part.strip() for part in steps.split("|")]), "state"
        first = writer.choose(f"torch.zeros_like({x}[{at}0])", f"{x}[{at}0]", None)
        first = first or writer.add_parameter(dtype, writer.choose(inner, sizes[-1:]))
    ways = [
        f"state, states = {first}, []\nfor k in {count}:\n    {step}\n    states.append({made})\n"
        f"$ = {writer.choose('torch.stack(states)', 'torch.stack(states, 1)', 'states[-1]', 'torch.cat(states)')}",
        f"state = {first}\nfor k in {count}:\n    {step}\n$ = state",
        f"state, states = {first}, []\nfor k in {count}:\n    {step}\n    states.insert(0, {made})\n"
        "$ = torch.stack(states, -1)",
        f"state, $ = {first}, torch.zeros_like({x})\nfor k in {count}:\n    {step}\n    $[{at}k] = {made}",
    ]
    return fill(writer, writer.random.choices(ways, [6, 2, 1, 2])[0], operands)


def extend_layers(writer):
    """The same layer a fixed number of times."""
    x = writer.find(ranked(writer))
    inner = x and writer.size_name(writer.shape(x)[-1])
    if not inner:
        return False
    operands = Operands(writer, x, x, inner)
    operands.free, operands.cut, operands["x"] = inner, None, x
    step = writer.choose(
        "$ = torch.tanh($ @ {w} * 0.3)",
        "$ = $ + F.gelu($ @ {w} + {b}) * 0.2",
        "$ = torch.softmax($ @ {w} * 0.3, -1) + {x}",
        "$ = F.layer_norm($ + torch.sin($ @ {w}), ({x}.shape[-1],))",
        "$ = ($ @ {w}) * 0.2 + {x} * (k + 1)",
    )
    return fill(writer, "$ = {x}\nfor k in range(%d):\n    %s" % (writer.choose(2, 3), step), operands)


RULES = {
    extend_matrix: 24,
    extend_pair: 10,
    extend_einsum: 8,
    extend_broadcast: 8,
    extend_integers: 4,
    extend_convolution: 8,
    extend_transposed: 3,
    extend_windows: 4,
    extend_attention: 10,
    extend_linear_attention: 4,
    extend_fused_attention: 4,
    extend_heads: 2,
    extend_recurrence: 6,
    extend_layers: 3,
}


def extend(writer):
    """Draws one statement, of this family or of the others; it may fail to find one."""
    if writer.random.random() >= SHARE:
        return random_rules.extend(writer)
    (rule,) = writer.random.choices(list(RULES), list(RULES.values()))
    before = len(writer.statements)
    taken = rule(writer)
    for statement in writer.statements[before:]:
        statement.is_product = True
    return taken
