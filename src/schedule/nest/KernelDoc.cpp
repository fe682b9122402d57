// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/KernelDoc.h"

#include "graph/GraphOps.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nereid::schedule {

/// `max, sub, exp, sum, div`: each operator once, in the order of its first use.
static std::string listOperators(llvm::ArrayRef<const Value *> values) {
  llvm::SetVector<llvm::StringRef> names;
  for (const Value *value : values) {
    if (!value->op || value->isElidableCast())
      continue;
    llvm::StringRef name = value->op->getName().stripDialect();
    if (auto fold = dyn_cast<graph::FoldOp>(value->op))
      name = graph::stringifyFoldKind(fold.getKind());
    names.insert(name);
  }
  return llvm::join(names, ", ");
}

/// `softmax.py:7-9`: the lines of the user's file; empty when unknown.
static std::string listLines(llvm::ArrayRef<const Value *> values) {
  std::string file;
  unsigned first = 0, last = 0;
  for (const Value *value : values)
    value->loc->walk([&](Location part) {
      auto place = dyn_cast<FileLineColLoc>(part);
      // Preludes are files of ours.
      if (!place || place.getFilename().getValue().starts_with("<"))
        return WalkResult::advance();
      std::string name = llvm::sys::path::filename(place.getFilename().getValue()).str();
      if (file.empty())
        file = name, first = last = place.getLine();
      if (file == name) {
        first = std::min(first, place.getLine());
        last = std::max(last, place.getLine());
      }
      return WalkResult::advance();
    });
  if (file.empty())
    return "";
  return file + ":" + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
}

/// What a program does that makes nested contractions again.
static std::string describeNested(const Program &program, const Kernel &kernel, const Form &form,
                                  llvm::StringRef batch, llvm::StringRef columns) {
  std::string rows = "BLOCK_M rows";
  if (!form.lanes.extents.empty())
    rows += " of " +
            program.sizeForms.outward(index::product(*program.context, form.lanes.extents)).str() +
            " elements";
  std::string text = "Each program computes " + rows + batch.str() + " from " + columns.str() +
                     " columns, BLOCK_K at a time";
  llvm::ArrayRef<NestedFold> nested = kernel.contraction->nested;
  if (nested.empty())
    return text + ".";
  std::string names;
  for (const NestedFold &each : nested)
    if (each.fold->isNamed)
      names += (names.empty() ? "" : ", ") + each.fold->name;
  return text + ":\ntiles of " + (names.empty() ? "inner products" : names) +
         " are made again, not stored.";
}

/// What one program of the grid does.
static std::string describeProgram(const Program &program, const Kernel &kernel, const Form &form) {
  if (kernel.turn)
    return "Each program makes all " + kernel.turns.str() + " turns for BLOCK elements in a row.";
  if (kernel.contraction) {
    std::string batch = form.batch.symbols.empty() ? "" : " of an element of the batch";
    // A product of sizes is easier to read than what it is as a sum.
    std::string terms;
    for (const Space *space : {&form.outerColumns, &form.columns[0]})
      for (Expr extent : space->extents) {
        std::string size = program.sizeForms.outward(extent).str();
        bool isSum = extent.getKind() == index::ExprKind::Sum;
        terms += (terms.empty() ? "" : " * ") + (isSum ? "(" + size + ")" : size);
      }
    if (kernel.contraction->isNested())
      return describeNested(program, kernel, form, batch, terms);
    std::string text = "Each program computes BLOCK_M x BLOCK_N elements" + batch + " as sums of " +
                       terms + " products,\nBLOCK_K at a time.";
    if (kernel.contraction->haveHalves)
      text += " Factors are (high + low / 4096) * scale; where\n"
              "their spreads add up to 3 they are multiplied as float32: zeros of one may\n"
              "leave to the sum what the other has few digits of.";
    return text;
  }
  if (kernel.outputs.front().value->kind == ValueKind::Scatter)
    return "Each program sends BLOCK elements to their places.";
  if (!kernel.hasRows)
    return "Each program computes BLOCK elements in a row.";
  if (kernel.strip)
    return "Each program computes BLOCK_M strips of " + std::to_string(kernel.strip->count) +
           " neighbours, of BLOCK_N columns each: what\ntheir windows share is read once.";
  // A fold over no axes has a column of one element.
  if (form.columns.empty() || form.columns[0].extents.empty())
    return "Each program computes one row.";
  Expr count = index::product(*program.context, form.outerColumns.extents) *
               index::product(*program.context, form.columns[0].extents);
  std::string length = program.sizeForms.outward(count).str();
  if (form.columns[0].segment)
    return "Each program goes over one segment of " + length + " elements" +
           (form.tiledRows ? ", BLOCK_N of BLOCK_M columns at a time." : ", BLOCK_N at a time.");
  if (int64_t window = form.columns[0].window)
    return "Each program goes over " + std::to_string(window) + " of " + length + " elements" +
           (form.tiledRows ? " of BLOCK_M rows." : ".");
  if (kernel.span != 0) {
    std::string carried;
    for (const KernelOutput &output : kernel.outputs)
      if (output.isCarried)
        carried += (carried.empty() ? "" : ", ") + output.value->name;
    std::string rows = kernel.span == Kernel::allRows ? "all" : std::to_string(kernel.span);
    return "Each program goes over " + rows + " rows of " + length +
           " elements, BLOCK_M at a time,\nand carries " + carried +
           " through them: what is read is read once.";
  }
  if (form.tiledRows && form.resident)
    return "Each program holds BLOCK_M rows of " + length + " elements at once.";
  if (form.tiledRows)
    return "Each program takes BLOCK_M rows of " + length + " elements, BLOCK_N at a time.";
  std::string row = kernel.rows.symbols.empty() ? "The one program" : "Each program";
  std::string what = kernel.rows.symbols.empty() ? " all " : " a row of ";
  if (form.resident)
    return row + " holds" + what + length + " elements at once.";
  return row + " goes over" + what + length + " elements, BLOCK_N at a time.";
}

std::string describeKernel(const Program &program, const Requests &requests, const Kernel &kernel,
                           const Form &form, llvm::ArrayRef<std::string> ownLoops) {
  std::string names, overwritten;
  StoredSet named;
  for (const KernelOutput &output : kernel.outputs) {
    if (!named.insert(output.value).second)
      continue;
    const Value *memory = output.value->memory;
    // The parts of a whole are that, once.
    const Value *shown = memory ? memory : output.value->join ? output.value->join : output.value;
    if (shown != output.value && !memory && !named.insert(shown).second)
      continue;
    names += (names.empty() ? "" : ", ") + shown->name;
    if (memory)
      overwritten += std::string(overwritten.empty() ? "" : ", ") +
                     (output.value->memoryStarts.empty() ? "" : "a part of ") + memory->name;
  }
  llvm::SetVector<const Value *> computed;
  for (const Request &request : requests.getAll())
    if (request.isComputed() || request.isFold())
      computed.insert(request.value);
  llvm::SmallVector<const Value *> values(computed.begin(), computed.end());
  llvm::stable_sort(values, [](const Value *a, const Value *b) { return a->order < b->order; });
  std::string from;
  // The parts of a factor are there because the factor is.
  for (const Value *value : requests.getLoads())
    if (!value->isAlwaysStored)
      from += (from.empty() ? " from " : ", ") + value->name;
  std::string operators = listOperators(values), lines = listLines(values);
  std::string text = "Computes " + names + from + ".\n\n";
  if (kernel.outputs.front().value->isAlwaysStored)
    return "Computes halves" + from + ".\n\n" +
           "A row is (high + low / 4096) * scale: halves of 11 digits each, and a power of\n"
           "2. Spreads: 0 where nothing is below 2**-24 of the row's greatest element, 1\n"
           "where only zeros are below 2**-29, else 2, or 3 where no halves hold a row.\n" +
           describeProgram(program, kernel, form);
  if (!operators.empty())
    text += (llvm::StringRef(operators).contains(',') ? "Fuses " : "Does ") + operators +
            (lines.empty() ? "" : " of " + lines) + ".\n";
  text += describeProgram(program, kernel, form);
  if (!overwritten.empty())
    text += "\nOverwrites " + overwritten + ".";
  for (const Space &space : kernel.unrolled)
    text += "\nAn axis of " + index::product(*program.context, space.extents).str() +
            " elements is written out.";
  for (const std::string &reason : ownLoops)
    text += "\n" + reason + ".";
  return text;
}

} // namespace nereid::schedule
