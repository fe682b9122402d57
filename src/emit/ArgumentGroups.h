// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of a model's programs that pass as one: its parameters, its state (the buffers that
// training writes to), its numbers, and what is saved for the gradients are named tuples, checked
// by one loop over a table. A model of sixty parameters has signatures of three words.
#pragma once

#include "emit/FileParts.h"
#include "emit/Writer.h"
#include "host/HostOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::emit {

/// From how many tensors (numbers) on a module's pass as one.
inline constexpr size_t leastGrouped = 5;

/// The groups of a module's programs, which other programs of the module have too.
class GroupFinder {
public:
  GroupFinder(host::ModuleOp type, mlir::func::FuncOp forward, FileParts &parts)
      : type(type), forward(forward), parts(parts) {}

  /// Fills `parts.groups` for the forward, its cases and their gradients; returns false where the
  /// module has few tensors, or such as have no path of names.
  bool find();
  /// The tables, the named tuples and how arguments are flattened for autograd.
  void print(Writer &out);

private:
  bool findFields();
  void findPrograms();
  void addGradient(mlir::func::FuncOp program);
  void findWritten();
  void printTable(const ArgumentGroup &group, llvm::StringRef comment, Writer &out);
  void printFlattening(Writer &out) const;

  host::ModuleOp type;
  mlir::func::FuncOp forward;
  FileParts &parts;
  ArgumentGroups own;
  llvm::SmallVector<mlir::func::FuncOp> programs;
};

/// The groups of a program; none where its arguments pass one by one.
llvm::ArrayRef<ArgumentGroup> getGroups(mlir::func::FuncOp program, const FileParts &parts);

/// `p.conv1_weight`: an argument as a field of its group; empty outside of groups.
std::string getField(mlir::func::FuncOp program, unsigned place, const FileParts &parts);

/// The places of the state whose new contents the program returns behind its results.
llvm::ArrayRef<unsigned> getReturnedState(mlir::func::FuncOp program, const FileParts &parts);
/// What is assigned to them.
llvm::SmallVector<host::AssignOp> getAssigns(mlir::func::FuncOp program);
/// Whether a program writes to its arguments itself.
bool writesItself(mlir::func::FuncOp program, const FileParts &parts);

/// What a call of the program is given: each argument that passes alone, then the groups.
llvm::SmallVector<Code> passArguments(mlir::func::FuncOp program, llvm::ArrayRef<Code> alone,
                                      llvm::function_ref<Code(const ArgumentGroup &)> spellGroup,
                                      const FileParts &parts);

/// The named tuple of what a backward program is given of the forward one.
void printSavedType(mlir::func::FuncOp program, const FileParts &parts, Writer &out);

/// `head "a b c"`: names as one text, as many a line as fit.
void printNames(llvm::StringRef head, llvm::ArrayRef<std::string> names, Writer &out);

} // namespace nereid::emit
