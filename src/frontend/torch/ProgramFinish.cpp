// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of an import: mutated arguments, checks, and the types written with the symbols that are
// left.
#include "frontend/torch/ProgramImport.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// In which order arguments are written to and used: see the attributes of `graph.program`.
void ProgramImport::markWrites() {
  auto placeOf = [&](const Storage *storage) {
    return find_if(arguments, [&](const Argument &a) { return a.tensor->storage == storage; }) -
           arguments.begin();
  };
  auto mark = [&](const Storage *storage, StringRef name, int64_t number) {
    if (size_t place = placeOf(storage); place < arguments.size())
      function.setArgAttr(place, name, mlir::Builder(function).getI64IntegerAttr(number));
  };
  int64_t most = 0;
  for (auto [storage, count] : library.writtenBefore) {
    // What was written to alone is no other.
    if (count == 0 || (count == 1 && library.writtenArguments.front() == storage))
      continue;
    mark(storage, "graph.written_before", count);
    most = std::max(most, count);
  }
  for (auto [number, storage] : enumerate(library.writtenArguments.getArrayRef().take_front(most)))
    mark(storage, "graph.written", number);
}

bool ProgramImport::writeAssignments(PyValue instance) {
  mlir::OpBuilder &builder = library.writer.builder;
  auto assign = [&](const Argument &argument, mlir::Value value) {
    if (value != argument.value)
      graph::AssignOp::create(builder, function.getLoc(), argument.value, value);
  };
  for (const Argument &argument : arguments)
    assign(argument, argument.tensor->storage->value);
  if (!instance)
    return true;
  for (auto [before, after] : reboundLeaves(instance)) {
    const Argument *argument =
        find_if(arguments, [&](const Argument &a) { return a.tensor == before->tensor; }).base();
    mlir::Value value = library.read(after.tensor);
    if (value.getType() != argument->value.getType()) {
      machine->refuseAt(machine->definitionOf(instance->cls),
                        "'" + before->path + "' is bound to a tensor of another type",
                        "keep the shape and dtype of a buffer");
      return false;
    }
    assign(*argument, value);
  }
  return !machine->pending();
}

/// Buffers that were bound anew, `self.running_mean = ...`: what they were, and are.
std::vector<std::pair<const ProgramImport::Leaf *, ProgramImport::Leaf>>
ProgramImport::reboundLeaves(PyValue instance) {
  std::vector<std::pair<const Leaf *, Leaf>> rebound;
  std::optional<std::vector<Leaf>> tree = treeOf(instance);
  std::optional<std::vector<Leaf>> plain = tree ? plainLeavesOf(instance) : std::nullopt;
  if (!plain)
    return rebound;
  append_range(*tree, *plain);
  for (const Leaf &before : leaves)
    for (const Leaf &after : *tree)
      if (before.path == after.path && before.tensor->storage != after.tensor->storage &&
          !isRemade(before.tensor, after.tensor))
        rebound.push_back({&before, after});
  return rebound;
}

/// Removes what nothing uses, from the end.
static void eraseDead(mlir::Block &block) {
  for (mlir::Operation &op : make_early_inc_range(reverse(block))) {
    if (mlir::isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        eraseDead(inner);
  }
}

/// `--size` of sizes that the inputs gave as numbers: what the program decided by those it decided,
/// kernels are chosen by these, unless a check forbids them.
bool ProgramImport::setTypicalSizes() {
  SizeSolver &solver = library.solver;
  SmallVector<std::pair<Expr, std::optional<int64_t>>> before;
  for (const auto &[name, value] : request.sizes) {
    Expr named = solver.getContext().symbol(name);
    if (!solver.isKnown(named) && !derived.contains(named)) {
      SmallVector<std::string> names;
      for (auto [symbol, hint] : solver.getSymbols())
        names.push_back(symbol.getName().str());
      diagnostics.error(
          SourceLocation{source->file, {0, 0}}, "--size: no size of the program is named " + name,
          names.empty() ? "all of its sizes are fixed" : "its sizes are " + join(names, ", "));
      return false;
    }
    Expr size = solver.resolve(named);
    if (derived.contains(named))
      continue;
    if (!size.isSymbol()) {
      if (solver.hint(size) != value && library.programCase.decisions.empty())
        diagnostics.warning(SourceLocation{source->file, {0, 0}},
                            "--size: " + name + " is " + size.str() + " in this program",
                            "give the sizes that are left");
      continue;
    }
    before.push_back({size, solver.hint(size)});
    solver.setHint(size, value);
  }
  auto hintOf = [&](Expr symbol) { return solver.hint(symbol); };
  bool isPossible = all_of(solver.getChecks(), [&](const SizeSolver::Check &check) {
    return index::evaluate(solver.resolve(check.pred), hintOf) != false;
  });
  if (isPossible)
    return true;
  for (auto [size, hint] : before)
    if (hint)
      solver.setHint(size, *hint);
  // A case of several is for other sizes than the others.
  if (library.programCase.decisions.empty())
    diagnostics.warning(SourceLocation{source->file, {0, 0}},
                        "--size: a check of the program does not hold for these sizes",
                        "kernels are chosen for the sizes of the inputs");
  return true;
}

void ProgramImport::finishTypes() {
  SizeSolver &solver = library.solver;
  auto retype = [&](mlir::Value value) {
    auto type = dyn_cast<graph::TensorType>(value.getType());
    if (!type)
      return;
    value.setType(type.withSizes(library.writer.sizes(value)));
  };
  function.walk([&](mlir::Operation *op) {
    auto named = dyn_cast<mlir::NameLoc>(op->getLoc());
    if (StringRef name = named ? named.getName().strref() : ""; name.consume_front(defaultNameMark))
      op->setLoc(mlir::NameLoc::get(mlir::StringAttr::get(context, name), named.getChildLoc()));
    for (mlir::Value result : op->getResults())
      retype(result);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for_each(block.getArguments(), retype);
    for (mlir::NamedAttribute attribute : op->getAttrs())
      if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue()))
        op->setAttr(attribute.getName(),
                    sym::ExprAttr::get(context, solver.resolve(expr.getExpr())));
  });
  SmallVector<mlir::NamedAttribute> hints, typical;
  for (auto [symbol, hint] : solver.getSymbols())
    if (hint) {
      hints.push_back({mlir::StringAttr::get(context, symbol.getName()),
                       library.writer.builder.getI64IntegerAttr(*hint)});
      if (!solver.givenHint(symbol))
        typical.push_back(hints.back());
    }
  function->setAttr("graph.hints", mlir::DictionaryAttr::get(context, hints));
  if (!typical.empty())
    function->setAttr("graph.typical", mlir::DictionaryAttr::get(context, typical));
}

bool ProgramImport::reportUnknowns() {
  bool found = false;
  function.walk([&](mlir::UnrealizedConversionCastOp op) {
    mlir::Location place = op.getLoc();
    SourceLocation at = SourceLocation{source->file, {0, 0}};
    if (auto named = dyn_cast<mlir::NameLoc>(place))
      place = named.getChildLoc();
    if (auto line = dyn_cast<mlir::FileLineColLoc>(place);
        line && line.getFilename() == source->file->getName()) {
      uint32_t begin = source->file->getLineStart(line.getLine()) + line.getColumn() - 1;
      at = {source->file, {begin, begin + 1}};
    }
    StringRef why = op->getAttrOfType<mlir::StringAttr>("why").getValue();
    diagnostics.error(at,
                      "the program uses the contents of torch." + why.str() +
                          "(), which are not known while converting",
                      "pass the tensor as an argument, or draw it in the program");
    found = true;
  });
  return found;
}

/// Says which sizes have their typical values for good, and what of the program asked for that.
void ProgramImport::noteFixedSizes() {
  SmallVector<Expr> told;
  SmallVector<mlir::Attribute> fixed;
  mlir::OpBuilder &builder = library.writer.builder;
  for (const TorchLibrary::FixedSize &each : library.fixedSizes) {
    std::optional<int64_t> value = library.solver.resolve(each.size).getConstant();
    if (!value || is_contained(told, each.size))
      continue;
    told.push_back(each.size);
    std::string text = each.size.str() + "=" + std::to_string(*value) + " (";
    if (const SourceFile *file = each.place.file)
      text +=
          (file->getName() + ":" + Twine(file->getLineColumn(each.place.range.begin).line) + ": ")
              .str();
    text += each.reason + ")";
    fixed.push_back(builder.getStringAttr(text));
  }
  if (!fixed.empty())
    function->setAttr("graph.fixed", builder.getArrayAttr(fixed));
}

/// `model.py:7`; empty for no place.
static std::string spellPlace(SourceLocation place) {
  if (!place.file)
    return "";
  return (place.file->getName() + ":" + Twine(place.file->getLineColumn(place.range.begin).line))
      .str();
}

/// Says which sizes that the user named became one, and what of the program asked for that.
void ProgramImport::noteMergedSizes() {
  SmallVector<mlir::Attribute> merged;
  SmallVector<Expr> told;
  for (const TorchLibrary::MergedSize &each : library.mergedSizes) {
    Expr by = library.solver.resolve(each.size);
    if (by == each.size || is_contained(told, each.size) || !is_contained(namedSizes, each.size) ||
        !is_contained(namedSizes, by))
      continue;
    told.push_back(each.size);
    merged.push_back(library.writer.builder.getStringAttr(each.size.str() + "=" + by.str() + " (" +
                                                          spellPlace(each.place) + ")"));
  }
  if (!merged.empty())
    function->setAttr("graph.merged", library.writer.builder.getArrayAttr(merged));
}

/// Whether a number divides what another, or a multiple of it, divides a factor of.
static bool followsFrom(Pred pred, Pred other) {
  if (pred == other || pred.getKind() != index::PredKind::Divisible ||
      other.getKind() != index::PredKind::Divisible)
    return false;
  Expr factor = other.getExpr(), rest = index::floordiv(pred.getExpr(), factor);
  Expr times = index::floordiv(other.getDivisor(), pred.getDivisor());
  return rest * factor == pred.getExpr() && times * pred.getDivisor() == other.getDivisor();
}

bool ProgramImport::writeChecks() {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&function.front());
  SmallVector<Pred> needed;
  for (const SizeSolver::Check &check : library.solver.getChecks())
    needed.push_back(library.solver.resolve(check.pred));
  for (auto [place, check] : enumerate(library.solver.getChecks())) {
    Pred pred = needed[place];
    bool isSaid = is_contained(ArrayRef(needed).take_front(place), pred) ||
                  any_of(needed, [&](Pred other) { return followsFrom(pred, other); });
    if (pred.isTrue() || isSaid)
      continue;
    if (pred.isFalse()) {
      diagnostics.error(SourceLocation{source->file, {0, 0}},
                        "the sizes do not fit: " + check.message);
      return false;
    }
    graph::CheckOp::create(builder, function.getLoc(), sym::PredAttr::get(context, pred),
                           builder.getStringAttr(check.message));
  }
  return true;
}

/// Makes the seed of what the program draws an argument, last and by keyword only. It is a tensor:
/// a number of the host would be part of a captured graph, and every replay would repeat it.
void ProgramImport::finishSeed() {
  mlir::Value seed = library.seedArgument;
  if (!seed)
    return;
  mlir::Block &block = function.front();
  if (seed.use_empty())
    return block.eraseArgument(cast<mlir::BlockArgument>(seed).getArgNumber());
  mlir::OpBuilder &builder = library.writer.builder;
  SmallVector<mlir::Attribute> signature(
      function->getAttrOfType<mlir::ArrayAttr>("graph.signature").getValue());
  auto isTaken = [&](StringRef name) {
    return any_of(signature,
                  [&](mlir::Attribute parameter) {
                    StringRef text = cast<mlir::StringAttr>(parameter).getValue();
                    return text.take_until([](char c) { return c == '='; }) == name;
                  }) ||
           any_of(arguments, [&](const Argument &each) { return each.name == name; });
  };
  std::string name = "seed";
  while (isTaken(name))
    name = "random_" + name;
  bool byKeyword = any_of(signature, [](mlir::Attribute parameter) {
    return cast<mlir::StringAttr>(parameter).getValue().starts_with("*");
  });
  if (!byKeyword)
    signature.push_back(builder.getStringAttr("*"));
  signature.push_back(builder.getStringAttr(name + "=None"));
  function->setAttr("graph.signature", builder.getArrayAttr(signature));
  mlir::NamedAttrList attributes;
  attributes.set("graph.name", builder.getStringAttr(name));
  attributes.set("graph.seed", builder.getUnitAttr());
  arguments.push_back(
      {library.wrapNumber(seed), seed, name, std::move(attributes), seed.getType()});
}

bool ProgramImport::finish(PyValue result, PyValue instance) {
  Results returned;
  for (Argument &each : arguments)
    if (library.ungraded.contains(each.value))
      each.attributes.set("graph.frozen", mlir::UnitAttr::get(context));
  if (instance)
    for (auto [before, after] : reboundLeaves(instance))
      overwritten.insert(before->tensor->storage);
  std::optional<std::string> text = resultText(result, returned);
  auto isFloating = [](mlir::Value value) {
    return isa<mlir::FloatType>(cast<graph::TensorType>(value.getType()).getElementType());
  };
  if (text && request.gradients && none_of(returned.values, isFloating)) {
    // Something has to have the gradient.
    sharesResults = false;
    returned = {};
    text = resultText(result, returned);
  }
  std::vector<std::pair<std::string, std::string>> stored;
  for (auto &[target, value] : stores) {
    std::optional<std::string> item = resultText(value, returned);
    if (!item)
      return false;
    stored.push_back({target, *item});
  }
  if (!text || !writeAssignments(instance))
    return false;
  mlir::OpBuilder &builder = library.writer.builder;
  auto exit = mlir::func::ReturnOp::create(builder, function.getLoc(), returned.values);
  function->setAttr("graph.result", builder.getStringAttr(*text));
  if (!stored.empty())
    function->setAttr("graph.stores", pairsAttr(builder, stored));
  SmallVector<StringRef> lists;
  for (auto &[object, access] : containers)
    if (isa<ListObject>(object))
      lists.push_back(access);
  sort(lists);
  if (!lists.empty())
    function->setAttr("graph.lists", builder.getStrArrayAttr(lists));
  if (!definitions.empty())
    function->setAttr("graph.definitions", builder.getStringAttr(definitions));
  if (!records.empty())
    function->setAttr("graph.records", pairsAttr(builder, records));
  eraseDead(function.front());
  if (reportUnknowns())
    return false;
  liftNumbers();
  writeRelied();
  finishSeed();
  noteFixedSizes();
  noteMergedSizes();
  if (request.marksScopes)
    function->setAttr("graph.scopes", library.scopes.list(context));
  if (!setTypicalSizes())
    return false;
  finishTypes();
  mlir::ValueRange results = exit.getOperands();
  SmallVector<mlir::Type> resultTypes(results.getTypes());
  function.setType(
      mlir::FunctionType::get(context, function.front().getArgumentTypes(), resultTypes));
  for (auto [value, symbol] : library.givenNumbers)
    if (library.solver.isGiven(symbol))
      arguments[cast<mlir::BlockArgument>(value).getArgNumber()].attributes.set(
          "graph.symbol", mlir::StringAttr::get(context, symbol.getName()));
  for (auto [place, argument] : enumerate(arguments))
    function.setArgAttrs(place, argument.attributes);
  // Of equal elements, but not of the same memory.
  for (size_t place = 0; place < results.size(); ++place)
    for (size_t other = 0; other < place; ++other)
      if (results[other] == results[place] &&
          returned.tensors[other]->storage != returned.tensors[place]->storage)
        function.setResultAttr(place, "graph.copied", builder.getUnitAttr());
  for (auto [argument, operation] : library.rowMajorArguments)
    function.setArgAttr(argument.getArgNumber(), "graph.row_major",
                        builder.getStringAttr(operation));
  for (ProgramCase::Layout &layout : library.programCase.layouts)
    for (mlir::BlockArgument argument :
         layout.arguments.value_or(SmallVector<mlir::BlockArgument>()))
      layout.places.push_back(argument.getArgNumber());
  markWrites();
  if (!writeChecks())
    return false;
  mlir::IRRewriter rewriter(context);
  mlir::DominanceInfo dominance;
  mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
  eraseDead(function.front());
  if (mlir::failed(mlir::verify(function))) {
    diagnostics.error(SourceLocation{source->file, {0, 0}}, "the graph of the program is not valid",
                      "this is a defect of nereid; please report the program");
    return false;
  }
  return true;
}

} // namespace nereid::torch
