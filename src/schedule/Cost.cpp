// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Cost.h"

namespace nereid::schedule {

// Launch and bandwidth of the H200: a kernel in a graph of kernels takes 1.0 us, 537 MB take 127.8
// us. The others scale by the vendors' bandwidth figures.
static constexpr Device devices[] = {
    {"h200", 1.0, 4.2e6, 25e6, 132},
    {"h100", 1.0, 2.9e6, 25e6, 132},
    {"a100", 1.0, 1.4e6, 9e6, 108},
    {"b200", 1.0, 7.0e6, 35e6, 148},
};

const Device *findDevice(llvm::StringRef name) {
  for (const Device &device : devices)
    if (name == device.name)
      return &device;
  return nullptr;
}

namespace {

/// Collects what a kernel loads and how much it computes for one output.
class CostVisitor : public RequestVisitor {
public:
  CostVisitor(const Kernel &kernel, index::Context &context) : kernel(kernel), context(context) {}

  void load(const Value &value, llvm::ArrayRef<Expr> at) override { loads.insert(&value); }
  void compute(const Value &value, llvm::ArrayRef<Expr> at) override {
    values.insert(&value);
    // Ten rounds of two wide products and a few logical operations.
    constexpr unsigned drawing = 50;
    // Up to 31 places are looked at.
    constexpr unsigned searching = 100;
    operations += value.kind == ValueKind::Random   ? drawing
                  : value.kind == ValueKind::Search ? searching
                  : value.isCast()                  ? 0
                                                    : 1;
  }
  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value,
                                                 llvm::ArrayRef<Expr> at) override {
    operations += 1;
    values.insert(&value);
    folds.push_back(&value);
    if (kernel.carries(value))
      return kernel.rows.symbols;
    llvm::SmallVector<Expr, 4> columns;
    unsigned count = value.kind == ValueKind::Scan ? 1 : value.foldExtents.size();
    for (const Space &space : kernel.columns)
      if (auto own = space.coordinatesOf(value); own && columns.empty())
        columns = *own;
    for (unsigned i = columns.size(); i < count; ++i)
      columns.push_back(context.symbol("!" + std::to_string(i)));
    return columns;
  }

  llvm::SetVector<const Value *> loads;
  llvm::DenseSet<const Value *> values;
  llvm::SmallVector<const Value *> folds;
  unsigned operations = 0;

private:
  const Kernel &kernel;
  index::Context &context;
};

/// Counts values that are waited for, where each is computed right before the first that reads it.
class LiveValues {
public:
  LiveValues(const CostVisitor &visitor) : visitor(visitor) {}

  size_t count(llvm::ArrayRef<KernelOutput> outputs) {
    for (const KernelOutput &output : outputs)
      enter(*output.value);
    size_t live = 0, most = 0;
    llvm::DenseMap<const Value *, unsigned> read;
    for (const Value *value : order) {
      most = std::max(most, ++live);
      for (const Value *operand : operandsOf(*value))
        live -= ++read[operand] == readers.lookup(operand);
      live -= readers.lookup(value) == 0;
    }
    return most;
  }

private:
  /// Of the kernel, each once.
  llvm::SmallSetVector<const Value *, 4> operandsOf(const Value &value) {
    llvm::SmallSetVector<const Value *, 4> operands;
    if (visitor.values.contains(&value))
      forEachAccess(value, [&](const Access &access) {
        if (visitor.values.contains(access.from) || visitor.loads.contains(access.from))
          operands.insert(access.from);
      });
    return operands;
  }

  void enter(const Value &value) {
    if (!seen.insert(&value).second)
      return;
    for (const Value *operand : operandsOf(value)) {
      ++readers[operand];
      enter(*operand);
    }
    order.push_back(&value);
  }

  const CostVisitor &visitor;
  llvm::DenseSet<const Value *> seen;
  llvm::DenseMap<const Value *, unsigned> readers;
  llvm::SmallVector<const Value *> order;
};

} // namespace

Expr KernelCost::total(const Sum &sum, index::Context &context) {
  Expr result = context.constant(0);
  for (auto [elements, count] : sum)
    result = result + elements * count;
  return result;
}

static double estimate(const Program &program, const KernelCost::Sum &sum) {
  double result = 0;
  for (auto [elements, count] : sum) {
    auto [known, isNew] = program.indexMemory.estimates.try_emplace(elements);
    if (isNew)
      known->second = program.estimate(elements);
    result += double(known->second) * double(count);
  }
  return result;
}

KernelCost estimateCost(const Program &program, const Kernel &kernel, const StoredSet &stored,
                        const Device &device) {
  index::Context &context = *program.context;
  CostVisitor visitor(kernel, context);
  StoredSet computed;
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);

  KernelCost cost;
  auto elementsOf = [&](llvm::ArrayRef<Expr> shape) {
    return program.indexMemory.productOf(shape, context);
  };
  Expr rows = elementsOf(kernel.rows.extents), outer = elementsOf(kernel.outer.extents);
  for (const KernelOutput &output : kernel.outputs) {
    unsigned before = visitor.operations, foldsBefore = visitor.folds.size();
    (void)walkRequests(program, stored, computed, *output.value, output.at, visitor);
    Expr elements = elementsOf(output.value->shape);
    for (const Value *fold : llvm::ArrayRef(visitor.folds).drop_front(foldsBefore))
      if (kernel.carries(*fold))
        elements =
            rows * elementsOf(llvm::ArrayRef(fold->shape).drop_front(fold->window != 0 ? 1 : 0));
      else if (fold->isSegment)
        elements = index::max(elements, elementsOf(fold->foldExtents) *
                                            elementsOf(llvm::ArrayRef(fold->shape).drop_front()));
      else if (fold->kind == ValueKind::Fold)
        elements = index::max(elements, rows * outer *
                                            (fold->window != 0 ? context.constant(fold->window)
                                                               : elementsOf(fold->foldExtents)));
    cost.flops.push_back({elements, visitor.operations - before});
    cost.bytes.push_back({elementsOf(output.value->shape), output.value->getElementBytes()});
  }
  for (const Value *value : visitor.loads)
    if (value->kind != ValueKind::Scalar)
      cost.bytes.push_back({elementsOf(value->shape), value->getElementBytes()});

  double time = std::max(estimate(program, cost.bytes) / device.bytesPerUs,
                         estimate(program, cost.flops) / device.operationsPerUs);
  if (kernel.hasRows) {
    // A program has a row, or a span of them; a device that is not full runs as slowly as its busy
    // part.
    if (kernel.span != 0)
      rows = kernel.countSpans(context) * outer;
    double programs = std::max<double>(1, program.estimate(rows));
    time *= std::max(1.0, device.multiprocessors / programs);
  }
  cost.microseconds = device.launchUs + time;
  cost.values = visitor.values.size();
  if (cost.values > KernelCost::fewValues)
    cost.liveValues = LiveValues(visitor).count(kernel.outputs);
  cost.loads = std::move(visitor.loads);
  return cost;
}

} // namespace nereid::schedule
