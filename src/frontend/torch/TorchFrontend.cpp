// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/TorchFrontend.h"

#include "frontend/torch/CaseTree.h"
#include "frontend/torch/ProgramImport.h"
#include "graph/GraphOps.h"
#include "host/HostOps.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid::torch {

namespace {

/// What a finished import leaves behind: the machine owns the source files of the diagnostics, and
/// dies before the library that its values refer to.
struct Session {
  Session(mlir::MLIRContext *context, const ImportRequest &request, Diagnostics &diagnostics)
      : request(request), import(context, this->request, diagnostics) {}
  ImportRequest request;
  ProgramImport import;
  Machine machine;
};

/// The most cases into which a program may split.
constexpr size_t mostCases = 16;

/// Adds what is new: a problem outside of the cases is found in each of them.
void addProblems(const Diagnostics &problems, Diagnostics &diagnostics) {
  for (const Diagnostic &problem : problems.all()) {
    auto isSame = [&](const Diagnostic &known) {
      const SourceFile *a = problem.location.file, *b = known.location.file;
      return known.message == problem.message && !a == !b && (!a || a->getName() == b->getName()) &&
             known.location.range.begin == problem.location.range.begin;
    };
    if (any_of(diagnostics.all(), isSame))
      continue;
    bool isError = problem.severity == Severity::Error;
    Diagnostic &added = isError
                            ? diagnostics.error(problem.location, problem.message, problem.help)
                            : diagnostics.warning(problem.location, problem.message, problem.help);
    added.notes = problem.notes;
  }
}

/// What is done about too many cases, in this order.
enum class Limit : uint8_t { None, Filled, Loops, All };

/// Reads a program case by case.
class CaseReader {
public:
  CaseReader(mlir::MLIRContext *context, const ImportRequest &request,
             std::vector<std::shared_ptr<const void>> &files, Limit limit)
      : context(context), request(request), files(files), limit(limit) {}

  /// Reads all cases; false where one cannot be read at all.
  bool run();

  Diagnostics diagnostics;
  std::vector<ReadCase> cases;
  StringSet<> called;
  /// There are more cases than a file may have.
  bool areTooMany = false;

private:
  ReadCase read(std::vector<bool> given);

  mlir::MLIRContext *context;
  const ImportRequest &request;
  std::vector<std::shared_ptr<const void>> &files;
  Limit limit;
};

/// Reads the case of the program that goes the given ways.
ReadCase CaseReader::read(std::vector<bool> given) {
  Diagnostics problems;
  auto session = std::make_shared<Session>(context, request, problems);
  files.push_back(session);
  ReadCase one;
  ProgramCase &start = session->import.getCase();
  start.given = std::move(given);
  start.hasElements = limit == Limit::Filled;
  start.fixesLoops = limit == Limit::Loops || limit == Limit::All;
  start.fixesAll = limit == Limit::All;
  session->machine.texts = request.texts;
  session->machine.session([&] { one.module = session->import.run(session->machine); });
  if (session->machine.pending())
    session->machine.report(problems);
  addProblems(problems, diagnostics);
  if (problems.hasErrors())
    one.module = {};
  one.decided = session->import.getCase();
  for (const KeptOperator &op : session->import.getKept())
    if (op.isCalled)
      called.insert(op.text);
  one.raised = session->import.getRaised();
  one.declared = session->import.declaredTypes();
  one.resolve = [session](Pred pred) { return session->import.resolve(pred); };
  return one;
}

bool CaseReader::run() {
  std::vector<std::vector<bool>> open{{}};
  while (!open.empty()) {
    std::vector<bool> given = std::move(open.back());
    open.pop_back();
    ReadCase one = read(given);
    if (one.decided.isTooDeep) {
      areTooMany = true;
      return true;
    }
    if (!one.module && one.raised.empty() && !diagnostics.hasErrors())
      return false;
    // Each condition beyond the given ones goes the other way in a case of its own.
    const auto &decisions = one.decided.decisions;
    std::vector<bool> path;
    for (const ProgramCase::Decision &decision : decisions) {
      if (path.size() >= given.size()) {
        open.push_back(path);
        open.back().push_back(!decision.taken);
      }
      path.push_back(decision.taken);
    }
    if (cases.size() + open.size() >= mostCases) {
      areTooMany = true;
      diagnostics.error(decisions.back().place,
                        "the program splits into more than 16 cases here, by " +
                            decisions.back().pred.str(),
                        helpOfManyCases.str());
      return true;
    }
    cases.push_back(std::move(one));
  }
  return true;
}

/// Gives the classes of a module their constructors.
bool readConstructors(mlir::ModuleOp module, const ImportRequest &request, Diagnostics &diagnostics,
                      std::vector<std::shared_ptr<const void>> &files) {
  for (host::ModuleOp type : module.getOps<host::ModuleOp>()) {
    auto session = std::make_shared<Session>(module.getContext(), request, diagnostics);
    files.push_back(session);
    session->machine.texts = request.texts;
    std::optional<ConstructorText> text;
    session->machine.session([&] { text = session->import.readConstructor(session->machine); });
    if (session->machine.pending())
      session->machine.report(diagnostics);
    if (!text)
      return false;
    mlir::Builder builder(module.getContext());
    type.setConstructor(text->body);
    type->setAttr("graph.definitions", builder.getStringAttr(text->definitions));
    type->setAttr("graph.bases", builder.getStringAttr(text->bases));
    if (!text->decorators.empty())
      type->setAttr("graph.decorators", builder.getStringAttr(text->decorators));
    if (!text->compared.empty())
      type->setAttr("graph.compared", builder.getStringAttr(text->compared));
    if (!text->tail.empty())
      type->setAttr("graph.tail", builder.getStringAttr(text->tail));
    // `super(Block, self).__init__()` means the class by its own name.
    auto original = type->getAttrOfType<mlir::StringAttr>("graph.original");
    bool isCalled = original && (StringRef(text->body).contains(original.getValue()) ||
                                 StringRef(text->tail).contains(original.getValue()));
    if (isCalled)
      type->setAttr("graph.alias", original);
  }
  return true;
}

} // namespace

mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importProgram(mlir::MLIRContext *context, const ImportRequest &request, Diagnostics &diagnostics,
              std::vector<std::shared_ptr<const void>> &files) {
  context->loadDialect<graph::GraphDialect, host::HostDialect, mlir::func::FuncDialect>();
  // Empty tensors are the cases that a file can best do without: their calls are refused. Then the
  // sizes that `while` loops end by are fixed, and at last those of all conditions.
  auto read = [&](Limit limit) {
    auto reader = std::make_unique<CaseReader>(context, request, files, limit);
    bool isRead = reader->run();
    return std::pair(std::move(reader), isRead);
  };
  auto [first, isRead] = read(Limit::None);
  std::unique_ptr<CaseReader> used = std::move(first);
  if (used->areTooMany)
    for (Limit limit : {Limit::Filled, Limit::Loops, Limit::All}) {
      auto [other, isDone] = read(limit);
      if (!isDone || other->areTooMany || other->diagnostics.hasErrors())
        continue;
      used = std::move(other);
      isRead = true;
      break;
    }
  CaseReader &reader = *used;
  addProblems(reader.diagnostics, diagnostics);
  if (!isRead)
    return mlir::failure();
  std::vector<ReadCase> &cases = reader.cases;
  const StringSet<> &called = reader.called;
  for (const std::string &name : request.keepTorch)
    if (!called.contains(name) && !diagnostics.hasErrors())
      diagnostics.error({}, "--keep-torch: the program does not call '" + name + "'",
                        "name an operator as the program does: matmul, torch.sort, linalg.inv");
  if (diagnostics.hasErrors())
    return mlir::failure();
  mlir::OwningOpRef<mlir::ModuleOp> module = joinCases(std::move(cases), diagnostics);
  if (!module || !readConstructors(*module, request, diagnostics, files))
    return mlir::failure();
  return module;
}

} // namespace nereid::torch
