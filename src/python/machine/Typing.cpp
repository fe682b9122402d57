// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of annotations with arguments: `Optional[int]`, `Callable[[int], str]`, `Literal["a"]`.
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

/// The name of a form: `Optional`; empty for aliases of classes.
static llvm::StringRef formName(const InstanceObject &form) {
  auto *text = llvm::dyn_cast_if_present<StrObject>(form.payload);
  llvm::StringRef name = text ? text->text : llvm::StringRef();
  name = name.take_until([](char c) { return c == '['; });
  return name.consume_front("typing.") ? name : llvm::StringRef();
}

TupleObject *Internals::unionArguments(Value value) {
  bool isForm = value->cls == classes.genericAlias || value->cls == classes.typingSpecial;
  Value args = isForm && value->attrs ? value->attrs->get(n.typeArgs) : nullptr;
  Value origin = args ? value->attrs->get(n.origin) : nullptr;
  auto *form = llvm::dyn_cast_if_present<InstanceObject>(origin);
  bool isUnion = origin == m.none() || (form && formName(*form) == "Union"); // none: int | str
  return isUnion ? llvm::dyn_cast_if_present<TupleObject>(args) : nullptr;
}

std::optional<bool> Internals::equalAliases(Value left, Value right) {
  TupleObject *a = unionArguments(left), *b = unionArguments(right);
  if (!a != !b)
    return false;
  if (!a) {
    auto origins = m.equal(left->attrs->get(n.origin), right->attrs->get(n.origin));
    return origins && *origins
               ? m.equal(left->attrs->get(n.typeArgs), right->attrs->get(n.typeArgs))
               : origins;
  }
  auto typeOf = [&](Value each) -> Value { return each == m.none() ? classes.noneType : each; };
  auto isWithin = [&](TupleObject *inner, TupleObject *outer) -> std::optional<bool> {
    for (Value each : inner->items) {
      bool isFound = false;
      for (Value other : outer->items) {
        auto same = m.equal(typeOf(each), typeOf(other));
        if (!same)
          return std::nullopt;
        isFound |= *same;
      }
      if (!isFound)
        return false;
    }
    return true;
  };
  auto first = isWithin(a, b);
  return first && *first ? isWithin(b, a) : first;
}

/// The alternatives of a union, each once.
static bool addAlternatives(Internals &in, llvm::ArrayRef<Value> given,
                            llvm::SmallVectorImpl<Value> &found) {
  for (Value each : given) {
    if (TupleObject *inner = in.unionArguments(each)) {
      if (!addAlternatives(in, inner->items, found))
        return false;
      continue;
    }
    if (each == in.m.none())
      each = in.classes.noneType;
    bool isKnown = false;
    for (Value known : found) {
      auto same = in.m.equal(known, each);
      if (!same)
        return false;
      isKnown |= *same;
    }
    if (!isKnown)
      found.push_back(each);
  }
  return true;
}

static std::string spellArgument(Internals &in, Value value) {
  if (auto *cls = llvm::dyn_cast<ClassObject>(value))
    return cls->module ? in.m.repr(value).value_or("?") : cls->name.str();
  return value == in.m.ellipsis() ? "..." : in.m.repr(value).value_or("?");
}

/// `typing.Optional[int]`.
static std::string spellAlias(Internals &in, llvm::StringRef name, llvm::ArrayRef<Value> args) {
  if (name == "Union" && args.size() == 2 && args.back() == in.classes.noneType) {
    name = "Optional";
    args = args.drop_back();
  }
  std::string text;
  for (Value arg : args)
    text += (text.empty() ? "" : ", ") + spellArgument(in, arg);
  return ("typing." + name + "[" + text + "]").str();
}

Value Internals::typingAlias(InstanceObject &form, Value key) {
  llvm::StringRef name = formName(form);
  auto *tuple = llvm::dyn_cast<TupleObject>(key);
  llvm::SmallVector<Value> args(tuple ? tuple->items : llvm::ArrayRef<Value>(key));
  Value origin = &form;
  if (Value outer = form.attrs && form.attrs->get(n.typeArgs) ? form.attrs->get(n.origin) : nullptr)
    origin = outer; // List[T][int] is of the form List
  if (name == "Optional" || name == "Union") {
    if (name == "Optional")
      args.push_back(classes.noneType);
    llvm::SmallVector<Value> found;
    if (!addAlternatives(*this, args, found))
      return nullptr;
    if (found.size() == 1)
      return found.front();
    args = found;
    name = "Union";
    auto typing = modules.find("typing");
    if (typing != modules.end())
      origin = typing->second->attrs->get(m.intern("Union"));
  }
  auto *alias = m.make<InstanceObject>(form.cls);
  bool isAnnotated = name == "Annotated" && args.size() > 1;
  attrsOf(alias)->set(n.origin, isAnnotated ? args.front() : origin);
  if (isAnnotated)
    alias->attrs->set(m.intern("__metadata__"), m.makeTuple(llvm::ArrayRef(args).drop_front()));
  alias->attrs->set(n.typeArgs, m.makeTuple(args));
  alias->payload = m.makeStr(spellAlias(*this, name, args));
  return m.pending() ? nullptr : alias;
}
