// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions and loops of a host program.
#include "emit/HostPrinter.h"

#include "emit/Spelling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::emit {

/// The operands of a run of `and` or of `or`.
static void flatten(const Code &code, Binding binding, llvm::SmallVectorImpl<Code> &operands) {
  if (code.getKind() != CodeKind::Binary || code.getBinding() != binding)
    return operands.push_back(code);
  flatten(code.getChildren()[0], binding, operands);
  operands.push_back(code.getChildren()[1]);
}

/// `if condition:`. What is too long for a line gives names to its parts first.
void HostPrinter::printCondition(Code condition) {
  Binding binding = condition.getBinding();
  bool isRun = condition.getKind() == CodeKind::Binary && binding <= Binding::And;
  if (isRun && !writer.fits("if ", condition, ":")) {
    llvm::SmallVector<Code> operands;
    flatten(condition, binding, operands);
    std::string op = condition.getText().str();
    condition = Code();
    for (const Code &operand : operands) {
      Code part = operand;
      if (operands.size() == 2 || operand.getKind() == CodeKind::Binary) {
        part = Code::text(names.take("condition"));
        writer.statement(part.str() + " = ", operand);
      }
      condition = condition ? Code::binary(op, binding, condition, part) : part;
    }
  }
  writer.statement("if ", condition, ":");
}

/// A choice that leaves what it is about as it is, or makes others of it under the same names.
bool HostPrinter::printReplacement(host::IfOp op) {
  ValueRange kept = op.getThen().front().getTerminator()->getOperands();
  bool isKept =
      llvm::hasSingleElement(op.getThen().front()) && llvm::all_of(kept, [&](Value value) {
        bool isReadHere = llvm::all_of(value.getUsers(), [&](Operation *user) {
          return user->getBlock() != op->getBlock() || user->isBeforeInBlock(op);
        });
        return isReadHere && value.getDefiningOp() && values.contains(value) &&
               values.at(value).getKind() == CodeKind::Text;
      });
  if (!isKept)
    return false;
  ValueRange others = op.getOtherwise().front().getTerminator()->getOperands();
  printCondition(Code::unary("not ", Binding::Not, get(op.getCondition())));
  writer.indent();
  for (auto [value, other, result] : llvm::zip_equal(kept, others, op.getResults())) {
    Code name = values.at(value);
    wishes[other] = name.str();
    values[result] = name;
  }
  printBlock(op.getOtherwise().front());
  for (auto [value, other] : llvm::zip_equal(kept, others))
    if (Code code = get(other); code.str() != values.at(value).str())
      writer.statement(values.at(value).str() + " = ", code);
  writer.dedent();
  return true;
}

void HostPrinter::printIf(host::IfOp op) {
  if (printReplacement(op))
    return;
  llvm::SmallVector<std::string> targets;
  for (Value result : op.getResults()) {
    llvm::StringRef user = op.getNumResults() == 1 ? getUserName(op.getLoc()) : "";
    std::string name = wishes.lookup(result);
    if (name.empty())
      name = user.empty() ? names.take("out") : names.takeUserName(user);
    targets.push_back(name);
  }
  auto printArm = [&](Region &region) {
    writer.indent();
    size_t start = writer.str().size();
    ValueRange yielded = region.front().getTerminator()->getOperands();
    for (auto [value, name] : llvm::zip_equal(yielded, targets))
      if (value.getParentRegion() == &region && value.getDefiningOp() &&
          !isInline(value.getDefiningOp()))
        wishes[value] = name;
    printBlock(region.front());
    for (auto [value, name] : llvm::zip_equal(yielded, targets))
      if (Code code = get(value); code.str() != name)
        writer.statement(name + " = ", code);
    bool isEmpty = writer.str().size() == start;
    writer.dedent();
    return isEmpty;
  };
  printCondition(get(op.getCondition()));
  if (printArm(op.getThen())) {
    writer.indent();
    writer.line("pass");
    writer.dedent();
  }
  Writer before = writer;
  writer.line("else:");
  if (printArm(op.getOtherwise()))
    writer = before;
  for (auto [result, name] : llvm::zip_equal(op.getResults(), targets))
    values[result] = Code::text(name);
}

void HostPrinter::printWhile(host::WhileOp op) {
  std::string name = names.takeUserName(op.getSymbol());
  symbols[op.getSymbol()] = name;
  writer.line(name + " = " + std::to_string(op.getStart()));
  writer.statement("while ", getPred(op.getCondition().getPred()), ":");
  writer.indent();
  printBlock(op.getBody().front());
  writer.line(name + " = " + std::to_string(op.getFactor()) + " * " + name);
  writer.dedent();
  symbols.erase(op.getSymbol());
}

/// Names for what a loop carries: those of the first values, where nothing else asks for them.
llvm::SmallVector<std::string> HostPrinter::nameCarried(host::ForOp op) {
  llvm::SmallVector<std::string> carried;
  for (Value init : op.getInits()) {
    Code code = get(init);
    bool isOwn = code.getKind() == CodeKind::Text && init.hasOneUse() &&
                 !isa<BlockArgument>(init) && !llvm::is_contained(carried, code.str());
    llvm::StringRef user = getUserName(init.getLoc());
    std::string name = isOwn          ? code.str()
                       : user.empty() ? names.take("state")
                                      : names.takeUserName(user);
    if (!isOwn)
      writer.statement(name + " = ", code);
    carried.push_back(name);
  }
  return carried;
}

void HostPrinter::printFor(host::ForOp op) {
  llvm::SmallVector<std::string> carried = nameCarried(op);
  std::string turn = names.takeUserName(op.getSymbol());
  symbols[op.getSymbol()] = turn;
  writer.statement("for " + turn + " in ", Code::call("range", {getExpr(op.getCount().getExpr())}),
                   ":");
  Block &body = op.getBody().front();
  for (auto [argument, result, name] :
       llvm::zip_equal(body.getArguments(), op.getResults(), carried)) {
    values[argument] = Code::text(name);
    values[result] = Code::text(name);
  }
  writer.indent();
  size_t start = writer.str().size();
  printBlock(body);
  std::vector<std::string> targets, names;
  llvm::SmallVector<Code> sources;
  for (auto [name, yielded] : llvm::zip_equal(carried, body.getTerminator()->getOperands()))
    if (Code source = get(yielded); source.str() != name) {
      targets.push_back(name);
      names.push_back(source.str());
      sources.push_back(source);
    }
  std::string swap = llvm::join(targets, ", ") + " = " + llvm::join(names, ", ");
  if (targets.size() > 1 && !writer.fits("", Code::text(swap), ""))
    writer.assignment(targets, Code::tuple(sources));
  else if (!targets.empty())
    writer.line(swap);
  if (writer.str().size() == start)
    writer.line("pass");
  writer.dedent();
  symbols.erase(op.getSymbol());
}

} // namespace nereid::emit
