// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The journal of writes: between its construction and its end it remembers the state of every
// object that is written, so that a library can run a block, read what changed, take it back, and
// write merged values instead. Journals nest; the innermost one records.
//
//   Journal thenArm(machine);
//   Completion ended = branch.run(true);
//   auto changes = thenArm.changes();      // locals, attributes, items: before and after
//   thenArm.undo();                        // everything is as before the block
//   ...
//   changes[0].write(machine, merged);     // into whatever journal is then the innermost
#pragma once

#include "python/machine/Value.h"

namespace nereid::machine {

/// One place whose content differs between the start of a journal and now.
struct Change {
  enum Kind : uint8_t {
    Local,     // holder: Namespace of a frame (function locals, cells, module globals)
    Attribute, // holder: Namespace whose `owner` has the attribute
    Item,      // holder: list (index) or dict (key) of which one item changed
    Contents,  // holder: a list, dict or set whose size or keys changed: before and after are
               // copies of the whole container
    Iterator,  // holder: an iterator that advanced; before and after are null
  };
  Kind kind;
  Object *holder;
  Name name = nullptr; // Local, Attribute
  Value key = nullptr; // Item: an int for lists
  /// Null: was not, or is no longer, bound.
  Value before = nullptr;
  Value after = nullptr;

  /// True when both name the same place.
  bool samePlace(const Change &other) const;
  /// The place in the user's words: `h`, `self.h`, `outs[2]`, `outs`.
  std::string describe(Machine &machine) const;
  /// Writes `value` to the place (for Contents a list, dict or set whose items are copied into the
  /// holder; null unbinds the name).
  void write(Machine &machine, Value value) const;
};

class Journal {
public:
  explicit Journal(Machine &machine);
  /// Commits if neither commit nor undo was called.
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// What differs from the start, in the order of the first writes. Objects made since are not
  /// mentioned.
  std::vector<Change> changes();
  /// Puts everything back and ends the journal. False, with a refusal in flight, when something was
  /// done that cannot be taken back: a generator from before the journal was advanced.
  bool undo();
  /// Keeps everything and ends the journal; an outer journal learns of the writes.
  void commit();

private:
  friend class Machine;
  struct Snapshot;
  void note(Object *object);
  void restore(Snapshot &snapshot);

  Machine &machine;
  Journal *outer;
  uint32_t id;
  bool ended = false;
  Object *stuck = nullptr; // the generator that cannot be taken back
  std::vector<std::unique_ptr<Snapshot>> snapshots;
};

} // namespace nereid::machine
