// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Form.h"

#include "schedule/AxisCuts.h"
#include "schedule/IndexMap.h"
#include "schedule/Unroll.h"

namespace nereid::schedule {

Expr offsetOf(const Value &value, llvm::ArrayRef<Expr> at, const StrideMap &strides,
              index::Context &context) {
  Expr offset = context.constant(0);
  auto found = strides.find(&value);
  assert(found != strides.end() && "a value without storage is read");
  for (auto [index, stride] : llvm::zip_equal(at, found->second))
    offset = offset + index * stride;
  return offset;
}

index::Facts factsOf(const Kernel &kernel, index::Context &context) {
  index::Facts facts(context);
  auto bound = [&](const Space &space) {
    for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
      boundIndex(facts, symbol, extent);
  };
  bound(kernel.rows);
  for (const Space &space : kernel.columns)
    bound(space);
  for (const Space &space : kernel.unrolled)
    bound(space);
  bound(kernel.outer);
  if (kernel.span != 0)
    facts.setRange(kernel.spanIndex, index::Range::atLeast(0));
  return facts;
}

Expr usePosition(Expr offset, const Space &space, Expr position) {
  if (space.symbols.size() < 2)
    return offset;
  auto linear = index::asLinearIn(offset, space.symbols.back());
  if (!linear || linear->coefficient.isConstant(0))
    return offset;
  index::Context &context = offset.getContext();
  Expr rest = offset - linear->coefficient * linearize(space.symbols, space.extents, context);
  bool gone = llvm::none_of(space.symbols, [&](Expr symbol) {
    return index::contains(rest, symbol) || index::contains(linear->coefficient, symbol);
  });
  return gone ? linear->coefficient * position + rest : offset;
}

namespace {

/// A read or write and how many bytes it moves.
struct Touch {
  Expr offset;
  /// The same with strides that only the call knows taken to be row-major, as they mostly are.
  Expr usual;
  int64_t bytes;
};

/// Collects every index expression of a kernel: addresses, and what is used as a number.
class ExprCollector : public RequestVisitor {
public:
  ExprCollector(const Program &program, const StrideMap &strides, Kernel &kernel)
      : program(program), strides(strides), kernel(kernel) {}

  void load(const Value &value, llvm::ArrayRef<Expr> at) override {
    if (value.kind == ValueKind::Scalar)
      return;
    add(value, at, 1);
  }
  void add(const Value &value, llvm::ArrayRef<Expr> at, int64_t weight) {
    index::Context &context = *program.context;
    Expr offset = offsetOf(value, at, strides, context), usual = context.constant(0);
    Expr stride = context.constant(1);
    for (size_t axis = at.size(); axis-- > 0;) {
      Expr own = strides.find(&value)->second[axis];
      bool known = !own.isSymbol() || !own.getName().starts_with("stride_");
      usual = usual + at[axis] * (known ? own : stride);
      stride = stride * value.shape[axis];
    }
    touches.push_back(
        {offset, usual, weight * program.estimateElements(value.shape) * value.getElementBytes()});
  }
  void index(Expr expr) override { others.push_back(expr); }
  void predicate(Pred pred) override { predicates.push_back(pred); }
  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value,
                                                 llvm::ArrayRef<Expr> at) override {
    if (kernel.carries(value))
      return kernel.rows.symbols;
    hasScans |= value.kind == ValueKind::Scan;
    llvm::SmallVector<Expr, 4> extents(value.foldExtents.begin(), value.foldExtents.end());
    if (value.kind == ValueKind::Scan)
      extents.assign({value.shape[value.dim]});
    for (const Space &space : kernel.columns)
      if (auto own = space.coordinatesOf(value))
        return own;
    Space space;
    space.extents = extents;
    if (value.kind == ValueKind::Fold && value.window != 0) {
      space.window = value.window;
      space.windowIndex = at[0];
      others.push_back(at[0]);
    }
    if (value.isSegment) {
      space.segment = &value;
      space.segmentIndex = at.vec();
    }
    for (unsigned i = 0; i < extents.size(); ++i)
      space.symbols.push_back(program.context->symbol("@c" + std::to_string(kernel.columns.size()) +
                                                      "_" + std::to_string(i)));
    kernel.columns.push_back(space);
    return space.symbols;
  }

  std::vector<Touch> touches;
  std::vector<Expr> others;
  std::vector<Pred> predicates;
  bool hasScans = false;

private:
  const Program &program;
  const StrideMap &strides;
  Kernel &kernel;
};

/// Merges axes of a space where all expressions of the kernel traverse them as one.
void mergeAxes(Space &space, const ExprCollector &exprs, AxisMerges &merges) {
  for (unsigned i = space.symbols.size(); i-- > 0 && space.symbols.size() > 1;)
    if (space.extents[i].isConstant(1)) {
      merges.drop(space.symbols[i]);
      space.symbols.erase(space.symbols.begin() + i);
      space.extents.erase(space.extents.begin() + i);
    }
  for (unsigned i = space.symbols.size(); i-- > 1;) {
    Expr p = space.symbols[i - 1], q = space.symbols[i], extent = space.extents[i];
    auto fits = [&](auto what) { return isLinearInPair(merges.apply(what), p, q, extent); };
    if (!llvm::all_of(exprs.touches, [&](const Touch &touch) { return fits(touch.offset); }) ||
        !llvm::all_of(exprs.others, fits) || !llvm::all_of(exprs.predicates, fits))
      continue;
    merges.merge(p, q, extent);
    space.extents[i] = space.extents[i - 1] * extent;
    space.symbols.erase(space.symbols.begin() + (i - 1));
    space.extents.erase(space.extents.begin() + (i - 1));
  }
}

/// Puts the axes of a flat space in the order of the strides, as most bytes have them.
void orderAxes(Space &space, const ExprCollector &exprs, const index::Facts &facts) {
  auto isFartherApart = [&](Expr p, Expr q) {
    int64_t bytes = 0;
    for (const Touch &touch : exprs.touches) {
      auto first = index::asLinearIn(touch.offset, p), second = index::asLinearIn(touch.offset, q);
      if (!first || !second || first->coefficient.isConstant(0) ||
          second->coefficient.isConstant(0))
        continue;
      if (facts.isTrue(index::lt(first->coefficient, second->coefficient)) ||
          first->coefficient.isConstant(1))
        bytes -= touch.bytes;
      else if (facts.isTrue(index::lt(second->coefficient, first->coefficient)) ||
               second->coefficient.isConstant(1))
        bytes += touch.bytes;
    }
    return bytes;
  };
  for (size_t turn = 0; turn < space.symbols.size(); ++turn)
    for (size_t i = 1; i < space.symbols.size(); ++i)
      if (isFartherApart(space.symbols[i - 1], space.symbols[i]) < 0) {
        std::swap(space.symbols[i - 1], space.symbols[i]);
        std::swap(space.extents[i - 1], space.extents[i]);
      }
}

/// Bytes of the accesses that are contiguous along an axis.
int64_t votes(Expr symbol, const ExprCollector &exprs, const AxisMerges &merges) {
  int64_t bytes = 0;
  for (const Touch &touch : exprs.touches) {
    auto linear = index::asLinearIn(merges.apply(touch.usual), symbol);
    if (linear && linear->coefficient.isConstant(1))
      bytes += touch.bytes;
  }
  return bytes;
}

/// Whether the elements of each index of an axis form one piece of every output that has it: a
/// coordinate is `c * index + rest` with `rest` less than c.
bool makesPieces(const Kernel &kernel, llvm::ArrayRef<Expr> axes, const index::Facts &facts) {
  auto isPiece = [&](Expr coordinate) {
    for (Expr axis : axes) {
      if (!index::contains(coordinate, axis))
        continue;
      auto linear = index::asLinearIn(coordinate, axis);
      return linear && facts.isTrue(index::ge(linear->rest, 0)) &&
             facts.isTrue(index::lt(linear->rest, linear->coefficient)) &&
             llvm::none_of(axes, [&](Expr other) { return index::contains(linear->rest, other); });
    }
    return true;
  };
  return llvm::all_of(kernel.outputs,
                      [&](const KernelOutput &output) { return llvm::all_of(output.at, isPiece); });
}

/// A few columns far apart in memory have a load each; those that lie in one piece are a tile's.
bool unrollPays(const Program &program, const ExprCollector &exprs, const Kernel &kernel,
                const index::Facts &facts, int stage) {
  if (exprs.hasScans || !hasFewColumns(kernel, exprs.touches.size()))
    return false;
  for (const Space &space : kernel.columns)
    if (!makesPieces(kernel, space.symbols, facts))
      return false;
  if (program.choose)
    return program.choose(2) == 1;
  AxisMerges none;
  int64_t rowVotes = votes(kernel.rows.symbols.back(), exprs, none);
  return stage >= 3 && llvm::none_of(kernel.columns, [&](Space space) {
           AxisMerges merges;
           mergeAxes(space, exprs, merges);
           return space.symbols.size() == 1 && votes(space.symbols[0], exprs, merges) > rowVotes;
         });
}

/// An axis of a flat kernel on whose index it depends what is computed: the pieces of a
/// concatenation or of a stack. With code for each, no lane computes what it does not store.
std::optional<unsigned> axisToUnroll(const Program &program, const ExprCollector &exprs,
                                     const Kernel &kernel, const index::Facts &facts, int stage) {
  const Space &flat = kernel.columns.front();
  for (unsigned axis = flat.symbols.size(); axis-- > 0 && flat.symbols.size() > 1;) {
    bool isInnermost = axis + 1 == flat.symbols.size();
    if (!isFewElements(flat.extents[axis], exprs.touches.size()) ||
        (isInnermost && !flat.extents[axis].isConstant(2)) ||
        (!isInnermost && !makesPieces(kernel, flat.symbols[axis], facts)))
      continue;
    bool decides = llvm::any_of(exprs.predicates, [&](Pred pred) {
      bool found = false;
      index::forEachSymbol(facts.simplify(pred),
                           [&](Expr symbol) { found |= symbol == flat.symbols[axis]; });
      return found;
    });
    if (program.choose ? program.choose(2) == 1 : decides && stage >= 3)
      return axis;
  }
  return std::nullopt;
}

/// A block of 1 to 256 elements, as the chooser says.
int64_t anyBlock(const Program &program) { return int64_t(1) << program.choose(9); }

/// Where each program makes all turns of a loop, few elements a program leave work for many.
std::vector<Config> flatConfigs(const Program &program, int stage, bool hasTurns) {
  if (program.choose)
    return {{{{"BLOCK", anyBlock(program)}}, 4, 3}};
  if (hasTurns && stage < 2)
    return {{{{"BLOCK", 128}}, 4, 3}};
  if (hasTurns)
    return {{{{"BLOCK", 64}}, 2, 3}, {{{"BLOCK", 128}}, 4, 3}, {{{"BLOCK", 32}}, 1, 3}};
  if (stage < 2)
    return {{{{"BLOCK", 1024}}, 4, 3}};
  std::vector<Config> configs = {{{{"BLOCK", 1024}}, 4, 3},
                                 {{{"BLOCK", 2048}}, 8, 3},
                                 {{{"BLOCK", 4096}}, 8, 3},
                                 {{{"BLOCK", 512}}, 4, 3}};
  // Many loads of each lane on the way at once: 135 us for 142 of a rotary embedding on an H200.
  if (stage >= 3)
    configs.push_back({{{"BLOCK", 1024}}, 1, 3});
  return configs;
}

/// A turn waits for what it reads unless that was asked for turns before: on an H200 sixteen turns
/// ahead are up to six times as fast as none. What is on its way lies in shared memory.
int64_t chooseTurnsAhead(size_t reads) {
  constexpr int64_t mostBytes = 64 << 10, bytesOfTurn = 128 * 4, mostTurns = 16;
  return std::clamp<int64_t>(mostBytes / (bytesOfTurn * std::max<int64_t>(reads, 1)), 2, mostTurns);
}

/// The same for a scan along an axis whose neighbours lie far apart, which few programs share: on
/// an H200 three blocks ahead take 154 us where none take 226.
int64_t chooseBlocksAhead(llvm::ArrayRef<Config> configs, size_t reads) {
  constexpr int64_t mostBytes = 64 << 10, bytesOfElement = 4, mostBlocks = 4;
  int64_t bytes = bytesOfElement * std::max<int64_t>(reads, 1);
  for (auto &[block, number] : configs.front().blocks)
    bytes *= number;
  return std::clamp<int64_t>(mostBytes / bytes, 2, mostBlocks);
}

/// Elements of all rows together that a program holds.
constexpr int64_t residentElements = 4096;
/// The same where rows are neighbours in memory, and the longest of them that are held: 16 of those
/// fill the sectors that they touch.
constexpr int64_t neighbouringElements = 16384;

std::vector<Config> rowConfigs(const Program &program, int stage, bool resident, bool tiledRows) {
  if (program.choose && tiledRows)
    return {{{{"BLOCK_M", anyBlock(program)}, {"BLOCK_N", anyBlock(program)}}, 4, 3}};
  if (program.choose && !resident)
    return {{{{"BLOCK_N", anyBlock(program)}}, 4, 3}};
  if (tiledRows) {
    if (stage < 2)
      return {{{{"BLOCK_M", 64}, {"BLOCK_N", 16}}, 4, 3}};
    return {{{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3},
            {{{"BLOCK_M", 128}, {"BLOCK_N", 16}}, 4, 3},
            {{{"BLOCK_M", 128}, {"BLOCK_N", 64}}, 8, 3},
            {{{"BLOCK_M", 32}, {"BLOCK_N", 32}}, 4, 3}};
  }
  if (resident && stage >= 3)
    return {{{}, 8, 3}, {{}, 4, 3}, {{}, 16, 3}, {{}, 32, 3}};
  if (resident)
    return {{{}, 4, 3}, {{}, 8, 3}, {{}, 16, 3}, {{}, 1, 3}};
  if (stage < 2)
    return {{{{"BLOCK_N", 1024}}, 4, 3}};
  if (stage < 3)
    return {{{{"BLOCK_N", 4096}}, 8, 3}, {{{"BLOCK_N", 2048}}, 4, 3}, {{{"BLOCK_N", 8192}}, 16, 3}};
  // With few programs at a time, what a second loop reads is still in the cache; with many, some
  // compute while others wait: on an H200 the groups of a group norm of 131072 elements take 259 us
  // with the smallest block, and 324 us with the others.
  return {{{{"BLOCK_N", 4096}}, 8, 3},
          {{{"BLOCK_N", 2048}}, 4, 3},
          {{{"BLOCK_N", 8192}}, 16, 3},
          {{{"BLOCK_N", 1024}}, 4, 3},
          {{{"BLOCK_N", 32768}}, 32, 3}};
}

/// Whether what is repeated along the first row axis would come from memory again and again: a bias
/// of all heads that each element of a batch adds. On an H200, where a batch of 8 adds one of 34 MB
/// to 268 MB of scores, programs that lie side by side and share it are 1.2 times as fast.
bool repeatsAlongFirst(const Program &program, const ExprCollector &exprs, const Form &form) {
  constexpr int64_t bytesOfCache = 32 << 20, leastShare = 8, mostRepeats = 256;
  if (form.rows.symbols.size() < 2)
    return false;
  int64_t repeated = 0, all = 0, repeats = program.estimate(form.rows.extents.front());
  for (const Touch &touch : exprs.touches) {
    all += touch.bytes;
    if (!index::contains(form.merges.apply(touch.offset), form.rows.symbols.front()))
      repeated += touch.bytes;
  }
  return repeats > 1 && repeats <= mostRepeats && all / repeats > bytesOfCache &&
         repeated * (repeats - 1) * leastShare > all;
}

/// Most segments are short: few elements at a time, and of their columns as many as there are, so
/// that few programs find the same bounds.
std::vector<Config> segmentConfigs(int stage, bool tiledRows, int64_t width) {
  int64_t side = *index::nextPowerOfTwo(std::clamp<int64_t>(width, 32, 2048));
  int64_t rows = std::clamp<int64_t>(4096 / side, 2, 8);
  int warps = side > 256 ? 8 : side > 64 ? 4 : 2;
  std::vector<Config> configs = {
      {{{"BLOCK_M", side}, {"BLOCK_N", rows}}, warps, 3},
      {{{"BLOCK_M", side}, {"BLOCK_N", rows / 2}}, warps, 3},
      {{{"BLOCK_M", std::min<int64_t>(side, 256)}, {"BLOCK_N", 8}}, 4, 3},
      {{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3}};
  if (!tiledRows)
    configs = {{{{"BLOCK_N", 64}}, 1, 3}, {{{"BLOCK_N", 512}}, 4, 3}, {{{"BLOCK_N", 2048}}, 8, 3}};
  if (stage < 2)
    configs.resize(1);
  return configs;
}

/// The share of a kernel's bytes that must be contiguous along a second axis for it to get a side
/// of the tile.
constexpr int64_t secondShare = 4;

/// A side of a tile below which tiles do not pay.
constexpr int64_t shortestSide = 16;

/// Where a map reads along one axis and writes along another, tiles take both: the second axis
/// becomes rows, the contiguous one columns, so that each access has whole sectors.
void tileTransposed(const Program &program, const ExprCollector &exprs, Kernel &kernel) {
  Space flat = kernel.columns.front();
  if (flat.symbols.size() < 2)
    return;
  int64_t all = 0;
  for (const Touch &touch : exprs.touches)
    all += touch.bytes;
  llvm::SmallVector<int64_t> votesOf;
  for (Expr symbol : flat.symbols)
    votesOf.push_back(votes(symbol, exprs, AxisMerges()));
  size_t first = std::max_element(votesOf.begin(), votesOf.end()) - votesOf.begin();
  std::optional<size_t> second;
  for (size_t axis = 0; axis < votesOf.size(); ++axis)
    if (axis != first && votesOf[axis] * secondShare >= all &&
        (!second || votesOf[axis] > votesOf[*second]))
      second = axis;
  if (program.choose && program.choose(3) == 0)
    second = (first + 1) % flat.symbols.size();
  if (!second)
    return;
  // Along a short axis a block of a flat kernel has whole sectors of each of its elements anyway.
  auto isShort = [&](size_t axis) { return program.estimate(flat.extents[axis]) < shortestSide; };
  if (!program.choose && (isShort(first) || isShort(*second)))
    return;
  Space rows, columns;
  for (size_t axis = 0; axis < flat.symbols.size(); ++axis) {
    if (axis == *second)
      continue;
    Space &space = axis == first ? columns : rows;
    space.symbols.push_back(flat.symbols[axis]);
    space.extents.push_back(flat.extents[axis]);
  }
  rows.symbols.push_back(flat.symbols[*second]);
  rows.extents.push_back(flat.extents[*second]);
  kernel.rows = rows;
  kernel.columns = {columns};
  kernel.hasRows = true;
  for (KernelOutput &output : kernel.outputs)
    output.columns = 0;
  kernel.isTransposed = true;
}

/// Rows in which the side of a tile finds elements enough.
constexpr int64_t shortestRow = 64;

/// The bytes that a kernel writes.
int64_t writtenBytes(const Program &program, const Kernel &kernel) {
  int64_t bytes = 0;
  llvm::DenseSet<const Value *> counted;
  for (const KernelOutput &output : kernel.outputs)
    if (counted.insert(output.value).second)
      bytes += program.estimateElements(output.value->shape) * output.value->getElementBytes();
  return bytes;
}

/// A map that reads far less than it writes, such as a product of a row and a column: nothing hides
/// the divisions of a flat kernel, and a tile divides once a row and not once an element. What is
/// read and written lies side by side along the columns, and the strides of the outputs are known.
bool tileRows(const Program &program, const ExprCollector &exprs, Kernel &kernel,
              const StrideMap &strides, const index::Facts &facts) {
  for (const KernelOutput &output : kernel.outputs)
    for (Expr stride : strides.find(output.value)->second)
      if (stride.isSymbol() && stride.getName().starts_with("stride_"))
        return false;
  Space flat = kernel.columns.front();
  orderAxes(flat, exprs, facts);
  Space merged = flat;
  AxisMerges merges;
  mergeAxes(merged, exprs, merges);
  if (merged.symbols.size() < 2)
    return false;
  Expr column = merged.symbols.back(), row = merged.symbols[merged.symbols.size() - 2];
  int64_t all = 0;
  for (const Touch &touch : exprs.touches) {
    auto linear = index::asLinearIn(merges.apply(touch.usual), column);
    if (!linear || !(linear->coefficient.isConstant(0) || linear->coefficient.isConstant(1)))
      return false;
    all += touch.bytes;
  }
  // What is written counts twice there.
  int64_t written = writtenBytes(program, kernel), read = all - 2 * written;
  if (program.choose ? program.choose(2) == 0
                     : read * 2 > written || program.estimate(merged.extents.back()) < shortestRow)
    return false;
  Space rows, columns;
  bool isRow = true;
  for (auto [symbol, extent] : llvm::zip_equal(flat.symbols, flat.extents)) {
    Space &space = isRow ? rows : columns;
    space.symbols.push_back(symbol);
    space.extents.push_back(extent);
    isRow &= symbol != row;
  }
  kernel.rows = rows;
  kernel.columns = {columns};
  kernel.hasRows = kernel.isTransposed = true;
  for (KernelOutput &output : kernel.outputs)
    output.columns = 0;
  return true;
}

} // namespace

Form chooseForm(const Program &program, const StoredSet &stored, const StrideMap &strides,
                Kernel &kernel, int stage, bool resident) {
  Form form;
  StoredSet computed;
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);
  ExprCollector exprs(program, strides, kernel);
  for (const KernelOutput &output : kernel.outputs) {
    (void)walkRequests(program, stored, computed, *output.value, output.at, exprs);
    llvm::SmallVector<Expr, 4> written(output.at);
    // Where a scatter writes along its axis is data.
    if (output.value->kind == ValueKind::Scatter)
      written[output.value->dim] = program.context->constant(0);
    exprs.add(*output.value, written, 2);
  }
  index::Facts facts = factsOf(kernel, *program.context);
  for (Touch &touch : exprs.touches) {
    touch.offset = facts.simplify(touch.offset);
    touch.usual = facts.simplify(touch.usual);
  }
  for (Expr &expr : exprs.others)
    expr = facts.simplify(expr);
  for (Space &space : kernel.columns)
    if (space.window != 0)
      space.windowIndex = facts.simplify(space.windowIndex);
  if (unrollPays(program, exprs, kernel, facts, stage))
    unrollColumns(kernel, *program.context);
  bool scatters = kernel.outputs.front().value->kind == ValueKind::Scatter;
  bool isMap = !kernel.hasRows && !scatters && kernel.loop < 0;
  if (isMap && kernel.unrolled.empty())
    if (auto axis = axisToUnroll(program, exprs, kernel, facts, stage))
      unrollAxis(kernel, *axis, *program.context);
  if (isMap && !kernel.paired && (stage >= 3 || program.choose))
    tileTransposed(program, exprs, kernel);
  bool isInRows = isMap && !kernel.paired && !kernel.isTransposed &&
                  (stage >= 3 || program.choose) &&
                  tileRows(program, exprs, kernel, strides, facts);
  form.rows = kernel.rows;
  mergeAxes(form.rows, exprs, form.merges);
  for (const Space &space : kernel.columns) {
    form.columns.push_back(space);
    if (space.window != 0)
      form.columns.back().windowIndex = form.merges.apply(space.windowIndex);
    if (!kernel.hasRows)
      orderAxes(form.columns.back(), exprs, facts);
    mergeAxes(form.columns.back(), exprs, form.merges);
  }
  if (!kernel.hasRows) {
    form.configs = flatConfigs(program, stage, kernel.loop >= 0);
    if (kernel.loop >= 0 && stage >= 2)
      form.turnsAhead = chooseTurnsAhead(exprs.touches.size());
    Expr position = program.context->symbol("@p");
    for (const Touch &touch : exprs.touches) {
      Expr offset = usePosition(form.merges.apply(touch.offset), form.columns.front(), position);
      form.denseAccesses += index::contains(offset, position);
    }
    return form;
  }
  if (kernel.span != 0) {
    form.tiledRows = form.resident = true;
    form.residentElements = program.choose ? int64_t(1) << program.choose(8) : residentElements;
    form.configs = {{{}, 8, 3}, {{}, 4, 3}, {{}, 16, 3}, {{}, 32, 3}};
    return form;
  }
  int64_t rowVotes =
      form.rows.symbols.empty() ? 0 : votes(form.rows.symbols.back(), exprs, form.merges);
  int64_t columnVotes = 0;
  for (const Space &space : form.columns)
    if (!space.symbols.empty())
      columnVotes = std::max(columnVotes, votes(space.symbols.back(), exprs, form.merges));
  if (isInRows) {
    form.tiledRows = true;
    form.configs = {{{{"BLOCK_M", 16}, {"BLOCK_N", 128}}, 4, 3},
                    {{{"BLOCK_M", 32}, {"BLOCK_N", 64}}, 4, 3},
                    {{{"BLOCK_M", 4}, {"BLOCK_N", 512}}, 4, 3},
                    {{{"BLOCK_M", 8}, {"BLOCK_N", 256}}, 8, 3}};
    if (program.choose)
      form.configs = rowConfigs(program, stage, false, true);
    return form;
  }
  // Rows one element apart in memory, columns far apart: a block of rows makes the accesses
  // coalesced.
  if (kernel.isTransposed) {
    form.tiledRows = form.neighbouringRows = true;
    form.configs = {{{{"BLOCK_M", 64}, {"BLOCK_N", 64}}, 8, 3},
                    {{{"BLOCK_M", 32}, {"BLOCK_N", 64}}, 4, 3},
                    {{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3},
                    {{{"BLOCK_M", 128}, {"BLOCK_N", 32}}, 8, 3}};
    if (program.choose)
      form.configs = rowConfigs(program, stage, false, true);
    return form;
  }
  bool isWindow = llvm::any_of(form.columns, [&](const Space &space) {
    if (space.segment)
      return llvm::any_of(space.segment->inputs[1].at, [&](Expr coordinate) {
        Expr here = substituteIndices(coordinate, space.segmentIndex, {}, program);
        return index::contains(here, form.rows.symbols.back());
      });
    return space.window != 0 && !form.rows.symbols.empty() &&
           index::contains(space.windowIndex, form.rows.symbols.back());
  });
  // A loop's state stays where it is from turn to turn.
  form.tiledRows = rowVotes > columnVotes && !isWindow && kernel.loop < 0;
  if (program.choose && !form.rows.symbols.empty() && !isWindow && kernel.loop < 0)
    form.tiledRows = program.choose(2) == 1;
  form.neighbouringRows = form.tiledRows;
  // A row that nothing but folds of the first loop reads is read once in any form.
  bool ownsColumns =
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.columns >= 0; });
  bool holdsNeighbours = stage >= 3 && ownsColumns;
  if (program.choose && form.tiledRows)
    holdsNeighbours = program.choose(2) == 1;
  form.resident = resident && (!form.tiledRows || holdsNeighbours);
  if (form.resident && form.tiledRows) {
    form.residentElements = program.choose ? int64_t(1) << program.choose(8) : neighbouringElements;
    form.configs = {{{}, 8, 3}, {{}, 4, 3}, {{}, 16, 3}};
    return form;
  }
  bool hasParts = llvm::any_of(form.columns, [](const Space &space) { return space.isPart(); });
  form.firstAxisFastest = stage >= 3 && !form.tiledRows && !hasParts && kernel.loop < 0 &&
                          repeatsAlongFirst(program, exprs, form);
  if (program.choose && form.rows.symbols.size() > 1 && !form.tiledRows && !hasParts)
    form.firstAxisFastest = program.choose(2) == 1;
  // Several short rows share a program: one alone would leave most of its lanes idle.
  int64_t longest = 1;
  for (const Space &space : form.columns)
    longest = std::max(longest, program.estimateElements(space.extents));
  bool isShort = stage >= 3 && longest <= residentElements / 4;
  if (program.choose && form.resident)
    isShort = program.choose(2) == 1;
  if (form.resident && isShort && !form.rows.symbols.empty()) {
    form.tiledRows = true;
    form.residentElements = program.choose ? int64_t(1) << program.choose(8) : residentElements;
    form.configs = {{{}, 4, 3}, {{}, 8, 3}, {{}, 2, 3}};
    return form;
  }
  form.configs = rowConfigs(program, stage, form.resident, form.tiledRows);
  bool hasScan = llvm::any_of(kernel.outputs, [](const KernelOutput &output) {
    return output.value->kind == ValueKind::Scan;
  });
  if (hasScan && form.tiledRows && stage >= 3)
    form.turnsAhead = chooseBlocksAhead(form.configs, exprs.touches.size() - 1);
  bool hasSegments = llvm::any_of(form.columns, [](const Space &space) { return space.segment; });
  if (hasSegments && !program.choose) {
    int64_t width = form.tiledRows ? program.estimate(form.rows.extents.back()) : 1;
    form.configs = segmentConfigs(stage, form.tiledRows, width);
  }
  return form;
}

} // namespace nereid::schedule
