// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over whole buffers, lane by lane, for functions of one, two and three numbers. Operands may
// be uniform beside others that are not (also of one lane beside many, inside folds); the result
// is uniform when all operands are.
#pragma once

#include "interpreter/Handlers.h"
#include "interpreter/Machine.h"

namespace nereid::interpreter {

/// The slot of the first result, formed for these operands. `element` is that of the result.
Buffer &prepareResult(Program &program, const Instruction &at, Element element);
/// Checked mode: a lane of the result has every flag that an operand has there.
void mergeFlags(Machine &machine, Program &program, const Instruction &at);

template <typename A, typename R, typename F> void mapLanes(const Buffer &a, Buffer &r, F f) {
  const A *x = a.as<A>();
  R *out = r.asMutable<R>();
  for (int64_t i = 0, n = r.stored(); i < n; ++i)
    out[i] = f(x[i]);
}

template <typename A, typename R, typename F>
void mapLanes(const Buffer &a, const Buffer &b, Buffer &r, F f) {
  const A *x = a.as<A>(), *y = b.as<A>();
  R *out = r.asMutable<R>();
  int64_t n = r.stored();
  if (n == 1 || (!a.uniform && !b.uniform)) {
    for (int64_t i = 0; i < n; ++i)
      out[i] = f(x[i], y[i]);
  } else if (a.uniform) {
    A only = *x;
    for (int64_t i = 0; i < n; ++i)
      out[i] = f(only, y[i]);
  } else {
    A only = *y;
    for (int64_t i = 0; i < n; ++i)
      out[i] = f(x[i], only);
  }
}

template <typename A, typename R, typename F>
void mapLanes(const Buffer &a, const Buffer &b, const Buffer &c, Buffer &r, F f) {
  const A *x = a.as<A>(), *y = b.as<A>(), *z = c.as<A>();
  int64_t dx = !a.uniform, dy = !b.uniform, dz = !c.uniform;
  R *out = r.asMutable<R>();
  for (int64_t i = 0, n = r.stored(); i < n; ++i)
    out[i] = f(x[i * dx], y[i * dy], z[i * dz]);
}

/// A buffer of narrow floats as float.
Buffer toFloat(const Buffer &buffer);
/// Float results into a prepared buffer of narrow floats.
void fromFloat(const Buffer &buffer, Buffer &result);

inline const Buffer &operand(const Program &program, const Instruction &at, unsigned index) {
  return program.slots[at.operands[index]];
}

} // namespace nereid::interpreter
