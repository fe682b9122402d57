// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators over built-in values. Their whole state is in plain fields, so that a journal can put
// it back.
#pragma once

#include "python/machine/Value.h"

namespace nereid::machine {

class IteratorObject : public Object {
public:
  /// The next item; null with nothing in flight at the end.
  using Step = Value (*)(Machine &, IteratorObject &);

  IteratorObject(ClassObject *cls, Step step, Value source, Value extra)
      : Object(Kind::Iterator, cls), step(step), source(source), extra(extra) {}
  static bool classof(const Object *o) { return o->kind == Kind::Iterator; }

  Step step;
  Value source; // null: exhausted
  Value extra;
  int64_t position = 0;
  int64_t limit = 0;
};

} // namespace nereid::machine
