# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in which Python needs the number of a size: (statements, input types), as in table.py. Conversion fixes
such sizes (test/driver/test_sizes.py says how it tells)."""

X = ["f32[4,6]"]
TEXTS = """
x * {4: 0.5, 6: 2.0}[x.shape[1]] | x * {3.0: 2.0}[x.shape[1] / 2] | x * (2 if x.shape[1] in {4, 6} else 3) | x * {(4, 6): 3.0}[tuple(x.shape)]
x * len(str(x.shape[1])) | x * len(f"{x.shape[1]:04d}") | x * len("%d of %5.2f" % (x.shape[1], x.shape[0] / 3)) | x * len("{:>8}".format(x.shape[1])) | x * int(",".join(str(n) for n in x.shape)[0]) | x * len(str(x.shape[1] / 4)) | x * {"6": 2.0}.get("%d" % x.shape[1], 9.0)
x * (2 if math.log2(x.shape[1]).is_integer() else 3) | x * (2 if math.log2(x.shape[0]).is_integer() else 3) | x * (2 if (x.shape[1] / 2).is_integer() else 3) | x * (2 if math.sqrt(x.shape[1]) > 2.5 else 3) | x * (2 if math.log2(x.shape[0]) == int(math.log2(x.shape[0])) else 3)
x * (2 if x.shape[0] & (x.shape[0] - 1) == 0 else 3) | x * (x.shape[1] ^ 1) | x * ~x.shape[1] | x * (x.shape[1]|1) | x[:, : x.shape[1] >> 1] | x * (1 << x.shape[0]) | x * (x.shape[1] << 2) | x * x.shape[1].bit_length() | F.pad(x, (0, (1 << (x.shape[1] - 1).bit_length()) - x.shape[1]))
x * len(bin(x.shape[1])) | x * bin(x.shape[1]).count("1") | x * int(hex(x.shape[1]), 16) | x * ord(chr(x.shape[1] + 60)) | x[:, : round(x.shape[1] / 4)] | x * round(x.shape[1], -1) | x * round(x.shape[1] / 4, 1) | x[:, : round(math.sqrt(x.shape[1]))] | x * round(x.shape[1]) | x * pow(x.shape[1], 3, 5)
x * math.gcd(x.shape[0], x.shape[1]) | x / math.factorial(x.shape[1]) | x / math.comb(x.shape[1], 2) | x[:, : math.isqrt(x.shape[1])] | x * math.ceil(math.log2(x.shape[1])) | x * math.fmod(x.shape[1], 4) | x * math.lcm(4, x.shape[1]) | x * math.atan2(x.shape[0], x.shape[1]) | x.topk(int(math.log(x.shape[1])) + 1, -1)[0]
x * torch.tensor([0.5] * x.shape[1]) | torch.cat([x] * x.shape[0], 1) | x * len([0] * x.shape[1]) | x * len(x.shape[1] * (0,)) | x * len("ab" * x.shape[1]) | x * torch.tensor([i * 0.5 for i in range(x.shape[1])]) | x * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0][x.shape[1]] | x * sum([1.0, 2.0, 3.0, 4.0, 5.0][: x.shape[0]]) | x * len(range(0, x.shape[1], 4))
x[:, :: x.shape[0]] | torch.arange(0, 12, x.shape[0]) + x[:, :3] | F.avg_pool1d(x[:, None], x.shape[1] // 2) | x.sum(x.shape[0] - 3) | torch.stack([F.softmax(x[:, : i + 1], -1).sum(-1) for i in range(x.shape[1])], -1) | torch.stack([row.softmax(-1) for row in x]) | x[:, torch.triu_indices(x.shape[1], x.shape[1], 1)[0]]
"""

STATEMENTS = [
    ("n = x.shape[1]\nwhile n > 1:\n    n = n // 2\n    x = x[:, :n] + 1\nx", X),
    ("n = 1\nwhile n < x.shape[1]:\n    n *= 2\nF.pad(x, (0, n - x.shape[1]))", X),
    ("for i in range(int(math.log2(x.shape[1]))):\n    x = x + i\nx", X),
    ("cache = {}\nfor n in x.shape:\n    if n not in cache:\n        cache[n] = torch.arange(n).sum()\nx * cache[6] + cache[4]", X),
    (
        "def slopes(n):\n    start = 2 ** (-(2 ** -(math.log2(n) - 3)))\n    return [start * start**i for i in range(n)]\n"
        "n = x.shape[1]\nif math.log2(n).is_integer():\n    s = slopes(n)\nelse:\n    c = 2 ** math.floor(math.log2(n))\n"
        "    s = slopes(c) + slopes(2 * c)[0::2][: n - c]\nx * torch.tensor(s)",
        X,
    ),
]

FIXED = [(part.strip(), X) for line in TEXTS.strip().split("\n") for part in line.split(" | ")] + STATEMENTS
