// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/NestFormulas.h"

#include "graph/GraphOps.h"
#include "index/Printer.h"
#include "schedule/program/AxisCuts.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// Operators that have a sign, and how tightly it binds.
struct Sign {
  llvm::StringLiteral name, text;
  Binds binds;
};
constexpr Sign signs[] = {
    {"add", " + ", Binds::Add},
    {"sub", " - ", Binds::Add},
    {"mul", " * ", Binds::Multiply},
    {"div", " / ", Binds::Multiply},
    {"floordiv", " // ", Binds::Multiply},
    {"remainder", " % ", Binds::Multiply},
    {"eq", " == ", Binds::Compare},
    {"ne", " != ", Binds::Compare},
    {"lt", " < ", Binds::Compare},
    {"le", " <= ", Binds::Compare},
    {"gt", " > ", Binds::Compare},
    {"ge", " >= ", Binds::Compare},
};

std::string parenthesized(const Text &text, Binds least) {
  return text.binds < least ? "(" + text.text + ")" : text.text;
}

} // namespace

NestFormulas::NestFormulas(const Program &program, const Requests &requests, const Kernel &kernel)
    : program(program), requests(requests), facts(factsOf(kernel, *program.context)) {
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

/// `m` for an axis of M elements; axes whose length has no name are called after their space.
void NestFormulas::nameAxes(const Space &space, AxisRole role) {
  for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents)) {
    if (axisNames.contains(symbol))
      continue;
    Expr outward = program.sizeForms.outward(extent);
    std::string base = outward.isSymbol()                   ? outward.getName().lower()
                       : role == AxisRole::Turn             ? "turn"
                       : symbol.getName().starts_with("@s") ? "chunk"
                       : symbol.getName().starts_with("@c") ? "col"
                       : symbol.getName().starts_with("@d") ? "term"
                                                            : "row";
    unsigned count = ++usedNames[base];
    axisNames[symbol] = count == 1 ? base : base + std::to_string(count);
  }
}

std::string NestFormulas::print(Expr expr) const {
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

std::string NestFormulas::print(Pred pred) const {
  index::PrintOptions options;
  options.symbolName = [&](Expr symbol) { return print(symbol); };
  return index::toString(program.sizeForms.outward(facts.simplify(pred)), options);
}

std::string NestFormulas::place(llvm::ArrayRef<Expr> at) const {
  std::string text;
  for (Expr coordinate : at)
    text += (text.empty() ? "" : ", ") + print(coordinate);
  return at.empty() ? "" : "[" + text + "]";
}

std::string NestFormulas::nameOf(const Value &value) {
  auto [known, isNew] = valueNames.try_emplace(&value);
  if (isNew) {
    unsigned count = ++usedNames[value.name];
    known->second = count == 1 ? value.name : value.name + std::to_string(count);
  }
  return known->second;
}

/// The name of a value, with its place where it is needed at several.
std::string NestFormulas::nameOf(const Request &request) {
  const Value &value = *request.value;
  bool isOne = places.find(&value)->second.size() == 1;
  return isOne ? nameOf(value) : nameOf(value) + place(request.at);
}

/// What has a line of its own: what is read, folded, or called something by the user, and what
/// several readers share.
bool NestFormulas::isOwnLine(const Request &request) {
  const Value &value = *request.value;
  if (request.isTensorLoad() || request.isFold())
    return true;
  if (!request.isComputed() || value.isElidableCast())
    return false;
  return value.isNamed || isLookedUp.contains(&value) ||
         (readers.lookup(&value) > 1 && isOfData(value));
}

/// Whether it is made of more than sizes and numbers.
bool NestFormulas::isOfData(const Value &value) {
  auto [known, isNew] = ofData.try_emplace(&value, false);
  if (!isNew)
    return known->second;
  bool isOne = value.kind == ValueKind::Input || value.kind == ValueKind::Fold ||
               value.kind == ValueKind::Scan || value.kind == ValueKind::State;
  forEachAccess(value, [&](const Access &access) { isOne |= isOfData(*access.from); });
  return ofData[&value] = isOne;
}

/// The operands without the numbers that say where they lie, which come before each.
llvm::SmallVector<unsigned, 3> NestFormulas::operandsOf(const Request &request) const {
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

Text NestFormulas::write(const Request &request) {
  if (request.isLoad && request.value->kind == ValueKind::Scalar)
    return {request.value->name};
  return isOwnLine(request) ? Text{nameOf(request)} : make(request);
}

std::string NestFormulas::list(llvm::ArrayRef<unsigned> operands) {
  std::string text;
  for (unsigned operand : operands)
    text += (text.empty() ? "" : ", ") + write(get(operand)).text;
  return text;
}

Text NestFormulas::makeMap(const Request &request) {
  const Value &value = *request.value;
  llvm::SmallVector<unsigned, 3> operands = operandsOf(request);
  // A cast that is left out reads what the one before it does.
  if (operands.empty())
    return write(get(request.operands.back()));
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
  const Sign *sign = llvm::find_if(
      signs, [&](const Sign &each) { return each.name == value.op->getName().stripDialect(); });
  if (sign != std::end(signs)) {
    // What stands behind a sign binds tighter than it: `a - (b - c)`.
    Binds behind = Binds(unsigned(sign->binds) + 1);
    bool isCompare = sign->binds == Binds::Compare;
    return {parenthesized(write(get(operands[0])), isCompare ? behind : sign->binds) +
                sign->text.str() + parenthesized(write(get(operands[1])), behind),
            sign->binds};
  }
  if (isa<graph::NegOp>(value.op))
    return {"-" + parenthesized(write(get(operands[0])), Binds::Unary), Binds::Unary};
  return {value.op->getName().stripDialect().str() + "(" + list(operands) + ")"};
}

/// `a if m < M else b`.
Text NestFormulas::makeSelect(const Request &request) {
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

std::string NestFormulas::fold(const Request &request) {
  const Value &value = *request.value;
  std::string over;
  for (Expr symbol : request.over)
    over += (over.empty() ? "" : ", ") + print(symbol);
  std::string kind = value.kind == ValueKind::Scan ? "scan" : "fold";
  if (auto fold = dyn_cast_or_null<graph::FoldOp>(value.op))
    kind = graph::stringifyFoldKind(fold.getKind());
  return kind + (over.empty() ? "" : " over " + over) + " of " + list(operandsOf(request));
}

Text NestFormulas::make(const Request &request) {
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
    return makeMap(request);
  case ValueKind::Select:
    return makeSelect(request);
  case ValueKind::State:
    return {nameOf(value)};
  case ValueKind::Final:
    return write(get(request.operands.front()));
  default: {
    llvm::StringRef kind = value.kind == ValueKind::Random   ? "random"
                           : value.kind == ValueKind::Search ? "search"
                                                             : llvm::StringRef(value.name);
    return {kind.str() + "(" + list(request.operands) + ")"};
  }
  }
}

} // namespace nereid::schedule
