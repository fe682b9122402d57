// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics: lane after lane in increasing order. After one a program may give way to others.
#include "interpreter/Access.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include <cmath>
#include <cstring>

namespace nereid::interpreter {

namespace {

using tile::RmwKind;

uint64_t combineIntegers(RmwKind kind, int64_t old, int64_t value, unsigned bits) {
  auto a = static_cast<uint64_t>(old), b = static_cast<uint64_t>(value);
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  switch (kind) {
  case RmwKind::And:
    return a & b;
  case RmwKind::Or:
    return a | b;
  case RmwKind::Xor:
    return a ^ b;
  case RmwKind::Add:
    return a + b;
  case RmwKind::Max:
    return old > value ? a : b;
  case RmwKind::Min:
    return old < value ? a : b;
  case RmwKind::UMax:
    return (a & mask) > (b & mask) ? a : b;
  case RmwKind::UMin:
    return (a & mask) < (b & mask) ? a : b;
  default:
    llvm_unreachable("kinds of floats are combined elsewhere");
  }
}

/// In double: exact for addition of narrower floats up to the one rounding.
double combineFloats(RmwKind kind, double old, double value) {
  if (kind == RmwKind::FAdd)
    return old + value;
  return kind == RmwKind::FMax ? std::fmax(old, value) : std::fmin(old, value);
}

void combineAt(RmwKind kind, Element element, uint8_t *place, const Buffer &value, int64_t lane) {
  unsigned bytes = getBytes(element);
  const std::byte *from = value.data->data() + (value.uniform ? 0 : lane) * bytes;
  if (kind == RmwKind::Xchg) {
    std::memcpy(place, from, bytes);
  } else if (isFloat(element)) {
    writeNumber(element, combineFloats(kind, readNumber(element, place), readNumber(element, from)),
                place);
  } else {
    Buffer old;
    old.reset(element, 1, true);
    std::memcpy(old.data->data(), place, bytes);
    uint64_t bits = combineIntegers(kind, readInteger(old, 0), readInteger(value, lane), bytes * 8);
    if (element == Element::I1)
      bits &= 1;
    std::memcpy(place, &bits, bytes);
  }
}

/// An atomic on memory that nothing was stored to, as `torch.empty` leaves it.
void checkDefined(Machine &machine, Program &program, const Instruction &at,
                  const Allocation &allocation, int64_t offset, int64_t lane) {
  const std::vector<uint8_t> &defined = allocation.storage->defined;
  if (defined.empty() || defined[offset])
    return;
  size_t element = offset / allocation.elementBytes;
  machine.report(
      FindingKind::Undefined, program, at,
      [&] {
        return "an atomic changes element " + std::to_string(element) + " of '" +
               allocation.storage->name + "', which nothing was stored to";
      },
      lane, allocation.storage->name, element);
}

/// Calls `change(place, lane)` for each lane that is on, after its old value went to the result.
template <typename F>
void runAtomic(Machine &machine, Program &program, const Instruction &at, const Lanes &lanes,
               F change) {
  if (machine.isChecked())
    checkAddresses(machine, program, at, lanes, "atomic");
  machine.noteAtomic(program);
  Buffer &result = program.slots[at.results[0]];
  result.reset(at.element, at.count, at.count == 1);
  std::memset(result.data->data(), 0, at.count * lanes.bytes);
  Resolver resolver(machine, program, at, lanes.bytes, "updates");
  uint8_t *flags = nullptr;
  for (int64_t lane = 0; lane < at.count; ++lane) {
    if (!lanes.isOn(lane)) {
      if (!machine.isChecked())
        continue;
      flags = flags ? flags : result.addFlags();
      flags[lane] = Poison;
      result.poisonedBy = at.op;
      continue;
    }
    uint8_t *place = resolver.resolve(lanes.address(lane), lane);
    if (!place)
      continue;
    std::memcpy(result.data->data() + lane * lanes.bytes, place, lanes.bytes);
    if (machine.isChecked())
      checkDefined(machine, program, at, *resolver.getAllocation(), resolver.offsetOf(place), lane);
    bool changed = change(place, lane);
    if (std::memcmp(result.data->data() + lane * lanes.bytes, place, lanes.bytes) != 0)
      machine.noteChange();
    if (machine.isChecked() && changed)
      noteWrite(machine, program, at, *resolver.getAllocation(), resolver.offsetOf(place),
                lanes.bytes, true, true, lane);
  }
  machine.noteWait(program);
}

void runRmw(Machine &machine, Program &program, const Instruction &at) {
  auto kind = static_cast<RmwKind>(at.variant);
  const Buffer &value = operand(program, at, 1);
  Lanes lanes{&operand(program, at, 0), at.operands.size() > 2 ? &operand(program, at, 2) : nullptr,
              getBytes(at.element)};
  runAtomic(machine, program, at, lanes, [&](uint8_t *place, int64_t lane) {
    if (value.flagOf(lane) & Poison)
      machine.report(
          FindingKind::Undefined, program, at,
          [&] { return "an atomic takes an undefined value" + getOriginText(value.poisonedBy); },
          lane);
    combineAt(kind, at.element, place, value, lane);
    return true;
  });
}

void selectRmw(mlir::Operation *op, Instruction &at) {
  at.variant = static_cast<int64_t>(mlir::cast<tile::AtomicRmwOp>(op).getKind());
  at.handler = runRmw;
}

void runCas(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &expected = operand(program, at, 1), &value = operand(program, at, 2);
  Lanes lanes{&operand(program, at, 0), nullptr, getBytes(at.element)};
  unsigned bytes = lanes.bytes;
  runAtomic(machine, program, at, lanes, [&](uint8_t *place, int64_t lane) {
    const std::byte *wanted = expected.data->data() + (expected.uniform ? 0 : lane) * bytes;
    if (std::memcmp(place, wanted, bytes) != 0)
      return false;
    std::memcpy(place, value.data->data() + (value.uniform ? 0 : lane) * bytes, bytes);
    return true;
  });
}

void selectCas(mlir::Operation *, Instruction &at) { at.handler = runCas; }

} // namespace

void addAtomicHandlers(HandlerTable &table) {
  table["tile.atomic_rmw"] = selectRmw;
  table["tile.atomic_cas"] = selectCas;
}

} // namespace nereid::interpreter
