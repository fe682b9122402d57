// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of a host program as an operator of PyTorch, so that torch.compile and export can
// hold it in their graphs: a function that only allocates, which `_register` makes the operator.
#include "emit/ArgumentGroups.h"
#include "emit/HostGradient.h"
#include "emit/HostPrinter.h"

using namespace mlir;

namespace nereid::emit {

/// What a result is made as: a new tensor, or the view of an argument that it is; null when it may
/// be an argument itself.
static Value getAllocation(Value value) {
  while (auto choice = value.getDefiningOp<host::IfOp>()) {
    // Both arms give PyTorch's strides; the second is written for inputs of any strides.
    unsigned place = cast<OpResult>(value).getResultNumber();
    if (!getAllocation(choice.getThen().front().getTerminator()->getOperand(place)))
      return {};
    value = choice.getOtherwise().front().getTerminator()->getOperand(place);
  }
  // What a loop leaves lies in one of the tensors that it began with, all alike.
  while (auto loop = value.getDefiningOp<host::ForOp>())
    value = loop.getInits()[cast<OpResult>(value).getResultNumber()];
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_if_present<host::ApplyOp>(op)) {
    Block &body = apply.getFunction().getBody().front();
    Value made =
        getAllocation(body.getTerminator()->getOperand(cast<OpResult>(value).getResultNumber()));
    return made && !made.getDefiningOp<host::ViewOp>() ? value : Value();
  }
  bool isMade =
      isa_and_present<host::EmptyOp, host::CopyLikeOp, host::FullOp, host::ViewOp, host::CallOp>(
          op);
  return isMade ? value : Value();
}

/// Whether an allocation can be made from the arguments alone.
static bool isOfArguments(Operation *op) {
  ValueRange operands = op->getOperands();
  if (auto copy = dyn_cast<host::CopyLikeOp>(op))
    operands = copy.getLike();
  return isa<host::CallOp, host::ApplyOp>(op) || llvm::all_of(operands, [](Value operand) {
           while (isa_and_present<host::AsContiguousOp, host::ContiguousOp, host::ViewOp>(
               operand.getDefiningOp()))
             operand = operand.getDefiningOp()->getOperand(0);
           auto constant = operand.getDefiningOp<arith::ConstantOp>();
           return isa<BlockArgument>(operand) || constant;
         });
}

bool isNewTensor(Value value) {
  Value allocation = getAllocation(value);
  return allocation && !allocation.getDefiningOp<host::ViewOp>();
}

bool canRegister(func::FuncOp program, const FileParts &parts) {
  // PyTorch's operators have at most 64 arguments; what is asked of a gradient may be one more.
  size_t count = program.getNumArguments();
  for (const ArgumentGroup &group : getGroups(program, parts))
    count -= group.places.size() - 1;
  if (count >= 64)
    return false;
  Operation *end = program.getBody().front().getTerminator();
  // The results of several cases have no one shape: each case is an operator, and the choice is
  // Python that tracing looks through.
  if (isDispatch(program))
    return false;
  // Within an operator PyTorch records no gradients, so it could find none.
  bool findsGradients = false;
  program.walk([&](host::CallOp call) { findsGradients |= bool(call.getTo()); });
  if (findsGradients)
    return false;
  llvm::SmallPtrSet<Value, 4> allocations;
  llvm::SmallVector<Value> results(end->getOperands());
  if (!getReturnedState(program, parts).empty())
    for (host::AssignOp assign : getAssigns(program))
      results.push_back(assign.getValue());
  for (Value result : results) {
    Value allocation = getAllocation(result);
    // PyTorch takes no operator that returns one tensor twice.
    if (!allocation || !isOfArguments(allocation.getDefiningOp()) ||
        !allocations.insert(allocation).second)
      return false;
  }
  return llvm::any_of(program.getArgumentTypes(),
                      [](Type type) { return isa<host::TensorType>(type); });
}

bool writesTo(func::FuncOp program, unsigned number) {
  auto isAssigned = [&](host::AssignOp assign) {
    auto part = assign.getTarget().getDefiningOp<host::ViewOp>();
    return (part ? part.getTensor() : assign.getTarget()) == program.getArgument(number);
  };
  bool isWritten = bool(program.getArgAttr(number, host::inPlaceAttrName));
  program.walk([&](host::AssignOp assign) { isWritten |= isAssigned(assign); });
  return isWritten;
}

bool mutates(func::FuncOp program) {
  return llvm::any_of(llvm::seq(program.getNumArguments()),
                      [&](unsigned argument) { return writesTo(program, argument); });
}

/// `("x", "y")`: the arguments that the program writes to.
Code HostPrinter::getMutated() {
  llvm::SmallVector<Code> mutated;
  if (!writesItself(program, parts))
    return Code::tuple({});
  for (BlockArgument argument : program.getArguments())
    if (writesTo(program, argument.getArgNumber()) &&
        getField(program, argument.getArgNumber(), parts).empty())
      mutated.push_back(Code::text(quote(values[argument].str())));
  for (const ArgumentGroup &group : groups)
    if (llvm::any_of(group.places, [&](unsigned place) { return writesTo(program, place); }))
      mutated.push_back(Code::text(quote(group.parameter)));
  return Code::tuple(mutated);
}

static bool isView(Value result) {
  return bool(getAllocation(result).getDefiningOp<host::ViewOp>());
}

bool canReplay(func::FuncOp program, const FileParts &parts) {
  ValueRange results = program.getBody().front().getTerminator()->getOperands();
  return parts.registered.contains(program.getSymName()) && !writesItself(program, parts) &&
         llvm::none_of(results, isView);
}

bool lacksGradient(func::FuncOp program) {
  auto all = cast<ModuleOp>(program->getParentOp()).getOps<func::FuncOp>();
  bool hasGradients =
      llvm::any_of(all, [](func::FuncOp each) { return each->hasAttr("host.gradient_of"); });
  return !hasGradients && llvm::any_of(program.getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<host::TensorType>(type);
    return tensor && isa<FloatType>(tensor.getElementType());
  });
}

/// An operator of PyTorch returns no memory of its arguments: a program that does is registered by
/// a function that copies. Returns whether it is needed.
bool HostPrinter::printCopying(llvm::ArrayRef<std::string> parameters) {
  ValueRange results = program.getBody().front().getTerminator()->getOperands();
  if (llvm::none_of(results, isView))
    return false;
  printDefinition(getPrivateName(program) + "_copied");
  out.indent();
  out.docstring("The same, but its results are memory of their own.");
  llvm::SmallVector<Code> arguments, own;
  for (const std::string &parameter : parameters)
    arguments.push_back(Code::text(parameter));
  std::vector<std::string> targets;
  for (auto [place, result] : llvm::enumerate(results)) {
    targets.push_back(names.take(results.size() == 1 ? "out" : "out" + std::to_string(place)));
    Code target = Code::text(targets.back());
    own.push_back(isView(result) ? Code::method(target, "clone", {}) : target);
  }
  out.assignment(targets, Code::call(getPrivateName(program), arguments));
  out.statement("return ", own.size() == 1 ? own[0] : Code::tuple(own));
  out.dedent();
  out.line("");
  out.line("");
  return true;
}

void HostPrinter::printOperator() {
  parts.usesTorch = true;
  nameArguments();
  bindSymbols();
  std::vector<std::string> parameters = getParameters(false);
  std::string name = getPrivateName(program);
  std::string called = printCopying(parameters) ? name + "_copied" : name;
  parts.usesRegister = true;
  llvm::SmallVector<Code> arguments = {Code::text(quote(name.substr(1) + "_@DIGEST@")),
                                       Code::text(called)};
  if (Code mutated = getMutated(); !mutated.getChildren().empty())
    arguments.push_back(Code::keyword("mutates", mutated));
  out.statement("@", Code::call("_register", arguments));
  printFake();
  if (failed || !lacksGradient(program) || writesItself(program, parts))
    return;
  parts.usesNoGradient = true;
  out.line("");
  out.line("");
  out.statement("", Code::call(name + "_op.register_autograd", {Code::text("_no_gradient")}));
}

/// The parameters up to the last one that the body names; the others are taken as they come.
std::vector<std::string> HostPrinter::getFakeParameters(llvm::StringRef body) {
  auto isNamed = [&](llvm::StringRef name) {
    auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (size_t at = body.find(name); at != llvm::StringRef::npos; at = body.find(name, at + 1)) {
      size_t end = at + name.size();
      if ((at == 0 || !isPart(body[at - 1])) && (end == body.size() || !isPart(body[end])))
        return true;
    }
    return false;
  };
  std::vector<std::string> parameters = getParameters(false);
  size_t named = parameters.size();
  while (named > 0 && !isNamed(parameters[named - 1]))
    --named;
  if (named < parameters.size()) {
    parameters.resize(named);
    parameters.push_back("*_");
  }
  if (savesIfAsked())
    parameters.insert(parameters.end(),
                      llvm::is_contained(parameters, "*_")
                          ? std::initializer_list<std::string>{"saves=True"}
                          : std::initializer_list<std::string>{"*", "saves=True"});
  return parameters;
}

/// What tracing needs to know: results that are only allocated.
void HostPrinter::printFake() {
  std::string name = getPrivateName(program);
  constexpr llvm::StringLiteral doc = "Allocates the results only: what tracing needs to know.";
  if (func::FuncOp saving = getSharedSaving(program); saving && canRegister(saving, parts)) {
    out.definition("def " + name + "_op", {"*arguments"});
    out.indent();
    out.docstring(doc);
    printSharedResults(saving,
                       Code::call(getPrivateName(saving) + "_op", {Code::text("*arguments")}));
    out.dedent();
    return;
  }
  llvm::SmallVector<Code> results;
  llvm::SmallVector<Value> all(program.getBody().front().getTerminator()->getOperands());
  if (!getReturnedState(program, parts).empty())
    for (host::AssignOp assign : getAssigns(program))
      all.push_back(assign.getValue());
  for (Value result : all) {
    Operation *allocation = getAllocation(result).getDefiningOp();
    auto type = cast<host::TensorType>(result.getType());
    auto copy = dyn_cast<host::CopyLikeOp>(allocation);
    Code code = copy                                           ? renderLike(copy.getLike(), type)
                : isa<host::CallOp, host::ApplyOp>(allocation) ? getRowMajor(type)
                                                               : render(allocation);
    results.push_back(isView(result) ? Code::method(code, "clone", {}) : code);
  }
  if (failed)
    return;
  Writer body;
  std::swap(body, out);
  out.indent();
  printSizes();
  // Without results the docstring is all.
  if (!results.empty())
    out.statement("return ", results.size() == 1 ? results[0] : Code::tuple(results));
  std::swap(body, out);
  Writer made;
  made.indent();
  for (const ArgumentGroup &group : groups)
    if (llvm::StringRef(body.str()).contains(group.variable + "."))
      made.line(group.variable + " = " + group.type + "(*" + group.parameter + ")");
  made.paste(body);
  out.definition("def " + name + "_op", getFakeParameters(made.str()));
  out.indent();
  out.docstring(doc);
  out.paste(made);
  out.dedent();
}

} // namespace nereid::emit
