// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fixture that reads expressions and conditions from text, so that tests show them as they are
// printed. What cannot be read fails the test.
#pragma once

#include "index/Printer.h"

#include "gtest/gtest.h"

namespace nereid::index::test {

class ReadExpr : public ::testing::Test {
protected:
  Expr parse(llvm::StringRef text) {
    ParseError error;
    Expr expr = parseExpr(text, context, error);
    EXPECT_TRUE(expr) << text.str() << ": " << error.message;
    return expr;
  }
  Pred condition(llvm::StringRef text) {
    ParseError error;
    Pred pred = parsePred(text, context, error);
    EXPECT_TRUE(pred) << text.str() << ": " << error.message;
    return pred;
  }

  Context context;
};

} // namespace nereid::index::test
