// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Access.h"

#include <algorithm>

namespace nereid::interpreter {

void Resolver::enter(int64_t address, int64_t region) {
  lastRegion = region;
  allocation = machine.getMemory().find(address);
  base = allocation ? allocation->storage->bytes.data() : nullptr;
  size = allocation ? static_cast<int64_t>(allocation->storage->bytes.size()) : 0;
}

/// `lane [1, 5]` or nothing for scalars.
static std::string laneSuffix(const Instruction &at, int64_t lane) {
  std::string text = getLaneText(at.op->getOperand(0).getType(), lane);
  return text.empty() ? "" : ", lane " + text;
}

void Resolver::reportOutside(int64_t address, int64_t lane) {
  if (machine.hasReported(FindingKind::OutOfBounds, at))
    return;
  if (!allocation) {
    machine.report(
        FindingKind::OutOfBounds, program, at,
        [&] {
          return (verb + " an address that belongs to no tensor").str() + laneSuffix(at, lane);
        },
        lane);
    return;
  }
  int64_t offset = Memory::getOffset(address);
  int64_t elementBytes = allocation->elementBytes;
  int64_t element =
      offset >= 0 ? offset / elementBytes : -((-offset + elementBytes - 1) / elementBytes);
  machine.report(
      FindingKind::OutOfBounds, program, at,
      [&] {
        return (verb + " element ").str() + std::to_string(element) + " of '" +
               allocation->storage->name + "', which has " + std::to_string(size / elementBytes) +
               " elements" + laneSuffix(at, lane);
      },
      lane, allocation->storage->name, element);
}

bool isRow(const Lanes &lanes) {
  const Buffer &pointers = *lanes.pointers;
  if (pointers.uniform)
    return pointers.count == 1;
  const int64_t *address = pointers.as<int64_t>();
  int64_t first = address[0], bytes = lanes.bytes, wrong = 0;
  if (pointers.count > 1 && address[1] != first + bytes)
    return false;
  for (int64_t i = 0; i < pointers.count; ++i)
    wrong |= address[i] ^ (first + i * bytes);
  return wrong == 0;
}

std::string getOriginText(mlir::Operation *origin) {
  if (!origin)
    return "";
  std::string text = ", made by '" + origin->getName().getStringRef().str() + "'";
  if (auto place = origin->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
    text += " at " + place.getFilename().str() + ":" + std::to_string(place.getLine());
  return text;
}

void checkAddresses(Machine &machine, Program &program, const Instruction &at, const Lanes &lanes,
                    llvm::StringRef what) {
  const Buffer &pointers = *lanes.pointers;
  if (!pointers.flags && !(lanes.mask && lanes.mask->flags))
    return;
  for (int64_t lane = 0; lane < pointers.count; ++lane) {
    if (lanes.mask && lanes.mask->flagOf(lane) & Poison)
      machine.report(
          FindingKind::Undefined, program, at,
          [&] {
            return "the mask of a " + what.str() + " is an undefined value" +
                   getOriginText(lanes.mask->poisonedBy) + laneSuffix(at, lane);
          },
          lane);
    uint8_t flags = pointers.flagOf(lane);
    if (!flags || !lanes.isOn(lane))
      continue;
    auto tell = [&](FindingKind kind, llvm::StringRef origin, mlir::Operation *from) {
      machine.report(
          kind, program, at,
          [&] {
            return ("the address of a " + what + " comes from " + origin).str() +
                   getOriginText(from) + laneSuffix(at, lane);
          },
          lane);
    };
    if (flags & Poison)
      tell(FindingKind::Undefined, "an undefined value", pointers.poisonedBy);
    if (flags & Wrapped)
      tell(FindingKind::Overflow, "an int32 overflow", pointers.wrappedBy);
  }
}

static void reportRace(Machine &machine, Program &program, const Instruction &at,
                       const Allocation &allocation, size_t element, llvm::StringRef verb,
                       uint32_t other, llvm::StringRef otherVerb, int64_t lane) {
  if (machine.hasReported(FindingKind::Race, at))
    return;
  const auto &grid = machine.getGrid();
  int64_t linear = other - 1;
  std::array<int64_t, 3> id = {linear % grid[0], linear / grid[0] % grid[1],
                               linear / grid[0] / grid[1]};
  machine.report(
      FindingKind::Race, program, at,
      [&] {
        return (verb + " element ").str() + std::to_string(element) + " of '" +
               allocation.storage->name + "', which program " + toString(id) + " " +
               otherVerb.str() + laneSuffix(at, lane);
      },
      lane, allocation.storage->name, element);
}

static size_t getElementIndex(const Allocation &allocation, int64_t offset) {
  return std::min<size_t>(offset / allocation.elementBytes, allocation.writers.size() - 1);
}

void noteRead(Machine &machine, Program &program, const Instruction &at, Allocation &allocation,
              int64_t offset, int64_t lane) {
  if (!allocation.storage->read.empty())
    allocation.storage->read[offset] = 1;
  if (allocation.writers.empty())
    return;
  size_t element = getElementIndex(allocation, offset);
  const Writer &writer = allocation.writers[element];
  if (writer.program != 0 && writer.program != program.number &&
      !machine.isOrdered(writer, program))
    reportRace(machine, program, at, allocation, element, "reads", writer.program, "wrote", lane);
  if (allocation.readers.empty())
    allocation.readers.resize(allocation.writers.size());
  Readers &readers = allocation.readers[element];
  if (readers.last.program != program.number)
    readers.other = readers.last;
  readers.last = {program.number, static_cast<uint32_t>(machine.getTime())};
}

void noteWrite(Machine &machine, Program &program, const Instruction &at, Allocation &allocation,
               int64_t offset, unsigned bytes, bool isDefined, bool isAtomic, int64_t lane) {
  if (!allocation.storage->defined.empty())
    std::fill_n(allocation.storage->defined.begin() + offset, bytes, isDefined);
  if (allocation.writers.empty())
    return;
  size_t element = getElementIndex(allocation, offset);
  Writer &writer = allocation.writers[element];
  bool isOther = writer.program != 0 && writer.program != program.number;
  if (isOther && !(writer.atomic && isAtomic) && !machine.isOrdered(writer, program))
    reportRace(machine, program, at, allocation, element, "writes", writer.program, "wrote too",
               lane);
  if (!allocation.readers.empty())
    for (Readers::Reader reader :
         {allocation.readers[element].last, allocation.readers[element].other})
      if (reader.program != 0 && reader.program != program.number &&
          !machine.isOrdered({reader.program, false, reader.time}, program))
        reportRace(machine, program, at, allocation, element, "writes", reader.program, "read",
                   lane);
  writer = {program.number, isAtomic, machine.getTime()};
}

} // namespace nereid::interpreter
