// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Webs.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::upgrade {

Webs::Webs(const FunctionText &text, const llvm::StringSet<> &names) : names(names) {
  Reaching reaching;
  visit(text.def.body, reaching);
}

unsigned Webs::getRoot(unsigned assignment) const {
  while (parents[assignment] != assignment)
    assignment = parents[assignment];
  return assignment;
}

std::optional<unsigned> Webs::find(const python::Name &name) const {
  auto found = known.find(&name);
  if (found == known.end())
    return std::nullopt;
  return getRoot(found->second);
}

void Webs::visitNames(const python::Node &node, Reaching &reaching, python::ExprContext context) {
  if (isa<python::Stmt>(node))
    return;
  if (auto *name = dyn_cast<python::Name>(&node); name && names.contains(name->id)) {
    bool isAssigned = name->ctx == python::ExprContext::Store;
    if (isAssigned && context == python::ExprContext::Store) {
      auto [place, isNew] = known.try_emplace(name, parents.size());
      if (isNew)
        parents.push_back(parents.size());
      reaching[name->id] = {place->second};
    } else if (!isAssigned && context == python::ExprContext::Load) {
      for (unsigned assignment : reaching[name->id]) {
        unsigned first = known.try_emplace(name, assignment).first->second;
        parents[getRoot(assignment)] = getRoot(first);
      }
    }
  }
  python::forEachChild(node,
                       [&](const python::Node &child) { visitNames(child, reaching, context); });
}

void Webs::visit(python::Body body, Reaching &reaching) {
  for (const python::Stmt *stmt : body)
    visit(*stmt, reaching);
}

static void merge(std::map<StringRef, std::set<unsigned>> &into,
                  const std::map<StringRef, std::set<unsigned>> &from) {
  for (const auto &[name, assignments] : from)
    into[name].insert(assignments.begin(), assignments.end());
}

/// The body twice: what it assigns reaches its beginning.
void Webs::visitLoop(const python::Stmt &stmt, python::Body body, Reaching &reaching) {
  for (unsigned turn = 0; turn < 2; ++turn) {
    Reaching inside = reaching;
    python::forEachChild(stmt, [&](const python::Node &child) {
      visitNames(child, inside, python::ExprContext::Load);
    });
    python::forEachChild(stmt, [&](const python::Node &child) {
      visitNames(child, inside, python::ExprContext::Store);
    });
    visit(body, inside);
    merge(reaching, inside);
  }
}

/// The name that `p = tl.advance(p, ...)` and `p = p.advance(...)` move on; null for others.
static const python::Name *getMoved(const python::Stmt &stmt) {
  auto *assign = dyn_cast<python::Assign>(&stmt);
  auto *call = assign ? dyn_cast<python::Call>(assign->value) : nullptr;
  auto *callee = call ? dyn_cast<python::Attribute>(call->func) : nullptr;
  if (!callee || callee->attr != "advance" || assign->targets.size() != 1)
    return nullptr;
  auto *target = dyn_cast<python::Name>(assign->targets[0]);
  auto *self = dyn_cast<python::Name>(callee->value);
  auto *given = call->args.empty() ? nullptr : dyn_cast<python::Name>(call->args[0]);
  bool isSame = target && ((self && self->id == target->id) || (given && given->id == target->id));
  return isSame ? target : nullptr;
}

void Webs::move(const python::Name &name, Reaching &reaching) {
  for (unsigned assignment : reaching[name.id]) {
    unsigned own = known.try_emplace(&name, parents.size()).first->second;
    if (own == parents.size())
      parents.push_back(own);
    parents[getRoot(assignment)] = getRoot(own);
  }
}

void Webs::visit(const python::Stmt &stmt, Reaching &reaching) {
  if (auto *loop = dyn_cast<python::For>(&stmt)) {
    visitLoop(stmt, loop->body, reaching);
    return visit(loop->orelse, reaching);
  }
  if (auto *loop = dyn_cast<python::While>(&stmt)) {
    visitLoop(stmt, loop->body, reaching);
    return visit(loop->orelse, reaching);
  }
  for (auto context : {python::ExprContext::Load, python::ExprContext::Store}) {
    // What is assigned to in place is read too.
    if (auto *add = dyn_cast<python::AugAssign>(&stmt); add && context == python::ExprContext::Load)
      if (auto *name = dyn_cast<python::Name>(add->target); name && names.contains(name->id))
        move(*name, reaching);
    // What moves on is one pointer, not another one.
    if (const python::Name *name = getMoved(stmt);
        name && names.contains(name->id) && context == python::ExprContext::Load)
      move(*name, reaching);
    python::forEachChild(stmt,
                         [&](const python::Node &child) { visitNames(child, reaching, context); });
  }
  if (auto *branch = dyn_cast<python::If>(&stmt)) {
    Reaching other = reaching;
    visit(branch->body, reaching);
    visit(branch->orelse, other);
    return merge(reaching, other);
  }
  python::forEachChild(stmt, [&](const python::Node &child) {
    if (auto *inner = dyn_cast<python::Stmt>(&child))
      visit(*inner, reaching);
  });
}

} // namespace nereid::upgrade
