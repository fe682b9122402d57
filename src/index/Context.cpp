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

Expr Context::Storage::intern(ExprNode content) {
  llvm::hash_code hash = llvm::hash_combine(unsigned(content.kind), content.value, content.name);
  for (Expr operand : content.operands)
    hash = llvm::hash_combine(hash, operand);
  for (Factor factor : content.factors)
    hash = llvm::hash_combine(hash, factor.atom, factor.power);
  for (Term term : content.terms)
    hash = llvm::hash_combine(hash, term.monomial, term.coefficient);
  content.hash = unsigned(size_t(hash));

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
  exprs.insert(node);
  return Expr(node);
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
