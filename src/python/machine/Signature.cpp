// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ functions with a Python signature.
#include "python/machine/FloatText.h"
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

namespace {
struct Parameter {
  enum Kind { Positional, Any, Star, KeywordOnly, DoubleStar } kind;
  Name name;
  Value byDefault; // null: required
};

struct Signature {
  std::string function, owner;
  std::vector<Parameter> parameters;
  size_t positional = 0, required = 0;
  bool star = false, doubleStar = false;
};
} // namespace

static Value parseDefault(Machine &m, llvm::StringRef text) {
  if (text == "None")
    return m.none();
  if (text == "True" || text == "False")
    return m.makeBool(text == "True");
  if (text == "...")
    return m.ellipsis();
  if (text == "()")
    return m.makeTuple({});
  if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"'))
    return m.makeStr(text.drop_front().drop_back());
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return m.makeInt(integer);
  if (auto number = parseDouble(text))
    return m.makeFloat(*number);
  assert(false && "a default of a signature is a literal");
  return m.none();
}

static Signature parseSignature(Machine &m, llvm::StringRef function, llvm::StringRef text) {
  Signature signature;
  signature.function = function.str();
  bool ok = text.consume_front("(") && text.consume_back(")");
  assert(ok && "a signature stands in parentheses");
  (void)ok;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, false);
  auto kind = Parameter::Any;
  for (llvm::StringRef part : parts) {
    part = part.trim();
    if (part == "/") {
      for (Parameter &parameter : signature.parameters)
        parameter.kind = Parameter::Positional;
      continue;
    }
    if (part == "*") {
      kind = Parameter::KeywordOnly;
      continue;
    }
    if (part.consume_front("**")) {
      signature.doubleStar = true;
      signature.parameters.push_back({Parameter::DoubleStar, m.intern(part), nullptr});
      continue;
    }
    if (part.consume_front("*")) {
      signature.star = true;
      signature.parameters.push_back({Parameter::Star, m.intern(part), nullptr});
      kind = Parameter::KeywordOnly;
      continue;
    }
    auto [name, byDefault] = part.split('=');
    Value value =
        byDefault.empty() && !part.contains('=') ? nullptr : parseDefault(m, byDefault.trim());
    signature.parameters.push_back({kind, m.intern(name.trim()), value});
    if (kind == Parameter::Any) {
      ++signature.positional;
      signature.required += value == nullptr;
    }
  }
  return signature;
}

static Failure wrongCount(Internals &in, const Signature &signature, size_t given) {
  // `self` and `cls` do not count for the user.
  size_t hidden = !signature.parameters.empty() && (signature.parameters[0].name->text == "self" ||
                                                    signature.parameters[0].name->text == "cls");
  size_t most = signature.positional - hidden, least = signature.required - hidden;
  given -= std::min(given, hidden);
  std::string expected = least == most ? "exactly " + std::to_string(most)
                                       : (given > most ? "at most " : "at least ") +
                                             std::to_string(given > most ? most : least);
  if (least == most && most == 0)
    return in.typeError(signature.owner + signature.function + "() takes no arguments (" +
                        llvm::Twine(given) + " given)");
  size_t named = least == most ? most : given > most ? most : least;
  if (least == most && most == 1)
    return in.typeError(signature.owner + signature.function + "() takes exactly one argument (" +
                        llvm::Twine(given) + " given)");
  if (least == most)
    return in.typeError(signature.function + " expected " + llvm::Twine(most) + " argument" +
                        (most == 1 ? "" : "s") + ", got " + llvm::Twine(given));
  return in.typeError(signature.function + " expected " + expected + " argument" +
                      (named == 1 ? "" : "s") + ", got " + llvm::Twine(given));
}

static bool bindTo(Internals &in, const Signature &signature, const CallArgs &args,
                   llvm::SmallVectorImpl<Value> &out) {
  out.assign(signature.parameters.size(), nullptr);
  if (args.positional.size() > signature.positional && !signature.star)
    return wrongCount(in, signature, args.positional.size());
  size_t next = 0;
  for (size_t i = 0; i != signature.parameters.size(); ++i) {
    const Parameter &parameter = signature.parameters[i];
    bool positional = parameter.kind == Parameter::Any || parameter.kind == Parameter::Positional;
    if (positional && next < args.positional.size())
      out[i] = args.positional[next++];
    else if (parameter.kind == Parameter::Star)
      out[i] = in.m.makeTuple(args.positional.drop_front(next));
    else if (parameter.kind == Parameter::DoubleStar)
      out[i] = in.m.makeDict();
  }
  for (auto &[name, value] : args.keywords) {
    bool known = false;
    for (size_t i = 0; i != signature.parameters.size() && !known; ++i) {
      const Parameter &parameter = signature.parameters[i];
      if (parameter.name != name ||
          (parameter.kind != Parameter::Any && parameter.kind != Parameter::KeywordOnly))
        continue;
      known = true;
      if (out[i])
        return in.typeError(signature.function + "() got multiple values for argument '" +
                            name->text + "'");
      out[i] = value;
    }
    if (known)
      continue;
    if (!signature.doubleStar)
      return in.typeError(signature.function + "() got an unexpected keyword argument '" +
                          name->text + "'");
    if (!in.insert(llvm::cast<DictObject>(out.back())->table, name, value))
      return false;
  }
  for (size_t i = 0; i != signature.parameters.size(); ++i) {
    if (out[i])
      continue;
    const Parameter &parameter = signature.parameters[i];
    if (!(out[i] = parameter.byDefault)) {
      if (parameter.kind == Parameter::Positional)
        return wrongCount(in, signature, args.positional.size());
      return in.typeError(signature.function + "() missing required argument '" +
                          parameter.name->text + "' (pos " + llvm::Twine(i + 1) + ")");
    }
  }
  return true;
}

static BuiltinObject *makeWithOwner(Machine &machine, llvm::StringRef owner, llvm::StringRef name,
                                    llvm::StringRef text, Machine::BoundFn fn) {
  auto signature = std::make_shared<Signature>(parseSignature(machine, name, text));
  signature->owner = owner.str();
  Internals *in = &Internals::of(machine);
  return machine.makeBuiltin(name,
                             [in, signature, fn = std::move(fn)](Machine &m, const CallArgs &args) {
                               llvm::SmallVector<Value, 8> bound;
                               return bindTo(*in, *signature, args, bound) ? fn(m, bound) : nullptr;
                             });
}

BuiltinObject *Machine::makeBuiltin(llvm::StringRef name, llvm::StringRef text, BoundFn fn) {
  return makeWithOwner(*this, "", name, text, std::move(fn));
}

/// Whether a method of a built-in class may be called on `self`: as `str.upper(x)` it is given
/// anything.
static bool checkSelf(Internals &in, const ClassObject &cls, llvm::StringRef name, Value &self) {
  if (!self->cls->isSubclassOf(&cls))
    return in.typeError("descriptor '" + name + "' for '" + cls.name +
                        "' objects doesn't apply to a '" + in.m.typeName(self) + "' object");
  if (!llvm::isa<Foreign>(self) || cls.layout == Kind::Instance)
    return true;
  if (!(self = in.knownOf(self, (cls.name + "." + name + "()").str())))
    return false;
  if (llvm::isa<Foreign>(self))
    return in.m.refuse("'" + cls.name + "." + name +
                       "' of a value that is known only at run time is not supported");
  return true;
}

void Machine::addBuiltin(Value moduleOrClass, llvm::StringRef name, llvm::StringRef signature,
                         BoundFn fn) {
  auto *cls = llvm::dyn_cast<ClassObject>(moduleOrClass);
  std::string owner = cls ? (cls->name + ".").str() : "";
  if (cls && signature.starts_with("(self"))
    fn = [cls, name = llvm::StringRef(intern(name)->text),
          fn = std::move(fn)](Machine &m, llvm::ArrayRef<Value> args) -> Value {
      Internals &in = Internals::of(m);
      if (!cls->builtin || cls == in.classes.object)
        return fn(m, args);
      llvm::SmallVector<Value> known(args);
      return checkSelf(in, *cls, name, known[0]) ? fn(m, known) : nullptr;
    };
  moduleOrClass->attrs->set(intern(name),
                            makeWithOwner(*this, owner, name, signature, std::move(fn)));
}
