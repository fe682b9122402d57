# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of a converted program: its emitted file, and of each kernel the types and meta-parameters by its tile IR."""

import dataclasses
import re
import subprocess

HEADER = re.compile(r"^  func\.func @(\w+)\((.*)\) attributes \{(.*tile\.kernel.*)\} \{$")
ARGUMENT = re.compile(r'%arg\d+: ([^{}]+?) \{[^{}]*tile\.name = "(\w+)"')
CONFIG = re.compile(r"#tile\.config<\{([^{}]*)\}, (\d+), (\d+)")
NAMES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64", "f8E4M3FN": "fp8e4nv", "f8E5M2": "fp8e5"}


@dataclasses.dataclass
class Kernel:
    name: str
    signature: dict
    constants: dict
    warps: int
    stages: int


def type_name(text):
    """As Triton spells it: *fp32, i32."""
    pointer = re.fullmatch(r"!tile\.ptr<(?:(\w+)|(\w+), .*)>", text)
    element = (pointer[1] or pointer[2]) if pointer else text
    return ("*" if pointer else "") + NAMES.get(element, element.replace("ui", "u"))


def sizes_of(body):
    """Of each meta-parameter the size that its axis has in the kernel."""
    sizes = {name: int(size) for name, size in re.findall(r'tile\.meta "(\w+)" = (\d+)', body)}
    for shape, names in re.findall(r"tensor<((?:\d+x)+)[^#>]*(?:<[^>]*>)?, #tile\.dims<\[([^\]]*)\]>", body):
        for size, name in zip(shape.split("x"), names.split(","), strict=False):
            name = name.strip().strip('"')
            if name and size:
                sizes.setdefault(name, int(size))
    return sizes


def kernels(ir):
    """All kernels of a module of tile IR, each with its first configuration."""
    lines = ir.splitlines()
    starts = [at for at, line in enumerate(lines) if HEADER.match(line)]
    for start in starts:
        match = HEADER.match(lines[start])
        end = lines.index("  }", start)
        sizes = sizes_of("\n".join(lines[start:end]))
        config = CONFIG.search(match[3])
        chosen = dict(re.findall(r"(\w+) = (\d+) : i64", config[1])) if config else {}
        meta = re.search(r"tile\.meta = \[([^\]]*)\]", match[3])
        names = re.findall(r'"(\w+)"', meta[1]) if meta else []
        body = "\n".join(lines[start:end])
        tuned = re.search(r"tuned_for = \[([^\]]*)\]", match[3])
        # What launches give beside these: a size that nothing reads, and the precision of convolutions.
        given = dict.fromkeys(re.findall(r'"(\w+)"', tuned[1]), 64) if tuned else {}
        if "tile.tf32" in body or "tile.dot launched" in body:
            given["PRECISION"] = "tf32"
        yield Kernel(
            match[1],
            {name: type_name(kind) for kind, name in ARGUMENT.findall(match[2])},
            {name: int(chosen.get(name, sizes.get(name, 0))) for name in names} | given,
            int(config[2]) if config else 4,
            int(config[3]) if config else 3,
        )


def compile_program(binary, source, stage, path, options=()):
    """Writes the emitted file of a stage to the path; its kernels, and what went wrong."""
    command = [str(binary), "compile", str(source), *options, "--stage", str(stage), "--emit"]
    done = subprocess.run([*command, "triton", "-o", str(path)], capture_output=True, text=True)
    if done.returncode == 0:
        done = subprocess.run([*command, "tile"], capture_output=True, text=True)
    if done.returncode:
        return [], done.stderr
    found = list(kernels(done.stdout))
    missing = "" if found else "no kernel was found"
    return found, missing
