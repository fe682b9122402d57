# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of a few operators of every kind, converted: nothing may end in a defect, and every access is proved.

    chains.py BINARY [--count N] [--seed S] [--jobs N]

Draws chains of views, norms, folds and products of sequences and of images (FAMILIES), leaves out those that PyTorch
refuses, and converts each at stage 3, every second with --backward. Kernels join what stands side by side: a fold behind
a shift before a product is three operators that are right alone. Nothing is run; random_programs.py does that. A chain
is wrong that is refused, ends in a defect or takes long; of so many may an access be unproved (OPEN_PROOFS). Prints each
chain that is not right; exits 1 on a failure.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

#: Of the chains, at most so many may have an access that is not proved.
OPEN_PROOFS = 0.03
#: Seconds of one conversion, of which others run beside it.
SECONDS = 60
HEADER = "import torch\nimport torch.nn.functional as F\n\n\n"


@dataclasses.dataclass
class Family:
    """Operators on `z`, which the first of a chain makes of `x`, and what may stand at its end."""

    #: Parameters of the program with the expressions of their values.
    inputs: dict[str, str]
    starts: list[str]
    steps: list[str]
    ends: list[str]


SEQUENCES = Family(
    {
        "x": "torch.randn(2, 7, 16)",
        "y": "torch.randn(2, 4, 16)",
        "w": "torch.randn(16, 8)",
        "v": "torch.randn(2, 16)",
        "s": "torch.rand(2)",
        "i": "torch.tensor([2, 0, 1])",
        "m": "torch.rand(2, 7, 16) > 0.5",
    },
    starts="""x.softmax(-1)|F.layer_norm(x, (16,))|x / x.sum(-1, keepdim=True)|x - x.amax(-1, keepdim=True)|x.softmax(1)
|x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)|F.normalize(x, dim=-1)|x - x.mean(1, keepdim=True)|x.exp()
|x.cumsum(-1)|x.cumsum(1)|x @ w @ w.T|x.sort(-1)[0]|x / (x.norm(dim=(1, 2), keepdim=True) + 1)|x.log_softmax(-1)
|x.cummax(1)[0]|F.rms_norm(x, (16,))|F.gelu(x @ w @ w.T)|x * s[:, None, None]|torch.where(m, x, 0.0)""".split("|"),
    steps="""F.pad(z, (0, 0, 1, 0))|F.pad(z, (0, 0, 1, -1))|F.pad(z, (1, -1))|z.roll(1, 1)|z.roll(-1, 2)|z.roll(1, 0)
|torch.cat((z, y), 1)|torch.cat((y[:, :1], z), 1)|torch.cat((z, z), 0)|z.flip(1)|z[:, 1:]|z[:, ::2]|z[:, :-1]
|z.transpose(0, 1)|z.unfold(1, 2, 1).amax(-1)|z.unfold(1, 3, 1).flatten(2)[..., :16]|z.repeat(1, 2, 1)|z[:, i]|z.triu(1)
|z[torch.arange(z.shape[0]), :3]|z[:, :1].expand(-1, 5, -1)|torch.stack((z, z * 2), 1).flatten(0, 1)|z.tril()
|F.pad(z.transpose(1, 2), (2, 0)).transpose(1, 2)[:, : z.shape[1]]|z * torch.ones(z.shape[1], z.shape[2]).tril()
|z.index_select(1, i)|torch.cat((z[:, -1:], z[:, :-1]), 1)|z + z.roll(1, 1)|z - F.pad(z, (0, 0, 1, 0))[:, :-1]
|torch.cat((z[..., 8:], -z[..., :8]), -1)|z.view(z.shape[0], -1, 2, 8).transpose(1, 2).flatten(2)[:, :, :16]
|z.index_add(1, i, z[:, :3])|z.masked_fill(torch.arange(z.shape[1])[:, None] > 2, 0.0)|torch.cat((y, z), 1)[:, 2:]
|z.clone().index_fill(1, i, 0.5)|z.gather(1, i[None, :, None].expand(z.shape[0], -1, z.shape[2]))""".split("|"),
    ends="""z @ w|F.linear(z, w.T, s.sum() * torch.ones(8))|z @ z.mT|torch.einsum('btd,de->bte', z, w)|z.sum(1)|z.sum((0, 1))
|(z @ z.mT).softmax(-1) @ z|F.conv1d(z.mT, w.T[..., None].expand(-1, -1, 3), padding=1)|z.cumsum(1)|z.softmax(1)
|z.mean((0, 2))|torch.einsum('btd,bte->de', z, z)|(z @ w).softmax(-1)|(z @ w).amax(1)|F.layer_norm(z @ w, (8,))|z.mT @ z
|F.scaled_dot_product_attention(z, z, z)|torch.einsum('btd,bsd->bts', z, z).sum(-1)|z.max(1)[0] @ w|z.std(1)|z.prod(1)
|F.scaled_dot_product_attention(z[:, None], z[:, None], z[:, None], is_causal=True)|(z @ w)[:, 1:] - (z @ w)[:, :-1]
|F.max_pool1d(z.mT, 2)|z.sort(1)[0][:, 0]|torch.bmm(z, z.mT).diagonal(dim1=1, dim2=2)|z.logsumexp(-1)|z.argmax(-1)
|(z[:, :, None] - z[:, None]).abs().sum(-1)|(z.unsqueeze(-1) * w).sum(-2)|F.silu(z @ w) * (z @ w)""".split("|"),
)
IMAGES = Family(
    {
        "x": "torch.randn(2, 4, 8, 8)",
        "w": "torch.randn(4, 4, 3, 3)",
        "v": "torch.randn(4, 4, 1, 1)",
        "a": "torch.randn(4, 4)",
        "m": "torch.rand(2, 4, 1, 1)",
        "c": "torch.randn(4)",
        "i": "torch.tensor([1, 3])",
    },
    starts=["x"],
    steps="""F.conv2d(z, w, padding=1)|F.conv2d(z, w[:, :1], padding=1, groups=4)|F.conv2d(z, v)|F.max_pool2d(z, 2)
|F.avg_pool2d(z, 3, 1, 1)|F.adaptive_avg_pool2d(z, 1) * z|F.interpolate(z, scale_factor=2)|F.group_norm(z, 2)|z.tril()
|F.interpolate(z, scale_factor=2, mode='bilinear')|F.pad(z, (1, 1, 1, 1), mode='reflect')|F.pad(z, (1, 0, 0, 1))|z * m
|F.pixel_shuffle(z, 2).repeat(1, 4, 1, 1)|F.pixel_unshuffle(z[:, :1], 2)|F.instance_norm(z)|z.softmax(1)|z.softmax(-1)
|z.flatten(2).softmax(-1).view_as(z)|torch.cat((z, z.relu()), 1)[:, ::2]|z.roll(1, 2)|z.roll((1, -1), (2, 3))|z.flip(3)
|z.transpose(2, 3)|z.mean(1, keepdim=True) * z|z.amax((2, 3), keepdim=True) - z|z.cumsum(2)|F.gelu(z)|z[:, :, ::2, ::2]
|torch.sigmoid(z.mean((2, 3), keepdim=True)) * z|z.permute(0, 2, 3, 1).matmul(a).permute(0, 3, 1, 2)|z[:, :, 1:, :-1]
|(z.permute(0, 2, 3, 1) @ a).softmax(-1).permute(0, 3, 1, 2)|torch.chunk(z, 2, 1)[0].repeat(1, 2, 1, 1)
|F.unfold(z, 3, padding=1).view(z.shape[0], 4, 9, -1).mean(2).view_as(z)|F.conv_transpose2d(z, w, padding=1)
|F.layer_norm(z.permute(0, 2, 3, 1), (4,)).permute(0, 3, 1, 2)|F.conv_transpose2d(z, v, stride=2)|F.normalize(z, dim=1)
|F.conv2d(z, w, padding=1, stride=2)|z + c[None, :, None, None]|F.lp_pool2d(z, 2, 2)|F.local_response_norm(z, 3)
|z.unsqueeze(2).expand(-1, -1, 2, -1, -1).amax(2)|z.view(z.shape[0], 2, 2, *z.shape[2:]).transpose(1, 2).flatten(1, 2)
|torch.where(z > 0, z, z * 0.1)|z.square().sum(1, keepdim=True).sqrt() + z""".split("|"),
    ends="""z.mean()|z.sum((2, 3))|z.mean((2, 3)) @ a|F.cross_entropy(z.mean((2, 3)), i)|z|z.flatten(1).sum(1)|z.std((2, 3))
|z.flatten(2) @ z.flatten(2).mT|z.logsumexp(1)|z.argmax(1)|F.mse_loss(z, z.roll(1, 0))|z.max(-1)[0]|z.var(1)
|F.scaled_dot_product_attention(z.flatten(2).mT, z.flatten(2).mT, z.flatten(2).mT)
|(z.flatten(2).mT @ a).softmax(-1)""".split("|"),
)
FAMILIES = (SEQUENCES, IMAGES)


def write(seed):
    """The text of a chain; None where PyTorch refuses it."""
    import torch

    chance = random.Random(seed)
    family = chance.choice(FAMILIES)
    lines = [chance.choice(family.starts), *chance.sample(family.steps, chance.choice((1, 1, 2, 3)))]
    body = "".join(f"    z = {line.strip()}\n" for line in lines)
    text = f"{HEADER}def f({', '.join(family.inputs)}):\n{body}    return {chance.choice(family.ends).strip()}\n\n\n"
    text += f"def get_inputs():\n    return [{', '.join(family.inputs.values())}]\n"
    space = {}
    torch.set_num_threads(1)
    try:
        exec(text, space)
        space["f"](*space["get_inputs"]())
    except (RuntimeError, IndexError, ValueError):
        return None
    return text


def judge(job):
    """The seed, what is wrong (unproved, or a message) and the text; None for a chain that PyTorch refuses."""
    binary, seed = job
    text = write(seed)
    if text is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "chain.py")
        path.write_text(text)
        command = [binary, "convert", path, "--stage", "3", "-o", folder, *(["--backward"] if seed % 2 else [])]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return seed, f"takes longer than {SECONDS} s", text
    said = done.stdout + done.stderr
    if "no result has a gradient" in said:
        return seed, "", text
    problems = [
        line.strip() for line in said.splitlines() if "error" in line or "not proved" in line or "Assert" in line
    ]
    if done.returncode == 0:
        return seed, "unproved" if problems else "", "\n".join([*problems[:1], text])
    return seed, problems[0] if problems else f"exit status {done.returncode}", text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    jobs = [(str(Path(options.binary).resolve()), seed) for seed in range(options.seed, options.seed + options.count)]
    right = wrong = unproved = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for seed, problem, text in filter(None, pool.map(judge, jobs)):
            right += not problem
            unproved += problem == "unproved"
            wrong += problem not in ("", "unproved")
            if problem:
                print(f"{'' if problem == 'unproved' else 'FAIL '}seed {seed}: {problem}\n{text}", flush=True)
    if unproved > max(1, OPEN_PROOFS * options.count):
        print(f"FAIL more than {OPEN_PROOFS:.0%} of the chains have an access that is not proved")
        wrong += 1
    refused = options.count - right - wrong - unproved
    print(f"chains: {unproved} not proved, {refused} refused by PyTorch; {right} right, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
