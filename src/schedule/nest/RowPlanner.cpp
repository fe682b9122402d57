// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of rows: the axes that all folds of some outputs share, and the columns that they run
// over.
#include "schedule/nest/AxisFinder.h"
#include "schedule/nest/Contraction.h"
#include "schedule/nest/Kernel.h"

#include <numeric>

namespace nereid::schedule {

namespace {
/// Looks at how the scans of a planned kernel are read by others, as they are, or a number of
/// elements behind: the indices that a fold or scan runs over, what it is made of being read as
/// many places behind.
static std::optional<llvm::SmallVector<Expr, 4>>
placeScan(Kernel &kernel, const Value &root, const Value &value, llvm::ArrayRef<Expr> at) {
  std::optional<llvm::SmallVector<Expr, 4>> own;
  for (const Space &space : kernel.columns)
    if (auto found = space.coordinatesOf(value); found && !own)
      own = found;
  if (value.kind != ValueKind::Scan || &value == &root || !own)
    return own;
  std::optional<int64_t> behind = (own->front() - at[value.dim]).getConstant();
  if (!behind || *behind < 0 || (*behind > 0 && value.isReversed))
    return std::nullopt;
  auto *scan = const_cast<Value *>(&value);
  if (!llvm::is_contained(kernel.innerScans, scan))
    kernel.innerScans.push_back(scan);
  own->front() = own->front() - *behind;
  return own;
}

class Planner {
public:
  Planner(const Program &program, llvm::ArrayRef<Value *> outputs, const StoredSet &stored,
          bool allowsInnerScans)
      : program(program), outputs(outputs), stored(stored), allowsInnerScans(allowsInnerScans),
        computed(outputs.begin(), outputs.end()), cuts(*program.context, program.indexMemory) {}

  std::optional<Kernel> run();

private:
  /// An output while its kernel is planned.
  struct Planned {
    llvm::SmallVector<Expr, 4> indices;
    std::vector<AxisFinder::Fold> folds;
    /// Its axes after cutting, and which of them are rows, in the order of the rows.
    std::vector<AxisCuts::Part> axes;
    std::optional<llvm::SmallVector<unsigned, 4>> rows;
  };
  bool findFolds();
  bool findRows(const Value &output, Planned &planned);
  bool takeRows(Planned &planned, const Planned &other) const;
  bool unifyRows();
  void planColumns();
  bool isSingle(const Value &output, const Planned &planned, unsigned axis) const;
  /// The axes along which a fold is needed, outermost first, and where its part begins.
  struct ReadAxes {
    llvm::SmallVector<unsigned, 4> axes;
    Expr start;
  };
  std::optional<ReadAxes> readAxes(Expr coordinate, const Planned &planned) const;
  unsigned addSpace(llvm::ArrayRef<Expr> extents);
  void cutSpace(unsigned number, llvm::ArrayRef<Expr> boundaries);
  void place(Value &output, const Planned &planned);
  bool checkScans();

  const Program &program;
  llvm::ArrayRef<Value *> outputs;
  const StoredSet &stored;
  bool allowsInnerScans;
  StoredSet computed;
  AxisCuts cuts;
  std::vector<FoldSpace> foldSpaces;
  std::vector<Planned> plans;
  /// Whether folds are needed at a part of their rows that does not begin with the first.
  bool readsParts = false;
  /// For each plan, the number of its column space.
  std::vector<int> columns;
  Kernel kernel;
};

} // namespace

/// The sizes that a kernel goes over to make an output.
static llvm::ArrayRef<Expr> traversedBy(const Value &output) {
  return output.kind == ValueKind::Scatter ? output.updateShape : output.shape;
}

/// Walks every output. Outputs of one shape share their indices, and so are cut alike.
bool Planner::findFolds() {
  for (auto [number, output] : llvm::enumerate(outputs)) {
    Planned &planned = plans.emplace_back();
    for (unsigned earlier = 0; earlier < number && planned.indices.empty(); ++earlier)
      if (outputs[earlier]->shape == output->shape)
        planned.indices = plans[earlier].indices;
    if (planned.indices.empty())
      for (auto [dim, extent] : llvm::enumerate(traversedBy(*output))) {
        planned.indices.push_back(
            program.context->symbol("!o" + std::to_string(number) + "_" + std::to_string(dim)));
        cuts.addIndex(planned.indices.back(), extent);
      }
    bool readsScans = program.policy.allows(MoveKind::ScansInRows);
    AxisFinder finder(program, readsScans, foldSpaces, cuts);
    if (!finder.find({program, stored, computed}, *output, planned.indices, planned.folds))
      return false;
    kernel.hasRows |= !planned.folds.empty();
  }
  cuts.cut();
  for (Planned &planned : plans)
    for (Expr index : planned.indices)
      for (const AxisCuts::Part &part : cuts.getParts(index))
        planned.axes.push_back(part);
  return true;
}

/// The axes whose row-major position a coordinate is, and where it begins.
std::optional<Planner::ReadAxes> Planner::readAxes(Expr coordinate, const Planned &planned) const {
  ReadAxes read;
  Expr stride = program.context->constant(1);
  while (!coordinate.isConstant(0)) {
    bool found = false;
    for (unsigned axis = 0; axis < planned.axes.size() && !found; ++axis) {
      auto linear = index::asLinearIn(coordinate, planned.axes[axis].symbol);
      if (!linear || linear->coefficient != stride || llvm::is_contained(read.axes, axis))
        continue;
      found = true;
      read.axes.insert(read.axes.begin(), axis);
      coordinate = linear->rest;
    }
    if (!found)
      break;
    stride = stride * planned.axes[read.axes.front()].extent;
  }
  bool isOfSizes = llvm::none_of(planned.axes, [&](const AxisCuts::Part &axis) {
    return index::contains(coordinate, axis.symbol);
  });
  if (read.axes.empty() || !isOfSizes)
    return std::nullopt;
  read.start = coordinate;
  return read;
}

/// The rows of an output: the axes at which its folds are needed, in the folds' order.
bool Planner::findRows(const Value &output, Planned &planned) {
  for (const AxisFinder::Fold &fold : planned.folds) {
    llvm::SmallVector<unsigned, 4> needed;
    for (auto [dim, index] : llvm::enumerate(fold.at)) {
      Expr extent = fold.value->shape[dim], coordinate = cuts.resolve(index);
      if (fold.value->kind == ValueKind::Scan && dim == fold.value->dim)
        continue;
      if (coordinate.isConstant(0) && extent.isConstant(1))
        continue;
      auto read = readAxes(coordinate, planned);
      if (!read)
        return false;
      // An axis of one element is none: outputs with and without it have the same rows.
      if (extent.isConstant(1) && read->axes.size() == 1 &&
          isSingle(output, planned, read->axes.front()))
        continue;
      // All of the axes must lie within the fold's: a fold under a pad would be made for rows that
      // it does not have.
      Expr rows = program.context->constant(1);
      index::Facts facts(*program.context);
      for (unsigned axis : read->axes) {
        if (llvm::is_contained(needed, axis))
          return false;
        needed.push_back(axis);
        boundIndex(facts, planned.axes[axis].symbol, planned.axes[axis].extent);
        rows = rows * planned.axes[axis].extent;
      }
      if (!facts.isTrue(index::ge(read->start, 0)) ||
          !facts.isTrue(index::le(read->start + rows, extent)))
        return false;
      readsParts |= !read->start.isConstant(0);
    }
    if (planned.rows && needed != *planned.rows)
      return false;
    planned.rows = needed;
  }
  return true;
}

/// Gives an output without folds the rows of another's, where its axes are as long as these and as
/// what is folded: which of equal ones are rows does not matter to what is computed, but the fold
/// and the output read the same where they are those that the fold leaves.
bool Planner::takeRows(Planned &planned, const Planned &other) const {
  const Value &fold = *other.folds.front().value;
  if (fold.kind != ValueKind::Fold || fold.window != 0 || fold.isSegment)
    return false;
  llvm::SmallVector<unsigned, 4> order(planned.axes.size()), rows(other.rows->size());
  std::iota(order.begin(), order.end(), 0);
  bool isFromLast = !isContiguous(fold);
  if (isFromLast)
    std::reverse(order.begin(), order.end());
  for (unsigned number = 0; number < rows.size(); ++number) {
    unsigned place = isFromLast ? rows.size() - 1 - number : number;
    Expr extent = other.axes[(*other.rows)[place]].extent;
    auto *axis =
        llvm::find_if(order, [&](unsigned each) { return planned.axes[each].extent == extent; });
    if (axis == order.end())
      return false;
    rows[place] = *axis;
    order.erase(axis);
  }
  Expr rest = program.context->constant(1);
  for (unsigned axis : order)
    rest = rest * planned.axes[axis].extent;
  if (rest != index::product(*program.context, fold.foldExtents))
    return false;
  planned.rows = rows;
  return true;
}

bool Planner::unifyRows() {
  // An output without folds takes its rows from one of its own shape that has some, or from folds
  // over what else it has.
  for (auto [output, planned] : llvm::zip_equal(outputs, plans)) {
    if (planned.rows)
      continue;
    for (auto [other, its] : llvm::zip_equal(outputs, plans))
      if (its.rows && other->shape == output->shape)
        planned.rows = its.rows;
    for (const Planned &its : plans)
      if (!planned.rows && its.rows && !its.folds.empty())
        (void)takeRows(planned, its);
    if (!planned.rows)
      return false;
  }
  for (auto [number, planned] : llvm::enumerate(plans)) {
    llvm::SmallVector<Expr, 4> extents;
    for (unsigned axis : *planned.rows)
      extents.push_back(planned.axes[axis].extent);
    if (number == 0)
      kernel.rows.extents = extents;
    else if (kernel.rows.extents != extents)
      return false;
  }
  for (unsigned i = 0; i < kernel.rows.extents.size(); ++i)
    kernel.rows.symbols.push_back(program.context->symbol("@r" + std::to_string(i)));
  return true;
}

/// The space of as many elements into whose axes these fit, or a new one.
unsigned Planner::addSpace(llvm::ArrayRef<Expr> extents) {
  llvm::SmallVector<Expr, 4> boundaries = boundariesOf(extents);
  Expr total = index::product(*program.context, extents);
  for (auto [number, space] : llvm::enumerate(kernel.columns)) {
    if (index::product(*program.context, space.extents) != total)
      continue;
    llvm::SmallVector<Expr, 4> chain = boundariesOf(space.extents);
    if (!llvm::all_of(boundaries,
                      [&](Expr boundary) { return addBoundary(chain, total, boundary); }))
      continue;
    cutSpace(number, chain);
    return number;
  }
  Space &space = kernel.columns.emplace_back();
  space.extents.assign(extents.begin(), extents.end());
  return kernel.columns.size() - 1;
}

/// Cuts a space at those boundaries that fit into it.
void Planner::cutSpace(unsigned number, llvm::ArrayRef<Expr> boundaries) {
  Space &space = kernel.columns[number];
  Expr total = index::product(*program.context, space.extents);
  llvm::SmallVector<Expr, 4> chain = boundariesOf(space.extents);
  bool isCut = false;
  for (Expr boundary : boundaries) {
    size_t before = chain.size();
    (void)addBoundary(chain, total, boundary);
    isCut |= chain.size() != before;
  }
  if (isCut)
    space.extents = extentsBetween(chain, total);
}

/// An axis of one element is no column, but a scan has its own axis whatever its extent is.
bool Planner::isSingle(const Value &output, const Planned &planned, unsigned axis) const {
  const AxisCuts::Part &part = planned.axes[axis];
  return part.extent.isConstant(1) &&
         !(output.kind == ValueKind::Scan && part.symbol == planned.indices[output.dim]);
}

/// Column spaces of as many elements are one space, so that what a fold read and what an output
/// needs is the same tile; its axes are those of all who traverse it.
void Planner::planColumns() {
  for (auto [output, planned] : llvm::zip_equal(outputs, plans)) {
    llvm::SmallVector<Expr, 4> rest;
    for (unsigned axis = 0; axis < planned.axes.size(); ++axis)
      if (!(planned.rows && llvm::is_contained(*planned.rows, axis)) &&
          !(kernel.hasRows && isSingle(*output, planned, axis)))
        rest.push_back(planned.axes[axis].extent);
    columns.push_back(rest.empty() && kernel.hasRows ? -1 : int(addSpace(rest)));
  }
  for (const FoldSpace &fold : foldSpaces) {
    if (fold.window != 0 || fold.segment)
      continue;
    unsigned number = addSpace(fold.extents);
    Expr inner = program.context->constant(1);
    for (unsigned i = fold.symbols.size(); i-- > 0;) {
      llvm::SmallVector<Expr, 4> boundaries;
      for (Expr boundary : cuts.getBoundaries(fold.symbols[i]))
        boundaries.push_back(boundary * inner);
      cutSpace(number, boundaries);
      inner = inner * fold.extents[i];
    }
  }
  for (auto [number, space] : llvm::enumerate(kernel.columns))
    for (unsigned i = 0; i < space.extents.size(); ++i)
      space.symbols.push_back(
          program.context->symbol("@c" + std::to_string(number) + "_" + std::to_string(i)));
}

/// Gives an output its coordinates over the rows and columns.
void Planner::place(Value &output, const Planned &planned) {
  int number = columns[kernel.outputs.size()];
  llvm::SmallVector<Expr, 4> rest;
  llvm::DenseMap<Expr, Expr> places;
  auto isRow = [&](unsigned axis) {
    return planned.rows && llvm::is_contained(*planned.rows, axis);
  };
  auto isColumn = [&](unsigned axis) {
    return !isRow(axis) && !(kernel.hasRows && isSingle(output, planned, axis));
  };
  for (unsigned axis = 0; axis < planned.axes.size(); ++axis)
    if (isColumn(axis))
      rest.push_back(planned.axes[axis].extent);
  std::optional<llvm::SmallVector<Expr, 4>> own;
  if (number >= 0)
    own = kernel.columns[number].coordinatesOf(rest);
  assert((number < 0 || own) && "an output's axes are not among those of its columns");
  unsigned column = 0;
  for (unsigned axis = 0; axis < planned.axes.size(); ++axis) {
    Expr &at = places[planned.axes[axis].symbol];
    if (isColumn(axis))
      at = (*own)[column++];
    else if (isRow(axis))
      at = kernel.rows.symbols[llvm::find(*planned.rows, axis) - planned.rows->begin()];
    else
      at = program.context->constant(0);
  }
  KernelOutput placed{&output, {}, number};
  for (Expr index : planned.indices) {
    Expr position = program.context->constant(0);
    for (const AxisCuts::Part &part : cuts.getParts(index))
      position = position * part.extent + places.at(part.symbol);
    placed.at.push_back(position);
  }
  kernel.outputs.push_back(std::move(placed));
}

/// Whether the scans that others read stand in the columns that these go over.
bool Planner::checkScans() {
  bool hasScans = llvm::any_of(llvm::zip_equal(outputs, plans), [](auto pair) {
    auto &[output, planned] = pair;
    return llvm::any_of(planned.folds, [&](const AxisFinder::Fold &request) {
      return request.value->kind == ValueKind::Scan && request.value != output;
    });
  });
  if (!hasScans)
    return true;
  if (!allowsInnerScans)
    return false;
  // Rows that are too long at the typical sizes would take kernels apart every time.
  for (const Planned &planned : plans)
    for (const AxisFinder::Fold &request : planned.folds) {
      const Value &scan = *request.value;
      if (scan.kind != ValueKind::Scan || program.policy.isChosen())
        continue;
      bool isInnermost = scan.dim + 1 == scan.shape.size();
      if (program.estimate(scan.shape[scan.dim]) >
          (isInnermost ? residentLimit : neighbouringLimit))
        return false;
    }
  for (const KernelOutput &output : kernel.outputs) {
    Requests requests(program, stored, computed);
    bool isMade =
        requests.add(*output.value, output.at, [&](const Value &fold, llvm::ArrayRef<Expr> at) {
          return placeScan(kernel, *output.value, fold, at);
        });
    if (!isMade)
      return false;
  }
  llvm::sort(kernel.innerScans, [](Value *a, Value *b) { return a->order < b->order; });
  StoredSet apart = stored;
  return !planScansApart(program, kernel, apart).empty();
}

std::optional<Kernel> Planner::run() {
  if (!findFolds())
    return std::nullopt;
  for (auto [output, planned] : llvm::zip_equal(outputs, plans)) {
    if (!findRows(*output, planned))
      return std::nullopt;
    if (!kernel.hasRows && output->shape != outputs.front()->shape)
      return std::nullopt;
  }
  // What a scatter goes over is not what it writes: no other output has the same axes.
  bool scatters =
      llvm::any_of(outputs, [](const Value *output) { return output->kind == ValueKind::Scatter; });
  if (scatters && (outputs.size() > 1 || kernel.hasRows))
    return std::nullopt;
  if (kernel.hasRows && !unifyRows())
    return std::nullopt;
  planColumns();
  for (auto [output, planned] : llvm::zip_equal(outputs, plans))
    place(*output, planned);
  if (!checkScans())
    return std::nullopt;
  auto isContraction = [&](const AxisFinder::Fold &fold) {
    return asContraction(program, *fold.value, stored).has_value();
  };
  if (kernel.hasRows && llvm::all_of(plans, [&](const Planned &planned) {
        return llvm::all_of(planned.folds, isContraction);
      }))
    kernel.contraction = findContractionAxes(program, kernel, stored);
  // Only tiles of products are made for several parts of what is folded: the gates of a cell.
  if (readsParts && !kernel.contraction)
    return std::nullopt;
  return std::move(kernel);
}

std::optional<Kernel> planRows(const Program &program, llvm::ArrayRef<Value *> outputs,
                               const StoredSet &stored, bool allowsInnerScans) {
  return Planner(program, outputs, stored, allowsInnerScans).run();
}

} // namespace nereid::schedule
