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

/// Python's repr of a string in double quotes, as formatters leave it; other text as it is.
static std::string requote(llvm::StringRef text) {
  bool isPlain =
      text.size() > 1 && text.front() == '\'' && !text.contains('"') && !text.contains('\\');
  return isPlain ? ("\"" + text.drop_front().drop_back() + "\"").str() : text.str();
}

std::string requoteParts(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    size_t open = text.find_first_of("'\""), close = open;
    if (open == llvm::StringRef::npos)
      return result + text.str();
    do
      close = text.find(text[open], close + 1);
    while (close != llvm::StringRef::npos && text[close - 1] == '\\');
    result += text.take_front(open);
    result += requote(text.slice(open, close == llvm::StringRef::npos ? close : close + 1));
    text = close == llvm::StringRef::npos ? "" : text.drop_front(close + 1);
  }
  return result;
}

std::string getDType(llvm::StringRef name) {
  llvm::StringRef bits = name;
  if (name.empty())
    return "";
  return bits.consume_front("bf") ? "torch.bfloat" + bits.str()
                                  : "torch.float" + bits.drop_front().str();
}

namespace {
/// Reads the text of `host.result`: Python with `{0}` for the first result, `{@0}` for the first
/// argument, `{=x.shape[0]}` for a number of theirs and doubled braces. `{0}.item()` is its one
/// number, in a description a `number`.
class ResultReader {
public:
  ResultReader(llvm::StringRef text, llvm::ArrayRef<Code> results, llvm::ArrayRef<Code> arguments,
               bool describes = false)
      : text(text), results(results), arguments(arguments), describes(describes) {}

  Code read() {
    text = text.ltrim();
    if (text.consume_front("{{"))
      return Code::dict(readItems("}}", true));
    if (text.consume_front("["))
      return Code::list(readItems("]", false));
    if (text.consume_front("("))
      return Code::tuple(readItems(")", false));
    if (text.consume_front("{=")) {
      llvm::StringRef size = text.take_until([](char c) { return c == '}'; });
      text = text.drop_front(std::min(size.size() + 1, text.size()));
      return Code::text(describes ? "int" : requoteParts(size));
    }
    if (text.consume_front("{")) {
      llvm::ArrayRef<Code> tensors = text.consume_front("@") ? arguments : results;
      unsigned place = 0;
      text.consumeInteger(10, place);
      text.consume_front("}");
      if (!text.consume_front(".item()"))
        return tensors[place];
      return describes ? Code::text("number") : Code::method(results[place], "item", {});
    }
    if (llvm::StringRef callee = calleeOf(text); !callee.empty()) {
      text = text.drop_front(callee.size() + 1);
      return Code::call(callee, readArguments());
    }
    return Code::text(readLiteral(",)]}"));
  }

private:
  static llvm::StringRef nameOf(llvm::StringRef text) {
    return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  }
  /// `Output` of `Output(loss={0})`.
  static llvm::StringRef calleeOf(llvm::StringRef text) {
    llvm::StringRef name = nameOf(text);
    return text.drop_front(name.size()).starts_with("(") ? name : "";
  }

  llvm::SmallVector<Code> readArguments() {
    llvm::SmallVector<Code> arguments;
    while (!text.empty() && !text.starts_with(")")) {
      llvm::StringRef name = nameOf(text);
      bool hasName = !name.empty() && text.drop_front(name.size()).starts_with("=");
      if (hasName)
        text = text.drop_front(name.size() + 1);
      Code value = read();
      arguments.push_back(hasName ? Code::keyword(name, value) : value);
      text = text.ltrim();
      text.consume_front(",");
      text = text.ltrim();
    }
    text.consume_front(")");
    return arguments;
  }

  std::string readLiteral(llvm::StringRef stops) {
    size_t end = 0;
    if (text.starts_with("'") || text.starts_with("\"")) {
      char quote = text.front();
      for (end = 1; end < text.size() && text[end] != quote; ++end)
        end += text[end] == '\\';
      ++end;
    } else {
      end = std::min(text.find_first_of(stops), text.size());
    }
    std::string literal;
    for (llvm::StringRef rest = text.take_front(end); !rest.empty(); rest = rest.drop_front()) {
      if (rest.starts_with("{{") || rest.starts_with("}}"))
        rest = rest.drop_front();
      literal += rest.front();
    }
    text = text.drop_front(std::min(end, text.size()));
    return requote(literal);
  }

  llvm::SmallVector<Code> readItems(llvm::StringRef close, bool hasKeys) {
    llvm::SmallVector<Code> items;
    while (!text.empty() && !text.ltrim().starts_with(close)) {
      std::string key = hasKeys ? readLiteral(":") : "";
      text.consume_front(": ");
      Code item = read();
      items.push_back(hasKeys ? Code::keyword(key, item) : item);
      text = text.ltrim();
      text.consume_front(",");
      text = text.ltrim();
    }
    text = text.ltrim();
    text.consume_front(close);
    return items;
  }

  llvm::StringRef text;
  llvm::ArrayRef<Code> results, arguments;
  bool describes;
};

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

static llvm::StringRef getName(func::FuncOp program, size_t place) {
  auto name = program.getArgAttrOfType<StringAttr>(place, host::nameAttrName);
  return name ? name.getValue() : "";
}

std::string spellArgument(func::FuncOp program, size_t place) {
  llvm::StringRef name = getName(program, place);
  if (auto access = program.getArgAttrOfType<StringAttr>(place, "host.access"))
    name = access.getValue();
  return name.empty() ? "arg" + std::to_string(place) : requoteParts(name);
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

/// The types of what a program returns, in their structure; of each case where they differ.
static std::string describeResults(func::FuncOp program) {
  if (hasOwnResults(program)) {
    std::string all;
    auto choice = cast<host::DispatchOp>(program.getBody().front().getTerminator());
    for (Attribute name : choice.getPrograms()) {
      auto chosen =
          SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(choice, cast<SymbolRefAttr>(name));
      std::string each = describeResults(chosen);
      all += (all.empty() ? "" : ", or ") + (each.empty() ? "None" : each);
    }
    return all;
  }
  llvm::SmallVector<Code> types, ofArguments;
  for (Type type : program.getResultTypes())
    types.push_back(Code::text(getTypeText(type)));
  for (Type type : program.getArgumentTypes())
    ofArguments.push_back(Code::text(getTypeText(type)));
  auto result = program->getAttrOfType<StringAttr>("host.result");
  if (result)
    return result.getValue() == "None"
               ? ""
               : ResultReader(result.getValue(), types, ofArguments, true).read().str();
  return types.empty() ? "" : (types.size() == 1 ? types[0] : Code::tuple(types)).str();
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
                getTypeText(program.getArgumentTypes()[place]);
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

Code printStateWrite(func::FuncOp program, const Code &call, llvm::StringRef state, Names &names,
                     FileParts &parts, Writer &out) {
  llvm::ArrayRef<unsigned> written = getReturnedState(program, parts);
  if (written.empty())
    return call;
  parts.usesStateWrite = true;
  size_t own = program.getNumResults();
  std::string results = names.take("results");
  out.statement(results + " = ", call);
  llvm::ArrayRef<ArgumentGroup> groups = getGroups(program, parts);
  auto whole =
      llvm::find_if(groups, [](const ArgumentGroup &group) { return group.type == "_State"; });
  Code target = Code::text(state.str());
  if (llvm::ArrayRef(whole->places) != written) {
    llvm::SmallVector<Code> fields;
    for (unsigned place : written) {
      size_t field = llvm::find(whole->places, place) - whole->places.begin();
      fields.push_back(Code::text((state + "." + whole->fields[field]).str()));
    }
    target = Code::list(fields);
  }
  bool isAlone = own == 0 && written.size() == 1;
  std::string values = isAlone ? "[" + results + "]" : results;
  if (own > 0)
    values += "[" + std::to_string(own) + ":]";
  out.statement("", Code::call("_write", {target, Code::text(values)}));
  if (own == 0)
    return Code();
  return Code::text(results + (own == 1 ? "[0]" : "[:" + std::to_string(own) + "]"));
}

void PublicPrinter::printCall(const Code &call, llvm::ArrayRef<Code> arguments) {
  if (hasOwnResults(program))
    return out.statement("return ", call);
  printResults(program, call, arguments, parts, out);
}

bool hasOwnResults(func::FuncOp program) { return program->hasAttr("host.own_results"); }

/// Names the tensors of the caller's that are read behind a store to where they stand: `state["h"]`
/// is returned, and bound anew.
static void keepRebound(ArrayAttr stores, llvm::StringRef result,
                        llvm::MutableArrayRef<Code> arguments, Names &names, Writer &out) {
  std::string texts = result.str();
  std::vector<std::string> targets;
  for (Attribute store : stores) {
    auto pair = cast<ArrayAttr>(store);
    targets.push_back(requoteParts(cast<StringAttr>(pair[0]).getValue()));
    texts += cast<StringAttr>(pair[1]).getValue();
  }
  for (auto [place, argument] : llvm::enumerate(arguments)) {
    bool isRead = llvm::StringRef(texts).contains("{@" + std::to_string(place) + "}");
    bool isRebound = llvm::any_of(targets, [&](llvm::StringRef target) {
      return llvm::StringRef(argument.str()).starts_with(target);
    });
    if (!isRead || !isRebound)
      continue;
    std::string kept = names.take("before");
    out.statement(kept + " = ", argument);
    argument = Code::text(kept);
  }
}

void printResults(func::FuncOp program, const Code &call, llvm::ArrayRef<Code> arguments,
                  FileParts &parts, Writer &out) {
  auto result = program->getAttrOfType<StringAttr>("host.result");
  size_t count = program.getNumResults();
  llvm::StringRef text = result ? result.getValue() : "";
  std::string plain = "(";
  for (size_t place = 0; place < count; ++place)
    plain += (place ? ", {" : "{") + std::to_string(place) + "}";
  plain += ")";
  auto stores = program->getAttrOfType<ArrayAttr>("host.stores");
  if (!stores && count == 0 && (text.empty() || text == "None"))
    return out.statement("", call);
  if (!stores && (!result || (count == 1 && text == "{0}") || (count > 1 && text == plain)))
    return out.statement("return ", call);
  Names names;
  for (size_t place = 0; place < program.getNumArguments(); ++place)
    names.reserve(getName(program, place));
  llvm::SmallVector<Code> results;
  std::vector<std::string> targets;
  for (size_t place = 0; place < count; ++place) {
    targets.push_back(names.take(count == 1 ? "out" : "out" + std::to_string(place)));
    results.push_back(Code::text(targets.back()));
  }
  if (targets.empty())
    out.statement("", call);
  else
    out.assignment(targets, call);
  llvm::SmallVector<Code> read(arguments);
  if (stores)
    keepRebound(stores, text, read, names, out);
  for (Attribute store : stores ? stores.getValue() : llvm::ArrayRef<Attribute>()) {
    auto pair = cast<ArrayAttr>(store);
    out.statement(requoteParts(cast<StringAttr>(pair[0]).getValue()) + " = ",
                  ResultReader(cast<StringAttr>(pair[1]).getValue(), results, read).read());
  }
  parts.usesRestored |= text.contains("_restored(");
  if (text != "None")
    out.statement("return ", ResultReader(text, results, read).read());
}

/// What `module.to(device)` leaves where it is, because it is neither a parameter nor a buffer.
void PublicPrinter::printMoves(llvm::ArrayRef<Code> arguments,
                               llvm::ArrayRef<llvm::StringRef> plain) {
  for (auto [place, type] : llvm::enumerate(program.getArgumentTypes())) {
    std::string other = arguments[place].str();
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
    arguments.push_back(Code::text(hasSignature ? text : toIdentifier(text)));
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
    arguments.push_back(Code::text(spellArgument(program, place)));
  printer.printBody(arguments, kept.size(), plain);
  writer.dedent();
}

} // namespace nereid::emit
