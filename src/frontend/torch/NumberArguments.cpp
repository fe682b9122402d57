// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live numbers at the end of an import: those that data meets become arguments of the program,
// which the caller's side computes (`graph.access`), and what the program relied on is written down
// for it to compare.
#include "frontend/torch/ProgramImport.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

void ProgramImport::addDefaults(FunctionObject &callee, const std::vector<InputSpec> &inputs,
                                bool isMethod,
                                SmallVectorImpl<std::pair<machine::Name, PyValue>> &keywords) {
  const python::Arguments *args = callee.code->args;
  if (!args)
    return;
  auto add = [&](StringRef name, PyValue fallback) {
    bool isGiven = any_of(inputs, [&](const InputSpec &input) { return input.key == name; });
    if (!isGiven && isa_and_present<FloatObject>(fallback))
      keywords.push_back({machine->intern(name), library.liveNumber(name.str(), fallback)});
  };
  size_t plain = args->posonlyargs.size() + args->args.size() - callee.defaults.size();
  for (auto [place, arg] : enumerate(args->args))
    if (size_t at = place + args->posonlyargs.size(); at >= plain)
      add(arg->arg, callee.defaults[at - plain]);
  for (const auto &[name, fallback] : callee.keywordDefaults)
    add(name->text, fallback);
}

// --- Out of bodies -------------------------------------------------------------------------------

/// The numbers that the regions of an operation read, by what they are and their types.
using Numbers = MapVector<std::pair<mlir::Attribute, mlir::Type>, SmallVector<graph::NumberOp>>;

static Numbers numbersIn(mlir::Operation *op) {
  Numbers numbers;
  for (mlir::Region &region : op->getRegions())
    region.walk([&](graph::NumberOp number) {
      numbers[{number.getAccessAttr(), number.getType()}].push_back(number);
    });
  return numbers;
}

static void replaceIn(mlir::Region &region, ArrayRef<graph::NumberOp> numbers, mlir::Value by) {
  for (graph::NumberOp number : numbers)
    if (region.isAncestor(number->getParentRegion()))
      number.replaceAllUsesWith(by);
}

/// The number becomes the last operand; nothing depends on its gradient.
static void liftOut(graph::CompositeOp op, GraphWriter &writer) {
  mlir::OpBuilder &builder = writer.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  for (auto &[key, numbers] : numbersIn(op)) {
    builder.setInsertionPoint(op);
    mlir::Value outer = builder.clone(*numbers.front())->getResult(0);
    mlir::Region &body = op.getBody(), &gradient = op.getGradient();
    replaceIn(body, numbers, body.addArgument(outer.getType(), outer.getLoc()));
    if (!gradient.empty()) {
      unsigned place = gradient.getNumArguments() - op.getNumResults();
      replaceIn(gradient, numbers, gradient.insertArgument(place, outer.getType(), outer.getLoc()));
      mlir::Operation *end = gradient.front().getTerminator();
      builder.setInsertionPoint(end);
      end->insertOperands(end->getNumOperands(), {writer.number(writer.dtype(outer), 0)});
    }
    op.getOperandsMutable().append(outer);
    for (graph::NumberOp number : numbers)
      number.erase();
  }
}

static void liftOut(graph::LoopOp op, GraphWriter &writer) {
  mlir::OpBuilder::InsertionGuard guard(writer.builder);
  for (auto &[key, numbers] : numbersIn(op)) {
    writer.builder.setInsertionPoint(op);
    mlir::Value outer = writer.builder.clone(*numbers.front())->getResult(0);
    replaceIn(op.getBody(), numbers, op.getBody().addArgument(outer.getType(), outer.getLoc()));
    op.getConstantsMutable().append(outer);
    for (graph::NumberOp number : numbers)
      number.erase();
  }
}

void ProgramImport::liftNumbers() {
  function.walk([&](mlir::Operation *op) {
    if (auto composite = dyn_cast<graph::CompositeOp>(op))
      liftOut(composite, library.writer);
    if (auto loop = dyn_cast<graph::LoopOp>(op))
      liftOut(loop, library.writer);
  });
  auto isTaken = [&](StringRef name) {
    return any_of(arguments, [&](const Argument &each) { return each.name == name; });
  };
  for (auto &[key, numbers] : numbersIn(function)) {
    graph::NumberOp first = numbers.front();
    std::string text = first.getAccess().str(), name = first.getName().str();
    for (unsigned number = 2; isTaken(name); ++number)
      name = (first.getName() + std::to_string(number)).str();
    mlir::NamedAttrList attributes;
    attributes.set("graph.scalar", mlir::UnitAttr::get(context));
    attributes.set("graph.live", first.getValueAttr());
    mlir::Value value =
        addArgument({}, library.writer.dtype(first), {name, text}, std::move(attributes))
            ->storage->value;
    for (graph::NumberOp number : numbers) {
      number.replaceAllUsesWith(value);
      number.erase();
    }
  }
}

// --- What conversion relied on -------------------------------------------------------------------

/// How many hooks the constructor gave to a module.
int64_t ProgramImport::hooksOf(const InstanceObject &module) {
  PyValue hooks = module.attrs ? module.attrs->get(machine->intern("_hooks")) : nullptr;
  int64_t count = 0;
  if (auto *table = dyn_cast_if_present<DictObject>(hooks))
    for (const HashTable::Entry &entry : table->table.entries)
      if (auto *list = entry.key ? dyn_cast<ListObject>(entry.value) : nullptr)
        count += list->items.size();
  return count;
}

void ProgramImport::writeRelied() {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  mlir::OpBuilder &builder = library.writer.builder;
  llvm::MapVector<const InstanceObject *, Pairs> attributes;
  for (const InstanceObject *module : library.usedModules)
    attributes[module] = {};
  for (const auto &[access, value] : library.relied) {
    std::optional<std::string> text = literalText(value);
    if (isa<ComplexObject, BytesObject, RangeObject, SliceObject>(value))
      text = machine->repr(value);
    if (!text)
      continue;
    auto [owner, attribute] = StringRef(access).rsplit('.');
    auto *module = find_if(library.usedModules, [&, owner = owner](const InstanceObject *each) {
      return library.reached.at(each).access == owner;
    });
    bool isPlain =
        !attribute.empty() && all_of(attribute, [](char c) { return isAlnum(c) || c == '_'; });
    if (isPlain && module != library.usedModules.end())
      attributes[*module].push_back({attribute.str(), *text});
    else
      known.push_back({access, *text});
  }
  function->setAttr("graph.known", pairsAttr(builder, known));
  SmallVector<mlir::Attribute> rows;
  for (auto &[module, pairs] : attributes) {
    if (library.followers.contains(module))
      pairs.push_back({"training", "self.training"});
    const std::string &path = *library.reached.at(module).path;
    if (!path.empty() || !pairs.empty())
      rows.push_back(builder.getArrayAttr(
          {builder.getStringAttr(path), builder.getStringAttr(module->cls->name),
           pairsAttr(builder, pairs), builder.getI64IntegerAttr(hooksOf(*module))}));
  }
  if (!rows.empty())
    function->setAttr("graph.modules", builder.getArrayAttr(rows));
  if (!shared.empty())
    function->setAttr("graph.shared", pairsAttr(builder, shared));
  if (!library.constants.empty())
    function->setAttr("graph.constants", pairsAttr(builder, library.constants));
  // The numbers that are parameters of the call.
  std::vector<std::pair<std::string, std::string>> numbers;
  for (const NumberRoot *root : library.getRoots())
    if (!StringRef(root->access).starts_with("self."))
      numbers.push_back({root->access, *literalText(root->value)});
  if (!numbers.empty())
    function->setAttr("graph.numbers", pairsAttr(builder, numbers));
}

} // namespace nereid::torch
