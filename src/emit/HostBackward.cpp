// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backward method of a gradient: what it needs, and what it returns.
#include "emit/HostGradient.h"

#include "emit/ArgumentGroups.h"
#include "emit/GradientPrinter.h"
#include "emit/HostPrinter.h"

using namespace mlir;

namespace nereid::emit {

/// Of each result of the backward program, whether an argument needs it.
llvm::SmallVector<Code> GradientPrinter::getNeeds() {
  llvm::SmallVector<Code> needs(backward.getNumResults());
  for (Attribute attribute : backward->getAttrOfType<ArrayAttr>("host.gradients")) {
    auto entry = cast<DictionaryAttr>(attribute);
    int64_t result = getNumber(entry, "result");
    if (result < 0)
      continue;
    Code one =
        Code::text("ctx.needs_input_grad[" + std::to_string(getNumber(entry, "argument")) + "]");
    needs[result] = needs[result] ? Code::binary("or", Binding::Or, needs[result], one) : one;
  }
  return needs;
}

/// All of them; those of neighbouring arguments are a slice.
Code GradientPrinter::getNeedsList() {
  llvm::SmallVector<Code> needs = getNeeds();
  int64_t first = -1;
  bool isSlice = needs.size() > 1;
  llvm::SmallVector<int64_t> arguments(needs.size(), -1);
  for (Attribute attribute : backward->getAttrOfType<ArrayAttr>("host.gradients")) {
    auto entry = cast<DictionaryAttr>(attribute);
    int64_t result = getNumber(entry, "result"), argument = getNumber(entry, "argument");
    if (result < 0)
      continue;
    isSlice &= arguments[result] < 0;
    arguments[result] = argument;
    if (result == 0)
      first = argument;
  }
  for (auto [place, argument] : llvm::enumerate(arguments))
    isSlice &= argument == first + int64_t(place);
  if (!isSlice)
    return Code::list(needs);
  std::string begin = first ? std::to_string(first) : "";
  return Code::text("[*ctx.needs_input_grad[" + begin + ":" +
                    std::to_string(first + int64_t(needs.size())) + "]]");
}

std::vector<std::string> GradientPrinter::getCotangents() {
  std::vector<std::string> cotangents(own, "_");
  for (size_t place = 0; place < backward.getNumArguments(); ++place)
    if (auto result = backward.getArgAttrOfType<IntegerAttr>(place, "host.cotangent"))
      cotangents[result.getInt()] = operands[place];
  std::vector<std::string> parameters = {"ctx"};
  for (auto [place, name] : llvm::enumerate(cotangents))
    parameters.push_back(name == "_" ? "_" + std::to_string(place) : name);
  if (program.getNumResults() > own || !getReturnedState(program, parts).empty())
    parameters.push_back("*_");
  return parameters;
}

/// Where only some results are used, what depends on none of them has no gradient.
void GradientPrinter::printUsedOutputs() {
  if (!hasPartialGradients())
    return;
  auto listOf = [](llvm::ArrayRef<unsigned> places) {
    llvm::SmallVector<Code> codes;
    for (unsigned place : places)
      codes.push_back(Code::text(std::to_string(place)));
    return Code::list(codes);
  };
  llvm::SmallVector<Code> needs;
  for (const std::vector<unsigned> &of : getDependences())
    needs.push_back(listOf(of));
  parts.usesUsedOutputs = true;
  out.statement("@", Code::call("_of_used_outputs", {listOf(getFilled()), Code::list(needs)}));
}

/// `def backward(ctx, grad_out, *_):` with its decorators.
void GradientPrinter::printBackwardHead() {
  parts.usesOnceDifferentiable = true;
  out.line("@staticmethod");
  out.line("@_once_differentiable");
  printUsedOutputs();
  out.definition("def backward", getCotangents());
}

void GradientPrinter::printBackward() {
  printBackwardHead();
  out.indent();
  std::vector<std::string> tensors;
  llvm::SmallVector<Code> all;
  llvm::SmallVector<size_t> places;
  size_t first = backward.getNumArguments() - saved.size();
  for (size_t place = 0; place < backward.getNumArguments(); ++place) {
    std::string text = operands[place];
    if (place >= first) {
      DictionaryAttr entry = saved[place - first];
      int64_t argument = getNumber(entry, "argument");
      if (entry.get("shape") || (argument >= 0 && !isTensorArgument(argument))) {
        text = "ctx." + text;
      } else {
        tensors.push_back(text);
        places.push_back(place);
      }
    }
    all.push_back(Code::text(text));
  }
  // Where they stand beside one another, what was saved is passed on as it is.
  bool isOperand = llvm::any_of(
      backward->getAttrOfType<ArrayAttr>("host.gradients").getAsRange<DictionaryAttr>(),
      [&](DictionaryAttr entry) { return getNumber(entry, "operand") >= int64_t(first); });
  bool areTogether = !places.empty() && places.back() - places.front() + 1 == places.size();
  if (areTogether && !isOperand) {
    all.erase(all.begin() + places.front(), all.begin() + places.back() + 1);
    all.insert(all.begin() + places.front(), Code::text("*ctx.saved_tensors"));
  } else if (!tensors.empty()) {
    assign(",", tensors, "ctx.saved_tensors");
  }
  std::vector<std::string> gradients;
  Names scope;
  for (const std::string &name : operands)
    scope.reserve(name);
  std::vector<std::string> returned(arguments.size(), "None");
  llvm::SmallVector<std::string> computed(backward.getNumResults());
  for (Attribute attribute : backward->getAttrOfType<ArrayAttr>("host.gradients")) {
    auto entry = cast<DictionaryAttr>(attribute);
    int64_t argument = getNumber(entry, "argument"), operand = getNumber(entry, "operand");
    std::string &text = returned[argument];
    if (operand >= 0) {
      text = all[operand].str();
    } else {
      std::string &name = computed[getNumber(entry, "result")];
      if (name.empty())
        name = scope.take("grad_" + arguments[argument]);
      text = name;
    }
    text += " if ctx.needs_input_grad[" + std::to_string(argument) + "] else None";
  }
  // What nothing asks for is not computed.
  if (launches() && host::Needs(backward).areSelective())
    all.push_back(getNeedsList());
  bool isAlone = backward->getAttrOfType<ArrayAttr>("host.gradients").size() == 1;
  if (launches()) {
    // Many long names would leave no room for the call.
    std::string target = llvm::join(computed, ", ") + " = ", call = "ctx.launch(";
    bool hasRoom = out.getIndent() + getColumns(target + call) <= lineWidth;
    std::string found = hasRoom ? "" : scope.take("gradients");
    out.statement(hasRoom ? target : found + " = ", Code::call("ctx.launch", all));
    if (!hasRoom)
      assign("", std::vector<std::string>(computed.begin(), computed.end()), found);
  }
  llvm::SmallVector<Code> list;
  for (std::string &text : returned) {
    // The engine asks for no gradient that nothing needs.
    if (isAlone)
      text = llvm::StringRef(text).split(" if ").first.str();
    list.push_back(Code::text(text));
  }
  out.statement("return ", list.size() == 1 ? list[0] : Code::tuple(list));
  out.dedent();
}

} // namespace nereid::emit
