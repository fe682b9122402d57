// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of the host dialect.
#ifndef NEREID_HOST_OPS_TD
#define NEREID_HOST_OPS_TD

include "host/HostDialect.td"
include "sym/SymDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Host_Op<string opMnemonic, list<Trait> traits = []> : Op<Host_Dialect, opMnemonic, traits>;

def Host_AnyTensor : Type<CPred<"::llvm::isa<::nereid::host::TensorType>($_self)">, "host tensor",
                                    "::nereid::host::TensorType">;
def Host_Scalar : AnyTypeOf<[I1, I64, F64], "host scalar">;
def Host_Value : AnyTypeOf<[Host_AnyTensor, Host_Scalar], "host tensor or scalar">;

def Host_SizeOp : Host_Op<"size", [Pure]> {
  let summary = "the value of an index expression";
  let description = [{
    `result = expr` at the sizes and strides of this call, an i64.
    Example: `%0 = host.size <"M // 2">`
  }];
  let arguments = (ins Sym_ExprAttr:$expr);
  let results = (outs I64:$result);
  let assemblyFormat = "$expr attr-dict";
}

def Host_CondOp : Host_Op<"cond", [Pure]> {
  let summary = "the truth of a predicate over sizes and strides";
  let description = [{
    `result = pred` at the sizes and strides of this call.
    Example: `%0 = host.cond <"M == N">`
  }];
  let arguments = (ins Sym_PredAttr:$pred);
  let results = (outs I1:$result);
  let assemblyFormat = "$pred attr-dict";
}

def Host_CheckOp : Host_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "a requirement on the inputs";
  let description = [{
    Raises a ValueError with `message` unless `pred` holds. After it, `pred` is a fact.
    Example: `host.check <"M == N">, "x must be square"`
  }];
  let arguments = (ins Sym_PredAttr:$pred, StrAttr:$message);
  let assemblyFormat = "$pred `,` $message attr-dict";
}

def Host_IsContiguousOp : Host_Op<"is_contiguous", [Pure]> {
  let summary = "whether all the tensors have row-major strides";
  let description = [{
    As PyTorch: strides of axes of extent 1 do not matter; a tensor without elements is contiguous.
    Example: `%0 = host.is_contiguous %x, %y : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [ys0, ys1]>`
  }];
  let arguments = (ins Variadic<Host_AnyTensor>:$tensors);
  let results = (outs I1:$result);
  let assemblyFormat = "$tensors attr-dict `:` qualified(type($tensors))";
}

def Host_AsContiguousOp : Host_Op<"as_contiguous", [Pure]> {
  let summary = "the same tensor, known to have row-major strides";
  let description = [{
    No data moves. Undefined unless `is_contiguous` holds.
    Constraints: c1: equal sizes and element types; c2: the result's strides are row-major.
    Example: `%0 = host.as_contiguous %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f32, [N, 1]>`
  }];
  let arguments = (ins Host_AnyTensor:$tensor);
  let results = (outs Host_AnyTensor:$result);
  let assemblyFormat = "$tensor attr-dict `:` qualified(type($tensor)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Host_ContiguousOp : Host_Op<"contiguous", [MemoryEffects<[MemAlloc, MemRead]>]> {
  let summary = "the tensor itself if it is contiguous, else a row-major copy";
  let description = [{
    `x.contiguous()`: `result[i...] = tensor[i...]`.
    Constraints: c1: equal sizes and element types; c2: the result's strides are row-major.
    Example: `%0 = host.contiguous %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f32, [N, 1]>`
  }];
  let arguments = (ins Host_AnyTensor:$tensor);
  let results = (outs Host_AnyTensor:$result);
  let assemblyFormat = "$tensor attr-dict `:` qualified(type($tensor)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Host_EmptyOp : Host_Op<"empty", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a new tensor, its elements undefined";
  let description = [{
    With no operand the result has the strides that its type says. With operands (`like`) its strides are the ones
    that PyTorch's pointwise operators give their result for these inputs: dense, in the order of the inputs' strides.
    Then the strides of the type are symbols, defined by this operation.
    Constraints: c1: with operands every stride of the result is a symbol of its own.
    Example: `%0 = host.empty -> !host.tensor<[M, N] x f32, [N, 1]>`
  }];
  let arguments = (ins Variadic<Host_AnyTensor>:$like);
  let results = (outs Host_AnyTensor:$result);
  let assemblyFormat = "(`like` $like^ `:` qualified(type($like)))? attr-dict `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Host_CopyLikeOp : Host_Op<"copy_like", [MemoryEffects<[MemAlloc, MemRead]>]> {
  let summary = "a copy in the strides of PyTorch's pointwise operators";
  let description = [{
    `result[i...] = tensor[i...]`, in the strides that `host.empty like` gives a tensor for the same operands.
    Constraints: c1: every stride of the result is a symbol of its own; c2: equal sizes and element types.
    Example: `%0 = host.copy_like %y like %x : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [xs0, xs1]> -> !host.tensor<[M, N] x f32, [ys0, ys1]>`
  }];
  let arguments = (ins Host_AnyTensor:$tensor, Variadic<Host_AnyTensor>:$like);
  let results = (outs Host_AnyTensor:$result);
  let assemblyFormat = "$tensor `like` $like attr-dict `:` qualified(type($tensor)) `,` qualified(type($like)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Host_FullOp : Host_Op<"full", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a new tensor with every element equal to a number";
  let description = [{
    `result[i...] = value`, converted to the element type of the result; `torch.full`.
    Example: `%0 = host.full %v : f64 -> !host.tensor<[M, N] x f32, [N, 1]>`
  }];
  let arguments = (ins Host_Scalar:$value);
  let results = (outs Host_AnyTensor:$result);
  let assemblyFormat = "$value attr-dict `:` qualified(type($value)) `->` qualified(type($result))";
}

def Host_ViewOp : Host_Op<"view", [Pure]> {
  let summary = "the same memory under other sizes, strides and offset";
  let description = [{
    `x.as_strided(sizes, strides, offset)` relative to the storage offset of `x`.
    With the strides of its tensor it is a part of it; the attribute `starts` may say where it begins along each axis.
    Constraints: c1: equal element types.
    Example: `%0 = host.view %x offset <N> : !host.tensor<[M, N] x f32, [N, 1]> -> !host.tensor<[N] x f32, [1]>`
  }];
  let arguments = (ins Host_AnyTensor:$tensor, Sym_ExprAttr:$offset);
  let results = (outs Host_AnyTensor:$result);
  let assemblyFormat = "$tensor `offset` $offset attr-dict `:` qualified(type($tensor)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Host_LaunchOp : Host_Op<"launch", [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel over a grid";
  let description = [{
    `grid` is one to three expressions over the sizes and the kernel's meta-parameters (by name). A grid with a zero
    runs nothing. `arguments` are the kernel's parameters in order: tensors for pointers, i64 for integers, f64 for
    floats. `meta` gives meta-parameters that follow from sizes (`BLOCK_N = next_power_of_2(N)`), the others come from
    the kernel's `tile.configs`.
    Constraints: c1: the callee is a kernel; c2: arguments fit its parameters in number and type; c3: one to three
    grid expressions; c4: each meta-parameter of the kernel is either in `meta` or in every configuration.
    Example: `host.launch @k grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%x, %n, %a) meta {W = #sym.expr<N>} : !host.tensor<[M, N] x f32, [N, 1]>, i64, f64`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, ArrayAttr:$grid, Variadic<Host_Value>:$arguments,
                       DictionaryAttr:$meta);
  let assemblyFormat = "$kernel `grid` $grid `(` $arguments `)` `meta` $meta attr-dict (`:` qualified(type($arguments))^)?";
  let hasVerifier = 1;
}

def Host_CallOp : Host_Op<"call", [MemoryEffects<[MemAlloc, MemRead]>, AttrSizedOperandSegments]> {
  let summary = "an operator that is left to PyTorch, or its gradient";
  let description = [{
    As `graph.call`: `spelling` are the call's arguments as Python texts with places for `inputs`, `{0}` for a tensor,
    `{1:n}` for a scalar. The results are new tensors; it is an error of the call if PyTorch gives others than the types
    say. The interpreter cannot run it.
    Constraints: c1: the places are those of inputs, a tensor or a scalar as they say; c2: the results are row-major;
    c3: there are as many cotangents as `of` names results, and results as `to` names inputs.
    Example: `%r = host.call "torch.matmul" ["{0}", "{1}"] (%a, %b) : (!host.tensor<[M, K] x f32, [K, 1]>, !host.tensor<[K, N] x f32, [N, 1]>) -> !host.tensor<[M, N] x f32, [N, 1]>`
  }];
  let arguments = (ins StrAttr:$callee, StrArrayAttr:$spelling, Variadic<Host_Value>:$inputs,
      Variadic<Host_AnyTensor>:$cotangents, OptionalAttr<DenseI64ArrayAttr>:$of, OptionalAttr<DenseI64ArrayAttr>:$to);
  let results = (outs Variadic<Host_AnyTensor>:$results);
  let assemblyFormat = "$callee $spelling `(` $inputs `)` (`gradient` `(` $cotangents^ `)` `of` $of `to` $to)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Host_ApplyOp : Host_Op<"apply", [MemoryEffects<[MemAlloc, MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a function of the program";
  let description = [{
    As `graph.apply`: `results = callee(arguments)`, new tensors. The callee's symbols are the sizes and values of its
    arguments, and its checks have been made.
    Constraints: c1: the callee is a host program marked `host.function`; c2: the arguments have the types of its own,
    at these sizes; c3: the results have the types of its results, and are row-major.
    Example: `%r = host.apply @block(%x, %n) : (!host.tensor<[M, N] x f32, [N, 1]>, i64) -> !host.tensor<[M] x f32, [1]>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Host_Value>:$arguments);
  let results = (outs Variadic<Host_AnyTensor>:$results);
  let assemblyFormat = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $results)";
  let extraClassDeclaration = [{
    ::mlir::func::FuncOp getFunction() {
      return ::mlir::SymbolTable::lookupNearestSymbolFrom<::mlir::func::FuncOp>(*this, getCalleeAttr());
    }
  }];
}

def Host_IfOp : Host_Op<"if", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a choice on sizes, strides or flags";
  let description = [{
    A stride symbol of a result that has no value yet gets the stride of the tensor that was yielded.
    Constraints: c1: both arms yield the types of the results, but for strides.
    Example:
    ```mlir
    %0 = host.if %c -> !host.tensor<[M, N] x f32, [N, 1]> {
      host.yield %x : !host.tensor<[M, N] x f32, [N, 1]>
    } else {
      host.yield %x : !host.tensor<[M, N] x f32, [N, 1]>
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let results = (outs Variadic<Host_Value>:$results);
  let regions = (region SizedRegion<1>:$then, SizedRegion<1>:$otherwise);
  let assemblyFormat = "$condition (`->` qualified(type($results))^)? $then `else` $otherwise attr-dict";
  let hasVerifier = 1;
}

def Host_WhileOp : Host_Op<"while", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "launches repeated while a number grows";
  let description = [{
    `symbol = start; while condition: body; symbol *= factor`. The body sees the symbol as a size, and nobody else does.
    Constraints: c1: `start` is at least 1 and `factor` at least 2; c2: the condition depends on the symbol.
    Example:
    ```mlir
    host.while "run" from 1024 times 2 while <"run < N"> {
      %0 = host.size <run>
    }
    ```
  }];
  let arguments = (ins StrAttr:$symbol, I64Attr:$start, I64Attr:$factor, Sym_PredAttr:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$symbol `from` $start `times` $factor `while` $condition $body attr-dict";
  let extraClassDeclaration = [{
    /// The symbol as an expression.
    ::nereid::index::Expr getExpr();
  }];
  let hasVerifier = 1;
}

def Host_ForOp : Host_Op<"for", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "launches repeated a number of times";
  let description = [{
    `for symbol in range(count): body`. The body sees the symbol as a size, and nobody else does. Its arguments are the
    `inits` in the first turn, and what the turn before yielded in each other; the results are what the last turn yields,
    or the inits where there is none. So two tensors change places each turn: one has the state, the next goes to the
    other.
    Constraints: c1: the body's arguments, what it yields and the results have the types of the inits.
    Example:
    ```mlir
    %h, %free = host.for "t" below <T> (%a, %b) : (!host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>) -> (!host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>) {
    ^bb0(%now: !host.tensor<[M] x f32, [1]>, %next: !host.tensor<[M] x f32, [1]>):
      host.yield %next, %now : !host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>
    }
    ```
  }];
  let arguments = (ins StrAttr:$symbol, Sym_ExprAttr:$count, Variadic<Host_AnyTensor>:$inits);
  let results = (outs Variadic<Host_AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$symbol `below` $count `(` $inits `)` `:` functional-type($inits, $results) $body attr-dict";
  let extraClassDeclaration = [{
    /// The symbol as an expression.
    ::nereid::index::Expr getExpr();
  }];
  let hasVerifier = 1;
}

def Host_YieldOp : Host_Op<"yield", [Pure, Terminator, ParentOneOf<["IfOp", "ForOp"]>]> {
  let summary = "the results of an arm, or of a turn";
  let description = [{
    Ends an arm of `host.if` with the values that the choice gives, a turn of `host.for` with what the next one takes.
    Example: `host.yield`
  }];
  let arguments = (ins Variadic<Host_Value>:$values);
  let assemblyFormat = "($values^ `:` qualified(type($values)))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

def Host_DispatchOp
    : Host_Op<"dispatch", [Terminator, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "goes on in one of several programs";
  let description = [{
    Ends a host program whose control flow depends on sizes or flags: the arguments are passed on to the first program of
    `programs` whose predicate in `conditions` holds, and its results are returned. One of them does hold. A program
    that is reached only in this way has the attribute `host.given`, the predicate that holds on entry.
    Constraints: c1: as many conditions as programs, at least one, at the end of a host program; c2: each names a host program whose arguments have
    the element types and ranks of those of this program.
    Example: `host.dispatch [#sym.pred<"N >= 8">, #sym.pred<"N <= 7">] [@large, @small]`
  }];
  let arguments = (ins ArrayAttr:$conditions, ArrayAttr:$programs);
  let assemblyFormat = "$conditions $programs attr-dict";
  let hasVerifier = 1;
}

def Host_AssignOp : Host_Op<"assign", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies a tensor into an argument that the program mutates";
  let description = [{
    `target.copy_(value)`.
    Constraints: c1: equal sizes and element types.
    Example: `host.assign %x, %y : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [ys0, ys1]>`
  }];
  let arguments = (ins Host_AnyTensor:$target, Host_AnyTensor:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` qualified(type($target)) `,` qualified(type($value))";
  let hasVerifier = 1;
}

def Host_ModuleOp : Host_Op<"module", [Symbol, IsolatedFromAbove]> {
  let summary = "the nn.Module class whose forward a host program is";
  let description = [{
    `constructor` is Python text: the body of the class up to `forward`, as the emitted file shows it. `tree` lists
    the parameters and buffers in the order of the leading arguments of `forward` (`blocks.0.weight`), `forward` names
    the host program; its remaining arguments are the call's.
    Example: `host.module @Net forward @forward tree ["blocks.0.weight"] constructor "class Net(nn.Module):"`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$forward, StrAttr:$constructor,
                       StrArrayAttr:$tree);
  let assemblyFormat = "$sym_name `forward` $forward `tree` $tree `constructor` $constructor attr-dict";
}

#endif // NEREID_HOST_OPS_TD
