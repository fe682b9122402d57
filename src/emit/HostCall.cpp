// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are left to PyTorch: the call as the user wrote it, with a word that says so, and
// a check that the results are what the kernels take them for.
#include "emit/HostPrinter.h"
#include "emit/Spelling.h"
#include "support/Placeholders.h"
#include "support/SnakeCase.h"

using namespace mlir;

namespace nereid::emit {

/// The call with these inputs; a keyword stays in the text of its argument.
Code HostPrinter::getCall(host::CallOp op, llvm::ArrayRef<Code> inputs) {
  llvm::SmallVector<Code> arguments;
  for (Attribute part : op.getSpelling()) {
    auto text = fillPlaceholders(cast<StringAttr>(part).getValue(),
                                 [&](Placeholder place) { return inputs[place.place].str(); });
    arguments.push_back(Code::text(*text));
  }
  llvm::StringRef callee = op.getCallee();
  if (!callee.consume_front("Tensor."))
    return Code::call(callee, arguments);
  return Code::method(arguments.front(), callee, llvm::ArrayRef(arguments).drop_front());
}

/// `_torch_gradients(lambda x, w: torch.matmul(x, w), (x, w), {1: True}, {0: grad_out})`.
Code HostPrinter::getGradients(host::CallOp op, llvm::ArrayRef<Code> inputs) {
  parts.usesTorchGradients = true;
  Names inner;
  llvm::SmallVector<Code> parameters(inputs), tensors, asked, given;
  llvm::DenseMap<unsigned, unsigned> places;
  std::string names;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    if (!isa<host::TensorType>(input.getType()))
      continue;
    std::string name = inner.take(
        inputs[number].getKind() == CodeKind::Text ? toIdentifier(inputs[number].str()) : "x");
    names += (names.empty() ? "" : ", ") + name;
    places[number] = tensors.size();
    tensors.push_back(inputs[number]);
    parameters[number] = Code::text(name);
  }
  for (auto [number, result] : llvm::zip_equal(*op.getTo(), op.getResults())) {
    Code isAsked = Code::text("True");
    if (needs && needs->areSelective())
      if (Code any = getWish(needs->getResults(result)))
        isAsked = any;
    asked.push_back(Code::keyword(std::to_string(places.at(number)), isAsked));
  }
  for (auto [number, cotangent] : llvm::zip_equal(*op.getOf(), op.getCotangents()))
    given.push_back(Code::keyword(std::to_string(number), get(cotangent)));
  Code function =
      Code::text("lambda " + names + ": " + getCall(op, parameters).str(), Binding::Lambda);
  return Code::call("_torch_gradients",
                    {function, Code::tuple(tensors), Code::dict(asked), Code::dict(given)});
}

void HostPrinter::printCall(host::CallOp op) {
  if (op.use_empty())
    return;
  parts.usesTorchResults = parts.usesTorch = true;
  llvm::SmallVector<Code> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(get(input));
  std::string place = getPlace(op.getLoc());
  bool isGradient = bool(op.getTo());
  writer.line((isGradient ? "# The gradient of what is left to PyTorch" : "# Left to PyTorch") +
              (place.empty() ? "." : " (" + place + ")."));
  llvm::StringRef callee = op.getCallee();
  llvm::SmallVector<Code> arguments = {isGradient ? getGradients(op, inputs) : getCall(op, inputs)};
  llvm::SmallVector<std::string> targets;
  for (Value result : op.getResults()) {
    auto type = cast<host::TensorType>(result.getType());
    arguments.push_back(
        Code::tuple({Code::text(getTorchDtype(type.getElementType())), getSizes(type.getSizes())}));
    llvm::StringRef user = op.getNumResults() == 1 ? getUserName(op.getLoc()) : "";
    std::string name = wishes.lookup(result);
    if (name.empty())
      name = user.empty()
                 ? names.take(callee.substr(callee.rfind('.') + 1).str() +
                              (op.getNumResults() == 1 ? "" : std::to_string(targets.size())))
                 : names.takeUserName(user);
    targets.push_back(name);
    values[result] = Code::text(name);
  }
  writer.assignment(targets, Code::call("_torch_results", arguments));
}

/// Whether what a function saves is asked for: null where it always is.
Code HostPrinter::getAskedSaving(host::ApplyOp op) {
  func::FuncOp callee = op.getFunction();
  if (!host::isSelectiveFunction(callee))
    return {};
  bool isUsed = false, isAlways = !savesIfAsked();
  for (Value saved : op.getResults().drop_front(host::countOwnResults(callee)))
    if (!saved.use_empty()) {
      isUsed = true;
      isAlways |= needs && needs->getResults(saved).empty();
    }
  return !isUsed ? Code::text("False") : isAlways ? Code() : Code::text("saves");
}

/// `attended, probabilities = _attention(x, weight)`.
void HostPrinter::printApply(host::ApplyOp op) {
  if (op.use_empty())
    return;
  llvm::SmallVector<Code> arguments;
  for (Value argument : op.getArguments())
    arguments.push_back(get(argument));
  func::FuncOp callee = op.getFunction();
  if (callee->hasAttr(host::savesIfAskedAttrName)) {
    if (Code asked = getAskedSaving(op))
      arguments.push_back(Code::keyword("saves", asked));
  } else if (host::isSelectiveFunction(callee)) {
    llvm::SmallVector<Code> wanted;
    for (Value result : op.getResults()) {
      Code any = needs ? getWish(needs->getResults(result)) : Code();
      wanted.push_back(result.use_empty() ? Code::text("False") : any ? any : Code::text("True"));
    }
    arguments.push_back(Code::list(wanted));
  }
  llvm::SmallVector<std::string> targets;
  for (Value result : op.getResults()) {
    std::string name = wishes.lookup(result);
    llvm::StringRef user = op.getNumResults() == 1 ? getUserName(op.getLoc()) : "";
    if (auto saved = callee.getResultAttrOfType<StringAttr>(targets.size(), host::nameAttrName))
      user = saved.getValue();
    if (name.empty())
      name = result.use_empty() ? "_"
             : user.empty()     ? names.take(toSnakeCase(op.getCallee()))
                                : names.takeUserName(user);
    targets.push_back(name);
    values[result] = Code::text(name);
  }
  writer.assignment(targets, Code::call(getPrivateName(callee), arguments));
}

} // namespace nereid::emit
