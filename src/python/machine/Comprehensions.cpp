// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Evaluator.h"

using namespace nereid;
using namespace nereid::machine;

namespace nereid::machine {
/// One run of a comprehension: its loops, and what is done with each element.
class ComprehensionRun {
public:
  ComprehensionRun(Evaluator &evaluator, llvm::ArrayRef<ast::Comprehension *> generators,
                   llvm::function_ref<bool()> element)
      : e(evaluator), generators(generators), element(element) {}

  bool run(size_t level, Value first) {
    if (level == generators.size())
      return element();
    const ast::Comprehension &loop = *generators[level];
    if (loop.isAsync)
      return e.m.refuse("'async for' is not supported",
                        "write a plain loop: there is no event loop");
    Value iterable = first ? first : e.eval(*loop.iter);
    Value iterator = iterable ? e.m.iterator(iterable) : nullptr;
    if (!iterator)
      return false;
    while (Value item = e.m.next(iterator))
      if (!e.m.step() || !e.assign(*loop.target, item) || !runItem(level))
        return false;
    return !e.m.pending();
  }

  /// What belongs to the item to which the target of the loop at `level` is bound.
  bool runItem(size_t level) {
    auto kept = conditions(*generators[level]);
    return kept && (!*kept || run(level + 1, nullptr));
  }

private:
  std::optional<bool> conditions(const ast::Comprehension &loop) {
    for (auto *test : loop.ifs) {
      Value value = e.eval(*test), answer = nullptr;
      Truth known = value ? e.condition(loop, value, answer) : Truth::Failed;
      if (known == Truth::Unknown)
        known = e.m.knownTruth(answer);
      if (known == Truth::Failed)
        return std::nullopt;
      if (known == Truth::False)
        return false;
    }
    return true;
  }

  Evaluator &e;
  llvm::ArrayRef<ast::Comprehension *> generators;
  llvm::function_ref<bool()> element;
};
} // namespace nereid::machine

static Frame *comprehensionFrame(Internals &in, Frame &outer, const ast::Expr &expr) {
  Frame *frame = in.takeFrame();
  frame->kind = FrameKind::Comprehension;
  frame->code = in.codeOf(expr, outer.getFile());
  frame->module = outer.module;
  bool visible = outer.kind == FrameKind::Function || outer.kind == FrameKind::Comprehension;
  frame->closure = visible ? &outer : outer.closure;
  frame->caller = &outer;
  frame->function = outer.function;
  frame->policy = outer.policy;
  frame->policyData = outer.policyData;
  frame->current = &expr;
  return frame;
}

static Value collect(Internals &in, Frame &frame, llvm::ArrayRef<ast::Comprehension *> generators,
                     Value first, Value result, llvm::function_ref<bool(Evaluator &)> element) {
  Evaluator evaluator(in, frame);
  Frame *saved = in.frame;
  in.frame = &frame;
  auto each = [&] { return element(evaluator); };
  bool ok = ComprehensionRun(evaluator, generators, each).run(0, first);
  in.frame = saved;
  in.giveFrame(&frame);
  return ok ? result : nullptr;
}

bool Evaluator::append(const ast::ListComp &node, ListObject &list) {
  Value value = eval(*node.elt);
  if (!value || !in.checkItems(list.items.size()))
    return false;
  // The loop that is read may stand for all that it appends.
  if (list.whole)
    return m.call(m.getAttribute(&list, m.intern("append")), {value}) != nullptr;
  m.willWrite(&list);
  list.items.push_back(value);
  return true;
}

bool Evaluator::evalElements(const ast::ListComp &node, ListObject &list) {
  Frame *saved = in.frame;
  in.frame = &f;
  auto each = [&] { return append(node, list); };
  bool ok = ComprehensionRun(*this, node.generators, each).runItem(0);
  in.frame = saved;
  return ok;
}

Value Evaluator::evalComprehension(const ast::Expr &expr) {
  // The first iterable is evaluated outside, as in CPython.
  auto start = [&](llvm::ArrayRef<ast::Comprehension *> generators) {
    return eval(*generators.front()->iter);
  };
  if (auto *node = llvm::dyn_cast<ast::ListComp>(&expr)) {
    Value first = start(node->generators);
    auto *list = m.makeList();
    if (!first)
      return nullptr;
    Frame *frame = comprehensionFrame(in, f, expr);
    if (auto *foreign = llvm::dyn_cast<Foreign>(standIn(first))) {
      Loop loop{m, *frame, *node, foreign, list};
      if (auto ended = foreign->library.comprehension(loop))
        return ended->isNormal() ? list : nullptr;
      if (m.pending())
        return nullptr;
    }
    return collect(in, *frame, node->generators, first, list,
                   [&](Evaluator &inner) { return inner.append(*node, *list); });
  }
  if (auto *node = llvm::dyn_cast<ast::SetComp>(&expr)) {
    Value first = start(node->generators);
    auto *set = m.makeSet();
    return first ? collect(in, *comprehensionFrame(in, f, expr), node->generators, first, set,
                           [&](Evaluator &inner) {
                             Value value = inner.eval(*node->elt);
                             return value && m.setAdd(*set, value);
                           })
                 : nullptr;
  }
  if (auto *node = llvm::dyn_cast<ast::DictComp>(&expr)) {
    Value first = start(node->generators);
    auto *dict = m.makeDict();
    return first ? collect(in, *comprehensionFrame(in, f, expr), node->generators, first, dict,
                           [&](Evaluator &inner) {
                             Value key = inner.eval(*node->key);
                             Value value = key ? inner.eval(*node->value) : nullptr;
                             return value && m.dictSet(*dict, key, value);
                           })
                 : nullptr;
  }
  auto *node = llvm::cast<ast::GeneratorExp>(&expr);
  Value first = start(node->generators);
  Value iterator = first ? m.iterator(first) : nullptr;
  if (!iterator)
    return nullptr;
  Frame *frame = comprehensionFrame(in, f, expr);
  in.capture(frame);
  Internals &internals = in;
  return in.makeGenerator(frame, [&internals, frame, node, iterator]() -> Completion {
    Evaluator inner(internals, *frame);
    auto each = [&] {
      Value value = inner.eval(*node->elt);
      return value && internals.yieldValue(value);
    };
    bool ok = ComprehensionRun(inner, node->generators, each).run(0, iterator);
    return ok ? Completion::returns(internals.m.none()) : Completion::raise();
  });
}
