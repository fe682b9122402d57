// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/HostFacts.h"

#include <cmath>
#include <optional>

using namespace nereid;
using namespace nereid::machine;

namespace {
/// A float type of so many bits of significand, the leading one included, and its exponents.
struct FloatType {
  llvm::StringLiteral name;
  int bits, significand, least, greatest;
  /// The greatest number, where all bits set are no number; 0: as the others have it.
  double most = 0;
};

struct IntegerType {
  llvm::StringLiteral name;
  unsigned bits;
  bool isSigned;
};
} // namespace

static constexpr FloatType floatTypes[] = {
    {"float16", 16, 11, -14, 15},       {"half", 16, 11, -14, 15},
    {"bfloat16", 16, 8, -126, 127},     {"float32", 32, 24, -126, 127},
    {"float", 32, 24, -126, 127},       {"float64", 64, 53, -1022, 1023},
    {"double", 64, 53, -1022, 1023},    {"float8_e4m3fn", 8, 4, -6, 8, 448},
    {"float8_e4m3fnuz", 8, 4, -7, 7},   {"float8_e5m2", 8, 3, -14, 15},
    {"float8_e5m2fnuz", 8, 3, -15, 15},
};

static constexpr IntegerType integerTypes[] = {
    {"int8", 8, true},     {"int16", 16, true},   {"short", 16, true}, {"int32", 32, true},
    {"int", 32, true},     {"int64", 64, true},   {"long", 64, true},  {"uint8", 8, false},
    {"uint16", 16, false}, {"uint32", 32, false},
};

static Value findFloatLimit(Machine &machine, llvm::StringRef type, llvm::StringRef limit) {
  for (const FloatType &known : floatTypes) {
    if (known.name != type)
      continue;
    double spacing = std::ldexp(1.0, 1 - known.significand);
    double greatest = known.most != 0 ? known.most : std::ldexp(2.0 - spacing, known.greatest);
    if (limit == "max" || limit == "min")
      return machine.makeFloat(limit == "max" ? greatest : -greatest);
    if (limit == "eps" || limit == "resolution")
      return limit == "eps" ? machine.makeFloat(spacing) : nullptr;
    if (limit == "tiny" || limit == "smallest_normal")
      return machine.makeFloat(std::ldexp(1.0, known.least));
    return limit == "bits" ? machine.makeInt(known.bits) : nullptr;
  }
  return nullptr;
}

static Value findIntegerLimit(Machine &machine, llvm::StringRef type, llvm::StringRef limit) {
  for (const IntegerType &known : integerTypes) {
    if (known.name != type)
      continue;
    unsigned digits = known.bits - known.isSigned;
    if (limit == "max")
      return machine.makeInt(digits == 63 ? INT64_MAX : (int64_t(1) << digits) - 1);
    if (limit == "min")
      return machine.makeInt(!known.isSigned ? 0
                             : digits == 63  ? INT64_MIN
                                             : -(int64_t(1) << digits));
    return limit == "bits" ? machine.makeInt(int64_t(known.bits)) : nullptr;
  }
  return nullptr;
}

Value machine::findLimit(Machine &machine, llvm::StringRef path) {
  // The version that Nereid is tested with: packages ask for a least one.
  if (path == "torch.__version__")
    return machine.makeStr("2.13.0");
  auto [call, limit] = path.rsplit(").");
  auto [asked, type] = call.split('(');
  if (limit.empty() || type.empty())
    return nullptr;
  auto [library, function] = asked.split('.');
  if (library != "torch" && library != "numpy")
    return nullptr;
  type = type.rsplit('.').second;
  return function == "finfo"   ? findFloatLimit(machine, type, limit)
         : function == "iinfo" ? findIntegerLimit(machine, type, limit)
                               : nullptr;
}

std::optional<int64_t> machine::findNumber(llvm::StringRef path) {
  return path == "torch.cuda.device_count()" ? std::optional<int64_t>(1) : std::nullopt;
}

bool machine::isKnownToHold(llvm::StringRef path) { return path == "torch.cuda.is_available()"; }
