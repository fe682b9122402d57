// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints a host program as a Python function: checks of its arguments, sizes, allocations,
// launches; and an nn.Module class around one.
#pragma once

#include "emit/ArgumentGroups.h"
#include "emit/Code.h"
#include "emit/FileParts.h"
#include "emit/Writer.h"
#include "host/HostOps.h"
#include "host/Needs.h"
#include "index/Factors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace nereid::emit {

class HostPrinter {
public:
  HostPrinter(mlir::func::FuncOp program, FileParts &parts, Writer &writer)
      : program(program), parts(parts), groups(getGroups(program, parts)), out(writer) {}

  /// The function that checks its arguments and launches the kernels.
  mlir::LogicalResult print();
  /// Its registration as an operator; only for what `canRegister`.
  void printOperator();
  bool printCopying(llvm::ArrayRef<std::string> parameters);
  Code getMutated();
  void printFake();
  std::vector<std::string> getFakeParameters(llvm::StringRef body);
  void printDefinition(llvm::StringRef name);

private:
  // HostPrinter.cpp
  bool isShapeOnly(unsigned place);
  bool isSize(mlir::BlockArgument number);
  /// Others apply it: it is given what they have checked.
  bool isFunction() { return program->hasAttr(host::functionAttrName); }
  bool savesIfAsked() {
    return program->hasAttr(host::savesIfAskedAttrName) && needs->areSelective();
  }
  void nameArguments();
  void chooseDeviceOwner();
  /// `x: torch.Tensor`, or only the names.
  std::vector<std::string> getParameters(bool hasTypes);
  void bindSymbols();
  std::string strideOf(llvm::StringRef name, mlir::Value tensor, unsigned dim);
  void printChecks();
  bool isChecked(mlir::BlockArgument argument);
  bool isSizeChecked(mlir::BlockArgument argument, unsigned dim);
  bool definesSize(mlir::BlockArgument argument, unsigned dim);
  bool asksSizes(mlir::BlockArgument argument);
  bool asksStride(mlir::BlockArgument argument, unsigned dim);
  void noteAskedSizes();
  Code getCheckedSizes(mlir::BlockArgument argument, bool &isWhole);
  void printCheckTable(llvm::ArrayRef<mlir::BlockArgument> tensors);
  void printNumberCheck(mlir::BlockArgument argument);
  void printTensorCheck(mlir::BlockArgument argument);
  void noteWrites();
  void printApartChecks();
  void printGroupChecks();
  void printStateCheck();
  std::string getTableOwner();
  Code getCheckedDevice();
  bool isGrouped(mlir::BlockArgument argument) {
    return !getField(program, argument.getArgNumber(), parts).empty();
  }
  void makeRowMajor(mlir::Block &block);
  void printPrecision();
  void printAssignments(llvm::ArrayRef<host::AssignOp> assigns);
  void printSizes();
  void printSizes(mlir::BlockArgument argument);
  void printSizeChecks();
  void printBlock(mlir::Block &block);
  bool isDone(mlir::Value tensor, mlir::Operation *next);
  void printRelease(llvm::SmallVectorImpl<mlir::Value> &held, mlir::Operation *next);
  void printOp(mlir::Operation *op);
  void printCondition(Code condition);
  bool printReplacement(host::IfOp op);
  void printIf(host::IfOp op);
  void printWhile(host::WhileOp op);
  void printFor(host::ForOp op);
  llvm::SmallVector<std::string> nameCarried(host::ForOp op);
  void printDispatch(host::DispatchOp op);
  void printReturn(mlir::Operation *op);
  void assign(mlir::Value value, Code code);
  std::string getReplaced(mlir::Value value);
  bool isInline(mlir::Operation *op);
  void refuse(mlir::Operation *op, const llvm::Twine &message);

  // HostShared.cpp
  void printShared(mlir::func::FuncOp saving);
  void printSharedResults(mlir::func::FuncOp saving, Code call);

  // HostCall.cpp
  void printApply(host::ApplyOp op);
  Code getAskedSaving(host::ApplyOp op);
  void printCall(host::CallOp op);
  Code getCall(host::CallOp op, llvm::ArrayRef<Code> inputs);
  Code getGradients(host::CallOp op, llvm::ArrayRef<Code> inputs);

  // HostExprs.cpp
  Code get(mlir::Value value);
  Code render(mlir::Operation *op);
  Code renderScalar(mlir::Operation *op);
  Code renderEmpty(host::EmptyOp op);
  Code renderLike(mlir::ValueRange operands, host::TensorType type);
  Code getRowMajor(host::TensorType type, std::optional<Code> dtype = std::nullopt);
  Code renderPermutation(host::ViewOp view, const Code &base);
  Code renderExpansion(host::ViewOp view, const Code &base);
  Code renderSteps(host::ViewOp view, const Code &base);
  Code renderPart(host::ViewOp view, const Code &base);
  llvm::SmallVector<Code> getSizeArguments(host::TensorType type);
  Code getExpr(index::Expr expr);
  Code getPred(index::Pred pred);
  Code getCallOf(index::Expr expr);
  Code getProduct(const index::Factored &factored);
  Code getComparison(index::Pred pred);
  Code getSizes(llvm::ArrayRef<index::Expr> exprs);
  std::string getSymbolText(index::Expr symbol);
  Code getDevice();

  // HostLaunch.cpp
  std::string printGrid(host::LaunchOp op);
  Code getBlocks(host::LaunchOp op);
  llvm::SmallVector<Code> getArguments(host::LaunchOp op);
  void printLaunch(host::LaunchOp op, llvm::StringRef grid);
  void printGuarded(llvm::ArrayRef<host::LaunchOp> launches);
  bool hasSameGuard(host::LaunchOp a, host::LaunchOp b);
  Code getGuard(host::LaunchOp op);
  Code getWish(llvm::ArrayRef<unsigned> wishes);
  Code getExtent(index::Expr expr);
  Code getGrid(host::LaunchOp op, bool isTuned);
  Code getMeta(host::LaunchOp op, llvm::StringRef name);
  void nameBlocks(host::LaunchOp op);

  mlir::func::FuncOp program;
  FileParts &parts;
  /// The arguments that pass as one.
  llvm::ArrayRef<ArgumentGroup> groups;
  /// Where the function goes; the body is first printed into `writer` to learn what it uses.
  Writer &out;
  Writer writer;
  Names names;
  llvm::DenseMap<mlir::Value, Code> values;
  /// Names that values should take, because an arm of a choice gives them on.
  llvm::DenseMap<mlir::Value, std::string> wishes;
  /// The text of each symbol, and those sizes that were asked for.
  llvm::StringMap<std::string> symbols;
  /// By its text, which stride of which tensor it is.
  struct Stride {
    std::string tensor;
    unsigned dim, rank;
  };
  llvm::StringMap<Stride> strides;
  llvm::StringSet<> usedSymbols;
  /// Meta-parameters of the launch being printed.
  llvm::StringMap<std::string> meta;
  /// The names of blocks that the wrapper computes, by launch and meta-parameter.
  std::map<std::pair<mlir::Operation *, std::string>, std::string> blocks;
  /// The tensor whose device new ones are on, and the type of its elements.
  std::string deviceOwner;
  /// The variable that holds the precision of convolutions.
  std::string precision;
  mlir::Type ownerType;
  /// Of a backward program: which launches which gradients need; of one that saves if it is asked,
  /// which are for that.
  std::optional<host::Needs> needs;
  /// The program of which this one is a case.
  mlir::func::FuncOp chooser;
  /// Whether one table says the types and known sizes of all tensors.
  bool hasCheckTable = false;
  /// Arguments whose sizes are bound, and those whose sizes have been compared.
  llvm::DenseSet<mlir::Value> measured, sizesChecked;
  bool failed = false;
};

/// The name of the function that launches the kernels: `_rms_norm_forward`.
std::string getPrivateName(mlir::func::FuncOp program);
/// Where the symbols of a program come from.
llvm::SmallVector<host::SymbolAttr> getSymbols(mlir::func::FuncOp program);
/// The name of an argument as the program has it.
std::string getArgumentName(mlir::func::FuncOp program, unsigned place);
/// Whether an argument seeds random numbers; whether it is one that a case does not ask for, and so
/// does not take; whether a program only chooses among cases.
bool isSeed(mlir::func::FuncOp program, size_t place);
bool isUndrawn(mlir::func::FuncOp program, size_t place);
bool isDispatch(mlir::func::FuncOp program);
/// Whether what is made row-major is so already.
bool isRepeatedCopy(host::ContiguousOp copy);
/// `float32[M, N]`, `int`.
std::string getTypeText(mlir::Type type);
/// The type of a complex tensor, `complex64[M, N]`, by that of its parts, `float32[M, N, 2]`.
std::string getComplexText(llvm::StringRef parts);
/// `softmax.py:6`; empty when unknown.
std::string getPlace(mlir::Location location);

/// `x` or `xs[0]`: an argument as an expression over the parameters of the original.
std::string spellArgument(mlir::func::FuncOp program, size_t place);
/// What a program is passed for an argument that the caller reaches by `text`: of a complex tensor
/// the parts.
std::string spellOperand(mlir::func::FuncOp program, size_t place, llvm::StringRef text);
/// Whether the caller's side computes an argument: it is no parameter of the original.
bool isComputed(mlir::func::FuncOp program, size_t place);
/// The text with every single-quoted string in it in double quotes: `d['a']` as `d["a"]`.
std::string requoteParts(llvm::StringRef text);

/// `torch.bfloat16` of `bf16`; empty of nothing.
std::string getDType(llvm::StringRef name);

/// Whether a tensor has memory of its own: it is neither an argument nor a part of one.
bool isNewTensor(mlir::Value value);

/// Whether PyTorch accepts the program as an operator: its results are tensors of its own.
bool canRegister(mlir::func::FuncOp program, const FileParts &parts);

/// Whether the launches of a program may be replayed: on memory of their own, with results of their
/// own.
bool canReplay(mlir::func::FuncOp program, const FileParts &parts);

/// Whether PyTorch could ask for a gradient of a result, and the file computes none.
bool lacksGradient(mlir::func::FuncOp program);

/// Refuses torch.func where a program writes to its arguments, before it is called.
void printRefusal(mlir::func::FuncOp program, FileParts &parts, Writer &out);
/// The call of a program: as an operator or with gradients where PyTorch wants that.
Code spellCall(mlir::func::FuncOp program, llvm::ArrayRef<Code> arguments,
               llvm::function_ref<Code(const ArgumentGroup &)> spellGroup, FileParts &parts);
/// Where the program returns new contents of the module's state: copies them there, and returns how
/// the results are spelled then, null where there are none. Else the call itself.
Code printStateWrite(mlir::func::FuncOp program, const Code &call, llvm::StringRef state,
                     Names &names, FileParts &parts, Writer &out);
/// Whether the cases that a program chooses from return results in structures of their own.
bool hasOwnResults(mlir::func::FuncOp program);
/// The types of what a program returns, in their structure; of each case where they differ.
std::string describeResults(mlir::func::FuncOp program);
/// Returns what a call of a program gives, in the structure of the original's results.
void printResults(mlir::func::FuncOp program, const Code &call, llvm::ArrayRef<Code> arguments,
                  FileParts &parts, Writer &out);

/// Checks the submodules that the kernels stand for, and the attributes that decided what they
/// compute: rows of a class, the number of its hooks, settings, and where such modules are. What is
/// found becomes the variable `modules` unless that is empty.
void printModuleChecks(mlir::func::FuncOp program, llvm::StringRef modules, FileParts &parts,
                       Writer &out);
/// A number of nested modules: `self.blocks[0].norm.eps` as `modules["blocks.0.norm"].eps`.
Code nameModules(mlir::func::FuncOp program, const Code &number, llvm::StringRef modules);

/// The function that callers see.
void printFunction(mlir::func::FuncOp program, FileParts &parts, Writer &writer);
/// The forward of a class; `kept` are its parameters and buffers.
void printForward(mlir::func::FuncOp program, llvm::ArrayRef<Code> kept,
                  llvm::ArrayRef<llvm::StringRef> plain, FileParts &parts, Writer &writer);
/// The class of a host.module.
mlir::LogicalResult printClass(host::ModuleOp type, FileParts &parts, Writer &writer);

} // namespace nereid::emit
