// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The torch.autograd.Function of a program: arguments one by one, and where those of a module pass
// in groups.
#pragma once

#include "emit/ArgumentGroups.h"
#include "emit/FileParts.h"
#include "emit/HostGradient.h"
#include "emit/Names.h"
#include "emit/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace nereid::emit {

/// The parameters of the method that saves; operators of PyTorch call it too.
std::string getSaveParameters(mlir::func::FuncOp program);

class GradientPrinter {
public:
  GradientPrinter(mlir::func::FuncOp program, FileParts &parts, Writer &out);
  virtual ~GradientPrinter() = default;

  void print();

protected:
  virtual void printForward();
  virtual void printSave();
  virtual void printBackward();
  virtual void printRegistration();
  virtual void printEntry();
  virtual std::vector<std::vector<unsigned>> getDependences();
  void printEntry(llvm::StringRef nested, llvm::StringRef form);
  void nameAll();
  void assign(llvm::StringRef suffix, llvm::ArrayRef<std::string> targets, llvm::StringRef value);
  std::string nameOfSaved(size_t place);
  llvm::SmallVector<Code> getNeeds();
  Code getNeedsList();
  bool savesAllInOrder();
  std::string getRestOfOutput();
  std::vector<unsigned> getDifferentiable();
  std::vector<unsigned> getFilled();
  bool hasPartialGradients();
  /// The parameters of `backward()`: gradients of the results that it uses, and the others.
  std::vector<std::string> getCotangents();
  void printUsedOutputs();
  void printBackwardHead();
  /// `[:2]`: the results that are the caller's.
  std::string getOwnSuffix();

  static int64_t getNumber(mlir::DictionaryAttr entry, llvm::StringRef name);
  bool isTensorArgument(size_t place);
  bool hasOperator(mlir::func::FuncOp function) {
    return parts.registered.contains(function.getSymName());
  }
  /// Whether there is something to launch.
  bool launches() { return backward.getNumResults() > 0; }
  bool isTraced() {
    return hasOperator(program) && !writesItself(program, parts) &&
           (!launches() || hasOperator(backward));
  }

  mlir::func::FuncOp program, backward;
  FileParts &parts;
  Writer &out;
  unsigned own;
  Names names;
  std::string className;
  std::vector<std::string> arguments, results;
  /// The names of all arguments, also of those that the case does not take.
  std::vector<std::string> places;
  /// What the backward program takes, in its order: cotangents, then what is saved.
  std::vector<std::string> operands;
  /// Where each operand beyond the cotangents is kept: among the saved tensors, or an attribute.
  std::vector<mlir::DictionaryAttr> saved;
};

/// Of a module whose arguments pass in groups.
class GroupedGradientPrinter : public GradientPrinter {
public:
  GroupedGradientPrinter(mlir::func::FuncOp program, FileParts &parts, Writer &out);

private:
  void printForward() override;
  void printSave() override;
  void printBackward() override;
  void printRegistration() override;
  void printEntry() override;
  std::vector<std::vector<unsigned>> getDependences() override;
  void printNames();
  void printKept();
  void printFrozen();
  void printRefusals();
  void printGradientNames();
  llvm::ArrayRef<ArgumentGroup> getGroups(mlir::func::FuncOp function);
  std::string nameOf(unsigned argument);
  std::string resultOf(int64_t place);
  llvm::SmallVector<std::string> getSavedResults(llvm::ArrayRef<int64_t> places, bool withState);

  llvm::ArrayRef<ArgumentGroup> groups;
  /// Places of the arguments that pass alone.
  std::vector<unsigned> alone;
  /// Gradients that the backward kernels compute, and those that are at hand.
  std::vector<std::string> gradientNames, given;
};

} // namespace nereid::emit
