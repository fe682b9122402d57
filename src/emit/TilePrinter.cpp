// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements and names: what each operation of a block becomes.
#include "emit/TilePrinter.h"

#include "emit/Spelling.h"
#include "host/Needs.h"
#include "tile/Combiner.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::emit {

void TilePrinter::bind(Value value, llvm::StringRef name, const Operand &operand) {
  Operand held = operand;
  held.code = Code::text(name.str());
  held.literal = {};
  held.mayBeKnown = false;
  named[value] = held;
  holders[name] = value;
}

void TilePrinter::bind(Value value, llvm::StringRef name) {
  Operand operand;
  operand.shape = getExtents(value.getType());
  bind(value, name, operand);
}

void TilePrinter::keepUserNames(Region &region) {
  region.walk([&](Operation *op) {
    if (llvm::StringRef name = getUserName(op->getLoc()); !name.empty() && op->getNumResults())
      names.keepForUser(toIdentifier(name));
  });
}

Operand TilePrinter::render(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return renderDot(dot);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return renderReduce(reduce);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return renderScan(scan);
  if (folding.isTransparent(op))
    return renderTransparent(op);
  if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op)) {
    auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
    Operand result;
    result.code = rmw ? renderAtomic(rmw) : renderAtomic(cast<tile::AtomicCasOp>(op));
    result.shape = getExtents(op->getResult(0).getType());
    result.isUnsigned =
        tile::getPtrType(op->getOperand(0).getType()).getPointee().isUnsignedInteger();
    return result;
  }
  if (isa<tile::AddPtrOp, tile::LoadOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp>(op))
    return renderMemory(op);
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp, tile::HintOp>(op))
    return renderProgram(op);
  if (auto random = dyn_cast<tile::RandomOp>(op))
    return renderRandom(random);
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op))
    return renderAssembly(assembly);
  if (auto rounded = dyn_cast<tile::Tf32Op>(op))
    return renderTf32(rounded);
  if (auto scale = dyn_cast<tile::HalfScaleOp>(op))
    return renderHalfScale(scale);
  if (isa<tile::LibdeviceOp>(op) || isa<math::MathDialect>(op->getDialect()))
    return renderMath(op);
  if (isa<arith::ArithDialect>(op->getDialect()))
    return renderArith(op);
  return renderShape(op);
}

namespace {
/// The widest part of an expression that stands for a value of its own and fits on a line; the
/// narrowest where none does.
struct WidestPart {
  const void *origin = nullptr;
  unsigned columns = 0;

  void find(const Code &code, unsigned limit) {
    unsigned width = getColumns(code.str());
    bool isBetter = width <= limit ? columns > limit || width > columns : width < columns;
    if (code.getOrigin() && (!origin || isBetter)) {
      origin = code.getOrigin();
      columns = width;
    }
    for (const Code &child : code.getChildren())
      find(child, limit);
  }
};
} // namespace

/// The columns that the name of a value takes: of pointers it is that of their argument.
static unsigned estimateName(const Code &code) {
  std::string text = code.str();
  llvm::StringRef first =
      llvm::StringRef(text).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!first.consume_back("_ptr"))
    return 12;
  first.consume_back("_start");
  return first.size() + sizeof("_ptrs_1") - 1;
}

/// The value to name so that a call that would take a line for each of its arguments stands on one
/// line; null where opening it puts them on one, or naming one of them does not.
static const void *findToShare(const Writer &writer, llvm::StringRef prefix, const Code &call) {
  unsigned whole = writer.getIndent() + getColumns(prefix) + getColumns(call.str());
  unsigned list = writer.getIndent() + 4;
  for (const Code &argument : call.getChildren().drop_front())
    list += getColumns(call.spellPart(argument)) + 2;
  if (list - 2 <= lineWidth)
    return nullptr;
  const void *origin = nullptr;
  unsigned widest = 0;
  for (const Code &argument : call.getChildren().drop_front()) {
    unsigned columns = getColumns(argument.str()), room = estimateName(argument);
    bool stands = writer.getIndent() + room + 3 + columns <= lineWidth;
    if (argument.getOrigin() && stands && columns > widest && whole - columns + room <= lineWidth) {
      widest = columns;
      origin = argument.getOrigin();
    }
  }
  return origin;
}

/// The value to name so that a statement that is too long becomes shorter; null when opening its
/// brackets is enough, or nothing can be named.
static const void *findToName(const Writer &writer, llvm::StringRef prefix, const Code &code) {
  WidestPart widest;
  // Room for a name and ` = `.
  unsigned limit = lineWidth - writer.getIndent() - 15;
  if (code.getKind() != CodeKind::Call) {
    for (const Code &child : code.getChildren())
      widest.find(child, limit);
    return widest.origin;
  }
  const Code &callee = code.getChildren()[0];
  bool isMethod = callee.getKind() == CodeKind::Suffix,
       opensBefore = writer.opensBefore(prefix, code);
  if (isMethod && !opensBefore)
    widest.find(callee.getChildren()[0], limit);
  const Code &opened = opensBefore ? callee.getChildren()[0] : code;
  for (const Code &argument : opened.getChildren().drop_front()) {
    unsigned columns = getColumns(argument.str()) + argument.getKeyword().size() + 2;
    if (!widest.origin && writer.getIndent() + 4 + columns > lineWidth)
      widest.find(argument, limit);
  }
  return widest.origin ? widest.origin : findToShare(writer, prefix, opened);
}

void TilePrinter::write(llvm::StringRef prefix, llvm::StringRef suffix, Operation *at,
                        llvm::function_ref<Code()> build) {
  for (;;) {
    Code code = build();
    if (failed)
      return;
    const void *origin =
        writer.fits(prefix, code, suffix) ? nullptr : findToName(writer, prefix, code);
    if (!origin)
      return writer.statement(prefix, code, suffix);
    assign(Value::getFromOpaquePointer(origin), at);
  }
}

static bool isAugmentable(const Code &code, llvm::StringRef name) {
  if (code.getKind() != CodeKind::Binary || code.getBinding() < Binding::BitOr)
    return false;
  const Code &lhs = code.getChildren()[0];
  return lhs.getKind() == CodeKind::Text && lhs.getText() == name;
}

void TilePrinter::writeAssignment(llvm::StringRef name, Operation *at,
                                  llvm::function_ref<Operand()> build) {
  Code first = build().code;
  if (comparesWithItself(at))
    return write((name + " = ").str(), "  # noqa: PLR0124", at, [&] { return build().code; });
  if (!isAugmentable(first, name))
    return write((name + " = ").str(), "", at, [&] { return build().code; });
  write((name + " " + first.getText() + "= ").str(), "", at,
        [&] { return build().code.getChildren()[1]; });
}

void TilePrinter::assign(Value value, Operation *at, llvm::function_ref<Operand()> build) {
  std::string name = chooseName(value, at);
  Operand last;
  writeAssignment(name, at, [&] { return last = build(); });
  bind(value, name, last);
}

void TilePrinter::assign(Value value, Operation *at) {
  Operation *op = value.getDefiningOp();
  bool isCarried = !getCarriedName(value, at).empty();
  assign(value, at, [&] {
    Operand operand = render(op);
    return isCarried ? toFull(toSigned(operand, value.getType()), value.getType(), true) : operand;
  });
}

std::string TilePrinter::chooseName(Value value, Operation *at) {
  std::string carried = getCarriedName(value, at);
  if (!carried.empty())
    return carried;
  Operation *op = value.getDefiningOp();
  llvm::StringRef user = op->getNumResults() == 1 ? getUserName(op->getLoc()) : "";
  if (user.empty())
    return names.take(getRoleName(value));
  std::string wish = toIdentifier(user);
  // A second value of this name takes it over once the first is used up.
  if (auto holder = holders.find(wish); holder != holders.end() && op == at) {
    Operation *first = holder->second.getDefiningOp();
    if (first && first->getBlock() == op->getBlock() && folding.isDeadAfter(holder->second, op))
      return wish;
  }
  return names.takeUserName(user);
}

/// The name of the argument that a pointer is based on, without `_ptr`.
static std::string getBaseName(Value pointer, const llvm::DenseMap<Value, Operand> &named) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (op->getNumOperands() == 0 || !tile::getPtrType(op->getOperand(0).getType()))
      break;
    pointer = op->getOperand(0);
  }
  auto found = named.find(pointer);
  llvm::StringRef name = found == named.end() ? "" : found->second.code.getText();
  name.consume_back("_ptr");
  return name.empty() ? "value" : name.str();
}

/// What a fold of one value is called.
static std::string getFoldName(tile::ReduceOp op) {
  switch (tile::getCombiner(op.getCombine()).value_or(tile::Combiner::And)) {
  case tile::Combiner::Sum:
    return "total";
  case tile::Combiner::Max:
  case tile::Combiner::MaxNum:
  case tile::Combiner::SMax:
  case tile::Combiner::UMax:
    return "largest";
  case tile::Combiner::Min:
  case tile::Combiner::MinNum:
  case tile::Combiner::SMin:
  case tile::Combiner::UMin:
    return "smallest";
  default:
    return "folded";
  }
}

/// The one argument to whose address an integer leads, without `_ptr`; empty when it leads to
/// several or elsewhere.
static std::string getAddressed(Value value, const llvm::DenseMap<Value, Operand> &named) {
  std::string base;
  llvm::SmallVector<Value> open = {value};
  for (size_t next = 0; next < open.size() && next < 64; ++next)
    for (Operation *user : open[next].getUsers()) {
      if (auto add = dyn_cast<tile::AddPtrOp>(user)) {
        std::string found = getBaseName(add.getPtr(), named);
        if (!base.empty() && base != found)
          return "";
        base = found;
      } else if (isa<arith::AddIOp, arith::MulIOp, arith::ExtSIOp, tile::SplatOp, tile::BroadcastOp,
                     tile::ExpandDimsOp, tile::RelabelOp>(user)) {
        open.push_back(user->getResult(0));
      } else {
        return "";
      }
    }
  return base == "value" ? "" : base;
}

/// What a float is called by the operation that makes it.
static llvm::StringRef getOperationName(Operation *op) {
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    auto sum = quotient.getLhs().getDefiningOp<tile::ReduceOp>();
    bool isMean = sum && tile::getCombiner(sum.getCombine()) == tile::Combiner::Sum;
    return isMean ? "mean" : "ratio";
  }
  return llvm::TypeSwitch<Operation *, llvm::StringRef>(op)
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::SqrtOp) { return "sqrt"; })
      .Case([](math::RsqrtOp) { return "rsqrt"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](arith::SubFOp) { return "diff"; })
      .Case([](arith::MulFOp) { return "product"; })
      .Case([](arith::NegFOp) { return "negated"; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([](auto) { return "larger"; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([](auto) { return "smaller"; })
      .Default([](Operation *) { return "value"; });
}

/// Along which axis of two a tile of one axis is repeated wherever it is used: 1 for `x[:, None]`.
static std::optional<unsigned> getExpandedAxis(Value value) {
  std::optional<unsigned> axis;
  for (Operation *user : value.getUsers()) {
    auto expand = dyn_cast<tile::ExpandDimsOp>(user);
    std::optional<unsigned> own = expand ? std::optional<unsigned>(expand.getAxis())
                                  : isa<tile::RelabelOp, arith::ExtSIOp>(user)
                                      ? getExpandedAxis(user->getResult(0))
                                      : std::nullopt;
    if (!own || (axis && axis != own) || tile::getShape(value.getType()).size() != 1)
      return std::nullopt;
    axis = own;
  }
  return axis;
}

/// Offsets along rows or columns alone are called after them, so that those of both axes are told
/// apart: `x_rows[:, None] + x_cols[None, :]`.
llvm::StringRef TilePrinter::getAxisName(Operation *op) const {
  if (std::optional<unsigned> axis = getExpandedAxis(op->getResult(0)))
    return *axis == 1 ? "_rows" : "_cols";
  for (Value operand : op->getOperands()) {
    auto held = named.find(operand);
    if (held == named.end() || held->second.code.getKind() != CodeKind::Text)
      continue;
    llvm::StringRef text = held->second.code.getText();
    for (llvm::StringRef axis : {"rows", "cols"})
      if (text == axis || text == axis.str() + "_64")
        return axis == "rows" ? "_rows" : "_cols";
  }
  return "_offsets";
}

std::string TilePrinter::getRoleName(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_if_present<tile::LoadOp>(op))
    return getBaseName(load.getPtr(), named);
  if (auto split = dyn_cast_if_present<tile::SplitOp>(op))
    if (auto load = split.getValue().getDefiningOp<tile::LoadOp>())
      return getBaseName(load.getPtr(), named) + (value == split.getLhs() ? "_even" : "_odd");
  if (isa_and_present<arith::ExtSIOp, arith::TruncFOp, arith::ExtFOp>(op) &&
      isa_and_present<tile::LoadOp, tile::ProgramIdOp>(op->getOperand(0).getDefiningOp()))
    return getRoleName(op->getOperand(0));
  if (auto id = dyn_cast_if_present<tile::ProgramIdOp>(op))
    return id.getAxis() == 0 ? "pid" : "pid_" + std::to_string(id.getAxis());
  if (auto reduce = dyn_cast_if_present<tile::ReduceOp>(op)) {
    if (reduce.getNumResults() == 1)
      return getFoldName(reduce);
    return isa<FloatType>(tile::getElementType(value.getType())) ? "value" : "index";
  }
  if (isa_and_present<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return "old";
  if (isa_and_present<tile::DotOp>(op))
    return "acc";
  Type element = tile::getElementType(value.getType());
  bool isTile = isa<RankedTensorType>(value.getType());
  if (isa<tile::PtrType>(element))
    return getBaseName(value, named) + (isTile ? "_ptrs" : "_start_ptr");
  auto compare = dyn_cast_if_present<arith::CmpFOp>(op);
  if (compare && comparesWithItself(op) && compare.getPredicate() == arith::CmpFPredicate::UNE)
    return "is_nan";
  if (element.isInteger(1))
    return isTile ? "mask" : "condition";
  if (isa_and_present<arith::ExtSIOp, arith::SIToFPOp>(op))
    if (auto held = named.find(op->getOperand(0));
        held != named.end() && held->second.code.getKind() == CodeKind::Text)
      return held->second.code.getText().str() + (isa<FloatType>(element) ? "_f" : "_") +
             std::to_string(element.getIntOrFloatBitWidth());
  if (isa<IntegerType>(element) && isa_and_present<arith::MulIOp, arith::AddIOp>(op))
    if (std::string base = getAddressed(value, named); !base.empty())
      return base + (isTile ? getAxisName(op).str() : "_start");
  if (isTile && isa<IntegerType>(element))
    if (std::optional<unsigned> axis = getExpandedAxis(value))
      return *axis == 1 ? "row_offsets" : "col_offsets";
  if (isa<IntegerType>(element))
    return isTile                                              ? "offsets"
           : isa_and_present<arith::MulIOp, arith::AddIOp>(op) ? "base"
                                                               : "index";
  return op ? getOperationName(op).str() : "value";
}

std::string TilePrinter::getCarriedRole(Value argument) {
  Type element = tile::getElementType(argument.getType());
  bool isNumber = isa<FloatType>(element) ||
                  (isa<RankedTensorType>(argument.getType()) && isa<IntegerType>(element) &&
                   getAddressed(argument, named).empty());
  return isNumber ? "acc" : getRoleName(argument);
}

void TilePrinter::printResults(Operation *op) {
  if (op->use_empty())
    return;
  bool indexOnly = isa<tile::ReduceOp>(op) && op->getNumResults() == 2 &&
                   renderArgFold(cast<tile::ReduceOp>(op)).has_value() &&
                   tile::getCombiner(op->getRegion(0)) >= tile::Combiner::ArgMax;
  if (indexOnly)
    return assign(op->getResult(1), op);
  std::string targets;
  llvm::SmallVector<std::string> taken;
  for (Value result : op->getResults()) {
    taken.push_back(result.use_empty() ? "_" : names.take(getRoleName(result)));
    targets += (targets.empty() ? "" : ", ") + taken.back();
  }
  write(targets + " = ", "", op, [&]() -> Code {
    if (auto split = dyn_cast<tile::SplitOp>(op))
      return Code::call("tl.split", {getExact(split.getValue()).code});
    return render(op).code;
  });
  for (auto [result, name] : llvm::zip_equal(op->getResults(), taken))
    if (!result.use_empty())
      bind(result, name);
}

/// The two halves of a product are two statements.
void TilePrinter::printProduct(arith::MulUIExtendedOp op) {
  for (Value half : {op.getLow(), op.getHigh()}) {
    if (half.use_empty())
      continue;
    std::string name = names.take(getRoleName(half));
    Operand last;
    writeAssignment(name, op, [&] {
      llvm::SmallVector<Operand> operands = getElementwise(op->getOperands(), half == op.getHigh());
      Code code = half == op.getHigh()
                      ? Code::call("tl.umulhi", {operands[0].code, operands[1].code})
                      : Code::binary("*", Binding::Multiply, operands[0].code, operands[1].code);
      return last = combine(code, operands);
    });
    bind(half, name, last);
  }
}

bool TilePrinter::printHint(Operation *op) {
  llvm::SmallVector<Code> arguments;
  llvm::StringRef callee = "tl.debug_barrier";
  if (auto assume = dyn_cast<tile::AssumeOp>(op)) {
    callee = "tl.assume";
    arguments = {get(assume.getCondition()).code};
  } else if (auto print = dyn_cast<tile::PrintOp>(op)) {
    callee = "tl.device_print";
    arguments = {Code::text(quote(print.getPrefix()))};
    for (Value value : print.getValues())
      arguments.push_back(get(value).code);
  } else if (auto check = dyn_cast<tile::AssertOp>(op)) {
    callee = "tl.device_assert";
    arguments = {get(check.getCondition()).code, Code::text(quote(check.getMessage()))};
    if (check.getMask())
      arguments.push_back(Code::keyword("mask", get(check.getMask()).code));
  } else if (!isa<tile::BarrierOp>(op)) {
    return false;
  }
  write("", "", op, [&] { return Code::call(callee, arguments); });
  return true;
}

/// What is made of a pointer that may be None is made where it is one.
void TilePrinter::printWherePresent(Value pointer, llvm::function_ref<void()> print) {
  auto kernel = pointer.getParentRegion()->getParentOfType<func::FuncOp>();
  BlockArgument base = kernel ? host::getBase(pointer, kernel) : BlockArgument();
  bool isOptional = base && parts.optional[kernel.getSymName()].count(base.getArgNumber());
  if (isOptional) {
    writer.line("if " + named[base].code.getText().str() + " is not None:");
    writer.indent();
  }
  print();
  if (isOptional)
    writer.dedent();
}

void TilePrinter::printEffect(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return printWherePresent(store.getPtr(),
                             [&] { write("", "", op, [&] { return renderStore(store); }); });
  if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op)) {
    if (!op->use_empty())
      return assign(op->getResult(0), op);
    return write("", "", op, [&] { return render(op).code; });
  }
  if (!printHint(op))
    refuse(op, "has no spelling in Triton");
}

void TilePrinter::printOp(Operation *op) {
  if (folding.isTransparent(op) || folding.isFolded(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return printFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return printWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return printIf(branch);
  if (op->getNumResults() == 0 || isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return printEffect(op);
  if (auto product = dyn_cast<arith::MulUIExtendedOp>(op))
    return printProduct(product);
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op); assembly && op->use_empty())
    return assembly.getPure() ? void() : write("", "", op, [&] { return render(op).code; });
  if (op->getNumResults() > 1)
    return printResults(op);
  if (op->use_empty())
    return;
  if (tile::getPtrType(op->getResult(0).getType()))
    return printWherePresent(op->getResult(0), [&] { assign(op->getResult(0), op); });
  assign(op->getResult(0), op);
}

void TilePrinter::printBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed)
      return;
    printOp(&op);
  }
}

LogicalResult TilePrinter::printCombiner(Region &region, llvm::ArrayRef<std::string> arguments) {
  for (auto [argument, name] : llvm::zip_equal(region.front().getArguments(), arguments)) {
    names.reserve(name);
    bind(argument, name);
  }
  keepUserNames(region);
  printBlock(region.front());
  Operation *yield = region.front().getTerminator();
  write("return ", "", yield, [&] {
    llvm::SmallVector<Code> values;
    for (Value value : yield->getOperands())
      values.push_back(getExact(value).code);
    if (values.size() == 1)
      return values[0];
    std::string list;
    for (const Code &value : values)
      list += (list.empty() ? "" : ", ") + value.str();
    return Code::text(list);
  });
  return failure(failed);
}

} // namespace nereid::emit
