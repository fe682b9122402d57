// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/CaseTree.h"

#include "host/HostOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid::torch {
namespace {

mlir::func::FuncOp programOf(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

/// What a case computes, without the sizes that are typical of it.
std::string textOfCase(const ReadCase &one) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = one.module.get().clone();
  for (StringRef sizes : {"graph.hints", "graph.typical"})
    programOf(*copy)->removeAttr(sizes);
  std::string text;
  raw_string_ostream os(text);
  copy->print(os);
  return text;
}

bool areSiblings(const ProgramCase &a, const ProgramCase &b) {
  if (a.decisions.empty() || a.decisions.size() != b.decisions.size())
    return false;
  for (auto [place, pair] : enumerate(zip(a.decisions, b.decisions)))
    if ((std::get<0>(pair).taken != std::get<1>(pair).taken) != (place + 1 == a.decisions.size()))
      return false;
  return true;
}

/// Two cases that differ in their last decision, and compute or raise the same, are one.
void mergeEqual(std::vector<ReadCase> &cases) {
  for (bool changed = true; std::exchange(changed, false);)
    for (size_t a = 0; a < cases.size(); ++a)
      for (size_t b = a + 1; b < cases.size() && !changed; ++b) {
        bool bothCompute = cases[a].module && cases[b].module;
        if (!areSiblings(cases[a].decided, cases[b].decided) ||
            !cases[a].module != !cases[b].module || cases[a].raised != cases[b].raised ||
            (bothCompute && textOfCase(cases[a]) != textOfCase(cases[b])))
          continue;
        cases[a].decided.decisions.pop_back();
        cases.erase(cases.begin() + b);
        changed = true;
      }
}

void addCheck(mlir::func::FuncOp function, Pred needed, StringRef message) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&function.front());
  graph::CheckOp::create(builder, function.getLoc(),
                         sym::PredAttr::get(function.getContext(), needed),
                         builder.getStringAttr(message));
}

/// The cases on both sides of a decision about a layout.
class LayoutCases {
public:
  /// Of the last decision about a layout in a case; nothing where there is none.
  static std::optional<LayoutCases> find(std::vector<ReadCase> &cases) {
    for (ReadCase &one : cases)
      for (size_t at = one.decided.decisions.size(); at-- > 0;)
        for (const ProgramCase::Layout &layout : one.decided.layouts)
          if (index::ne(layout.flag, 0) == one.decided.decisions[at].pred)
            return LayoutCases(cases, one.decided, at, layout);
    return std::nullopt;
  }
  bool isSeen() const { return textOf(true) != textOf(false); }
  const ProgramCase::Decision &decision() const { return model.decisions[at]; }
  bool isKnown() const { return layout.arguments.has_value(); }
  /// Keeps one side.
  void settle() {
    bool kept = !isSeen() || layout.isExpected;
    bool checks = isSeen();
    std::vector<ReadCase> rest;
    for (ReadCase &one : cases) {
      if (contains(one.decided)) {
        if (one.decided.decisions[at].taken != kept)
          continue;
        one.decided.decisions.erase(one.decided.decisions.begin() + at);
        if (checks && one.module)
          check(one);
      }
      rest.push_back(std::move(one));
    }
    cases = std::move(rest);
  }

private:
  LayoutCases(std::vector<ReadCase> &cases, ProgramCase model, size_t at,
              ProgramCase::Layout layout)
      : cases(cases), model(std::move(model)), at(at), layout(std::move(layout)) {}

  std::vector<ReadCase> &cases;
  ProgramCase model;
  size_t at;
  ProgramCase::Layout layout;

  bool contains(const ProgramCase &one) const {
    if (one.decisions.size() <= at || one.decisions[at].pred != model.decisions[at].pred)
      return false;
    for (size_t place = 0; place < at; ++place)
      if (one.decisions[place].pred != model.decisions[place].pred ||
          one.decisions[place].taken != model.decisions[place].taken)
        return false;
    return true;
  }
  std::vector<std::string> textOf(bool taken) const {
    std::vector<std::string> texts;
    for (const ReadCase &one : cases) {
      if (!contains(one.decided) || one.decided.decisions[at].taken != taken)
        continue;
      std::string text = one.raised;
      for (const ProgramCase::Decision &next : drop_begin(one.decided.decisions, at + 1))
        text += (next.taken ? " " : " not ") + next.pred.str();
      texts.push_back(text + "\n" + (one.module ? textOfCase(one) : ""));
    }
    llvm::sort(texts);
    return texts;
  }
  void check(ReadCase &one) {
    mlir::func::FuncOp program = programOf(*one.module);
    for (const ProgramCase::Layout &own : one.decided.layouts) {
      if (own.flag != layout.flag)
        continue;
      for (unsigned place : own.places)
        if (!program.getArgAttr(place, "graph.row_major"))
          program.setArgAttr(place, "graph.row_major",
                             mlir::StringAttr::get(program.getContext(), "is_contiguous()"));
      Pred needed = one.resolve(own.condition);
      if (!needed.isTrue())
        addCheck(program, needed, "what is_contiguous() says differs at these sizes");
    }
  }
};

/// Questions of layouts of which a program makes nothing are dropped; of others one answer is kept,
/// and calls that have another are refused. False after an error.
bool settleLayouts(std::vector<ReadCase> &cases, Diagnostics &diagnostics) {
  while (std::optional<LayoutCases> asked = LayoutCases::find(cases)) {
    if (asked->isSeen() && !asked->isKnown()) {
      diagnostics.error(asked->decision().place,
                        "what is_contiguous() says is known only when it runs",
                        "call contiguous(), which copies only what is not");
      return false;
    }
    asked->settle();
    mergeEqual(cases);
  }
  return true;
}

/// The number of the call that an argument is, and its type; null for other arguments.
using LiveKey = std::pair<mlir::StringAttr, mlir::Type>;
LiveKey liveKey(mlir::func::FuncOp program, unsigned place) {
  if (!program.getArgAttr(place, "graph.live"))
    return {};
  auto access = program.getArgAttrOfType<mlir::StringAttr>(place, "graph.access");
  return {access ? access : program.getArgAttrOfType<mlir::StringAttr>(place, "graph.name"),
          program.getArgumentTypes()[place]};
}

/// The numbers of the call that one case reads, all take: they stand behind the inputs.
void shareNumbers(std::vector<ReadCase> &cases) {
  MapVector<LiveKey, mlir::DictionaryAttr> all;
  llvm::StringSet<> names;
  for (ReadCase &one : cases)
    if (one.module)
      for (unsigned place = 0; place < programOf(*one.module).getNumArguments(); ++place) {
        mlir::func::FuncOp program = programOf(*one.module);
        LiveKey key = liveKey(program, place);
        mlir::StringAttr access = key.first;
        if (!access || all.count(key))
          continue;
        mlir::NamedAttrList attributes(program.getArgAttrDict(place));
        StringRef own = cast<mlir::StringAttr>(attributes.get("graph.name")).getValue();
        std::string name = own.str();
        for (unsigned number = 2; !names.insert(name).second; ++number)
          name = own.str() + std::to_string(number);
        attributes.set("graph.name", mlir::StringAttr::get(access.getContext(), name));
        attributes.set("graph.access", access);
        all[key] = attributes.getDictionary(access.getContext());
      }
  for (ReadCase &one : cases) {
    if (!one.module || all.empty())
      continue;
    mlir::func::FuncOp program = programOf(*one.module);
    unsigned first = program.getNumArguments();
    if (first && program.getArgAttr(first - 1, "graph.seed"))
      --first;
    while (first && liveKey(program, first - 1).first)
      --first;
    unsigned place = first;
    for (auto &[key, attributes] : all) {
      mlir::Type type = key.second;
      (void)program.insertArgument(place, type, attributes, program.getLoc());
      for (unsigned old = place + 1; old < program.getNumArguments(); ++old)
        if (liveKey(program, old) == key) {
          program.getArgument(old).replaceAllUsesWith(program.getArgument(place));
          (void)program.eraseArgument(old);
          one.declared.erase(one.declared.begin() + (old - 1));
          break;
        }
      one.declared.insert(one.declared.begin() + place, type);
      ++place;
    }
  }
}

/// What the cases relied on, one list for all: of rows with equal beginnings the first stands.
mlir::ArrayAttr joinRows(ArrayRef<mlir::ArrayAttr> lists) {
  MapVector<mlir::Attribute, SmallVector<mlir::Attribute>> rows;
  mlir::MLIRContext *context = nullptr;
  for (mlir::ArrayAttr list : lists)
    for (mlir::Attribute entry : list ? list.getValue() : ArrayRef<mlir::Attribute>()) {
      auto row = cast<mlir::ArrayAttr>(entry);
      context = row.getContext();
      SmallVector<mlir::Attribute> &known = rows[row[0]];
      if (known.empty())
        known.assign(row.begin(), row.end());
      else if (known.size() > 2)
        known[2] = joinRows({cast<mlir::ArrayAttr>(known[2]), cast<mlir::ArrayAttr>(row[2])});
    }
  SmallVector<mlir::Attribute> joined;
  for (auto &[key, row] : rows)
    joined.push_back(mlir::ArrayAttr::get(context, row));
  mlir::MLIRContext *any = context ? context : lists.front().getContext();
  return mlir::ArrayAttr::get(any, joined);
}

/// Where one case draws random numbers, all take its seed. Those that draw nothing say so: nothing
/// is drawn for their calls.
void shareSeed(std::vector<ReadCase> &cases) {
  mlir::func::FuncOp drawing;
  auto seeded = [](mlir::func::FuncOp program) {
    unsigned count = program.getNumArguments();
    return count && program.getArgAttr(count - 1, "graph.seed");
  };
  for (ReadCase &one : cases)
    if (one.module && seeded(programOf(*one.module)))
      drawing = programOf(*one.module);
  if (!drawing)
    return;
  unsigned last = drawing.getNumArguments() - 1;
  mlir::Type type = drawing.getArgumentTypes()[last];
  for (ReadCase &one : cases) {
    if (!one.module || seeded(programOf(*one.module)))
      continue;
    mlir::func::FuncOp program = programOf(*one.module);
    mlir::NamedAttrList attributes(drawing.getArgAttrDict(last));
    attributes.set("graph.undrawn", mlir::UnitAttr::get(program.getContext()));
    (void)program.insertArgument(program.getNumArguments(), type,
                                 attributes.getDictionary(program.getContext()), drawing.getLoc());
    program->setAttr("graph.signature", drawing->getAttr("graph.signature"));
    one.declared.push_back(type);
  }
}

Pred conditionOf(const ProgramCase &one, index::Context &context) {
  SmallVector<Pred> preds;
  for (const ProgramCase::Decision &decision : one.decisions)
    preds.push_back(decision.taken ? decision.pred : index::notOf(decision.pred));
  return index::allOf(context, preds);
}

/// The flags of modules that something in the programs asks for.
class Flags {
public:
  void add(const ProgramCase &one) {
    for (auto &flag : one.flags)
      if (!is_contained(known, flag))
        known.push_back(flag);
  }
  void use(Pred pred) {
    index::forEachSymbol(pred, [&](Expr symbol) {
      for (auto &flag : known)
        if (flag.first == symbol && !is_contained(used, flag))
          used.push_back(flag);
    });
  }
  /// Makes them arguments behind those of the module's tree.
  void addTo(mlir::func::FuncOp function) const {
    mlir::Builder builder(function.getContext());
    mlir::Type type = graph::TensorType::get(function.getContext(), {}, builder.getI1Type());
    unsigned place = 0;
    while (place < function.getNumArguments() && function.getArgAttr(place, "graph.parameter"))
      ++place;
    for (auto &[symbol, path] : used) {
      auto name = builder.getStringAttr(symbol.getName());
      mlir::NamedAttrList attributes;
      attributes.set("graph.name", name);
      attributes.set("graph.scalar", builder.getUnitAttr());
      attributes.set("graph.symbol", name);
      attributes.set("graph.flag",
                     builder.getStringAttr(path.empty() ? "training" : path + ".training"));
      (void)function.insertArgument(place++, type, attributes.getDictionary(function.getContext()),
                                    function.getLoc());
    }
  }
  void addTo(host::ModuleOp module) const {
    mlir::Builder builder(module.getContext());
    SmallVector<mlir::Attribute> tree(module.getTree().begin(), module.getTree().end());
    for (auto &[symbol, path] : used)
      tree.push_back(builder.getStringAttr(path.empty() ? "training" : path + ".training"));
    module.setTreeAttr(builder.getArrayAttr(tree));
  }

private:
  std::vector<std::pair<Expr, std::string>> known, used;
};

/// The one module of several programs and the declaration that chooses among them.
mlir::OwningOpRef<mlir::ModuleOp> choose(std::vector<ReadCase> &cases, const Flags &flags,
                                         index::Context &context, Diagnostics &diagnostics) {
  ReadCase &first = *find_if(cases, [](const ReadCase &one) { return bool(one.module); });
  mlir::func::FuncOp model = programOf(*first.module);
  std::string name = model.getName().str();
  mlir::MLIRContext *mlir = model.getContext();
  mlir::OwningOpRef<mlir::ModuleOp> joined = mlir::ModuleOp::create(first.module->getLoc());
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(joined->getBody());
  auto declaration = mlir::func::FuncOp::create(builder, model.getLoc(), name,
                                                mlir::FunctionType::get(mlir, first.declared, {}));
  declaration.setPrivate();
  for (StringRef attribute : {"graph.signature", "graph.numbers", "graph.result", "graph.stores",
                              "graph.lists", "graph.records"})
    if (mlir::Attribute value = model->getAttr(attribute))
      declaration->setAttr(attribute, value);
  std::string definitions;
  for (ReadCase &one : cases)
    if (auto text =
            one.module
                ? programOf(*one.module)->getAttrOfType<mlir::StringAttr>("graph.definitions")
                : nullptr)
      definitions += (definitions.empty() ? "" : "\n") + text.str();
  if (!definitions.empty())
    declaration->setAttr("graph.definitions", builder.getStringAttr(definitions));
  for (StringRef attribute : {"graph.known", "graph.modules", "graph.shared", "graph.constants"}) {
    SmallVector<mlir::ArrayAttr> lists;
    for (ReadCase &one : cases)
      if (one.module)
        if (auto list = programOf(*one.module)->getAttrOfType<mlir::ArrayAttr>(attribute))
          lists.push_back(list);
    if (!lists.empty())
      declaration->setAttr(attribute, joinRows(lists));
  }
  for (unsigned place = 0; place < declaration.getNumArguments(); ++place)
    declaration.setArgAttrs(place, model.getArgAttrDict(place));
  SmallVector<mlir::Attribute> rows;
  unsigned number = 0;
  for (ReadCase &one : cases) {
    Pred when = conditionOf(one.decided, context);
    mlir::Attribute what = builder.getStringAttr(one.raised);
    if (one.module) {
      mlir::func::FuncOp program = programOf(*one.module);
      bool storesOther = program->getAttr("graph.stores") != model->getAttr("graph.stores");
      bool isOther = program->getAttr("graph.result") != model->getAttr("graph.result") ||
                     program.getNumResults() != model.getNumResults();
      if (storesOther || (isOther && model->hasAttr("graph.stores"))) {
        const ProgramCase::Decision &last = one.decided.decisions.back();
        diagnostics.error(last.place, "what the program stores is other in one case",
                          "store the same tensors on every path");
        return {};
      }
      // Each case gives its results the structure that they have there.
      if (isOther) {
        declaration->removeAttr("graph.result");
        declaration->setAttr("graph.own_results", builder.getUnitAttr());
      }
      program.setName(name + "_case" + std::to_string(++number));
      program->setAttr("graph.when", sym::PredAttr::get(mlir, when));
      what = mlir::FlatSymbolRefAttr::get(program);
      flags.addTo(program);
      program->moveBefore(joined->getBody(), joined->getBody()->end());
    }
    rows.push_back(builder.getArrayAttr({sym::PredAttr::get(mlir, when), what}));
  }
  declaration->setAttr("graph.cases", builder.getArrayAttr(rows));
  flags.addTo(declaration);
  for (auto module : make_early_inc_range(first.module->getOps<host::ModuleOp>())) {
    module->moveBefore(joined->getBody(), joined->getBody()->end());
    flags.addTo(module);
  }
  return joined;
}

} // namespace

/// Of conditions that hold all at once: `b or not a` is `b` beside `a`.
static void dropDenied(std::vector<Pred> &preds) {
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (Pred &pred : preds) {
      if (pred.getKind() != index::PredKind::Or)
        continue;
      SmallVector<Pred> open;
      for (Pred part : pred.getOperands())
        if (!is_contained(preds, index::notOf(part)))
          open.push_back(part);
      if (open.size() == pred.getOperands().size())
        continue;
      pred = index::anyOf(pred.getOperands().front().getContext(), open);
      isNew = true;
    }
  }
}

mlir::OwningOpRef<mlir::ModuleOp> joinCases(std::vector<ReadCase> cases, Diagnostics &diagnostics) {
  mergeEqual(cases);
  if (!settleLayouts(cases, diagnostics))
    return {};
  shareNumbers(cases);
  shareSeed(cases);
  auto computing = [](const ReadCase &one) { return bool(one.module); };
  auto first = find_if(cases, computing);
  if (first == cases.end()) {
    diagnostics.error(cases.front().decided.decisions.front().place,
                      "every case of the program raises: " + cases.front().raised);
    return {};
  }
  index::Context &context = sym::SymDialect::getIndexContext(first->module.get().getContext());
  Flags flags;
  for (const ReadCase &one : cases)
    flags.add(one.decided);
  bool isOne = count_if(cases, computing) == 1;
  for (const ReadCase &one : cases) {
    flags.use(conditionOf(one.decided, context));
    if (one.module)
      one.module.get().walk([&](graph::CheckOp check) { flags.use(check.getPred().getPred()); });
  }
  if (!isOne)
    return choose(cases, flags, context, diagnostics);
  mlir::func::FuncOp program = programOf(*first->module);
  std::vector<Pred> needed;
  for (const ReadCase &one : cases)
    if (!one.module)
      needed.push_back(first->resolve(index::notOf(conditionOf(one.decided, context))));
  dropDenied(needed);
  const Pred *next = needed.data();
  for (const ReadCase &one : cases)
    if (Pred pred = one.module ? Pred() : *next++; pred && !pred.isTrue())
      addCheck(program, pred, one.raised);
  flags.addTo(program);
  for (auto module : first->module->getOps<host::ModuleOp>())
    flags.addTo(module);
  return std::move(first->module);
}

} // namespace nereid::torch
