// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/InPlace.h"

namespace nereid::schedule {

namespace {

/// Finds which arguments a kernel reads, and which of them elsewhere than at its lanes' own places.
class ArgumentReads : public RequestVisitor {
public:
  ArgumentReads(const Program &program, const Kernel &kernel, const StoredSet &stored)
      : context(*program.context) {
    StoredSet computed;
    for (const KernelOutput &output : kernel.outputs)
      computed.insert(output.value);
    for (const KernelOutput &output : kernel.outputs) {
      own = output.at;
      (void)walkRequests(program, stored, computed, *output.value, output.at, *this);
    }
  }

  void load(const Value &value, llvm::ArrayRef<Expr> at) override {
    if (value.kind != ValueKind::Input)
      return;
    all.insert(&value);
    if (at != own)
      elsewhere.insert(&value);
  }
  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value,
                                                 llvm::ArrayRef<Expr> at) override {
    llvm::SmallVector<Expr, 4> columns;
    unsigned count = value.kind == ValueKind::Scan ? 1 : value.foldExtents.size();
    for (unsigned i = 0; i < count; ++i)
      columns.push_back(context.symbol("!" + std::to_string(i)));
    return columns;
  }

  StoredSet all, elsewhere;

private:
  index::Context &context;
  llvm::ArrayRef<Expr> own;
};

class InPlaceFinder {
public:
  InPlaceFinder(const Program &program, const Partition &partition)
      : program(program), partition(partition) {
    for (const Kernel &kernel : partition.kernels)
      reads.emplace_back(program, kernel, partition.stored);
  }

  llvm::MapVector<Value *, const Value *> run() const {
    llvm::MapVector<Value *, const Value *> found;
    for (const Result &result : program.results)
      if (result.assignedArgument >= 0 && mayStore(result))
        found[result.value] = program.arguments[result.assignedArgument];
    return found;
  }

private:
  const Program &program;
  const Partition &partition;
  std::vector<ArgumentReads> reads;

  bool mayStore(const Result &result) const {
    const Value *value = result.value;
    bool isMap = value->kind == ValueKind::Map || value->kind == ValueKind::Select;
    auto isSame = [&](const Result &other) { return other.value == value; };
    if (!isMap || llvm::count_if(program.results, isSame) != 1)
      return false;
    auto writes = [&](const Kernel &kernel) {
      return llvm::any_of(kernel.outputs,
                          [&](const KernelOutput &output) { return output.value == value; });
    };
    auto kernel = llvm::find_if(partition.kernels, writes);
    // Others may be launched in several ways, or go over their elements twice.
    if (kernel == partition.kernels.end() || kernel->hasRows || kernel->loop >= 0)
      return false;
    const Value *argument = program.arguments[result.assignedArgument];
    return llvm::all_of(program.arguments, [&](const Value *other) {
      return !mayBeOne(*argument, *other) ||
             isReadBefore(*other, kernel - partition.kernels.begin());
    });
  }

  /// Whether a call may pass one tensor for both.
  bool mayBeOne(const Value &argument, const Value &other) const {
    if (&argument == &other)
      return true;
    auto func = mlir::func::FuncOp(program.func);
    auto isOfModule = [&](const Value &value) {
      return bool(func.getArgAttr(value.argument, "graph.parameter"));
    };
    if (other.kind != ValueKind::Input || argument.elementType != other.elementType ||
        argument.shape.size() != other.shape.size() || (isOfModule(argument) && isOfModule(other)))
      return false;
    return llvm::all_of(llvm::zip(argument.shape, other.shape), [](auto pair) {
      auto [x, y] = pair;
      return x == y || !x.isConstant() || !y.isConstant();
    });
  }

  /// Whether a kernel and those behind it read nothing of an argument but what their own lanes of
  /// that kernel do.
  bool isReadBefore(const Value &argument, size_t writer) const {
    for (const ArgumentReads &later : llvm::ArrayRef(reads).drop_front(writer + 1))
      if (later.all.contains(&argument))
        return false;
    return !reads[writer].elsewhere.contains(&argument);
  }
};

} // namespace

llvm::MapVector<Value *, const Value *> findInPlace(const Program &program,
                                                    const Partition &partition) {
  bool writes = llvm::any_of(program.results,
                             [](const Result &result) { return result.assignedArgument >= 0; });
  if (!writes)
    return {};
  return InPlaceFinder(program, partition).run();
}

} // namespace nereid::schedule
