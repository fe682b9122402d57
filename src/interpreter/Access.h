// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How loads, stores and atomics reach memory: addresses are resolved lane by lane, or once where a
// tile's addresses follow one another, and misuse is reported.
#pragma once

#include "interpreter/Elementwise.h"

#include <cstring>

namespace nereid::interpreter {

/// The lanes of one access: addresses and an optional mask.
struct Lanes {
  const Buffer *pointers;
  /// Null: all lanes are on.
  const Buffer *mask;
  unsigned bytes;

  int64_t address(int64_t lane) const {
    return pointers->as<int64_t>()[pointers->uniform ? 0 : lane];
  }
  bool isOn(int64_t lane) const { return !mask || isTrue(*mask, lane); }
  bool areAllOn() const {
    return !mask || !std::memchr(mask->data->data(), 0, static_cast<size_t>(mask->stored()));
  }
};

/// Resolves the addresses of one access, remembering the last allocation.
class Resolver {
public:
  Resolver(Machine &machine, Program &program, const Instruction &at, unsigned bytes,
           llvm::StringRef verb)
      : machine(machine), program(program), at(at), bytes(bytes), verb(verb) {}

  /// The place in memory, or null after a report.
  uint8_t *resolve(int64_t address, int64_t lane) {
    int64_t region = Memory::getRegion(address);
    if (region != lastRegion)
      enter(address, region);
    int64_t offset = Memory::getOffset(address);
    if (allocation && offset >= 0 && offset + static_cast<int64_t>(bytes) <= size)
      return base + offset;
    reportOutside(address, lane);
    return nullptr;
  }
  /// The same for `count` elements in a row: null without a report when they are not all inside.
  uint8_t *resolveRow(int64_t address, int64_t count) {
    int64_t region = Memory::getRegion(address);
    if (region != lastRegion)
      enter(address, region);
    int64_t offset = Memory::getOffset(address);
    bool inside = allocation && offset >= 0 && offset + count * static_cast<int64_t>(bytes) <= size;
    return inside ? base + offset : nullptr;
  }

  Allocation *getAllocation() const { return allocation; }
  /// The offset in its allocation of a place that was just resolved.
  int64_t offsetOf(const uint8_t *place) const { return place - base; }

private:
  void enter(int64_t address, int64_t region);
  void reportOutside(int64_t address, int64_t lane);

  Machine &machine;
  Program &program;
  const Instruction &at;
  unsigned bytes;
  llvm::StringRef verb;
  int64_t lastRegion = -1;
  Allocation *allocation = nullptr;
  uint8_t *base = nullptr;
  int64_t size = 0;
};

/// Whether every lane's address is that of the lane before plus one element.
bool isRow(const Lanes &lanes);
/// Checked mode: reports undefined addresses and masks, and overflows that reached an address, of
/// lanes that are on. `what` names the access ("load").
void checkAddresses(Machine &machine, Program &program, const Instruction &at, const Lanes &lanes,
                    llvm::StringRef what);
/// Checked mode: remembers who read an element and reports a race with another program's write.
void noteRead(Machine &machine, Program &program, const Instruction &at, Allocation &allocation,
              int64_t offset, int64_t lane);
/// Checked mode: marks an element as written and reports a race with another program's access.
void noteWrite(Machine &machine, Program &program, const Instruction &at, Allocation &allocation,
               int64_t offset, unsigned bytes, bool isDefined, bool isAtomic, int64_t lane);
/// `, made by the load at FILE:LINE` for a value's origin.
std::string getOriginText(mlir::Operation *origin);

} // namespace nereid::interpreter
