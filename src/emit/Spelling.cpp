// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Spelling.h"

#include "emit/Code.h"
#include "tile/TileDialect.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace mlir;

namespace nereid::emit {

static std::string getFloatName(Type type) {
  if (type.isF16())
    return "float16";
  if (type.isBF16())
    return "bfloat16";
  if (type.isF32())
    return "float32";
  if (type.isF64())
    return "float64";
  return "";
}

std::string getTritonDtype(Type element, bool isUnsigned) {
  if (auto pointer = dyn_cast<tile::PtrType>(element)) {
    Type pointee = pointer.getPointee();
    return "tl.pointer_type(" + getTritonDtype(pointee, pointee.isUnsignedInteger()) + ")";
  }
  if (auto integer = dyn_cast<IntegerType>(element))
    return (isUnsigned && integer.getWidth() > 1 ? "tl.uint" : "tl.int") +
           std::to_string(integer.getWidth());
  if (isa<Float8E4M3FNType>(element))
    return "tl.float8e4nv";
  if (isa<Float8E5M2Type>(element))
    return "tl.float8e5";
  std::string name = getFloatName(element);
  return name.empty() ? "" : "tl." + name;
}

std::string getTorchDtype(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    if (integer.getWidth() == 1)
      return "torch.bool";
    return (integer.isUnsigned() ? "torch.uint" : "torch.int") + std::to_string(integer.getWidth());
  }
  if (isa<Float8E4M3FNType>(element))
    return "torch.float8_e4m3fn";
  if (isa<Float8E5M2Type>(element))
    return "torch.float8_e5m2";
  std::string name = getFloatName(element);
  return name.empty() ? "" : "torch." + name;
}

/// Python spells a float with a point or an exponent, which has no `+` as files are formatted.
static std::string toPython(llvm::StringRef digits) {
  std::string text = digits.str();
  if (size_t plus = text.find("e+"); plus != std::string::npos)
    text.erase(plus + 1, 1);
  if (digits.find_first_of(".e") == llvm::StringRef::npos)
    text += ".0";
  return text;
}

template <typename T> static std::string spellShortest(T value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return toPython(llvm::StringRef(buffer, end - buffer));
}

static double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

bool isExactInFloat32(const llvm::APFloat &value) {
  double number = toDouble(value);
  return number != number || static_cast<double>(static_cast<float>(number)) == number;
}

bool isPositiveZero(Attribute number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer && integer.getValue().isZero() && integer.getValue().getBitWidth() > 1;
}

std::string spellFloat(const llvm::APFloat &value) {
  if (value.isNaN())
    return "float(\"nan\")";
  if (value.isInfinity())
    return value.isNegative() ? "float(\"-inf\")" : "float(\"inf\")";
  double number = toDouble(value);
  if (&value.getSemantics() == &llvm::APFloat::IEEEdouble())
    return spellShortest(number);
  // The text is read as a float64 and rounded again; the shortest float32 text nearly always
  // survives both steps. Beyond the greatest float32 Triton takes a number for a float64.
  std::string text = spellShortest(static_cast<float>(number));
  double read = std::strtod(text.c_str(), nullptr);
  if (static_cast<float>(read) == static_cast<float>(number) &&
      std::abs(read) <= std::numeric_limits<float>::max())
    return text;
  return spellShortest(number);
}

std::string spellInteger(const llvm::APInt &value) {
  if (value.getBitWidth() == 1)
    return value.isZero() ? "False" : "True";
  llvm::SmallString<24> text;
  value.toStringSigned(text);
  return text.str().str();
}

std::string spellNumber(Attribute number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return spellFloat(real.getValue());
  return spellInteger(cast<IntegerAttr>(number).getValue());
}

std::string spellConstant(Attribute constant) {
  if (isa<UnitAttr>(constant))
    return "None";
  if (auto text = dyn_cast<StringAttr>(constant))
    return quote(text.getValue());
  if (auto type = dyn_cast<FlatSymbolRefAttr>(constant))
    return type.getValue().str();
  if (auto truth = dyn_cast<BoolAttr>(constant))
    return truth.getValue() ? "True" : "False";
  return spellNumber(constant);
}

} // namespace nereid::emit
