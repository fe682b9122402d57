// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/BlockPointers.h"

#include "upgrade/Webs.h"

#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace nereid::upgrade {

bool isZero(const python::Expr &expr) {
  auto *constant = dyn_cast<python::Constant>(&expr);
  return constant && constant->isInt() && constant->getInt64() == 0;
}

bool BlockPointer::isMoved(unsigned axis) const {
  return llvm::any_of(moves, [&](const BlockMove &move) { return !isZero(*move.deltas[axis]); });
}

bool BlockPointer::isChecked(unsigned axis) const {
  return isResult || llvm::any_of(accesses, [&](const BlockAccess &access) {
           return llvm::is_contained(access.checked, axis);
         });
}

namespace {

class Finder {
public:
  Finder(FunctionText &text, Changes &changes) : text(text), changes(changes) {}

  BlockPointers run();

private:
  bool isFunction(const python::Call &call, StringRef name) const {
    return text.names.getLanguageName(*call.func) == name;
  }
  /// `advance(p, deltas)` or `p.advance(deltas)` of a known pointer; null for others.
  BlockPointer *getAdvanced(const python::Call &call, ArrayRef<python::Expr *> &deltas);
  void findDefinitions();
  void readDefinition(const python::Call &call);
  /// The rank of the block pointers that a function of this file returns; 0 for others.
  unsigned getHelperRank(const python::Call &call) const;
  bool addReturns(python::Body body, unsigned &rank) const;
  /// What the statement around a call assigns it to, where that is one name.
  const python::Name *getTarget(const python::Call &call) const;
  void readMove(const python::Assign &stmt, const python::Call &call);
  void readAccess(const python::Call &call);
  bool readChecked(const python::Call &call, BlockAccess &access, unsigned rank);
  void findOtherUses();
  void refuse(const python::Node &node, const Twine &reason, StringRef help = "") {
    changes.refuse(text.getLocation(node), reason.str(), help.str());
  }

  FunctionText &text;
  Changes &changes;
  /// The block pointer that a name is here; null for others.
  BlockPointer *find(const python::Expr *name) {
    if (auto found = inlined.find(name); found != inlined.end())
      return &pointers.find(found->second)->second;
    auto *simple = dyn_cast_if_present<python::Name>(name);
    std::optional<unsigned> web = simple ? webs->find(*simple) : std::nullopt;
    auto found = web ? pointers.find(*web) : pointers.end();
    return found == pointers.end() ? nullptr : &found->second;
  }

  /// Keys of those that have no web: what the function returns, and what stands in an access.
  static constexpr unsigned resultKey = 1u << 30, firstInlineKey = resultKey + 1;

  llvm::StringSet<> names;
  llvm::DenseMap<const python::Expr *, unsigned> inlined;
  std::optional<Webs> webs;
  BlockPointers pointers;
  llvm::DenseSet<const python::Node *> explained; // names, and calls of make_block_ptr and advance
};

} // namespace

static std::optional<ArrayRef<python::Expr *>> itemsOf(const python::Expr *expr) {
  if (auto *tuple = dyn_cast_if_present<python::Tuple>(expr))
    return tuple->elts;
  if (auto *list = dyn_cast_if_present<python::List>(expr))
    return list->elts;
  return std::nullopt;
}

/// The conditional expression that gives the call or None; null for others.
static const python::IfExp *getChoice(const FunctionText &text, const python::Call &call) {
  auto *choice = dyn_cast_if_present<python::IfExp>(text.getParent(call));
  auto *other = choice ? dyn_cast<python::Constant>(choice->orelse) : nullptr;
  bool isIt = other && other->type == python::ConstantType::None && choice->body == &call;
  return isIt ? choice : nullptr;
}

const python::Name *Finder::getTarget(const python::Call &call) const {
  const python::Expr *value = getChoice(text, call);
  value = value ? value : &call;
  auto *stmt = dyn_cast_if_present<python::Assign>(text.getParent(*value));
  return stmt && stmt->targets.size() == 1 && stmt->value == value
             ? dyn_cast<python::Name>(stmt->targets[0])
             : nullptr;
}

bool Finder::addReturns(python::Body body, unsigned &rank) const {
  for (const python::Stmt *stmt : body) {
    if (auto *branch = dyn_cast<python::If>(stmt)) {
      if (!addReturns(branch->body, rank) || !addReturns(branch->orelse, rank))
        return false;
    } else if (auto *result = dyn_cast<python::Return>(stmt)) {
      auto *call = dyn_cast_if_present<python::Call>(result->value);
      auto offsets = call && isFunction(*call, "make_block_ptr")
                         ? itemsOf(findArgument(*call, 3, "offsets"))
                         : std::nullopt;
      if (!offsets || (rank != 0 && rank != offsets->size()))
        return false;
      rank = offsets->size();
    }
  }
  return true;
}

unsigned Finder::getHelperRank(const python::Call &call) const {
  auto *name = dyn_cast<python::Name>(call.func);
  if (!name)
    return 0;
  for (const python::Stmt *stmt : text.names.file.getModule().body)
    if (auto *def = dyn_cast<python::FunctionDef>(stmt); def && def->name == name->id) {
      unsigned rank = 0;
      return addReturns(def->body, rank) ? rank : 0;
    }
  return 0;
}

void Finder::readDefinition(const python::Call &call) {
  static constexpr StringLiteral parts[] = {"shape", "strides", "offsets", "block_shape"};
  const python::Name *name = getTarget(call);
  const python::Stmt *stmt = text.getStatement(call);
  unsigned rank = 0;
  bool isResult = isa<python::Return>(stmt) && text.getParent(call) == stmt &&
                  addReturns(text.def.body, rank) && rank != 0;
  auto *access = dyn_cast_if_present<python::Call>(text.getParent(call));
  bool isInline = access && findArgument(*access, 0, "pointer") == &call &&
                  (isFunction(*access, "load") || isFunction(*access, "store")) &&
                  isa<python::Assign, python::AugAssign, python::ExprStmt>(stmt);
  explained.insert(&call);
  if (!name && !isResult && !isInline)
    return refuse(call, "a block pointer that is not assigned to a name right where it is made",
                  "write p = tl.make_block_ptr(...) in a statement of its own");
  BlockDefinition definition{stmt, &call, findArgument(call, 0, "base")};
  definition.isInline = isInline;
  if (const python::IfExp *choice = getChoice(text, call))
    definition.condition = choice->test;
  ArrayRef<python::Expr *> *lists[] = {&definition.shape, &definition.strides, &definition.offsets,
                                       &definition.block};
  bool isClear = definition.base && text.getIndent(*stmt);
  for (unsigned part = 0; part < 4; ++part) {
    auto items = itemsOf(findArgument(call, part + 1, parts[part]));
    isClear &= items && !items->empty() &&
               llvm::none_of(*items, [](auto *item) { return isa<python::Starred>(item); });
    *lists[part] = items.value_or(ArrayRef<python::Expr *>());
    isClear &= lists[part]->size() == definition.shape.size();
  }
  if (!isClear)
    return refuse(call, "shape, strides, offsets and block_shape of this block pointer are not "
                        "written out as tuples of one length in a line of their own");
  unsigned key = name ? *webs->find(*name) : isResult ? resultKey : firstInlineKey + inlined.size();
  BlockPointer &pointer = pointers[key];
  pointer.name = name ? name->id.str() : "p";
  if (isInline) {
    pointer.name = text.names.makeName("p" + std::to_string(inlined.size() + 1));
    inlined[&call] = key;
  }
  pointer.isResult = isResult;
  if (!pointer.definitions.empty() && pointer.rank != definition.shape.size())
    refuse(call, "`" + pointer.name + "` is a block pointer of two ranks");
  pointer.rank = definition.shape.size();
  pointer.definitions.push_back(definition);
  if (name)
    explained.insert(name);
}

void Finder::findDefinitions() {
  for (const python::Call *call : text.getCalls()) {
    if (isFunction(*call, "make_block_ptr")) {
      changes.kinds.insert("block pointers");
      readDefinition(*call);
      continue;
    }
    const python::Name *name = getTarget(*call);
    unsigned rank = name && !getChoice(text, *call) ? getHelperRank(*call) : 0;
    if (rank == 0)
      continue;
    changes.kinds.insert("block pointers");
    BlockPointer &pointer = pointers[*webs->find(*name)];
    if (!pointer.definitions.empty() && pointer.rank != rank)
      refuse(*call, "`" + name->id + "` is a block pointer of two ranks");
    pointer.name = name->id.str();
    pointer.rank = rank;
    pointer.definitions.push_back({.stmt = text.getStatement(*call), .call = call, .target = name});
    explained.insert(name);
  }
}

BlockPointer *Finder::getAdvanced(const python::Call &call, ArrayRef<python::Expr *> &deltas) {
  const python::Expr *pointer = nullptr, *given = nullptr;
  if (isFunction(call, "advance")) {
    pointer = findArgument(call, 0, "base");
    given = findArgument(call, 1, "offsets");
  } else if (auto *method = dyn_cast<python::Attribute>(call.func);
             method && method->attr == "advance") {
    pointer = method->value;
    given = findArgument(call, 0, "offsets");
  }
  BlockPointer *found = find(pointer);
  auto items = itemsOf(given);
  if (!found || !items || items->size() != found->rank)
    return nullptr;
  deltas = *items;
  explained.insert(pointer);
  explained.insert(&call);
  return found;
}

void Finder::readMove(const python::Assign &stmt, const python::Call &call) {
  ArrayRef<python::Expr *> deltas;
  auto *target = stmt.targets.size() == 1 ? dyn_cast<python::Name>(stmt.targets[0]) : nullptr;
  BlockPointer *pointer = target ? getAdvanced(call, deltas) : nullptr;
  if (!pointer)
    return;
  if (find(target) != pointer || !text.getIndent(stmt))
    return refuse(call, "`" + target->id + "` becomes `" + pointer->name +
                            "` at another place: block pointers are followed under one name");
  explained.insert(target);
  pointer->moves.push_back({&stmt, &call, deltas});
}

bool Finder::readChecked(const python::Call &call, BlockAccess &access, unsigned rank) {
  const python::Keyword *checked = findKeyword(call, "boundary_check");
  const python::Keyword *padding = findKeyword(call, "padding_option");
  SmallVector<const python::Expr *> axes;
  if (checked) {
    if (auto items = itemsOf(checked->value))
      axes.append(items->begin(), items->end());
    else
      axes.push_back(checked->value);
  }
  for (const python::Expr *axis : axes) {
    auto *known = dyn_cast<python::Constant>(axis);
    std::optional<int64_t> value = known && known->isInt() ? known->getInt64() : std::nullopt;
    if (!value || *value >= rank) {
      refuse(*axis, "boundary_check names an axis that is not a number below the rank");
      return false;
    }
    if (!llvm::is_contained(access.checked, *value))
      access.checked.push_back(*value);
  }
  llvm::sort(access.checked);
  auto *text = padding ? dyn_cast<python::Constant>(padding->value) : nullptr;
  if (padding && (!text || !text->isStr() || !is_contained({"", "zero", "nan"}, text->text))) {
    refuse(*padding, "padding_option is neither \"zero\" nor \"nan\"");
    return false;
  }
  access.padding = text ? text->text.str() : "";
  return true;
}

void Finder::readAccess(const python::Call &call) {
  bool isLoad = isFunction(call, "load");
  if (!isLoad && !isFunction(call, "store"))
    return;
  BlockAccess access{&call, findArgument(call, 0, "pointer"), {}, nullptr, {}, ""};
  BlockPointer *pointer = nullptr;
  if ((pointer = find(access.pointer))) {
    explained.insert(access.pointer);
  } else if (auto *advance = dyn_cast_if_present<python::Call>(access.pointer)) {
    pointer = getAdvanced(*advance, access.deltas);
    access.advance = pointer ? advance : nullptr;
  }
  if (!pointer) {
    for (StringRef option : {"boundary_check", "padding_option"})
      if (const python::Keyword *keyword = findKeyword(call, option)) {
        bool isEmpty = isEmptyLiteral(*keyword->value);
        changes.kinds.insert(isEmpty ? "options by name" : "block pointers");
        changes.calls.push_back(&call);
        if (isEmpty) {
          removeArgument(text.names.file, *keyword, changes.edits);
          continue;
        }
        return refuse(*keyword,
                      "`" + option + "` of what is no block pointer that this function makes",
                      "write mask= and other=");
      }
    return;
  }
  if (readChecked(call, access, pointer->rank))
    pointer->accesses.push_back(std::move(access));
}

void Finder::findOtherUses() {
  for (const python::Call *call : text.getCalls())
    if (isFunction(*call, "advance") && !explained.contains(call)) {
      changes.kinds.insert("block pointers");
      refuse(*call,
             "a block pointer is moved that this function does not make, or in a way that "
             "is not followed",
             "write p = tl.advance(p, (rows, columns))");
    }
  for (const python::Name *name : text.getNames()) {
    BlockPointer *pointer = find(name);
    if (!pointer || explained.contains(name))
      continue;
    const python::Node *parent = text.getParent(*name);
    auto *attribute = dyn_cast_if_present<python::Attribute>(parent);
    if (attribute && (attribute->attr == "dtype" || attribute->attr == "type")) {
      pointer->typeUses.push_back(name);
      continue;
    }
    auto *assign = dyn_cast_if_present<python::Assign>(parent);
    auto *none = assign ? dyn_cast<python::Constant>(assign->value) : nullptr;
    if (none && none->type == python::ConstantType::None)
      continue;
    if (auto *call = dyn_cast_if_present<python::Call>(parent); call && call->func != name)
      refuse(*name, "the block pointer `" + name->id + "` is passed to `" +
                        text.getText(*call->func) +
                        "`: block pointers are followed within one "
                        "function");
    else
      refuse(*name, "the block pointer `" + name->id +
                        "` is used in another way than by tl.load, "
                        "tl.store and tl.advance");
  }
}

BlockPointers Finder::run() {
  for (const python::Call *call : text.getCalls())
    if (const python::Name *name = getTarget(*call))
      if (isFunction(*call, "make_block_ptr") || getHelperRank(*call) != 0)
        names.insert(name->id);
  webs.emplace(text, names);
  findDefinitions();
  for (const python::Call *call : text.getCalls())
    if (auto *stmt = dyn_cast_if_present<python::Assign>(text.getParent(*call)))
      readMove(*stmt, *call);
  for (const python::Call *call : text.getCalls())
    readAccess(*call);
  findOtherUses();
  return std::move(pointers);
}

BlockPointers findBlockPointers(FunctionText &text, Changes &changes) {
  return Finder(text, changes).run();
}

} // namespace nereid::upgrade
