// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/BuildIdentity.h"
#include "support/CacheFolder.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace nereid;
namespace fs = std::filesystem;

namespace {
/// An empty folder for each test.
class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(testing::TempDir()) / ("nereid-" + std::string(test->name()));
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string &name) { return (folder / name).string(); }
  void write(const std::string &name, const std::string &text) {
    std::ofstream(path(name)) << text;
  }

  fs::path folder;
};
} // namespace

TEST_F(CacheTest, KeepsTextsByKey) {
  CacheFolder cache(path("cache"), 1 << 20);
  EXPECT_FALSE(cache.load(digest("a")));
  std::string text("one\0two\n", 8);
  cache.store(digest("a"), text);
  cache.store(digest("b"), "");
  EXPECT_EQ(cache.load(digest("a")), text);
  EXPECT_EQ(cache.load(digest("b")), "");
  cache.store(digest("a"), "three");
  EXPECT_EQ(cache.load(digest("a")), "three");
  EXPECT_FALSE(CacheFolder("", 1 << 20).load(digest("a")));
}

TEST_F(CacheTest, TakesNothingThatIsDamaged) {
  CacheFolder cache(path("cache"), 1 << 20);
  cache.store(digest("a"), "some text");
  fs::path entry = fs::directory_iterator(path("cache"))->path();
  std::ifstream file(entry);
  std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(entry) << whole.substr(0, length);
    EXPECT_FALSE(cache.load(digest("a"))) << length;
    std::string changed = whole;
    changed[length] ^= 4;
    std::ofstream(entry) << changed;
    EXPECT_FALSE(cache.load(digest("a"))) << length;
  }
}

TEST_F(CacheTest, RemovesWhatWasNotUsedForLongest) {
  CacheFolder cache(path("cache"), 1000);
  write("mine", "left alone");
  std::string text(200, 'x');
  for (const char *key : {"a", "b", "c", "d"}) {
    cache.store(digest(key), text);
    for (const auto &entry : fs::directory_iterator(path("cache")))
      fs::last_write_time(entry, fs::last_write_time(entry) - std::chrono::hours(1));
  }
  EXPECT_TRUE(cache.load(digest("a"))); // used now
  cache.store(digest("e"), text);       // more than 1000 bytes
  EXPECT_TRUE(cache.load(digest("a")));
  EXPECT_TRUE(cache.load(digest("e")));
  EXPECT_FALSE(cache.load(digest("b")));
  EXPECT_FALSE(cache.load(digest("c")));
  cache.store(digest("f"), std::string(2000, 'x'));
  EXPECT_FALSE(cache.load(digest("f")));
  EXPECT_TRUE(fs::exists(path("mine")));
}

TEST_F(CacheTest, AnswersHoldUntilOneChanges) {
  write("a.py", "A = 1");
  Answers answers;
  answers.addText(path("a.py"), "A = 1");
  answers.addUnread(path("b.py"), "No such file or directory");
  for (Question question : {Question::File, Question::Folder, Question::Entry, Question::Sources})
    answers.add(question, path("pkg"), ask(question, path("pkg")));
  EXPECT_TRUE(answers.hold());
  write("a.py", "A = 2");
  EXPECT_FALSE(answers.hold());
  write("a.py", "A = 1");
  EXPECT_TRUE(answers.hold());
  write("b.py", "");
  EXPECT_FALSE(answers.hold());
  fs::remove(path("b.py"));
  fs::create_directories(path("pkg"));
  EXPECT_FALSE(answers.hold());
  fs::remove(path("pkg"));
  EXPECT_TRUE(answers.hold());
}

TEST_F(CacheTest, AnswersOfTwoStatesHoldNever) {
  Answers one, other;
  one.add(Question::File, path("a.py"), false);
  other.add(Question::File, path("a.py"), true);
  EXPECT_TRUE(one.agree());
  one.add(other);
  EXPECT_FALSE(one.agree());
  EXPECT_FALSE(one.hold());
}

TEST(BuildIdentityTest, ThereIsOne) { EXPECT_FALSE(getBuildIdentity().empty()); }
