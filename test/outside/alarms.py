# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the assertions of kernels on in upstream's interpreter, which does not look at `debug=True` of a launch."""

import dataclasses

import upstream  # noqa: F401  (before triton)
from triton.runtime import interpreter


class Alarm(Exception):
    pass


def hear_assertions():
    builder = interpreter.interpreter_builder
    builder.options = dataclasses.replace(builder.options, debug=True)

    def create_assert(self, condition, message):
        if not condition.data.all():
            raise Alarm(message)

    interpreter.InterpreterBuilder.create_assert = create_assert
