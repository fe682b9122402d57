# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command in every document runs, or names a file and options that exist.

Commands are the lines of blocks without a language (behind `$ ` where the block shows what is printed, too, which is
compared) and code in the text that begins with a tool of ours. Blocks of Python whose first line is `# NAME.py` are
files of the folder in which the document's commands run. A command that this test has no rule for fails it.
"""

import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import ROOT, find_binary

DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
DOCUMENTS += sorted([*ROOT.glob("bench/*/README.md"), *ROOT.glob("bench/results/*.md")])
#: Pages that are generated hold no commands.
DOCUMENTS += sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md"), *ROOT.glob("docs/plan/*.md")])
DOCUMENTS.remove(ROOT / "docs/operators.md")
OURS = ("nereid", "nereid-graph", "nereid-opt")
#: What stands for something else in a command.
PLACEHOLDER = re.compile(r"\[|\.\.\.|\|(?!\|)|\b(SRC|FILE|FOLDER|DIR|NAME|OP|PAGE|TARGET|WORD|BINARY|SEED)\b|<\w+>|\*")
#: Not run here, and why; their files and options must exist.
NOT_RUN = {
    "bench/gpu_contractions.py": "needs a GPU",
    "bench/gpu_kernels.py": "needs a GPU",
    "bench/gpu_operators.py": "needs a GPU",
    "bench/gpu_attention.py": "needs a GPU",
    "bench/gpu_recurrent.py": "needs a GPU",
    "bench/gpu_cuda_graphs.py": "needs a GPU",
    "scripts/test": "runs this test",
    "scripts/slow": "hours",
    "scripts/demo": "minutes, installs",
    "scripts/setup": "installs",
    "scripts/build": "builds",
    "scripts/tidy": "minutes",
    "scripts/compare_emitted.py": "minutes, and needs two builds",
    "scripts/format": "writes to the sources; a check of its own",
    "scripts/dialect_docs.py": "writes to the documents; a check of its own",
    ".ci/run": "runs this test",
    "bench/conversion": "minutes",
    "bench/file_lengths.py": "minutes",
    "bench/proof_speed": "builds",
    "bench/parse_speed": "minutes",
    "bench/interpreter_speed": "builds",
    "bench/host_time": "minutes",
    "bench/gpu_table.py": "a GPU, or minutes",
    "bench/gpu/emit": "minutes",
    "bench/gpu_memory_bound.py": "a GPU",
    "bench/gpu_configurations.py": "a GPU",
    "bench/gpu_host_time.py": "a GPU",
    "bench/gpu_pairs.py": "a GPU",
    "bench/gpu_loops.py": "a GPU",
    "bench/gpu_training_step.py": "a GPU",
    "bench/gpu_models.py": "a GPU",
    "test/torch/compare.py": "a check of its own",
    "test/triton/mutations.py": "a check of its own",
    "bench/audit.py": "minutes, downloads",
    "bench/corpora.py": "downloads",
    "bench/recall.py": "downloads",
    "test/audit/enumerate.py": "a check of its own",
    "test/outside/held_out.py": "minutes",
    "/usr/lib/llvm-22/bin/lit": "a suite of its own",
    "build/dev/unittest/XTest": "a suite of its own",
    "git": "the network",
    "ruff": "named as a tool, not as a command",
}
#: Where a script hands its options on to another.
HANDS_ON = {"scripts/test": "scripts/run_tests.py", "scripts/slow": "scripts/run_tests.py", ".ci/run": "scripts/test"}


def blocks(document):
    return re.findall(r"^```(\w*)\n(.*?)^```", document.read_text(), re.S | re.M)


def shown_commands(document):
    """The commands of the blocks, each with what the document says that it prints, if it says so."""
    for language, text in blocks(document):
        if language not in ("", "sh", "console"):
            continue
        if "$ " not in text:
            yield from ((line, None) for line in text.splitlines() if line.strip())
            continue
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, printed = part.split("\n", 1)
            yield command, printed


def named_commands(document):
    """Code in the text whose first word is a tool or a script."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.S | re.M)
    start = r"(?:[A-Z_]+=\S+ )*(?:nereid(?:-graph|-opt)?(?= |$)|(?:scripts|bench|\.ci|test|build|\.venv|/usr)/\S+|(?:python3?|git|\.\.\.) )"
    for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
        if re.match(start, code) and not code.startswith("... "):
            yield code


def commands():
    for document in DOCUMENTS:
        name = str(document.relative_to(ROOT))
        found = list(shown_commands(document)) + [(code, None) for code in named_commands(document)]
        for command, printed in dict(found).items():
            yield pytest.param(document, command, printed, id=f"{name}: {command}")


def write_files(document, folder):
    """The files that the document shows."""
    for language, text in blocks(document):
        name = re.match(r"# (\w+\.py)\n", text)
        if language == "python" and name:
            (folder / name[1]).write_text(text[name.end() :])
    if document.name == "README.md" and document.parent == ROOT:
        write_readme_files(document, folder)


def write_readme_files(document, folder):
    """README.md shows the program without its imports, and of the kernel one line with its place."""
    screen = document.read_text().split("\n## One screen\n")[1]
    program, *_, shown = re.findall(r"^```\w*\n(.*?)^```", screen, re.S | re.M)
    (folder / "softmax.py").write_text("import torch\n\n\n" + program)
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(ROOT / "examples")
    statement = re.search(r"^ *(\d+) \|( .*)$", shown, re.M)
    head = ["import triton", "import triton.language as tl"]
    body = ["@triton.jit", "def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):"]
    body += ["    at = tl.arange(0, BLOCK)", "    x = tl.load(x_ptr + at, mask=at < n)", statement[2][1:]]
    empty = [""] * (int(statement[1]) - len(head + body))
    (folder / "relu.py").write_text("\n".join(head + empty + body) + "\n")


def split(command):
    """The parts of a line: variables, the file that is called, and its arguments."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    words = list(lexer)
    while words and re.match(r"[A-Z_]+=", words[0]):
        words.pop(0)
    if words[0] in ("python", "python3", ".venv/bin/python"):
        words.pop(0)
    if words[0].startswith("build/") and Path(words[0]).name in OURS:
        words[0] = Path(words[0]).name
    return words[0], words[1:]


def run(command, folder, limit=120, env=None):
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=limit, env=os.environ | (env or {})
    )


def tool(name):
    path = Path(find_binary()).with_name(name)
    assert path.exists(), f"{path} is not built"
    return str(path)


def options_of(arguments):
    return [re.match(r"-{1,2}[a-zA-Z][\w-]*", word)[0] for word in arguments if re.match(r"-{1,2}[a-zA-Z]", word)]


def check_synopsis(name, arguments, folder):
    """Every verb and option of a command that has placeholders exists."""
    verbs = arguments[:1] if name == "nereid" and arguments and not arguments[0].startswith("-") else []
    done = run([tool(name), *verbs, "--help"], folder)
    assert done.returncode == 0, done.stderr
    for option in options_of([word.strip("[]") for word in arguments]):
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", done.stdout), f"{option} is not in --help"


def run_ours(name, arguments, printed, folder):
    text = " ".join(arguments)
    is_whole = any(not word.startswith("-") for word in arguments[1:]) or arguments in (
        ["docs"],
        ["--version"],
        ["--without-gradient"],
    )
    if name == "nereid-opt" or not is_whole or PLACEHOLDER.search(re.sub(r"=\w+\[[\w,]*\]", "", text)):
        check_synopsis(name, arguments, folder)
        return
    if ">" in arguments:
        arguments = arguments[: arguments.index(">")]
    done = run([tool(name), *arguments], folder)
    if printed is None:
        assert done.returncode == 0, done.stderr
    else:
        assert done.stdout + done.stderr == printed


@functools.cache
def read_help(path):
    """What a script says of its options: its --help, else its text."""
    text = path.read_text(errors="replace")
    if "argparse" not in text and path.name != "lit":
        return text
    done = run([sys.executable, str(path), "--help"], ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_script(name, arguments):
    """A script that is not run: it exists and knows its options."""
    if name in ("git", "ruff") or name == "build/dev/unittest/XTest":
        return
    while name in HANDS_ON:
        name = HANDS_ON[name]
    assert (ROOT / name).exists(), f"{name} does not exist"
    text = read_help(ROOT / name) if options_of(arguments) else ""
    for option in options_of(arguments):
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text), f"{name} has no {option}"


@functools.cache
def run_emitted(name, arguments):
    """`python FILE ...` of an emitted file or its companion: what needs no GPU is run; of the rest the options must exist."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "twice.py").write_text("import torch\n\n\ndef twice(x):\n    return x * 2\n")
        convert = ["convert", "twice.py", "--inputs", "x=f32[M,N]", "--stage", "3", "-o", "out"]
        done = run([tool("nereid"), *convert], folder)
        assert done.returncode == 0, done.stderr
        is_run = "--validate" in arguments
        call = [sys.executable, f"out/twice_{name}.py", *(arguments if is_run else ["--help"])]
        done = run(call, folder, 300, {"TRITON_INTERPRET": "1"})
        assert done.returncode == 0, done.stdout + done.stderr
        for option in options_of([word.strip("[]") for word in arguments]):
            assert is_run or option in done.stdout, f"emitted files have no {option}"


@pytest.mark.parametrize(("document", "command", "printed"), list(commands()))
def test_command(document, command, printed, tmp_path):
    write_files(document, tmp_path)
    for part in re.sub(r"\s#.*", "", command).split(" && "):
        name, arguments = split(part)
        if name in OURS:
            run_ours(name, arguments, printed, tmp_path)
        elif name == "FILE":
            run_emitted("stage3", tuple(arguments))
        elif emitted := re.fullmatch(r"softmax_(check|stage3)\.py", name):
            run_emitted(emitted[1], tuple(arguments))
        elif name in NOT_RUN:
            check_script(name, arguments)
        elif not arguments and re.match(r"[\w.-]+/", name):
            assert list(ROOT.glob(re.sub(r"<\w+>", "*", name))) or name.startswith("build/"), f"{name} does not exist"
        else:
            pytest.fail(f"no rule for '{part}': run it, or say in NOT_RUN why not")


def test_readme_kernel(tmp_path):
    """The kernel that README.md shows is what is written."""
    readme = ROOT / "README.md"
    write_files(readme, tmp_path)
    screen = readme.read_text().split("\n## One screen\n")[1]
    _, shown, kernel, *_ = re.findall(r"^```\w*\n(.*?)^```", screen, re.S | re.M)
    name, arguments = split(shown.split("\n")[0][2:])
    assert run([tool(name), *arguments], tmp_path).returncode == 0
    assert "\n" + kernel + "\n" in (tmp_path / "out/softmax_stage2.py").read_text()


def test_links():
    """What a document links to exists."""
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            assert target.startswith("http") or (document.parent / target).exists(), f"{document.name}: {target}"


def test_unknown_commands_fail(tmp_path):
    for command in ("frobnicate --all", "bench/gpu_pairs.py FOLDER --no-such", "nereid convert SRC.py --no-such"):
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            test_command(ROOT / "README.md", command, None, tmp_path)
