// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The head of a kernel: decorators, parameters, docstring.
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::emit {

/// Integers and floats that Triton would take in another width by their value are annotated.
static std::string getAnnotation(Type type) {
  if (isa<tile::PtrType>(type) || type.isInteger(32) || type.isF32())
    return "";
  return ": " + getTritonDtype(type);
}

void TilePrinter::nameArguments(func::FuncOp kernel, llvm::SmallVectorImpl<Code> &parameters) {
  for (llvm::StringRef meta : tile::getMetaNames(kernel))
    names.reserve(meta);
  names.reserve(precisionName);
  for (llvm::StringRef size : tile::getTunedFor(kernel))
    names.reserve(size);
  for (auto [place, argument] : llvm::enumerate(kernel.getArguments())) {
    std::string name = names.takeUserName(tile::getArgumentName(kernel, place));
    if (!isa<tile::PtrType>(argument.getType()) && !argument.getType().isIntOrFloat())
      refuse(kernel, "takes an argument that is neither a pointer nor a number");
    bind(argument, name);
    named[argument].mayBeKnown = argument.getType().isInteger(32);
    Code parameter = Code::text(name + getAnnotation(argument.getType()));
    parameters.push_back(opensGroup(kernel, place) ? parameter.onNewLine() : parameter);
  }
  size_t constants = parameters.size();
  for (llvm::StringRef meta : tile::getMetaNames(kernel))
    parameters.push_back(Code::text(meta.str() + ": tl.constexpr"));
  if (takesPrecision(kernel))
    parameters.push_back(Code::text(precisionName.str() + ": tl.constexpr"));
  for (llvm::StringRef size : tile::getTunedFor(kernel))
    parameters.push_back(Code::text(size.str() + ": tl.constexpr"));
  if (constants < parameters.size())
    parameters[constants] = parameters[constants].onNewLine();
}

static Code getConfig(tile::ConfigAttr config, func::FuncOp kernel) {
  std::string values;
  for (llvm::StringRef name : tile::getMetaNames(kernel))
    if (Attribute value = config.getValues().get(name))
      values += (values.empty() ? "" : ", ") + quote(name) + ": " + spellNumber(value);
  llvm::SmallVector<Code> arguments = {
      Code::text("{" + values + "}"),
      Code::keyword("num_warps", Code::text(std::to_string(config.getNumWarps())))};
  if (config.getNumStages() != 3)
    arguments.push_back(
        Code::keyword("num_stages", Code::text(std::to_string(config.getNumStages()))));
  return Code::call("triton.Config", arguments);
}

/// The argument that a pointer is computed from; null when it comes from elsewhere.
static BlockArgument getBase(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (op->getNumOperands() == 0)
      return {};
    pointer = op->getOperand(0);
  }
  return cast<BlockArgument>(pointer);
}

/// Arguments whose memory a kernel both reads and writes: timing runs must not change them.
static llvm::SmallVector<Code> getUpdated(func::FuncOp kernel,
                                          const llvm::DenseMap<Value, Operand> &named) {
  llvm::DenseSet<Value> read, written;
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      read.insert(getBase(op->getOperand(0)));
    if (isa<tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      written.insert(getBase(op->getOperand(0)));
  });
  llvm::SmallVector<Code> updated;
  for (BlockArgument argument : kernel.getArguments())
    if (read.contains(argument) && written.contains(argument))
      updated.push_back(Code::text(quote(named.lookup(argument).code.getText())));
  return updated;
}

/// Whether random numbers are all that is made of a number, as of a seed and of the number of a
/// stream. Each would be a variant of its own by its divisibility.
static bool isDrawnFrom(Value number) {
  return !number.use_empty() && llvm::all_of(number.getUsers(), [&](Operation *user) {
    bool isPart = isa<arith::ExtSIOp, arith::ShLIOp, arith::AddIOp, tile::SplatOp>(user);
    return isa<tile::RandomOp>(user) || (isPart && isDrawnFrom(user->getResult(0)));
  });
}

/// Whether a value depends on which program of the grid this is.
static bool dependsOnProgram(Value value, llvm::DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(value).second)
    return false;
  return isa<tile::ProgramIdOp>(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOnProgram(operand, seen);
         });
}

/// Whether an integer does nothing but end the rows of the last program: being 1 or a multiple of
/// 16 changes no access along the columns, and would only be compiled again.
static bool boundsPrograms(Value bound) {
  if (!bound.getType().isSignlessInteger() && !isa<RankedTensorType>(bound.getType()))
    return false;
  return !bound.use_empty() && llvm::all_of(bound.getUsers(), [&](Operation *user) {
    if (isa<tile::SplatOp>(user))
      return boundsPrograms(user->getResult(0));
    llvm::DenseSet<Value> seen;
    return isa<arith::CmpIOp>(user) && dependsOnProgram(user->getOperand(0), seen);
  });
}

/// The constant that holds a list of configurations; kernels share those that are equal.
std::string TilePrinter::nameConfigs(const Code &list) {
  std::string whole = list.str();
  llvm::StringRef text = whole;
  std::string &name = parts.configNames[text];
  if (!name.empty())
    return name;
  bool isTile = text.contains("BLOCK_M"), isRow = text.contains("BLOCK_N"),
       isFlat = text.contains("BLOCK");
  name = parts.names.take(isTile   ? "_TILE_CONFIGS"
                          : isRow  ? "_ROW_CONFIGS"
                          : isFlat ? "_FLAT_CONFIGS"
                                   : "_WARPS_CONFIGS");
  Writer constant;
  constant.statement(name + " = ", list);
  parts.configLists.push_back(constant.str());
  return name;
}

void TilePrinter::printDecorators(func::FuncOp kernel) {
  // Several rows that a program holds whole: the columns are what lies together in memory.
  bool isLaunched = parts.launchMeta.contains(kernel.getSymName());
  const std::vector<std::string> &given = parts.launchMeta[kernel.getSymName()];
  bool holdsRows = llvm::is_contained(given, "BLOCK_M") && llvm::is_contained(given, "BLOCK_N");
  auto configs = kernel->getAttrOfType<ArrayAttr>(tile::configsAttrName);
  // A kernel alone, without the function that launches it, is Triton's own.
  if (isLaunched) {
    writer.line("@_Launcher");
    parts.usesLauncher = parts.usesTorch = true;
  }
  if (configs && configs.size() > 1) {
    llvm::SmallVector<Code> list, key;
    for (Attribute config : configs)
      list.push_back(getConfig(cast<tile::ConfigAttr>(config), kernel));
    for (const std::string &name : parts.launchMeta[kernel.getSymName()])
      key.push_back(Code::text(quote(name)));
    if (takesPrecision(kernel))
      key.push_back(Code::text(quote(precisionName)));
    for (llvm::StringRef size : tile::getTunedFor(kernel))
      key.push_back(Code::text(quote(size)));
    llvm::SmallVector<Code> arguments = {Code::text(nameConfigs(Code::call("_choose", list))),
                                         Code::keyword("key", Code::list(key))};
    if (llvm::SmallVector<Code> updated = getUpdated(kernel, named); !updated.empty())
      arguments.push_back(Code::keyword("restore_value", Code::list(updated)));
    arguments.push_back(Code::text("**_TUNING"));
    writer.statement("@", Code::call("triton.autotune", arguments));
    parts.usesConfigs = true;
  }
  llvm::SmallVector<Code> plain;
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), tile::variesAttrName) || isDrawnFrom(argument) ||
        (holdsRows && boundsPrograms(argument)))
      plain.push_back(Code::text(quote(named.lookup(argument).code.getText())));
  if (plain.empty())
    return writer.line("@triton.jit");
  writer.statement(
      "@", Code::call("triton.jit", {Code::keyword("do_not_specialize", Code::list(plain))}));
}

LogicalResult TilePrinter::printKernel(func::FuncOp kernel) {
  parts.usesTriton = true;
  names.reserve(kernel.getSymName());
  llvm::SmallVector<Code> parameters;
  nameArguments(kernel, parameters);
  keepUserNames(kernel.getBody());
  printDecorators(kernel);
  writer.definition(("def " + kernel.getSymName()).str(), parameters);
  writer.indent();
  if (auto doc = kernel->getAttrOfType<StringAttr>("tile.doc"))
    writer.docstring(doc.getValue());
  if (auto multiples = kernel->getAttrOfType<DictionaryAttr>(tile::multiplesAttrName))
    for (NamedAttribute entry : multiples) {
      std::string number = spellNumber(entry.getValue());
      parts.usesTriton = true;
      writer.line("tl.static_assert(" + number + " % " + entry.getName().str() + " == 0)");
    }
  size_t start = writer.str().size();
  printBlock(kernel.getBody().front());
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  return failure(failed);
}

} // namespace nereid::emit
