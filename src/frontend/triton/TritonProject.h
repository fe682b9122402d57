// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many files of one source tree, read by one machine, so that a package is imported once for all of
// its kernels: the jit functions in them, what names mean there, and their import as `tile` IR.
// Nothing is known of modules that are not there, and of all that is made of their values; a
// condition on such a value does not hold.
//
//   TritonProject project({});
//   const python::ParsedFile *file = project.read("pkg/softmax.py", diagnostics);
//   for (JitFunction *function : project.functions())
//     project.import(context, *function, request, Budget{}, diagnostics);
//
// Diagnostics point into source files that the project owns: print them before it dies.
#pragma once

#include "frontend/triton/HostDescriptors.h"
#include "frontend/triton/Requirement.h"
#include "frontend/triton/TritonFrontend.h"
#include "python/Ast.h"

namespace nereid::machine {
class DictObject;
class Library;
class Machine;
} // namespace nereid::machine

namespace nereid::triton {

struct FunctionValue;

/// A function under `@triton.jit`, or under something that comes down to it.
struct JitFunction {
  std::string name;
  const python::ParsedFile *file = nullptr;
  const python::FunctionDef *def = nullptr;
  /// It runs as plain Python on known values (`@triton.constexpr_function`).
  bool isConstexpr = false;
  /// The configurations of its `@triton.autotune`: values as Python text.
  std::vector<std::map<std::string, std::string>> configs;
  /// The parameters that its `@triton.heuristics` compute.
  std::vector<std::string> computed;
  /// Of a method of an aggregate: the class, by its name in the file, and the names of the fields
  /// and whether each is a constexpr.
  std::string owner;
  std::vector<std::pair<std::string, bool>> fields;
};

struct Budget {
  uint64_t steps = 20'000'000;
  double seconds = 10;
};

class TritonProject {
public:
  /// `version`: what `triton.__version__` is, "3.6.0".
  /// `texts` stand in for those of files, where there are some.
  explicit TritonProject(llvm::StringRef version, const SourceTexts *texts = nullptr);
  ~TritonProject();

  /// Imports a file, if no import did so before. Null, with a located error: it cannot be read or
  /// is no Python. Statements at its top level may have failed.
  const python::ParsedFile *read(llvm::StringRef path, Diagnostics &diagnostics);
  /// Makes the jit function whose definition stands in another function, which is never called: in
  /// the names of its file alone. Null when that fails.
  JitFunction *lift(const python::ParsedFile &file, const python::FunctionDef &def);
  /// The jit functions of all files read so far, in their order.
  std::vector<JitFunction *> functions();
  /// The jit function made of this definition; null when there is none.
  JitFunction *find(const python::FunctionDef *def);
  /// Why the name of a definition is bound to no jit function; nullopt when nothing is known.
  std::optional<Diagnostic> explainMissing(const python::ParsedFile &file, llvm::StringRef name);
  /// The jit function that a name or a dotted name means at the top level of a file.
  JitFunction *resolve(const python::ParsedFile &file, const python::Expr &name);
  /// ... and in a function, which may be defined within another.
  JitFunction *resolve(const JitFunction &function, const python::Expr &name);
  /// The value of an expression over the names of a file, as Python text that means the same there:
  /// numbers, strings, booleans, None, dtypes. Else nullopt. Nothing that may fail loudly is
  /// called.
  std::optional<std::string> evaluate(const python::ParsedFile &file, llvm::StringRef text);
  /// The same with the names that a function sees.
  std::optional<std::string> evaluate(const JitFunction &function, llvm::StringRef text);
  /// TritonLibrary::takeApart.
  bool takeApart(FunctionValue &kernel, unsigned config, machine::DictObject &values,
                 machine::Library &policy, HostDescriptors &found);
  /// The names of the items of the named tuples that a class of the file makes; none for others.
  std::vector<std::string> getFields(const python::ParsedFile &file, const python::Expr &name);
  /// Where a name of a module that is not there leads: `torch.float16` for what `import torch` and
  /// `torch.float16` give. Empty when it is something else.
  std::string pathOf(const python::ParsedFile &file, llvm::StringRef text);

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  import(mlir::MLIRContext &context, JitFunction &function, const KernelRequest &request,
         const Budget &budget, Diagnostics &diagnostics);
  /// What the last import would have needed where it failed.
  const Requirement &getRequirement() const;
  /// Whether a condition holds of sizes; nullopt where it cannot be evaluated.
  std::optional<bool> holds(llvm::StringRef condition, const std::map<std::string, int64_t> &sizes);
  /// The jit functions that the last import called.
  std::vector<JitFunction *> called();
  /// Whether the last import evaluated a call in a kernel.
  bool isEvaluated(const python::Call &call) const;

  /// From now on kernels may use names that upstream removed; the files that they stand in too, if
  /// these are not to be rewritten.
  void acceptRemoved(bool inImports = false);
  /// A definition of `function` in another text of its file, which means it while the revisions are
  /// used. The text outlives the project. False, with an error: it cannot be evaluated.
  bool revise(JitFunction &function, const python::ParsedFile &text, const python::FunctionDef &def,
              Diagnostics &diagnostics);
  /// Whether functions mean their revisions, where they have one.
  void useRevisions(bool use);
  void dropRevisions();

  /// Keeps the text of a file that a diagnostic points at; null for none.
  std::shared_ptr<const SourceFile> share(const SourceFile *file) const;
  /// For who evaluates host code in the names of the files.
  machine::Machine &getMachine();
  /// Who answers `kernel[grid]` in host code (Library::getItem); null: a launch is an error.
  void setLauncher(machine::Library *launcher);
  /// A file that was read, by its name; null for others.
  const SourceFile *findFile(llvm::StringRef name) const;
  /// The memory that the machine takes, in bytes; it only grows.
  uint64_t getAllocated() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nereid::triton
