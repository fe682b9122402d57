// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

TorchLibrary::TorchLibrary(mlir::MLIRContext *context, Diagnostics &diagnostics)
    : solver(sym::SymDialect::getIndexContext(context)), writer(context, solver),
      diagnostics(diagnostics), context(context) {}

void TorchLibrary::attach(Machine &theMachine) {
  machine = &theMachine;
  machine->addLibrary(*this);
  solver.onMerge = [this](Expr size, Expr by) {
    if (entry)
      mergedSizes.push_back({size, by, userLocation()});
  };
  torchModule = module("torch");
  tensorClass = machine->makeClass("Tensor", {}, this, torchModule);
  parameterClass = machine->makeClass("Parameter", {tensorClass}, this, module("torch.nn"));
  dtypeClass = machine->makeClass("dtype", {}, this, torchModule);
  deviceClass = machine->makeClass("device", {}, this, torchModule);
  definePointwise();
  defineSelections();
  defineViews();
  defineIndexing();
  defineIndexViews();
  defineFolds();
  defineSorting();
  defineScattering();
  defineFactories();
  defineRandom();
  defineTensorMethods();
  defineData();
  defineGradientModes();
  defineAutocast();
  defineComplex();
  definePrelude();
}

/// The name of `*sizes` in a signature; empty when there is none.
static StringRef packedArgument(StringRef signature) {
  size_t star = signature.find('*');
  if (star == StringRef::npos || signature.substr(star).starts_with("**"))
    return "";
  return signature.substr(star + 1).take_while([](char c) { return isAlnum(c) || c == '_'; });
}

/// The place of a parameter among those of a signature.
static std::optional<size_t> placeOf(StringRef signature, StringRef parameter) {
  size_t place = 0;
  SmallVector<StringRef> parts;
  signature.trim("()").split(parts, ',');
  for (StringRef part : parts) {
    part = part.split('=').first.trim();
    if (part == parameter)
      return place;
    place += part != "*" && part != "/";
  }
  return std::nullopt;
}

void TorchLibrary::define(StringRef where, StringRef name, StringRef signature, Body body) {
  bool hasOut = signature.ends_with("out=None)");
  std::optional<size_t> dtypePlace = placeOf(signature, "dtype");
  BuiltinObject *bound = machine->makeBuiltin(
      name, signature, [=, this](Machine &, ArrayRef<PyValue> args) -> PyValue {
        for (PyValue arg : args)
          if (isPoisoned(arg))
            return poison();
        setPlace();
        if (isMasked(CallArgs{args, {}}))
          return maskedCall(name, nullptr, CallArgs{args, {}},
                            [&](const CallArgs &all) { return body(*this, all.positional); });
        auto cast =
            autocastArguments(name, args, dtypePlace && !isa<NoneObject>(args[*dtypePlace]));
        if (!cast)
          return nullptr;
        PyValue result = body(*this, *cast);
        return hasOut && result ? storeOut(args.back(), result) : result;
      });
  PyValue function = bound;
  std::string packed = packedArgument(signature).str();
  bool renames = signature.contains("dim") || !packed.empty();
  if (where != "prims")
    function = machine->makeBuiltin(name, [=, this](Machine &m, const CallArgs &args) {
      if (isComplexCall(args))
        return complexCall(name, args);
      if (!renames)
        return m.call(bound, args);
      auto keywords = withTorchNames(args.keywords);
      SmallVector<PyValue> positional(args.positional);
      // `view(size=(2, 3))` is `view((2, 3))`.
      auto given = find_if(keywords, [&](auto &entry) { return entry.first->text == packed; });
      if (given != keywords.end()) {
        positional.push_back(given->second);
        keywords.erase(given);
      }
      return m.call(bound, CallArgs{positional, keywords});
    });
  SmallVector<StringRef> words;
  where.split(words, ' ');
  for (StringRef space : words)
    spaces[space][name] = function;
  registered.push_back({where.str(), name.str(), signature.str(), "", ""});
}

SmallVector<std::pair<machine::Name, PyValue>>
TorchLibrary::withTorchNames(ArrayRef<std::pair<machine::Name, PyValue>> keywords) {
  SmallVector<std::pair<machine::Name, PyValue>> renamed(keywords);
  for (auto &[name, value] : renamed) {
    if (name->text == "axis")
      name = machine->intern("dim");
    else if (name->text == "keepdims")
      name = machine->intern("keepdim");
  }
  return renamed;
}

// --- Errors that let reading go on ------------------------------------------------------------

PyValue TorchLibrary::poison() {
  if (!poisonValue)
    poisonValue = machine->make<PoisonValue>(*this, tensorClass);
  return poisonValue;
}

PyValue TorchLibrary::reportAndPoison(const Twine &message, const Twine &help) {
  machine->refuseAt(userLocation(), message, help);
  // What a file does while it is read is an error only where the program needs it.
  if (isTrying || isReadingFile())
    return nullptr;
  machine->report(diagnostics);
  reported = true;
  return poison();
}

Diagnostic TorchLibrary::takeError() {
  Diagnostic error = machine->takeError();
  auto isOurs = [](const SourceLocation &place) {
    return place.file && place.file->getName().starts_with("<");
  };
  if (!isOurs(error.location))
    return error;
  erase_if(error.notes, [&](const Diagnostic &note) { return isOurs(note.location); });
  if (!error.notes.empty()) {
    error.location = error.notes.front().location;
    error.notes.erase(error.notes.begin());
  }
  return error;
}

Answer TorchLibrary::missingAttribute(Machine &, PyValue, machine::Name) {
  bool isOurs = StringRef(machine->location().file ? machine->location().file->getName() : "")
                    .starts_with("<torch");
  // A case of the program that raises does so when it is met.
  if (!entry || isOurs || isTrying || isReadingFile() || !programCase.decisions.empty())
    return std::nullopt;
  Diagnostic error = takeError();
  diagnostics.error(error.location, error.message, error.help).notes = error.notes;
  reported = true;
  return poison();
}

bool TorchLibrary::isPoisoned(PyValue value) {
  if (!value)
    return false;
  if (auto *tuple = dyn_cast<TupleObject>(value))
    return any_of(tuple->items, [&](PyValue item) { return isPoisoned(item); });
  if (auto *list = dyn_cast<ListObject>(value))
    return any_of(list->items, [&](PyValue item) { return isPoisoned(item); });
  return isa<PoisonValue>(value);
}

SourceLocation TorchLibrary::userLocation() {
  for (SourceLocation location : machine->callStack())
    if (location.file && !location.file->getName().starts_with("<"))
      return location;
  return machine->location();
}

mlir::Location TorchLibrary::toMlir(SourceLocation location) {
  if (!location.file)
    return mlir::UnknownLoc::get(context);
  LineColumn place = location.file->getLineColumn(location.range.begin);
  return mlir::FileLineColLoc::get(context, location.file->getName(), place.line, place.column + 1);
}

void TorchLibrary::setPlace() { writer.place = toMlir(userLocation()); }

} // namespace nereid::torch
