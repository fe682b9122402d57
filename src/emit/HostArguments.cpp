// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wrapper calls its arguments, the sizes and strides that it binds, and the checks of both.
#include "emit/HostPrinter.h"

#include "emit/Spelling.h"

using namespace mlir;

namespace nereid::emit {

/// Whether an argument is a list of sizes: no more of the tensor is known.
bool HostPrinter::isShapeOnly(unsigned place) {
  return bool(program.getArgAttr(place, "host.shape_only"));
}

void HostPrinter::nameArguments() {
  if (program->hasAttr("host.gradient_of") || program->hasAttr(host::savesIfAskedAttrName))
    needs.emplace(program);
  if (needs && needs->areSelective())
    names.reserve(savesIfAsked() ? "saves" : "needs");
  names.reserve("meta");
  for (const ArgumentGroup &group : groups) {
    names.reserve(group.parameter);
    names.reserve(group.variable);
  }
  for (auto [place, argument] : llvm::enumerate(program.getArguments())) {
    bool isShape = isShapeOnly(place);
    std::string name = getField(program, place, parts);
    if (name.empty())
      name = names.takeUserName(getArgumentName(program, place) + (isShape ? "_shape" : ""));
    values[argument] = Code::text(name);
    auto tensor = dyn_cast<host::TensorType>(argument.getType());
    if (tensor && getTorchDtype(tensor.getElementType()).empty())
      refuse(program, "takes a tensor of a type that PyTorch lacks");
  }
  chooseDeviceOwner();
}

/// New tensors are made by the first tensor; in a model by an input of its type, if it has one:
/// that has the shorter name.
void HostPrinter::chooseDeviceOwner() {
  BlockArgument owner;
  for (BlockArgument argument : program.getArguments()) {
    unsigned place = argument.getArgNumber();
    auto tensor = dyn_cast<host::TensorType>(argument.getType());
    if (!tensor || isShapeOnly(place) || isSeed(program, place))
      continue;
    bool isShorter = owner && isGrouped(owner) && !isGrouped(argument) &&
                     isa<FloatType>(tensor.getElementType());
    if (!owner || isShorter)
      owner = argument;
  }
  if (!owner)
    return;
  deviceOwner = values[owner].str();
  ownerType = cast<host::TensorType>(owner.getType()).getElementType();
}

llvm::SmallVector<host::SymbolAttr> getSymbols(func::FuncOp program) {
  auto symbols = program->getAttrOfType<ArrayAttr>(host::symbolsAttrName);
  if (!symbols)
    return {};
  auto range = symbols.getAsRange<host::SymbolAttr>();
  return {range.begin(), range.end()};
}

/// Whether sizes and bounds of slices are made of a number.
bool HostPrinter::isSize(BlockArgument number) {
  return llvm::any_of(getSymbols(program), [&](host::SymbolAttr symbol) {
    return symbol.getKind() == host::SymbolKind::Value &&
           unsigned(symbol.getArgument()) == number.getArgNumber();
  });
}

/// A stride as it is asked of its tensor.
std::string HostPrinter::strideOf(llvm::StringRef name, Value tensor, unsigned dim) {
  std::string text = (name + ".stride(" + std::to_string(dim) + ")").str();
  unsigned rank = cast<host::TensorType>(tensor.getType()).getSizes().size();
  strides[text] = {name.str(), dim, rank};
  return text;
}

/// Sizes become variables; strides are asked of their tensor, arguments are variables already.
void HostPrinter::bindSymbols() {
  for (host::SymbolAttr symbol : getSymbols(program)) {
    std::string argument = values[program.getArgument(symbol.getArgument())].str();
    std::string &text = symbols[symbol.getName()];
    if (symbol.getKind() == host::SymbolKind::Value)
      text = argument;
    else if (symbol.getKind() == host::SymbolKind::Stride)
      text = strideOf(argument, program.getArgument(symbol.getArgument()), symbol.getDim());
    else
      text = names.takeUserName(symbol.getName());
  }
}

/// Binds the sizes of an argument that the body asks for.
void HostPrinter::printSizes(BlockArgument argument) {
  auto type = dyn_cast<host::TensorType>(argument.getType());
  unsigned place = argument.getArgNumber();
  llvm::SmallVector<std::string> sizes(type ? type.getRank() : 0);
  for (host::SymbolAttr symbol : getSymbols(program))
    if (symbol.getKind() == host::SymbolKind::Size && symbol.getArgument() == int64_t(place) &&
        usedSymbols.contains(symbol.getName()))
      sizes[symbol.getDim()] = symbols[symbol.getName()];
  std::string name = values[argument].str();
  std::string shape = isShapeOnly(place) ? name : name + ".shape";
  bool isWhole = sizes.size() > 1 && !llvm::is_contained(sizes, "");
  if (isWhole)
    out.line(llvm::join(sizes, ", ") + " = " + shape);
  for (size_t dim = 0; !isWhole && dim < sizes.size(); ++dim)
    if (!sizes[dim].empty())
      out.line(sizes[dim] + " = " + shape + "[" + std::to_string(dim) + "]");
}

/// Binds the sizes that the body asks for, where that is not done yet.
void HostPrinter::printSizes() {
  for (BlockArgument argument : program.getArguments())
    if (!measured.contains(argument))
      printSizes(argument);
}

/// Whether a tensor has a size that is to be compared.
bool HostPrinter::asksSizes(BlockArgument argument) {
  auto type = dyn_cast<host::TensorType>(argument.getType());
  // Sizes of what was saved are those that the program had.
  bool isSaved = isGrouped(argument) && program->hasAttr("host.gradient_of");
  if (!type || isShapeOnly(argument.getArgNumber()) || isSaved)
    return false;
  return llvm::any_of(llvm::seq(type.getRank()), [&](int64_t dim) {
    return !definesSize(argument, dim) && !isSizeChecked(argument, dim);
  });
}

/// Checks that all arguments agree with the sizes and strides of their types, where that was not
/// asked of them one by one.
void HostPrinter::printSizeChecks() {
  Writer checks;
  checks.indent();
  auto check = [&](llvm::StringRef function, std::string name, llvm::ArrayRef<Code> rest) {
    llvm::SmallVector<Code> arguments = {Code::text(quote(name)), Code::text(name)};
    arguments.append(rest.begin(), rest.end());
    checks.statement("", Code::call(function, arguments));
  };
  for (auto [place, argument] : llvm::enumerate(program.getArguments())) {
    auto type = dyn_cast<host::TensorType>(argument.getType());
    if (!type || isShapeOnly(place))
      continue;
    std::string name = values[argument].str();
    bool isRowMajor = type.getRank() > 0 && host::hasRowMajorStrides(type);
    if (asksSizes(argument) && !sizesChecked.contains(argument)) {
      llvm::SmallVector<Code> sizes;
      for (auto [dim, size] : llvm::enumerate(type.getSizes())) {
        bool isFree = definesSize(argument, dim) && !usedSymbols.contains(size.getName());
        sizes.push_back(isFree ? Code::text("None") : getExpr(size));
      }
      check("_check_shape", name, Code::tuple(sizes));
      parts.usesTensorCheck = true;
    }
    for (size_t dim = 0; dim < type.getSizes().size(); ++dim)
      if (asksStride(argument, dim)) {
        check("_check_stride", name,
              {Code::text(std::to_string(dim)), getExpr(type.getStrides()[dim])});
        parts.usesStrideCheck = true;
      }
    if (isRowMajor) {
      check("_check_contiguous", name, {});
      parts.usesContiguousCheck = true;
    }
  }
  printSizes();
  out.paste(checks);
}

} // namespace nereid::emit
