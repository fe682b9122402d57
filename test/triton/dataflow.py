# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel's tile IR computes, apart from names and from the order of its pure operators.

`read(text, kernel)` gives the effects of a kernel in their order (stores, atomics, loops that store, what a block
yields), each with the whole expression behind it in place of its operands. A load is pure between two effects.
Two kernels with equal readings run alike.
"""

import hashlib
import re

VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
RESULTS = re.compile(r"^((?:%[\w$.-]+(?::\d+)?(?:, )?)+) = (.*)$")
IMPURE = re.compile(
    r"\b(?:tile\.(?:store|atomic\w*|print|assert|barrier|inline\w*|yield)|scf\.(?:yield|condition)|return)\b"
)


def digest(text):
    return hashlib.sha1(text.encode()).hexdigest()[:16]


class Reader:
    def __init__(self, lines):
        self.lines = lines
        self.at = 0
        self.epoch = 0

    def block(self, values, depth):
        """The effects of the lines up to the brace that closes the block, and that line."""
        values, effects = dict(values), []
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            self.at += 1
            if line.startswith("}"):
                return effects, line, values
            if line.startswith("^"):
                self.introduce(line, values, depth, len(effects))
                continue
            self.operator(line, values, effects, depth)
        return effects, "", values

    def introduce(self, text, values, depth, mark):
        """Names that a region brings are numbered in their order."""
        for number, name in enumerate(dict.fromkeys(VALUE.findall(text))):
            values[name] = f"<{depth}.{mark}.{number}>"

    def operator(self, line, values, effects, depth):
        match = RESULTS.match(line)
        names, text = (match[1].split(", "), match[2]) if match else ([], line)
        inner, impure = "", bool(IMPURE.search(text))
        if text.endswith("{"):
            inner, has_effects = self.regions(text, values, depth)
            impure = has_effects
        body = VALUE.sub(lambda found: values.get(found[0], "<new>"), text)
        body += inner
        if "load" in text.split("(")[0].split(" ")[0]:
            body += f" after {self.epoch}"
        impure = impure or not names
        if impure:
            effects.append(digest(body))
            self.epoch += 1
        mark = digest(body + (f" at {self.epoch}" if impure else ""))
        for name in names:
            name, _, count = name.partition(":")
            values[name] = mark
            for number in range(int(count or 0)):
                values[f"{name}#{number}"] = f"{mark}#{number}"

    def regions(self, header, values, depth):
        """The text of all regions of an operator, and whether any has an effect that is seen outside."""
        text, before = "", self.epoch
        inside = {name: value for name, value in values.items()}
        order = 0
        for name in VALUE.findall(header):
            if name not in inside:
                inside[name] = f"<{depth}.{order}>"
                order += 1
        has_effects = False
        while True:
            effects, closing, _ = self.block(inside, depth + 1)
            text += " [" + " ".join(effects) + "] " + VALUE.sub("", closing)
            # The last effect of a block is what it yields.
            has_effects |= len(effects) > 1
            if not closing.endswith("{"):
                break
        if not has_effects:
            self.epoch = before
        return text, has_effects


def read(text, kernel):
    """(types of the arguments, effects) of the kernel."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if re.match(rf"\s*(?:func\.func|tile\.func).*@{kernel}\(", line))
    reader = Reader(lines[start + 1 :])
    names = re.findall(r"(%arg\d+): ", lines[start])
    effects, _, _ = reader.block({name: f"<argument {number}>" for number, name in enumerate(names)}, 0)
    types = re.findall(r"%arg\d+: (\S+?)[ ,)]", lines[start])
    return types, effects
