// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generators run on stacks of their own, so that a body can be left at `yield` and entered again.
#pragma once

#include "python/machine/Frame.h"

#include <functional>

namespace nereid::machine {

class Fiber;

class GeneratorObject : public Object {
public:
  GeneratorObject(ClassObject *cls, Frame *frame, std::function<Completion()> body)
      : Object(Kind::Generator, cls), frame(frame), body(std::move(body)) {}
  static bool classof(const Object *o) { return o->kind == Kind::Generator; }

  enum State : uint8_t { Fresh, Suspended, Running, Finished };
  State state = Fresh;
  Frame *frame;
  std::function<Completion()> body;
  Fiber *fiber = nullptr;
  Frame *innermost = nullptr; // the frame that was under evaluation at the yield
  Value transfer = nullptr;   // what is sent in, or yielded out
  Value thrown = nullptr;     // an exception to raise at the yield
  Value result = nullptr;     // what the body returned
};

} // namespace nereid::machine
