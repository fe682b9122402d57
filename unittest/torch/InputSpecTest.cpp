// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/InputSpec.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::torch;

namespace {

std::string errorOf(std::string text) {
  SourceFile file("--inputs", std::move(text));
  Diagnostics diagnostics;
  if (parseInputSpec(file, diagnostics))
    return "";
  return diagnostics.all().front().message;
}

TEST(InputSpecTest, WholeGrammar) {
  SourceFile file("--inputs", "x=f32[4096, 2*N]@(1,M), n=i64[], alpha=f64, flag=True, y=None, "
                              "xs=(f32[M], bf16[M]), d={a: f32[M], 'b': 2}, idx=i64[B]<1000, "
                              "eps=1e-5, k=-3, mode=\"tanh\"");
  Diagnostics diagnostics;
  auto inputs = parseInputSpec(file, diagnostics);
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 11u);
  const InputSpec &x = (*inputs)[0];
  EXPECT_EQ(x.sizes, (std::vector<std::string>{"4096", "2*N"}));
  EXPECT_EQ(x.strides, (std::vector<std::string>{"1", "M"}));
  EXPECT_EQ((*inputs)[1].kind, InputSpec::Tensor);
  EXPECT_TRUE((*inputs)[1].sizes.empty());
  EXPECT_EQ((*inputs)[2].kind, InputSpec::Scalar);
  EXPECT_EQ((*inputs)[3].integer, 1);
  EXPECT_EQ((*inputs)[4].kind, InputSpec::None);
  EXPECT_EQ((*inputs)[5].items[1].dtype, DType::BF16);
  EXPECT_EQ((*inputs)[6].items[1].key, "b");
  EXPECT_EQ((*inputs)[7].below, 1000);
  EXPECT_EQ((*inputs)[8].number, 1e-5);
  EXPECT_EQ((*inputs)[9].integer, -3);
  EXPECT_EQ((*inputs)[10].text, "tanh");
}

TEST(InputSpecTest, Errors) {
  EXPECT_EQ(errorOf("x"), "expected '=' after 'x', found the end of the text");
  EXPECT_EQ(errorOf("x=f33[4]"), "'f33' is not a type");
  EXPECT_EQ(errorOf("x=f32[4"), "expected a size and ']', found the end of the text");
  EXPECT_EQ(errorOf("x=f32[4]@(1,2)"), "2 strides are given for 1 sizes");
  EXPECT_EQ(errorOf("x=f32[4],x=f32[4]"), "argument 'x' is given twice");
  EXPECT_EQ(errorOf("x=f16"), "a runtime number is f64, i64 or bool, found f16");
  EXPECT_EQ(errorOf("x=f32[4] y=f32[4]"), "expected ',' between arguments, found 'y'");
}

} // namespace
