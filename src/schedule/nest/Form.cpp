// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Form.h"
#include "schedule/nest/FormChooser.h"

#include "graph/GraphOps.h"
#include "index/MixedRadix.h"
#include "schedule/nest/ContractionForm.h"
#include "schedule/nest/SpanKernel.h"
#include "schedule/nest/Strips.h"
#include "schedule/nest/TileAxes.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

bool isStrideOfCall(Expr stride) {
  return stride.isSymbol() && stride.getName().starts_with("stride_");
}

Expr offsetOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> strides, index::Context &context) {
  Expr offset = context.constant(0);
  for (auto [index, stride] : llvm::zip_equal(at, strides))
    offset = offset + index * stride;
  // Where there are elements sizes are positive.
  return index::joinDigits(offset, [](Expr expr) {
    llvm::SmallVector<index::Term, 4> terms = expr.getTerms();
    bool isSize = terms.size() == 1 && expr.getConstantTerm() == 0 && terms[0].coefficient > 0;
    index::forEachSymbol(expr, [&](Expr symbol) {
      isSize &= !llvm::StringRef("@!$").contains(symbol.getName().front());
    });
    return isSize || expr.getConstant().value_or(0) > 0;
  });
}

Expr offsetOf(const Value &value, llvm::ArrayRef<Expr> at, const StrideMap &strides,
              index::Context &context) {
  auto found = strides.find(&value);
  assert(found != strides.end() && "a value without storage is read");
  return offsetOf(at, found->second, context);
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
  if (kernel.contraction)
    for (const NestedFold &nested : kernel.contraction->nested)
      bound(nested.terms);
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

void FormChooser::mergeAxes() {
  if (kernel.contraction) {
    form.batch = kernel.contraction->batch;
    form.rows = kernel.contraction->left;
    form.lanes = kernel.contraction->right;
  } else {
    form.rows = kernel.rows;
  }
  for (Space *space : {&form.batch, &form.rows, &form.lanes})
    exprs.mergeAxes(*space, form.merges);
  for (const Space &space : kernel.columns) {
    Space &columns = form.columns.emplace_back(space);
    if (space.window != 0)
      columns.windowIndex = form.merges.apply(space.windowIndex);
    if (!kernel.hasRows)
      exprs.orderAxes(columns);
    exprs.mergeAxes(columns, form.merges);
  }
}

void FormChooser::chooseSpan() {
  form.tiledRows = form.resident = true;
  int64_t sides = kernel.paired ? 2 : 1, columns = longestColumns() * sides;
  form.residentElements = chooseElements(program, spanElements(columns) / sides);
  // Where no row waits for a fold, a program that is alone hides what it waits for by its warps.
  int64_t programs = spansTogether(columns);
  bool hidesByWarps =
      program.policy.has(MoveKind::WideTuning) && !exprs.hasRowFolds() && programs == 1;
  form.configs = spanConfigs(columns, hidesByWarps);
  // Programs that have all rows are as many as they may be.
  if (!program.policy.has(MoveKind::BlockPipelining) || program.policy.isChosen() ||
      form.columns.size() != 1 || kernel.span == Kernel::allRows || hidesByWarps)
    return;
  int64_t bytes = 0;
  llvm::DenseSet<std::pair<const Value *, Expr>> seen;
  for (const Touch &touch : exprs.getTouches()) {
    Expr offset = form.merges.apply(touch.offset);
    auto runsAlong = [&](const Space &space) {
      return llvm::any_of(space.symbols,
                          [&](Expr symbol) { return index::contains(offset, symbol); });
    };
    // Several outputs may be made of it.
    if (!touch.isWrite && runsAlong(form.rows) && runsAlong(form.columns.front()) &&
        seen.insert({touch.value, offset}).second)
      bytes += touch.value->getElementBytes();
  }
  form.mostAhead = elementsAhead(bytes, programs);
  // Small tiles wait less, and what is on its way costs more: on an H200 the gradient of attention
  // over windows of 49 takes 376 us with rows on the way, and 173 with none.
  int64_t tile = std::max(residentElements, *index::nextPowerOfTwo(columns));
  form.turnsAhead = tile <= form.mostAhead ? spanTurns : 0;
}

void FormChooser::chooseMap() {
  form.tiledRows = true;
  if (kernel.mapTile == MapTile::Windows)
    return chooseStrips();
  form.neighbouringRows = kernel.mapTile == MapTile::Transposed;
  form.columnsOutermost = kernel.mapTile == MapTile::Rows && looksUpRows();
  form.configs = form.columnsOutermost && !program.policy.isChosen()
                     ? lookupConfigs()
                     : mapConfigs(program, form.neighbouringRows);
  fitBlocks();
}

/// Tiles of strips lie within an image, whose weights are numbers then.
void FormChooser::chooseStrips() {
  form.neighbouringRows = true;
  if (program.policy.isChosen()) {
    form.configs = mapConfigs(program, false);
    return;
  }
  form.configs =
      stripConfigs(program.policy, program.estimate(form.rows.extents.back()), longestColumns());
}

/// Whether rows of a table that the cache does not hold are found by data, each several times. On
/// an H200 an embedding of 65536 tokens by a table of 131 MB takes 106 us where the columns are
/// outermost, and 127 us where the rows are.
bool FormChooser::looksUpRows() const {
  constexpr int64_t bytesOfCache = 32 << 20;
  if (program.policy.isChosen())
    return program.policy.pick(2) == 1;
  int64_t written = 0;
  for (const KernelOutput &output : kernel.outputs)
    written += program.estimateElements(output.value->shape) * output.value->getElementBytes();
  return llvm::any_of(exprs.getTouches(), [&](const Touch &touch) {
    bool isByData = false;
    index::forEachSymbol(
        touch.offset, [&](Expr symbol) { isByData |= symbol.getName().starts_with(lookupPrefix); });
    return isByData && touch.bytes > bytesOfCache && touch.bytes < written;
  });
}

Form FormChooser::choose(bool resident) {
  mergeAxes();
  if (kernel.contraction)
    chooseContraction(program, exprs, kernel, form);
  else if (!kernel.hasRows)
    chooseFlat();
  else if (kernel.span != 0)
    chooseSpan();
  else if (kernel.isTiledMap())
    chooseMap();
  else
    chooseRows(resident);
  return std::move(form);
}

Form chooseForm(const Program &program, const StoredSet &stored, const StrideMap &strides,
                Kernel &kernel, bool resident) {
  KernelExprs exprs(program, stored, strides, kernel);
  if (!kernel.contraction &&
      (cutIntoStrips(program, stored, exprs, kernel) || pairColumns(program, exprs, kernel))) {
    KernelExprs ofCut(program, stored, strides, kernel);
    return FormChooser(program, ofCut, kernel).choose(resident);
  }
  if (!kernel.contraction)
    chooseTileAxes(program, exprs, strides, kernel);
  return FormChooser(program, exprs, kernel).choose(resident);
}

} // namespace nereid::schedule
