# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def dedent(text):
    lines = [line if line.strip() else '' for line in text.split('\n')]
    margin = None
    for line in lines:
        if line:
            indent = line[:len(line) - len(line.lstrip())]
            if margin is None:
                margin = indent
            while not indent.startswith(margin):
                margin = margin[:-1]
    return '\n'.join(line[len(margin or ''):] for line in lines)

def indent(text, prefix, predicate=None):
    lines = text.splitlines(True)
    return ''.join(prefix + line if (predicate(line) if predicate else line.strip()) else line for line in lines)
