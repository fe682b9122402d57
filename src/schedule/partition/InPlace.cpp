// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/partition/InPlace.h"

#include "schedule/nest/Requests.h"

namespace nereid::schedule {

namespace {

/// What a kernel reads of the arguments, and where.
class ArgumentReads {
public:
  ArgumentReads(const Program &program, const Kernel &kernel, const StoredSet &stored) {
    StoredSet computed;
    for (const KernelOutput &output : kernel.outputs)
      computed.insert(output.value);
    Requests requests(program, stored, std::move(computed));
    for (const KernelOutput &output : kernel.outputs)
      isKnown &= requests.add(*output.value, output.at);
    for (const Request &request : requests.getAll())
      if (request.isLoad && request.value->kind == ValueKind::Input)
        places[request.value].push_back(request.at);
  }

  bool mayRead(const Value &argument) const { return !isKnown || places.contains(&argument); }
  /// Whether all that is read of an argument are the elements that a lane stores of a value.
  bool readsOnlyOwn(const Value &argument, const Result &result, const Kernel &kernel) const {
    if (!mayRead(argument))
      return true;
    std::vector<llvm::SmallVector<Expr, 4>> own;
    for (const KernelOutput &output : kernel.outputs)
      if (output.value == result.value) {
        own.push_back(output.at);
        for (auto [at, start] : llvm::zip(own.back(), result.starts))
          at = at + start;
      }
    return isKnown && llvm::all_of(places.at(&argument), [&](llvm::ArrayRef<Expr> at) {
             return llvm::any_of(own, [&](const auto &each) { return at == llvm::ArrayRef(each); });
           });
  }

private:
  llvm::DenseMap<const Value *, std::vector<llvm::ArrayRef<Expr>>> places;
  bool isKnown = true;
};

class InPlaceFinder {
public:
  InPlaceFinder(const Program &program, const Partition &partition)
      : program(program), partition(partition) {
    for (const Kernel &kernel : partition.kernels)
      reads.emplace_back(program, kernel, partition.stored);
  }

  llvm::SmallVector<const Value *> run() const {
    size_t first = partition.kernels.size();
    StoredSet written;
    for (const Result &result : program.results) {
      if (result.assignedArgument < 0)
        continue;
      const Value *argument = program.arguments[result.assignedArgument];
      written.insert(argument);
      std::optional<size_t> writer = findWriter(result);
      result.value->memory = writer ? argument : nullptr;
      result.value->memoryStarts = result.starts;
      first = std::min(first, writer.value_or(first));
    }
    llvm::SmallVector<const Value *> readers;
    auto later = llvm::ArrayRef(reads).drop_front(first);
    for (const Value *argument : program.arguments)
      if (argument->kind == ValueKind::Input && !written.contains(argument) &&
          llvm::any_of(later,
                       [&](const ArgumentReads &kernel) { return kernel.mayRead(*argument); }))
        readers.push_back(argument);
    return readers;
  }

private:
  const Program &program;
  const Partition &partition;
  std::vector<ArgumentReads> reads;

  /// The kernel that may store a result where its argument lies.
  std::optional<size_t> findWriter(const Result &result) const {
    const Value *value = result.value;
    bool isMap = value->kind == ValueKind::Map || value->kind == ValueKind::Select;
    // A counter of a module is copied with the statistics beside it: what writes to nothing is an
    // operator of PyTorch without side effects.
    const Value *argument = program.arguments[result.assignedArgument];
    if (argument->shape.empty() &&
        program.func.getArgAttr(result.assignedArgument, "graph.parameter"))
      return std::nullopt;
    auto isSame = [&](const Result &other) { return other.value == value; };
    if (llvm::count_if(program.results, isSame) != 1)
      return std::nullopt;
    auto writes = [&](const Kernel &kernel) {
      return llvm::any_of(kernel.outputs,
                          [&](const KernelOutput &output) { return output.value == value; });
    };
    auto kernel = llvm::find_if(partition.kernels, writes);
    bool isMade = kernel != partition.kernels.end() && !kernel->isSort() && !kernel->isCall() &&
                  kernel->loop < 0 && value->kind != ValueKind::Scatter;
    // What a function is given to write to, and nothing reads.
    if (program.func->hasAttr("graph.function") && isMade &&
        llvm::none_of(reads, [&](const ArgumentReads &each) { return each.mayRead(*argument); }))
      return kernel - partition.kernels.begin();
    // Others may be launched in several ways, or go over their elements twice.
    if (!isMap || kernel == partition.kernels.end() || kernel->hasRows || kernel->loop >= 0)
      return std::nullopt;
    size_t number = kernel - partition.kernels.begin();
    for (const ArgumentReads &later : llvm::ArrayRef(reads).drop_front(number + 1))
      if (later.mayRead(*argument))
        return std::nullopt;
    if (!reads[number].readsOnlyOwn(*argument, result, *kernel))
      return std::nullopt;
    return number;
  }
};

} // namespace

llvm::SmallVector<const Value *> storeInPlace(const Program &program, const Partition &partition) {
  bool writes = llvm::any_of(program.results,
                             [](const Result &result) { return result.assignedArgument >= 0; });
  return writes ? InPlaceFinder(program, partition).run() : llvm::SmallVector<const Value *>();
}

} // namespace nereid::schedule
