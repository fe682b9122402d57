// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Toml.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace nereid;

static std::vector<TomlEntry> parse(const std::string &text) {
  SourceFile file("f.toml", text);
  Diagnostics diagnostics;
  std::optional<std::vector<TomlEntry>> entries = parseToml(file, diagnostics);
  EXPECT_TRUE(entries) << text;
  return entries ? *entries : std::vector<TomlEntry>();
}

static std::string errorOf(const std::string &text) {
  SourceFile file("f.toml", text);
  Diagnostics diagnostics;
  EXPECT_FALSE(parseToml(file, diagnostics)) << text;
  if (diagnostics.all().size() != 1)
    return "";
  const Diagnostic &error = diagnostics.all().front();
  LineColumn at = file.getLineColumn(error.location.range.begin);
  return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + error.message;
}

TEST(Toml, KeysHaveThePathOfTheirTables) {
  auto entries = parse("a = 1\nb.'c d'.\"e\" = 2\n[x . y]\nz = 3\n[[l]]\nm = 4\n");
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(llvm::join(entries[1].path, "|"), "b|c d|e");
  EXPECT_EQ(llvm::join(entries[2].path, "|"), "x|y|z");
  EXPECT_EQ(llvm::join(entries[3].path, "|"), "l|m");
  EXPECT_EQ(entries[2].value.integer, 3);
}

TEST(Toml, StringsOfAllKinds) {
  auto entries = parse(
      "a = \"x\\n\\u00e9\\\"\"\nb = 'C:\\new'\nc = \"\"\"\nl\\\n   m\"\"\"\"\nd = '''\n''x'''\n");
  EXPECT_EQ(entries[0].value.text, "x\n\u00e9\"");
  EXPECT_EQ(entries[1].value.text, "C:\\new");
  EXPECT_EQ(entries[2].value.text, "lm\"");
  EXPECT_EQ(entries[3].value.text, "''x");
}

TEST(Toml, NumbersBooleansAndDates) {
  auto entries = parse("a = +1_000\nb = -2.5e3\nc = true\nd = 1979-05-27T07:32:00Z\ne = {f = [1]}\n"
                       "f = 1979-05-27 07:32:00\n");
  EXPECT_EQ(entries[0].value.integer, 1000);
  EXPECT_EQ(entries[1].value.number, -2500);
  EXPECT_EQ(entries[1].value.kind, TomlValue::Float);
  EXPECT_EQ(entries[2].value.kind, TomlValue::Boolean);
  EXPECT_EQ(entries[3].value.kind, TomlValue::Other);
  EXPECT_EQ(entries[4].value.kind, TomlValue::Other);
  EXPECT_EQ(entries[5].value.text, "1979-05-27 07:32:00");
}

TEST(Toml, ArraysGoOverLines) {
  auto entries = parse("a = [ # first\n 'b', [1, 2],\n # last\n]\r\n");
  ASSERT_EQ(entries[0].value.items.size(), 2u);
  EXPECT_EQ(entries[0].value.items[1].items[1].integer, 2);
}

TEST(Toml, ErrorsHaveTheirPlace) {
  EXPECT_EQ(errorOf("a = \n"), "1:4 expected a value here");
  EXPECT_EQ(errorOf("a = b\n"), "1:4 expected a value here: strings stand in quotes");
  EXPECT_EQ(errorOf("a = 'b\n"), "1:6 the string does not end in its line");
  EXPECT_EQ(errorOf("a = [1\nb = 2"), "2:0 expected ',' or ']' here");
  EXPECT_EQ(errorOf("a 1\n"), "1:2 expected '=' here");
  EXPECT_EQ(errorOf("[a\n"), "1:2 expected ']' here");
  EXPECT_EQ(errorOf("a = 1 2\n"), "1:6 expected the end of the line here");
  EXPECT_EQ(errorOf("a = \"\\q\"\n"), "1:6 no such escape in a string");
}
