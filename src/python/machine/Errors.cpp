// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

SourceLocation Machine::location() const {
  for (Frame *f = frame; f; f = f->caller)
    if (f->current && f->code)
      return f->getLocation();
  return {};
}

std::vector<SourceLocation> Machine::callStack() const {
  std::vector<SourceLocation> stack;
  for (Frame *f = frame; f; f = f->caller)
    if (f->current &&
        (stack.empty() || (f->kind != FrameKind::Comprehension && f->kind != FrameKind::Class)))
      stack.push_back(f->getLocation());
  return stack;
}

bool Internals::isException(Value value) const {
  return value->kind == Kind::Instance && value->cls->isSubclassOf(classes.baseException);
}

InstanceObject *Internals::makeException(ClassObject *cls, llvm::ArrayRef<Value> args) {
  auto *instance = m.make<InstanceObject>(cls);
  instance->payload = m.makeTuple(args);
  if (cls->isSubclassOf(m.builtinClass("StopIteration")))
    attrsOf(instance)->set(n.value, args.empty() ? m.none() : args[0]);
  return instance;
}

Failure Internals::raiseArgs(ClassObject *cls, llvm::ArrayRef<Value> args) {
  return m.raiseValue(makeException(cls, args));
}

Failure Machine::raiseValue(Value value) {
  if (pending())
    return {}; // the first error wins
  Internals &in = *internals;
  exception = value;
  RaiseRecord &record = in.raises[value];
  if (record.stack.empty())
    record.stack = callStack();
  // The exception that was being handled becomes the context, as in CPython.
  Value handled = nullptr;
  for (Frame *f = frame; f && !handled; f = f->caller)
    handled = f->handled;
  if (handled && handled != value) {
    Namespace *attrs = in.attrsOf(value);
    if (!attrs->get(in.n.context))
      attrs->set(in.n.context, handled);
  }
  return {};
}

Failure Machine::raise(llvm::StringRef name, const llvm::Twine &message) {
  if (pending())
    return {};
  Value text = makeStr(message.str());
  return internals->raiseArgs(builtinClass(name), text);
}

Failure Machine::raise(llvm::StringRef name, const llvm::Twine &message, const llvm::Twine &help) {
  if (pending())
    return {};
  raise(name, message);
  internals->raises[exception].help = help.str();
  return {};
}

Failure Machine::refuse(const llvm::Twine &message, const llvm::Twine &help) {
  return refuseAt(location(), message, help);
}

static void addCallers(Diagnostic &diagnostic, llvm::ArrayRef<SourceLocation> all) {
  constexpr size_t shown = 8;
  // Definitions that lie in the binary are no part of the program: what they were called for is.
  auto isOwn = [](SourceLocation place) {
    return place.file && place.file->getName().starts_with("<");
  };
  auto isSame = [&](SourceLocation place) {
    return place.file == diagnostic.location.file &&
           place.range.begin == diagnostic.location.range.begin;
  };
  llvm::SmallVector<SourceLocation> stack;
  for (SourceLocation place : all)
    if (stack.empty() || (!isOwn(place) && !isSame(place)))
      stack.push_back(place);
  for (size_t i = 1; i < stack.size(); ++i) {
    if (i == shown && stack.size() > shown + 1) {
      diagnostic.addNote(stack.back(), "called from here, through " +
                                           std::to_string(stack.size() - shown - 1) +
                                           " more calls");
      return;
    }
    diagnostic.addNote(stack[i], "called from here");
  }
}

Failure Machine::refuseAt(SourceLocation location, const llvm::Twine &message,
                          const llvm::Twine &help) {
  if (refused)
    return {};
  exception = nullptr; // a refusal cannot be caught, so it hides what was in flight
  refused = Diagnostic{Severity::Error, location, message.str(), help.str(), {}};
  addCallers(*refused, callStack());
  return {};
}

Failure Internals::stopIteration(Value value) {
  if (!value || value == m.none())
    return raiseArgs(m.builtinClass("StopIteration"), {});
  return raiseArgs(m.builtinClass("StopIteration"), value);
}

std::string Internals::exceptionText(Value value) {
  Value keepException = exception;
  auto keepRefused = refused;
  exception = nullptr;
  refused.reset();
  auto text = m.str(value);
  std::string result = value->cls->name.str();
  if (!text)
    result += ": <exception str() failed>";
  else if (!text->empty())
    result += ": " + *text;
  exception = keepException;
  refused = keepRefused;
  return result;
}

Diagnostic Machine::takeError() {
  Internals &in = *internals;
  if (refused) {
    Diagnostic diagnostic = std::move(*refused);
    refused.reset();
    exception = nullptr;
    return diagnostic;
  }
  if (!exception)
    return {Severity::Error, {}, "no error is in flight", "", {}};
  Value value = exception;
  exception = nullptr;
  const RaiseRecord record = in.raises[value];
  Diagnostic diagnostic;
  if (!record.stack.empty())
    diagnostic.location = record.stack.front();
  diagnostic.message = in.exceptionText(value);
  diagnostic.help = record.help;
  addCallers(diagnostic, record.stack);
  for (Value cause = value; cause && cause->attrs;) {
    Value next = cause->attrs->get(in.n.cause);
    if (!next || next == noneValue || diagnostic.notes.size() > 16)
      break;
    auto stack = in.raises[next].stack;
    diagnostic.addNote(stack.empty() ? SourceLocation{} : stack.front(),
                       "caused by " + in.exceptionText(next));
    cause = next;
  }
  return diagnostic;
}

void Machine::report(Diagnostics &diagnostics) {
  Diagnostic taken = takeError();
  Diagnostic &added = diagnostics.error(taken.location, taken.message, taken.help);
  added.notes = std::move(taken.notes);
}

Value Machine::catchException(llvm::StringRef name) {
  if (!exception || refused || !internals->matches(exception, builtinClass(name)))
    return {};
  Value caught = exception;
  exception = nullptr;
  return caught;
}

Value Internals::useOpaque(OpaqueObject &opaque, llvm::StringRef what, llvm::StringRef suffix) {
  if (!m.spreadsOpaque)
    return refuseOpaque(opaque, what);
  constexpr size_t longest = 200; // names of values made of each other grow without end
  llvm::StringRef path = opaque.path.take_front(longest);
  return m.make<OpaqueObject>(classes.opaque, m.save((path + suffix).str()), opaque.origin);
}

Value Internals::refuseOpaque(OpaqueObject &opaque, llvm::StringRef what) {
  auto [module, rest] = opaque.path.split('.');
  if (!m.pending()) {
    bool isKnown = modules.contains(module);
    m.refuse("'" + opaque.path + "' is " + what +
                 (isKnown ? ", which the converter does not know"
                          : ", but the module '" + module +
                                "' is neither a source file beside this one nor known to the "
                                "converter"),
             "remove the use, or put the needed function into a source file");
    if (refused && opaque.origin.file)
      refused->addNote(opaque.origin, "imported here");
  }
  return {};
}
