// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The abstract values of loops that a program keeps as loops: what they run over (`range(T)`, the
// rows of a tensor, several of these beside one another), and lists whose length is a size.
#pragma once

#include "frontend/torch/TorchValues.h"

namespace nereid::torch {

class LoopReader;

/// Something to loop over whose length is an index expression.
struct LoopItems : Foreign {
  enum Kind : uint8_t { Range, Rows, Zip };
  LoopItems(machine::Library &library, machine::ClassObject *cls, Kind kind, Expr count)
      : Foreign(library, cls, LoopItemsTag), kind(kind), count(count) {}
  static bool classof(const machine::Object *o) { return isForeign(o, LoopItemsTag); }

  Kind kind;
  Expr count;
  bool isReversed = false;
  bool isAsked = false; // Range: kept as a loop though its count is a number (prims.turns)
  bool isOwn = false;   // Range: kept where a loop of the program is (prims.times)
  Expr start;           // Range: of the first item
  int64_t step = 1;
  TensorValue *tensor = nullptr; // Rows: along this axis of it
  int64_t dim = 0;
  Expr length;                // Rows: pieces of this length, which keep the axis; null: rows
  std::vector<PyValue> parts; // Zip: the items of each make a tuple
};

/// What a list holds at one or more places: one item or all of these. Both are null for what the
/// loop that is read appends.
struct ListPart {
  PyValue item = nullptr;
  LoopItems *items = nullptr;
};

/// The contents of a list whose length is a size: one to which a loop has appended one tensor a
/// turn, or `x.unbind(1)`. It never changes: the list gets another one (ListObject::whole).
struct GrownList : Foreign {
  GrownList(machine::Library &library, machine::ClassObject *cls, machine::ListObject *list)
      : Foreign(library, cls, GrownListTag), list(list) {}
  static bool classof(const machine::Object *o) { return isForeign(o, GrownListTag); }

  machine::ListObject *list;
  std::vector<ListPart> parts;
  bool isTuple = false; // what it stands for is a tuple
  /// The loop that is appending, and in which of the lists that it found.
  LoopReader *reader = nullptr;
  size_t number = 0;
};

} // namespace nereid::torch
