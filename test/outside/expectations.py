# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts that check one thing after another say when something is wrong."""

import sys


def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        check(text in str(error), f"the message is {error}, not {text}")
    else:
        sys.exit(f"wrong: nothing was raised that says {text}")
