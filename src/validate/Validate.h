// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges scheduled programs: each stage runs in the interpreter over the matrix of cases, twice and
// in different orders of programs, and is compared with the float64 oracle. One entry point:
// `validateProgram`.
#pragma once

#include "interpreter/Interpreter.h"
#include "support/Diagnostic.h"
#include "validate/Compare.h"
#include "validate/Matrix.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <map>
#include <optional>

namespace nereid::validate {

using interpreter::HostValue;

/// One run: what it returned, and its arguments afterwards.
struct Run {
  std::vector<HostValue> results;
  std::vector<HostValue> arguments;
  /// Not empty: why there are no results.
  std::string problem;
  /// Refused: the program says that it does not take such inputs. Rejected: a kernel of it does not
  /// compile. NotSupported: it cannot be run here.
  enum Kind : uint8_t { Failed, Refused, Rejected, NotSupported } kind = Failed;
  /// What the interpreter found.
  std::optional<interpreter::Finding> finding;
  /// The same with its place, where there is one.
  Diagnostic error;
};

struct Stage {
  int number;
  /// A host.program whose kernels stand in the same module.
  mlir::func::FuncOp host;
  /// Not empty: runs the stage in place of the interpreter. The arguments are the run's own.
  std::function<Run(std::vector<HostValue> arguments, const interpreter::RunOptions &options)> run =
      {};
};

/// The program with one choice of element types.
struct Variant {
  std::string name;
  mlir::func::FuncOp program;
  std::vector<Stage> stages;
  /// Of a backward program: the program that saves what it takes. Its inputs are made by pattern
  /// and layout, and so are the gradients of its results.
  mlir::func::FuncOp forward;
};

struct Failure {
  /// `f16, 1e6, strided, size 64 (M = 7, N = 64)`.
  std::string where;
  std::string what;
};

/// The element that came nearest to the bound, or broke it most.
struct Worst {
  Comparison element;
  std::string where;
  std::string output;
};

/// What became of one case at one stage.
struct Outcome {
  enum Status : uint8_t { Passed, Failed, Skipped } status = Skipped;
  /// Why it failed. Skipped: why the program does not take the inputs, if it says so.
  std::string problem;
  /// What a failure is about.
  enum Kind : uint8_t {
    Values,
    Stopped,
    Rejected,
    NotSupported,
    Undefined,
    Unsteady,
    WritesInput
  } kind = Values;
  /// Unsteady: both runs are as near to the oracle as they have to be.
  bool isRightEachTime = false;
  std::optional<interpreter::Finding> finding;
  Diagnostic error;
  /// `output` is empty where nothing was compared.
  Worst worst;
};

struct CaseReport {
  Case one;
  std::string variant;
  /// `M = 7, N = 64`.
  std::string sizes;
  /// Why no stage ran it; empty when some did.
  std::string skipped;
  /// One for each stage.
  std::vector<Outcome> outcomes;
};

struct StageReport {
  int stage = 0;
  unsigned passed = 0;
  unsigned failed = 0;
  unsigned skipped = 0;
  Worst worst;
  /// The first few.
  std::vector<Failure> failures;
};

struct Report {
  std::vector<StageReport> stages;
  std::vector<CaseReport> cases;
  /// Why cases were skipped, and how many.
  std::map<std::string, unsigned> skips;

  bool isValid() const;
};

/// Called before each case with its number and how many there are.
using Progress = llvm::function_ref<void(size_t done, size_t all)>;

/// All variants have the same stages. Cases of more than `largest` elements are skipped.
Report validateProgram(llvm::ArrayRef<Variant> variants, int64_t largest, Progress progress);

} // namespace nereid::validate
