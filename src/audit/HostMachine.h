// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates wrappers of kernels on tensors of symbolic sizes, path by path: every condition that is
// not known is taken to hold and not to hold, and what it says is a fact on that path. Nothing of
// the repository is executed for real: calls into PyTorch are answered here, or by "not known".
//
//   HostMachine host(project, context);
//   for (const HostLaunch &launch : host.explore(file, def).launches) ...
#pragma once

#include "audit/HostLaunch.h"
#include "audit/HostPaths.h"
#include "audit/HostValue.h"
#include "audit/Launches.h"
#include "index/Facts.h"
#include "support/Answers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace nereid::audit {

/// What a wrapper came to.
struct Exploration {
  /// By the definitions of the kernels.
  std::vector<std::pair<const python::FunctionDef *, std::shared_ptr<const HostLaunch>>> launches;
  /// What tells them apart.
  llvm::DenseMap<const python::FunctionDef *, std::set<Digest>> seen;
  /// Some path could not be followed to its end: launches may be missing.
  std::string problem;
  SourceLocation place;
};

class HostMachine : public machine::Library {
public:
  HostMachine(triton::TritonProject &project, index::Context &context);
  ~HostMachine() override;

  /// `owner`: the class that it is a method of.
  /// `around`: the functions that define it, the outermost first; they are evaluated before it.
  /// `forward`: of a `torch.autograd.Function` whose `backward` the wrapper is; what it saves is
  /// what that reads.
  Exploration explore(const python::ParsedFile &file, const python::FunctionDef &wrapper,
                      llvm::ArrayRef<const python::FunctionDef *> around = {},
                      const python::FunctionDef *forward = nullptr,
                      const python::ClassDef *owner = nullptr);

  // --- machine::Library --------------------------------------------------------------------------
  machine::Answer getAttribute(machine::Machine &, PyValue object, machine::Name) override;
  machine::Answer setAttribute(machine::Machine &, PyValue object, machine::Name,
                               PyValue value) override;
  machine::Answer call(machine::Machine &, PyValue callee, const machine::CallArgs &) override;
  machine::Answer getItem(machine::Machine &, PyValue object, PyValue key) override;
  machine::Answer setItem(machine::Machine &, PyValue, PyValue, PyValue value) override;
  machine::Answer unary(machine::Machine &, machine::UnaryOperator, PyValue) override;
  machine::Answer binary(machine::Machine &, machine::BinaryOperator, PyValue left, PyValue right,
                         bool inPlace) override;
  machine::Answer compare(machine::Machine &, machine::CompareOperator, PyValue left,
                          PyValue right) override;
  machine::Answer contains(machine::Machine &, PyValue container, PyValue item) override;
  machine::Answer length(machine::Machine &, PyValue) override;
  machine::Answer iterate(machine::Machine &, PyValue) override;
  machine::Answer convert(machine::Machine &, PyValue, llvm::StringRef target) override;
  machine::Answer builtinCall(machine::Machine &, llvm::StringRef name,
                              const machine::CallArgs &) override;
  machine::Truth truth(machine::Machine &, PyValue) override;
  std::optional<bool> isInstance(machine::Machine &, PyValue object, PyValue cls) override;
  std::optional<machine::Completion> loop(machine::Loop &) override;
  std::optional<machine::Completion> comprehension(machine::Loop &) override;
  machine::Answer readGlobal(machine::Machine &, machine::Frame &, machine::Name, PyValue) override;
  machine::Answer policyBinary(machine::Machine &, machine::Frame &, const python::Expr &,
                               machine::BinaryOperator, PyValue left, PyValue right) override;
  machine::Answer policyCompare(machine::Machine &, machine::Frame &, const python::Expr &,
                                machine::CompareOperator, PyValue left, PyValue right) override;
  machine::Answer policyCall(machine::Machine &, machine::Frame &, const python::Call &,
                             PyValue callee, const machine::CallArgs &) override;
  std::optional<machine::Completion> policyStatement(machine::Machine &, machine::Frame &,
                                                     const python::Stmt &) override;

private:
  // --- Paths (HostMachine.cpp)
  machine::FunctionObject *makeFunction(const python::ParsedFile &file,
                                        const python::FunctionDef &def);
  PyValue makeParameter(machine::FunctionObject &function, const python::Arg &arg,
                        PyValue fallback);
  bool callOnParameters(machine::FunctionObject &function, PyValue &result,
                        llvm::ArrayRef<PyValue> outputs);
  bool runPath(machine::FunctionObject &function, machine::FunctionObject *before);
  machine::FunctionObject *definedBy(machine::FunctionObject &outer);
  python::Stmt *withoutDecorators(const python::FunctionDef &def);
  unsigned choose(unsigned count, llvm::StringRef key, bool isEither = false);
  bool decide(index::Pred pred, llvm::StringRef key);
  index::Facts factsAbout(llvm::ArrayRef<index::Expr> symbols) const;
  bool bindUnknown(const python::Expr &target, PyValue value, machine::Frame &frame);

  // --- Values (HostValues in HostSizes.cpp)
  PyValue size(index::Expr expr);
  PyValue unknown(const llvm::Twine &origin);
  PyValue condition(index::Pred pred, const llvm::Twine &key = "",
                    std::function<void(bool)> decided = {});
  PyValue tensor(TensorInfo *info);
  TensorInfo *makeInfo(const llvm::Twine &name);
  /// The number that a value is, or may be; null where it is none.
  index::Expr asNumber(PyValue value);
  /// The quotient that a value holds, towards zero: below 2**53 it is rounded as the numbers are;
  /// null where it is none.
  index::Expr truncate(PyValue value) const;
  bool isAbstract(PyValue value) const;
  bool isKnownAsNone(PyValue value) const;
  std::string describe(PyValue value);
  PyValue arithmetic(machine::BinaryOperator op, PyValue left, PyValue right);
  PyValue comparison(machine::CompareOperator op, PyValue left, PyValue right);
  std::function<void(bool)> typeLearner(PyValue left, PyValue right);

  // --- Items and attributes (HostItems.cpp)
  std::optional<int64_t> oneOf(index::Expr number);
  PyValue itemUnder(machine::DictObject &table, UnknownValue &key);
  PyValue kernelOfSelf(llvm::StringRef attribute);
  PyValue methodOfSelf(PyValue self, llvm::StringRef name);
  PyValue constantOfSelf(llvm::StringRef attribute);

  // --- Tensors (HostTensors.cpp)
  llvm::SmallVector<unsigned> ranksOf(const TensorInfo &info, bool &isSaid) const;
  void fixRank(TensorInfo &info);
  bool askRank(TensorInfo &info);
  index::Expr countOf(TensorInfo &info);
  bool hasNoHoles(TensorInfo &info);
  index::Expr strideOf(TensorInfo &info, size_t axis);
  void takeStrides(TensorInfo &info, std::optional<size_t> wanted,
                   llvm::function_ref<index::Expr(size_t)> strideFrom);
  PyValue shapeOf(TensorInfo &info);

  // --- Parts of tensors (HostSlices.cpp)
  TensorInfo *startPart(TensorInfo &whole);
  index::Expr offsetOf(TensorInfo &info);
  PyValue partOf(HostTensor &self, PyValue key);
  bool isLast(PyValue item, index::Expr extent);
  bool takeAxis(TensorInfo &part, const TensorInfo &whole, unsigned axis, PyValue item);
  index::Expr boundOf(PyValue given, index::Expr extent, index::Expr fallback);
  index::Expr strideOfPart(const TensorInfo &info, size_t axis,
                           llvm::function_ref<index::Expr(size_t)> strideOfWhole);

  // --- Other views, and what is made of a tensor (HostViews.cpp, HostMade.cpp)
  std::optional<size_t> axisOf(TensorInfo &info, PyValue value);
  PyValue cut(TensorInfo &info, size_t axis, index::Expr begin, index::Expr extent, bool endsAxis);
  PyValue drop(TensorInfo &info, size_t axis, index::Expr place, bool isLastOne,
               bool isAll = false);
  PyValue pieces(TensorInfo &info, llvm::StringRef name, const machine::CallArgs &args);
  PyValue piecesOf(TensorInfo &info, size_t axis, index::Expr step, int64_t count);
  PyValue cutMethod(TensorInfo &info, llvm::StringRef name, const machine::CallArgs &args);
  PyValue squeezed(TensorInfo &info, const machine::CallArgs &args);
  PyValue expanded(TensorInfo &info, llvm::ArrayRef<PyValue> given);
  PyValue unsqueezed(TensorInfo &info, PyValue place);
  PyValue flattened(TensorInfo &info, llvm::ArrayRef<PyValue> given);
  PyValue retyped(TensorInfo &info, PyValue dtype);
  PyValue madeMethod(TensorInfo &info, llvm::StringRef name, const machine::CallArgs &args);
  PyValue folded(TensorInfo &info, llvm::StringRef name, const machine::CallArgs &args);
  PyValue repeated(TensorInfo &info, llvm::ArrayRef<PyValue> given);
  PyValue makeDenseOf(const TensorInfo &info, const llvm::Twine &name,
                      llvm::ArrayRef<index::Expr> sizes);
  PyValue makeRange(llvm::ArrayRef<PyValue> bounds, const machine::CallArgs &args);
  PyValue padded(TensorInfo &info, PyValue amounts);
  PyValue joined(PyValue parts, PyValue axis, bool isStack);

  // --- Tensors (HostTensors.cpp, HostTorch.cpp)
  /// All strides, as far as they are known or taken for granted.
  llvm::SmallVector<index::Expr> stridesOf(TensorInfo &info, bool &isDense);
  std::optional<llvm::SmallVector<index::Expr>> readSizes(llvm::ArrayRef<PyValue> args);
  PyValue tensorAttribute(HostTensor &self, llvm::StringRef name);
  PyValue tensorMethod(HostTensor &self, llvm::StringRef name, const machine::CallArgs &args);
  PyValue queryMethod(TensorInfo &info, llvm::StringRef name, const machine::CallArgs &args);
  PyValue transposed(TensorInfo &info, llvm::StringRef name, llvm::ArrayRef<PyValue> given);
  PyValue viewMethod(TensorInfo &info, llvm::StringRef name, const machine::CallArgs &args);
  PyValue reshape(TensorInfo &info, llvm::ArrayRef<PyValue> args, bool mayCopy);
  PyValue permute(TensorInfo &info, llvm::ArrayRef<int64_t> order);
  PyValue makeLike(TensorInfo &info, const machine::CallArgs &args, llvm::StringRef name);
  PyValue makeNew(llvm::ArrayRef<PyValue> sizes, const machine::CallArgs &args,
                  llvm::StringRef name);
  PyValue makeStrided(PyValue sizes, PyValue strides, const machine::CallArgs &args);
  machine::Answer assertTrue(PyValue condition);
  machine::Answer callTorch(llvm::StringRef path, const machine::CallArgs &args);
  std::string elementOf(PyValue dtype) const;

  // --- Launches (HostLaunches.cpp)
  PyValue launch(LaunchValue &target, const machine::CallArgs &args);
  void launchUnder(LaunchValue &target, unsigned config, machine::DictObject &meta);
  void fillMeta(const triton::JitFunction &function, triton::FunctionValue &kernel,
                machine::DictObject &meta);
  bool applyHeuristics(triton::FunctionValue &kernel, machine::DictObject &meta);
  bool readGrid(LaunchValue &target, machine::DictObject &meta, HostLaunch &launch);
  void addArguments(const std::string &name, PyValue value, HostLaunch &launch);
  HostArgument argumentOf(llvm::StringRef name, PyValue value, HostLaunch &launch);
  void finish(HostLaunch &launch);
  void keep(const triton::JitFunction &function, HostLaunch launch);
  void keepLaunches(bool isDone);

  // --- Launches that Triton refuses (HostRefusals.cpp)
  std::string findRefusal(LaunchValue &target, const machine::CallArgs &args);
  std::string findGridRefusal(PyValue grid);
  bool takeMissingKey(HostLaunch &launch);

  // --- What happens to memory (HostMemory.cpp)
  void touch(PyValue value, unsigned depth = 0);
  void touchAll(const machine::CallArgs &args);
  void touchByCall(llvm::StringRef callee, const machine::CallArgs &args);
  void touchByMethod(HostTensor &self, llvm::StringRef name, const machine::CallArgs &args);
  void noteLaunched(PyValue value);
  void noteRead(const machine::CallArgs &args);
  void noteRead(PyValue value);

  triton::TritonProject &project;
  machine::Machine &machine;
  index::Context &context;
  machine::ClassObject *sizeClass, *conditionClass, *unknownClass, *tensorClass, *methodClass,
      *launchClass;
  /// Copies of definitions without their decorators.
  std::deque<python::FunctionDef> definitions;
  llvm::DenseMap<const python::FunctionDef *, machine::FunctionObject *> functions;

  // --- Of one path
  HostPaths paths;
  /// Of all launches that were kept.
  HostArguments::Known knownArguments;
  /// Of all paths: what is kept somewhere may be met again.
  std::deque<TensorInfo> infos;
  /// How many of them other paths have made.
  size_t earlierInfos = 0;
  std::vector<index::Pred> facts;
  /// What stores to a memory, or may, and what reads it beside.
  struct MemoryUse {
    unsigned launches = 0;
    bool isOther = false, isRead = false;
  };
  llvm::DenseMap<const TensorInfo *, MemoryUse> memoryUses;
  /// Launches, and what their memories were: whether nothing else stores to them is known at the
  /// end.
  struct PathLaunch {
    const triton::JitFunction *function;
    HostLaunch launch;
  };
  std::vector<PathLaunch> pathLaunches;
  llvm::StringMap<unsigned> decided;
  std::set<std::string> assumptions, freeNumbers, guessedRanks;
  llvm::DenseMap<index::Expr, index::Expr> replacements;
  unsigned fresh = 0;
  bool hasLaunched = false;
  /// Launches are none of the wrapper's.
  bool isSilent = false;
  /// The functions within the wrapper's own that are looked for, the next one first, and what was
  /// made of that.
  llvm::ArrayRef<const python::FunctionDef *> inner;
  machine::FunctionObject *made = nullptr;
  /// The attributes of `ctx`.
  llvm::StringMap<PyValue> saved;
  Exploration *exploration = nullptr;
  std::string wrapperName;
  /// The class of `self`, and the file that it stands in.
  const python::ClassDef *owner = nullptr;
  const python::ParsedFile *ownerFile = nullptr;
  /// The wrapper catches what fails in it, which is taken not to happen.
  bool tries = false;
  /// How many names what is being evaluated is unpacked into; 0: it is not.
  size_t unpacked = 0;
  SourceLocation launchPlace;
  /// The call that launches, as it is written; null where another function makes it.
  const python::Call *launchCall = nullptr;
};

/// Whether HostViews.cpp or HostMade.cpp knows the method.
bool isViewOrMade(llvm::StringRef name);

/// Of an element, `fp32` say; nothing where the type is not known.
std::optional<int64_t> bytesOf(llvm::StringRef element);

/// Whether a name is an option of launches, of any back end.
bool isLaunchOption(llvm::StringRef name);

} // namespace nereid::audit
