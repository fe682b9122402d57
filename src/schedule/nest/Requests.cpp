// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Requests.h"

#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

bool Request::isComputed() const {
  if (isLoad)
    return false;
  switch (value->kind) {
  case ValueKind::Random:
  case ValueKind::Map:
  case ValueKind::Select:
  case ValueKind::Search:
  case ValueKind::Scatter:
    return true;
  default:
    return false;
  }
}

Expr Request::getNumber(const Program &program) const {
  if (isLoad)
    return {};
  if (value->kind == ValueKind::Iota)
    return at[value->dim];
  if (value->kind == ValueKind::Random)
    return linearize(at, value->shape, *program.context);
  return {};
}

const Access *elidedCast(const Value &value, const StoredSet &stored) {
  if (!value.isCast())
    return nullptr;
  const Value &down = *value.inputs[0].from;
  if (!down.isElidableCast() || down.isRounded || stored.contains(&down))
    return nullptr;
  return down.inputs[0].from->elementType == value.elementType ? &down.inputs[0] : nullptr;
}

llvm::SmallVector<Expr, 4> anyColumns(const Value &fold, index::Context &context) {
  llvm::SmallVector<Expr, 4> columns;
  for (unsigned i = 0; i < std::max<size_t>(1, fold.foldExtents.size()); ++i)
    columns.push_back(context.symbol("!" + std::to_string(i)));
  return columns;
}

/// Follows what one value at coordinates is made of.
class Requests::Walk {
public:
  Walk(Requests &requests, FoldRule indicesOf, StateRule readState)
      : requests(requests), program(requests.program), indicesOf(indicesOf), readState(readState) {}

  /// The number of a request, made where there is none yet; nothing where it cannot be.
  std::optional<unsigned> request(const Value &value, llvm::ArrayRef<Expr> at);

private:
  bool make(const Value &value, llvm::ArrayRef<Expr> at, unsigned own);
  bool select(const Value &value, llvm::ArrayRef<Expr> at, unsigned own);
  bool fold(const Value &value, llvm::ArrayRef<Expr> at, unsigned own);
  Access mapped(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold);
  bool need(const Value &value, llvm::ArrayRef<Expr> at, unsigned reader);
  bool follow(const Access &read, unsigned reader);
  bool followAt(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                unsigned reader);
  bool followAll(const Value &value, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                 unsigned reader);

  Requests &requests;
  const Program &program;
  FoldRule indicesOf;
  StateRule readState;
  llvm::DenseMap<std::pair<const Value *, unsigned>, unsigned> known;
  /// Within what is read only where numbers are rare.
  bool isRare = false;
  static constexpr unsigned mostStates = 32;
  unsigned states = 0;
};

std::optional<unsigned> Requests::Walk::request(const Value &value, llvm::ArrayRef<Expr> at) {
  auto [place, kept] = program.indexMemory.keep(at);
  unsigned own = requests.requests.size();
  auto [found, isNew] = known.try_emplace({&value, place}, own);
  if (!isNew)
    return found->second;
  Request &made = requests.requests.emplace_back();
  made.value = &value;
  made.at = kept;
  made.place = place;
  made.isRare = isRare;
  made.isLoad = value.kind == ValueKind::Input || value.kind == ValueKind::Scalar ||
                (requests.stored.contains(&value) && !requests.computed.contains(&value));
  if (!made.isLoad && !make(value, kept, own))
    return std::nullopt;
  return own;
}

bool Requests::Walk::make(const Value &value, llvm::ArrayRef<Expr> at, unsigned own) {
  index::Context &context = *program.context;
  switch (value.kind) {
  case ValueKind::Map:
    if (const Access *access = elidedCast(value, requests.stored))
      return follow(compose(*access, mapped(value.inputs[0], at, {}).at, program), own);
    return followAll(value, at, {}, own);
  case ValueKind::Select:
    return select(value, at, own);
  case ValueKind::State:
    // What a turn reads of the turn before it reads of all turns before; a loop that moves its
    // elements around would not come to an end.
    if (++states > mostStates)
      return false;
    if (StateRead read = readState(value, at); read != StateRead::Follow)
      return read == StateRead::Stop;
    return followAt(value.inputs[0], at, {}, own) && followAt(value.inputs[1], at, {}, own);
  case ValueKind::Random:
  case ValueKind::Final:
  case ValueKind::Scatter:
    return followAll(value, at, {}, own);
  case ValueKind::Sort:
    return followAll(value, at, context.symbol("!0"), own);
  case ValueKind::Search:
    // Any name will do for the place that is looked at.
    return followAll(value, at, context.symbol("!place"), own);
  case ValueKind::Call:
    // All of what it takes is read, whatever is asked for.
    return llvm::all_of(value.inputs,
                        [&](const Access &access) { return need(*access.from, access.at, own); });
  case ValueKind::Fold:
  case ValueKind::Scan:
    return fold(value, at, own);
  default:
    return true;
  }
}

/// At coordinates that decide a condition only the cases count that may hold.
bool Requests::Walk::select(const Value &value, llvm::ArrayRef<Expr> at, unsigned own) {
  for (const Case &alternative : value.cases) {
    Pred when = substituteIndices(alternative.when, at, {}, program);
    if (when.isFalse())
      continue;
    requests.requests[own].conditions.push_back(when);
    if (!followAt(alternative.access, at, {}, own))
      return false;
    if (when.isTrue())
      break;
  }
  return true;
}

bool Requests::Walk::fold(const Value &value, llvm::ArrayRef<Expr> at, unsigned own) {
  std::optional<llvm::SmallVector<Expr, 4>> indices = indicesOf(value, at);
  if (!indices)
    return false;
  llvm::ArrayRef<Expr> over = program.indexMemory.keep(*indices).second;
  requests.requests[own].over = over;
  if (value.kind == ValueKind::Scan) {
    llvm::SmallVector<Expr, 4> inner(at.begin(), at.end());
    inner[value.dim] = over.front();
    return followAll(value, inner, {}, own);
  }
  if (!value.hasHalves)
    return followAll(value, at, over, own);
  // The halves of a contraction's factors, and then the factors.
  for (const Access &access : llvm::ArrayRef(value.inputs).drop_front())
    if (!followAt(access, at, over, own))
      return false;
  isRare = true;
  bool isMade = followAt(value.inputs.front(), at, over, own);
  isRare = false;
  return isMade;
}

Access Requests::Walk::mapped(const Access &access, llvm::ArrayRef<Expr> at,
                              llvm::ArrayRef<Expr> fold) {
  Access result{access.from, {}, {}};
  for (Expr coordinate : access.at)
    result.at.push_back(substituteIndices(coordinate, at, fold, program));
  for (const LoadedIndex &loaded : access.loaded)
    result.loaded.push_back({loaded.symbol, mapped(loaded.access, at, fold)});
  return result;
}

bool Requests::Walk::need(const Value &value, llvm::ArrayRef<Expr> at, unsigned reader) {
  std::optional<unsigned> operand = request(value, at);
  if (operand)
    requests.requests[reader].operands.push_back(*operand);
  return operand.has_value();
}

/// Follows an access whose coordinates are those of the kernel.
bool Requests::Walk::follow(const Access &read, unsigned reader) {
  for (const LoadedIndex &loaded : read.loaded)
    if (!follow(loaded.access, reader))
      return false;
  return need(*read.from, read.at, reader);
}

bool Requests::Walk::followAt(const Access &access, llvm::ArrayRef<Expr> at,
                              llvm::ArrayRef<Expr> fold, unsigned reader) {
  if (!access.loaded.empty())
    return follow(mapped(access, at, fold), reader);
  // Most are elements of a map.
  bool isOwn =
      access.at.size() == at.size() && program.indexMemory.isIdentity(access.at, *program.context);
  if (isOwn)
    return need(*access.from, at, reader);
  llvm::SmallVector<Expr, 4> coordinates;
  for (Expr coordinate : access.at)
    coordinates.push_back(substituteIndices(coordinate, at, fold, program));
  return need(*access.from, coordinates, reader);
}

bool Requests::Walk::followAll(const Value &value, llvm::ArrayRef<Expr> at,
                               llvm::ArrayRef<Expr> fold, unsigned reader) {
  return llvm::all_of(value.inputs,
                      [&](const Access &access) { return followAt(access, at, fold, reader); }) &&
         llvm::all_of(value.cases, [&](const Case &alternative) {
           return followAt(alternative.access, at, fold, reader);
         });
}

bool Requests::add(const Value &value, llvm::ArrayRef<Expr> at, FoldRule indicesOf,
                   StateRule readState) {
  starts.push_back(requests.size());
  return Walk(*this, indicesOf, readState).request(value, at).has_value();
}

bool Requests::add(const Value &value, llvm::ArrayRef<Expr> at, FoldRule indicesOf) {
  return add(value, at, indicesOf,
             [](const Value &, llvm::ArrayRef<Expr>) { return StateRead::Follow; });
}

bool Requests::add(const Value &value, llvm::ArrayRef<Expr> at) {
  return add(value, at, [&](const Value &fold, llvm::ArrayRef<Expr>) {
    return std::optional(anyColumns(fold, *program.context));
  });
}

llvm::ArrayRef<Request> Requests::getAdded(unsigned number) const {
  size_t start = starts[number];
  size_t end = number + 1 < starts.size() ? starts[number + 1] : requests.size();
  return llvm::ArrayRef(requests).slice(start, end - start);
}

llvm::SmallVector<const Value *> Requests::getLoads() const {
  llvm::SetVector<const Value *> loads;
  for (const Request &request : requests)
    if (request.isTensorLoad())
      loads.insert(request.value);
  llvm::SmallVector<const Value *> sorted(loads.begin(), loads.end());
  llvm::stable_sort(sorted, [](const Value *a, const Value *b) { return a->order < b->order; });
  return sorted;
}

Requests requestsOf(const Program &program, const StoredSet &stored, const Kernel &kernel) {
  StoredSet computed;
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);
  Requests requests(program, stored, std::move(computed));
  for (const KernelOutput &output : kernel.outputs)
    requests.add(*output.value, output.at, [&](const Value &fold, llvm::ArrayRef<Expr>) {
      std::optional<llvm::SmallVector<Expr, 4>> own = kernel.indicesOf(fold);
      return own ? own : std::optional(anyColumns(fold, *program.context));
    });
  return requests;
}

} // namespace nereid::schedule
