// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wrapper asks of its tensors before anything is launched, and what it tells autograd of
// them.
#include "emit/HostGradient.h"
#include "emit/HostPrinter.h"
#include "emit/Spelling.h"

using namespace mlir;

namespace nereid::emit {

/// The program that chooses this one as a case of its own: it passes its arguments on.
static func::FuncOp findChooser(func::FuncOp program) {
  for (auto other : cast<ModuleOp>(program->getParentOp()).getOps<func::FuncOp>()) {
    if (other.isDeclaration())
      continue;
    auto choice = dyn_cast<host::DispatchOp>(other.getBody().front().getTerminator());
    if (choice && llvm::any_of(choice.getPrograms(), [&](Attribute name) {
          return cast<FlatSymbolRefAttr>(name).getValue() == program.getSymName();
        }))
      return other;
  }
  return {};
}

/// Where the caller has asked the same of an argument, rank and type are known.
bool HostPrinter::isChecked(BlockArgument argument) {
  unsigned place = argument.getArgNumber();
  if (!chooser || isSeed(program, place) || isUndrawn(program, place))
    return false;
  Type own = argument.getType(), given = chooser.getArgumentTypes()[place];
  auto tensor = dyn_cast<host::TensorType>(own), other = dyn_cast<host::TensorType>(given);
  if (!tensor || !other)
    return own == given;
  return tensor.getRank() == other.getRank() && tensor.getElementType() == other.getElementType();
}

/// Whether a size that is a number has been asked for.
bool HostPrinter::isSizeChecked(BlockArgument argument, unsigned dim) {
  index::Expr size = cast<host::TensorType>(argument.getType()).getSizes()[dim];
  if (!size.isConstant())
    return false;
  if (isGrouped(argument))
    return true;
  if (!isChecked(argument))
    return hasCheckTable;
  return cast<host::TensorType>(chooser.getArgumentTypes()[argument.getArgNumber()])
             .getSizes()[dim] == size;
}

/// Tensors of equal types and sizes share a row: `_check_tensors(device, dtype, (64, None), x=x)`.
void HostPrinter::printCheckTable(llvm::ArrayRef<BlockArgument> tensors) {
  using Key = std::pair<std::string, std::string>;
  llvm::MapVector<Key, llvm::SmallVector<Code>, std::map<Key, unsigned>> rows;
  for (BlockArgument argument : tensors) {
    auto type = cast<host::TensorType>(argument.getType());
    std::string name = values[argument].str();
    llvm::SmallVector<Code> sizes;
    for (index::Expr size : type.getSizes())
      sizes.push_back(size.isConstant() ? getExpr(size) : Code::text("None"));
    llvm::SmallVector<Code> &row =
        rows[{getTorchDtype(type.getElementType()), Code::tuple(sizes).str()}];
    row.push_back(Code::keyword(name, Code::text(name)));
  }
  parts.usesTensorTable = parts.usesTensorCheck = parts.usesTorch = true;
  for (auto &[key, row] : rows) {
    row.insert(row.begin(), {getCheckedDevice(), Code::text(key.first), Code::text(key.second)});
    out.statement("", Code::call("_check_tensors", row));
  }
}

void HostPrinter::printNumberCheck(BlockArgument argument) {
  std::string name = values[argument].str();
  if (!isChecked(argument)) {
    parts.usesNumberCheck = parts.usesTorch = true;
    // An int stands for the float that it is.
    std::string taken = argument.getType().isF64() ? name + " = " : "";
    out.statement(taken,
                  Code::call("_check_number", {Code::text(quote(name)), Code::text(name),
                                               Code::text(getTypeText(argument.getType()))}));
  }
  if (argument.getType().isInteger(64) && isSize(argument)) {
    parts.usesSizeCheck = true;
    out.statement("", Code::call("_check_size", {Code::text(quote(name)), Code::text(name)}));
  }
}

/// Whether a size or stride of an argument is where a symbol comes from.
static bool definesSymbol(func::FuncOp program, host::SymbolKind kind, BlockArgument argument,
                          unsigned dim) {
  return llvm::any_of(getSymbols(program), [&](host::SymbolAttr symbol) {
    return symbol.getKind() == kind && symbol.getDim() == int64_t(dim) &&
           symbol.getArgument() == int64_t(argument.getArgNumber());
  });
}

bool HostPrinter::definesSize(BlockArgument argument, unsigned dim) {
  return definesSymbol(program, host::SymbolKind::Size, argument, dim);
}

/// Whether a stride is compared alone: row-major tensors are as a whole.
bool HostPrinter::asksStride(BlockArgument argument, unsigned dim) {
  auto type = cast<host::TensorType>(argument.getType());
  bool isRowMajor = type.getRank() > 0 && host::hasRowMajorStrides(type);
  return !isRowMajor && !definesSymbol(program, host::SymbolKind::Stride, argument, dim);
}

/// The sizes that are asked of a tensor, as far as they are known where the arguments before it
/// have been looked at; how many there are where none is. `isWhole` says whether none is left.
Code HostPrinter::getCheckedSizes(BlockArgument argument, bool &isWhole) {
  auto isKnown = [&](index::Expr symbol) {
    return llvm::any_of(getSymbols(program), [&](host::SymbolAttr each) {
      return each.getName() == symbol.getName() &&
             (each.getKind() == host::SymbolKind::Value ||
              measured.contains(program.getArgument(each.getArgument())));
    });
  };
  llvm::SmallVector<Code> sizes;
  bool isAsked = false;
  isWhole = true;
  for (auto [dim, size] : llvm::enumerate(cast<host::TensorType>(argument.getType()).getSizes())) {
    bool isFree = definesSize(argument, dim) || isSizeChecked(argument, dim);
    bool isAskedHere = !isFree && llvm::all_of(index::collectSymbols(size), isKnown);
    isWhole &= isFree || isAskedHere;
    isAsked |= isAskedHere;
    sizes.push_back(isAskedHere ? getExpr(size) : Code::text("None"));
  }
  return isAsked ? Code::tuple(sizes) : Code::text(std::to_string(sizes.size()));
}

/// What checks ask for has a variable.
void HostPrinter::noteAskedSizes() {
  for (BlockArgument argument : program.getArguments()) {
    auto type = dyn_cast<host::TensorType>(argument.getType());
    if (!type || isShapeOnly(argument.getArgNumber()))
      continue;
    for (unsigned dim = 0; dim < type.getSizes().size(); ++dim) {
      if (asksSizes(argument) && !definesSize(argument, dim))
        getExpr(type.getSizes()[dim]);
      if (asksStride(argument, dim))
        getExpr(type.getStrides()[dim]);
    }
  }
}

void HostPrinter::printTensorCheck(BlockArgument argument) {
  auto type = cast<host::TensorType>(argument.getType());
  std::string name = values[argument].str();
  parts.usesTensorCheck = parts.usesTorch = true;
  bool isWhole = false;
  llvm::SmallVector<Code> arguments = {Code::text(quote(name)), Code::text(name),
                                       hasCheckTable ? Code::text(std::to_string(type.getRank()))
                                                     : getCheckedSizes(argument, isWhole),
                                       Code::text(getTorchDtype(type.getElementType()))};
  if (isWhole)
    sizesChecked.insert(argument);
  if (name != deviceOwner || !getTableOwner().empty())
    arguments.push_back(getCheckedDevice());
  out.statement("", Code::call("_check_tensor", arguments));
}

void HostPrinter::printChecks() {
  constexpr size_t leastRows = 8;
  chooser = findChooser(program);
  noteAskedSizes();
  llvm::SmallVector<BlockArgument> taken, tensors;
  for (BlockArgument argument : program.getArguments()) {
    unsigned place = argument.getArgNumber();
    if (isUndrawn(program, place) || isShapeOnly(place) || isGrouped(argument) ||
        (isSeed(program, place) && isDispatch(program)))
      continue;
    taken.push_back(argument);
    if (isa<host::TensorType>(argument.getType()) && !isChecked(argument))
      tensors.push_back(argument);
  }
  bool hasTable = !getTableOwner().empty();
  if (hasTable)
    printGroupChecks();
  hasCheckTable = tensors.size() >= leastRows;
  if (hasCheckTable) {
    // Of the others the device of the first is asked for.
    if (!hasTable)
      printTensorCheck(tensors.front());
    printCheckTable(tensors);
  }
  for (BlockArgument argument : taken) {
    if (!isa<host::TensorType>(argument.getType())) {
      printNumberCheck(argument);
      continue;
    }
    if (!hasCheckTable && !isChecked(argument)) {
      printTensorCheck(argument);
      printSizes(argument);
      measured.insert(argument);
    }
    if (program.getArgAttr(argument.getArgNumber(), host::inPlaceAttrName)) {
      parts.usesWriteCheck = true;
      std::string name = values[argument].str();
      out.statement("", Code::call("_check_written", {Code::text(quote(name)), Code::text(name)}));
    }
  }
  if (!hasTable)
    printGroupChecks();
  if (groups.empty())
    printApartChecks();
  else
    printStateCheck();
}

/// The first group of tensors that a table checks: the others are on its device. Empty without one.
std::string HostPrinter::getTableOwner() {
  auto owner =
      llvm::find_if(groups, [](const ArgumentGroup &group) { return !group.table.empty(); });
  return owner == groups.end() ? "" : owner->variable;
}

/// On which device tensors have to be.
Code HostPrinter::getCheckedDevice() {
  std::string owner = getTableOwner();
  return owner.empty() ? getDevice() : Code::text(owner + "[0].device");
}

/// The named tuples, of what a table says.
void HostPrinter::printGroupChecks() {
  for (const ArgumentGroup &group : groups) {
    Code type = Code::text(group.type), given = Code::text(group.parameter);
    Code made = Code::call(type, {Code::text("*" + group.parameter)});
    if (group.element == "float" && !chooser && !program->hasAttr("host.gradient_of")) {
      parts.usesNumberCheck = parts.usesNumbersCheck = true;
      made = Code::call("_check_numbers", {type, given});
    } else if (!group.table.empty() && !chooser) {
      parts.usesGroupTable = parts.usesTensorCheck = true;
      llvm::SmallVector<Code> operands = {type, Code::text(group.table), given};
      if (std::string owner = getTableOwner(); owner != group.variable)
        operands.push_back(Code::text(owner + "[0].device"));
      made = Code::call("_check_table", operands);
    }
    out.statement(group.variable + " = ", made);
  }
}

/// What kernels write to lies in memory that nothing else has.
void HostPrinter::printStateCheck() {
  if (!mutates(program))
    return;
  llvm::SmallVector<Code> others = {Code::text("state")};
  for (const ArgumentGroup &group : groups)
    if (group.element != "float" && group.variable != "state")
      others.push_back(Code::text("*" + group.variable));
  for (BlockArgument argument : program.getArguments())
    if (isa<host::TensorType>(argument.getType()) && !isGrouped(argument) &&
        !isShapeOnly(argument.getArgNumber()) && !isUndrawn(program, argument.getArgNumber()))
      others.push_back(values[argument]);
  parts.usesStateCheck = parts.usesApartCheck = parts.usesWriteCheck = true;
  out.statement("", Code::call("_check_state", others));
}

/// Arguments that are written to must not share memory with what is used after it; what is read
/// while kernels write is copied if it does. One test says that none do.
void HostPrinter::printApartChecks() {
  llvm::SmallVector<Code> all, written, used, inPlace;
  llvm::SmallVector<std::pair<int64_t, Code>> order;
  llvm::SmallVector<std::string> readers;
  for (BlockArgument argument : program.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (isShapeOnly(number))
      continue;
    const Code &tensor = values[argument];
    Code key = Code::text(quote(tensor.str()));
    auto place = program.getArgAttrOfType<IntegerAttr>(number, "host.written");
    auto before = program.getArgAttrOfType<IntegerAttr>(number, "host.written_before");
    bool isWritten = bool(program.getArgAttr(number, host::inPlaceAttrName));
    bool isRead = bool(program.getArgAttr(number, host::readBesideAttrName));
    if (place)
      order.push_back({place.getInt(), Code::tuple({key, tensor})});
    if (before)
      used.push_back(Code::tuple({key, tensor, Code::text(std::to_string(before.getInt()))}));
    if (isWritten)
      inPlace.push_back(tensor);
    if (isRead)
      readers.push_back(tensor.str());
    if (place || before || isWritten || isRead)
      all.push_back(tensor);
  }
  if (all.size() < 2 || (used.empty() && (readers.empty() || inPlace.empty())))
    return;
  llvm::sort(order, llvm::less_first());
  for (auto &[place, code] : order)
    written.push_back(code);
  parts.usesApartCheck = true;
  out.statement("if not ", Code::call("_lie_apart", all), ":");
  out.indent();
  if (!used.empty())
    out.statement("", Code::call("_check_apart", {Code::list(written), Code::list(used)}));
  if (!inPlace.empty())
    for (const std::string &name : readers) {
      llvm::SmallVector<Code> arguments = {Code::text(name)};
      arguments.append(inPlace);
      parts.usesApartCopy = true;
      out.statement(name + " = ", Code::call("_copy_if_shared", arguments));
    }
  out.dedent();
}

/// Autograd learns of what kernels wrote to, as it does of PyTorch's operators in place.
void HostPrinter::noteWrites() {
  llvm::SmallVector<Code> written;
  for (BlockArgument argument : program.getArguments())
    if (program.getArgAttr(argument.getArgNumber(), host::inPlaceAttrName))
      written.push_back(values[argument]);
  if (!written.empty())
    writer.statement("", Code::call("_note_writes", written));
}

} // namespace nereid::emit
