// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

uint32_t machine::decodeCodePoint(llvm::StringRef text, size_t &at) {
  unsigned char c = text[at++];
  if (c < 0x80)
    return c;
  unsigned extra = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
  uint32_t code = c & (0x3F >> extra);
  while (extra-- && at < text.size())
    code = code << 6 | (text[at++] & 0x3F);
  return code;
}

void machine::encodeCodePoint(uint32_t code, std::string &out) {
  if (code < 0x80) {
    out += char(code);
  } else if (code < 0x800) {
    out += char(0xC0 | code >> 6);
    out += char(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += char(0xE0 | code >> 12);
    out += char(0x80 | (code >> 6 & 0x3F));
    out += char(0x80 | (code & 0x3F));
  } else {
    out += char(0xF0 | code >> 18);
    out += char(0x80 | (code >> 12 & 0x3F));
    out += char(0x80 | (code >> 6 & 0x3F));
    out += char(0x80 | (code & 0x3F));
  }
}

/// Whether repr() leaves a character above ASCII as it is.
static bool isShown(uint32_t code) {
  bool isSurrogate = code >= 0xD800 && code < 0xE000;
  return code != 0xAD && !isSurrogate && llvm::sys::unicode::isPrintable(code);
}

static void quoteCodePoint(uint32_t code, char delimiter, bool ascii, std::string &out) {
  auto hex = [&](const char *prefix, unsigned digits) {
    out += prefix;
    std::string text = llvm::utohexstr(code, /*LowerCase=*/true, digits);
    out += text;
  };
  if (code == uint32_t(delimiter) || code == '\\') {
    out += '\\';
    out += char(code);
  } else if (code == '\n') {
    out += "\\n";
  } else if (code == '\r') {
    out += "\\r";
  } else if (code == '\t') {
    out += "\\t";
  } else if ((code >= 0x20 && code < 0x7F) || (!ascii && code > 0xA0 && isShown(code))) {
    encodeCodePoint(code, out);
  } else if (code < 0x100) {
    hex("\\x", 2);
  } else if (code < 0x10000) {
    hex("\\u", 4);
  } else {
    hex("\\U", 8);
  }
}

std::string machine::quoteText(llvm::StringRef text, bool ascii) {
  char delimiter = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string out(1, delimiter);
  for (size_t at = 0; at < text.size();)
    quoteCodePoint(decodeCodePoint(text, at), delimiter, ascii, out);
  out += delimiter;
  return out;
}

std::string machine::asciiText(llvm::StringRef text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    uint32_t code = decodeCodePoint(text, at);
    if (code < 0x80)
      out += text.slice(begin, at);
    else
      quoteCodePoint(code, '\'', true, out);
  }
  return out;
}

std::string Internals::quote(StrObject &text) { return quoteText(text.text, false); }

std::string Internals::quoteBytes(llvm::StringRef data) {
  char delimiter = data.contains('\'') && !data.contains('"') ? '"' : '\'';
  std::string out = std::string("b") + delimiter;
  for (unsigned char c : data) {
    if (c >= 0x80)
      out += "\\x" + llvm::utohexstr(c, true, 2);
    else
      quoteCodePoint(c, delimiter, true, out);
  }
  return out + delimiter;
}

static std::string complexText(const ComplexObject &number) {
  auto part = [](double value) {
    std::string text = floatText(value);
    return llvm::StringRef(text).ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  std::string imag = part(number.imag) + "j";
  if (number.real == 0 && !std::signbit(number.real))
    return imag;
  if (imag[0] != '-')
    imag = "+" + imag;
  return "(" + part(number.real) + imag + ")";
}

namespace {
/// Marks a container as being printed, so that one that holds itself ends.
struct ReprGuard {
  ReprGuard(Internals &in, Value value) : in(in) {
    inside = llvm::any_of(in.reprStack, [&](auto &entry) { return entry.first == value; });
    in.reprStack.push_back({value, nullptr});
  }
  ~ReprGuard() { in.reprStack.pop_back(); }
  Internals &in;
  bool inside;
};
} // namespace

static bool joinItems(Internals &in, llvm::ArrayRef<Value> items, std::string &out) {
  std::vector<Value> copy(items.begin(), items.end());
  for (size_t i = 0; i != copy.size(); ++i) {
    if (i)
      out += ", ";
    auto text = in.m.repr(copy[i]);
    if (!text || !in.checkItems(out.size() + text->size()))
      return false;
    out += *text;
  }
  return true;
}

static std::vector<Value> keysOf(const HashTable &table) {
  std::vector<Value> keys;
  for (auto &entry : table.entries)
    if (entry.key)
      keys.push_back(entry.key);
  return keys;
}

static std::optional<std::string> reprDict(Internals &in, DictObject &dict) {
  std::string out = "{";
  auto entries = dict.table.entries;
  bool first = true;
  for (auto &entry : entries) {
    if (!entry.key)
      continue;
    if (!first)
      out += ", ";
    first = false;
    auto key = in.m.repr(entry.key);
    auto value = key ? in.m.repr(entry.value) : std::nullopt;
    if (!value || !in.checkItems(out.size() + value->size()))
      return std::nullopt;
    out += *key + ": " + *value;
  }
  return out + "}";
}

static std::optional<std::string> reprSet(Internals &in, SetObject &set) {
  bool plain = !set.frozen && set.cls == in.classes.set;
  if (set.table.size() == 0)
    return set.cls->name.str() + "()";
  std::string out = plain ? "{" : set.cls->name.str() + "({";
  if (!joinItems(in, keysOf(set.table), out))
    return std::nullopt;
  return out + (plain ? "}" : "})");
}

static std::string qualified(const ClassObject &cls) {
  llvm::StringRef name = cls.qualifiedName.empty() ? cls.name : cls.qualifiedName;
  if (!cls.module)
    return name.str();
  return (cls.module->name + "." + name).str();
}

static std::string address(Value value) {
  return "0x" + llvm::utohexstr(reinterpret_cast<uintptr_t>(value), true, 12);
}

static std::optional<std::string> reprInstance(Internals &in, InstanceObject &instance) {
  Builtins &c = in.classes;
  if (in.isException(&instance)) {
    auto *args = llvm::cast<TupleObject>(instance.payload);
    std::string out = instance.cls->name.str() + "(";
    if (!joinItems(in, args->items, out))
      return std::nullopt;
    return out + ")";
  }
  if (instance.cls == c.dictKeys || instance.cls == c.dictValues || instance.cls == c.dictItems) {
    auto items = in.m.items(&instance);
    std::string out = instance.cls->name.str() + "([";
    if (!items || !joinItems(in, *items, out))
      return std::nullopt;
    return out + "])";
  }
  if (instance.cls == c.mappingProxy) {
    auto text = in.m.repr(instance.payload);
    return text ? "mappingproxy(" + *text + ")" : text;
  }
  if (instance.cls == c.genericAlias || instance.cls == c.typingSpecial)
    return instance.payload ? in.m.str(instance.payload) : std::string("typing");
  return "<" + qualified(*instance.cls) + " object at " + address(&instance) + ">";
}

static std::optional<std::string> reprContainer(Internals &in, Value value) {
  ReprGuard guard(in, value);
  if (guard.inside)
    return value->kind == Kind::List    ? "[...]"
           : value->kind == Kind::Tuple ? "(...)"
           : value->kind == Kind::Dict  ? "{...}"
                                        : "set(...)";
  if (auto *dict = llvm::dyn_cast<DictObject>(value))
    return reprDict(in, *dict);
  if (auto *set = llvm::dyn_cast<SetObject>(value))
    return reprSet(in, *set);
  std::string out;
  if (auto *list = llvm::dyn_cast<ListObject>(value)) {
    out = "[";
    if (!joinItems(in, list->items, out))
      return std::nullopt;
    return out + "]";
  }
  auto *tuple = llvm::cast<TupleObject>(value);
  out = "(";
  if (!joinItems(in, tuple->items, out))
    return std::nullopt;
  return out + (tuple->items.size() == 1 ? ",)" : ")");
}

static std::string reprCallable(Internals &in, Value value) {
  if (auto *function = llvm::dyn_cast<FunctionObject>(value))
    return "<function " + function->qualifiedName.str() + " at " + address(value) + ">";
  if (auto *builtin = llvm::dyn_cast<BuiltinObject>(value))
    return "<built-in function " + builtin->name.str() + ">";
  auto *method = llvm::cast<BoundMethodObject>(value);
  if (auto *function = llvm::dyn_cast<FunctionObject>(method->function)) {
    auto self = in.m.repr(method->self);
    return "<bound method " + function->qualifiedName.str() + " of " + self.value_or("?") + ">";
  }
  return "<built-in method of " + in.m.typeName(method->self).str() + " object>";
}

std::optional<std::string> Internals::nativeRepr(Value value) {
  if (stackLow()) {
    m.refuse("values are nested too deeply to be printed");
    return std::nullopt;
  }
  switch (value->kind) {
  case Kind::None:
    return "None";
  case Kind::NotImplemented:
    return "NotImplemented";
  case Kind::Ellipsis:
    return "Ellipsis";
  case Kind::Bool:
    return llvm::cast<BoolObject>(value)->value() ? "True" : "False";
  case Kind::Int:
    return integerToText(*this, *llvm::cast<IntObject>(value));
  case Kind::Float:
    return floatText(llvm::cast<FloatObject>(value)->value);
  case Kind::Complex:
    return complexText(*llvm::cast<ComplexObject>(value));
  case Kind::Str:
    return quote(*llvm::cast<StrObject>(value));
  case Kind::Bytes:
    return quoteBytes(llvm::cast<BytesObject>(value)->data);
  case Kind::Tuple:
  case Kind::List:
  case Kind::Dict:
  case Kind::Set:
    return reprContainer(*this, value);
  case Kind::Range: {
    auto *range = llvm::cast<RangeObject>(value);
    std::string out = "range(" + std::to_string(range->start) + ", " + std::to_string(range->stop);
    return out + (range->step == 1 ? ")" : ", " + std::to_string(range->step) + ")");
  }
  case Kind::Slice: {
    auto *slice = llvm::cast<SliceObject>(value);
    std::string out = "slice(";
    if (!joinItems(*this, {slice->start, slice->stop, slice->step}, out))
      return std::nullopt;
    return out + ")";
  }
  case Kind::Function:
  case Kind::Builtin:
  case Kind::BoundMethod:
    return reprCallable(*this, value);
  case Kind::Class:
    return "<class '" + qualified(*llvm::cast<ClassObject>(value)) + "'>";
  case Kind::Module:
    return "<module '" + llvm::cast<ModuleObject>(value)->name.str() + "'>";
  case Kind::Instance:
    return reprInstance(*this, *llvm::cast<InstanceObject>(value));
  case Kind::Generator:
    return "<generator object at " + address(value) + ">";
  case Kind::Opaque:
    return "<" + llvm::cast<OpaqueObject>(value)->path.str() + ">";
  default:
    return "<" + qualified(*value->cls) + " object at " + address(value) + ">";
  }
}

std::optional<std::string> Machine::repr(Value value) {
  Internals &in = *internals;
  if (Value method = in.userMethod(value, in.n.repr)) {
    Value result = call(method);
    if (!result)
      return std::nullopt;
    if (auto *text = llvm::dyn_cast<StrObject>(result))
      return text->text.str();
    raise("TypeError", "__repr__ returned non-string (type " + typeName(result) + ")");
    return std::nullopt;
  }
  if (pending())
    return std::nullopt;
  if (auto *foreign = llvm::dyn_cast<Foreign>(value))
    if (auto answer = foreign->library.convert(*this, value, "repr")) {
      auto *text = llvm::dyn_cast_if_present<StrObject>(*answer);
      return text ? std::optional(text->text.str()) : std::nullopt;
    }
  return in.nativeRepr(value);
}

static std::optional<std::string> exceptionStr(Internals &in, Value value) {
  auto args = llvm::cast<TupleObject>(llvm::cast<InstanceObject>(value)->payload)->items;
  if (args.empty())
    return "";
  if (args.size() == 1)
    return value->cls->isSubclassOf(in.m.builtinClass("KeyError")) ? in.m.repr(args[0])
                                                                   : in.m.str(args[0]);
  return in.m.repr(llvm::cast<InstanceObject>(value)->payload);
}

std::optional<std::string> Internals::nativeStr(Value value) {
  if (auto *text = llvm::dyn_cast<StrObject>(value))
    return text->text.str();
  if (isException(value))
    return exceptionStr(*this, value);
  return m.repr(value);
}

std::optional<std::string> Machine::str(Value value) {
  Internals &in = *internals;
  if (value->kind == Kind::Str && value->cls == builtins->str)
    return llvm::cast<StrObject>(value)->text.str();
  if (Value method = in.userMethod(value, in.n.str)) {
    Value result = call(method);
    if (!result)
      return std::nullopt;
    if (auto *text = llvm::dyn_cast<StrObject>(result))
      return text->text.str();
    raise("TypeError", "__str__ returned non-string (type " + typeName(result) + ")");
    return std::nullopt;
  }
  if (pending())
    return std::nullopt;
  if (auto *foreign = llvm::dyn_cast<Foreign>(value))
    if (auto answer = foreign->library.convert(*this, value, "str")) {
      auto *text = llvm::dyn_cast_if_present<StrObject>(*answer);
      return text ? std::optional(text->text.str()) : std::nullopt;
    }
  return in.nativeStr(value);
}
