// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reading of one function for Uses: what every expression is wanted as flows back through
// assignments, operators and calls to the parameters that it is made of.
#pragma once

#include "audit/Uses.h"

namespace nereid::audit {

/// What an expression is wanted as.
enum class Want : uint8_t {
  Address,
  Integer,
  /// An integer of 8 bits.
  Byte,
  Float,
  Size,
  Axis,
  Count,
  Condition,
  /// A mask.
  Bit,
  Dtype,
  /// A dtype of 8 bits.
  NarrowDtype,
  IntegerDtype,
  Descriptor,
  Text,
  /// Points at integers, at bits, at integers of 8 bits, at addresses.
  PointerToIntegers,
  PointerToBits,
  PointerToBytes,
  PointerToAddresses,
};

enum class Likely : uint8_t { No, Maybe, Yes };

/// The last part of a dotted name: `load` of `tl.load`. Empty when it is no name.
llvm::StringRef getLastName(const python::Expr &callee);
/// What is asked of a dtype: `is_fp8`, `primitive_bitwidth`.
bool isOfDtype(llvm::StringRef name);
/// Functions whose result is what they are given, in another shape or order or one of several.
bool passesThrough(llvm::StringRef name);

class UseFlow {
public:
  UseFlow(Uses &all, FunctionUses &uses) : all(all), uses(uses) {}

  /// Fills FunctionUses::callees.
  void findCallees();
  /// One round over the body; whether something new was learned.
  bool run();
  /// An expression of this function is wanted as something.
  void want(const python::Expr &expr, Want what);
  /// The results of this function are wanted as something: all, or one item of each.
  void wantResult(int item, Want what);
  Likely isAddress(const python::Expr &expr, unsigned depth = 0);
  bool isInteger(const python::Expr &expr, unsigned depth = 0);
  bool isFloat(const python::Expr &expr, unsigned depth = 0);

private:
  void visit(const python::Node &node);
  void visitCall(const python::Call &call);
  void visitMemory(const python::Call &call, llvm::StringRef name);
  void visitLanguage(const python::Call &call, llvm::StringRef name);
  void noteRank(const python::Expr &descriptor, const python::Expr *offsets, unsigned depth = 0);
  void visitMethod(const python::Call &call, llvm::StringRef name);
  void visitClass(const python::Call &call);
  void wantField(const python::Attribute &field, Want what);
  void visitJit(const python::Call &call, triton::JitFunction &callee);
  void visitBinary(const python::BinOp &node);
  void visitSubscript(const python::Subscript &node);
  void noteTile(ParameterUse &use, unsigned rank);
  void visitAssign(const python::Assign &node);
  /// An argument is wanted as what the callee does with its parameter.
  void pass(const python::Expr &argument, const ParameterUse &use);
  ParameterUse *findPointing(const python::Expr &type);
  void visitCompare(const python::Compare &node);
  ParameterUse *findTyped(const python::Expr &expr);
  void noteAlike(const python::Expr &one, const python::Expr &other);
  void wantName(const python::Name &name, Want what);
  void wantBinary(const python::BinOp &node, Want what);
  void wantCall(const python::Call &call, Want what);
  void wantDefinition(const Definition &definition, Want what);
  void wantAll(const python::Expr &expr, Want what);
  void note(ParameterUse &use, Want what, const python::Node &place);
  /// What is known of a parameter, or of an item of one that is a tuple; null for others.
  ParameterUse *findUse(const python::Expr &expr, unsigned depth = 0);
  ParameterUse *findTuple(const python::Expr &expr, unsigned depth);
  ParameterUse *findUse(const Definition &definition);
  ParameterUse &itemOf(ParameterUse &tuple, unsigned number);
  ParameterUse &fieldOf(ParameterUse &tuple, llvm::StringRef name);
  ParameterUse &eachOf(ParameterUse &tuple);
  void noteCompared(ParameterUse &own, const ParameterUse &use);
  void merge(ParameterUse &to, const ParameterUse &from, const python::Node &place);
  void set(bool &flag) { changed |= !std::exchange(flag, true); }
  bool isLanguage(const python::Expr &callee) const;
  /// The value of an argument by its place or its name; null when it is not given.
  static const python::Expr *getArgument(const python::Call &call, unsigned index,
                                         llvm::StringRef name);

  Uses &all;
  FunctionUses &uses;
  std::set<std::pair<const python::Expr *, Want>> seen;
  bool changed = false;
};

} // namespace nereid::audit
