// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Uses.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

std::vector<const python::Arg *> getParameters(const python::Arguments &arguments) {
  std::vector<const python::Arg *> result;
  for (auto list : {arguments.posonlyargs, arguments.args, arguments.kwonlyargs})
    result.insert(result.end(), list.begin(), list.end());
  return result;
}

bool isConstexpr(const triton::JitFunction &function, StringRef name) {
  return any_of(getParameters(*function.def->args), [&](const python::Arg *arg) {
    return arg->arg == name && arg->annotation &&
           function.file->getText(*arg->annotation).contains("constexpr");
  });
}

void ParameterUse::add(const ParameterUse &other) {
  for (auto flag : {&ParameterUse::isPointer, &ParameterUse::isDescriptor, &ParameterUse::isInteger,
                    &ParameterUse::isFloat, &ParameterUse::isSize, &ParameterUse::isAxis,
                    &ParameterUse::isCount, &ParameterUse::isCondition, &ParameterUse::isBit,
                    &ParameterUse::isDtype, &ParameterUse::isNarrow, &ParameterUse::isIntegers,
                    &ParameterUse::isText, &ParameterUse::isOptional, &ParameterUse::isTuple})
    this->*flag |= other.*flag;
  pointee = std::max(pointee, other.pointee);
  tileRank = std::max(tileRank, other.tileRank);
  descriptorRank = std::max(descriptorRank, other.descriptorRank);
  pointees.insert(other.pointees.begin(), other.pointees.end());
  compared.insert(other.compared.begin(), other.compared.end());
  comparedWithin.insert(other.comparedWithin.begin(), other.comparedWithin.end());
  if (!place)
    place = other.place;
  if (names.size() < other.names.size())
    names = other.names;
  items.resize(std::max(items.size(), other.items.size()));
  each.resize(std::max(each.size(), other.each.size()));
  for (auto [own, item] : zip(items, other.items))
    own.add(item);
  for (auto [own, item] : zip(each, other.each))
    own.add(item);
}

ParameterUse ParameterUse::getItem(unsigned number) const {
  ParameterUse result;
  result.isConstexpr = isConstexpr;
  if (number < items.size())
    result.add(items[number]);
  if (!each.empty())
    result.add(each.front());
  if (!result.place)
    result.place = place;
  return result;
}

ParameterUse ParameterUse::getField(StringRef name) const {
  auto found = find(names, name);
  unsigned number = found - names.begin();
  return getItem(found == names.end() ? items.size() : number);
}

namespace {

/// Collects the assignments and results of a function; those of functions within it are not its
/// own.
class DefinitionReader {
public:
  explicit DefinitionReader(FunctionUses &uses) : uses(uses) {}

  void visit(const python::Node &node) {
    if (auto *assign = dyn_cast<python::Assign>(&node)) {
      for (const python::Expr *target : assign->targets)
        define(*target, {assign->value, -1, false});
    } else if (auto *assign = dyn_cast<python::AnnAssign>(&node)) {
      if (assign->value)
        define(*assign->target, {assign->value, -1, false});
    } else if (auto *assign = dyn_cast<python::NamedExpr>(&node)) {
      define(*assign->target, {assign->value, -1, false});
    } else if (auto *loop = dyn_cast<python::For>(&node)) {
      define(*loop->target, {loop->iter, -1, true});
    } else if (auto *result = dyn_cast<python::Return>(&node); result && result->value) {
      uses.returns.push_back(result->value);
    }
    python::forEachChild(node, [&](const python::Node &child) {
      if (!isa<python::FunctionDef, python::ClassDef, python::Lambda>(child))
        visit(child);
    });
  }

private:
  void define(const python::Expr &target, Definition definition) {
    if (auto *name = dyn_cast<python::Name>(&target)) {
      uses.definitions[name->id].push_back(definition);
      return;
    }
    auto *targets = dyn_cast<python::Tuple>(&target);
    auto *values = dyn_cast<python::Tuple>(definition.value);
    if (!targets)
      return;
    for (auto [index, item] : enumerate(targets->elts)) {
      bool isPaired = values && values->elts.size() == targets->elts.size();
      define(*item, isPaired ? Definition{values->elts[index], -1, false}
                             : Definition{definition.value, int(index), definition.isLoopIndex});
    }
  }

  FunctionUses &uses;
};

} // namespace

void Uses::read(triton::JitFunction &function) {
  auto uses = std::make_unique<FunctionUses>();
  uses->function = &function;
  for (const python::Arg *arg : getParameters(*function.def->args)) {
    ParameterUse &use = uses->parameters[arg->arg];
    use.isConstexpr =
        arg->annotation && function.file->getText(*arg->annotation).contains("constexpr");
  }
  DefinitionReader reader(*uses);
  for (const python::Stmt *stmt : function.def->body)
    reader.visit(*stmt);
  all[&function] = std::move(uses);
}

void Uses::add(ArrayRef<triton::JitFunction *> functions) {
  std::vector<triton::JitFunction *> pending(functions.begin(), functions.end());
  std::vector<FunctionUses *> added;
  methods.clear();
  while (!pending.empty()) {
    triton::JitFunction *function = pending.back();
    pending.pop_back();
    if (all.count(function))
      continue;
    read(*function);
    FunctionUses &uses = *find(function);
    added.push_back(&uses);
    UseFlow(*this, uses).findCallees();
    pending.insert(pending.end(), uses.callees.begin(), uses.callees.end());
  }
  // What is learned of one parameter tells of others, in the callers too: a few rounds reach the
  // end of every chain that was seen, and a longer one only makes a worse guess.
  constexpr unsigned mostRounds = 6;
  bool changed = true;
  for (unsigned round = 0; changed && round < mostRounds; ++round) {
    changed = false;
    for (FunctionUses *uses : added)
      changed |= UseFlow(*this, *uses).run();
  }
}

FunctionUses *Uses::find(const triton::JitFunction *function) {
  auto *it = all.find(function);
  return it == all.end() ? nullptr : it->second.get();
}

triton::JitFunction *Uses::getCallee(const FunctionUses &caller, const python::Expr &callee) {
  auto [place, isNew] = callees.try_emplace(&callee, nullptr);
  if (isNew) {
    auto *name = dyn_cast<python::Name>(&callee);
    bool isLocal = name && caller.definitions.count(name->id);
    place->second = isLocal ? nullptr : project.resolve(*caller.function, callee);
  }
  return place->second;
}

ArrayRef<std::string> Uses::getFields(const FunctionUses &caller, const python::Expr &callee) {
  if (!isa<python::Name, python::Attribute>(callee))
    return {};
  auto [place, isNew] = fields.try_emplace(&callee);
  if (isNew)
    place->second = project.getFields(*caller.function->file, callee);
  return place->second;
}

ArrayRef<FunctionUses *> Uses::getMethods(const FunctionUses &caller, const python::Expr &callee) {
  auto *name = dyn_cast<python::Name>(&callee);
  if (!name)
    return {};
  auto [place, isNew] =
      methods.try_emplace({caller.function->file, name->id.str()}, std::vector<FunctionUses *>());
  if (isNew)
    for (const auto &[function, uses] : all)
      if (function->file == caller.function->file && function->owner == name->id)
        place->second.push_back(uses.get());
  return place->second;
}

std::string Uses::constantOf(const triton::JitFunction &function, const python::Expr &name) {
  if (!isa<python::Name, python::Attribute>(name))
    return "";
  auto [known, isNew] = constants.try_emplace(&name);
  if (isNew)
    if (auto text = project.evaluate(function, function.file->getText(name)))
      if (isDigit(text->front()) || text->front() == '\'')
        known->second = *text;
  return known->second;
}

} // namespace nereid::audit
