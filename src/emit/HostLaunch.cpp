// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: the grid, the meta-parameters and options, and the guards around them.
#include "emit/HostPrinter.h"
#include "emit/KernelTraits.h"
#include "emit/ScaleLaunches.h"
#include "emit/Spelling.h"
#include "tile/Instance.h"

using namespace mlir;

namespace nereid::emit {

static func::FuncOp getKernel(host::LaunchOp op) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getKernelAttr());
}

static llvm::ArrayRef<Attribute> getConfigs(func::FuncOp kernel) {
  auto configs = kernel->getAttrOfType<ArrayAttr>(tile::configsAttrName);
  return configs ? configs.getValue() : llvm::ArrayRef<Attribute>();
}

/// What must be positive for an extent of the grid to be: `a` of `cdiv(a, b)`, factors of a
/// product. Sizes are not negative. Blocks are 1 here: what is divided by are lengths of windows.
static void collectPositive(index::Expr expr, llvm::SmallVectorImpl<index::Expr> &parts) {
  auto isSize = [](const index::Term &term) {
    return term.coefficient > 0 && term.monomial.isSymbol();
  };
  if (expr.isConstant() || (expr.getConstantTerm() > 0 && llvm::all_of(expr.getTerms(), isSize)))
    return;
  if (expr.getKind() == index::ExprKind::FloorDiv) {
    index::Expr dividend = expr.getOperands()[0], divisor = expr.getOperands()[1];
    index::Expr count = dividend - divisor + 1;
    if (index::ceildiv(count, divisor) == expr && !index::contains(count, divisor))
      return collectPositive(count, parts);
  }
  if (expr.getKind() == index::ExprKind::Product) {
    for (const index::Factor &factor : expr.getFactors())
      collectPositive(factor.atom, parts);
    return;
  }
  // `cdiv(a + 1, b)` is kept as `a // b + 1`.
  auto terms = expr.getTerms();
  if (terms.size() == 1 && terms[0].coefficient > 1 && expr.getConstantTerm() == 0)
    return collectPositive(terms[0].monomial, parts);
  if (terms.size() == 1 && terms[0].coefficient == 1 && expr.getConstantTerm() == 1 &&
      terms[0].monomial.getKind() == index::ExprKind::FloorDiv)
    return collectPositive(terms[0].monomial.getOperands()[0] + 1, parts);
  if (!llvm::is_contained(parts, expr))
    parts.push_back(expr);
}

/// Whether one of these results is asked for: `needs[0] or any(needs[2:5])`; null for none.
static Code anyNeeded(llvm::ArrayRef<unsigned> results) {
  Code any;
  for (size_t begin = 0, end = 0; begin < results.size(); begin = end) {
    for (end = begin + 1; end < results.size() && results[end] == results[end - 1] + 1;)
      ++end;
    std::string first = std::to_string(results[begin]), last = std::to_string(results[end - 1] + 1);
    if (end - begin < 3)
      end = begin + 1;
    Code part = end - begin < 3
                    ? Code::text("needs[" + first + "]")
                    : Code::text("any(needs[" + (first == "0" ? "" : first) + ":" + last + "])");
    any = any ? Code::binary("or", Binding::Or, any, part) : part;
  }
  return any;
}

/// Whether one of these wishes is there; null for none.
Code HostPrinter::getWish(llvm::ArrayRef<unsigned> wishes) {
  if (!savesIfAsked())
    return anyNeeded(wishes);
  return wishes.empty() ? Code() : Code::text("saves");
}

/// The condition under which the grid has a program that something needs; null when it always has.
Code HostPrinter::getGuard(host::LaunchOp op) {
  // A count of blocks is positive for every size of a block or for none.
  index::Context &context = sym::SymDialect::getIndexContext(op.getContext());
  llvm::DenseMap<index::Expr, index::Expr> ones;
  for (llvm::StringRef name : tile::getMetaNames(getKernel(op)))
    ones[context.symbol(name)] = context.constant(1);
  llvm::SmallVector<index::Expr> positive;
  for (Attribute extent : op.getGrid())
    collectPositive(index::substitute(cast<sym::ExprAttr>(extent).getExpr(), ones), positive);
  Code guard;
  if (needs && needs->areSelective())
    guard = getWish(needs->getResults(op));
  if (findsScalesAlone(op)) {
    Code halves =
        Code::binary("==", Binding::Compare, Code::text(precision), Code::text("\"tf32\""));
    guard = guard ? Code::binary("and", Binding::And, guard, halves) : halves;
  }
  for (index::Expr expr : positive) {
    // N - 127 > 0 is N >= 128.
    int64_t least = 1 - std::min<int64_t>(expr.getConstantTerm(), 0);
    Code size = getExpr(expr - (1 - least));
    Code part =
        least <= 2
            ? Code::binary(">", Binding::Compare, size, Code::text(std::to_string(least - 1)))
            : Code::binary(">=", Binding::Compare, size, Code::text(std::to_string(least)));
    guard = guard ? Code::binary("and", Binding::And, guard, part) : part;
  }
  return guard;
}

Code HostPrinter::getMeta(host::LaunchOp op, llvm::StringRef name) {
  if (auto known = blocks.find({op, name.str()}); known != blocks.end())
    return Code::text(known->second);
  Attribute value = op.getMeta().get(name);
  if (auto expr = dyn_cast_if_present<sym::ExprAttr>(value))
    return getExpr(expr.getExpr());
  if (auto condition = dyn_cast_if_present<sym::PredAttr>(value))
    return getPred(condition.getPred());
  if (!value)
    value = cast<tile::ConfigAttr>(getConfigs(getKernel(op))[0]).getValues().get(name);
  return Code::text(spellNumber(value));
}

/// An extent of a grid as a product again, which sums of products hide: `a * (63 // b) + a` is
/// `a * (63 // b + 1)`. Counts of blocks come last.
Code HostPrinter::getExtent(index::Expr expr) {
  index::Factored factored = index::factor(expr);
  llvm::SmallVector<index::Expr, 4> factors = factored.factors;
  if (factored.content != 1 || factors.empty())
    factors.insert(factors.begin(), expr.getContext().constant(factored.content));
  auto rank = [](index::Expr factor) {
    return factor.isConstant() ? 0 : factor.isSymbol() ? 1 : 2;
  };
  llvm::stable_sort(factors, [&](index::Expr a, index::Expr b) { return rank(a) < rank(b); });
  Code product;
  for (index::Expr factor : factors) {
    index::Expr blocks = factor - 1;
    Code code;
    if (blocks.getKind() == index::ExprKind::FloorDiv && blocks.getOperands()[0].isConstant())
      code = Code::call("_cdiv",
                        {getExpr(blocks.getOperands()[0] + 1), getExpr(blocks.getOperands()[1])});
    else
      code = getExpr(factor);
    product = product ? Code::binary("*", Binding::Multiply, product, code) : code;
  }
  return product;
}

Code HostPrinter::getGrid(host::LaunchOp op, bool isTuned) {
  llvm::SmallVector<Code> extents;
  func::FuncOp kernel = getKernel(op);
  index::Context &context = sym::SymDialect::getIndexContext(op.getContext());
  llvm::DenseMap<index::Expr, index::Expr> numbers;
  for (llvm::StringRef name : tile::getMetaNames(kernel)) {
    bool isGiven = op.getMeta().contains(name);
    meta[name] = isTuned && !isGiven ? "meta[\"" + name.str() + "\"]" : getMeta(op, name).str();
    int64_t number = 0;
    if (!llvm::StringRef(meta[name]).getAsInteger(10, number))
      numbers[context.symbol(name)] = context.constant(number);
  }
  for (Attribute extent : op.getGrid()) {
    index::Expr expr = cast<sym::ExprAttr>(extent).getExpr();
    index::Expr known = index::substitute(expr, numbers);
    extents.push_back(getExtent(known.isConstant() ? known : expr));
  }
  meta.clear();
  return Code::tuple(extents);
}

/// A block that the wrapper computes has a name where the grid needs it too.
void HostPrinter::nameBlocks(host::LaunchOp op) {
  index::Context &context = sym::SymDialect::getIndexContext(op.getContext());
  for (NamedAttribute entry : op.getMeta()) {
    auto expr = dyn_cast<sym::ExprAttr>(entry.getValue());
    index::Expr symbol = context.symbol(entry.getName());
    bool isInGrid = llvm::any_of(op.getGrid(), [&](Attribute extent) {
      return index::contains(cast<sym::ExprAttr>(extent).getExpr(), symbol);
    });
    if (!expr || expr.getExpr().isConstant() || !isInGrid)
      continue;
    std::string name = names.take(entry.getName().getValue().lower());
    writer.statement(name + " = ", getExpr(expr.getExpr()));
    blocks[{op, entry.getName().str()}] = name;
  }
}

/// `_blocks(M * N)`: a grid of a program for each block of a tuned size; null for another.
Code HostPrinter::getBlocks(host::LaunchOp op) {
  if (op.getGrid().size() != 1)
    return {};
  index::Context &context = sym::SymDialect::getIndexContext(op.getContext());
  index::Expr extent = cast<sym::ExprAttr>(op.getGrid()[0]).getExpr();
  for (llvm::StringRef name : tile::getMetaNames(getKernel(op))) {
    index::Expr block = context.symbol(name);
    // `cdiv(a + 1, b)` is kept as `a // b + 1`.
    for (int64_t less : {0, 1}) {
      index::Expr quotient = extent - less;
      if (quotient.getKind() != index::ExprKind::FloorDiv || quotient.getOperands()[1] != block)
        continue;
      index::Expr dividend = quotient.getOperands()[0];
      index::Expr count = less ? dividend + 1 : dividend - block + 1;
      bool namesMeta = llvm::any_of(tile::getMetaNames(getKernel(op)), [&](llvm::StringRef other) {
        return index::contains(count, context.symbol(other));
      });
      if (namesMeta || index::ceildiv(count, block) != extent)
        continue;
      llvm::SmallVector<Code> arguments = {getExpr(count)};
      if (name != "BLOCK")
        arguments.push_back(Code::text(quote(name)));
      return Code::call("_blocks", arguments);
    }
  }
  return {};
}

/// The text of a launch's grid; what is long, or depends on the tuned configuration, gets a name
/// first.
std::string HostPrinter::printGrid(host::LaunchOp op) {
  nameBlocks(op);
  Code grid = getGrid(op, getConfigs(getKernel(op)).size() > 1);
  if (llvm::StringRef(grid.str()).contains("meta["))
    if (Code blocks = getBlocks(op))
      grid = blocks;
  std::string text = grid.str();
  if (llvm::StringRef(text).contains("meta[")) {
    std::string name = names.take("grid");
    llvm::StringRef before = writer.str();
    if (!before.ends_with("\n\n"))
      writer.line("");
    writer.line("def " + name + "(meta):");
    writer.indent();
    writer.statement("return ", grid);
    writer.dedent();
    writer.line("");
    return name;
  }
  // In its place the launch stands up to two steps deeper, and its head must fit there.
  size_t head = writer.getIndent() + 8 + op.getKernel().size() + text.size() + sizeof("[](") - 1;
  bool isNamed = op->hasAttr(host::inTurnsAttrName);
  if (text.size() <= 30 && head <= lineWidth && !isNamed)
    return text;
  std::string name = names.take("grid");
  writer.statement(name + " = ", grid);
  return name;
}

/// The arguments of a kernel. All strides of a tensor in a row are one argument.
llvm::SmallVector<Code> HostPrinter::getArguments(host::LaunchOp op) {
  llvm::SmallVector<Code> arguments;
  func::FuncOp kernel = getKernel(op);
  for (auto [place, value] : llvm::enumerate(op.getArguments())) {
    Code argument = get(value);
    if (needs && !(savesIfAsked() && needs->mayBeAbsent(value)))
      if (Code asked = getWish(needs->getResults(op, place)))
        argument = Code::conditional(argument, asked, Code::text("None"));
    arguments.push_back(opensGroup(kernel, place) ? argument.onNewLine() : argument);
    auto last = strides.find(argument.str());
    if (last == strides.end() || last->second.rank < 2 ||
        last->second.dim + 1 != last->second.rank || arguments.size() < last->second.rank)
      continue;
    auto [tensor, dim, rank] = last->second;
    bool isWhole = true;
    for (unsigned i = 0; i < rank; ++i) {
      auto stride = strides.find(arguments[arguments.size() - rank + i].str());
      isWhole &=
          stride != strides.end() && stride->second.tensor == tensor && stride->second.dim == i;
    }
    if (!isWhole)
      continue;
    bool isOnNewLine = arguments[arguments.size() - rank].isOnNewLine();
    arguments.truncate(arguments.size() - rank);
    Code all = Code::text("*" + tensor + ".stride()");
    arguments.push_back(isOnNewLine ? all.onNewLine() : all);
  }
  return arguments;
}

void HostPrinter::printLaunch(host::LaunchOp op, llvm::StringRef grid) {
  func::FuncOp kernel = getKernel(op);
  bool isTuned = getConfigs(kernel).size() > 1;
  llvm::SmallVector<Code> arguments = getArguments(op);
  bool isInTurns = op->hasAttr(host::inTurnsAttrName);
  std::string waits = "True";
  if (isInTurns) {
    // Its last arguments are a range of turns. Programs wait for one another between two.
    Code count = get(op.getArguments().back());
    std::string first = names.take("first"), stop = names.take("stop");
    arguments.truncate(arguments.size() - 2);
    arguments.push_back(Code::text(first));
    arguments.push_back(Code::text(stop));
    waits = stop + " - " + first + " > 1";
    writer.statement("for " + first + ", " + stop + " in ",
                     Code::call("_turns", {count, Code::text(grid.str())}), ":");
    writer.indent();
  }
  for (llvm::StringRef name : tile::getMetaNames(kernel))
    if (!isTuned || op.getMeta().contains(name))
      arguments.push_back(Code::keyword(name, getMeta(op, name)));
  if (takesPrecision(kernel))
    arguments.push_back(Code::keyword(precisionName, Code::text(precision)));
  auto sizes = op->getAttrOfType<DictionaryAttr>(tile::tunedForAttrName);
  for (llvm::StringRef name : tile::getTunedFor(kernel))
    arguments.push_back(
        Code::keyword(name, getExpr(cast<sym::ExprAttr>(sizes.get(name)).getExpr())));
  if (!isTuned) {
    tile::ConfigAttr config = tile::getConfig(kernel, {});
    arguments.push_back(
        Code::keyword("num_warps", Code::text(std::to_string(config.getNumWarps()))));
    if (config.getNumStages() != 3)
      arguments.push_back(
          Code::keyword("num_stages", Code::text(std::to_string(config.getNumStages()))));
  }
  if (kernel->hasAttr(tile::runsAtOnceAttrName))
    arguments.push_back(Code::keyword("launch_cooperative_grid", Code::text(waits)));
  // Triton drops the assertions of other kernels.
  if (holdsAssertions(kernel))
    arguments.push_back(Code::keyword("debug", Code::text("True")));
  Code callee = Code::text(kernel.getSymName().str() + "[" + grid.str() + "]");
  writer.statement("", Code::call(callee, arguments));
  if (isInTurns)
    writer.dedent();
}

/// Launches without a statement between them share their guards.
void HostPrinter::printGuarded(llvm::ArrayRef<host::LaunchOp> launches) {
  std::vector<std::string> grids;
  for (host::LaunchOp launch : launches)
    grids.push_back(printGrid(launch));
  Code guard = getGuard(launches.front());
  if (guard) {
    writer.statement("if ", guard, ":");
    writer.indent();
  }
  for (auto [launch, grid] : llvm::zip_equal(launches, grids))
    printLaunch(launch, grid);
  if (guard)
    writer.dedent();
}

} // namespace nereid::emit
