// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the caller of an emitted file sees: a function, or the forward of a class, with the
// parameters of the original, checks of the values that conversion relied on, and the original's
// structure of results around the call of the host program.
#include "emit/CarriedNames.h"
#include "emit/HostGradient.h"
#include "emit/HostPrinter.h"
#include "emit/Spelling.h"
#include "emit/UserText.h"

using namespace mlir;

namespace nereid::emit {

std::string getDType(llvm::StringRef name) {
  llvm::StringRef bits = name;
  if (name.empty())
    return "";
  return bits.consume_front("bf") ? "torch.bfloat" + bits.str()
                                  : "torch.float" + bits.drop_front().str();
}

namespace {
/// Prints the body of what the caller sees.
class PublicPrinter {
public:
  PublicPrinter(func::FuncOp program, FileParts &parts, Writer &out)
      : program(program), parts(parts), out(out) {}

  std::vector<std::string> getParameters(size_t kept);
  void printBody(llvm::ArrayRef<Code> arguments, size_t kept,
                 llvm::ArrayRef<llvm::StringRef> plain = {});

private:
  void printDocstring(size_t kept);
  void printKnown();
  void printMoves(llvm::ArrayRef<Code> arguments, llvm::ArrayRef<llvm::StringRef> plain);
  Code spellGroup(const ArgumentGroup &group, llvm::ArrayRef<Code> arguments);
  void printCall(const Code &call, llvm::ArrayRef<Code> arguments);

  func::FuncOp program;
  FileParts &parts;
  Writer &out;
  /// Variables of the function: its modules by path, and what of their state it writes to.
  std::string modules, state;
  bool usesModules = false;
};
} // namespace

bool isSeed(func::FuncOp program, size_t place) {
  return bool(program.getArgAttr(place, "host.seed"));
}

bool isUndrawn(func::FuncOp program, size_t place) {
  return bool(program.getArgAttr(place, "host.undrawn"));
}

bool isDispatch(func::FuncOp program) {
  return isa<host::DispatchOp>(program.getBody().front().getTerminator());
}

std::string spellArgument(func::FuncOp program, size_t place) {
  auto access = program.getArgAttrOfType<StringAttr>(place, "host.access");
  return access ? requoteParts(access.getValue()) : getArgumentName(program, place);
}

std::string spellOperand(func::FuncOp program, size_t place, llvm::StringRef text) {
  bool isComplex = !!program.getArgAttr(place, "host.complex");
  return isComplex ? ("torch.view_as_real(" + text + ")").str() : text.str();
}

/// The type of an argument as its caller knows it.
static std::string describeArgument(func::FuncOp program, size_t place) {
  std::string text = getTypeText(program.getArgumentTypes()[place]);
  return program.getArgAttr(place, "host.complex") ? getComplexText(text) : text;
}

bool isComputed(func::FuncOp program, size_t place) {
  if (!program.getArgAttr(place, "host.live"))
    return false;
  auto numbers = program->getAttrOfType<ArrayAttr>("host.numbers");
  std::string text = spellArgument(program, place);
  return !numbers || llvm::none_of(numbers, [&](Attribute pair) {
    return requoteParts(cast<StringAttr>(cast<ArrayAttr>(pair)[0]).getValue()) == text;
  });
}

/// The modules and functions that the text of an argument names.
static void noteHelpers(llvm::StringRef text, FileParts &parts) {
  parts.usesMath |= text.contains("math.");
  parts.usesCell |= text.contains("_cell(");
  parts.usesCode |= text.contains("_has_code(");
  parts.usesMaker |= text.contains("_is_made_by(");
  parts.usesFunctionName |= text.contains("_name_of(");
  parts.usesInspect |= text.contains("inspect.unwrap(");
  parts.usesDropoutScale |= text.contains("_dropout_scale(");
}

std::vector<std::string> PublicPrinter::getParameters(size_t kept) {
  std::vector<std::string> parameters;
  if (auto signature = program->getAttrOfType<ArrayAttr>("host.signature")) {
    for (Attribute parameter : signature)
      parameters.push_back(requoteParts(cast<StringAttr>(parameter).getValue()));
    return parameters;
  }
  for (size_t place = kept; place < program.getNumArguments(); ++place)
    parameters.push_back(toIdentifier(spellArgument(program, place)));
  return parameters;
}

void PublicPrinter::printDocstring(size_t kept) {
  std::string text = "The original's results, computed by Triton kernels.";
  if (std::string place = getPlace(program.getLoc()); !place.empty())
    text = "What " + place + " computes, by Triton kernels.";
  if (auto doc = program->getAttrOfType<StringAttr>("host.doc"))
    text = doc.getValue().str();
  std::string ofCall;
  for (size_t place = kept; place < program.getNumArguments(); ++place)
    if (!isComputed(program, place))
      ofCall += "\n    " + spellArgument(program, place) + ": " +
                (isSeed(program, place) ? "int, or a tensor: " : "") +
                describeArgument(program, place);
  if (!ofCall.empty())
    text += "\n\nArgs:" + ofCall;
  if (std::string described = describeResults(program); !described.empty())
    text += "\n\nReturns:\n    " + described;
  out.docstring(text);
}

/// The text of a value that the file checks, where a parameter has the name of the builtin in it.
static std::string avoidParameters(llvm::StringRef text, llvm::ArrayRef<std::string> parameters) {
  auto isParameter = [&](llvm::StringRef name) {
    return llvm::any_of(
        parameters, [&](llvm::StringRef parameter) { return parameter.split('=').first == name; });
  };
  llvm::StringRef inner = text;
  if (isParameter("len") && inner.consume_front("len(") && inner.consume_back(")"))
    return (inner + ".__len__()").str();
  if (isParameter("list") && inner.consume_front("list(") && inner.consume_back(")"))
    return ("[*" + inner + "]").str();
  return text.str();
}

void PublicPrinter::printKnown() {
  if (auto constants = program->getAttrOfType<ArrayAttr>("host.constants"))
    for (Attribute part : constants) {
      auto pair = cast<ArrayAttr>(part);
      std::string name = requoteParts(cast<StringAttr>(pair[0]).getValue());
      parts.usesConstantCheck = parts.usesTorch = true;
      // The shape, and sums.
      auto [shape, sums] = cast<StringAttr>(pair[1]).getValue().split("), ");
      llvm::SmallVector<Code> arguments = {Code::text(quote(name)), Code::text(name),
                                           Code::text((shape + ")").str())};
      for (llvm::StringRef sum : llvm::split(sums, ", "))
        arguments.push_back(Code::text(sum.str()));
      out.statement("", Code::call("_check_constant", arguments));
    }
  auto known = program->getAttrOfType<ArrayAttr>("host.known");
  for (Attribute part : known ? known.getValue() : llvm::ArrayRef<Attribute>()) {
    auto pair = cast<ArrayAttr>(part);
    std::string name = requoteParts(cast<StringAttr>(pair[0]).getValue());
    std::string value = requoteParts(cast<StringAttr>(pair[1]).getValue());
    parts.usesKnownCheck = parts.usesTorch = true;
    noteHelpers(name, parts);
    out.statement("",
                  Code::call("_check_known", {Code::text(quote(name)),
                                              Code::text(avoidParameters(name, getParameters(0))),
                                              Code::text(value)}));
  }
}

void PublicPrinter::printCall(const Code &call, llvm::ArrayRef<Code> arguments) {
  if (hasOwnResults(program))
    return out.statement("return ", call);
  printResults(program, call, arguments, parts, out);
}

/// What `module.to(device)` leaves where it is, because it is neither a parameter nor a buffer.
void PublicPrinter::printMoves(llvm::ArrayRef<Code> arguments,
                               llvm::ArrayRef<llvm::StringRef> plain) {
  for (auto [place, type] : llvm::enumerate(program.getArgumentTypes())) {
    std::string other = arguments[place].str();
    llvm::StringRef own = other;
    if (own.consume_front("torch.view_as_real("))
      other = own.drop_back().str();
    if (!isa<host::TensorType>(type) || isSeed(program, place) || llvm::is_contained(plain, other))
      continue;
    for (llvm::StringRef tensor : plain)
      out.statement((tensor + " = ").str(),
                    Code::text((tensor + ".to(" + other + ".device)").str()));
    return;
  }
}

void PublicPrinter::printBody(llvm::ArrayRef<Code> arguments, size_t kept,
                              llvm::ArrayRef<llvm::StringRef> plain) {
  if (auto definitions = program->getAttrOfType<StringAttr>("host.definitions"))
    addDefinitions(definitions.getValue(), parts);
  printDocstring(kept);
  Names names;
  for (const std::string &parameter : getParameters(kept))
    names.reserve(llvm::StringRef(parameter).split('=').first.split(':').first.ltrim('*'));
  modules = names.take("modules");
  state = names.take("state");
  bool writesState = !getReturnedState(program, parts).empty();
  auto spell = [&](const ArgumentGroup &group) {
    return group.type == "_State" && writesState ? Code::text(state) : spellGroup(group, arguments);
  };
  usesModules = writesState;
  Code call = spellCall(program, arguments, spell, parts);
  printModuleChecks(program, usesModules ? modules : "", parts, out);
  printKnown();
  printRefusal(program, parts, out);
  printMoves(arguments, plain);
  for (size_t place = kept; place < program.getNumArguments(); ++place)
    if (program.getArgAttr(place, "host.live"))
      noteHelpers(spellArgument(program, place), parts);
  if (writesState) {
    parts.usesTensorLookup = true;
    out.line(state + " = _tensors_of(" + modules + ", _State, _STATE)");
  }
  printCall(printStateWrite(program, call, state, names, parts, out), arguments);
}

/// The tensors or numbers that pass as one.
Code PublicPrinter::spellGroup(const ArgumentGroup &group, llvm::ArrayRef<Code> arguments) {
  if (!group.table.empty()) {
    parts.usesTensorLookup = usesModules = true;
    return Code::call("_tensors_of",
                      {Code::text(modules), Code::text(group.type), Code::text(group.table)});
  }
  llvm::SmallVector<Code> numbers;
  for (unsigned place : group.places) {
    Code number = nameModules(program, arguments[place], modules);
    usesModules |= number.str() != arguments[place].str();
    numbers.push_back(number);
  }
  return Code::call(group.type, numbers);
}

void printRefusal(func::FuncOp program, FileParts &parts, Writer &out) {
  if (isDispatch(program) || !mutates(program))
    return;
  parts.usesTransformRefusal = parts.usesTorch = true;
  out.statement(
      "", Code::call("_refuse_transforms", {Code::text(quote(getPrivateName(program).substr(1)))}));
}

/// The device of the first tensor that a program takes.
static Code getDevice(func::FuncOp program, llvm::ArrayRef<Code> arguments) {
  for (auto [place, type] : llvm::enumerate(program.getArgumentTypes()))
    if (isa<host::TensorType>(type) && !isSeed(program, place))
      return Code::text(arguments[place].str() + ".device");
  return Code::text("\"cuda\"");
}

/// What a program is called with, of what passes alone. A seed becomes a tensor where it is known
/// that numbers are drawn, and outside of operators of PyTorch: these have no state, a generator
/// has.
static llvm::SmallVector<Code> getOperands(func::FuncOp program, llvm::ArrayRef<Code> arguments,
                                           FileParts &parts) {
  llvm::SmallVector<Code> operands;
  for (auto [place, argument] : llvm::enumerate(arguments)) {
    if (isUndrawn(program, place) || !getField(program, place, parts).empty())
      continue;
    operands.push_back(argument);
    if (!isSeed(program, place) || isDispatch(program))
      continue;
    parts.usesSeed = parts.usesNumberCheck = parts.usesTorch = true;
    operands.back() = Code::call("_draw_seed", {argument, getDevice(program, arguments)});
  }
  return operands;
}

Code spellCall(func::FuncOp program, llvm::ArrayRef<Code> arguments,
               llvm::function_ref<Code(const ArgumentGroup &)> spellGroup, FileParts &parts) {
  std::string direct = getPrivateName(program);
  llvm::SmallVector<Code> all =
      passArguments(program, getOperands(program, arguments, parts), spellGroup, parts);
  bool isOperator = parts.registered.contains(program.getSymName());
  std::string traced = isOperator ? direct + "_op" : direct;
  if (func::FuncOp saving = getSaving(program)) {
    parts.usesGradientCall = parts.usesTransform = true;
    all.insert(all.begin(), {Code::text(direct), Code::text(traced),
                             Code::text(getGradientEntry(saving, parts))});
    return Code::call("_call_with_gradient", all);
  }
  if (!isOperator && !isDispatch(program) && lacksGradient(program)) {
    parts.usesPlainCall = parts.usesNoGradient = parts.usesTransform = true;
    all.insert(all.begin(), Code::text(direct));
    return Code::call("_call_plain", all);
  }
  for (const std::string &name : getCarriedNames(program))
    all.push_back(Code::text(name));
  if (!isOperator)
    return Code::call(direct, all);
  parts.usesCall = parts.usesTransform = true;
  all.insert(all.begin(), {Code::text(direct), Code::text(traced)});
  return Code::call("_call", all);
}

void printFunction(func::FuncOp program, FileParts &parts, Writer &writer) {
  PublicPrinter printer(program, parts, writer);
  writer.definition(("def " + program.getSymName()).str(), printer.getParameters(0));
  writer.indent();
  llvm::SmallVector<Code> arguments;
  for (size_t place = 0; place < program.getNumArguments(); ++place) {
    std::string text = spellArgument(program, place);
    bool hasSignature = program->hasAttr("host.signature");
    text = hasSignature ? text : toIdentifier(text);
    arguments.push_back(Code::text(spellOperand(program, place, text)));
  }
  printer.printBody(arguments, 0);
  writer.dedent();
}

void printForward(func::FuncOp program, llvm::ArrayRef<Code> kept,
                  llvm::ArrayRef<llvm::StringRef> plain, FileParts &parts, Writer &writer) {
  PublicPrinter printer(program, parts, writer);
  std::vector<std::string> parameters = printer.getParameters(kept.size());
  parameters.insert(parameters.begin(), "self");
  writer.definition("def forward", parameters);
  writer.indent();
  llvm::SmallVector<Code> arguments(kept);
  for (size_t place = kept.size(); place < program.getNumArguments(); ++place)
    arguments.push_back(Code::text(spellOperand(program, place, spellArgument(program, place))));
  printer.printBody(arguments, kept.size(), plain);
  writer.dedent();
}

} // namespace nereid::emit
