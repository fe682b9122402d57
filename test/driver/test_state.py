# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call leaves behind in Python: refused where a second call would give another result."""

import pytest

HEAD = "import torch\nfrom torch import nn\n\n"

CHANGES = {
    "counter": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.steps = 0\n"
        "    def forward(self, x):\n        self.steps += 1\n        return x * self.steps\n",
        "the call changes 'a M.steps'",
    ),
    "previous": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.last = None\n"
        "    def forward(self, x):\n        y = x if self.last is None else x - self.last\n        self.last = x\n        return y\n",
        "the call changes 'a M.last'",
    ),
    "first": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.register_buffer('first', None)\n"
        "    def forward(self, x):\n        if self.first is None:\n            self.first = x.clone()\n        return x - self.first\n",
        "the call changes 'a M.first'",
    ),
    "first input": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.first = None\n"
        "    def forward(self, x):\n        if self.first is None:\n            self.first = x\n        return x - self.first\n",
        "the call changes 'a M.first'",
    ),
    "global table": (
        "TABLE = {}\ndef f(x):\n    if 'm' not in TABLE:\n        TABLE['m'] = x.mean()\n    return x - TABLE['m']\n",
        "the call changes 'a dict'",
    ),
    "popped": ("def f(x, kept):\n    kept['n'] = x * 2\n    return kept.pop('m')\n", "the call changes the argument 'kept'"),
    "number": ("def f(x, kept):\n    kept['n'] = kept.get('n', 0) + 1\n    return x * kept['n']\n", "the call changes the argument 'kept'"),
    "global": (
        "CALLS = 0\ndef f(x):\n    global CALLS\n    CALLS += 1\n    return x * CALLS\n",
        "the call changes 'CALLS'",
    ),
    "list": (
        "SEEN = []\ndef f(x):\n    SEEN.append(x)\n    return sum(SEEN)\n",
        "the call changes 'a list'",
    ),
    "tensor": (
        "STATE = torch.zeros(4)\ndef f(x):\n    STATE.add_(x[0])\n    return STATE * 2\n",
        "a write to a tensor that was made before the call",
    ),
    "random": (
        "NOISE = torch.randn(4)\ndef f(x):\n    return x + NOISE\n",
        "the contents of torch.randn(), which are not known",
    ),
}

KEEPS = {
    "inspected": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.probabilities = None\n        self.calls = 0\n"
        "    def forward(self, x):\n        self.calls += 1\n        self.probabilities = x.softmax(-1)\n"
        "        return self.probabilities\n"
    ),
    "input": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.input = None\n        self.both = []\n"
        "    def forward(self, x):\n        self.input = x\n        self.both = [x, x * 2]\n        return self.input.exp() + self.both[1]\n"
    ),
    "cache": (
        "TABLES = {}\ndef table(n):\n    if n not in TABLES:\n        TABLES[n] = torch.arange(n).float()\n    return TABLES[n]\n"
        "def _f(x):\n    return x\ndef f(x):\n    return x * table(4)\n"
    ),
    "grown": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.size = 0\n        self.table = None\n"
        "    def forward(self, x):\n        if self.table is None or x.shape[-1] > self.size:\n            self.size = x.shape[-1]\n"
        "            self.table = torch.arange(self.size).float().cos()\n        return x * self.table[: x.shape[-1]]\n"
    ),
    "constant": (
        "ONES = torch.ones(4)\n_TABLE = torch.tensor([1.0, 2.0, 3.0, 4.0]) / 2\ndef f(x):\n    return x * _TABLE + ONES.sum()\n"
    ),
    "running": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.register_buffer('mean', torch.zeros(4))\n"
        "    def forward(self, x):\n        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)\n        return x - self.mean\n"
    ),
    "needless": ("torch.randn(2, 3) @ torch.randn(3, 2)\ndef f(x):\n    return x * 2\n"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_state_that_counts_is_refused(nereid, name):
    text, message = CHANGES[name]
    nereid.write("p.py", HEAD + text)
    inputs = "x=f32[3,4]" + ",kept={m:f32[3,4]}" * ("kept" in text)
    done = nereid("convert", "p.py", "--inputs", inputs)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("name", KEEPS)
def test_state_that_does_not_count_is_read(nereid, name):
    nereid.write("p.py", HEAD + KEEPS[name])
    program = "p.py:f" if "def f(" in KEEPS[name] else "p.py"
    done = nereid("convert", program, "--stage", "2", "--inputs", "x=f32[3,4]")
    assert done.returncode == 0, done.stderr


def test_an_argument_that_is_stored_in_a_dict_is_stored(nereid):
    nereid.write("p.py", HEAD + "def f(g, state):\n    state['last'] = g\n    state['m'].mul_(0.9)\n")
    done = nereid("convert", "p.py", "--inputs", "g=f32[4],state={m:f32[4]}", "--stage", "2", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert 'state["last"] = g\n' in (nereid.folder / "out/f_stage2.py").read_text()
