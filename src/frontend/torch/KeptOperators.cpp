// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are left to PyTorch (`--keep-torch`): a call becomes a graph.call, which says how
// Python writes it and what types its results have. These follow from the operator's own
// definition, which is read and dropped, or from one that only says sizes (prelude/kept.py).
#include "frontend/torch/CompositeOperands.h"
#include "frontend/torch/KnownNames.h"
#include "support/Placeholders.h"

#include "llvm/ADT/ScopeExit.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Whether `--keep-torch TEXT` means the operator of a name space: `sort` means all of that name,
/// `torch.sort` the function and the method, `linalg.inv` and `F.relu` only those.
static bool means(StringRef text, StringRef space, StringRef name) {
  auto [qualifier, base] = text.contains('.') ? text.rsplit('.') : std::pair(StringRef(), text);
  if (base != name || qualifier.empty())
    return base == name;
  if (qualifier == "torch")
    return space == "torch" || space == "Tensor";
  qualifier.consume_front("torch.");
  return qualifier == space || (space == "F" && qualifier == "nn.functional");
}

PyValue TorchLibrary::keptFunction(StringRef space, StringRef path, PyValue own) {
  StringRef name = path.substr(path.rfind('.') + 1);
  for (KeptOperator &op : kept)
    if (means(op.text, space, name))
      return machine->makeBuiltin(
          machine->save(name),
          [this, &op, full = path.str(), own](Machine &, const CallArgs &args) -> PyValue {
            return callKept(op, full, own, args);
          });
  return nullptr;
}

PyValue TorchLibrary::shapesOf(StringRef path) {
  auto [owner, name] = path.rsplit('.');
  StringRef parent = owner.substr(owner.rfind('.') + 1);
  bool isPlain = is_contained({"torch", "functional", "Tensor"}, parent);
  return lookup(isPlain ? "kept" : ("kept_" + parent).str(), name);
}

std::string TorchLibrary::keepOption(StringRef path) {
  return shapesOf(path) ? ("--keep-torch " + path.substr(path.rfind('.') + 1)).str() : "";
}

std::string TorchLibrary::helpFor(StringRef path) {
  std::string option = keepOption(path);
  return whyUnsupported(path) + (option.empty() ? "" : "; or leave it to PyTorch by " + option);
}

namespace {

/// Writes a call as Python does, and gathers the values that it takes.
class Spelling {
public:
  explicit Spelling(TorchLibrary &t) : t(t) {}

  /// The text of an argument; nothing for what has none, which `refused` says then.
  std::optional<std::string> spell(PyValue value);
  SmallVector<mlir::Value> inputs;
  bool hasTensor = false;
  std::string refused;

private:
  std::optional<std::string> refuse(StringRef what) {
    refused = what.str();
    return std::nullopt;
  }
  std::string place(mlir::Value value, StringRef kind) {
    size_t number = find(inputs, value) - inputs.begin();
    if (number == inputs.size())
      inputs.push_back(value);
    return ("{" + Twine(number) + kind + "}").str();
  }
  std::optional<std::string> spellItems(ArrayRef<PyValue> items);
  TorchLibrary &t;
};

std::optional<std::string> Spelling::spellItems(ArrayRef<PyValue> items) {
  std::string text;
  for (PyValue item : items) {
    std::optional<std::string> inner = spell(item);
    if (!inner)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + *inner;
  }
  return text;
}

std::optional<std::string> Spelling::spell(PyValue value) {
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    mlir::Value read = t.read(tensor);
    bool isGiven =
        isa<mlir::BlockArgument>(read) || isa<graph::SizeOp, graph::NumberOp>(read.getDefiningOp());
    if (tensor->isNumber && !isGiven)
      return refuse("a number that is computed while the program runs");
    hasTensor |= !tensor->isNumber;
    return place(read, tensor->isNumber ? ":n" : "");
  }
  if (auto *size = dyn_cast<SizeValue>(value))
    return place(t.writer.size(size->expr), ":n");
  if (auto *number = dyn_cast<FloatObject>(value); number && !std::isfinite(number->value))
    return std::isnan(number->value) ? "float(\"nan\")"
           : number->value > 0       ? "float(\"inf\")"
                                     : "-float(\"inf\")";
  if (auto *text = dyn_cast<StrObject>(value);
      text && text->text.find_first_of("\"\\\n") == StringRef::npos)
    return escapePlaceholders(("\"" + text->text + "\"").str());
  if (isa<NoneObject, IntObject, FloatObject>(value))
    return t.machine->repr(value);
  if (auto *dtype = dyn_cast<DTypeValue>(value))
    return ("torch." + getTorchName(dtype->dtype)).str();
  if (auto *list = dyn_cast<ListObject>(value)) {
    std::optional<std::string> items = spellItems(list->items);
    return items ? std::optional("[" + *items + "]") : std::nullopt;
  }
  if (auto *tuple = dyn_cast<TupleObject>(value)) {
    std::optional<std::string> items = spellItems(tuple->items);
    return items ? std::optional("(" + *items + (tuple->items.size() == 1 ? ",)" : ")"))
                 : std::nullopt;
  }
  return refuse(("a " + t.machine->typeName(value)).str());
}

/// The arguments of a call, each tensor replaced.
CallArgs replaced(Operands &operands, const CallArgs &args, SmallVectorImpl<PyValue> &positional,
                  SmallVectorImpl<std::pair<machine::Name, PyValue>> &keywords) {
  for (PyValue value : args.positional)
    positional.push_back(operands.replace(value));
  for (auto [name, value] : args.keywords)
    keywords.push_back({name, operands.replace(value)});
  return CallArgs{positional, keywords};
}

} // namespace

/// What an operator gives, as its definition says: results whose values are not to be used, or some
/// of the operands themselves. Null after an error or a refusal.
PyValue TorchLibrary::measureKept(StringRef path, PyValue definition, const CallArgs &args,
                                  SmallVectorImpl<mlir::Type> &types,
                                  SmallVectorImpl<TensorValue *> &handedOn) {
  auto refuse = [&](const Twine &why) {
    return machine->refuse("'" + path + "' cannot be left to PyTorch: " + why,
                           "take it off --keep-torch");
  };
  mlir::Block block;
  mlir::OpBuilder::InsertionGuard guard(writer.builder);
  mlir::OpBuilder::InsertPoint outside = writer.builder.saveInsertionPoint();
  writer.builder.setInsertionPointToEnd(&block);
  Operands operands(*this, block, outside, "own");
  SmallVector<PyValue> positional;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  CallArgs inner = replaced(operands, args, positional, keywords);
  int64_t drawn = drawCount;
  bool keepsGradients = std::exchange(gradients, false);
  isMeasuring = true;
  PyValue result = machine->call(definition, inner);
  isMeasuring = false;
  gradients = keepsGradients;
  setPlace();
  if (!result || isPoisoned(result))
    return result ? poison() : nullptr;
  if (operands.areWritten())
    return refuse("it writes to a tensor that it is given");
  if (drawCount != drawn)
    return refuse("it draws random numbers");
  SmallVector<TensorValue *> found = resultsOf(result);
  auto *tuple = dyn_cast<TupleObject>(result);
  if (isa<MaskedValue>(result) || (tuple && any_of(tuple->items, IsaPred<MaskedValue>)))
    return refuse("what sizes its results have is not known");
  if (found.empty() || (tuple && tuple->items.size() != found.size()))
    return refuse("it gives something that is no tensor");
  for (TensorValue *tensor : found) {
    auto place = find(operands.inner, tensor);
    if (place != operands.inner.end())
      handedOn.push_back(operands.outer[place - operands.inner.begin()]);
    else if (any_of(operands.inner, [&](auto *o) { return o->storage == tensor->storage; }))
      return refuse("it is a view and computes nothing");
    types.push_back(writer.type(writer.sizes(read(tensor)), tensor->dtype));
  }
  if (!handedOn.empty() && handedOn.size() != found.size())
    return refuse("it gives back what it is given");
  return result;
}

/// The call of PyTorch in the graph: `texts` are the arguments as the emitted file writes them.
std::optional<SmallVector<TensorValue *>>
TorchLibrary::writeKept(StringRef path, const CallArgs &args, ArrayRef<mlir::Type> types) {
  Spelling spelling(*this);
  SmallVector<mlir::Attribute> texts;
  auto add = [&](StringRef keyword, PyValue value) {
    std::optional<std::string> text = spelling.spell(value);
    if (text)
      texts.push_back(writer.builder.getStringAttr(keyword + *text));
    return text.has_value();
  };
  auto refuse = [&](const Twine &why, StringRef help) {
    machine->refuse(("'" + path + "' cannot be left to PyTorch: " + why).str(), help.str());
    return std::nullopt;
  };
  bool isSpelled = all_of(args.positional, [&](PyValue value) { return add("", value); }) &&
                   all_of(args.keywords, [&](const auto &entry) {
                     return add((entry.first->text + "=").str(), entry.second);
                   });
  if (!isSpelled)
    return refuse("it is given " + spelling.refused,
                  "give it tensors, sizes and what is known while converting");
  if (!spelling.hasTensor)
    return refuse("it takes no tensor", "take it off --keep-torch");
  StringRef callee = path;
  if (callee.starts_with("torch.Tensor."))
    callee.consume_front("torch.");
  auto call = graph::CallOp::create(writer.builder, writer.place, types, callee,
                                    writer.builder.getArrayAttr(texts), spelling.inputs,
                                    mlir::ValueRange(), nullptr, nullptr);
  return map_to_vector(call.getResults(), [&](mlir::Value value) { return wrap(value); });
}

PyValue TorchLibrary::callKept(KeptOperator &op, StringRef path, PyValue own,
                               const CallArgs &given) {
  // The operators of a definition are not the program's.
  if (compositeDepth || gradientDepth || isMeasuring)
    return machine->call(own ? own : unsupported(path), given);
  if (any_of(given.positional, [&](PyValue arg) { return isPoisoned(arg); }) ||
      any_of(given.keywords, [&](const auto &entry) { return isPoisoned(entry.second); }))
    return poison();
  op.isCalled = true;
  setPlace();
  // What Nereid computes for some operands only stands in the table for all.
  PyValue definition = shapesOf(path);
  if (!definition && !machine->pending())
    definition = own;
  if (!definition)
    return machine->pending()
               ? nullptr
               : reportAndPoison("'" + path +
                                     "' cannot be left to PyTorch: what sizes its results "
                                     "have is not known",
                                 whyUnsupported(path));
  auto keywords = withTorchNames(given.keywords);
  PyValue out = machine->none();
  llvm::erase_if(keywords, [&](const auto &entry) {
    bool isOut = entry.first->text == "out";
    if (isOut)
      out = entry.second;
    return isOut;
  });
  StringRef name = path.substr(path.rfind('.') + 1);
  auto positional = autocastArguments(name, given.positional, false);
  if (!positional)
    return nullptr;
  for (auto &[keyword, value] : keywords)
    if (auto cast = autocastArguments(name, {value}, false))
      value = cast->front();
  CallArgs args{*positional, keywords};
  SmallVector<mlir::Type> types;
  SmallVector<TensorValue *> results;
  PyValue result = measureKept(path, definition, args, types, results);
  if (!result || isPoisoned(result))
    return result;
  if (results.empty()) {
    auto written = writeKept(path, args, types);
    if (!written)
      return nullptr;
    results = *written;
  }
  result = withTensors(*this, result, results);
  return result ? storeOut(out, result) : nullptr;
}

} // namespace nereid::torch
