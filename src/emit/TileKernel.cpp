// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The head of a kernel: decorators, parameters, docstring.
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"
#include "tile/TuningKey.h"
#include "tile/transforms/AlignedArguments.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nereid::emit {

/// Integers and floats that Triton would take in another width by their value are annotated.
static std::string getAnnotation(Type type) {
  if (isa<tile::PtrType>(type) || type.isInteger(32) || type.isF32())
    return "";
  return ": " + getTritonDtype(type);
}

/// The arguments of which a launch says a common divisor.
llvm::SmallVector<BlockArgument> TilePrinter::getAligned(func::FuncOp kernel) {
  llvm::SmallVector<BlockArgument> aligned;
  if (parts.launchMeta.contains(kernel.getSymName()))
    for (BlockArgument argument : kernel.getArguments())
      if (kernel.getArgAttr(argument.getArgNumber(), tile::alignedAttrName) &&
          !isPlain(kernel, argument))
        aligned.push_back(argument);
  return aligned;
}

void TilePrinter::nameArguments(func::FuncOp kernel, llvm::SmallVectorImpl<Code> &parameters) {
  for (llvm::StringRef meta : tile::getMetaNames(kernel))
    names.reserve(meta);
  names.reserve(precisionName);
  names.reserve(alignmentName);
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
  if (!getAligned(kernel).empty())
    parameters.push_back(Code::text(alignmentName.str() + ": tl.constexpr = 1"));
  if (constants < parameters.size())
    parameters[constants] = parameters[constants].onNewLine();
}

namespace {
/// The configurations of a kernel as one `triton.Config` over rows of the numbers that differ.
class ConfigTable {
public:
  ConfigTable(func::FuncOp kernel, llvm::ArrayRef<Attribute> configs) {
    std::string blocks;
    for (llvm::StringRef name : tile::getMetaNames(kernel)) {
      if (!cast<tile::ConfigAttr>(configs[0]).getValues().get(name))
        continue;
      std::string value = add(nameBlock(name), configs, [&](tile::ConfigAttr config) {
        return spellConstant(config.getValues().get(name));
      });
      blocks += (blocks.empty() ? "" : ", ") + quote(name) + ": " + value;
    }
    arguments = {Code::text("{" + blocks + "}")};
    auto addOption = [&](llvm::StringRef variable, llvm::StringRef option, auto get) {
      std::string value = add(variable.str(), configs,
                              [&](tile::ConfigAttr config) { return std::to_string(get(config)); });
      if (option == "num_warps" || value != "3")
        arguments.push_back(Code::keyword(option, Code::text(value)));
    };
    addOption("w", "num_warps", [](tile::ConfigAttr config) { return config.getNumWarps(); });
    addOption("s", "num_stages", [](tile::ConfigAttr config) { return config.getNumStages(); });
  }

  void print(llvm::StringRef name, Writer &writer) const {
    Code one = Code::call("triton.Config", arguments);
    std::string head = name.str() + " = ";
    // They differ in nothing: there is but one.
    if (variables.empty())
      return writer.statement(head, Code::call("_choose", {Code::list({one})}));
    llvm::SmallVector<Code> list;
    for (const std::string &row : rows)
      list.push_back(Code::text(variables.size() > 1 ? "(" + row + ")" : row));
    writer.comprehension(head + "_choose", one, llvm::join(variables, ", "), Code::tuple(list));
  }

private:
  /// `m` for BLOCK_M.
  std::string nameBlock(llvm::StringRef block) {
    std::string name = block.lower();
    llvm::StringRef shorter = name;
    shorter.consume_front("block_");
    bool isTaken = shorter.size() > 1 || shorter == "w" || shorter == "s";
    return isTaken ? name : shorter.str();
  }

  /// The number that all configurations have, or the variable that holds it.
  std::string add(const std::string &variable, llvm::ArrayRef<Attribute> configs,
                  llvm::function_ref<std::string(tile::ConfigAttr)> get) {
    std::vector<std::string> column;
    for (Attribute config : configs)
      column.push_back(get(cast<tile::ConfigAttr>(config)));
    if (llvm::all_equal(column))
      return column[0];
    rows.resize(column.size());
    for (auto [row, value] : llvm::zip_equal(rows, column))
      row += (row.empty() ? "" : ", ") + value;
    variables.push_back(variable);
    return variable;
  }

  llvm::SmallVector<Code> arguments;
  std::vector<std::string> variables, rows;
};
} // namespace

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

/// Whether a number makes no other kernel by its value.
bool TilePrinter::isPlain(func::FuncOp kernel, BlockArgument argument) {
  // Several rows that a program holds whole: the columns are what lies together in memory.
  std::vector<std::string> given = parts.launchMeta.lookup(kernel.getSymName());
  bool holdsRows = llvm::is_contained(given, "BLOCK_M") && llvm::is_contained(given, "BLOCK_N");
  return kernel.getArgAttr(argument.getArgNumber(), tile::variesAttrName) ||
         isDrawnFrom(argument) || (holdsRows && boundsPrograms(argument));
}

/// The constant that holds a list of configurations; kernels share those that are equal.
std::string TilePrinter::nameConfigs(func::FuncOp kernel, llvm::ArrayRef<Attribute> configs) {
  ConfigTable table(kernel, configs);
  Writer unnamed;
  table.print("", unnamed);
  llvm::StringRef text = unnamed.str();
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
  table.print(name, constant);
  parts.configLists += constant.str();
  return name;
}

void TilePrinter::printDecorators(func::FuncOp kernel) {
  bool isLaunched = parts.launchMeta.contains(kernel.getSymName());
  auto configs = kernel->getAttrOfType<ArrayAttr>(tile::configsAttrName);
  // A kernel alone, without the function that launches it, is Triton's own.
  if (isLaunched) {
    llvm::SmallVector<Code> aligned;
    for (BlockArgument argument : getAligned(kernel))
      aligned.push_back(Code::text(quote(named.lookup(argument).code.getText())));
    if (aligned.empty())
      writer.line("@_Launcher");
    else
      writer.statement("@", Code::call("_aligned", aligned));
    parts.usesLauncher = parts.usesTorch = true;
    parts.usesAlignment |= !aligned.empty();
  }
  if (configs && configs.size() > 1) {
    llvm::SmallVector<Code> key;
    for (const std::string &name : parts.launchMeta[kernel.getSymName()])
      key.push_back(Code::text(quote(name)));
    if (takesPrecision(kernel))
      key.push_back(Code::text(quote(precisionName)));
    for (llvm::StringRef size : tile::getTunedFor(kernel))
      key.push_back(Code::text(quote(size)));
    if (auto names = kernel->getAttrOfType<ArrayAttr>(tile::tuningKeyAttrName))
      for (auto name : names.getAsValueRange<StringAttr>())
        key.push_back(Code::text(quote(name)));
    llvm::SmallVector<Code> arguments = {Code::text(nameConfigs(kernel, configs.getValue())),
                                         Code::keyword("key", Code::list(key))};
    if (llvm::SmallVector<Code> updated = getUpdated(kernel, named); !updated.empty())
      arguments.push_back(Code::keyword("restore_value", Code::list(updated)));
    arguments.push_back(Code::text("**_TUNING"));
    writer.statement("@", Code::call("triton.autotune", arguments));
    parts.usesConfigs = true;
  }
  llvm::SmallVector<Code> plain;
  for (BlockArgument argument : kernel.getArguments())
    if (isPlain(kernel, argument))
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
  for (BlockArgument argument : getAligned(kernel)) {
    std::string name = named.lookup(argument).code.getText().str();
    writer.line(name + " = " + name + " // " + alignmentName.str() + " * " + alignmentName.str());
  }
  size_t start = writer.str().size();
  printBlock(kernel.getBody().front());
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  return failure(failed);
}

} // namespace nereid::emit
