// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Elementwise.h"

namespace nereid::interpreter {

Buffer &prepareResult(Program &program, const Instruction &at, Element element) {
  int64_t count = 1;
  bool uniform = true;
  for (unsigned slot : at.operands) {
    count = std::max(count, program.slots[slot].count);
    uniform = uniform && program.slots[slot].uniform;
  }
  Buffer &result = program.slots[at.results[0]];
  result.reset(element, count, uniform);
  return result;
}

void mergeFlags(Machine &machine, Program &program, const Instruction &at) {
  if (!machine.isChecked())
    return;
  Buffer &result = program.slots[at.results[0]];
  for (unsigned slot : at.operands) {
    const Buffer &from = program.slots[slot];
    if (!from.flags)
      continue;
    uint8_t *to =
        result.flags ? reinterpret_cast<uint8_t *>(result.flags->data()) : result.addFlags();
    for (int64_t i = 0, n = result.stored(); i < n; ++i)
      to[i] |= from.flagOf(i);
    if (!result.poisonedBy)
      result.poisonedBy = from.poisonedBy;
    if (!result.wrappedBy)
      result.wrappedBy = from.wrappedBy;
  }
}

Buffer toFloat(const Buffer &buffer) {
  Buffer wide;
  wide.reset(Element::F32, buffer.count, buffer.uniform);
  widen(buffer.element, buffer.data->data(), wide.asMutable<float>(), buffer.stored());
  return wide;
}

void fromFloat(const Buffer &buffer, Buffer &result) {
  narrow(result.element, buffer.as<float>(), result.data->data(), result.stored());
}

} // namespace nereid::interpreter
