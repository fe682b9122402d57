// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Family: pointwise operators. What constrains them all stands in the dialect's description.
#ifndef NEREID_GRAPH_POINTWISE_OPS_TD
#define NEREID_GRAPH_POINTWISE_OPS_TD

include "graph/GraphDialect.td"

class Graph_UnaryOp<string name, TypeConstraint type> : Graph_Op<name, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

class Graph_BinaryOp<string name, TypeConstraint type> : Graph_Op<name, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

/// c1: both operands have one type; c2: the result is a bool tensor of their sizes.
class Graph_CompareOp<string name> : Graph_Op<name, [Pure, AllTypesMatch<["lhs", "rhs"]>,
    TypesMatchWith<"c2: the result is bool of the operands' sizes", "lhs", "result",
                   "::nereid::graph::boolTensorLike($_self)">]> {
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Graph_NegOp : Graph_UnaryOp<"neg", Graph_NumberTensor> {
  let summary = "the negative";
  let description = [{ `result[i] = -x` of `x = input[i]`. Example: `%r = graph.neg %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AbsOp : Graph_UnaryOp<"abs", Graph_NumberTensor> {
  let summary = "the magnitude";
  let description = [{ `result[i] = |x|` of `x = input[i]`. Example: `%r = graph.abs %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_SignOp : Graph_UnaryOp<"sign", Graph_NumberTensor> {
  let summary = "the sign: -1, 0 or 1; 0 of NaN";
  let description = [{ `result[i] = (x > 0) - (x < 0)` of `x = input[i]`. Example: `%r = graph.sign %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_ExpOp : Graph_UnaryOp<"exp", Graph_FloatTensor> {
  let summary = "the exponential";
  let description = [{ `result[i] = e^x` of `x = input[i]`. Example: `%r = graph.exp %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Exp2Op : Graph_UnaryOp<"exp2", Graph_FloatTensor> {
  let summary = "the exponential to base 2";
  let description = [{ `result[i] = 2^x` of `x = input[i]`. Example: `%r = graph.exp2 %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Expm1Op : Graph_UnaryOp<"expm1", Graph_FloatTensor> {
  let summary = "the exponential less one, exact near 0";
  let description = [{ `result[i] = e^x - 1` of `x = input[i]`. Example: `%r = graph.expm1 %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_LogOp : Graph_UnaryOp<"log", Graph_FloatTensor> {
  let summary = "the natural logarithm";
  let description = [{ `result[i] = ln x` of `x = input[i]`. Example: `%r = graph.log %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Log2Op : Graph_UnaryOp<"log2", Graph_FloatTensor> {
  let summary = "the logarithm to base 2";
  let description = [{ `result[i] = log2 x` of `x = input[i]`. Example: `%r = graph.log2 %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Log10Op : Graph_UnaryOp<"log10", Graph_FloatTensor> {
  let summary = "the logarithm to base 10";
  let description = [{ `result[i] = log10 x` of `x = input[i]`. Example: `%r = graph.log10 %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Log1pOp : Graph_UnaryOp<"log1p", Graph_FloatTensor> {
  let summary = "the logarithm of one more, exact near 0";
  let description = [{ `result[i] = ln(1 + x)` of `x = input[i]`. Example: `%r = graph.log1p %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Graph_FloatTensor> {
  let summary = "the square root";
  let description = [{ `result[i] = sqrt x` of `x = input[i]`. Example: `%r = graph.sqrt %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", Graph_FloatTensor> {
  let summary = "the reciprocal square root";
  let description = [{ `result[i] = 1 / sqrt x` of `x = input[i]`. Example: `%r = graph.rsqrt %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Tf32Op : Graph_UnaryOp<"tf32", Graph_FloatTensor> {
  let summary = "a float32 that may be rounded to TF32";
  let description = [{
    `result[i] = x` of `x = input[i]`, for products that PyTorch takes of 10 binary digits where
    `torch.backends.cudnn.allow_tf32` holds: kernels may round to the nearest of these. Convolutions and recurrent layers read it.
    Example: `%r = graph.tf32 %x : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_HalfScaleOp : Graph_UnaryOp<"half_scale", Graph_FloatTensor> {
  let summary = "the power of two with which halves hold numbers up to this one";
  let description = [{
    `result[i] = 1`, or where kernels take products of TF32 as products of halves (`graph.tf32`) the power of two that
    brings `x = input[i]`, not negative and finite, to between 2^14 and 2^15. The scheduler makes it.
    Example: `%r = graph.half_scale %x : !graph.tensor<[M] x f32>`
  }];
}
def Graph_SinOp : Graph_UnaryOp<"sin", Graph_FloatTensor> {
  let summary = "the sine";
  let description = [{ `result[i] = sin x` of `x = input[i]`. Example: `%r = graph.sin %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_CosOp : Graph_UnaryOp<"cos", Graph_FloatTensor> {
  let summary = "the cosine";
  let description = [{ `result[i] = cos x` of `x = input[i]`. Example: `%r = graph.cos %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_TanOp : Graph_UnaryOp<"tan", Graph_FloatTensor> {
  let summary = "the tangent";
  let description = [{ `result[i] = tan x` of `x = input[i]`. Example: `%r = graph.tan %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AsinOp : Graph_UnaryOp<"asin", Graph_FloatTensor> {
  let summary = "the arc sine";
  let description = [{ `result[i] = asin x` of `x = input[i]`. Example: `%r = graph.asin %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AcosOp : Graph_UnaryOp<"acos", Graph_FloatTensor> {
  let summary = "the arc cosine";
  let description = [{ `result[i] = acos x` of `x = input[i]`. Example: `%r = graph.acos %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AtanOp : Graph_UnaryOp<"atan", Graph_FloatTensor> {
  let summary = "the arc tangent";
  let description = [{ `result[i] = atan x` of `x = input[i]`. Example: `%r = graph.atan %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_SinhOp : Graph_UnaryOp<"sinh", Graph_FloatTensor> {
  let summary = "the hyperbolic sine";
  let description = [{ `result[i] = sinh x` of `x = input[i]`. Example: `%r = graph.sinh %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_CoshOp : Graph_UnaryOp<"cosh", Graph_FloatTensor> {
  let summary = "the hyperbolic cosine";
  let description = [{ `result[i] = cosh x` of `x = input[i]`. Example: `%r = graph.cosh %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_TanhOp : Graph_UnaryOp<"tanh", Graph_FloatTensor> {
  let summary = "the hyperbolic tangent";
  let description = [{ `result[i] = tanh x` of `x = input[i]`. Example: `%r = graph.tanh %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AsinhOp : Graph_UnaryOp<"asinh", Graph_FloatTensor> {
  let summary = "the inverse hyperbolic sine";
  let description = [{ `result[i] = asinh x` of `x = input[i]`. Example: `%r = graph.asinh %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AcoshOp : Graph_UnaryOp<"acosh", Graph_FloatTensor> {
  let summary = "the inverse hyperbolic cosine";
  let description = [{ `result[i] = acosh x` of `x = input[i]`. Example: `%r = graph.acosh %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_AtanhOp : Graph_UnaryOp<"atanh", Graph_FloatTensor> {
  let summary = "the inverse hyperbolic tangent";
  let description = [{ `result[i] = atanh x` of `x = input[i]`. Example: `%r = graph.atanh %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_ErfOp : Graph_UnaryOp<"erf", Graph_FloatTensor> {
  let summary = "the error function";
  let description = [{ `result[i] = erf x` of `x = input[i]`. Example: `%r = graph.erf %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_ErfcOp : Graph_UnaryOp<"erfc", Graph_FloatTensor> {
  let summary = "the complementary error function, exact for large x";
  let description = [{ `result[i] = 1 - erf x` of `x = input[i]`. Example: `%r = graph.erfc %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_LgammaOp : Graph_UnaryOp<"lgamma", Graph_FloatTensor> {
  let summary = "the logarithm of the gamma function's magnitude";
  let description = [{ `result[i] = ln |gamma(x)|` of `x = input[i]`. Example: `%r = graph.lgamma %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_FloorOp : Graph_UnaryOp<"floor", Graph_FloatTensor> {
  let summary = "the greatest integer below";
  let description = [{ `result[i] = floor x` of `x = input[i]`. Example: `%r = graph.floor %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_CeilOp : Graph_UnaryOp<"ceil", Graph_FloatTensor> {
  let summary = "the least integer above";
  let description = [{ `result[i] = ceil x` of `x = input[i]`. Example: `%r = graph.ceil %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_TruncOp : Graph_UnaryOp<"trunc", Graph_FloatTensor> {
  let summary = "the integer towards zero";
  let description = [{ `result[i] = trunc x` of `x = input[i]`. Example: `%r = graph.trunc %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_RoundOp : Graph_UnaryOp<"round", Graph_FloatTensor> {
  let summary = "the nearest integer, ties to even";
  let description = [{ `result[i] = rint x` of `x = input[i]`. Example: `%r = graph.round %x : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_NotOp : Graph_UnaryOp<"not", Graph_IntTensor> {
  let summary = "all bits flipped; of a bool its negation";
  let description = [{ `result[i] = ~x` of `x = input[i]`. Example: `%r = graph.not %x : !graph.tensor<[M, 4*D] x i32>` }];
}

def Graph_AddOp : Graph_BinaryOp<"add", Graph_NumberTensor> {
  let summary = "the sum (of bools: or)";
  let description = [{ `result[i] = a + b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.add %x, %y : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_SubOp : Graph_BinaryOp<"sub", Graph_NumberTensor> {
  let summary = "the difference";
  let description = [{ `result[i] = a - b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.sub %x, %y : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_MulOp : Graph_BinaryOp<"mul", Graph_NumberTensor> {
  let summary = "the product (of bools: and)";
  let description = [{ `result[i] = a * b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.mul %x, %y : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_DivOp : Graph_BinaryOp<"div", Graph_FloatTensor> {
  let summary = "the true quotient";
  let description = [{ `result[i] = a / b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.div %x, %y : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_FloordivOp : Graph_BinaryOp<"floordiv", Graph_NumberTensor> {
  let summary = "the quotient rounded to minus infinity (Python's //)";
  let description = [{
    `result[i] = floor(a / b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.floordiv %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_TruncdivOp : Graph_BinaryOp<"truncdiv", Graph_NumberTensor> {
  let summary = "the quotient rounded to zero (C's /)";
  let description = [{
    `result[i] = trunc(a / b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.truncdiv %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_RemainderOp : Graph_BinaryOp<"remainder", Graph_NumberTensor> {
  let summary = "what floordiv leaves, with the divisor's sign (Python's %)";
  let description = [{
    `result[i] = a - b * floor(a / b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.remainder %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_FmodOp : Graph_BinaryOp<"fmod", Graph_NumberTensor> {
  let summary = "what truncdiv leaves, with the dividend's sign (C's fmod)";
  let description = [{
    `result[i] = a - b * trunc(a / b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.fmod %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_PowOp : Graph_BinaryOp<"pow", Graph_NumberTensor> {
  let summary = "the power";
  let description = [{ `result[i] = a ^ b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.pow %x, %y : !graph.tensor<[M, 4*D] x f32>` }];
}
def Graph_Atan2Op : Graph_BinaryOp<"atan2", Graph_FloatTensor> {
  let summary = "the angle of the point (b, a)";
  let description = [{
    `result[i] = atan2(a, b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.atan2 %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_CopysignOp : Graph_BinaryOp<"copysign", Graph_FloatTensor> {
  let summary = "the magnitude of a with the sign of b";
  let description = [{
    `result[i] = copysign(a, b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.copysign %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_NextafterOp : Graph_BinaryOp<"nextafter", Graph_FloatTensor> {
  let summary = "the next float from a towards b";
  let description = [{
    `result[i] = nextafter(a, b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.nextafter %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_MaximumOp : Graph_BinaryOp<"maximum", Graph_NumberTensor> {
  let summary = "the greater, NaN if either is";
  let description = [{
    `result[i] = max(a, b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.maximum %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_MinimumOp : Graph_BinaryOp<"minimum", Graph_NumberTensor> {
  let summary = "the lesser, NaN if either is";
  let description = [{
    `result[i] = min(a, b)` of `a = lhs[i]`, `b = rhs[i]`.
    Example: `%r = graph.minimum %x, %y : !graph.tensor<[M, 4*D] x f32>`
  }];
}
def Graph_AndOp : Graph_BinaryOp<"and", Graph_IntTensor> {
  let summary = "bitwise and";
  let description = [{ `result[i] = a & b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.and %x, %y : !graph.tensor<[M, 4*D] x i32>` }];
}
def Graph_OrOp : Graph_BinaryOp<"or", Graph_IntTensor> {
  let summary = "bitwise or";
  let description = [{ `result[i] = a | b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.or %x, %y : !graph.tensor<[M, 4*D] x i32>` }];
}
def Graph_XorOp : Graph_BinaryOp<"xor", Graph_IntTensor> {
  let summary = "bitwise exclusive or";
  let description = [{ `result[i] = a ^ b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.xor %x, %y : !graph.tensor<[M, 4*D] x i32>` }];
}
def Graph_ShlOp : Graph_BinaryOp<"shl", Graph_IntTensor> {
  let summary = "shift left";
  let description = [{ `result[i] = a << b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.shl %x, %y : !graph.tensor<[M, 4*D] x i32>` }];
}
def Graph_ShrOp : Graph_BinaryOp<"shr", Graph_IntTensor> {
  let summary = "shift right, with the sign of signed integers";
  let description = [{ `result[i] = a >> b` of `a = lhs[i]`, `b = rhs[i]`. Example: `%r = graph.shr %x, %y : !graph.tensor<[M, 4*D] x i32>` }];
}

def Graph_EqOp : Graph_CompareOp<"eq"> {
  let summary = "the comparison a == b";
  let description = [{
    `result[i] = a == b` of `a = lhs[i]`, `b = rhs[i]`; false where either is NaN.
    Constraints: c1: the operands have one type (a trait); c2: the result is bool of their sizes.
    Example: `%r = graph.eq %x, %y : !graph.tensor<[M] x f32>`
  }];
}
def Graph_NeOp : Graph_CompareOp<"ne"> {
  let summary = "the comparison a != b";
  let description = [{
    `result[i] = a != b` of `a = lhs[i]`, `b = rhs[i]`; true where either is NaN.
    Constraints: c1: the operands have one type (a trait); c2: the result is bool of their sizes.
    Example: `%r = graph.ne %x, %y : !graph.tensor<[M] x f32>`
  }];
}
def Graph_LtOp : Graph_CompareOp<"lt"> {
  let summary = "the comparison a < b";
  let description = [{
    `result[i] = a < b` of `a = lhs[i]`, `b = rhs[i]`; false where either is NaN.
    Constraints: c1: the operands have one type (a trait); c2: the result is bool of their sizes.
    Example: `%r = graph.lt %x, %y : !graph.tensor<[M] x f32>`
  }];
}
def Graph_LeOp : Graph_CompareOp<"le"> {
  let summary = "the comparison a <= b";
  let description = [{
    `result[i] = a <= b` of `a = lhs[i]`, `b = rhs[i]`; false where either is NaN.
    Constraints: c1: the operands have one type (a trait); c2: the result is bool of their sizes.
    Example: `%r = graph.le %x, %y : !graph.tensor<[M] x f32>`
  }];
}
def Graph_GtOp : Graph_CompareOp<"gt"> {
  let summary = "the comparison a > b";
  let description = [{
    `result[i] = a > b` of `a = lhs[i]`, `b = rhs[i]`; false where either is NaN.
    Constraints: c1: the operands have one type (a trait); c2: the result is bool of their sizes.
    Example: `%r = graph.gt %x, %y : !graph.tensor<[M] x f32>`
  }];
}
def Graph_GeOp : Graph_CompareOp<"ge"> {
  let summary = "the comparison a >= b";
  let description = [{
    `result[i] = a >= b` of `a = lhs[i]`, `b = rhs[i]`; false where either is NaN.
    Constraints: c1: the operands have one type (a trait); c2: the result is bool of their sizes.
    Example: `%r = graph.ge %x, %y : !graph.tensor<[M] x f32>`
  }];
}

class Graph_TestOp<string name> : Graph_Op<name, [Pure,
    TypesMatchWith<"c2: the result is bool of the operand's sizes", "input", "result",
                   "::nereid::graph::boolTensorLike($_self)">]> {
  let arguments = (ins Graph_FloatTensor:$input);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
def Graph_IsnanOp : Graph_TestOp<"isnan"> {
  let summary = "whether an element is NaN";
  let description = [{
    `result[i] = x != x` of `x = input[i]`.
    Constraints: c1: the operand holds floats (a trait); c2: the result is bool of its sizes.
    Example: `%r = graph.isnan %x : !graph.tensor<[M] x f32>`
  }];
}
def Graph_IsinfOp : Graph_TestOp<"isinf"> {
  let summary = "whether an element is infinite";
  let description = [{
    `result[i] = |x| == inf` of `x = input[i]`.
    Constraints: c1: the operand holds floats (a trait); c2: the result is bool of its sizes.
    Example: `%r = graph.isinf %x : !graph.tensor<[M] x f32>`
  }];
}

def Graph_WhereOp : Graph_Op<"where", [Pure, AllTypesMatch<["lhs", "rhs", "result"]>,
    TypesMatchWith<"c2: the condition is bool of the operands' sizes", "lhs", "condition",
                   "::nereid::graph::boolTensorLike($_self)">]> {
  let summary = "a choice for each element";
  let description = [{
    `result[i] = condition[i] ? lhs[i] : rhs[i]`. `hides`: elements that are not chosen are hidden. A fold may leave out
    terms that are its neutral element for that alone, and 0 times anything is 0 there, an infinity and a NaN too.
    Constraints: c1: `lhs`, `rhs` and the result have one type (a trait); c2: the condition is bool of their sizes.
    Example: `%r = graph.where %a, %b, %c {hides} : !graph.tensor<[M] x f32>`
  }];
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$lhs, Graph_Tensor:$rhs, UnitAttr:$hides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$condition `,` $lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Graph_CastOp : Graph_Op<"cast", [Pure]> {
  let summary = "conversion to another element type";
  let description = [{
    `result[i] = T(input[i])`: float to integer truncates; to a narrower float rounds to nearest even; anything to
    bool is `x != 0`. `elidable`: the cast is implied by PyTorch's half results, not written by the user, and may be
    dropped.
    Constraints: c1: equal sizes.
    Example: `%r = graph.cast %a : !graph.tensor<[M] x f16> -> !graph.tensor<[M] x f32>`
  }];
  let arguments = (ins Graph_Tensor:$input, UnitAttr:$elidable);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_OrderOp : Graph_Op<"order", [Pure]> {
  let summary = "integers in the order of the elements";
  let description = [{
    `result[i] = k(input[i])` with `k(a) < k(b)` where `a` comes before `b` in a `sort`, and `k(a) = k(b)` where neither
    comes before the other: of a float the bits, those of a negative one turned over but for the sign; 0 of both
    zeros and the greatest integer of NaN; of an unsigned integer its distance from the middle of its range.
    Constraints: c1: equal sizes; c2: the result is i64 for elements of 64 bits, else i32.
    Example: `%r = graph.order %a : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x i32>`
  }];
  let arguments = (ins Graph_NumberTensor:$input);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_CheckIndexOp : Graph_Op<"check_index", [Pure, AllTypesMatch<["index", "size", "result"]>]> {
  let summary = "an index that is data, which has to lie within its axis";
  let description = [{
    `result[i] = index[i]`. A kernel that computes it asserts `0 <= index[i] < size[i]`: `tile.assert`, with the name
    of what takes the index, `what`, in its message. Only conversions with `--debug` have it; no gradient flows through
    it, and nothing is proved by it.
    Constraints: c1: operands and result have one type (a trait); c2: their elements are i64.
    Example: `%r = graph.check_index %a below %n "embedding" : !graph.tensor<[M] x i64>`
  }];
  let arguments = (ins Graph_IntTensor:$index, Graph_IntTensor:$size, StrAttr:$what);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "$index `below` $size $what attr-dict `:` type($index)";
  let hasVerifier = 1;
}

#endif // NEREID_GRAPH_POINTWISE_OPS_TD
