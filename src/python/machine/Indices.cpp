// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as indices, and what slices are of a sequence.
#include "python/machine/HostFacts.h"
#include "python/machine/Integers.h"

using namespace nereid;
using namespace nereid::machine;

/// A bound of a slice: large integers saturate.
static std::optional<int64_t> sliceBound(Internals &in, Value value) {
  if (auto *integer = llvm::dyn_cast<IntObject>(value))
    return integer->isSmall()     ? integer->small
           : isNegative(*integer) ? INT64_MIN / 2
                                  : INT64_MAX / 2;
  if (!in.userMethod(value, in.n.index) && value->kind != Kind::Foreign) {
    if (!in.m.pending())
      in.typeError("slice indices must be integers or None or have an __index__ method");
    return std::nullopt;
  }
  return in.m.index(value);
}

std::optional<Internals::SliceRange> Internals::sliceRange(SliceObject &slice, int64_t size) {
  int64_t step = 1;
  if (slice.step != m.none()) {
    auto value = sliceBound(*this, slice.step);
    if (!value)
      return std::nullopt;
    step = *value;
  }
  if (step == 0) {
    m.raise("ValueError", "slice step cannot be zero");
    return std::nullopt;
  }
  int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  auto bound = [&](Value value, int64_t absent) -> std::optional<int64_t> {
    if (value == m.none())
      return absent;
    auto at = sliceBound(*this, value);
    if (!at)
      return std::nullopt;
    if (*at < 0)
      return std::max(*at + size, low);
    return std::min(*at, high);
  };
  auto start = bound(slice.start, step < 0 ? high : low);
  auto stop = start ? bound(slice.stop, step < 0 ? low : high) : start;
  if (!stop)
    return std::nullopt;
  int64_t count = RangeObject(nullptr, *start, *stop, step).size();
  return SliceRange{*start, *stop, step, count};
}

std::optional<int64_t> Machine::index(Value value) {
  Internals &in = *internals;
  if (auto *foreign = llvm::dyn_cast<Foreign>(value))
    if (auto answer = foreign->library.convert(*this, value, "index")) {
      if (!*answer)
        return std::nullopt;
      value = *answer;
    }
  if (auto *integer = llvm::dyn_cast<IntObject>(value)) {
    if (integer->isSmall())
      return integer->small;
    raise("IndexError", "cannot fit 'int' into an index-sized integer");
    return std::nullopt;
  }
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value)) {
    if (auto number = spreadsOpaque ? findNumber(opaque->path) : std::nullopt)
      return number;
    in.refuseOpaque(*opaque, "used as an integer");
    return std::nullopt;
  }
  if (Value method = in.userMethod(value, in.n.index)) {
    Value result = call(method);
    return result ? index(result) : std::nullopt;
  }
  in.typeError("'" + typeName(value) + "' object cannot be interpreted as an integer");
  return std::nullopt;
}
