// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State that a call leaves in Python objects: `self.steps += 1`, a cache in a global. An emitted
// file does not keep it, so a program that leaves some is called a second time: the results have to
// be the same.
#include "frontend/torch/ProgramImport.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

/// Whether two values are computed alike from the same ones.
class Likeness {
public:
  explicit Likeness(const SizeSolver &solver) : solver(solver) {}

  bool operator()(mlir::Value a, mlir::Value b) {
    if (a == b || arguments.lookup(a) == b)
      return true;
    auto x = dyn_cast<mlir::OpResult>(a), y = dyn_cast<mlir::OpResult>(b);
    if (!x || !y || x.getResultNumber() != y.getResultNumber())
      return false;
    auto [known, isNew] = seen.try_emplace({x.getOwner(), y.getOwner()}, false);
    if (isNew) {
      bool alike = areAlike(*x.getOwner(), *y.getOwner());
      seen[{x.getOwner(), y.getOwner()}] = alike;
      return alike;
    }
    return known->second;
  }

private:
  const SizeSolver &solver;

  /// The first call may have found that sizes are equal.
  bool typesAlike(mlir::TypeRange a, mlir::TypeRange b) {
    return a.size() == b.size() && all_of(zip_equal(a, b), [&](auto types) {
             auto x = dyn_cast<graph::TensorType>(std::get<0>(types));
             auto y = dyn_cast<graph::TensorType>(std::get<1>(types));
             if (!x || !y || x.getElementType() != y.getElementType() ||
                 x.getSizes().size() != y.getSizes().size())
               return x == y && std::get<0>(types) == std::get<1>(types);
             return all_of(zip_equal(x.getSizes(), y.getSizes()), [&](auto sizes) {
               return solver.resolve(std::get<0>(sizes)) == solver.resolve(std::get<1>(sizes));
             });
           });
  }

  bool attributesAlike(ArrayRef<mlir::NamedAttribute> a, ArrayRef<mlir::NamedAttribute> b) {
    return a.size() == b.size() && all_of(zip_equal(a, b), [&](auto attributes) {
             auto [x, y] = attributes;
             auto one = dyn_cast<sym::ExprAttr>(x.getValue()),
                  two = dyn_cast<sym::ExprAttr>(y.getValue());
             bool isSameSize =
                 one && two && solver.resolve(one.getExpr()) == solver.resolve(two.getExpr());
             return x.getName() == y.getName() && (isSameSize || x.getValue() == y.getValue());
           });
  }

  bool areAlike(mlir::Operation &x, mlir::Operation &y) {
    if (x.getName() != y.getName() ||
        !attributesAlike(CallScopes::unmarked(&x).getValue(),
                         CallScopes::unmarked(&y).getValue()) ||
        x.getNumOperands() != y.getNumOperands() ||
        !typesAlike(x.getResultTypes(), y.getResultTypes()))
      return false;
    for (auto [a, b] : zip_equal(x.getOperands(), y.getOperands()))
      if (!(*this)(a, b))
        return false;
    return all_of(zip_equal(x.getRegions(), y.getRegions()), [&](auto regions) {
      auto &[a, b] = regions;
      return a.empty() == b.empty() && (a.empty() || blocksAlike(a.front(), b.front()));
    });
  }

  /// Bodies of composites and loops: their arguments stand for one another.
  bool blocksAlike(mlir::Block &a, mlir::Block &b) {
    if (!typesAlike(a.getArgumentTypes(), b.getArgumentTypes()) ||
        a.getOperations().size() != b.getOperations().size())
      return false;
    for (auto [one, two] : zip_equal(a.getArguments(), b.getArguments()))
      arguments[one] = two;
    return all_of(zip_equal(a, b), [&](auto ops) {
      auto &[one, two] = ops;
      bool alike = areAlike(one, two);
      seen[{&one, &two}] = alike;
      return alike;
    });
  }

  DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, bool> seen;
  DenseMap<mlir::Value, mlir::Value> arguments; // of bodies
};

} // namespace

/// Notes what a change puts into a dict or list that is an argument: the emitted file does, too.
/// False where it is anything but that.
bool ProgramImport::addStores(const Change &change) {
  auto access = containers.find(change.holder);
  if (access == containers.end() || !isa_and_present<DictObject, TensorValue>(change.after))
    return false;
  SmallVector<std::pair<PyValue, PyValue>> entries;
  if (change.kind == Change::Item) {
    entries.push_back({change.key, change.after});
  } else {
    HashTable &before = cast<DictObject>(change.before)->table;
    size_t kept = 0;
    for (const HashTable::Entry &entry : cast<DictObject>(change.after)->table.entries) {
      if (!entry.key)
        continue;
      auto known = find_if(before.entries, [&](const HashTable::Entry &other) {
        return other.key && literalText(other.key) == literalText(entry.key);
      });
      kept += known != before.entries.end();
      if (known == before.entries.end() || known->value != entry.value)
        entries.push_back({entry.key, entry.value});
    }
    if (kept != size_t(count_if(before.entries, [](auto &entry) { return bool(entry.key); })))
      return false;
  }
  bool isStored = all_of(entries, [&](auto &entry) {
    return literalText(entry.first) && isa<TensorValue>(entry.second);
  });
  for (auto [key, value] : entries)
    if (isStored)
      stores.push_back({access->second + "[" + *literalText(key) + "]", value});
  return isStored;
}

/// The changes that an emitted file would not make: not those of parameters and buffers.
std::vector<Change> ProgramImport::lostChanges(Journal &journal, std::vector<Change> &kept) {
  std::vector<Change> lost;
  for (const Change &change : journal.changes()) {
    auto *tensor = dyn_cast_if_present<TensorValue>(change.before);
    bool isLeaf = tensor && any_of(leaves, [&](const Leaf &leaf) { return leaf.tensor == tensor; });
    auto *after = dyn_cast_if_present<TensorValue>(change.after);
    isLeaf = isLeaf && !(after && isRemade(tensor, after));
    if (change.kind != Change::Iterator)
      (isLeaf || addStores(change) ? kept : lost).push_back(change);
  }
  return lost;
}

/// Whether a value is computed from what another call may give: not parameters.
bool ProgramImport::hangsOnData(mlir::Value value) {
  DenseSet<mlir::Value> seen;
  SmallVector<mlir::Value> open = {value};
  while (!open.empty()) {
    mlir::Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (mlir::Operation *op = next.getDefiningOp()) {
      open.append(op->operand_begin(), op->operand_end());
      continue;
    }
    auto own = find_if(arguments, [&](const Argument &each) { return each.value == next; });
    if (own != arguments.end() && !own->attributes.get("graph.parameter"))
      return true;
  }
  return false;
}

/// Whether a buffer is bound to a table of other sizes that is the same at each call, as caches of
/// angles that grow with the sequence: one that is made again when it is needed, and not kept.
bool ProgramImport::isRemade(TensorValue *before, TensorValue *after) {
  bool isParameter =
      any_of(leaves, [&](const Leaf &leaf) { return leaf.tensor == before && leaf.isParameter; });
  mlir::Value value = library.read(after), was = library.read(before);
  // Another element type, or a parameter, is the module's state from then on.
  return !isParameter && library.writer.dtype(value) == library.writer.dtype(was) &&
         value.getType() != was.getType() && !hangsOnData(value);
}

/// The tensors that changes leave somewhere.
std::vector<TensorValue *> ProgramImport::tensorsLeft(ArrayRef<Change> lost) {
  std::vector<TensorValue *> tensors;
  DenseSet<PyValue> seen;
  std::function<void(PyValue)> visit = [&](PyValue value) {
    if (!value || !seen.insert(value).second)
      return;
    if (auto *tensor = dyn_cast<TensorValue>(value))
      tensors.push_back(tensor);
    else if (auto *complex = dyn_cast<ComplexValue>(value))
      tensors.push_back(complex->parts);
    else if (auto *list = dyn_cast<ListObject>(value))
      for_each(list->items, visit);
    else if (auto *tuple = dyn_cast<TupleObject>(value))
      for_each(tuple->items, visit);
    else if (auto *dict = dyn_cast<DictObject>(value))
      for (const HashTable::Entry &entry : dict->table.entries)
        visit(entry.key ? entry.value : nullptr);
  };
  for (const Change &change : lost)
    visit(change.after);
  return tensors;
}

/// Makes the arguments what they are before a call.
void ProgramImport::resetArguments() {
  for (const Argument &argument : arguments) {
    argument.tensor->storage->value = argument.value;
    ++argument.tensor->storage->version;
  }
}

/// Whether another call gives the results of the first one. Sizes and draws are as they were then.
bool ProgramImport::givesSame(function_ref<PyValue()> call, const std::string &text,
                              const Results &expected, Results &values) {
  SizeSolver::State sizes = library.solver.save();
  ProgramCase decided = library.programCase;
  int64_t draws = std::exchange(library.drawCount, 0);
  PyValue result = call();
  std::optional<std::string> again = result ? resultText(result, values) : std::nullopt;
  if (machine->pending())
    machine->takeError();
  bool isSame = again == text && equal(expected.values, values.values, Likeness(library.solver)) &&
                library.programCase.decisions.size() == decided.decisions.size();
  library.solver.restore(std::move(sizes));
  library.programCase = std::move(decided);
  library.drawCount = draws;
  return isSame;
}

bool ProgramImport::repeats(function_ref<PyValue()> call, PyValue first, ArrayRef<Change> kept,
                            ArrayRef<Change> lost) {
  Results firstValues;
  std::optional<std::string> text = resultText(first, firstValues);
  if (!text)
    return false;
  std::vector<mlir::Value> written;
  for (const Argument &argument : arguments)
    written.push_back(argument.tensor->storage->value);
  auto writeAll = [&](ArrayRef<Change> changes, bool isAfter) {
    for (const Change &change : changes)
      change.write(*machine, isAfter ? change.after : change.before);
  };
  // What the first call made of its data is another number for the second.
  auto unknownLike = [&](mlir::Value value) {
    return library.writer.unknown(library.writer.sizes(value), library.writer.dtype(value),
                                  "state");
  };
  DenseMap<Storage *, mlir::Value> left;
  for (TensorValue *tensor : tensorsLeft(lost)) {
    Storage *storage = tensor->storage;
    if (left.contains(storage) || storage->isArgument || storage->rows ||
        !hangsOnData(storage->value))
      continue;
    left[storage] = storage->value;
  }
  // As it was before the first call, but for what an emitted file would lose.
  auto prepareSecond = [&] {
    resetArguments();
    writeAll(kept, false);
    writeAll(lost, true);
    for (auto [storage, value] : left) {
      storage->value = unknownLike(value);
      ++storage->version;
    }
    // An argument that was kept is not the one that comes.
    for (const Change &change : lost)
      if (auto *tensor = dyn_cast_if_present<TensorValue>(change.after);
          tensor && tensor->storage->isArgument && hangsOnData(tensor->storage->value)) {
        change.write(*machine, library.wrap(unknownLike(library.read(tensor))));
      } else if (auto *complex = dyn_cast_if_present<ComplexValue>(change.after);
                 complex && complex->parts->storage->isArgument &&
                 hangsOnData(complex->parts->storage->value)) {
        TensorValue *other = library.wrap(unknownLike(library.read(complex->parts)));
        change.write(*machine, machine->make<ComplexValue>(library, library.tensorClass, other));
      }
  };
  prepareSecond();
  Results secondValues;
  bool isSame = givesSame(call, *text, firstValues, secondValues);
  if (!isSame) {
    // The first call may have learnt sizes on its way: another first one knows them.
    Results againValues, lastValues;
    resetArguments();
    writeAll(kept, false);
    writeAll(lost, false);
    (void)givesSame(call, *text, firstValues, againValues);
    prepareSecond();
    isSame = !againValues.values.empty() && givesSame(call, *text, againValues, lastValues);
  }
  for (auto [storage, value] : left) {
    storage->value = value;
    ++storage->version;
  }
  writeAll(lost, true);
  writeAll(kept, true);
  for (auto [argument, value] : zip_equal(arguments, written)) {
    argument.tensor->storage->value = value;
    ++argument.tensor->storage->version;
  }
  return isSame;
}

/// Whether the call leaves what others may want to read: tensors wherever they hang, and public
/// attributes.
bool ProgramImport::isToldOf(const Change &change) {
  if (change.kind == Change::Local)
    return false;
  return !tensorsLeft(change).empty() ||
         (change.kind == Change::Attribute && !change.name->text.starts_with("_"));
}

/// What the call leaves on modules, or in what these hold, is no result: who reads it there must
/// know.
void ProgramImport::warnOfAttributes(FunctionObject &callee, ArrayRef<Change> lost) {
  for (const Change &change : lost) {
    if (!isToldOf(change))
      continue;
    std::string what = change.describe(*machine);
    if (change.kind == Change::Attribute)
      what = change.name->text.str() + "' of '" +
             cast<Namespace>(change.holder)->owner->cls->name.str();
    bool isNew = none_of(diagnostics.all(), [&](const Diagnostic &known) {
      return known.severity == Severity::Warning && StringRef(known.message).contains(what);
    });
    if (isNew)
      diagnostics.warning(machine->definitionOf(&callee),
                          "what is emitted does not set '" + what + "', as the call does",
                          "return it too, if it is read after the call");
  }
}

PyValue ProgramImport::callStateless(FunctionObject &callee, function_ref<PyValue()> call) {
  Journal journal(*machine);
  PyValue result = call();
  std::vector<Change> kept, lost = lostChanges(journal, kept);
  journal.commit();
  if (!result || lost.empty() || diagnostics.hasErrors())
    return result;
  for (const Change &change : lost)
    if (auto access = containers.find(change.holder); access != containers.end()) {
      machine->refuseAt(machine->definitionOf(&callee),
                        "the call changes the argument '" + access->second +
                            "' as what is emitted would not",
                        "store tensors at its keys, or return what changes");
      return nullptr;
    }
  if (repeats(call, result, kept, lost)) {
    warnOfAttributes(callee, lost);
    return result;
  }
  if (!machine->pending() && !diagnostics.hasErrors())
    machine->refuseAt(machine->definitionOf(&callee),
                      "a second call would give another result: the call changes '" +
                          lost.front().describe(*machine) + "'",
                      "make it a buffer of the module, or an argument");
  return nullptr;
}

} // namespace nereid::torch
