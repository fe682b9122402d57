// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LaunchContract.h"

#include "index/Divisors.h"
#include "sym/SymDialect.h"
#include "tile/Instance.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace nereid::analysis {

using Known = std::vector<index::Pred>;

void LaunchContract::replace(const llvm::DenseMap<index::Expr, index::Expr> &sizes) {
  auto change = [&](index::Expr &expr) {
    if (expr)
      expr = index::substitute(expr, sizes);
  };
  for (ArgumentContract &argument : arguments) {
    llvm::for_each(argument.sizes, change);
    llvm::for_each(argument.strides, change);
    change(argument.value);
    for (AxisPart &part : argument.parts) {
      change(part.start);
      change(part.size);
      change(part.step);
    }
  }
  llvm::for_each(grid, change);
  for (auto &[name, value] : meta)
    change(value);
  for (auto &[name, pred] : conditions)
    pred = index::substitute(pred, sizes);
}

static void assumeSizes(Known &known, ArrayRef<index::Expr> exprs) {
  for (index::Expr expr : exprs)
    index::forEachSymbol(expr, [&](index::Expr symbol) { known.push_back(index::ge(symbol, 0)); });
  for (index::Expr expr : exprs)
    known.push_back(index::ge(expr, 0));
}

static void assumeTensor(Known &known, Value value) {
  if (auto tensor = dyn_cast<host::TensorType>(value.getType())) {
    assumeSizes(known, tensor.getSizes());
    assumeSizes(known, tensor.getStrides());
  }
}

/// Numbers that are sizes are checked to be at least 0.
static void assumeNumbers(Known &known, func::FuncOp program) {
  index::Context &context = sym::SymDialect::getIndexContext(program.getContext());
  if (auto symbols = program->getAttrOfType<ArrayAttr>(host::symbolsAttrName))
    for (auto symbol : symbols.getAsRange<host::SymbolAttr>())
      if (symbol.getKind() == host::SymbolKind::Value)
        known.push_back(index::ge(context.symbol(symbol.getName()), 0));
}

/// Adds what holds when control is at `op`: checks before it, and the arms it lies in.
static void assumePath(Known &known, Operation *op) {
  for (Operation *inner = op; inner && !isa<func::FuncOp>(inner); inner = inner->getParentOp()) {
    for (Operation &before : *inner->getBlock()) {
      if (&before == inner)
        break;
      if (auto check = dyn_cast<host::CheckOp>(before))
        known.push_back(check.getPred().getPred());
    }
    if (auto loop = dyn_cast_or_null<host::WhileOp>(inner->getParentOp())) {
      known.push_back(index::ge(loop.getExpr(), static_cast<int64_t>(loop.getStart())));
      known.push_back(loop.getCondition().getPred());
    }
    if (auto loop = dyn_cast_or_null<host::ForOp>(inner->getParentOp())) {
      known.push_back(index::ge(loop.getExpr(), 0));
      known.push_back(index::lt(loop.getExpr(), loop.getCount().getExpr()));
    }
    auto choice = dyn_cast_or_null<host::IfOp>(inner->getParentOp());
    if (!choice)
      continue;
    auto condition = choice.getCondition().getDefiningOp<host::CondOp>();
    if (!condition)
      continue;
    index::Pred pred = condition.getPred().getPred();
    bool isThen = inner->getParentRegion() == &choice.getThen();
    known.push_back(isThen ? pred : index::notOf(pred));
  }
}

static void readMeta(LaunchContract &contract, DictionaryAttr values) {
  index::Context &context = contract.getContext();
  for (NamedAttribute entry : values) {
    index::Expr name = context.symbol(entry.getName().getValue());
    if (auto expr = dyn_cast<sym::ExprAttr>(entry.getValue()))
      contract.meta[name] = expr.getExpr();
    else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      contract.meta[name] = context.constant(number.getInt());
    else if (auto condition = dyn_cast<sym::PredAttr>(entry.getValue()))
      contract.conditions[name] = condition.getPred();
  }
}

/// Puts the axes of a dense tensor in the order of its strides: only the memory matters to a proof,
/// not which axis is called the first.
static void orderAxes(ArgumentContract &tensor, index::Context &context) {
  SmallVector<index::Expr> sizes, strides;
  SmallVector<bool> used(tensor.sizes.size());
  index::Expr stride = context.constant(1);
  for (size_t turn = 0; turn < used.size(); ++turn) {
    std::optional<size_t> next;
    for (size_t axis = used.size(); axis-- > 0 && !next;)
      if (!used[axis] && tensor.strides[axis] == stride)
        next = axis;
    if (!next)
      return;
    used[*next] = true;
    sizes.insert(sizes.begin(), tensor.sizes[*next]);
    strides.insert(strides.begin(), stride);
    stride = stride * tensor.sizes[*next];
  }
  tensor.sizes = sizes;
  tensor.strides = strides;
}

/// The tensor whose memory a value shows.
static Value rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<host::ViewOp, host::AsContiguousOp, host::ContiguousOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The part of each axis of its memory that a view with known starts is.
static SmallVector<AxisPart> partsOf(host::ViewOp view, Value root) {
  auto starts = view ? view->getAttrOfType<ArrayAttr>(host::startsAttrName) : ArrayAttr();
  host::TensorType from = cast<host::TensorType>(root.getType());
  if (!starts || view.getTensor() != root || starts.size() != from.getRank())
    return {};
  host::TensorType to = view.getResult().getType();
  if (to.getRank() != from.getRank())
    return {};
  SmallVector<AxisPart> parts;
  for (auto [start, size, stride, whole] : llvm::zip_equal(
           starts.getAsRange<sym::ExprAttr>(), to.getSizes(), to.getStrides(), from.getStrides())) {
    index::Expr step = index::floordiv(stride, whole);
    if (step * whole != stride)
      return {};
    parts.push_back({start.getExpr(), size, step});
  }
  return parts;
}

static ArgumentContract argumentOf(Value value, index::Context &context) {
  ArgumentContract result;
  if (auto tensor = dyn_cast<host::TensorType>(value.getType())) {
    result.isTensor = true;
    Value root = rootOf(value);
    result.memory = root.getAsOpaquePointer();
    // A slice has the strides of what it is cut from.
    bool isSlice = cast<host::TensorType>(root.getType()).getStrides() == tensor.getStrides();
    auto argument = isSlice ? dyn_cast<BlockArgument>(root) : BlockArgument();
    auto program = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    // Elements of a slice, in steps too, are elements of what it is cut from.
    Value whole = value;
    if (auto view = value.getDefiningOp<host::ViewOp>();
        view && view->hasAttr(host::startsAttrName)) {
      whole = view.getTensor();
      result.parts = partsOf(view, root);
    }
    // What a loop carries is memory of its own.
    result.isInjective =
        argument && !program ? true
        : program ? bool(program.getArgAttr(argument.getArgNumber(), host::inPlaceAttrName))
                  : isa_and_nonnull<host::EmptyOp, host::FullOp, host::CallOp, host::ApplyOp>(
                        whole.getDefiningOp());
    result.sizes.assign(tensor.getSizes().begin(), tensor.getSizes().end());
    result.strides.assign(tensor.getStrides().begin(), tensor.getStrides().end());
    orderAxes(result, context);
  } else if (auto size = value.getDefiningOp<host::SizeOp>()) {
    result.value = size.getExpr().getExpr();
  } else if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      result.value = context.constant(number.getInt());
  }
  return result;
}

/// A size that a check divides evenly is that many times another number: `D` and `D // 2` become
/// `2 * k` and `k`, and no proof needs to know of the division.
static void divideSizes(LaunchContract &contract, Known &known) {
  constexpr int64_t greatest = int64_t(1) << 20;
  DenseMap<index::Expr, int64_t> divisors;
  DenseMap<index::Expr, index::Expr> sizes;
  Known quotients;
  for (index::Pred pred : known) {
    if (pred.getKind() != index::PredKind::Divisible)
      continue;
    std::optional<int64_t> divisor = pred.getDivisor().getConstant();
    if (!divisor || *divisor < 2)
      continue;
    auto known = [&](index::Expr size) { return std::max<int64_t>(divisors.lookup(size), 1); };
    auto multiple = index::readMultiple(pred, known);
    if (!multiple) {
      // M // 32 is 7 * (M // 224) where 7 divides it.
      if (pred.getExpr().getKind() == index::ExprKind::FloorDiv) {
        index::Expr whole = index::floordiv(pred.getExpr(), pred.getDivisor()) * *divisor;
        sizes[pred.getExpr()] = whole;
        quotients.push_back(index::eq(pred.getExpr(), whole));
      }
      continue;
    }
    int64_t &all = divisors.try_emplace(multiple->size, 1).first->second;
    if (int64_t both = std::lcm(all, multiple->divisor); both <= greatest)
      all = both;
  }
  for (auto [size, divisor] : divisors) {
    std::string name = (size.getName() + "/" + Twine(divisor)).str();
    sizes[size] = contract.getContext().symbol(name) * divisor;
  }
  if (sizes.empty())
    return;
  contract.replace(sizes);
  for (index::Pred &pred : known)
    pred = index::substitute(pred, sizes);
  llvm::append_range(known, quotients);
}

/// The same where the divisor is a size: `B` and `B // M` become `M * k` and `k`. The check divides
/// by it in Python, which raises for a divisor of 0.
static void divideBySizes(LaunchContract &contract, Known &known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].getKind() != index::PredKind::Divisible)
      continue;
    index::Expr size = known[i].getExpr(), divisor = known[i].getDivisor();
    if (!size.isSymbol() || divisor.isConstant() || index::contains(divisor, size))
      continue;
    index::Expr quotient =
        contract.getContext().symbol((size.getName() + "/(" + divisor.str() + ")").str());
    DenseMap<index::Expr, index::Expr> sizes;
    sizes[size] = divisor * quotient;
    contract.replace(sizes);
    for (index::Pred &pred : known)
      pred = index::substitute(pred, sizes);
    known.push_back(index::ge(divisor, 1));
    known.push_back(index::ge(quotient, 0));
  }
}

/// A size that a check says to be a number, or to be another size, is that.
static void unifySizes(LaunchContract &contract, Known &known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].getKind() == index::PredKind::And)
      llvm::append_range(known, known[i].getOperands().vec());
    if (known[i].getKind() != index::PredKind::Zero || known[i].getExpr().getTerms().empty())
      continue;
    index::Expr zero = known[i].getExpr();
    // The last in order goes: where sizes are one, all of them become the first.
    index::Term last = zero.getTerms().back();
    index::Expr rest = last.monomial * last.coefficient - zero;
    bool isUnit = last.coefficient == 1 || last.coefficient == -1;
    bool isPlain = rest.isConstant() || (rest * last.coefficient).isSymbol();
    if (!isUnit || !last.monomial.isSymbol() || !isPlain)
      continue;
    llvm::DenseMap<index::Expr, index::Expr> sizes;
    sizes[last.monomial] = rest * last.coefficient;
    contract.replace(sizes);
    for (index::Pred &pred : known)
      pred = index::substitute(pred, sizes);
  }
}

/// Keeps what speaks, perhaps through other facts, of a number that reaches the kernel: a proof can
/// use nothing else, and launches that differ in the rest are one to it.
static void keepReached(const LaunchContract &contract, Known &known) {
  llvm::DenseSet<index::Expr> reached;
  auto reach = [&](index::Expr symbol) { reached.insert(symbol); };
  auto reachAll = [&](ArrayRef<index::Expr> exprs) {
    for (index::Expr expr : exprs)
      index::forEachSymbol(expr, reach);
  };
  for (const ArgumentContract &argument : contract.arguments) {
    reachAll(argument.sizes);
    reachAll(argument.strides);
    if (argument.value)
      index::forEachSymbol(argument.value, reach);
  }
  reachAll(contract.grid);
  for (auto [name, value] : contract.meta)
    index::forEachSymbol(value, reach);
  for (auto [name, pred] : contract.conditions)
    index::forEachSymbol(pred, reach);
  auto isReached = [&](index::Pred pred) {
    bool hasSymbols = false, reaches = false;
    index::forEachSymbol(pred, [&](index::Expr symbol) {
      hasSymbols = true;
      reaches |= reached.contains(symbol);
    });
    return reaches || !hasSymbols;
  };
  for (size_t before = ~size_t(0); before != reached.size();) {
    before = reached.size();
    for (index::Pred pred : known)
      if (isReached(pred))
        index::forEachSymbol(pred, reach);
  }
  llvm::erase_if(known, [&](index::Pred pred) { return !isReached(pred); });
}

/// What holds where a launch stands, whatever its configuration is; each fact once.
static Known knownAt(host::LaunchOp launch) {
  Known known;
  if (auto function = launch->getParentOfType<func::FuncOp>()) {
    for (Value argument : function.getArguments())
      assumeTensor(known, argument);
    assumeNumbers(known, function);
    for (StringRef name : {"host.given", "host.assumed"})
      if (auto given = function->getAttrOfType<sym::PredAttr>(name))
        known.push_back(given.getPred());
  }
  for (Value argument : launch.getArguments())
    assumeTensor(known, argument);
  assumePath(known, launch);
  llvm::DenseSet<index::Pred> seen;
  llvm::erase_if(known, [&](index::Pred pred) { return !seen.insert(pred).second; });
  return known;
}

void assumeKnown(LaunchContract &contract, std::vector<index::Pred> known) {
  unifySizes(contract, known);
  divideSizes(contract, known);
  divideBySizes(contract, known);
  keepReached(contract, known);
  for (index::Pred pred : known)
    contract.facts.assume(pred);
}

/// The contract whose arguments, meta-parameters and facts are known.
static void completeContract(LaunchContract &contract, host::LaunchOp launch, Known known) {
  readMeta(contract, launch.getMeta());
  for (Attribute extent : launch.getGrid())
    contract.grid.push_back(
        index::substitute(cast<sym::ExprAttr>(extent).getExpr(), contract.meta));
  assumeKnown(contract, std::move(known));
}

static LaunchContract argumentsOf(host::LaunchOp launch) {
  LaunchContract contract(sym::SymDialect::getIndexContext(launch.getContext()));
  for (Value argument : launch.getArguments())
    contract.arguments.push_back(argumentOf(argument, contract.getContext()));
  return contract;
}

std::vector<LaunchContract> contractsOf(host::LaunchOp launch, ArrayRef<tile::ConfigAttr> configs) {
  LaunchContract common = argumentsOf(launch);
  Known known = knownAt(launch);
  std::vector<LaunchContract> contracts;
  for (tile::ConfigAttr config : configs) {
    LaunchContract &contract = contracts.emplace_back(common);
    readMeta(contract, config.getValues());
    completeContract(contract, launch, known);
  }
  return contracts;
}

std::optional<LaunchContract> sharedContractOf(host::LaunchOp launch,
                                               ArrayRef<tile::ConfigAttr> configs) {
  if (configs.size() < 2)
    return std::nullopt;
  LaunchContract shared = argumentsOf(launch);
  shared.isBrief = true;
  index::Context &context = shared.getContext();
  Known known;
  // The numbers that each meta-parameter has.
  llvm::MapVector<index::Expr, SmallVector<int64_t>> numbers;
  for (tile::ConfigAttr config : configs)
    for (NamedAttribute entry : config.getValues()) {
      auto number = dyn_cast<IntegerAttr>(entry.getValue());
      if (!number)
        return std::nullopt;
      numbers[context.symbol(entry.getName().getValue())].push_back(number.getInt());
    }
  for (auto &[name, values] : numbers) {
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (values.size() != configs.size() || *least < 1)
      return std::nullopt;
    shared.meta[name] = *least == *most ? context.constant(*least) : name;
    if (*least == *most)
      continue;
    int64_t common = 0;
    for (int64_t value : values)
      common = std::gcd(common, value);
    known.push_back(index::ge(name, *least));
    known.push_back(index::le(name, *most));
    known.push_back(index::divisible(name, common));
  }
  llvm::append_range(known, knownAt(launch));
  completeContract(shared, launch, std::move(known));
  return shared;
}

} // namespace nereid::analysis
