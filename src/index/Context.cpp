// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Storage.h"

#include "llvm/ADT/Hashing.h"

#include <algorithm>

namespace nereid::index {

Context::Context() : storage(std::make_unique<Storage>()) {}
Context::~Context() = default;

template <typename T>
static llvm::ArrayRef<T> copyInto(llvm::BumpPtrAllocator &allocator, llvm::ArrayRef<T> values) {
  if (values.empty())
    return {};
  T *data = allocator.Allocate<T>(values.size());
  std::uninitialized_copy(values.begin(), values.end(), data);
  return {data, values.size()};
}

/// One multiplication a word: expressions are made unique millions of times in a long proof.
static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

static uint64_t mixed(uint64_t hash, Expr expr) {
  return mixed(hash, reinterpret_cast<uintptr_t>(expr.getAsOpaquePointer()));
}

static unsigned hashOf(const ExprNode &content) {
  uint64_t hash = mixed(uint64_t(content.kind), uint64_t(content.value));
  if (!content.name.empty())
    hash = mixed(hash, uint64_t(size_t(llvm::hash_value(content.name))));
  for (Expr operand : content.operands)
    hash = mixed(hash, operand);
  for (Factor factor : content.factors)
    hash = mixed(mixed(hash, factor.atom), factor.power);
  for (Term term : content.terms)
    hash = mixed(mixed(hash, term.monomial), uint64_t(term.coefficient));
  return unsigned(hash);
}

static unsigned degreeOf(const ExprNode &content) {
  unsigned result = 0;
  switch (content.kind) {
  case ExprKind::Constant:
    return 0;
  case ExprKind::Product:
    for (Factor factor : content.factors)
      result += factor.power * factor.atom.getNode()->degree;
    return result;
  case ExprKind::Sum:
    for (Term term : content.terms)
      result = std::max(result, term.monomial.getNode()->degree);
    return result;
  default:
    return 1;
  }
}

static unsigned kindsOf(const ExprNode &content) {
  unsigned kinds = 1u << unsigned(content.kind);
  for (Expr operand : content.operands)
    kinds |= operand.getNode()->kinds;
  for (Factor factor : content.factors)
    kinds |= factor.atom.getNode()->kinds;
  for (Term term : content.terms)
    kinds |= term.monomial.getNode()->kinds;
  return kinds;
}

/// All symbols of some lists, as one list: mostly one of these.
llvm::ArrayRef<Expr> Context::Storage::unite(SymbolLists lists) {
  llvm::ArrayRef<Expr> longest;
  for (llvm::ArrayRef<Expr> list : lists)
    if (list.size() > longest.size())
      longest = list;
  llvm::SmallVector<Expr> all(longest), more;
  for (llvm::ArrayRef<Expr> list : lists) {
    if (list.data() == longest.data())
      continue;
    more.clear();
    std::set_union(all.begin(), all.end(), list.begin(), list.end(), std::back_inserter(more));
    std::swap(all, more);
  }
  return all.size() == longest.size() ? longest : copyInto(allocator, llvm::ArrayRef(all));
}

Expr Context::Storage::intern(ExprNode content) {
  content.hash = hashOf(content);

  std::lock_guard<std::mutex> lock(mutex);
  auto found = exprs.find(&content);
  if (found != exprs.end())
    return Expr(*found);
  auto *node = new (allocator.Allocate<ExprNode>()) ExprNode(content);
  llvm::ArrayRef<char> name =
      copyInto(allocator, llvm::ArrayRef<char>(content.name.data(), content.name.size()));
  node->name = llvm::StringRef(name.data(), name.size());
  node->operands = copyInto(allocator, content.operands);
  node->factors = copyInto(allocator, content.factors);
  node->terms = copyInto(allocator, content.terms);
  node->degree = degreeOf(*node);
  node->kinds = kindsOf(*node);
  Expr result(node);
  llvm::SmallVector<llvm::ArrayRef<Expr>> lists;
  if (content.kind == ExprKind::Symbol)
    node->symbols = copyInto(allocator, llvm::ArrayRef(result));
  forEachPart(result, [&](Expr part) { lists.push_back(part.getNode()->symbols); });
  if (!lists.empty())
    node->symbols = unite(lists);
  exprs.insert(node);
  return result;
}

Pred Context::Storage::intern(PredNode content) {
  llvm::hash_code hash = llvm::hash_combine(unsigned(content.kind), content.expr, content.divisor);
  for (Pred operand : content.operands)
    hash = llvm::hash_combine(hash, operand);
  content.hash = unsigned(size_t(hash));

  std::lock_guard<std::mutex> lock(mutex);
  auto found = preds.find(&content);
  if (found != preds.end())
    return Pred(*found);
  auto *node = new (allocator.Allocate<PredNode>()) PredNode(content);
  node->operands = copyInto(allocator, content.operands);
  llvm::SmallVector<llvm::ArrayRef<Expr>> lists;
  for (Expr expr : {content.expr, content.divisor})
    if (expr)
      lists.push_back(expr.getNode()->symbols);
  for (Pred operand : content.operands)
    lists.push_back(operand.getNode()->symbols);
  node->symbols = unite(lists);
  preds.insert(node);
  return Pred(node);
}

Expr Context::constant(int64_t value) {
  ExprNode content{ExprKind::Constant, this};
  content.value = value;
  return index::intern(content);
}

Expr Context::symbol(llvm::StringRef name) {
  ExprNode content{ExprKind::Symbol, this};
  content.name = name;
  return index::intern(content);
}

Expr makeAtom(ExprKind kind, llvm::ArrayRef<Expr> operands) {
  ExprNode content{kind, &operands.front().getContext()};
  content.operands = operands;
  return index::intern(content);
}

} // namespace nereid::index
