// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of an emitted file: how to call its program with tensors of any size, and the code of
// companion/*.py that compares the program with the original.
#include "emit/CommandLine.h"

#include "emit/HostPrinter.h"
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "index/Printer.h"
#include "tile/TileDialect.h"

#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;

namespace nereid::emit {

namespace {
struct EmbeddedText {
  const char *file, *stem, *text;
};
} // namespace

static constexpr EmbeddedText texts[] = {
#include "Companion.inc"
};

/// Whether a part of an argument follows: `[0]` or `.mask`.
static bool startsPart(char c) { return c == '[' || c == '.'; }

namespace {
/// An argument of the original: a tensor or number, or a tuple, dict or record of such.
struct Input {
  Code leaf;
  bool isDict = false, isList = false;
  std::string record; // the class
  std::map<std::string, Input> parts;
  std::vector<std::string> order; // of the parts

  Input &part(const std::string &key);
  Input &at(llvm::StringRef path);
  void sort(llvm::StringRef keys);
  Code spell() const;
};
} // namespace

/// Puts the parts into the order of `["x", "mask"]`.
void Input::sort(llvm::StringRef keys) {
  llvm::SmallVector<llvm::StringRef> names;
  keys.trim("[]").split(names, ", ");
  llvm::stable_sort(order, [&](llvm::StringRef a, llvm::StringRef b) {
    return llvm::find(names, a) < llvm::find(names, b);
  });
}

Input &Input::part(const std::string &key) {
  auto [place, isNew] = parts.try_emplace(key);
  if (isNew)
    order.push_back(key);
  return place->second;
}

/// The part under a path such as `[0]`, `["a"][1]` or `.mask`.
Input &Input::at(llvm::StringRef path) {
  if (path.empty())
    return *this;
  if (path.consume_front(".")) {
    llvm::StringRef field = path.take_until(startsPart);
    return part(field.str()).at(path.drop_front(field.size()));
  }
  size_t end = path.find(']');
  llvm::StringRef key = path.slice(1, end);
  isDict |= key.starts_with("\"");
  return part(key.str()).at(path.drop_front(std::min(end + 1, path.size())));
}

Code Input::spell() const {
  if (leaf)
    return leaf;
  llvm::SmallVector<Code> codes;
  bool hasKeys = isDict || !record.empty();
  for (const std::string &key : order)
    if (hasKeys)
      codes.push_back(Code::keyword(key, parts.at(key).spell()));
  // Numbers in their order, whoever was seen first.
  for (size_t place = 0; !hasKeys && place < parts.size(); ++place)
    if (auto found = parts.find(std::to_string(place)); found != parts.end())
      codes.push_back(found->second.spell());
  if (!record.empty())
    return Code::call(record, codes);
  return isDict ? Code::dict(codes) : isList ? Code::list(codes) : Code::tuple(codes);
}

/// Where arguments hold records, and their classes.
static llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>>
getRecords(func::FuncOp program) {
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> records;
  if (auto rows = program->getAttrOfType<ArrayAttr>("host.records"))
    for (Attribute row : rows) {
      auto pair = cast<ArrayAttr>(row);
      records.push_back(
          {cast<StringAttr>(pair[0]).getValue(), cast<StringAttr>(pair[1]).getValue()});
    }
  return records;
}

/// Whether a text behind a name says where a part is, such as `[0]` or `["a"].mask`, and nothing of
/// it, as `[0] == 1` does.
static bool isPathOfPart(llvm::StringRef path) {
  while (!path.empty()) {
    size_t end = path.front() == '['
                     ? path.find(']') + 1
                     : path.size() - path.drop_front().drop_until(startsPart).size();
    if (!startsPart(path.front()) || end == 0 ||
        (path.front() == '.' && path.take_front(end).contains(' ')))
      return false;
    path = path.drop_front(end);
  }
  return true;
}

namespace {
/// Prints `_inputs`: the arguments of a call, their sizes as parameters. Of a program of several
/// cases they are those of the first.
class InputPrinter {
public:
  InputPrinter(func::FuncOp program, size_t kept) : program(program), typical(program), kept(kept) {
    for (auto dispatch : program.getOps<host::DispatchOp>())
      typical = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          program, cast<FlatSymbolRefAttr>(dispatch.getPrograms()[0]));
  }
  void print(Writer &out);

private:
  void addArgument(size_t place);
  void addKnown();
  int64_t chooseNumber();
  bool allow(int64_t number, int64_t usual);
  Code spellTensor(host::TensorType type, size_t place);

  func::FuncOp program, typical;
  size_t kept;
  std::vector<std::string> sizes;
  std::vector<std::pair<std::string, Input>> inputs;

  Input &at(llvm::StringRef path);
};
} // namespace

Input &InputPrinter::at(llvm::StringRef path) {
  llvm::StringRef name = path.take_until(startsPart);
  auto found = llvm::find_if(inputs, [&](const auto &input) { return input.first == name; });
  if (found == inputs.end())
    found = inputs.insert(inputs.end(), {name.str(), Input()});
  return found->second.at(path.drop_front(name.size()));
}

Code InputPrinter::spellTensor(host::TensorType type, size_t place) {
  index::PrintOptions options;
  options.cdiv = "triton.cdiv";
  options.nextPow2 = "triton.next_power_of_2";
  options.symbolName = [&](index::Expr symbol) {
    std::string name = toIdentifier(symbol.getName());
    if (!llvm::is_contained(sizes, name))
      sizes.push_back(name);
    return name;
  };
  llvm::SmallVector<Code> shape;
  bool isComplex = !!program.getArgAttr(place, "host.complex");
  for (index::Expr size : type.getSizes().drop_back(isComplex))
    shape.push_back(Code::text(index::toString(size, options, index::Binding::Or)));
  std::string dtype = getTorchDtype(type.getElementType());
  if (isComplex)
    dtype = type.getElementType().isF64() ? "torch.complex128" : "torch.complex64";
  llvm::SmallVector<Code> arguments = {Code::tuple(shape), Code::text(dtype)};
  if (auto below = typical.getArgAttrOfType<IntegerAttr>(place, "host.below"))
    arguments.push_back(Code::text(std::to_string(below.getInt())));
  return Code::call("make", arguments);
}

/// Whether the checks of the program hold for such numbers of the call, at its typical sizes or
/// such as have none.
bool InputPrinter::allow(int64_t number, int64_t usual) {
  llvm::StringSet<> numbers;
  if (auto symbols = typical->getAttrOfType<ArrayAttr>(host::symbolsAttrName))
    for (auto symbol : symbols.getAsRange<host::SymbolAttr>())
      if (symbol.getKind() == host::SymbolKind::Value)
        numbers.insert(symbol.getName());
  auto hints = typical->getAttrOfType<DictionaryAttr>("host.hints");
  auto valueOf = [&](index::Expr symbol) -> std::optional<int64_t> {
    if (numbers.contains(symbol.getName()))
      return number;
    auto hint = hints ? hints.getAs<IntegerAttr>(symbol.getName()) : IntegerAttr();
    return hint ? hint.getInt() : usual;
  };
  bool isAllowed = true;
  typical.walk([&](host::CheckOp check) {
    isAllowed &= index::evaluate(check.getPred().getPred(), valueOf).value_or(true);
  });
  return isAllowed;
}

/// A whole number of the call; one that bounds a slice fits in, where the axes are short too.
int64_t InputPrinter::chooseNumber() {
  constexpr int64_t most = 3;
  for (int64_t number = most; number >= 0; --number)
    if (allow(number, 64) && allow(number, most))
      return number;
  return most;
}

void InputPrinter::addArgument(size_t place) {
  Type type = typical.getArgumentTypes()[place];
  Code leaf = Code::text(type.isF64()        ? "0.75"
                         : type.isInteger(1) ? "True"
                                             : std::to_string(chooseNumber()));
  if (auto tensor = dyn_cast<host::TensorType>(type))
    leaf = spellTensor(tensor, place);
  at(spellArgument(program, place)).leaf = leaf;
}

/// The values that conversion relied on, but those that are no parameters by name.
void InputPrinter::addKnown() {
  std::vector<std::string> named;
  if (auto signature = program->getAttrOfType<ArrayAttr>("host.signature"))
    for (Attribute part : signature) {
      llvm::StringRef text = cast<StringAttr>(part).getValue().split('=').first;
      if (!text.starts_with("*"))
        named.push_back(text.str());
    }
  llvm::SmallVector<Attribute> values;
  for (llvm::StringRef list : {"host.known", "host.numbers"})
    if (auto pairs = program->getAttrOfType<ArrayAttr>(list))
      values.append(pairs.begin(), pairs.end());
  for (Attribute part : values) {
    auto pair = cast<ArrayAttr>(part);
    std::string name = requoteParts(cast<StringAttr>(pair[0]).getValue());
    std::string value = requoteParts(cast<StringAttr>(pair[1]).getValue());
    llvm::StringRef path = name;
    bool isList = path.consume_front("list(") && path.consume_back(")");
    // What a module has is no argument, and what is known of one no value.
    llvm::StringRef argument = path.take_until(startsPart);
    if (!llvm::is_contained(named, argument) || !isPathOfPart(path.drop_front(argument.size())))
      continue;
    if (isList)
      at(path).sort(value);
    else
      at(path).leaf = Code::text(value);
  }
}

void InputPrinter::print(Writer &out) {
  for (size_t place = kept; place < program.getNumArguments(); ++place)
    if (!program.getArgAttr(place, "host.seed") && !program.getArgAttr(place, "host.live"))
      addArgument(place);
  addKnown();
  for (const auto &[access, record] : getRecords(program))
    at(requoteParts(access)).record = "_FILE." + record.str();
  if (auto lists = program->getAttrOfType<ArrayAttr>("host.lists"))
    for (Attribute access : lists)
      at(requoteParts(cast<StringAttr>(access).getValue())).isList = true;
  auto hints = typical->getAttrOfType<DictionaryAttr>("host.hints");
  auto assumed = typical->getAttrOfType<DictionaryAttr>("host.typical");
  std::vector<std::string> parameters = {"make"};
  for (const std::string &size : sizes) {
    auto hint = hints ? hints.getAs<IntegerAttr>(size) : IntegerAttr();
    if (!hint && assumed)
      hint = assumed.getAs<IntegerAttr>(size);
    parameters.push_back(size + "=" + std::to_string(hint ? hint.getInt() : 64));
  }
  out.definition("def _inputs", parameters);
  out.indent();
  out.docstring("The arguments of a call; the defaults are typical sizes.");
  llvm::SmallVector<Code> items;
  for (const auto &[name, input] : inputs)
    items.push_back(Code::keyword(quote(name), input.spell()));
  out.statement("return ", Code::dict(items));
  out.dedent();
}

std::vector<std::string> getCommandLineImports() {
  return {"argparse", "contextlib", "copy",    "functools", "importlib",
          "inspect",  "itertools",  "pathlib", "runpy",     "sys"};
}

/// Whether some kernel of a program's file takes the precision of convolutions from its launch.
static bool takesPrecision(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return function->hasAttr(tile::kernelAttrName) && takesPrecision(function);
  });
}

std::string printCheckImports(ModuleOp module) {
  std::vector<std::string> modules = getCommandLineImports();
  modules.push_back("os");
  llvm::sort(modules);
  std::string text;
  for (const std::string &name : modules)
    text += "import " + name + "\n";
  return text +
         "\nimport torch\nimport torch.utils._pytree as pytree\nimport triton\n"
         "from torch.overrides import TorchFunctionMode\n" +
         (takesPrecision(module) ? "from torch.utils._python_dispatch import TorchDispatchMode\n"
                                 : "");
}

std::string printCheckCall(llvm::StringRef check) {
  Writer out;
  out.line("if __name__ == \"__main__\":");
  out.indent();
  out.line("import sys");
  out.line("");
  out.line(("import " + check).str());
  out.line("");
  out.line((check + ".main(sys.modules[__name__])").str());
  return out.str();
}

/// The inputs that are to have no gradient: `("mean", "var")`.
static std::string getUngraded(func::FuncOp program) {
  llvm::SmallVector<Code> names;
  auto known = program->getAttrOfType<ArrayAttr>("host.known");
  for (Attribute part : known ? known.getValue() : llvm::ArrayRef<Attribute>()) {
    auto pair = cast<ArrayAttr>(part);
    llvm::StringRef name = cast<StringAttr>(pair[0]).getValue();
    bool isOne = name.consume_back(".requires_grad") &&
                 cast<StringAttr>(pair[1]).getValue() == "False" &&
                 name.find_if(startsPart) == llvm::StringRef::npos;
    if (isOne)
      names.push_back(Code::text(quote(name)));
  }
  return Code::tuple(names).str();
}

/// The parameter that seeds random numbers, quoted; None without one.
static std::string getSeedName(func::FuncOp program) {
  for (size_t place = 0; place < program.getNumArguments(); ++place)
    if (program.getArgAttr(place, "host.seed"))
      return quote(spellArgument(program, place));
  return "None";
}

/// Prints how a program is called of which some inputs are given by position alone, before a `/`
/// or to `*others`; whether it is such a program.
static bool printCall(func::FuncOp program, Writer &out) {
  auto signature = program->getAttrOfType<ArrayAttr>("host.signature");
  llvm::SmallVector<Code> names, first;
  llvm::StringRef rest;
  for (auto part : signature ? signature.getValue() : llvm::ArrayRef<Attribute>()) {
    llvm::StringRef name = cast<StringAttr>(part).getValue().split('=').first;
    if (name == "*")
      break;
    bool takesRest = name.consume_front("*");
    if (takesRest)
      rest = name;
    if (takesRest || name == "/")
      first = names;
    else
      names.push_back(Code::text(quote(name)));
  }
  if (first.empty() && rest.empty())
    return false;
  out.line("");
  out.line("");
  out.definition("def _call_program", {"program", "inputs"});
  out.indent();
  out.docstring("A call with the inputs that have no keyword given by position.");
  out.line("named = dict(inputs)");
  out.line("first = [named.pop(name) for name in " + Code::list(first).str() + "]");
  if (!rest.empty())
    out.line("first += named.pop(" + quote(rest) + ", ())");
  out.line("return program(*first, **named)");
  out.dedent();
  return true;
}

/// Files without convolutions are judged by PyTorch's own error as it is.
static void setPrecision(func::FuncOp program, std::string &code) {
  constexpr llvm::StringLiteral begin = "# --- precision ---\n", end = "# --- end ---\n";
  auto [before, rest] = llvm::StringRef(code).split(begin);
  auto [section, after] = rest.split(end);
  std::string own = takesPrecision(cast<ModuleOp>(program->getParentOp())) ? section.str() : "";
  std::string text = before.str() + own + after.str();
  constexpr llvm::StringLiteral mode = "_Narrow()";
  if (own.empty())
    text.replace(text.find(mode), mode.size(), "contextlib.nullcontext()");
  code = std::move(text);
}

std::string printCommandLine(func::FuncOp program, size_t kept, const CommandLine &about) {
  Writer out;
  llvm::StringRef init = about.init;
  bool isApart = !about.stem.empty();
  if (!isApart)
    out.line("# The command line: this file beside the original.");
  out.line("_STEM = " + (isApart ? quote(about.stem) : std::string("None")));
  out.line("_FILE = None");
  out.line("_SOURCE = " + quote(about.source));
  out.line("_NAME = " + quote(about.name));
  out.line("_EXPORTED = " + quote(about.exported));
  out.line("_MOVED = " + (about.moved.empty() ? std::string("None") : about.moved));
  out.line("_INIT = " + (init.empty() ? std::string("None") : quote(init)));
  out.line("_SEED = " + getSeedName(program));
  llvm::SmallVector<Code> classes;
  llvm::StringSet<> seen;
  for (const auto &[access, record] : getRecords(program))
    if (seen.insert(record).second)
      classes.push_back(Code::text(quote(record)));
  out.line("_RECORDS = " + Code::list(classes).str());
  auto all = cast<ModuleOp>(program->getParentOp()).getOps<func::FuncOp>();
  bool hasGradients =
      llvm::any_of(all, [](func::FuncOp each) { return each->hasAttr("host.gradient_of"); });
  out.line(std::string("_GRADIENTS = ") + (hasGradients ? "True" : "False"));
  out.line("_UNGRADED = " + getUngraded(program));
  out.line("");
  out.line("");
  InputPrinter(program, kept).print(out);
  bool hasOwnCall = printCall(program, out);
  constexpr llvm::StringLiteral cut = "# --- cut ---\n";
  std::string code;
  for (const EmbeddedText &part : texts)
    code += llvm::StringRef(part.text).split(cut).second;
  setPrecision(program, code);
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    if (size_t place = code.find(from); hasOwnCall && place != std::string::npos)
      code.replace(place, from.size(), to);
  };
  if (isApart)
    for (size_t at = 0; (at = code.find("_main", at)) != std::string::npos;)
      if (llvm::StringRef(code).substr(at - 1, 1) != "_")
        code.erase(at, 1);
      else
        at += 5;
  code += std::string("\n\nif __name__ == \"__main__\":\n    ") +
          (isApart ? "main()\n" : "_main(sys.modules[__name__])\n");
  replace("lambda program=program, inputs=inputs: program(**inputs)",
          "functools.partial(_call_program, program, inputs)");
  replace("program(**inputs)", "_call_program(program, inputs)");
  return out.str() + code;
}

} // namespace nereid::emit
