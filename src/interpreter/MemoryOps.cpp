// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, loads and stores.
#include "interpreter/Access.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include <cstring>

namespace nereid::interpreter {

namespace {

//===------------------------------------------------------------------------------------------===//
// addptr
//===------------------------------------------------------------------------------------------===//

template <typename Offset>
void runAddPtr(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &pointers = operand(program, at, 0), &offsets = operand(program, at, 1);
  Buffer &result = prepareResult(program, at, Element::Pointer);
  const int64_t *p = pointers.as<int64_t>();
  const Offset *o = offsets.as<Offset>();
  auto *out = result.asMutable<uint64_t>();
  auto bytes = static_cast<uint64_t>(at.variant);
  auto scaled = [bytes](Offset offset) {
    return static_cast<uint64_t>(static_cast<int64_t>(offset)) * bytes;
  };
  int64_t n = result.stored();
  if (pointers.uniform) {
    auto base = static_cast<uint64_t>(*p);
    for (int64_t i = 0; i < n; ++i)
      out[i] = base + scaled(o[i]);
  } else {
    int64_t step = !offsets.uniform;
    for (int64_t i = 0; i < n; ++i)
      out[i] = static_cast<uint64_t>(p[i]) + scaled(o[i * step]);
  }
  mergeFlags(machine, program, at);
}

void selectAddPtr(mlir::Operation *op, Instruction &at) {
  at.variant = tile::getPointeeBytes(tile::getPtrType(op->getResult(0).getType()));
  switch (*getElement(tile::getElementType(op->getOperand(1).getType()))) {
  case Element::I8:
    at.handler = runAddPtr<int8_t>;
    return;
  case Element::I16:
    at.handler = runAddPtr<int16_t>;
    return;
  case Element::I32:
    at.handler = runAddPtr<int32_t>;
    return;
  case Element::I64:
    at.handler = runAddPtr<int64_t>;
    return;
  default:
    return;
  }
}

//===------------------------------------------------------------------------------------------===//
// load
//===------------------------------------------------------------------------------------------===//

/// Where the operands of a load stand: the pointer first; 0 for none.
struct LoadShape {
  bool hasMask, hasOther, isVolatile;
  static LoadShape of(const Instruction &at) {
    return {(at.variant & 1) != 0, (at.variant & 2) != 0, (at.variant & 4) != 0};
  }
};

/// Lanes that are off get `other`, else 0.
template <typename T>
void loadLanes(Resolver &resolver, const Lanes &lanes, const Buffer *other, Buffer &result) {
  T *out = result.asMutable<T>();
  const T *rest = other ? other->as<T>() : nullptr;
  int64_t restStep = other && !other->uniform;
  int64_t n = result.stored();
  if (isRow(lanes) && lanes.areAllOn())
    if (const uint8_t *row = resolver.resolveRow(lanes.address(0), n)) {
      std::memcpy(out, row, n * sizeof(T));
      return;
    }
  for (int64_t i = 0; i < n; ++i) {
    out[i] = rest ? rest[i * restStep] : T();
    if (!lanes.isOn(i))
      continue;
    if (const uint8_t *place = resolver.resolve(lanes.address(i), i))
      std::memcpy(&out[i], place, sizeof(T));
    else
      out[i] = T();
  }
}

/// A byte other than 0 is true.
void normaliseBits(Buffer &result) {
  auto *bits = result.asMutable<uint8_t>();
  for (int64_t i = 0, n = result.stored(); i < n; ++i)
    bits[i] = bits[i] != 0;
}

/// Checked mode: poison for lanes that are off without `other` and for undefined memory; races. A
/// volatile load may wait for what others write.
void flagLoad(Machine &machine, Program &program, const Instruction &at, const Lanes &lanes,
              const Buffer *other, Buffer &result, bool isVolatile) {
  uint8_t *flags = nullptr;
  for (int64_t i = 0, n = result.stored(); i < n; ++i) {
    uint8_t flag = 0;
    if (!lanes.isOn(i)) {
      flag = other ? other->flagOf(i) : uint8_t(Poison);
    } else if (Allocation *allocation = machine.getMemory().find(lanes.address(i))) {
      const std::vector<uint8_t> &defined = allocation->storage->defined;
      int64_t offset = Memory::getOffset(lanes.address(i));
      bool inside = offset >= 0 && offset + lanes.bytes <= static_cast<int64_t>(defined.size());
      flag = inside && !defined[offset] ? Poison : 0;
      if (!isVolatile && offset >= 0 &&
          offset + lanes.bytes <= static_cast<int64_t>(allocation->storage->bytes.size()))
        noteRead(machine, program, at, *allocation, offset, i);
    }
    if (!flag)
      continue;
    if (!flags)
      flags = result.addFlags();
    flags[i] = flag;
    result.poisonedBy = other && other->poisonedBy ? other->poisonedBy : at.op;
  }
}

template <typename T> void runLoad(Machine &machine, Program &program, const Instruction &at) {
  LoadShape shape = LoadShape::of(at);
  Lanes lanes{&operand(program, at, 0), shape.hasMask ? &operand(program, at, 1) : nullptr,
              sizeof(T)};
  const Buffer *other = shape.hasOther ? &operand(program, at, 2) : nullptr;
  if (machine.isChecked())
    checkAddresses(machine, program, at, lanes, "load");
  Buffer &result = prepareResult(program, at, at.element);
  Resolver resolver(machine, program, at, sizeof(T), "reads");
  loadLanes<T>(resolver, lanes, other, result);
  if (at.element == Element::I1)
    normaliseBits(result);
  if (machine.isChecked())
    flagLoad(machine, program, at, lanes, other, result, shape.isVolatile);
  if (shape.isVolatile)
    machine.noteWait(program);
}

void selectLoad(mlir::Operation *op, Instruction &at) {
  auto load = mlir::cast<tile::LoadOp>(op);
  at.variant =
      (load.getMask() ? 1 : 0) | (load.getOther() ? 2 : 0) | (load.getIsVolatile() ? 4 : 0);
  switch (getBytes(at.element)) {
  case 1:
    at.handler = runLoad<uint8_t>;
    return;
  case 2:
    at.handler = runLoad<uint16_t>;
    return;
  case 4:
    at.handler = runLoad<uint32_t>;
    return;
  default:
    at.handler = runLoad<uint64_t>;
    return;
  }
}

//===------------------------------------------------------------------------------------------===//
// store
//===------------------------------------------------------------------------------------------===//

template <typename T>
void storeLanes(Resolver &resolver, const Lanes &lanes, const Buffer &value, int64_t count) {
  const T *in = value.as<T>();
  int64_t step = !value.uniform;
  if (step && isRow(lanes) && lanes.areAllOn())
    if (uint8_t *row = resolver.resolveRow(lanes.address(0), count)) {
      std::memcpy(row, in, count * sizeof(T));
      return;
    }
  for (int64_t i = 0; i < count; ++i)
    if (lanes.isOn(i))
      if (uint8_t *place = resolver.resolve(lanes.address(i), i))
        std::memcpy(place, &in[i * step], sizeof(T));
}

/// Checked mode: undefined values, races, and what is now defined.
void checkStore(Machine &machine, Program &program, const Instruction &at, const Lanes &lanes,
                const Buffer &value, int64_t count) {
  checkAddresses(machine, program, at, lanes, "store");
  for (int64_t i = 0; i < count; ++i) {
    if (!lanes.isOn(i))
      continue;
    bool poisoned = value.flagOf(i) & Poison;
    if (poisoned)
      machine.report(
          FindingKind::Undefined, program, at,
          [&] {
            return "stores an undefined value" + getOriginText(value.poisonedBy) +
                   (count > 1 ? ", lane " + getLaneText(at.op->getOperand(0).getType(), i)
                              : std::string());
          },
          i);
    Allocation *allocation = machine.getMemory().find(lanes.address(i));
    int64_t offset = Memory::getOffset(lanes.address(i));
    if (!allocation || offset < 0 ||
        offset + lanes.bytes > static_cast<int64_t>(allocation->storage->bytes.size()))
      continue;
    noteWrite(machine, program, at, *allocation, offset, lanes.bytes, !poisoned, false, i);
    // All lanes are stored by now: another value here is that of another lane.
    const std::byte *own = value.data->data() + (value.uniform ? 0 : i) * lanes.bytes;
    if (std::memcmp(allocation->storage->bytes.data() + offset, own, lanes.bytes) != 0)
      machine.report(
          FindingKind::Race, program, at,
          [&] {
            return "two lanes write different values to element " +
                   std::to_string(offset / allocation->elementBytes) + " of '" +
                   allocation->storage->name + "', one is lane " +
                   getLaneText(at.op->getOperand(0).getType(), i);
          },
          i, allocation->storage->name, offset / allocation->elementBytes);
  }
}

template <typename T> void runStore(Machine &machine, Program &program, const Instruction &at) {
  Lanes lanes{&operand(program, at, 0), at.operands.size() > 2 ? &operand(program, at, 2) : nullptr,
              sizeof(T)};
  const Buffer &value = operand(program, at, 1);
  // Lanes of equal addresses are stored in turn: the last one stays.
  int64_t count = std::max(lanes.pointers->count, value.count);
  Resolver resolver(machine, program, at, sizeof(T), "writes");
  storeLanes<T>(resolver, lanes, value, count);
  machine.noteChange();
  if (machine.isChecked())
    checkStore(machine, program, at, lanes, value, count);
}

void selectStore(mlir::Operation *op, Instruction &at) {
  auto store = mlir::cast<tile::StoreOp>(op);
  switch (getBytes(*getElement(tile::getElementType(store.getValue().getType())))) {
  case 1:
    at.handler = runStore<uint8_t>;
    return;
  case 2:
    at.handler = runStore<uint16_t>;
    return;
  case 4:
    at.handler = runStore<uint32_t>;
    return;
  default:
    at.handler = runStore<uint64_t>;
    return;
  }
}

} // namespace

void addMemoryHandlers(HandlerTable &table) {
  table["tile.addptr"] = selectAddPtr;
  table["tile.load"] = selectLoad;
  table["tile.store"] = selectStore;
}

} // namespace nereid::interpreter
