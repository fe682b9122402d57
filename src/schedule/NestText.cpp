// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest of loops as a person would write it down.
#include "schedule/LoopNest.h"

#include "graph/GraphOps.h"
#include "index/Printer.h"
#include "schedule/AxisCuts.h"
#include "schedule/IndexMap.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// How tightly an operator's text binds.
enum class Binds : uint8_t { Choice, Compare, Add, Multiply, Unary, Atom };

struct Text {
  std::string text;
  Binds binds = Binds::Atom;
};

/// Operators that have a sign.
struct Sign {
  llvm::StringRef text;
  Binds binds;
};
std::optional<Sign> signOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Sign>>(op)
      .Case<graph::AddOp>([](auto) { return Sign{" + ", Binds::Add}; })
      .Case<graph::SubOp>([](auto) { return Sign{" - ", Binds::Add}; })
      .Case<graph::MulOp>([](auto) { return Sign{" * ", Binds::Multiply}; })
      .Case<graph::DivOp>([](auto) { return Sign{" / ", Binds::Multiply}; })
      .Case<graph::FloordivOp>([](auto) { return Sign{" // ", Binds::Multiply}; })
      .Case<graph::RemainderOp>([](auto) { return Sign{" % ", Binds::Multiply}; })
      .Case<graph::EqOp>([](auto) { return Sign{" == ", Binds::Compare}; })
      .Case<graph::NeOp>([](auto) { return Sign{" != ", Binds::Compare}; })
      .Case<graph::LtOp>([](auto) { return Sign{" < ", Binds::Compare}; })
      .Case<graph::LeOp>([](auto) { return Sign{" <= ", Binds::Compare}; })
      .Case<graph::GtOp>([](auto) { return Sign{" > ", Binds::Compare}; })
      .Case<graph::GeOp>([](auto) { return Sign{" >= ", Binds::Compare}; })
      .Default([](Operation *) { return std::nullopt; });
}

std::string parenthesized(const Text &text, Binds least) {
  return text.binds < least ? "(" + text.text + ")" : text.text;
}

class NestPrinter {
public:
  NestPrinter(const Program &program, const Requests &requests, const Kernel &kernel,
              const LoopNest &nest)
      : program(program), requests(requests), kernel(kernel), nest(nest),
        facts(factsOf(kernel, *program.context)) {
    if (kernel.turn)
      boundIndex(facts, kernel.turn, kernel.turns);
    for (const Request &request : requests.getAll()) {
      for (unsigned operand : request.operands)
        ++readers[get(operand).value];
      places[request.value].insert(request.place);
      forEachAccess(*request.value, [&](const Access &access) {
        for (const LoadedIndex &loaded : access.loaded) {
          lookups[loaded.symbol] = loaded.access.from;
          isLookedUp.insert(loaded.access.from);
        }
      });
    }
  }

  std::string print(llvm::StringRef name);

private:
  const Request &get(unsigned number) const { return requests.getAll()[number]; }
  void line(const llvm::Twine &text) {
    flushLoads();
    out += std::string(2 * depth, ' ') + text.str() + "\n";
  }
  void load(const std::string &what) { loads += (loads.empty() ? "" : ", ") + what; }
  void flushLoads() {
    if (!loads.empty())
      out += std::string(2 * depth, ' ') + "load " + loads + "\n";
    loads.clear();
  }

  void nameAxes(const Axis &axis);
  std::string describe(const Axis &axis);
  std::string size(Expr extent) const { return program.sizeForms.outward(extent).str(); }
  std::string print(Expr expr) const;
  std::string print(Pred pred) const;
  std::string place(llvm::ArrayRef<Expr> at) const;
  std::string nameOf(const Value &value);
  std::string nameOf(const Request &request);

  bool isOwnLine(const Request &request);
  bool isOfData(const Value &value);
  llvm::SmallVector<unsigned, 3> operandsOf(const Request &request) const;
  bool variesAlong(const Request &request, const Pass &pass) const;
  Text write(const Request &request);
  Text writeOperand(const Request &request, unsigned operand);
  Text writeMade(const Request &request);
  Text writeMap(const Request &request);
  Text writeSelect(const Request &request);
  std::string foldText(const Request &request);
  void need(const Request &request, const Pass &pass);
  void needOperands(const Request &request, const Pass &pass);
  void printPass(const Pass &pass);
  std::string listNeeds(const FoldPlan &fold);
  const Request *find(const FoldPlan &fold) const;
  const Request *find(const KernelOutput &output) const;
  void store(const KernelOutput &output, const Pass &pass);

  const Program &program;
  const Requests &requests;
  const Kernel &kernel;
  const LoopNest &nest;
  index::Facts facts;
  std::string out;
  unsigned depth = 0;
  /// What is loaded next, on one line.
  std::string loads;
  llvm::DenseMap<Expr, std::string> axisNames;
  llvm::StringMap<unsigned> usedNames;
  llvm::DenseMap<const Value *, std::string> valueNames;
  llvm::DenseMap<const Value *, unsigned> readers;
  llvm::DenseMap<const Value *, bool> ofData;
  /// The value that holds each number which is looked up.
  llvm::DenseMap<Expr, const Value *> lookups;
  StoredSet isLookedUp;
  /// Where each value is needed.
  llvm::DenseMap<const Value *, llvm::SmallDenseSet<unsigned, 2>> places;
  using Place = std::pair<const Value *, unsigned>;
  /// What has a line in this pass, and what had one outside of all loops, or in another pass.
  llvm::DenseSet<Place> inPass, known, before;
};

} // namespace

/// `m` for an axis of M elements; axes whose length has no name are called after their space.
void NestPrinter::nameAxes(const Axis &axis) {
  for (auto [symbol, extent] : llvm::zip_equal(axis.space.symbols, axis.space.extents)) {
    if (axisNames.contains(symbol))
      continue;
    Expr outward = program.sizeForms.outward(extent);
    std::string base = outward.isSymbol()                   ? outward.getName().lower()
                       : axis.role == AxisRole::Turn        ? "turn"
                       : symbol.getName().starts_with("@c") ? "col"
                       : symbol.getName().starts_with("@d") ? "term"
                                                            : "row";
    unsigned count = ++usedNames[base];
    axisNames[symbol] = count == 1 ? base : base + std::to_string(count);
  }
}

std::string NestPrinter::print(Expr expr) const {
  index::PrintOptions options;
  options.symbolName = [&](Expr symbol) {
    if (auto axis = axisNames.find(symbol); axis != axisNames.end())
      return axis->second;
    if (auto lookup = lookups.find(symbol); lookup != lookups.end())
      return valueNames.contains(lookup->second) ? valueNames.lookup(lookup->second)
                                                 : lookup->second->name;
    // What a fold without columns runs over, written out: `i`, `j`.
    llvm::StringRef name = symbol.getName();
    unsigned number = 0;
    if (name.consume_front("!") && !name.getAsInteger(10, number))
      return std::string(1, char('i' + number));
    return name.str();
  };
  return index::toString(program.sizeForms.outward(facts.simplify(expr)), options);
}

std::string NestPrinter::print(Pred pred) const {
  index::PrintOptions options;
  options.symbolName = [&](Expr symbol) { return print(symbol); };
  return index::toString(program.sizeForms.outward(facts.simplify(pred)), options);
}

std::string NestPrinter::place(llvm::ArrayRef<Expr> at) const {
  std::string text;
  for (Expr coordinate : at)
    text += (text.empty() ? "" : ", ") + print(coordinate);
  return at.empty() ? "" : "[" + text + "]";
}

std::string NestPrinter::nameOf(const Value &value) {
  auto [known, isNew] = valueNames.try_emplace(&value);
  if (isNew) {
    unsigned count = ++usedNames[value.name];
    known->second = count == 1 ? value.name : value.name + std::to_string(count);
  }
  return known->second;
}

/// `m in M`, `k in K by BLOCK_K`, `m in 64 of M by BLOCK_M`.
std::string NestPrinter::describe(const Axis &axis) {
  std::string names, extents;
  for (auto [symbol, extent] : llvm::zip_equal(axis.space.symbols, axis.space.extents)) {
    names += (names.empty() ? "" : ", ") + axisNames.lookup(symbol);
    std::string own = size(extent);
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

/// What has a line of its own: what is read, folded, or called something by the user, and what
/// several readers share.
bool NestPrinter::isOwnLine(const Request &request) {
  const Value &value = *request.value;
  if (request.isTensorLoad() || request.isFold())
    return true;
  if (!request.isComputed() || value.isElidableCast())
    return false;
  return value.isNamed || isLookedUp.contains(&value) ||
         (readers.lookup(&value) > 1 && isOfData(value));
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
        coordinate, [&](Expr symbol) { varies |= isOfPass(symbol) || lookups.contains(symbol); });
  return varies;
}

/// Whether it is made of more than sizes and numbers.
bool NestPrinter::isOfData(const Value &value) {
  auto [known, isNew] = ofData.try_emplace(&value, false);
  if (!isNew)
    return known->second;
  bool isOne = value.kind == ValueKind::Input || value.kind == ValueKind::Fold ||
               value.kind == ValueKind::Scan || value.kind == ValueKind::State;
  forEachAccess(value, [&](const Access &access) { isOne |= isOfData(*access.from); });
  return ofData[&value] = isOne;
}

/// The name of a value, with its place where it is needed at several.
std::string NestPrinter::nameOf(const Request &request) {
  const Value &value = *request.value;
  bool isOne = places.find(&value)->second.size() == 1;
  return isOne ? nameOf(value) : nameOf(value) + place(request.at);
}

Text NestPrinter::write(const Request &request) {
  if (request.isLoad && request.value->kind == ValueKind::Scalar)
    return {request.value->name};
  return isOwnLine(request) ? Text{nameOf(request)} : writeMade(request);
}

Text NestPrinter::writeOperand(const Request &request, unsigned operand) {
  return operand < request.operands.size() ? write(get(request.operands[operand])) : Text{"?"};
}

/// The operands without the numbers that say where they lie, which come before each.
llvm::SmallVector<unsigned, 3> NestPrinter::operandsOf(const Request &request) const {
  const Value &value = *request.value;
  llvm::SmallVector<unsigned, 3> operands;
  auto isRead = [&](unsigned operand) {
    auto reads = [&](const Access &access) { return access.from == get(operand).value; };
    return llvm::any_of(value.inputs, reads) ||
           llvm::any_of(value.cases, [&](const Case &each) { return reads(each.access); });
  };
  llvm::copy_if(request.operands, std::back_inserter(operands), isRead);
  return operands;
}

Text NestPrinter::writeMap(const Request &request) {
  const Value &value = *request.value;
  llvm::SmallVector<unsigned, 3> operands = operandsOf(request);
  // A cast that is left out reads what the one before it does.
  if (operands.empty())
    return request.operands.empty() ? Text{"?"} : write(get(request.operands.back()));
  if (!value.op || isa<graph::CheckIndexOp, graph::DetachOp>(value.op))
    return write(get(operands.front()));
  if (value.isCast()) {
    Text operand = write(get(operands.front()));
    if (value.isElidableCast())
      return operand;
    std::string type;
    llvm::raw_string_ostream(type) << value.elementType;
    return {type + "(" + operand.text + ")"};
  }
  std::optional<Sign> sign = signOf(value.op);
  if (sign && operands.size() == 2) {
    // What stands behind a sign binds tighter than it: `a - (b - c)`.
    Binds behind = Binds(unsigned(sign->binds) + 1);
    bool isCompare = sign->binds == Binds::Compare;
    return {parenthesized(write(get(operands[0])), isCompare ? behind : sign->binds) +
                sign->text.str() + parenthesized(write(get(operands[1])), behind),
            sign->binds};
  }
  if (isa<graph::NegOp>(value.op))
    return {"-" + parenthesized(write(get(operands[0])), Binds::Unary), Binds::Unary};
  std::string text;
  for (unsigned operand : operands)
    text += (text.empty() ? "" : ", ") + write(get(operand)).text;
  return {value.op->getName().stripDialect().str() + "(" + text + ")"};
}

/// `a if m < M else b`.
Text NestPrinter::writeSelect(const Request &request) {
  std::string text;
  for (auto [number, condition, operand] :
       llvm::enumerate(request.conditions, operandsOf(request))) {
    Pred when = facts.simplify(condition);
    if (when.isFalse())
      continue;
    text += parenthesized(write(get(operand)), Binds::Compare);
    if (when.isTrue() || number + 1 == request.conditions.size())
      break;
    text += " if " + print(when) + " else ";
  }
  return {text, llvm::StringRef(text).contains(" else ") ? Binds::Choice : Binds::Compare};
}

std::string NestPrinter::foldText(const Request &request) {
  const Value &value = *request.value;
  std::string over;
  for (Expr symbol : request.over)
    over += (over.empty() ? "" : ", ") + print(symbol);
  std::string kind = value.kind == ValueKind::Scan ? "scan" : "fold";
  if (auto fold = dyn_cast_or_null<graph::FoldOp>(value.op))
    kind = graph::stringifyFoldKind(fold.getKind());
  std::string of;
  for (unsigned operand : operandsOf(request))
    of += (of.empty() ? "" : ", ") + write(get(operand)).text;
  return kind + (over.empty() ? "" : " over " + over) + " of " + of;
}

Text NestPrinter::writeMade(const Request &request) {
  const Value &value = *request.value;
  switch (value.kind) {
  case ValueKind::Constant:
    if (auto constant = dyn_cast_or_null<graph::ConstantOp>(value.op)) {
      std::string text;
      llvm::raw_string_ostream os(text);
      if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
        os << llvm::format("%g", number.getValueAsDouble());
      else
        os << cast<IntegerAttr>(constant.getValue()).getInt();
      return {text, text.starts_with("-") ? Binds::Unary : Binds::Atom};
    }
    return {"0"};
  case ValueKind::Size:
    return {print(value.size), Binds::Add};
  case ValueKind::Iota:
    return {print(request.at[value.dim]), Binds::Add};
  case ValueKind::Map:
    return writeMap(request);
  case ValueKind::Select:
    return writeSelect(request);
  case ValueKind::State:
    return {nameOf(value)};
  case ValueKind::Final:
    return writeOperand(request, 0);
  default: {
    std::string text;
    for (unsigned operand : request.operands)
      text += (text.empty() ? "" : ", ") + write(get(operand)).text;
    llvm::StringRef kind = value.kind == ValueKind::Random   ? "random"
                           : value.kind == ValueKind::Search ? "search"
                                                             : llvm::StringRef(value.name);
    return {kind.str() + "(" + text + ")"};
  }
  }
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
  // A fold of an earlier loop is known.
  bool isFold = request.isFold() && request.value->kind == ValueKind::Fold;
  bool isPlanned = isFold && !kernel.termsOf(*request.value) && !kernel.carries(*request.value) &&
                   kernel.unrolled.empty();
  if (isPlanned) {
    known.insert(place);
    return;
  }
  needOperands(request, pass);
  if (!isOwnLine(request))
    return;
  bool isAgain = !before.insert(place).second;
  if (!variesAlong(request, pass))
    known.insert(place);
  std::string behind = isAgain ? "  # again" : "";
  if (request.isLoad)
    load(nameOf(*request.value) + this->place(request.at) + (isAgain ? " again" : ""));
  else if (request.isFold())
    line(nameOf(request) + " = " + foldText(request) + behind);
  else
    line(nameOf(request) + " = " + writeMade(request).text + behind);
}

/// `x_max, mean`.
std::string NestPrinter::listNeeds(const FoldPlan &fold) {
  std::string names;
  for (const Value *need : fold.needs)
    names += (names.empty() ? "" : ", ") + nameOf(*need);
  return names;
}

const Request *NestPrinter::find(const FoldPlan &fold) const {
  const Request *first = nullptr;
  for (const Request &request : requests.getAll()) {
    if (request.value == fold.value && request.isFold()) {
      if (request.at == llvm::ArrayRef(fold.at))
        return &request;
      first = first ? first : &request;
    }
  }
  return first;
}

const Request *NestPrinter::find(const KernelOutput &output) const {
  for (auto [number, other] : llvm::enumerate(kernel.outputs))
    if (&other == &output)
      return &requests.getAdded(number).front();
  return nullptr;
}

void NestPrinter::store(const KernelOutput &output, const Pass &pass) {
  const Request &request = *find(output);
  const Value &value = *output.value;
  std::string target = (value.memory ? value.memory : output.value)->name + place(output.at);
  if (request.isFold() && value.kind == ValueKind::Scan) {
    needOperands(request, pass);
    return line("store " + target + " = " + foldText(request));
  }
  if (value.kind == ValueKind::Scatter) {
    needOperands(request, pass);
    return line("scatter " + target + " = " + writeMade(request).text);
  }
  bool isKnown = request.isFold() || known.contains({&value, request.place});
  if (!isKnown)
    needOperands(request, pass);
  line("store " + target + " = " + (isKnown ? nameOf(request) : writeMade(request).text));
}

void NestPrinter::printPass(const Pass &pass) {
  inPass.clear();
  unsigned outside = depth;
  for (const Axis &axis : pass.axes) {
    nameAxes(axis);
    llvm::StringRef word = axis.role == AxisRole::Turn ? "turn " : "for ";
    line(word + describe(axis) + ":");
    ++depth;
  }
  for (const FoldPlan *fold : pass.folds) {
    const Request *request = find(*fold);
    needOperands(*request, pass);
    known.insert({request->value, request->place});
    std::string why = fold->cascade            ? "  # online: follows " + listNeeds(*fold)
                      : !fold->refusal.empty() ? "  # a loop of its own: " + fold->refusal
                                               : "";
    line(nameOf(*request) + " = " + foldText(*request) + why);
  }
  for (const KernelOutput *output : pass.outputs)
    store(*output, pass);
  // What a turn leaves to the next one.
  StoredSet states;
  for (const Request &request : requests.getAll())
    if (request.value->kind == ValueKind::State && states.insert(request.value).second) {
      need(get(request.operands.back()), pass);
      line(nameOf(*request.value) + " = " + write(get(request.operands.back())).text);
    }
  for (const KernelOutput *output : pass.carried) {
    const Request *request = find(*output);
    needOperands(*request, pass);
    line(nameOf(*output->value) + " = " + foldText(*request) + "  # carried");
  }
  flushLoads();
  depth = outside;
  for (const KernelOutput *output : pass.carried)
    line("store " + output->value->name + place(output->at));
}

std::string NestPrinter::print(llvm::StringRef name) {
  line(name + ":");
  ++depth;
  for (const Axis &axis : nest.axes) {
    nameAxes(axis);
    llvm::StringRef word = axis.role == AxisRole::Program ? "program "
                           : axis.role == AxisRole::Block ? "block "
                           : axis.role == AxisRole::Held  ? "hold "
                                                          : "write out ";
    line(word + describe(axis));
  }
  for (const Space &space : kernel.columns)
    nameAxes({AxisRole::Loop, space});
  nameAxes({AxisRole::Loop, kernel.rows});
  for (const Pass &pass : nest.passes)
    printPass(pass);
  return std::move(out);
}

std::string describeNest(const Program &program, const Requests &requests, const Kernel &kernel,
                         const LoopNest &nest, llvm::StringRef name) {
  return NestPrinter(program, requests, kernel, nest).print(name);
}

} // namespace nereid::schedule
