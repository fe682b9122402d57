// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"

#include "host/HostDialect.h"
#include "index/Printer.h"
#include "sym/SymDialect.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace nereid::analysis::test {

void loadDialects(MLIRContext &context) {
  context.loadDialect<tile::TileDialect, host::HostDialect, sym::SymDialect, func::FuncDialect,
                      arith::ArithDialect, scf::SCFDialect>();
}

static index::Expr parseText(llvm::StringRef text, index::Context &context) {
  index::ParseError error;
  index::Expr expr = index::parseExpr(text, context, error);
  if (!expr)
    llvm::report_fatal_error(llvm::Twine("bad test expression: ") + text);
  return expr;
}

static llvm::SmallVector<index::Expr> parseList(llvm::StringRef text, index::Context &context) {
  llvm::SmallVector<index::Expr> result;
  llvm::SmallVector<llvm::StringRef> parts;
  text.trim().drop_front().drop_back().split(parts, ',', -1, false);
  for (llvm::StringRef part : parts)
    result.push_back(parseText(part, context));
  return result;
}

Launched::Launched(MLIRContext &context, llvm::StringRef kernel,
                   llvm::ArrayRef<std::string> arguments, llvm::ArrayRef<std::string> grid,
                   llvm::StringRef facts)
    : module(parseSourceString<ModuleOp>(kernel, &context)),
      contract(sym::SymDialect::getIndexContext(&context)) {
  index::Context &exprs = contract.getContext();
  for (llvm::StringRef text : arguments) {
    ArgumentContract argument;
    if (text.starts_with("[")) {
      auto [sizes, strides] = text.split(" x ");
      argument.isTensor = true;
      argument.sizes = parseList(sizes, exprs);
      argument.strides = parseList(strides, exprs);
    } else {
      argument.value = parseText(text, exprs);
    }
    contract.arguments.push_back(argument);
  }
  for (llvm::StringRef text : grid)
    contract.grid.push_back(parseText(text, exprs));
  index::ParseError error;
  if (!facts.empty())
    contract.facts.assume(index::parsePred(facts, exprs, error));
}

func::FuncOp Launched::getKernel() { return *module->getOps<func::FuncOp>().begin(); }

namespace {
/// Executes one program, lane by lane, in the plainest way.
class Machine {
public:
  Machine(Launched &launched, const Sizes &sizes, std::vector<ConcreteAccess> &out)
      : launched(launched), sizes(sizes), out(out) {}

  void run(std::vector<int64_t> ids) {
    program = std::move(ids);
    runBlock(launched.getKernel().getBody().front());
  }

private:
  using Lane = std::vector<int64_t>;

  void runBlock(Block &block) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        int64_t high = valueOf(loop.getUpperBound(), {}), step = valueOf(loop.getStep(), {});
        for (int64_t iv = valueOf(loop.getLowerBound(), {}); iv < high; iv += step) {
          variables[loop.getInductionVar()] = iv;
          runBlock(*loop.getBody());
        }
      } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
        Region &arm =
            valueOf(choice.getCondition(), {}) ? choice.getThenRegion() : choice.getElseRegion();
        if (!arm.empty())
          runBlock(arm.front());
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        access(store, store.getPtr(), store.getMask());
      } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
        access(load, load.getPtr(), load.getMask());
      }
    }
  }

  void access(Operation *op, Value pointer, Value mask) {
    ArrayRef<int64_t> shape = tile::getShape(pointer.getType());
    Lane lane(shape.size(), 0);
    while (true) {
      if (!mask || valueOf(mask, lane)) {
        int64_t offset = valueOf(pointer, lane);
        out.push_back({op, argumentOf(pointer), program, offset});
      }
      size_t axis = shape.size();
      while (axis > 0 && ++lane[axis - 1] == shape[axis - 1])
        lane[--axis] = 0;
      if (axis == 0)
        return;
    }
  }

  static unsigned argumentOf(Value pointer) {
    while (Operation *op = pointer.getDefiningOp())
      pointer = op->getOperand(0);
    return cast<BlockArgument>(pointer).getArgNumber();
  }

  int64_t ofArgument(BlockArgument argument) {
    if (auto found = variables.find(argument); found != variables.end())
      return found->second;
    const ArgumentContract &known = launched.getContract().arguments[argument.getArgNumber()];
    return known.isTensor ? 0 : *index::evaluate(known.value, sizes);
  }

  int64_t valueOf(Value value, const Lane &lane) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return splat.getSplatValue<APInt>().getSExtValue();
      return cast<IntegerAttr>(constant.getValue()).getInt();
    }
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      return program[id.getAxis()];
    if (auto range = dyn_cast<tile::RangeOp>(op))
      return range.getStart() + lane[0];
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
      Lane inner = lane;
      inner.erase(inner.begin() + expand.getAxis());
      return valueOf(expand.getValue(), inner);
    }
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
      Lane inner = lane;
      for (auto [axis, extent] : llvm::enumerate(tile::getShape(broadcast.getValue().getType())))
        inner[axis] = extent == 1 ? 0 : inner[axis];
      return valueOf(broadcast.getValue(), inner);
    }
    if (isa<tile::SplatOp, arith::ExtSIOp>(op))
      return valueOf(op->getOperand(0), lane);
    int64_t a = valueOf(op->getOperand(0), lane), b = valueOf(op->getOperand(1), lane);
    return binary(op, a, b);
  }

  static int64_t binary(Operation *op, int64_t a, int64_t b) {
    if (isa<tile::AddPtrOp, arith::AddIOp>(op))
      return a + b;
    if (isa<arith::SubIOp>(op))
      return a - b;
    if (isa<arith::MulIOp>(op))
      return a * b;
    if (isa<arith::DivSIOp>(op))
      return b == 0 ? 0 : a / b;
    if (isa<arith::RemSIOp>(op))
      return b == 0 ? 0 : a % b;
    if (isa<arith::MinSIOp>(op))
      return std::min(a, b);
    if (isa<arith::MaxSIOp>(op))
      return std::max(a, b);
    if (isa<arith::AndIOp>(op))
      return a & b;
    if (isa<arith::OrIOp>(op))
      return a | b;
    switch (cast<arith::CmpIOp>(op).getPredicate()) {
    case arith::CmpIPredicate::slt:
      return a < b;
    case arith::CmpIPredicate::sle:
      return a <= b;
    case arith::CmpIPredicate::sgt:
      return a > b;
    case arith::CmpIPredicate::sge:
      return a >= b;
    case arith::CmpIPredicate::eq:
      return a == b;
    default:
      return a != b;
    }
  }

  Launched &launched;
  const Sizes &sizes;
  std::vector<ConcreteAccess> &out;
  std::vector<int64_t> program;
  llvm::DenseMap<Value, int64_t> variables;
};
} // namespace

std::optional<std::vector<ConcreteAccess>> execute(Launched &launched, const Sizes &sizes) {
  std::vector<int64_t> grid(3, 1);
  for (auto [axis, extent] : llvm::enumerate(launched.getContract().grid)) {
    std::optional<int64_t> value = index::evaluate(extent, sizes);
    if (!value)
      return std::nullopt;
    grid[axis] = *value;
  }
  std::vector<ConcreteAccess> accesses;
  Machine machine(launched, sizes, accesses);
  for (int64_t x = 0; x < grid[0]; ++x)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t z = 0; z < grid[2]; ++z)
        machine.run({x, y, z});
  return accesses;
}

bool isWithin(const Launched &launched, const Sizes &sizes, unsigned argument, int64_t offset) {
  const ArgumentContract &tensor = launched.getContract().arguments[argument];
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(tensor.sizes, tensor.strides)) {
    int64_t extent = *index::evaluate(size, sizes);
    if (extent <= 0)
      return false;
    last += (extent - 1) * *index::evaluate(stride, sizes);
  }
  return offset >= 0 && offset <= last;
}

} // namespace nereid::analysis::test
