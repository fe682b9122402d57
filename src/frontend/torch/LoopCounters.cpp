// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of a loop that begin again: `head = (head + 1) % K`.
#include "frontend/torch/LoopReader.h"

#include "python/AstVisit.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// (x % n + 1) % n as (x + 1) % n.
Expr LoopReader::withoutInnerRemainders(Expr expr) {
  if (expr.getKind() != index::ExprKind::Mod)
    return expr;
  Expr modulus = expr.getOperands()[1];
  DenseMap<Expr, Expr> inner;
  for (const index::Term &term : expr.getOperands()[0].getTerms())
    if (term.monomial.getKind() == index::ExprKind::Mod &&
        term.monomial.getOperands()[1] == modulus)
      inner[term.monomial] = term.monomial.getOperands()[0];
  return inner.empty() ? expr
                       : index::mod(index::substitute(expr.getOperands()[0], inner), modulus);
}

/// Whether a number is one of those that count up to a modulus.
bool LoopReader::isWithin(Expr number, Expr modulus) const {
  auto holds = [&](index::Pred pred) { return t.solver.truth(pred) == index::Truth::True; };
  return !index::contains(modulus, index) && holds(index::ge(number, 0)) &&
         holds(index::ge(modulus - 1, number));
}

/// What the remainder is taken of that a statement binds to a name: 4 in `head = (head + 1) % 4`.
static const python::Expr *modulusIn(const python::Node &node, StringRef name) {
  auto *assign = dyn_cast<python::Assign>(&node);
  auto *remainder = assign ? dyn_cast<python::BinOp>(assign->value) : nullptr;
  if (remainder && remainder->op == python::BinaryOperator::Mod)
    for (const python::Expr *target : assign->targets)
      if (auto *bound = dyn_cast<python::Name>(target); bound && bound->id == name)
        return remainder->right;
  const python::Expr *found = nullptr;
  python::forEachChild(node, [&](const python::Node &child) {
    if (!found)
      found = modulusIn(child, name);
  });
  return found;
}

/// The number at which a counter begins again, where the loop says so by a number, a name or an
/// attribute of one; null otherwise.
Expr LoopReader::cycleOf(StringRef name) {
  const python::Expr *modulus = modulusIn(loop.node, name);
  if (auto *number = dyn_cast_or_null<python::Constant>(modulus); number && number->isInt())
    return t.writer.constantSize(number->getInt64().value_or(0));
  auto *attribute = dyn_cast_or_null<python::Attribute>(modulus);
  auto *of = dyn_cast_or_null<python::Name>(attribute ? attribute->value : modulus);
  PyValue value = of ? loop.frame.locals->get(machine.intern(of->id)) : nullptr;
  if (of && !value)
    value = loop.frame.module->attrs->get(machine.intern(of->id));
  if (value && attribute)
    value = machine.getAttribute(value, attribute->attr);
  if (machine.pending())
    machine.takeError();
  return value && isSizeLike(value) ? *t.sizeArg(value, "a size") : Expr();
}

} // namespace nereid::torch
