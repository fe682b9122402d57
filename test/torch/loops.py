# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with loops that are kept as loops: (statements, input types), as in table.py."""

LOOPS = [
    (
        "h = torch.zeros(x.shape[0], x.shape[2])\nys = []\nfor t in range(x.shape[1]):\n    h = y[:, t] * h + x[:, t]\n    ys.append(h)\ntorch.stack(ys, 1), h",
        ["f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "h = 0\nys = []\nfor t in range(x.size(0)):\n    h = 0.5 * h + x[t]\n    ys.append(h)\ntorch.stack(ys)",
        ["f32[5,3]"],
    ),
    ("h = 0.1\nfor t in range(x.size(0)):\n    h = 0.5 * h + x[t]\nh", ["f16[5,3]"]),
    (
        "out = torch.empty_like(x)\nout[:, 0] = x[:, 0]\nfor t in range(1, x.shape[1]):\n    out[:, t] = 0.3 * x[:, t] + 0.7 * out[:, t - 1]\nout",
        ["f32[2,5,3]"],
    ),
    (
        "out = torch.zeros_like(x)\nlast = 0\nfor t in reversed(range(x.shape[0])):\n    delta = x[t] + 0.9 * y[t + 1] - y[t]\n    out[t] = last = delta + 0.8 * last\nout, out + y[:-1]",
        ["f32[4,3]", "f32[5,3]"],
    ),
    (
        "g = torch.zeros_like(x[:, 0])\nys = []\nfor t in range(x.shape[1] - 1, -1, -1):\n    g = x[:, t] + 0.9 * g\n    ys.insert(0, g)\ntorch.stack(ys, dim=1)",
        ["f32[3,5]"],
    ),
    (
        "g = torch.zeros_like(x[:, 0])\nys = []\nfor t in reversed(range(x.shape[1])):\n    g = x[:, t] + 0.9 * g\n    ys.append(g)\nys.reverse()\ntorch.stack(ys, dim=-1)",
        ["f32[3,5]"],
    ),
    (
        "g = torch.zeros_like(x[0])\nys = []\nfor row in reversed(x):\n    g = row + 0.9 * g\n    ys.append(g)\ntorch.stack(ys[::-1])",
        ["f32[5,3]"],
    ),
    ("h = None\nfor row in x:\n    h = row if h is None else 0.9 * h + torch.tanh(row)\nh", ["f32[5,3]"]),
    ("y = x\nfor _ in range(100):\n    y = 0.5 * (y + 2 / y)\ny", ["f32[4]>0"]),
    (
        "a = b = torch.zeros_like(x[0])\nys = []\nfor row in x:\n    c = 0.5 * row - 0.3 * a - 0.2 * b\n    b, a = a, c\n    ys.append(c)\ntorch.stack(ys)",
        ["f32[6,3]"],
    ),
    ("h = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    h.mul_(0.5).add_(x[:, t])\nh", ["f32[3,5]"]),
    ("y = x.clone()\nfor t in range(1, y.shape[0]):\n    y[t] += y[t - 1]\ny, x", ["f32[5,3]"]),
    ("for t in range(2, x.shape[0]):\n    x[t] = x[t] - 0.5 * x[t - 1] + 0.25 * x[t - 2]\nx", ["f32[6,3]"]),
    (
        "h, c = y[0], y[1]\nouts = []\nfor t in range(x.shape[0]):\n    c = torch.sigmoid(x[t]) * c + torch.tanh(x[t]) * h\n    h = torch.tanh(c)\n    outs.append(h)\ntorch.stack(outs), (h, c)",
        ["f32[5,3]", "f32[2,3]"],
    ),
    (
        "state = (y, y * 2)\nfor row in x:\n    state = (state[0] + row, state[1] * 0.5 + state[0])\nstate[0], state[1]",
        ["f32[5,3]", "f32[3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nys = []\nfor t in range(x.shape[1]):\n    h = 0.9 * h + x[:, t]\n    h = h / (h.norm(dim=-1, keepdim=True) + 1e-6)\n    ys.append(h)\ntorch.stack(ys, 1)",
        ["f32[2,5,3]"],
    ),
    (
        "ys = [x[:, 0]]\nfor t in range(1, x.shape[1]):\n    ys.append(0.5 * ys[-1] + x[:, t])\ntorch.stack(ys, dim=1)",
        ["f32[2,5,3]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nys = []\nfor i, (g, row) in enumerate(zip(y, x)):\n    h = g * h + row / (i + 1)\n    ys.append(h.unsqueeze(0))\ntorch.cat(ys, dim=0)",
        ["f32[5,3]", "f32[5,3]"],
    ),
    ("ys = []\nfor t in range(x.shape[1]):\n    ys.append(x[:, t] * (t + 1))\ntorch.stack(ys, 1)", ["f32[2,5]"]),
    ("ys = []\nfor t in range(x.shape[1]):\n    ys.append(x[:, t:t + 1].cumsum(0))\ntorch.cat(ys, 1)", ["f32[2,5]"]),
    (
        "h = torch.zeros(3)\nfor t in range(x.shape[0]):\n    if t == 0:\n        h = x[t]\n    else:\n        h = 0.5 * h + x[t]\nh",
        ["f32[5,3]"],
    ),
    (
        "h = x[0] * 0\nfor t in range(x.shape[0]):\n    h = h + x[t]\n    if t < x.shape[0] - 1:\n        h = h * 0.5\nh",
        ["f32[5,3]"],
    ),
    ("h = torch.zeros_like(x[0])\nfor t in range(x.shape[0]):\n    h = h + x[t] * x[t - 1]\nh", ["f32[5,3]"]),
    (
        "h = torch.zeros_like(x[0])\nscale = 1.0\nk = 0\nfor t in range(x.shape[0]):\n    h = h + scale * x[t] * k\n    scale *= 0.5\n    k += 2\nh * scale * k",
        ["f32[5,3]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nfor t in range(x.shape[0]):\n    z = x[t] * 2\n    h = h + z\nh, z, x[t]",
        ["f32[5,3]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nys = []\nfor t in range(x.shape[0]):\n    ys.append(h)\n    h = torch.maximum(h * 0.9, x[t])\nys.append(h)\ntorch.stack(ys)",
        ["f32[5,3]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nys = []\nfor t in range(x.shape[0]):\n    h = h * 0.9 + x[t]\n    ys.append(h)\nys[-1], ys[0], torch.stack(ys).mean(0)",
        ["f32[5,3]"],
    ),
    ("s = {'h': torch.zeros_like(x[0])}\nfor row in x:\n    s['h'] = s['h'] * 0.5 + row\ns['h']", ["f32[5,3]"]),
    (
        "h = torch.zeros_like(x[0])\nfor t in range(0, x.shape[0] - 1, 2):\n    h = h * 0.5 + x[t] * x[t + 1]\nh",
        ["f32[6,3]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nfor t in range(x.shape[0]):\n    h = torch.where(h > 1, h - 1, h + x[t])\nh",
        ["f32[6,3]"],
    ),
    ("n = torch.zeros(3, dtype=torch.int64)\nfor row in x:\n    n = n + (row > 0)\nn", ["f32[6,3]"]),
    ("h = torch.zeros_like(x[0])\nfor row in x:\n    h = h * 0.5 + row\nh", ["bf16[5,3]"]),
    ("h = x[:, 0]\nfor t in range(1, x.shape[1]):\n    h = torch.logaddexp(h, x[:, t])\nh", ["f32[3,6]"]),
    ("w = torch.zeros(x.shape[1], x.shape[0])\nfor t in range(x.shape[0]):\n    w[:, t] = x[t] * 2\nw", ["f32[4,3]"]),
    (
        "out = torch.zeros(x.shape[0] + 1, x.shape[1], dtype=x.dtype)\nfor t in range(x.shape[0]):\n    out[t + 1] = out[t] + x[t]\nout",
        ["f32[4,3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nz = torch.zeros_like(x)\nfor t in range(x.shape[1]):\n    z[:, t] = y[:, t] * h + x[:, t]\n    h = z[:, t]\nz, h",
        ["f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nys = []\nfor xt in x.unbind(1):\n    h = 0.5 * h + xt\n    ys.append(h)\ntorch.stack(ys, 1)",
        ["f32[2,5,3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nys = []\nfor t, xt in enumerate(x.unbind(1)):\n    h = 0.5 * h + xt * (t + 1)\n    ys.append(h)\ntorch.stack(ys, dim=1), h",
        ["f32[2,5,3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor a, b in zip(x.unbind(dim=1), torch.unbind(y, 1)):\n    h = torch.sigmoid(a) * h + b\nh",
        ["f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "g = torch.zeros_like(x[:, 0])\nouts = []\nfor xt in reversed(x.unbind(1)):\n    g = xt + 0.9 * g\n    outs.append(g)\ntorch.stack(list(reversed(outs)), dim=1)",
        ["f32[2,5,3]"],
    ),
    (
        "g = torch.zeros_like(x[0])\nouts = []\nfor i, xt in reversed(list(enumerate(x))):\n    g = xt * i + 0.9 * g\n    outs.append(g)\ntorch.stack(outs[::-1])",
        ["f32[5,3]"],
    ),
    (
        "h = torch.zeros(x.shape[0], 1, x.shape[2])\nys = []\nfor xt in x.split(1, dim=1):\n    h = 0.5 * h + xt\n    ys.append(h)\ntorch.cat(ys, dim=1)",
        ["f32[2,5,3]"],
    ),
    (
        "m = torch.full((x.shape[0],), -1e30)\nl = torch.zeros(x.shape[0])\nfor blk in x.split(2, dim=1):\n    new = torch.maximum(m, blk.amax(1))\n    l = l * torch.exp(m - new) + torch.exp(blk - new[:, None]).sum(1)\n    m = new\nm + torch.log(l)",
        ["f32[3,6]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nxs = x.unbind(1)\nfor t in range(len(xs)):\n    h = 0.5 * h + xs[t]\nh, xs[-1], xs[0]",
        ["f32[2,5,3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nxs = torch.unbind(x, dim=1)\nfor t in range(len(xs) - 1, -1, -1):\n    h = 0.5 * h + xs[t]\nh",
        ["f32[2,5,3]"],
    ),
    (
        "a, b, c = x.unbind(0)\na * b + c",
        ["f32[3,4]"],
    ),
    (
        "sum(x.unbind(1))",
        ["f32[2,5]"],
    ),
    (
        "torch.stack([torch.tanh(l) * 2 for l in x])",
        ["f32[5,3]"],
    ),
    (
        "torch.stack([a * b for a, b in zip(x.unbind(1), y.unbind(1))], dim=1)",
        ["f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "torch.cat([x[:, t:t + 1] * (t + 1) for t in range(x.shape[1])], dim=1)",
        ["f32[2,5]"],
    ),
    (
        "torch.stack([l.cumsum(0) for l in x.unbind(1) if True], 1)",
        ["f32[2,5,3]"],
    ),
    (
        "h = x[0]\nouts = [h]\nfor t in range(1, x.shape[0]):\n    h = torch.tanh(h + x[t])\n    outs.append(h)\nback = []\ng = torch.zeros_like(h)\nfor o in reversed(outs):\n    g = 0.5 * g + o\n    back.append(g)\nback.reverse()\ntorch.stack(back)",
        ["f32[5,3]"],
    ),
    (
        "S = torch.zeros(x.shape[0], x.shape[2], x.shape[2])\nouts = []\nfor t in range(x.shape[1]):\n    k, v, q = y[:, t], x[:, t], z[:, t]\n    pred = (S * k[:, None, :]).sum(-1)\n    S = S + (v - pred)[:, :, None] * k[:, None, :]\n    outs.append((S * q[:, None, :]).sum(-1))\ntorch.stack(outs, 1)",
        ["f32[2,5,3]", "f32[2,5,3]unit", "f32[2,5,3]"],
    ),
    (
        "S = torch.zeros(x.shape[0], 3, 3)\nouts = []\nfor t in range(x.shape[1]):\n    S = S * 0.9 + torch.einsum('bi,bj->bij', y[:, t], x[:, t])\n    outs.append(torch.einsum('bi,bij->bj', z[:, t], S))\ntorch.stack(outs, dim=1)",
        ["f32[2,5,3]", "f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "h = torch.zeros(x.shape[0], 4)\nys = []\nfor t in range(x.shape[1]):\n    h = torch.tanh(x[:, t] @ y.t() + h @ z.t() + w)\n    ys.append(h)\ntorch.stack(ys, 1), h",
        ["f32[2,5,3]", "f32[4,3]", "f32[4,4]", "f32[4]"],
    ),
    (
        "h = c = torch.zeros(x.shape[0], 2)\nys = []\nfor xt in x.unbind(1):\n    i, f, g, o = (xt @ y + h @ z + w).chunk(4, dim=1)\n    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n    h = torch.sigmoid(o) * torch.tanh(c)\n    ys.append(h)\ntorch.stack(ys, 1), (h, c)",
        ["f32[2,5,3]", "f32[3,8]", "f32[2,8]", "f32[8]"],
    ),
    (
        "h = torch.zeros(x.shape[1], 4)\nfor row in x:\n    h = torch.cat([row[:, None], h[:, :-1]], dim=1)\nh",
        ["f32[6,3]"],
    ),
    (
        "h = torch.zeros(4)\nfor row in x:\n    h = torch.cat([h, row]).sort(descending=True).values[:4]\nh",
        ["f32[6,3]"],
    ),
    (
        "ring = torch.zeros(x.shape[0], 3, dtype=x.dtype)\nouts = []\nfor t in range(x.shape[1]):\n    ring[:, t % 3] = x[:, t]\n    outs.append(ring.sum(1))\ntorch.stack(outs, 1), ring",
        ["f32[2,7]"],
    ),
    (
        "ring = torch.zeros(x.shape[0], 3, dtype=x.dtype)\nouts = []\nfor t in range(x.shape[1]):\n    old = ring[:, (t - 2) % 3]\n    ring[:, t % 3] = x[:, t] + 0.5 * old\n    outs.append(ring[:, t % 3] * 2)\ntorch.stack(outs, 1)",
        ["f32[2,7]"],
    ),
    (
        "K = y.shape[0]\nring = torch.zeros(x.shape[0], K, dtype=x.dtype)\nouts = []\nfor t in range(x.shape[1]):\n    idx = (t - torch.arange(K)) % K\n    ring[:, t % K] = x[:, t]\n    outs.append((ring[:, idx] * y).sum(1))\ntorch.stack(outs, 1)",
        ["f32[2,7]", "f32[4]"],
    ),
    (
        "w = torch.zeros_like(x[0])\nfor t in range(x.shape[0]):\n    w = w * y[t % 3] + x[t]\nw",
        ["f32[7,2]", "f32[3,2]"],
    ),
    (
        "out = torch.zeros(x.shape[0], x.shape[1])\nh = torch.zeros(x.shape[0])\nn = x.shape[1]\nfor t in range(n):\n    h = 0.5 * h + x[:, t]\n    out[:, n - 1 - t] = h\nout",
        ["f32[2,5]"],
    ),
    (
        "h = torch.zeros_like(x[:, :3].sum(1))\nys = []\nfor t in range(x.shape[1] - 2):\n    h = 0.5 * h + x[:, t:t + 3].sum(1)\n    ys.append(h)\ntorch.stack(ys, 1)",
        ["f32[2,7]"],
    ),
    (
        "h = torch.zeros(x.shape[2])\nouts = []\nfor b in range(x.shape[0]):\n    for t in range(x.shape[1]):\n        h = 0.5 * h + x[b, t]\n    outs.append(h)\ntorch.stack(outs)",
        ["f32[3,5,2]"],
    ),
    (
        "outs = []\nfor b in range(x.shape[0]):\n    h = torch.zeros(x.shape[2])\n    ys = []\n    for t in range(x.shape[1]):\n        h = 0.5 * h + x[b, t]\n        ys.append(h)\n    outs.append(torch.stack(ys))\ntorch.stack(outs)",
        ["f32[3,5,2]"],
    ),
    (
        "d = torch.zeros(x.shape[0] + 1, x.shape[1] + 1)\nfor i in range(1, x.shape[0] + 1):\n    for j in range(1, x.shape[1] + 1):\n        d[i, j] = x[i - 1, j - 1] + torch.minimum(torch.minimum(d[i - 1, j], d[i, j - 1]), d[i - 1, j - 1])\nd",
        ["f32[4,5]"],
    ),
    (
        "h = torch.zeros(x.shape[1])\nfor s in range(y.shape[0]):\n    for t in range(x.shape[0]):\n        h = torch.tanh(h + x[t] * y[s]) * (s + 1) / (t + 1)\nh",
        ["f32[5,3]", "f32[4,3]"],
    ),
    (
        "u = x\nfor s in range(y.shape[0]):\n    v = torch.zeros_like(u[0])\n    rows = []\n    for t in range(x.shape[0]):\n        v = 0.5 * v + u[t] * y[s]\n        rows.append(v)\n    u = torch.stack(rows)\nu",
        ["f32[5,3]", "f32[4,3]"],
    ),
    (
        "acc = torch.zeros(x.shape[1])\nfor s in range(y.shape[0]):\n    for t in range(x.shape[0]):\n        acc += x[t] * y[s]\n    acc *= 0.5\nacc",
        ["f32[5,3]", "f32[4,3]"],
    ),
    (
        "out = torch.zeros(y.shape[0], x.shape[0])\nfor s in range(y.shape[0]):\n    h = 0.0\n    for t in range(x.shape[0]):\n        h = 0.5 * h + x[t] * y[s]\n        out[s, t] = h\nout",
        ["f32[5]", "f32[4]"],
    ),
    (
        "h = torch.zeros(x.shape[1])\nfor s in range(y.shape[0]):\n    for t in range(x.shape[0]):\n        if s == 0:\n            h = h + x[t]\n        else:\n            h = 0.5 * h + x[t] * y[s]\nh",
        ["f32[5,3]", "f32[4,3]"],
    ),
    # Sizes that differ from turn to turn: padded to the greatest of all turns.
    (
        "h = torch.zeros_like(x[:, 0])\nys = []\nfor t in range(x.shape[1]):\n    h = 0.5 * h + x[:, :t + 1].mean(1)\n    ys.append(h)\ntorch.stack(ys, 1)",
        ["f32[2,6,3]"],
    ),
    (
        "ys = []\nh = torch.zeros(x.shape[0])\nfor t in range(1, x.shape[1]):\n    past = x[:, :t]\n    h = h * 0.5 + past.amax(1) - past.amin(1) + past.prod(1)\n    ys.append(h)\ntorch.stack(ys, 1)",
        ["f32[2,6]"],
    ),
    (
        "outs = []\nlast = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    w = (y[:, :t + 1] * (x[:, t] + last)[:, None]).sum(-1).softmax(-1)\n    last = (w[..., None] * z[:, :t + 1]).sum(1)\n    outs.append(last)\ntorch.stack(outs, 1)",
        ["f32[2,5,3]", "f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "outs = []\nlast = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    w = torch.log_softmax(torch.einsum('bsd,bd->bs', y[:, :t + 1], x[:, t] + last), -1)\n    last = torch.einsum('bs,bsd->bd', w.exp(), z[:, :t + 1])\n    outs.append(last)\ntorch.stack(outs, 1), last",
        ["f32[2,5,3]", "f32[2,5,3]", "f32[2,5,3]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(1, x.shape[1] + 1):\n    k = min(3, t)\n    h = torch.logsumexp(torch.stack([h, x[:, t - k:t].sum(1)]), 0)\nh",
        ["f32[2,7]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    lo = max(0, t - 2)\n    h = 0.5 * h + x[:, lo:t + 1].std(1, correction=0) * x[:, lo:t + 1].norm(dim=1)\nh",
        ["f32[2,7]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    rest = x[:, t:]\n    h = 0.5 * h + (rest * torch.arange(rest.shape[1])).sum(1) / rest.shape[1]\nh",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    h = 0.5 * h + x[:, t:].flip(1).cumsum(1)[:, 0] + x[:, :t + 1].flip([1])[:, 0]\nh",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(1, x.shape[1]):\n    past = (x[:, :t] + h[:, None]).cumsum(1)\n    h = 0.25 * (past * past).sum(1).tanh()\nh",
        ["f32[2,6]"],
    ),
    (
        "best = torch.zeros(x.shape[0], dtype=torch.int64)\nh = torch.zeros_like(x[:, 0])\nfor t in range(1, x.shape[1]):\n    v, i = (x[:, :t] - h[:, None]).max(1)\n    h = 0.5 * v\n    best = best + i * t\nbest, h",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(1, x.shape[1]):\n    idx = torch.arange(t)\n    h = h * 0.5 + x.index_select(1, t - 1 - idx).mul(idx + 1).sum(1)\nh",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(1, x.shape[1]):\n    row = torch.cat([h[:, None], x[:, :t]], dim=1)\n    h = torch.softmax(row, 1)[:, 0] + row.mean(1)\nh",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x)\nfor t in range(1, x.shape[1]):\n    h = 0.5 * h + torch.nn.functional.pad(x[:, :t], (x.shape[1] - t, 0))\nh",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nfor t in range(x.shape[0]):\n    s = torch.zeros_like(h)\n    for j in range(t + 1):\n        s = 0.7 * s + torch.sin(x[j] + h)\n    h = s / (t + 1)\nh",
        ["f32[5,3]"],
    ),
    (
        "h = torch.zeros_like(x[0])\nfor t in range(1, x.shape[0]):\n    parts = []\n    for k in range(1, min(3, t) + 1):\n        parts.append(x[t - k] * k + h)\n    h = torch.logsumexp(torch.stack(parts), 0)\nh",
        ["f32[7,3]"],
    ),
    (
        "ring = torch.zeros(x.shape[0], 3)\nhead = 0\nouts = []\nfor t in range(x.shape[1]):\n    ring = ring.index_copy(1, torch.tensor([head]), x[:, t:t + 1])\n    head = (head + 1) % 3\n    outs.append(ring[:, head] * 0.5 + ring.sum(1))\ntorch.stack(outs, 1)",
        ["f32[2,7]"],
    ),
    (
        "ring = torch.zeros(x.shape[0], 4, dtype=x.dtype)\nhead = 2\nfor t in range(x.shape[1]):\n    ring[:, head] = x[:, t] + 0.5 * ring[:, (head - 1) % 4]\n    head = (head + 3) % 4\nring",
        ["f32[2,7]"],
    ),
    (
        "z = x[0]\nh = torch.zeros_like(x[0])\nfor t in range(x.shape[0]):\n    z = x[t] * h\n    z = z + 1\n    h = torch.tanh(z)\nh",
        ["f32[5,3]"],
    ),
    (
        "ring = torch.zeros(x.shape[0], 4, dtype=x.dtype)\nhead = 0\nfor t in range(x.shape[1]):\n    ring[:, head] = x[:, t] + 0.5 * ring[:, head - 1]\n    head = (head + 1) % 4\nring",
        ["f32[2,7]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(1, x.shape[1]):\n    row = torch.cat([x[:, :t], h[:, None], x[:, t:]], dim=1)\n    h = torch.softmax(row, 1)[:, 1] + row.cumsum(1)[:, 2]\nh",
        ["f32[2,6]"],
    ),
    (
        "h = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    k = min(t + 1, x.shape[1] - t)\n    h = 0.5 * h + F.layer_norm(x[:, :k], (k,)).square().sum(1) + (x[:, :k] * h[:, None]).std(1, correction=0)\nh",
        ["f32[2,7]"],
    ),
]
