// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest of loops as a person would write it down.
#include "schedule/nest/NestFormulas.h"

namespace nereid::schedule {

namespace {

class NestPrinter {
public:
  NestPrinter(const Program &program, const Requests &requests, const Kernel &kernel,
              const LoopNest &nest)
      : program(program), requests(requests), kernel(kernel), nest(nest),
        formulas(program, requests, kernel) {
    for (const Pass &pass : nest.passes)
      for (const FoldPlan *fold : pass.folds)
        planned.insert(fold->value);
  }

  std::string print(llvm::StringRef name);

private:
  const Request &get(unsigned number) const { return requests.getAll()[number]; }
  void line(const llvm::Twine &text);
  void flushLoads();
  std::string describe(const Axis &axis) const;
  bool variesAlong(const Request &request, const Pass &pass) const;
  void need(const Request &request, const Pass &pass);
  void needOperands(const Request &request, const Pass &pass);
  std::string listNeeds(const FoldPlan &fold);
  const Request &find(const FoldPlan &fold) const;
  const Request &find(const KernelOutput &output) const;
  void foldIn(const FoldPlan &fold, const Pass &pass);
  void store(const KernelOutput &output, const Pass &pass);
  void carryStates(const Pass &pass);
  void printPass(const Pass &pass);

  const Program &program;
  const Requests &requests;
  const Kernel &kernel;
  const LoopNest &nest;
  NestFormulas formulas;
  std::string out;
  unsigned depth = 0;
  /// What is loaded next, on one line.
  std::string loads;
  /// The folds that passes make.
  StoredSet planned;
  using Place = std::pair<const Value *, unsigned>;
  /// What has a line in this pass, what is known from then on, and what had a line before.
  llvm::DenseSet<Place> inPass, known, before;
};

} // namespace

void NestPrinter::line(const llvm::Twine &text) {
  flushLoads();
  out += std::string(2 * depth, ' ') + text.str() + "\n";
}

void NestPrinter::flushLoads() {
  if (!loads.empty())
    out += std::string(2 * depth, ' ') + "load " + loads + "\n";
  loads.clear();
}

/// `m in M`, `k in K by BLOCK_K`, `m in 64 of M by BLOCK_M`.
std::string NestPrinter::describe(const Axis &axis) const {
  std::string names, extents;
  for (auto [symbol, extent] : llvm::zip_equal(axis.space.symbols, axis.space.extents)) {
    if (extent.isConstant(1) && axis.space.extents.size() > 1)
      continue;
    names += (names.empty() ? "" : ", ") + formulas.nameOfAxis(symbol).str();
    std::string own = program.sizeForms.outward(extent).str();
    bool isSum = axis.space.extents.size() > 1 && extent.getKind() == index::ExprKind::Sum;
    extents += (extents.empty() ? "" : " * ") + (isSum ? "(" + own + ")" : own);
  }
  std::string text = names + " in ";
  if (axis.bound == AxisBound::Window)
    text += std::to_string(axis.length) + " of ";
  if (axis.bound == AxisBound::Segment)
    text += "a segment of ";
  text += extents;
  return axis.block.empty() ? text : text + " by " + axis.block;
}

bool NestPrinter::variesAlong(const Request &request, const Pass &pass) const {
  auto isOfPass = [&](Expr symbol) {
    return llvm::any_of(pass.axes, [&](const Axis &axis) {
      return llvm::is_contained(axis.space.symbols, symbol);
    });
  };
  bool varies = false;
  for (Expr coordinate : request.at)
    index::forEachSymbol(
        coordinate, [&](Expr symbol) { varies |= isOfPass(symbol) || formulas.isLookup(symbol); });
  return varies;
}

void NestPrinter::needOperands(const Request &request, const Pass &pass) {
  // A state is what earlier turns left.
  if (request.value->kind == ValueKind::State)
    return;
  for (unsigned operand : request.operands)
    need(get(operand), pass);
}

/// Lines for what something is made of, and for itself.
void NestPrinter::need(const Request &request, const Pass &pass) {
  Place place{request.value, request.place};
  if (known.contains(place) || !inPass.insert(place).second)
    return;
  // A pass before this one has made it.
  if (request.isFold() && planned.contains(request.value)) {
    known.insert(place);
    return;
  }
  needOperands(request, pass);
  if (!formulas.isOwnLine(request))
    return;
  bool isAgain = !before.insert(place).second;
  if (!variesAlong(request, pass))
    known.insert(place);
  if (request.isLoad) {
    loads += (loads.empty() ? "" : ", ") + formulas.nameOf(*request.value) +
             formulas.place(request.at) + (isAgain ? " again" : "");
    return;
  }
  std::string made = request.isFold() ? formulas.fold(request) : formulas.make(request).text;
  line(formulas.nameOf(request) + " = " + made + (isAgain ? "  # again" : ""));
}

/// `x_max, mean`.
std::string NestPrinter::listNeeds(const FoldPlan &fold) {
  std::string names;
  for (const Value *need : fold.needs)
    names += (names.empty() ? "" : ", ") + formulas.nameOf(*need);
  return names;
}

/// Plans have their coordinates simplified: where none is the same the first one of the value is
/// it.
const Request &NestPrinter::find(const FoldPlan &fold) const {
  auto isOf = [&](const Request &request) {
    return request.value == fold.value && request.isFold();
  };
  llvm::ArrayRef<Request> all = requests.getAll();
  const Request *exact = llvm::find_if(all, [&](const Request &request) {
    return isOf(request) && request.at == llvm::ArrayRef(fold.at);
  });
  return exact != all.end() ? *exact : *llvm::find_if(all, isOf);
}

const Request &NestPrinter::find(const KernelOutput &output) const {
  return requests.getAdded(&output - kernel.outputs.data()).front();
}

void NestPrinter::foldIn(const FoldPlan &fold, const Pass &pass) {
  const Request &request = find(fold);
  needOperands(request, pass);
  known.insert({request.value, request.place});
  std::string why = fold.cascade            ? "  # online: follows " + listNeeds(fold)
                    : !fold.refusal.empty() ? "  # a loop of its own: " + fold.refusal
                                            : "";
  std::string made = formulas.fold(request);
  line(formulas.nameOf(request) + " = " + made + why);
}

void NestPrinter::store(const KernelOutput &output, const Pass &pass) {
  const Request &request = find(output);
  const Value &value = *output.value;
  std::string target =
      (value.memory ? value.memory : output.value)->name + formulas.place(output.at) + " = ";
  bool isScan = request.isFold() && value.kind == ValueKind::Scan;
  if (!isScan && (request.isFold() || known.contains({&value, request.place})))
    return line("store " + target + formulas.nameOf(request));
  needOperands(request, pass);
  llvm::StringRef verb = value.kind == ValueKind::Scatter ? "scatter " : "store ";
  line(verb + target + (isScan ? formulas.fold(request) : formulas.make(request).text));
}

/// What a turn leaves to the next one.
void NestPrinter::carryStates(const Pass &pass) {
  StoredSet states;
  for (const Request &request : requests.getAll())
    if (request.value->kind == ValueKind::State && states.insert(request.value).second) {
      const Request &next = get(request.operands.back());
      need(next, pass);
      line(formulas.nameOf(*request.value) + " = " + formulas.write(next).text);
    }
}

void NestPrinter::printPass(const Pass &pass) {
  inPass.clear();
  unsigned outside = depth;
  for (const Axis &axis : pass.axes) {
    formulas.nameAxes(axis.space, axis.role);
    llvm::StringRef word = axis.role == AxisRole::Turn ? "turn " : "for ";
    line(word + describe(axis) + ":");
    ++depth;
  }
  for (const FoldPlan *fold : pass.folds)
    foldIn(*fold, pass);
  for (const KernelOutput *output : pass.outputs)
    store(*output, pass);
  if (pass.isOfTurns())
    carryStates(pass);
  for (const KernelOutput *output : pass.carried) {
    const Request &request = find(*output);
    needOperands(request, pass);
    std::string made = formulas.fold(request);
    line(formulas.nameOf(*output->value) + " = " + made + "  # carried");
  }
  flushLoads();
  depth = outside;
  for (const KernelOutput *output : pass.carried)
    line("store " + output->value->name + formulas.place(output->at));
}

std::string NestPrinter::print(llvm::StringRef name) {
  line(name + ":");
  ++depth;
  for (const Axis &axis : nest.axes) {
    formulas.nameAxes(axis.space, axis.role);
    llvm::StringRef word = axis.role == AxisRole::Program ? "program "
                           : axis.role == AxisRole::Block ? "block "
                           : axis.role == AxisRole::Held  ? "hold "
                                                          : "write out ";
    line(word + describe(axis));
  }
  if (kernel.strip)
    line("strip " + formulas.nameOfAxis(kernel.strip->axis).str() + " by " +
         std::to_string(kernel.strip->count));
  for (const Space &space : kernel.columns)
    formulas.nameAxes(space, AxisRole::Loop);
  formulas.nameAxes(kernel.rows, AxisRole::Loop);
  for (const Pass &pass : nest.passes)
    printPass(pass);
  return std::move(out);
}

std::string describeNest(const Program &program, const Requests &requests, const Kernel &kernel,
                         const LoopNest &nest, llvm::StringRef name) {
  return NestPrinter(program, requests, kernel, nest).print(name);
}

} // namespace nereid::schedule
