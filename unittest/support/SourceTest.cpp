// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Source.h"
#include "support/Diagnostic.h"

#include "gtest/gtest.h"

using namespace nereid;

TEST(SourceFile, LinesAndColumnsCountBytes) {
  SourceFile file("a.py", "x\r\n\xc3\xa9 = 1\rlast");
  EXPECT_EQ(file.getLineCount(), 3u);
  EXPECT_EQ(file.getLine(2), "\xc3\xa9 = 1");
  EXPECT_EQ(file.getLine(3), "last");
  LineColumn place = file.getLineColumn(6);
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.column, 3u);
}

TEST(SourceFile, MissingFileHasReason) {
  std::string error;
  EXPECT_EQ(readSourceFile("/nonexistent/file.py", error), nullptr);
  EXPECT_EQ(error, "No such file or directory");
}

TEST(Diagnostic, CaretStandsUnderTheRangeAfterWideText) {
  SourceFile file("k.py", "\xc3\xa9\xc3\xa9 = tl.relu(x)\n");
  Diagnostics diagnostics;
  diagnostics.error({&file, {7, 14}}, "'tl.relu' does not exist", "write 'tl.maximum(x, 0.0)'");
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.print(os, false);
  EXPECT_EQ(text, "k.py:1:8: error: 'tl.relu' does not exist\n"
                  "  1 | \xc3\xa9\xc3\xa9 = tl.relu(x)\n"
                  "    |      ^~~~~~~\n"
                  "  help: write 'tl.maximum(x, 0.0)'\n");
}
