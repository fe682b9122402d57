# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single faults in the kernels of an emitted file: what mutants.py judges the judges by.

`find(text)` lists every fault that the rules below can make, in the order of the file; `choose` takes some of them, as
many kinds as there are, by the hash of what they change: a file that changes elsewhere keeps its mutants.

Widening of indices to 64 bits is left alone: it shows at 2^31 elements, and the proofs judge it. So are hints (eviction
policies, multiples), shapes and types of tiles, whose faults no file survives.
"""

import ast
import collections
import dataclasses
import hashlib
import itertools
import re


@dataclasses.dataclass(frozen=True)
class Mutation:
    kernel: str
    kind: str
    #: The statement, on one line, and the expression in it that is replaced.
    statement: str
    before: str
    after: str
    start: int
    end: int

    def apply(self, text):
        return f"{text[: self.start]}({self.after}){text[self.end :]}" if self.is_expression() else self.splice(text)

    def is_expression(self):
        return self.kind not in ("statement", "argument")

    def splice(self, text):
        return text[: self.start] + self.after + text[self.end :]

    def identity(self):
        """What names it in the table of equivalent mutants: texts, no places."""
        what = f"`{self.before}` -> `{self.after}`" if self.after else f"`{self.before}` left out"
        return f"{self.kernel} | {self.kind} | {what} | {self.statement}"


def unparse(node):
    return " ".join(ast.unparse(node).split())


def is_number(node, kind):
    return isinstance(node, ast.Constant) and type(node.value) is kind


def called(node):
    """The last name of what is called: `sum` of tl.sum(...), `to` of x.to(...)."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_pointer(node):
    """Whether an address is what comes out."""
    if isinstance(node, ast.BinOp):
        return is_pointer(node.left) or is_pointer(node.right)
    return isinstance(node, ast.Name) and (node.id.endswith("_ptr") or "_ptr" in node.id)


SWAPPED = {
    "maximum": "minimum", "minimum": "maximum", "max": "min", "min": "max", "sum": "max", "exp": "exp2", "exp2": "exp",
    "log": "log2", "log1p": "log", "sqrt": "rsqrt", "rsqrt": "sqrt", "floor": "ceil", "ceil": "floor", "tanh": "erf",
    "cumsum": "cumprod", "erf": "exp", "atomic_add": "atomic_max", "atomic_max": "atomic_min",
}  # fmt: skip
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
#: Calls whose arguments are shapes, types and the like; of the others the first arguments are values.
SHAPES = {"arange", "zeros", "full", "program_id", "num_programs", "broadcast_to", "reshape", "expand_dims", "trans"}
FIRST_ONLY = {
    "sum",
    "max",
    "min",
    "reduce",
    "associative_scan",
    "cumsum",
    "cumprod",
    "sort",
    "cast",
    "to",
    "join",
    "flip",
}
HINTS = {
    "eviction_policy",
    "axis",
    "dtype",
    "keep_dims",
    "propagate_nan",
    "return_indices",
    "num_stages",
    "sem",
    "can_reorder",
}


class Kernel(ast.NodeVisitor):
    """Collects the faults of one function of the file."""

    def __init__(self, owner, source, function):
        self.owner, self.source, self.name, self.function = owner, source, owner, function
        self.found, self.statement = [], None
        self.parameters = {argument.arg for argument in function.args.args}
        self.axes = {
            keyword.value.value
            for node in ast.walk(function)
            for keyword in getattr(node, "keywords", ())
            if keyword.arg == "axis" and isinstance(keyword.value, ast.Constant)
        }

    def add(self, kind, node, after):
        """`after` is a node or a text; the node's own text is replaced."""
        text = after if isinstance(after, str) else unparse(after)
        before = unparse(node)
        if text != before:
            start, end = self.source.span(node)
            line = unparse(self.statement) if self.statement is not None else before
            self.found.append(Mutation(self.name, kind, line[:300], before, text, start, end))

    def run(self):
        for statement in self.function.body:
            self.visit_statement(statement)
        return self.found

    # Statements

    def visit_statement(self, node):
        if isinstance(node, (ast.For, ast.If, ast.While)):
            head = node.iter if isinstance(node, ast.For) else node.test
            self.statement = head
            if isinstance(node, ast.For):
                self.visit_range(head)
            else:
                self.visit(head)
            for inner in (*node.body, *node.orelse):
                self.visit_statement(inner)
            return
        self.statement = node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # the docstring
        if isinstance(node, ast.AugAssign):
            self.add("statement", node, f"{ast.unparse(node.target)} = {unparse(node.value)}")
            self.visit(node.value)
        elif isinstance(node, ast.Expr):
            self.add("statement", node, "pass")
            self.visit(node.value)
        elif getattr(node, "value", None) is not None:
            self.visit(node.value)

    def visit_range(self, node):
        arguments = node.args if called(node) == "range" else []
        if len(arguments) == 3:
            start, stop, step = arguments
            self.add("loop", start, ast.BinOp(start, ast.Add(), step))
            self.add("loop", stop, ast.BinOp(stop, ast.Sub(), ast.Constant(1)))
        elif arguments:
            self.add("loop", arguments[-1], ast.BinOp(arguments[-1], ast.Sub(), ast.Constant(1)))
        for argument in arguments:
            self.visit(argument)

    # Expressions

    def visit_Constant(self, node):
        if type(node.value) is float:
            self.add("constant", node, repr(node.value * 1.05 if node.value else 0.05))
        elif type(node.value) is int:
            self.add("constant", node, repr(node.value + 1))

    def visit_UnaryOp(self, node):
        if not isinstance(node.op, ast.UAdd):
            self.add("sign" if isinstance(node.op, ast.USub) else "negation", node, node.operand)
        self.visit(node.operand)

    def visit_BinOp(self, node):
        left, right, op = node.left, node.right, type(node.op)
        address = is_pointer(node)
        if op in (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod) and not address:
            self.add("operands", node, ast.BinOp(right, node.op, left))
        kind = (
            "mask" if op in (ast.BitAnd, ast.BitOr) else "stride" if op is ast.Mult and self.is_index(node) else "term"
        )
        if not is_pointer(right):
            self.add(kind, node, left)
        if not is_pointer(left):
            self.add(kind, node, ast.UnaryOp(ast.USub(), right) if op is ast.Sub else right)
        self.visit(left)
        self.visit(right)

    def is_index(self, node):
        return any(isinstance(side, ast.Name) and side.id.startswith("stride_") for side in (node.left, node.right))

    def visit_Name(self, node):
        """A stride is that of another axis."""
        head, _, axis = node.id.rpartition("_")
        if head.startswith("stride_") and axis.isdigit() and node.id in self.parameters:
            other = f"{head}_{int(axis) ^ 1}"
            if other in self.parameters:
                self.add("stride", node, other)

    def visit_Compare(self, node):
        left, right, op = node.left, node.comparators[0], type(node.ops[0])
        if len(node.ops) == 1 and op in COMPARISONS:
            self.add("comparison", node, ast.Compare(left, [COMPARISONS[op]()], [right]))
            if op in (ast.Lt, ast.LtE, ast.Gt, ast.GtE) and not is_number(right, float):
                for sign in (ast.Add(), ast.Sub()):
                    self.add("bound", node, ast.Compare(left, node.ops, [ast.BinOp(right, sign, ast.Constant(1))]))
            self.visit(left)
            self.visit(right)

    def visit_Subscript(self, node):
        self.visit(node.value)

    def visit_Call(self, node):
        name = called(node)
        if name == "float":
            self.add("infinity", node, "100.0")
            return
        if name in SWAPPED and isinstance(node.func, ast.Attribute):
            other = f"{ast.unparse(node.func.value)}.{SWAPPED[name]}"
            self.add("function", node, ast.Call(ast.Name(other), node.args, self.without(node, "propagate_nan")))
        if name == "abs":
            self.add("sign", node, node.args[0])
        if name == "where":
            condition, yes, no = node.args
            self.add("operands", node, ast.Call(node.func, [condition, no, yes], node.keywords))
            self.add("select", node, yes)
            self.add("select", node, no)
        self.visit_cast(node, name)
        self.visit_access(node, name)
        self.visit_arguments(node, name)

    def without(self, node, *names):
        return [keyword for keyword in node.keywords if keyword.arg not in names]

    def visit_cast(self, node, name):
        wide = "tl.int64" in ast.unparse(node)
        if name == "cast" and not wide:
            self.add("cast", node, node.args[0])
        if name == "to" and not wide:
            self.add("cast", node, node.func.value)
        if name == "to":
            self.visit(node.func.value)

    def visit_access(self, node, name):
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if "mask" in keywords and name in ("load", "store", "atomic_add", "atomic_max"):
            self.add("mask", node, ast.Call(node.func, node.args, self.without(node, "mask", "other")))
            self.visit(keywords["mask"])
        if "other" in keywords:
            other = keywords["other"]
            neutral = {"0.0": "1.0", "1.0": "0.0", "0": "1", "1": "0"}.get(unparse(other), "0")
            self.add("neutral", other, neutral)
        axis = keywords.get("axis")
        if is_number(axis, int) and len(self.axes) > 1:
            self.add("axis", axis, str(1 - axis.value) if axis.value < 2 else "0")
        for name in ("reverse", "descending"):
            if name in keywords:
                self.add("order", keywords[name], f"not {unparse(keywords[name])}")

    def visit_arguments(self, node, name):
        if name in SHAPES:
            return
        for argument in node.args[:1] if name in FIRST_ONLY else node.args:
            for part in argument.elts if isinstance(argument, ast.Tuple) else [argument]:
                self.visit(part)

    def visit_IfExp(self, node):
        self.visit(node.body)
        self.visit(node.orelse)


class Source:
    """Places of nodes in the text. Emitted files are ASCII but for names in their docstrings."""

    def __init__(self, text):
        self.starts, self.lines, at = [], text.splitlines(True), 0
        for line in self.lines:
            self.starts.append(at)
            at += len(line)

    def place(self, line, column):
        head = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(head)

    def span(self, node):
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)


def is_kernel(function):
    return any("triton.jit" in ast.unparse(decorator) for decorator in function.decorator_list)


def resolve_grid(grid, host):
    """The expressions of a grid's extents, or that of the whole, `_blocks(n)`; none of other forms.

    A name stands for what it is given in the host, or for what the function returns.
    """
    if isinstance(grid, ast.Name):
        functions = [node for node in ast.walk(host) if isinstance(node, ast.FunctionDef) and node.name == grid.id]
        values = [part.value for function in functions for part in ast.walk(function) if isinstance(part, ast.Return)]
        assigned = [node for node in ast.walk(host) if isinstance(node, ast.Assign)]
        values += [node.value for node in assigned if unparse(node.targets[0]) == grid.id]
        grid = values[0] if values else grid
    grid = grid.body if isinstance(grid, ast.Lambda) else grid
    return grid.elts if isinstance(grid, ast.Tuple) else [grid] * (called(grid) == "_blocks")


def find_launches(tree, kernels):
    """(kernel, its launch, the expressions of its grid) of each `kernel[grid](...)`."""
    hosts = (node for node in tree.body if not (isinstance(node, ast.FunctionDef) and is_kernel(node)))
    for host in hosts:
        for node in ast.walk(host):
            target = node.func if isinstance(node, ast.Call) else None
            if isinstance(target, ast.Subscript) and getattr(target.value, "id", "") in kernels:
                yield target.value.id, node, resolve_grid(target.slice, host)


def shorten(extent):
    """One program less; `_blocks(n)` is a function of the block, which is tuned."""
    text = unparse(extent)
    return f"lambda meta: ({text}(meta)[0] - 1,)" if called(extent) == "_blocks" else f"{text} - 1"


def pair_arguments(launch, function):
    """(expression, the parameters that it gives): `*x.stride()` gives all strides of x."""
    names = [argument.arg for argument in function.args.args]
    for part in launch.args:
        count = 1
        if isinstance(part, ast.Starred) and names:
            head = names[0].rpartition("_")[0]
            count = len(list(itertools.takewhile(lambda name: re.fullmatch(rf"{re.escape(head)}_\d+", name), names)))
        yield part, names[:count]
        names = names[count:]


def get_sort(names):
    """What an argument is: only those of one sort are exchanged."""
    return "tensor" if names[0].endswith("_ptr") else "stride" if names[0].startswith("stride_") else "number"


def find_in_arguments(launch, function):
    """(first and last expression, text instead of them): strides of another axis, neighbours exchanged."""
    pairs = [(part, names) for part, names in pair_arguments(launch, function) if names]
    for part, names in pairs:
        if isinstance(part, ast.Starred):
            if len(names) > 1:
                yield part, part, f"{unparse(part)}[::-1]"
        elif called(part) == "stride" and len(part.args) == 1 and is_number(part.args[0], int) and part.args[0].value:
            yield part, part, f"{unparse(part.func)}({part.args[0].value - 1})"
    for (first, names), (second, others) in itertools.pairwise(pairs):
        sorts = {get_sort(names), get_sort(others)}
        if len(sorts) == 1 and sorts != {"stride"} and unparse(first) != unparse(second):
            yield first, second, f"{unparse(second)}, {unparse(first)}"


def find_in_launches(tree, functions, source):
    for name, launch, extents in find_launches(tree, functions):
        for extent in extents:
            start, end = source.span(extent)
            text = unparse(extent)
            yield Mutation(name, "grid", f"{name}[{text}]", text, shorten(extent), start, end)
        for first, last, after in find_in_arguments(launch, functions[name]):
            start, end = source.span(first)[0], source.span(last)[1]
            before = unparse(first) if first is last else f"{unparse(first)}, {unparse(last)}"
            yield Mutation(name, "argument", f"{name}[...]", before, after, start, end)


def find_kernels(tree):
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and is_kernel(node)}


def find_unlaunched(text):
    """What of a file's launches no fault is found in: each kernel's grid, and the arguments of some kernel.

    A file launches each of its kernels that no other calls: where none is found, it is the rules above that are old.
    """
    functions = find_kernels(ast.parse(text))
    inner = {
        node.id
        for name, function in functions.items()
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id != name
    }
    faults = find(text)
    short = {fault.kernel for fault in faults if fault.kind == "grid"}
    missing = [f"no grid of {name}" for name in functions if name not in inner | short]
    return missing + ["no arguments of a launch"] * all(fault.kind != "argument" for fault in faults)


def find(text):
    """All faults of a file."""
    tree, source = ast.parse(text), Source(text)
    functions = find_kernels(tree)
    found = [fault for name, function in functions.items() for fault in Kernel(name, source, function).run()]
    found += find_in_launches(tree, functions, source)
    return list({(fault.start, fault.end, fault.after): fault for fault in found}.values())


def drop_keywords(text, fault, *names):
    """The text whose load, of which the fault is about an argument, lacks these keywords."""
    tree, source = ast.parse(text), Source(text)
    for node in ast.walk(tree):
        values = [keyword.value for keyword in getattr(node, "keywords", ()) if keyword.arg in names]
        if any(source.span(value) == (fault.start, fault.end) for value in values):
            keywords = [keyword for keyword in node.keywords if keyword.arg not in names]
            start, end = source.span(node)
            return text[:start] + ast.unparse(ast.Call(node.func, node.args, keywords)) + text[end:]
    raise AssertionError(f"no call has {fault.before} as {names}")


def digest(text):
    return hashlib.sha1(text.encode()).hexdigest()


def choose(faults, count, seed):
    """`count` of them: one of each kind, then the next of each, in an order that hangs on the seed and on each alone."""
    seen, ranked = collections.Counter(), collections.defaultdict(list)
    for fault in faults:
        seen[fault.identity()] += 1
        ranked[fault.kind].append((digest(f"{seed} {fault.identity()} {seen[fault.identity()]}"), fault))
    turns = []
    for kind, list_ in ranked.items():
        for turn, (rank, fault) in enumerate(sorted(list_, key=lambda pair: pair[0])):
            turns.append((turn, digest(f"{seed} {kind}"), rank, fault))
    return [fault for *_, fault in sorted(turns, key=lambda item: item[:3])[:count]]
