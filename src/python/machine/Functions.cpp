// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the module `builtins`: what they ask of libraries, those about texts, and those
// that are not available.
#include "python/machine/FloatText.h"
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

Answer Internals::askBuiltin(llvm::StringRef name, const CallArgs &args) {
  auto ask = [&](Value value) -> Answer {
    auto *foreign = llvm::dyn_cast<Foreign>(standIn(value));
    return foreign ? foreign->library.builtinCall(m, name, args) : std::nullopt;
  };
  for (Value value : args.positional) {
    if (auto answer = ask(value))
      return answer;
    // max([a, b]) and sum(list): the items count as arguments.
    auto *list = llvm::dyn_cast<ListObject>(value);
    auto *tuple = llvm::dyn_cast<TupleObject>(value);
    auto items = list    ? llvm::ArrayRef(list->items)
                 : tuple ? tuple->items
                         : llvm::ArrayRef<Value>();
    for (Value item : items)
      if (item->kind == Kind::Foreign)
        if (auto answer = ask(item))
          return answer;
  }
  return std::nullopt;
}

std::optional<llvm::SmallVector<Value>> Internals::knownArguments(llvm::StringRef name, Args args) {
  llvm::SmallVector<Value> known(args);
  std::string reason = (name + "()").str();
  for (Value &value : known) {
    if (auto *several = llvm::dyn_cast<TupleObject>(value)) {
      auto items = knownArguments(name, several->items);
      if (!items)
        return std::nullopt;
      value = m.makeTuple(*items);
      continue;
    }
    if (!(value = knownOf(value, reason)))
      return std::nullopt;
    if (llvm::isa<Foreign>(value)) {
      m.refuse("'" + name + "' of a value that is known only at run time is not supported");
      return std::nullopt;
    }
  }
  return known;
}

static Value codePointOf(Internals &in, Args a) {
  size_t at = 0;
  auto *text = llvm::dyn_cast<StrObject>(a[0]);
  if (!text)
    return in.typeError("ord() expected string of length 1, but " + in.m.typeName(a[0]) + " found");
  if (text->length != 1)
    return in.typeError("ord() expected a character, but string of length " +
                        llvm::Twine(text->length) + " found");
  return in.m.makeInt(int64_t(decodeCodePoint(text->text, at)));
}

static Value printLine(Internals &in, Args a) {
  if (!in.m.onPrint)
    return in.m.none();
  std::string line;
  auto separator = a[1] == in.m.none() ? " " : in.m.str(a[1]);
  for (auto [i, value] : llvm::enumerate(llvm::cast<TupleObject>(a[0])->items)) {
    auto text = in.m.str(value);
    if (!text || !separator)
      return nullptr;
    line += (i ? *separator : "") + *text;
  }
  auto end = a[2] == in.m.none() ? "\n" : in.m.str(a[2]);
  in.m.onPrint(line + end.value_or(""));
  return in.m.none();
}

static void addTextFunctions(Internals &in) {
  Machine &m = in.m;
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    m.addBuiltin(in.builtinsModule, name, signature,
                 [&in, fn](Machine &, Args a) -> Value { return fn(in, a); });
  };
  add("repr", "(object, /)", [](Internals &in, Args a) -> Value {
    auto text = in.m.repr(a[0]);
    return text ? in.m.makeStr(*text) : nullptr;
  });
  add("ascii", "(object, /)", [](Internals &in, Args a) -> Value {
    auto text = in.m.repr(a[0]);
    return text ? in.m.makeStr(asciiText(*text)) : nullptr;
  });
  add("format", "(value, format_spec='', /)", [](Internals &in, Args a) -> Value {
    auto *spec = llvm::dyn_cast<StrObject>(a[1]);
    if (!spec)
      return in.typeError("format() argument 2 must be str, not " + in.m.typeName(a[1]));
    auto text = in.m.format(a[0], spec->text);
    return text ? in.m.makeStr(*text) : nullptr;
  });
  add("chr", "(i, /)", [](Internals &in, Args a) -> Value {
    auto code = in.m.index(a[0]);
    if (!code)
      return nullptr;
    if (*code < 0 || *code > 0x10FFFF)
      return in.m.raise("ValueError", "chr() arg not in range(0x110000)");
    std::string out;
    encodeCodePoint(*code, out);
    return in.m.makeStr(out);
  });
  add("ord", "(c, /)", codePointOf);
  add("len", "(obj, /)", [](Internals &in, Args a) -> Value {
    Value object = standIn(a[0]);
    if (auto *foreign = llvm::dyn_cast<Foreign>(object))
      if (auto answer = foreign->library.length(in.m, object))
        return *answer; // which may be abstract itself
    auto size = in.m.length(a[0]);
    return size ? in.m.makeInt(*size) : nullptr;
  });
  add("hash", "(obj, /)", [](Internals &in, Args a) -> Value {
    auto hash = in.m.hash(a[0]);
    return hash ? in.m.makeInt(int64_t(*hash)) : nullptr;
  });
  add("print", "(*values, sep=' ', end='\n', file=None, flush=False)", printLine);
}

void Internals::setUpFunctions() {
  setUpObjectFunctions();
  setUpNumberFunctions();
  addTextFunctions(*this);
  // What would reach outside the program, or run text, is refused by name.
  for (const char *name :
       {"open", "exec", "eval", "compile", "__import__", "input", "breakpoint", "bytearray", "exit",
        "quit", "help", "globals", "locals", "id", "memoryview"}) {
    std::string function = name;
    builtinsModule->attrs->set(
        m.intern(name), m.makeBuiltin(name, [function](Machine &m, const CallArgs &) -> Value {
          return m.refuse(function + "() is not available: a program is read without side effects",
                          "remove the call, or compute the value without it");
        }));
  }
}
