// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow on conditions that are known only at run time. `if sizes are wrong: raise` becomes a
// check; other conditions on sizes and flags split the program into cases; of an `if` on a tensor's
// data both arms are evaluated (DataBranch.h), other statements on data are refused.
#include "frontend/torch/DataBranch.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// The most cases into which a program may split.
static constexpr size_t mostDecisions = 15;
/// The most that one statement may ask: a function that calls itself twice, on parts of an axis,
/// asks of each part, and grows with two to that power.
static constexpr size_t mostAtOnePlace = 6;

Pred TorchLibrary::conditionOf(PyValue condition) {
  if (auto *value = dyn_cast<ConditionValue>(condition))
    return value->pred;
  if (auto *size = dyn_cast<SizeValue>(condition))
    return index::ne(size->expr, 0);
  auto *tensor = dyn_cast<TensorValue>(condition);
  if (!tensor || !tensor->isNumber)
    return Pred();
  if (tensor->flag)
    return index::ne(tensor->flag, 0);
  if (tensor->dtype == DType::Bool)
    return conditionOfNumber(read(tensor));
  Expr size = isFloat(tensor->dtype) ? Expr() : sizeOfNumber(read(tensor));
  return size ? index::ne(size, 0) : Pred();
}

mlir::Value TorchLibrary::dataCondition(PyValue condition) {
  auto *tensor = dyn_cast<TensorValue>(condition);
  if (!tensor || !isDrawing() ||
      !all_of(sizesOf(tensor), [&](Expr size) { return solver.resolve(size).isConstant(1); }))
    return mlir::Value();
  setPlace();
  mlir::Value value = writer.reshape(read(tensor), {});
  return tensor->dtype == DType::Bool ? value
                                      : writer.test("ne", {value, writer.zero(tensor->dtype)});
}

/// What a condition is where no axis has size 0; nullopt where that does not tell.
static std::optional<bool> withElements(const SizeSolver &solver, Pred condition) {
  index::Facts facts = solver.getFacts();
  index::forEachSymbol(condition, [&](Expr symbol) {
    if (solver.isKnown(symbol))
      facts.setRange(symbol, index::Range::atLeast(1));
  });
  for (bool taken : {true, false})
    if (facts.prove(taken ? condition : index::notOf(condition)) == index::Truth::True)
      return taken;
  return std::nullopt;
}

std::optional<bool> TorchLibrary::decide(Pred condition, SourceLocation place, bool isOfLoop) {
  index::Truth known = solver.truthOrDenial(condition);
  if (known != index::Truth::Unknown)
    return known == index::Truth::True;
  if (solver.differs(condition)) {
    machine->refuseAt(place, "this condition holds in some turns of the loop only",
                      "use torch.where(condition, a, b)");
    return std::nullopt;
  }
  if (std::optional<bool> taken =
          programCase.hasElements ? withElements(solver, condition) : std::nullopt) {
    SmallVector<Expr> sizes;
    index::forEachSymbol(condition, [&](Expr symbol) {
      if (!is_contained(sizes, symbol))
        sizes.push_back(symbol);
    });
    // Of one size the check says more to what follows.
    Pred needed = sizes.size() == 1 ? index::ge(sizes.front(), 1)
                  : *taken          ? condition
                                    : index::notOf(condition);
    if (solver.require(needed, "empty tensors are not converted: too many cases"))
      return taken;
  }
  if (programCase.fixesAll || (programCase.fixesLoops && isOfLoop)) {
    SizeSolver::State before = solver.save();
    size_t told = fixedSizes.size();
    if (fixSizesOf(condition, isOfLoop ? "the turns of a `while` loop" : "one of many conditions"))
      if (index::Truth fixed = solver.truthOrDenial(condition); fixed != index::Truth::Unknown)
        return fixed == index::Truth::True;
    solver.restore(std::move(before));
    fixedSizes.resize(told);
  }
  size_t at = programCase.decisions.size();
  size_t here = count_if(programCase.decisions, [&](const ProgramCase::Decision &other) {
    return other.place.file == place.file && other.place.range.begin == place.range.begin;
  });
  bool isRepeated = !isOfLoop && here >= mostAtOnePlace;
  bool areTooMany = at >= mostDecisions || isRepeated;
  programCase.isTooDeep |= !isTrying && areTooMany;
  if (isTrying || areTooMany) {
    machine->refuseAt(place,
                      (isRepeated ? Twine("this splits the program into cases again and again, by ")
                                  : Twine("the program splits into more than 16 cases here, by ")) +
                          condition.str(),
                      helpOfManyCases);
    return std::nullopt;
  }
  bool taken = at < programCase.given.size() ? programCase.given[at] : true;
  condition = solver.resolve(condition);
  programCase.decisions.push_back({condition, taken, place});
  solver.assume(taken ? condition : index::notOf(condition));
  return taken;
}

// --- Branches ------------------------------------------------------------------------------------

static SourceLocation placeOf(TorchLibrary &t, Frame &frame, const python::Node &node) {
  // An arm may have been tried since: the place is the condition's.
  const python::Node *test = &node;
  if (auto *statement = dyn_cast<python::If>(&node))
    test = statement->test;
  else if (auto *loop = dyn_cast<python::While>(&node))
    test = loop->test;
  SourceLocation place = frame.getFile().getLocation(*test);
  return place.file->getName().starts_with("<torch") ? t.userLocation() : place;
}

static void refuseBranch(TorchLibrary &t, PyValue condition, SourceLocation place,
                         bool isAssert = false) {
  if (t.isPoisoned(condition))
    t.machine->refuseAt(place, "this depends on an operator that is not supported");
  else
    t.machine->refuseAt(place, "this branch depends on the data of a tensor",
                        isAssert ? "leave the assertion out, or assert what is known of sizes"
                                 : "use torch.where(condition, a, b)");
}

/// Reports a condition on data and lets reading go on, so that the other problems of the program
/// are found too; false, with the refusal in flight, where that may not be.
bool TorchLibrary::reportBranch(PyValue condition, SourceLocation place, bool isAssert) {
  if (!isTrying && isPoisoned(condition))
    return true;
  refuseBranch(*this, condition, place, isAssert);
  if (isTrying || isReadingFile())
    return false;
  machine->report(diagnostics);
  reported = true;
  return true;
}

/// Tries an arm that has a `raise`; true if it does raise. Nothing of it remains.
bool TorchLibrary::armRaises(Branch &branch, bool taken) {
  auto *statement = dyn_cast<python::If>(&branch.node);
  if (!statement || none_of(taken ? statement->body : statement->orelse,
                            [](const python::Stmt *each) { return isa<python::Raise>(each); }))
    return false;
  SizeSolver::State before = solver.save();
  Journal journal(branch.machine);
  bool outer = std::exchange(isTrying, true);
  Completion ended = branch.run(taken);
  isTrying = outer;
  bool raised = ended.isRaise() && !branch.machine.pendingRefusal();
  if (ended.isRaise())
    branch.machine.takeError();
  solver.restore(std::move(before));
  return journal.undo() && raised;
}

bool TorchLibrary::demand(Pred condition) {
  if (condition.getKind() == index::PredKind::And)
    return all_of(condition.getOperands(), [&](Pred part) { return demand(part); });
  bool equal = condition.getKind() == index::PredKind::Zero &&
               solver.unify(condition.getExpr(), writer.constantSize(0));
  return equal || solver.require(condition, "the sizes must satisfy " + condition.str());
}

Answer TorchLibrary::allOf(Machine &, ArrayRef<PyValue> comparisons, bool negated) {
  Pred all = index::truth(solver.getContext(), true);
  for (PyValue comparison : comparisons) {
    Pred pred = conditionOf(comparison);
    if (!pred)
      return std::nullopt;
    all = all & pred;
  }
  return machine->make<ConditionValue>(*this, machine->builtinClass("bool"),
                                       negated ? index::notOf(all) : all);
}

std::optional<Completion> TorchLibrary::branch(Branch &branch) {
  Pred pred = conditionOf(branch.condition);
  SourceLocation place = placeOf(*this, branch.frame, branch.node);
  if (mlir::Value data = pred ? mlir::Value() : dataCondition(branch.condition)) {
    Completion ended = DataBranch(*this, branch, data).run();
    if (!ended.isRaise() || !machine->pendingRefusal() || isTrying || loopReader)
      return ended;
    machine->report(diagnostics);
    reported = true;
    return branch.run(true);
  }
  if (!pred)
    return reportBranch(branch.condition, place) ? branch.run(true) : Completion::raise();
  for (bool taken : {true, false}) {
    if (!armRaises(branch, taken))
      continue;
    Pred needed = taken ? index::notOf(pred) : pred;
    if (!demand(needed))
      return branch.run(taken); // raises
    return branch.run(!taken);
  }
  std::optional<bool> taken = decide(pred, place);
  return taken ? branch.run(*taken) : Completion::raise();
}

/// A ternary, `not`, `and`, `or` or a chain of comparisons that begins with data; nullopt for what
/// is none of them.
Answer TorchLibrary::dataBranchValue(Branch &branch, mlir::Value condition) {
  if (isa<python::IfExp>(branch.node))
    return DataBranch(*this, branch, condition).evaluate();
  if (isa<python::UnaryOp>(branch.node))
    return wrapNumber(writer.pointwise("not", {condition}));
  auto *both = dyn_cast<python::BoolOp>(&branch.node);
  if (!both && !isa<python::Compare>(branch.node))
    return std::nullopt;
  bool isAnd = !both || both->op == python::BoolOperator::And;
  PyValue rest = both ? branch.evaluate(isAnd) : branch.evaluateRest();
  if (!rest)
    return nullptr;
  mlir::Value other = dataCondition(rest);
  if (Pred pred = other ? Pred() : conditionOf(rest)) {
    std::optional<bool> holds = decide(pred, placeOf(*this, branch.frame, branch.node));
    if (!holds)
      return nullptr;
    rest = machine->makeBool(*holds);
  }
  // Of other types the value is not the truth.
  if (auto *known = dyn_cast<BoolObject>(rest))
    other = writer.integer(DType::Bool, known->value());
  else if (auto *tensor = dyn_cast<TensorValue>(rest); !tensor || tensor->dtype != DType::Bool)
    return both ? machine->call(lookup("prims", isAnd ? "builtin_and" : "builtin_or"),
                                {branch.condition, rest})
                : Answer(std::nullopt);
  return other ? Answer(wrapNumber(writer.pointwise(isAnd ? "and" : "or", {condition, other})))
               : std::nullopt;
}

std::optional<Completion> TorchLibrary::loop(Loop &loop) {
  if (auto *masked = loop.isFor() ? dyn_cast<MaskedValue>(loop.iterable) : nullptr)
    return loopOverSelected(loop, masked);
  if (loop.isFor())
    return keepLoop(loop);
  SourceLocation place = placeOf(*this, loop.frame, loop.node);
  for (PyValue test = loop.iterable; test; test = loop.test()) {
    machine::Truth known = machine->truth(test);
    std::optional<bool> goesOn = known == machine::Truth::True;
    if (known == machine::Truth::Failed)
      return Completion::raise();
    if (known == machine::Truth::Unknown) {
      Pred pred = conditionOf(test);
      if (!pred)
        return reportBranch(test, place) ? Completion::normal() : Completion::raise();
      goesOn = decide(pred, place, true);
    }
    if (!goesOn)
      return Completion::raise();
    if (!*goesOn)
      return loop.runElse();
    Completion ended = loop.runBody();
    if (ended.kind == Completion::Break)
      return Completion::normal();
    if (!ended.isNormal() && ended.kind != Completion::Continue)
      return ended;
  }
  return Completion::raise();
}

Answer TorchLibrary::branchValue(Branch &branch) {
  Pred pred = conditionOf(branch.condition);
  SourceLocation place = placeOf(*this, branch.frame, branch.node);
  if (!pred && !isa<python::Assert>(branch.node))
    if (mlir::Value data = dataCondition(branch.condition))
      if (Answer answer = dataBranchValue(branch, data))
        return answer;
  if (!pred && isa<python::Assert, python::IfExp>(branch.node)) {
    if (!reportBranch(branch.condition, place, isa<python::Assert>(branch.node)))
      return nullptr;
    return isa<python::Assert>(branch.node) ? machine->none() : branch.evaluate(true);
  }
  if (!pred) {
    refuseBranch(*this, branch.condition, place);
    return nullptr;
  }
  if (isa<python::Assert>(branch.node)) {
    if (!demand(pred))
      return branch.evaluate(false);
    return machine->none();
  }
  auto make = [&](Pred value) {
    return machine->make<ConditionValue>(*this, machine->builtinClass("bool"), value);
  };
  if (isa<python::UnaryOp>(branch.node))
    return make(index::notOf(pred));
  auto *both = dyn_cast<python::BoolOp>(&branch.node);
  if (both && isa<ConditionValue>(branch.condition)) {
    PyValue rest = branch.evaluate(both->op == python::BoolOperator::And);
    if (!rest)
      return nullptr;
    Pred other = conditionOf(rest);
    if (auto *known = dyn_cast<BoolObject>(rest))
      other = index::truth(solver.getContext(), known->value());
    bool isAnd = both->op == python::BoolOperator::And;
    if (other && !isa<SizeValue>(rest))
      return make(isAnd ? (pred & other) : (pred | other));
  }
  std::optional<bool> taken = decide(pred, place);
  if (!taken)
    return nullptr;
  return branch.evaluate(*taken);
}

// --- self.training -------------------------------------------------------------------------------

/// The path of a module in a tree of modules; nullopt when it is not part of it.
static std::optional<std::string> pathOf(InstanceObject *root, PyValue module, unsigned depth) {
  if (root == module)
    return "";
  if (!root->attrs)
    return std::nullopt;
  for (const Namespace::Slot &slot : root->attrs->slots) {
    auto *child = dyn_cast_if_present<InstanceObject>(slot.value);
    if (!child || depth > 64 || child->cls->library || !child->attrs)
      continue;
    if (std::optional<std::string> path = pathOf(child, module, depth + 1))
      return slot.name->text.str() + (path->empty() ? "" : "." + *path);
  }
  return std::nullopt;
}

PyValue TorchLibrary::training(PyValue module) {
  auto *self = dyn_cast<InstanceObject>(module);
  PyValue mode = self && self->attrs ? self->attrs->get(machine->intern("_training")) : nullptr;
  std::optional<bool> settled;
  if (auto *known = dyn_cast_if_present<BoolObject>(mode))
    settled = known->value();
  std::optional<std::string> path =
      self && instance ? pathOf(instance, self, 0) : std::optional<std::string>();
  // While constructors run, and for modules that train() and eval() do not reach, it is a value
  // like any other.
  if (!path || (settled && ownModes.contains(self)))
    return machine->makeBool(settled.value_or(true));
  std::optional<bool> trains = moduleTrains(module, *path, settled);
  return trains ? machine->makeBool(*trains) : nullptr;
}

PyValue TorchLibrary::setTraining(PyValue module, PyValue mode) {
  if (instance)
    ownModes.insert(cast<InstanceObject>(module));
  return machine->none();
}

std::optional<bool> TorchLibrary::moduleTrains(PyValue module, StringRef path,
                                               std::optional<bool> settled) {
  auto flagOf = [&](StringRef of) {
    std::string name = "training";
    if (!of.empty())
      name += "_" + of.str();
    std::replace(name.begin(), name.end(), '.', '_');
    Expr flag = solver.flag(name);
    if (none_of(programCase.flags, [&](auto &known) { return known.first == flag; }))
      programCase.flags.push_back({flag, of.str()});
    return flag;
  };
  std::string attribute = path.empty() ? "self.training" : ("self." + path + ".training").str();
  if (settled) {
    solver.require(index::eq(flagOf(path), *settled ? 1 : 0),
                   attribute + " must be " + (*settled ? "True" : "False") +
                       ", as it was when the module was converted: call " +
                       (*settled ? "train()" : "eval()"));
    return settled;
  }
  // The others are in the mode of the whole, which is asked of them where the whole is called.
  std::optional<bool> trains = decide(index::ne(flagOf(""), 0), userLocation());
  if (!trains || path.empty())
    return trains;
  auto &self = *cast<InstanceObject>(module);
  if (auto known = reached.find(&self); known != reached.end() && known->second.path) {
    useModule(self);
    followers.insert(&self);
  } else {
    solver.require(index::eq(flagOf(path), *trains ? 1 : 0),
                   attribute + " differs from self.training, which is not supported");
  }
  return trains;
}

} // namespace nereid::torch
