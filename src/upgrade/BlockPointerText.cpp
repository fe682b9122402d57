// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block pointers as pointers and masks, by the rule that 3.8 expanded them with: an element lies at
// base + sum c_d * stride_d, with c_d = i64(offset_d) + arange(B_d), and is there when
// 0 <= c_d < shape_d on every checked axis.
//
//   p = tl.make_block_ptr(x, (M, K), (K, 1), (i * B, 0), (B, D), (1, 0))
//   a = tl.load(p, boundary_check=(0, 1), padding_option="zero")
//   p = tl.advance(p, (0, D))
//
//   p_0 = tl.cast(i * B, tl.int64) + tl.arange(0, B)
//   p_1 = tl.arange(0, D).to(tl.int64)
//   p_in_0 = (p_0 >= 0) & (p_0 < M)
//   a = tl.load(x + p_0[:, None] * K + p_1[None, :], mask=p_in_0[:, None] & ..., other=0)
//   p_1 += D
//
// Pointers that never move are made where the block pointer was.
#include "upgrade/BlockPointers.h"

using namespace llvm;

namespace nereid::upgrade {

namespace {

class Writer {
public:
  Writer(FunctionText &text, const BlockPointer &pointer, Changes &changes)
      : text(text), pointer(pointer), changes(changes), isFixed(pointer.isFixed()) {}

  void run();

private:
  /// A part of the definition as an access needs it: its text where that still means the same, else
  /// a name that the definition gives it.
  struct Part {
    std::string text;
    bool isSaved = false;
  };
  using Select = llvm::function_ref<const python::Expr *(const BlockDefinition &)>;

  Part getPart(StringRef name, Select select);
  bool isStable(const python::Expr &expr, const BlockDefinition &definition) const;
  std::string name(const Twine &suffix) const {
    return text.names.makeName(pointer.name + "_" + suffix.str());
  }
  std::string language(const python::Call &call) const;
  std::string coordinate(const BlockDefinition &definition, unsigned axis) const;
  bool startsAtZero(const BlockDefinition &definition, unsigned axis) const;
  void writeCall(const BlockDefinition &definition);
  bool hasMask(unsigned axis) const { return pointer.isChecked(axis) && !pointer.isMoved(axis); }
  std::string spread(const std::string &value, unsigned axis) const;
  std::string addresses(const std::string &base, ArrayRef<std::string> coordinates,
                        ArrayRef<std::string> strides) const;
  std::string isInside(const std::string &at, unsigned axis, const std::string &size,
                       bool fromZero) const;
  std::string coordinateAt(const BlockAccess &access, unsigned axis) const;
  void writeDefinition(const BlockDefinition &definition);
  void writeMove(const BlockMove &move);
  void writeAccess(const BlockAccess &access);
  void replaceStatement(const python::Stmt &stmt, ArrayRef<std::string> lines);

  FunctionText &text;
  const BlockPointer &pointer;
  Changes &changes;
  bool isFixed;
  Part base;
  std::vector<Part> strides, sizes;
};

} // namespace

/// Whether an expression needs no parentheses beside any operator.
static bool isAtom(const python::Expr &expr) {
  return isa<python::Name, python::Attribute, python::Call, python::Subscript>(expr) ||
         (isa<python::Constant>(expr) && !cast<python::Constant>(expr).isStr());
}

static std::string spell(FunctionText &text, const python::Expr &expr, bool isPlain) {
  std::string result = text.getText(expr).str();
  bool isLong = StringRef(result).contains('\n') && !isa<python::Call, python::Subscript>(expr);
  return isPlain && !isLong ? result : "(" + result + ")";
}

/// As an operand of `*`.
static std::string spellFactor(FunctionText &text, const python::Expr &expr) {
  return spell(text, expr, isAtom(expr));
}

/// As the left operand of `+`, or beside a comparison.
static std::string spellTerm(FunctionText &text, const python::Expr &expr) {
  auto *op = dyn_cast<python::BinOp>(&expr);
  bool isArithmetic =
      op && is_contained({python::BinaryOperator::Add, python::BinaryOperator::Sub,
                          python::BinaryOperator::Mult, python::BinaryOperator::FloorDiv,
                          python::BinaryOperator::Mod},
                         op->op);
  return spell(text, expr, isAtom(expr) || isArithmetic);
}

bool Writer::isStable(const python::Expr &expr, const BlockDefinition &definition) const {
  uint32_t begin = definition.stmt->range.end, end = begin;
  SmallVector<const python::Node *> uses;
  for (const BlockAccess &access : pointer.accesses)
    uses.push_back(access.call);
  uses.append(pointer.typeUses.begin(), pointer.typeUses.end());
  for (const python::Node *use : uses)
    end = std::max(end, use->range.end);
  auto isWithin = [](const python::Node &inner, const python::Node &outer) {
    return outer.range.begin <= inner.range.begin && inner.range.end <= outer.range.end;
  };
  for (const python::Name *used : text.getNames()) {
    if (!isWithin(*used, expr))
      continue;
    for (const python::Name *other : text.getNames()) {
      if (other->id != used->id || other->ctx != python::ExprContext::Store)
        continue;
      if (begin < other->range.begin && other->range.begin < end)
        return false;
      // In a loop around a use, but not around the definition, it may change before the next turn.
      for (const python::Node *at = other; at; at = text.getParent(*at))
        if (isa<python::For, python::While>(at) && !isWithin(*definition.stmt, *at) &&
            llvm::any_of(uses, [&](const python::Node *use) { return isWithin(*use, *at); }))
          return false;
    }
  }
  return true;
}

Writer::Part Writer::getPart(StringRef suffix, Select select) {
  const python::Expr &first = *select(pointer.definitions.front());
  bool isOne = llvm::all_of(pointer.definitions, [&](const BlockDefinition &definition) {
    const python::Expr &expr = *select(definition);
    return text.getText(expr) == text.getText(first) && isStable(expr, definition);
  });
  if (!isOne)
    return {name(suffix), true};
  return {suffix == "base" || suffix.starts_with("size") ? spellTerm(text, first)
                                                         : spellFactor(text, first),
          false};
}

std::string Writer::language(const python::Call &call) const {
  if (auto *attribute = dyn_cast<python::Attribute>(call.func))
    return text.getText(*attribute->value).str();
  return text.names.getAlias("triton.language").str();
}

bool Writer::startsAtZero(const BlockDefinition &definition, unsigned axis) const {
  return !pointer.isMoved(axis) && isZero(*definition.offsets[axis]);
}

std::string Writer::coordinate(const BlockDefinition &definition, unsigned axis) const {
  std::string tl = language(*definition.call);
  std::string range = tl + ".arange(0, " + text.getText(*definition.block[axis]).str() + ")";
  const python::Expr &offset = *definition.offsets[axis];
  if (isZero(offset))
    return range + ".to(" + tl + ".int64)";
  return tl + ".cast(" + text.getText(offset).str() + ", " + tl + ".int64) + " + range;
}

/// `value[None, :]`, along one axis of the tile.
std::string Writer::spread(const std::string &value, unsigned axis) const {
  if (pointer.rank == 1)
    return value;
  std::string result = value + "[";
  for (unsigned other = 0; other < pointer.rank; ++other)
    result += (other ? ", " : "") + std::string(other == axis ? ":" : "None");
  return result + "]";
}

std::string Writer::addresses(const std::string &from, ArrayRef<std::string> coordinates,
                              ArrayRef<std::string> factors) const {
  std::string result = from;
  for (unsigned axis = 0; axis < pointer.rank; ++axis) {
    result += " + " + spread(coordinates[axis], axis);
    if (factors[axis] != "1")
      result += " * " + factors[axis];
  }
  return result;
}

std::string Writer::isInside(const std::string &at, unsigned axis, const std::string &size,
                             bool fromZero) const {
  std::string below = at + " < " + size;
  return fromZero ? below : "(" + at + " >= 0) & (" + below + ")";
}

/// Comments in what is replaced stay, above it.
void Writer::replaceStatement(const python::Stmt &stmt, ArrayRef<std::string> lines) {
  std::string indent = text.getIndent(stmt).value_or("");
  std::string lineEnd = text.names.getLineEnd().str();
  std::string result;
  for (uint32_t token = stmt.firstToken; token <= stmt.lastToken; ++token)
    if (text.names.file.tokens[token].kind == python::TokenKind::Comment)
      result += text.names.file.getText(text.names.file.tokens[token]).str() + lineEnd + indent;
  for (auto [place, line] : enumerate(lines))
    result += (place ? lineEnd + indent : "") + line;
  changes.edits.push_back({stmt.range, result});
}

void Writer::writeDefinition(const BlockDefinition &definition) {
  std::vector<std::string> lines, coordinates, factors;
  for (unsigned axis = 0; axis < pointer.rank; ++axis) {
    coordinates.push_back(name(Twine(axis)));
    lines.push_back(coordinates.back() + " = " + coordinate(definition, axis));
    factors.push_back(spellFactor(text, *definition.strides[axis]));
  }
  std::string made = addresses(spellTerm(text, *definition.base), coordinates, factors);
  if (isFixed && !pointer.isResult)
    lines.push_back(pointer.name + " = " + made);
  auto save = [&](const Part &part, const python::Expr &expr) {
    if (part.isSaved)
      lines.push_back(part.text + " = " + spell(text, expr, true));
  };
  if (!isFixed)
    save(base, *definition.base);
  for (unsigned axis = 0; axis < pointer.rank; ++axis) {
    if (!isFixed)
      save(strides[axis], *definition.strides[axis]);
    if (!isFixed && pointer.isChecked(axis))
      save(sizes[axis], *definition.shape[axis]);
    if (hasMask(axis))
      lines.push_back(name("in_" + Twine(axis)) + " = " +
                      isInside(coordinates[axis], axis, spellTerm(text, *definition.shape[axis]),
                               startsAtZero(definition, axis)));
  }
  if (pointer.isResult) {
    std::string masks;
    for (unsigned axis = 0; axis < pointer.rank; ++axis)
      masks += ", " + name("in_" + Twine(axis));
    lines.push_back("return " + made + masks);
  }
  if (definition.condition) {
    for (std::string &line : lines)
      line = "    " + line;
    lines.insert(lines.begin(), "if " + spell(text, *definition.condition, true) + ":");
    lines.push_back("else:");
    lines.push_back("    " + pointer.name + " = None");
  }
  if (definition.isInline) {
    std::string before;
    for (const std::string &line : lines)
      before +=
          line + text.names.getLineEnd().str() + text.getIndent(*definition.stmt).value_or("");
    uint32_t begin = definition.stmt->range.begin;
    changes.edits.push_back({{begin, begin}, before});
    changes.edits.push_back({definition.call->range, pointer.name});
  } else {
    replaceStatement(*definition.stmt, lines);
  }
  changes.calls.push_back(definition.call);
}

/// A helper that returned a block pointer returns pointers and the masks of all axes.
void Writer::writeCall(const BlockDefinition &definition) {
  std::string names = pointer.name;
  for (unsigned axis = 0; axis < pointer.rank; ++axis)
    names += ", " + name("in_" + Twine(axis));
  changes.edits.push_back({definition.target->range, names});
  changes.calls.push_back(definition.call);
}

void Writer::writeMove(const BlockMove &move) {
  std::vector<std::string> lines;
  for (unsigned axis = 0; axis < pointer.rank; ++axis)
    if (!isZero(*move.deltas[axis]))
      lines.push_back(name(Twine(axis)) + " += " + spell(text, *move.deltas[axis], true));
  if (lines.empty())
    lines.push_back("pass");
  replaceStatement(*move.stmt, lines);
  changes.calls.push_back(move.call);
}

std::string Writer::coordinateAt(const BlockAccess &access, unsigned axis) const {
  std::string at = name(Twine(axis));
  if (access.deltas.empty() || isZero(*access.deltas[axis]))
    return at;
  return "(" + at + " + " + spellFactor(text, *access.deltas[axis]) + ")";
}

void Writer::writeAccess(const BlockAccess &access) {
  std::vector<std::string> coordinates, factors;
  for (unsigned axis = 0; axis < pointer.rank; ++axis) {
    coordinates.push_back(coordinateAt(access, axis));
    factors.push_back(isFixed ? "" : strides[axis].text);
  }
  if (!isFixed)
    changes.edits.push_back({access.pointer->range, addresses(base.text, coordinates, factors)});
  std::string mask;
  for (unsigned axis : access.checked) {
    bool isMade = hasMask(axis) && coordinates[axis] == name(Twine(axis));
    std::string part = isMade ? name("in_" + Twine(axis))
                              : isInside(coordinates[axis], axis, sizes[axis].text, false);
    if (!isMade && pointer.rank > 1)
      part = "(" + part + ")";
    part = spread(part, axis);
    mask += (mask.empty() ? "" : " & ") + part;
  }
  const python::ParsedFile &file = text.names.file;
  if (const python::Keyword *checked = findKeyword(*access.call, "boundary_check")) {
    if (mask.empty())
      removeArgument(file, *checked, changes.edits);
    else
      changes.edits.push_back({checked->range, "mask=" + mask});
  }
  if (const python::Keyword *padding = findKeyword(*access.call, "padding_option")) {
    if (mask.empty() || access.padding.empty())
      removeArgument(file, *padding, changes.edits);
    else
      changes.edits.push_back(
          {padding->range, access.padding == "zero" ? "other=0" : "other=float(\"nan\")"});
  }
  changes.calls.push_back(access.call);
}

void Writer::run() {
  if (language(*pointer.definitions.front().call).empty())
    return changes.refuse(text.getLocation(*pointer.definitions.front().call),
                          "the file imports tl.make_block_ptr by itself, and no triton.language",
                          "add `import triton.language as tl`");
  for (const BlockDefinition &definition : pointer.definitions)
    if (definition.target && !isFixed)
      return changes.refuse(text.getLocation(*definition.call),
                            "the block pointer that this returns is moved: they are followed "
                            "within one function");
  if (!isFixed) {
    base = getPart("base", [](const BlockDefinition &one) { return one.base; });
    for (unsigned axis = 0; axis < pointer.rank; ++axis) {
      strides.push_back(getPart("stride_" + std::to_string(axis),
                                [axis](const BlockDefinition &one) { return one.strides[axis]; }));
      sizes.push_back(getPart("size_" + std::to_string(axis),
                              [axis](const BlockDefinition &one) { return one.shape[axis]; }));
    }
  }
  for (const BlockDefinition &definition : pointer.definitions)
    definition.target ? writeCall(definition) : writeDefinition(definition);
  for (const BlockMove &move : pointer.moves)
    writeMove(move);
  for (const BlockAccess &access : pointer.accesses)
    writeAccess(access);
  if (!isFixed)
    for (const python::Name *use : pointer.typeUses)
      changes.edits.push_back(
          {use->range, StringRef(base.text).contains(' ') ? "(" + base.text + ")" : base.text});
}

void changeBlockPointers(FunctionText &text, Changes &changes) {
  BlockPointers pointers = findBlockPointers(text, changes);
  if (!changes.refusals.empty())
    return;
  for (auto &[web, pointer] : pointers)
    Writer(text, pointer, changes).run();
}

} // namespace nereid::upgrade
