# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of `--validate`."""

# --- cut ---


class _Validation:
    """Compares a program with its original; counts what is right, wrong and not run."""

    def __init__(self, original, emitted, device):
        self.original, self.emitted, self.device = original, emitted, device
        self.is_module = isinstance(original, torch.nn.Module)
        self.right = self.wrong = self.missed = 0
        # A module that sets the mode of a part does not train as a whole.
        parts = original.modules() if self.is_module else [torch.nn.Identity().eval()]
        self.modes = (False, True) if all(x.training for x in parts) else (False,)
        self.kind, self.random = "any", {}
        launched = [k for k in vars(_FILE).values() if hasattr(k, "known")]
        self.tuned = [(k, k.fn.configs) for k in launched if hasattr(k.fn, "configs")]
        self.most = max((len(configs) for _, configs in self.tuned), default=1)

    def run(self, program, inputs, training, **how):
        if self.is_module:
            program.train(training)
        return _run(program, inputs, **how)

    def prepare(self, start, signed):
        """Sets the parameters: with signs, positive ones, or (None) as they were made."""
        if self.is_module:
            self.original.load_state_dict(start)
            if signed is not None:
                _randomize(self.original, signed)

    def find_valid(self):
        """Parameters and a kind of inputs that the original takes, with the fewest NaN."""
        start = copy.deepcopy(self.original.state_dict()) if self.is_module else {}
        signs, tried = (True, False, None) if self.is_module else (None,), {}
        for signed, kind in itertools.product(signs, _KINDS):
            self.prepare(start, signed)
            with contextlib.suppress(*_RAISED):
                inputs = _inputs(_maker(self.device, kind))
                found = self.run(self.original, inputs, False)
                tried[signed, kind] = sum(int(x.isnan().sum()) for x in found)
            if tried.get((signed, kind)) == 0:
                break
        signed, self.kind = min(tried, key=tried.get, default=(None, "any"))
        self.prepare(start, signed)
        if self.is_module:
            _copy_state(self.original, self.emitted)
        for training in self.modes if _SEED else ():
            with contextlib.suppress(*_RAISED):
                inputs = _inputs(_maker(self.device, self.kind))
                runs = (self.run(self.original, inputs, training) for _ in range(2))
                self.random[training] = not _is_repeated(*runs)

    def draw(self, shape, how, training, multiples=_MULTIPLES):
        """Inputs that the original takes, and how both run.

        What it refuses is tried with usual values, then at sizes that are multiples.
        """
        raised = None
        for multiple in multiples:
            sizes = {n: -(-size // multiple) * multiple for n, size in shape.items()}
            for values in (how, {"strided": how.get("strided", False)}):
                make = _maker(self.device, self.kind, **values)
                draw = functools.partial(_inputs, make, **sizes)
                # At infinities and of nothing PyTorch's gradients hang on how it works.
                usual = not values.get("special") and 0 not in sizes.values()
                run = functools.partial(
                    self.run, training=training, gradients=_GRADIENTS and usual
                )
                inputs = draw()
                try:
                    pair = [run(self.original, inputs, wide=w) for w in (False, True)]
                    return draw, run, inputs, pair
                except _RAISED as error:
                    raised = raised or error
        raise raised

    def compare(self, drawn, training):
        """What is wrong with the results under the configurations that are set."""
        draw, run, inputs, (own, exact) = drawn
        found = run(self.emitted, inputs)
        if self.random.get(training):
            # Not PyTorch's random numbers, but a seed repeats them.
            seeded = inputs | {_SEED: 1}
            again = (self.run(self.emitted, seeded, training) for _ in range(2))
            is_right = _is_repeated(*again) and _is_repeated(found, own, bits=False)
            return "" if is_right else "a seed repeats nothing"
        triples = list(zip(found, own, exact, strict=True))
        if run.keywords["gradients"]:
            # What runs where no gradient is wanted has kernels of its own.
            plain = self.run(self.emitted, inputs, training)
            triples += zip(plain, own, exact)
        problems = [_compare(*each) for each in triples]
        if any(problems):
            errors = _get_usual(functools.partial(run, self.original), draw)
            errors = errors + errors or itertools.repeat(0.0)
            problems = [_compare(*each) for each in zip(*zip(*triples), errors)]
        return "; ".join(filter(None, problems))

    def compare_taken(self, drawn, shape, how, training):
        """What is wrong, at multiples of sizes that the file refuses; what it refuses."""
        refused = ""
        for larger in range(len(_MULTIPLES)):
            with contextlib.suppress(*(_RAISED if larger else ())):
                if larger:
                    drawn = self.draw(shape, how, training, _MULTIPLES[larger:])
                try:
                    return self.compare(drawn, training), refused
                except ValueError as error:
                    refused = refused or f"refused: {error}"
        return refused, ""

    def judge(self, number, shape, label, how, training):
        """A line for one case, or for each configuration where an axis is long."""
        how = how | {"strided": number % 2 == 1}
        where = f"{shape or 'typical sizes'}, {label}{', strided' * (number % 2)}"
        where += ", training" * training
        try:
            drawn = self.draw(shape, how, training)
        except _RAISED as error:
            self.missed += 1
            print(f"{where}: the original raises {type(error).__name__}")
            return
        # Each configuration at large sizes, else one after the other; none is timed.
        is_large = max(shape.values(), default=0) > 2000
        for turn in range(self.most) if is_large else [number // 2]:
            for kernel, configs in self.tuned:
                kernel.fn.configs = [configs[turn % len(configs)]]
                kernel.known.clear()
            place = f"{where}, configuration {turn % self.most + 1}"
            place = place if is_large else where
            try:
                problem, refused = self.compare_taken(drawn, shape, how, training)
            except torch.OutOfMemoryError:
                self.missed += 1
                print(f"{place}: it and its reference do not fit into memory")
                continue
            self.wrong += bool(problem)
            self.right += not problem
            rest = (
                f" at multiples of these sizes, which are {refused}" if refused else ""
            )
            print(f"{place}: {problem or 'right'}{rest}")


def _validate(original, emitted, device):
    """Compares over sizes, values and strides; whether all is right."""
    names = list(inspect.signature(_inputs).parameters)[1:]
    sizes, often = [0, 1, 7, 64, 130], 1
    if device == "cuda":
        sizes, often = [*sizes, 1000, 4096, 1 << 20], 5
    shapes = [{}] * often
    shapes += [dict.fromkeys(names, 3) | {name: s} for name in names for s in sizes]
    values = [("normal", {}), ("zero", {"scale": 0}), ("1e6", {"scale": 1e6})]
    values += [("1e-6", {"scale": 1e-6}), ("Inf and NaN", {"special": True})]
    cases = [(*case, values[case[0] % 5]) for case in enumerate(shapes)]
    validation = _Validation(original, emitted, device)
    validation.find_valid()
    for number, shape, (label, how) in cases:
        for training in validation.modes:
            validation.judge(number, shape, label, how, training)
    right, wrong, missed = validation.right, validation.wrong, validation.missed
    is_enough = missed <= 0.2 * len(cases) * len(validation.modes)
    rest = f", {missed} not run" * bool(missed) + ": too little ran" * (not is_enough)
    print(f"{right} right, {wrong} wrong{rest}")
    return right and not wrong and is_enough
