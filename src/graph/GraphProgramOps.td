// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: composites, checks and mutation: what surrounds the primitives of a program.
#ifndef NEREID_GRAPH_PROGRAM_OPS_TD
#define NEREID_GRAPH_PROGRAM_OPS_TD

include "graph/GraphDialect.td"
include "sym/SymDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_CompositeOp : Graph_Op<"composite", [Pure, SingleBlock, IsolatedFromAbove]> {
  let summary = "an operator defined by primitives: a call with its body";
  let description = [{
    `results = body(operands)`. `name` is the operator's ATen schema name (`aten::softmax.int`). Stage 1 makes it one
    kernel; other stages look inside.
    Constraints: c1: the body's arguments have the operands' types; c2: it yields the results' types.
    Example:
    ```mlir
    %r = graph.composite "aten::square"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
    ^bb0(%a: !graph.tensor<[M] x f32>):
      %s = graph.mul %a, %a : !graph.tensor<[M] x f32>
      graph.yield %s : !graph.tensor<[M] x f32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Graph_Tensor>:$operands);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$gradient);
  let assemblyFormat = "$name `(` $operands `)` attr-dict `:` functional-type($operands, $results) $body (`gradient` $gradient^)?";
  let hasVerifier = 1;
}

def Graph_LoopOp : Graph_Op<"loop", [Pure, SingleBlock, IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "a recurrence: a body that is computed once a turn, on what the turn before left";
  let description = [{
    With `s_0 = inits`, `(s_{t+1}, y_t) = body(s_t, inputs[t], constants)` for `t = 0 ... count - 1`: the results are
    `s_count` and, for each further value that the body yields, `y` with a leading axis of `count` elements.
    Constraints: c1: each input has a leading axis of `count` elements; c2: the body's arguments have the types of the
    inits, of the inputs without that axis, and of the constants; c3: the body yields at least the inits' types; c4:
    the results have the inits' types and those of what else the body yields, with the leading axis.
    Example:
    ```mlir
    %h, %ys = graph.loop <T>(%h0) over (%xs) with (%a) : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>, !graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) {
    ^bb0(%h: !graph.tensor<[B] x f32>, %x: !graph.tensor<[B] x f32>, %b: !graph.tensor<[B] x f32>):
      %scaled = graph.mul %h, %b : !graph.tensor<[B] x f32>
      %next = graph.add %scaled, %x : !graph.tensor<[B] x f32>
      graph.yield %next, %next : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
    }
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$count, Variadic<Graph_Tensor>:$inits, Variadic<Graph_Tensor>:$inputs,
      Variadic<Graph_Tensor>:$constants);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count `(` $inits `)` `over` `(` $inputs `)` `with` `(` $constants `)` attr-dict `:` functional-type(operands, results) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the body yields as the next turn's state, and what is stacked.
    ::mlir::ValueRange getNext() {
      return getBody().front().getTerminator()->getOperands().take_front(getInits().size());
    }
    ::mlir::ValueRange getStacked() {
      return getBody().front().getTerminator()->getOperands().drop_front(getInits().size());
    }
  }];
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, ParentOneOf<["CompositeOp", "LoopOp"]>]> {
  let summary = "the results of a composite, or of a turn of a loop";
  let description = [{
    Ends the body of `graph.composite` with its results, that of `graph.loop` with the next turn's state and what is
    stacked.
    Example: `graph.yield %a, %a : !graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Graph_NumberOp : Graph_Op<"number", [Pure]> {
  let summary = "a number of the call, where it is used";
  let description = [{
    `result` is the Python expression `access` over the parameters of the call, which was `value` when the program was
    read. Import makes it an argument of the program; one that is scheduled has none.
    Constraints: c1: the result is of rank 0 and f64, or f32, to which the number is rounded.
    Example: `%r = graph.number "self.norm.eps" named "norm_eps" value 1.0e-05 -> !graph.tensor<[] x f64>`
  }];
  let arguments = (ins StrAttr:$access, StrAttr:$name, F64Attr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$access `named` $name `value` $value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Graph_DetachOp : Graph_Op<"detach", [Pure, SameOperandsAndResultType]> {
  let summary = "the same tensor, through which no gradient flows";
  let description = [{
    `result = input`. `src/autodiff` drops it; a program that is scheduled has none.
    Example: `%r = graph.detach %a : !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Graph_CheckOp : Graph_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "a requirement on sizes";
  let description = [{
    Becomes `host.check`: raises a ValueError with `message` unless `pred` holds.
    Example: `graph.check <"N >= 1">, "max() needs an element"`
  }];
  let arguments = (ins Sym_PredAttr:$pred, StrAttr:$message);
  let assemblyFormat = "$pred `,` $message attr-dict";
}

def Graph_CallOp : Graph_Op<"call", [Pure, AttrSizedOperandSegments]> {
  let summary = "an operator that is left to PyTorch, or its gradient";
  let description = [{
    `results = callee(spelling...)`: what PyTorch computes; `Tensor.sort` is a method of the first of `spelling`, which
    are Python texts with places for `inputs`: `{0}` for a tensor, `{1:n}` for a Python number (a tensor of rank 0
    here). Nereid knows the types of the results and no more. With `gradient (cotangents) of [r...] to [i...]` the
    results are the gradients that PyTorch finds for the inputs `i`, given those of the call's results `r`.
    Constraints: c1: the places are those of inputs, all of which have one; c2: there are as many cotangents as `of`
    names results; c3: each result has the type of the input that `to` names, of floating-point numbers.
    Example: `%r = graph.call "torch.matmul" ["{0}", "{1}"] (%a, %b) : (!graph.tensor<[M, K] x f32>, !graph.tensor<[K, N] x f32>) -> !graph.tensor<[M, N] x f32>`
  }];
  let arguments = (ins StrAttr:$callee, StrArrayAttr:$spelling, Variadic<Graph_Tensor>:$inputs,
      Variadic<Graph_Tensor>:$cotangents, OptionalAttr<DenseI64ArrayAttr>:$of, OptionalAttr<DenseI64ArrayAttr>:$to);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$callee $spelling `(` $inputs `)` (`gradient` `(` $cotangents^ `)` `of` $of `to` $to)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_ApplyOp : Graph_Op<"apply", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function of the graph, of these operands";
  let description = [{
    `results = callee(operands)`. Equal parts of programs (the blocks of a stack) are one function, which is
    differentiated, scheduled and emitted once. A size of the callee is the axis of an operand that its argument names
    so; one that no axis is has an operand of its own, of which the callee's argument is the `graph.symbol`. Its checks
    hold wherever it is applied.
    Constraints: c1: the callee is a program of the module with the attribute `graph.function`; c2: the operands have
    the types of its arguments, at these sizes; c3: the results have those of its results.
    Example: `%r = graph.apply @block(%x, %w) : (!graph.tensor<[B, D] x f32>, !graph.tensor<[D, D] x f32>) -> !graph.tensor<[B, D] x f32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Graph_Tensor>:$operands);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
  let extraClassDeclaration = [{
    ::mlir::func::FuncOp getFunction() {
      return ::mlir::SymbolTable::lookupNearestSymbolFrom<::mlir::func::FuncOp>(*this, getCalleeAttr());
    }
  }];
}

def Graph_AssignOp : Graph_Op<"assign", [MemoryEffects<[MemWrite]>, AllTypesMatch<["target", "value"]>]> {
  let summary = "the final value of an argument that the program mutates";
  let description = [{
    `target.copy_(value)` at the end of the program.
    Constraints: c1: `target` is an argument of the program; c2: equal types (a trait).
    Example: `graph.assign %a, %b : !graph.tensor<[M] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$target, Graph_Tensor:$value);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target)";
  let hasVerifier = 1;
}

#endif // NEREID_GRAPH_PROGRAM_OPS_TD
