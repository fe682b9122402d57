// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program returns, in the structure that the original's caller knows: lists, dicts and
// records of the user's around the tensors of a call.
#include "emit/HostPrinter.h"

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
      llvm::StringRef type = size.starts_with("bool(") ? "bool" : "int";
      return Code::text(describes ? type.str() : requoteParts(size));
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
      llvm::SmallVector<Code> inner = readArguments();
      if (describes && callee == "torch.view_as_complex")
        return Code::text(getComplexText(inner.front().str()));
      return Code::call(callee, inner);
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

} // namespace

/// The types of what a program returns, in their structure; of each case where they differ.
std::string describeResults(func::FuncOp program) {
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
    names.reserve(getArgumentName(program, place));
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

} // namespace nereid::emit
