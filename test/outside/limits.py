# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs under upstream's interpreter that are given up after a time."""

import contextlib
import signal

import triton.language as tl


class Late(Exception):
    pass


def get_language():
    """What upstream's interpreter replaces while a kernel runs, with its present attributes."""
    owners = [tl, tl.core, tl.math, tl.tensor, tl.dtype, tl.condition, tl.core.tensor_descriptor_base]
    return [(owner, dict(vars(owner))) for owner in owners]


@contextlib.contextmanager
def limited(seconds):
    """Raises Late in what takes longer than these seconds of the processor.

    The interpreter does not expect to be stopped while it replaces parts of Triton's language: kernels that ran
    afterwards would have some of them twice. So all are put back.
    """

    def stop(number, frame):
        raise Late(f"takes longer than {seconds} s")

    language = get_language()
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except Exception:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for owner, attributes in language:
            for name in {*vars(owner)} - {*attributes}:
                delattr(owner, name)
            for name, value in attributes.items():
                if vars(owner).get(name) is not value:
                    setattr(owner, name, value)
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
