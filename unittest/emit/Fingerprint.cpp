// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fingerprint.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;

namespace nereid::emit {

namespace {
class Terms {
public:
  uint64_t ofKernel(func::FuncOp kernel) {
    bindArguments(kernel.getBody().front(), 0);
    return ofBlock(kernel.getBody().front(), 1);
  }

private:
  using Shape = llvm::SmallVector<int64_t, 4>;

  static uint64_t mix(llvm::StringRef text, llvm::ArrayRef<uint64_t> parts = {}) {
    std::string bytes = text.str();
    bytes.append(reinterpret_cast<const char *>(parts.data()), parts.size() * sizeof(uint64_t));
    return llvm::xxh3_64bits(bytes);
  }

  static std::string spell(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  void bindArguments(Block &block, unsigned depth) {
    for (BlockArgument argument : block.getArguments())
      terms[argument] =
          mix("argument" + spell(argument.getType()), {depth, argument.getArgNumber()});
  }

  static bool isElementwise(Operation *op) {
    return isa<arith::ArithDialect>(op->getDialect()) || isa<math::MathDialect>(op->getDialect()) ||
           isa<tile::LibdeviceOp, tile::AddPtrOp>(op);
  }

  /// The shape without what broadcasting added.
  Shape getInnerShape(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return Shape(tile::getShape(value.getType()));
    if (isa<arith::ConstantOp, tile::SplatOp>(op))
      return {};
    if (isa<tile::BroadcastOp, tile::RelabelOp>(op))
      return getInnerShape(op->getOperand(0));
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
      Shape inner = getInnerShape(expand.getValue());
      if (!inner.empty())
        inner.insert(inner.begin() + expand.getAxis(), 1);
      return inner;
    }
    if (!isElementwise(op))
      return Shape(tile::getShape(value.getType()));
    Shape shape;
    for (Value operand : op->getOperands()) {
      Shape other = getInnerShape(operand);
      if (shape.empty())
        shape = other;
      for (size_t i = 0; i < other.size(); ++i)
        shape[i] = std::max(shape[i], other[i]);
    }
    return shape;
  }

  uint64_t ofConstant(arith::ConstantOp op) {
    Attribute number = op.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(number))
      number = dense.getSplatValue<Attribute>();
    std::string text;
    llvm::raw_string_ostream(text) << number;
    return mix("constant" + text);
  }

  /// The name and attributes; functions of the math dialect that Triton has only in the device
  /// library read back as calls of that.
  static std::string getName(Operation *op) {
    static const std::map<std::string, std::string> library = {{"math.tanh", "tanh"}};
    std::string text;
    llvm::raw_string_ostream stream(text);
    auto found = library.find(op->getName().getStringRef().str());
    if (found != library.end())
      stream << "libdevice " << found->second;
    else if (auto call = dyn_cast<tile::LibdeviceOp>(op))
      stream << "libdevice " << call.getName();
    else
      stream << op->getName() << op->getAttrDictionary();
    return text;
  }

  uint64_t ofOp(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return ofConstant(constant);
    if (auto meta = dyn_cast<tile::MetaOp>(op))
      return mix("meta" + meta.getName().str());
    if (isa<tile::SplatOp, tile::BroadcastOp, tile::RelabelOp>(op))
      return of(op->getOperand(0));
    if (isa<tile::AddPtrOp>(op) && matchPattern(op->getOperand(1), m_Zero()))
      return of(op->getOperand(0));
    if (isa<tile::ExpandDimsOp>(op) && getInnerShape(op->getOperand(0)).empty())
      return of(op->getOperand(0));
    if (auto widening = dyn_cast<arith::ExtSIOp>(op))
      return ofWidened(widening, widening.getIn());
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << getName(op);
    llvm::SmallVector<uint64_t> parts;
    for (Value operand : op->getOperands())
      parts.push_back(of(operand));
    for (Type type : op->getResultTypes())
      stream << (isElementwise(op) ? tile::getElementType(type) : type);
    if (isa<tile::LoadOp>(op))
      parts.push_back(versions.lookup(op));
    for (Region &region : op->getRegions())
      parts.push_back(region.empty() ? 0 : ofRegion(region));
    return mix(text, parts);
  }

  /// A widening changes places with changes of shape: Triton promotes `cols[None, :]` where the
  /// printed kernel widened `cols`.
  uint64_t ofWidened(arith::ExtSIOp widening, Value value) {
    Operation *op = value.getDefiningOp();
    bool isScalar = getInnerShape(value).empty();
    if (op && (isa<tile::SplatOp, tile::BroadcastOp, tile::RelabelOp>(op) ||
               (isScalar && isa<tile::ExpandDimsOp>(op))))
      return ofWidened(widening, op->getOperand(0));
    std::string text;
    llvm::raw_string_ostream stream(text);
    auto element = tile::getElementType(widening.getType());
    if (!isa_and_present<tile::ExpandDimsOp>(op)) {
      stream << getName(widening) << element;
      return mix(text, {of(value)});
    }
    stream << getName(op) << cast<RankedTensorType>(value.getType()).clone(element);
    return mix(text, {ofWidened(widening, op->getOperand(0))});
  }

  uint64_t ofRegion(Region &region) {
    unsigned depth = 1;
    for (Operation *parent = region.getParentOp(); parent; parent = parent->getParentOp())
      ++depth;
    uint64_t hash = 0;
    for (Block &block : region) {
      bindArguments(block, depth);
      hash = mix("block", {hash, ofBlock(block, depth)});
    }
    return hash;
  }

  /// A loop or branch, where the order of what it carries does not matter: each carried value is
  /// known by its start and its next value, each result of a branch by its two arms.
  uint64_t ofLoop(scf::ForOp loop, uint64_t state) {
    llvm::SmallVector<uint64_t> carried;
    for (Value init : loop.getInitArgs())
      carried.push_back(mix("start" + spell(init.getType()), {of(init)}));
    uint64_t bounds =
        mix("for", {of(loop.getLowerBound()), of(loop.getUpperBound()), of(loop.getStep()), state});
    uint64_t effects = 0;
    // Each round tells apart values that the rounds before could not.
    for (unsigned round = 0; round < 3; ++round) {
      llvm::DenseMap<Value, uint64_t> outside = terms;
      terms[loop.getInductionVar()] = mix("counter", {bounds});
      for (auto [argument, term] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
        terms[argument] = mix("carried", {bounds, term});
      effects = ofEffects(*loop.getBody(), bounds);
      llvm::SmallVector<uint64_t> next;
      for (auto [term, value] : llvm::zip_equal(carried, loop.getYieldedValues()))
        next.push_back(mix("next", {term, of(value)}));
      carried = next;
      terms = outside;
    }
    for (auto [result, term] : llvm::zip_equal(loop.getResults(), carried))
      terms[result] = mix("after", {bounds, effects, term});
    return mix("loop", {bounds, effects});
  }

  uint64_t ofBranch(scf::IfOp branch, uint64_t state) {
    uint64_t condition = mix("if", {of(branch.getCondition()), state});
    llvm::SmallVector<uint64_t> results(branch.getNumResults());
    uint64_t effects = condition;
    for (Region *arm : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      effects =
          mix("arm", {effects, arm->empty() ? condition : ofEffects(arm->front(), condition)});
      for (auto [place, result] : llvm::enumerate(results))
        result = mix("either", {result, of(arm->front().getTerminator()->getOperand(place))});
    }
    for (auto [result, term] : llvm::zip_equal(branch.getResults(), results))
      terms[result] = mix("either", {condition, effects, term});
    return effects;
  }

  /// The effects of a block in their order.
  uint64_t ofEffects(Block &block, uint64_t state) {
    for (Operation &op : block.without_terminator()) {
      versions[&op] = state;
      bool hasEffect = !isMemoryEffectFree(&op) && !isa<tile::LoadOp>(op);
      if (!hasEffect && (isa<tile::ReduceOp, tile::ScanOp>(op) || op.getNumRegions() == 0))
        continue;
      uint64_t term;
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        term = ofLoop(loop, state);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        term = ofBranch(branch, state);
      } else {
        term = ofOp(&op);
        for (OpResult result : op.getResults())
          terms[result] = mix("result", {term, result.getResultNumber()});
      }
      if (writes(&op))
        state = mix("then", {state, term});
    }
    return state;
  }

  static bool writes(Operation *op) {
    bool found = false;
    op->walk([&](Operation *inner) {
      found |= inner->getNumRegions() == 0 && mlir::hasEffect<MemoryEffects::Write>(inner);
    });
    return found;
  }

  /// The effects of a block in their order, then what it yields.
  uint64_t ofBlock(Block &block, uint64_t state) {
    state = ofEffects(block, state);
    return mix("end", {state, ofOp(block.getTerminator())});
  }

  uint64_t of(Value value) {
    if (auto found = terms.find(value); found != terms.end())
      return found->second;
    uint64_t term = ofOp(value.getDefiningOp());
    if (value.getDefiningOp()->getNumResults() > 1)
      term = mix("result", {term, cast<OpResult>(value).getResultNumber()});
    return terms[value] = term;
  }

  llvm::DenseMap<Value, uint64_t> terms;
  /// The effects before an operation, so that a load may not change places with a store.
  llvm::DenseMap<Operation *, uint64_t> versions;
};
} // namespace

uint64_t getFingerprint(func::FuncOp kernel) { return Terms().ofKernel(kernel); }

} // namespace nereid::emit
