// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Function of a module whose parameters, state and numbers pass in groups. Autograd takes every
// tensor on its own, the programs take lists: gradients find their arguments by name.
#include "emit/ArgumentGroups.h"
#include "emit/GradientPrinter.h"
#include "emit/HostPrinter.h"
#include "host/Needs.h"

using namespace mlir;

namespace nereid::emit {

GroupedGradientPrinter::GroupedGradientPrinter(func::FuncOp program, FileParts &parts, Writer &out)
    : GradientPrinter(program, parts, out), groups(emit::getGroups(program, parts)) {
  for (unsigned place = 0; place < program.getNumArguments(); ++place)
    if (!isUndrawn(program, place) && getField(program, place, parts).empty())
      alone.push_back(place);
  parts.usesGroupedGradient = true;
}

llvm::ArrayRef<ArgumentGroup> GroupedGradientPrinter::getGroups(func::FuncOp function) {
  return emit::getGroups(function, parts);
}

/// An argument as gradients name it.
std::string GroupedGradientPrinter::nameOf(unsigned argument) {
  std::string field = getField(program, argument, parts);
  return field.empty() ? this->places[argument] : field.substr(field.find('.') + 1);
}

std::string GroupedGradientPrinter::resultOf(int64_t place) {
  bool isAlone = program.getNumResults() == 1 && getReturnedState(program, parts).empty();
  return isAlone ? "output" : "output[" + std::to_string(place) + "]";
}

/// The texts of some results; all that are not the caller's are one, and with the state what
/// follows.
llvm::SmallVector<std::string>
GroupedGradientPrinter::getSavedResults(llvm::ArrayRef<int64_t> places, bool withState) {
  llvm::SmallVector<std::string> texts;
  int64_t count = program.getNumResults();
  llvm::SmallVector<int64_t> rest(places.begin(), places.end());
  llvm::erase_if(rest, [&](int64_t place) { return place < int64_t(own); });
  bool isWhole =
      count > int64_t(own) && rest.size() == size_t(count - own) && llvm::is_sorted(rest);
  for (int64_t place : places)
    if (place < int64_t(own) || !isWhole)
      texts.push_back(resultOf(place));
  bool hasState = !getReturnedState(program, parts).empty();
  std::string end = hasState && !withState ? std::to_string(count) : "";
  if (isWhole)
    texts.push_back("*output[" + std::to_string(own) + ":" + end + "]");
  else if (hasState && withState)
    texts.push_back("*output[" + std::to_string(count) + ":]");
  return texts;
}

/// The names of the arguments as autograd sees them, and of what the gradients are of.
void GroupedGradientPrinter::printNames() {
  llvm::SmallVector<Code> all;
  for (unsigned place : alone)
    all.push_back(Code::text(quote(this->places[place])));
  for (const ArgumentGroup &group : groups)
    all.push_back(group.element == "float" ? Code::text(quote(group.parameter))
                                           : Code::text("*" + group.type + "._fields"));
  out.statement("arguments = ", Code::tuple(all));
  printGradientNames();
  out.line("");
}

void GroupedGradientPrinter::printGradientNames() {
  std::vector<std::string> atHand;
  gradientNames.assign(backward.getNumResults(), "");
  for (Attribute attribute : backward->getAttrOfType<ArrayAttr>("host.gradients")) {
    auto entry = cast<DictionaryAttr>(attribute);
    std::string name = nameOf(getNumber(entry, "argument"));
    if (int64_t operand = getNumber(entry, "operand"); operand >= 0) {
      std::string text = operands[operand];
      if (std::string field = getField(backward, operand, parts); !field.empty()) {
        const ArgumentGroup &kept = getGroups(backward).back();
        text = kept.type + "(*ctx.saved_tensors)" + field.substr(field.find('.'));
      }
      atHand.push_back(name);
      given.push_back(text);
      continue;
    }
    std::string &text = gradientNames[getNumber(entry, "result")];
    text += (text.empty() ? "" : "+") + name;
  }
  std::vector<std::string> all = gradientNames;
  all.insert(all.end(), atHand.begin(), atHand.end());
  emit::printNames("gradients = ", all, out);
}

void GroupedGradientPrinter::printForward() {
  printNames();
  out.line("@staticmethod");
  out.line("def forward(ctx, *arguments):");
  out.indent();
  out.line("inputs = _nest(*arguments)");
  out.line("output = " + getPrivateName(program) + "(*inputs)");
  out.line(className + ".save(ctx, inputs, output)");
  if (launches() && isTraced())
    out.line("ctx.launch = " + getPrivateName(backward));
  out.line("return output" + getOwnSuffix());
  out.dedent();
  out.line("");
}

/// `x, _, parameters = inputs`, and what of them and of the results is kept.
void GroupedGradientPrinter::printKept() {
  const ArgumentGroup *tensors = nullptr, *numbers = nullptr;
  for (const ArgumentGroup &group : getGroups(backward))
    (group.element == "float" ? numbers : tensors) = &group;
  llvm::SmallVector<Code> saves;
  std::vector<std::string> attributes, targets;
  llvm::StringSet<> used;
  auto spell = [&](unsigned argument) {
    for (const ArgumentGroup &group : groups)
      if (auto found = llvm::find(group.places, argument); found != group.places.end()) {
        used.insert(group.parameter);
        return group.parameter + "[" + std::to_string(found - group.places.begin()) + "]";
      }
    used.insert(this->places[argument]);
    return this->places[argument];
  };
  for (const ArgumentGroup &group : groups)
    if (tensors && llvm::any_of(group.fields, [&](const std::string &field) {
          return group.element != "float" && llvm::is_contained(tensors->fields, field);
        })) {
      used.insert(group.parameter);
      saves.push_back(
          Code::text("*_pick(" + tensors->type + ", " + group.type + ", " + group.parameter + ")"));
    }
  llvm::SmallVector<int64_t> places, others;
  for (auto [place, entry] : llvm::enumerate(saved)) {
    int64_t argument = getNumber(entry, "argument"), result = getNumber(entry, "result");
    std::string name = nameOfSaved(place);
    bool isNumber = argument >= 0 && !isTensorArgument(argument);
    if (entry.get("shape"))
      attributes.push_back("ctx." + name + " = " +
                           (argument >= 0 ? spell(argument) : resultOf(result)) + ".shape");
    else if (isNumber && getField(program, argument, parts).empty())
      attributes.push_back("ctx." + name + " = " + spell(argument));
    else if (argument < 0)
      places.push_back(result);
    else if (!isNumber && getField(program, argument, parts).empty())
      others.push_back(argument);
  }
  llvm::sort(others);
  llvm::sort(places);
  for (int64_t argument : others)
    saves.push_back(Code::text(spell(argument)));
  for (const std::string &text : getSavedResults(places, false))
    saves.push_back(Code::text(text));
  if (numbers) {
    used.insert(numbers->parameter);
    attributes.push_back("ctx.numbers = numbers");
  }
  for (unsigned place : alone)
    targets.push_back(used.contains(this->places[place]) ? this->places[place] : "_");
  for (const ArgumentGroup &group : groups)
    targets.push_back(used.contains(group.parameter) ? group.parameter : "_");
  if (!used.empty())
    assign(",", targets, "inputs");
  if (!saves.empty())
    out.statement("", Code::call("ctx.save_for_backward", saves));
  for (const std::string &line : attributes)
    out.line(line);
}

/// Results without a gradient, and what stands for those that nobody uses.
void GroupedGradientPrinter::printFrozen() {
  llvm::SmallVector<int64_t> frozen;
  std::vector<unsigned> differentiable = getDifferentiable();
  for (int64_t place = 0; place < int64_t(results.size()); ++place)
    if (!llvm::is_contained(differentiable, unsigned(place)))
      frozen.push_back(place);
  llvm::SmallVector<Code> texts;
  for (const std::string &text : getSavedResults(frozen, true))
    texts.push_back(Code::text(text));
  if (!texts.empty())
    out.statement("", Code::call("ctx.mark_non_differentiable", texts));
  if (!hasPartialGradients())
    return;
  llvm::SmallVector<Code> filled;
  for (unsigned place : getFilled())
    filled.push_back(Code::text(resultOf(place)));
  out.line("ctx.set_materialize_grads(False)");
  out.statement("ctx.like = ", Code::call("_like", filled));
}

void GroupedGradientPrinter::printRefusals() {
  llvm::SmallVector<Code> refused;
  bool isStateRefused = false;
  for (unsigned place = 0; place < program.getNumArguments(); ++place) {
    if (!program.getArgAttr(place, "host.no_gradient"))
      continue;
    bool isState = llvm::StringRef(getField(program, place, parts)).starts_with("state.");
    isStateRefused |= isState;
    if (!isState)
      refused.push_back(Code::text(quote(nameOf(place))));
  }
  if (isStateRefused)
    refused.push_back(Code::text("*_State._fields"));
  if (!refused.empty())
    out.statement("", Code::call("_refuse_gradients",
                                 {Code::text("ctx"), Code::text(className + ".arguments"),
                                  Code::tuple(refused)}));
}

void GroupedGradientPrinter::printSave() {
  out.line("@staticmethod");
  out.line("def save(" + getSaveParameters(program) + "):");
  out.indent();
  out.docstring("Keeps what the backward kernels take.");
  printKept();
  printFrozen();
  if (launches())
    out.line("ctx.launch = " + getPrivateName(backward) + (isTraced() ? "_op" : ""));
  printRefusals();
  out.dedent();
  out.line("");
}

void GroupedGradientPrinter::printBackward() {
  printBackwardHead();
  out.indent();
  out.line("needs = _get_needs(ctx, " + className + ".arguments)");
  llvm::SmallVector<Code> all;
  unsigned first = backward.getNumArguments() - saved.size();
  for (unsigned place = 0; place < backward.getNumArguments(); ++place)
    if (getField(backward, place, parts).empty())
      all.push_back(Code::text((place < first ? "" : "ctx.") + operands[place]));
  for (const ArgumentGroup &group : getGroups(backward))
    all.push_back(Code::text(group.element == "float" ? "ctx.numbers" : "ctx.saved_tensors"));
  std::string gradients = className + ".gradients";
  if (launches() && host::Needs(backward).areSelective()) {
    llvm::SmallVector<Code> asked = {Code::text("needs"), Code::text(gradients)};
    if (!given.empty())
      asked.push_back(Code::text(std::to_string(gradientNames.size())));
    all.push_back(Code::call("_ask", asked));
  }
  Code found = Code::tuple({});
  if (launches()) {
    out.statement("found = ", Code::call("ctx.launch", all));
    std::string text = backward.getNumResults() == 1 ? "(found,)" : "found";
    if (!given.empty())
      text = (backward.getNumResults() == 1 ? "(found, " : "(*found, ") + llvm::join(given, ", ") +
             ")";
    found = Code::text(text);
  } else if (!given.empty()) {
    found = Code::text("(" + llvm::join(given, ", ") + ",)");
  }
  out.statement("return ",
                Code::call("_give", {Code::text("needs"), Code::text(gradients), found}));
  out.dedent();
}

/// The operator gets its gradient, for what traces.
void GroupedGradientPrinter::printRegistration() {
  out.line("");
  out.line("");
  out.statement("", Code::call(getPrivateName(program) + "_op.register_autograd",
                               {Code::text("_nested(" + className + ".backward)"),
                                Code::keyword("setup_context", Code::text(className + ".save"))}));
}

void GroupedGradientPrinter::printEntry() {
  GradientPrinter::printEntry("*_nest(*arguments)", "_nest");
}

/// In the order in which autograd takes the arguments.
std::vector<std::vector<unsigned>> GroupedGradientPrinter::getDependences() {
  std::vector<std::vector<unsigned>> places = GradientPrinter::getDependences(), ordered;
  for (unsigned place : alone)
    ordered.push_back(places[place]);
  for (const ArgumentGroup &group : groups) {
    if (group.element == "float")
      ordered.push_back({});
    else
      for (unsigned place : group.places)
        ordered.push_back(places[place]);
  }
  return ordered;
}

} // namespace nereid::emit
