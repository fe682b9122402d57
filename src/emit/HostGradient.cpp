// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The torch.autograd.Function of a program that has a backward program: what it saves and how the
// gradients find their arguments.
#include "emit/HostGradient.h"

#include "emit/ArgumentGroups.h"
#include "emit/GradientPrinter.h"
#include "emit/HostPrinter.h"
#include "support/SnakeCase.h"

using namespace mlir;

namespace nereid::emit {

func::FuncOp getBackward(func::FuncOp program) {
  auto name = program->getAttrOfType<FlatSymbolRefAttr>("host.backward");
  return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(program->getParentOp(), name)
              : func::FuncOp();
}

func::FuncOp getSaving(func::FuncOp program) {
  if (auto name = program->getAttrOfType<FlatSymbolRefAttr>("host.saving"))
    return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(program->getParentOp(), name);
  return program->hasAttr("host.backward") ? program : func::FuncOp();
}

func::FuncOp getSharedSaving(func::FuncOp program) {
  auto name = program->getAttrOfType<FlatSymbolRefAttr>("host.saving");
  auto saving =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(program->getParentOp(), name)
           : func::FuncOp();
  return saving && saving->hasAttr(host::savesIfAskedAttrName) ? saving : func::FuncOp();
}

bool isPrivate(func::FuncOp program) {
  if (program->hasAttr("host.given") || program->hasAttr("host.gradient_of") ||
      program->hasAttr(host::functionAttrName))
    return true;
  // What saves belongs to the program that only computes.
  for (auto other : cast<ModuleOp>(program->getParentOp()).getOps<func::FuncOp>())
    if (auto name = other->getAttrOfType<FlatSymbolRefAttr>("host.saving"))
      if (name.getValue() == program.getSymName())
        return true;
  return false;
}

GradientPrinter::GradientPrinter(func::FuncOp program, FileParts &parts, Writer &out)
    : program(program), backward(getBackward(program)), parts(parts), out(out),
      own(host::countOwnResults(program)) {}

int64_t GradientPrinter::getNumber(DictionaryAttr entry, llvm::StringRef name) {
  auto number = entry.getAs<IntegerAttr>(name);
  return number ? number.getInt() : -1;
}

bool GradientPrinter::isTensorArgument(size_t place) {
  return isa<host::TensorType>(program.getArgumentTypes()[place]);
}

static std::string join(llvm::ArrayRef<std::string> parts) { return llvm::join(parts, ", "); }

void GradientPrinter::nameAll() {
  names.reserve("ctx");
  names.reserve("inputs");
  names.reserve("output");
  for (size_t place = 0; place < program.getNumArguments(); ++place) {
    places.push_back("");
    if (isUndrawn(program, place))
      continue;
    auto name = program.getArgAttrOfType<StringAttr>(place, host::nameAttrName);
    arguments.push_back(names.takeUserName(name ? name.getValue() : "x"));
    places.back() = arguments.back();
  }
  Names inner;
  for (llvm::StringRef name : {"ctx", "inputs", "output"})
    inner.reserve(name);
  for (size_t place = 0; place < backward.getNumArguments(); ++place) {
    auto name = backward.getArgAttrOfType<StringAttr>(place, host::nameAttrName);
    bool isShape = bool(backward.getArgAttr(place, "host.shape_only"));
    operands.push_back(inner.takeUserName(name.getValue().str() + (isShape ? "_shape" : "")));
  }
  if (auto list = program->getAttrOfType<ArrayAttr>("host.saved"))
    for (Attribute entry : list)
      saved.push_back(cast<DictionaryAttr>(entry));
  for (size_t place = 0; place < program.getNumResults(); ++place)
    results.push_back(
        names.take(program.getNumResults() == 1 ? "out" : "out" + std::to_string(place)));
  for (size_t place = 0; place < saved.size(); ++place)
    if (int64_t result = getNumber(saved[place], "result"); result >= int64_t(own))
      results[result] = names.take(nameOfSaved(place));
}

/// The operand of the backward program that an entry of `host.saved` becomes.
std::string GradientPrinter::nameOfSaved(size_t place) {
  return operands[backward.getNumArguments() - saved.size() + place];
}

/// `a, b = value`, on several lines where it must.
void GradientPrinter::assign(llvm::StringRef suffix, llvm::ArrayRef<std::string> targets,
                             llvm::StringRef value) {
  std::string list =
      targets.size() == 1 && !suffix.empty() ? "(" + targets[0] + ",)" : join(targets);
  std::string line = list + " = " + value.str();
  if (out.getIndent() + getColumns(line) <= lineWidth)
    return out.line(line);
  out.line("(");
  out.indent();
  for (const std::string &target : targets)
    out.line(target + ",");
  out.dedent();
  out.line(") = " + value.str());
}

void GradientPrinter::printForward() {
  out.line("@staticmethod");
  out.line("def forward(ctx, *inputs):");
  out.indent();
  out.statement("output = ", Code::call(getPrivateName(program), {Code::text("*inputs")}));
  out.line(className + ".save(ctx, inputs, output)");
  if (launches() && isTraced())
    out.line("ctx.launch = " + getPrivateName(backward));
  out.line("return output" + getOwnSuffix());
  out.dedent();
  out.line("");
}

/// The own results that have a gradient.
std::vector<unsigned> GradientPrinter::getDifferentiable() {
  std::vector<unsigned> places;
  for (unsigned place = 0; place < own; ++place) {
    auto type = cast<host::TensorType>(program.getResultTypes()[place]);
    if (!program.getResultAttr(place, "host.constant") && isa<FloatType>(type.getElementType()))
      places.push_back(place);
  }
  return places;
}

/// The own results of which the backward program takes a gradient, and those that have one.
std::vector<unsigned> GradientPrinter::getFilled() {
  llvm::SmallSetVector<unsigned, 4> places;
  for (unsigned place : getDifferentiable())
    places.insert(place);
  for (size_t place = 0; place < backward.getNumArguments(); ++place)
    if (auto of = backward.getArgAttrOfType<IntegerAttr>(place, "host.cotangent"))
      places.insert(of.getInt());
  std::vector<unsigned> ordered(places.begin(), places.end());
  llvm::sort(ordered);
  return ordered;
}

/// Of each argument, the results with a gradient that it reaches.
std::vector<std::vector<unsigned>> GradientPrinter::getDependences() {
  std::vector<std::vector<unsigned>> dependences(arguments.size());
  std::vector<unsigned> places = getDifferentiable();
  for (Attribute attribute : backward->getAttrOfType<ArrayAttr>("host.gradients")) {
    auto entry = cast<DictionaryAttr>(attribute);
    if (auto of = entry.getAs<ArrayAttr>("of"))
      for (auto place : of.getAsRange<IntegerAttr>())
        if (llvm::is_contained(places, unsigned(place.getInt())))
          dependences[getNumber(entry, "argument")].push_back(place.getInt());
  }
  return dependences;
}

/// Whether an argument has a gradient of some results and none of others.
bool GradientPrinter::hasPartialGradients() {
  size_t count = getDifferentiable().size();
  return llvm::any_of(getDependences(), [&](const std::vector<unsigned> &of) {
    return !of.empty() && of.size() < count;
  });
}

/// Whether what is saved besides the results is saved whole, in its order, with nothing between.
bool GradientPrinter::savesAllInOrder() {
  size_t next = own, last = 0;
  for (auto [place, entry] : llvm::enumerate(saved))
    if (int64_t result = getNumber(entry, "result"); result >= int64_t(own)) {
      bool isBeside = next == own || last + 1 == place;
      if (result != int64_t(next) || !isBeside || entry.get("shape"))
        return false;
      ++next;
      last = place;
    }
  return next == results.size() && next > own;
}

/// What is saved besides the results.
std::string GradientPrinter::getRestOfOutput() {
  bool isLast = getReturnedState(program, parts).empty();
  return "output[" + std::to_string(own) + ":" +
         (isLast ? "" : std::to_string(program.getNumResults())) + "]";
}

std::string getSaveParameters(func::FuncOp program) {
  // PyTorch's operators tell of arguments by name too.
  bool isAsked = program->hasAttr(host::savesIfAskedAttrName) && host::isSelectiveFunction(program);
  return isAsked ? "ctx, inputs, output, keyword_only_inputs=None" : "ctx, inputs, output";
}

void GradientPrinter::printSave() {
  out.line("@staticmethod");
  out.line("def save(" + getSaveParameters(program) + "):");
  out.indent();
  out.docstring("Keeps what the backward kernels take.");
  std::vector<std::string> tensors, shapes, values, frozen;
  std::vector<bool> usedArguments(arguments.size()), usedResults(results.size());
  bool savesAll = savesAllInOrder();
  for (auto [place, entry] : llvm::enumerate(saved)) {
    int64_t argument = getNumber(entry, "argument"), result = getNumber(entry, "result");
    if (savesAll && result >= int64_t(own)) {
      if (result == int64_t(own))
        tensors.push_back("*" + getRestOfOutput());
      continue;
    }
    std::string name = argument >= 0 ? arguments[argument] : results[result];
    (argument >= 0 ? usedArguments : usedResults)[argument >= 0 ? argument : result] = true;
    if (entry.get("shape"))
      shapes.push_back("ctx." + nameOfSaved(place) + " = " + name + ".shape");
    else if (argument >= 0 && !isTensorArgument(argument))
      values.push_back("ctx." + nameOfSaved(place) + " = " + name);
    else
      tensors.push_back(name);
  }
  std::vector<unsigned> differentiable = getDifferentiable();
  bool isPartial = hasPartialGradients();
  for (unsigned place = 0; place < results.size(); ++place) {
    bool isFrozen = !llvm::is_contained(differentiable, place);
    if (savesAll && place >= own) {
      if (place == own)
        frozen.push_back("*" + getRestOfOutput());
      continue;
    }
    if (isFrozen)
      frozen.push_back(results[place]);
    if (isFrozen || isPartial)
      usedResults[place] = true;
  }
  auto targets = [](llvm::ArrayRef<std::string> all, const std::vector<bool> &used) {
    std::vector<std::string> list;
    for (auto [place, name] : llvm::enumerate(all))
      list.push_back(used[place] ? name : "_");
    return list;
  };
  if (llvm::is_contained(usedArguments, true))
    assign(",", targets(arguments, usedArguments), "inputs");
  if (llvm::is_contained(usedResults, true))
    assign("", targets(results, usedResults), "output");
  auto listOf = [](llvm::ArrayRef<std::string> texts) {
    llvm::SmallVector<Code> codes;
    for (const std::string &text : texts)
      codes.push_back(Code::text(text));
    return codes;
  };
  if (!tensors.empty())
    out.statement("", Code::call("ctx.save_for_backward", listOf(tensors)));
  for (const std::string &line : shapes)
    out.line(line);
  for (const std::string &line : values)
    out.line(line);
  if (!frozen.empty())
    out.statement("", Code::call("ctx.mark_non_differentiable", listOf(frozen)));
  if (isPartial) {
    llvm::SmallVector<Code> filled;
    for (unsigned place : getFilled())
      filled.push_back(Code::text(results[place]));
    out.line("ctx.set_materialize_grads(False)");
    out.statement("ctx.like = ", Code::call("_like", filled));
  }
  if (launches())
    out.line("ctx.launch = " + getPrivateName(backward) + (isTraced() ? "_op" : ""));
  for (size_t place = 0; place < arguments.size(); ++place)
    if (program.getArgAttr(place, "host.no_gradient")) {
      out.line("if ctx.needs_input_grad[" + std::to_string(place) + "]:");
      out.indent();
      out.statement(
          "raise ",
          Code::call("ValueError",
                     {Code::text(quote(arguments[place] + ": no gradient is computed for it"))}));
      out.dedent();
    }
  out.dedent();
  out.line("");
}

/// The operator gets its gradient, for what traces.
void GradientPrinter::printRegistration() {
  out.line("");
  out.line("");
  out.statement("", Code::call(getPrivateName(program) + "_op.register_autograd",
                               {Code::text(className + ".backward"),
                                Code::keyword("setup_context", Code::text(className + ".save"))}));
}

std::string GradientPrinter::getOwnSuffix() {
  size_t count = program.getNumResults();
  if (count == own)
    return "";
  if (!getReturnedState(program, parts).empty())
    return "[:" + std::to_string(own) + "] + output[" + std::to_string(count) + ":]";
  return own == 1 ? "[0]" : "[:" + std::to_string(own) + "]";
}

void GradientPrinter::printEntry() { printEntry("*arguments", ""); }

/// `nested` are the arguments of an operator, `form` what else tells torch.func of them.
void GradientPrinter::printEntry(llvm::StringRef nested, llvm::StringRef form) {
  out.line("");
  out.line("");
  out.line("def " + getGradientEntry(program, parts) + "(*arguments):");
  out.indent();
  auto give = [&](std::string call) {
    // The state's new contents stand behind what is saved.
    size_t count = program.getNumResults();
    if (getReturnedState(program, parts).empty() || count == own)
      return out.line("return " + call + (count == own ? "" : getOwnSuffix()));
    out.line("output = " + call);
    out.line("return output" + getOwnSuffix());
  };
  out.docstring("The results with their gradients, in the form that PyTorch asks for.");
  if (isTraced()) {
    out.line("if torch.compiler.is_compiling():");
    out.indent();
    give(getPrivateName(program) + "_op(" + nested.str() + ")");
    out.dedent();
  }
  // What writes to the module's state is refused there.
  if (!mutates(program)) {
    out.line("if torch._C._are_functorch_transforms_active():");
    out.indent();
    llvm::SmallVector<Code> operands = {Code::text(getPrivateName(program)), Code::text(className)};
    if (launches())
      operands.push_back(Code::text(getPrivateName(backward)));
    if (!form.empty())
      operands.push_back(Code::keyword("nest", Code::text(form.str())));
    out.statement("launch = ", Code::call("_transform", operands));
    give("launch(*arguments)");
    out.dedent();
  }
  out.line("return " + className + ".apply(*arguments)");
  out.dedent();
}

void GradientPrinter::print() {
  className = getGradientClass(program, parts);
  nameAll();
  out.line("class " + className + "(torch.autograd.Function):");
  out.indent();
  out.docstring("The results, and on the way back the gradients.");
  out.line("");
  printForward();
  printSave();
  printBackward();
  out.dedent();
  if (isTraced())
    printRegistration();
  if (!writesItself(program, parts))
    printEntry();
}

/// The name of the program that callers see, in snake case.
static std::string getStem(func::FuncOp program) {
  std::string name = toSnakeCase(program.getSymName());
  llvm::StringRef stem = name;
  stem.consume_back("_saving");
  stem.consume_back("_forward");
  return stem.str();
}

std::string getGradientClass(func::FuncOp program, FileParts &parts) {
  std::string &known = parts.gradientClasses[program.getSymName()];
  if (!known.empty())
    return known;
  std::string stem = getStem(program), camel = "_";
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(stem).split(words, '_', -1, false);
  for (llvm::StringRef word : words)
    camel += std::string(1, llvm::toUpper(word.front())) + word.drop_front().str();
  return known = parts.names.take(camel + "Gradient");
}

std::string getGradientStem(func::FuncOp program, FileParts &parts) {
  std::string name = getGradientClass(program, parts);
  llvm::StringRef word = "Gradient";
  return name.erase(name.rfind(word.str()), word.size());
}

std::string getGradientEntry(func::FuncOp program, FileParts &parts) {
  if (writesItself(program, parts))
    return getGradientClass(program, parts) + ".apply";
  return "_" + getStem(program) + "_gradient";
}

void printGradient(func::FuncOp program, FileParts &parts, Writer &writer) {
  if (!getGroups(program, parts).empty())
    GroupedGradientPrinter(program, parts, writer).print();
  else
    GradientPrinter(program, parts, writer).print();
}

} // namespace nereid::emit
