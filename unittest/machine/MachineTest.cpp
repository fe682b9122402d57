// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToyLibrary.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace nereid;
using namespace nereid::machine;

namespace {
class MachineTest : public testing::Test {
protected:
  MachineTest() : toy(machine) { machine.addLibrary(toy); }

  ModuleObject *load(llvm::StringRef text) {
    auto file = std::make_shared<SourceFile>("test.py", text.str());
    module = machine.importSource(file, "test", diagnostics);
    EXPECT_TRUE(module) << firstMessage();
    return module;
  }
  std::string firstMessage() {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  }
  /// The value of an expression, or the error.
  std::string eval(llvm::StringRef expression) {
    Value value = machine.evaluate(expression, module, "test");
    if (value)
      return toy.show(value);
    lastError = machine.takeError();
    return "error: " + lastError.message;
  }
  std::string evalIn(llvm::StringRef text, llvm::StringRef expression) {
    load(text);
    return eval(expression);
  }

  Machine machine;
  ToyLibrary toy;
  Diagnostics diagnostics;
  ModuleObject *module = nullptr;
  Diagnostic lastError;
};
} // namespace

TEST_F(MachineTest, OperatorsOnAbstractValues) {
  load("import toy\nimport math\nx = toy.symbol('x')\n");
  EXPECT_EQ(eval("x + 1"), "(x + 1)");
  EXPECT_EQ(eval("2 * x"), "(2 * x)");
  EXPECT_EQ(eval("-x"), "(-x)");
  EXPECT_EQ(eval("x < 3"), "(x < 3)");
  EXPECT_EQ(eval("x.shape[0](1)"), "x.shape[0]()");
  EXPECT_EQ(eval("'member' in x"), "True");
  EXPECT_EQ(eval("'stranger' not in x"), "True");
  EXPECT_EQ(eval("len(x)"), "len(x)");
  EXPECT_EQ(eval("math.sqrt(x)"), "math.sqrt(x)");
  EXPECT_EQ(eval("max(x, 2)"), "max(x)");
  EXPECT_EQ(eval("int(x)"), "42");
  EXPECT_EQ(eval("f'{x}'"), "'x'");
  EXPECT_EQ(eval("[y for y in toy.symbol('pair')]"), "[pair0, pair1]");
  EXPECT_EQ(eval("isinstance(x, toy.Symbol)"), "True");
  EXPECT_EQ(eval("toy.symbol('a', suffix='b')"), "ab");
  EXPECT_EQ(eval("1 if x else 2"), "select(x, 1, 2)");
  EXPECT_EQ(eval("x and 5"), "select(x, 5, x)");
  EXPECT_EQ(eval("x or 5"), "select(x, x, 5)");
  EXPECT_EQ(eval("1 < x < 3"), "select((1 < x), True, False)");
}

TEST_F(MachineTest, LibraryNamesTheRightSpelling) {
  load("import toy\n");
  EXPECT_EQ(eval("toy.symbl('x')"), "error: AttributeError: module 'toy' has no attribute 'symbl'");
  EXPECT_EQ(lastError.help, "write toy.symbol");
}

TEST_F(MachineTest, BranchMergesLocalsAttributesAndItems) {
  EXPECT_EQ(evalIn(R"(
import toy
class Box: pass
def f(c):
    box = Box()
    box.v = 1
    items = [1, 2]
    table = {'k': 1}
    a = 0
    if c:
        a = 1
        box.v = 2
        items[1] = 5
        table['k'] = 7
    else:
        a = 3
        box.w = 4
    return a, box.v, items, table
)",
                   "f(toy.symbol('c'))"),
            "(select(c, 1, 3), select(c, 2, 1), [1, select(c, 5, 2)], {'k': select(c, 7, 1)})");
  EXPECT_EQ(toy.log, (std::vector<std::string>{"a", "box.v", "items[1]", "table['k']"}));
}

TEST_F(MachineTest, NestedBranchesAndClosures) {
  EXPECT_EQ(evalIn(R"(
import toy
def f(c, d):
    n = 0
    def bump():
        nonlocal n
        n = n + 1
    if c:
        bump()
        if d:
            bump()
    return n
)",
                   "f(toy.symbol('c'), toy.symbol('d'))"),
            "select(c, select(d, 2, 1), 0)");
}

TEST_F(MachineTest, ListAppendInsideBranchAndLoop) {
  load(R"(
import toy
def f(c):
    outs = [0]
    if c:
        outs.append(1)
    return outs
def g(n):
    outs = []
    h = 1
    for i in n:
        h = h + i
        outs.append(h)
    else:
        h = h * 2
    return outs, h
def w(x):
    while x:
        x = x - 1
    return x
)");
  EXPECT_EQ(eval("f(toy.symbol('c'))"), "[0, 1]");
  EXPECT_EQ(eval("g(toy.symbol('n'))"), "([stack((1 + i))], (loop((1 + i)) * 2))");
  EXPECT_EQ(toy.log.back(), "loop over n assigns i h");
  EXPECT_EQ(eval("w(toy.symbol('x'))"), "loop((x - 1))");
}

TEST_F(MachineTest, ContinuationRunsTheRestOfTheFunction) {
  toy.policy = ToyLibrary::Policy::RunToEnd;
  load(R"(
import toy
log = []
class Manager:
    def __enter__(self): return self
    def __exit__(self, *a): log.append('exit')
def f(c):
    total = 0
    for i in range(3):
        with Manager():
            if i == 1:
                if c:
                    return ('early', i)
                total += 10
            total += i
    return total
def g(c):
    try:
        if c:
            raise ValueError('a')
        x = 'none'
    except ValueError:
        x = 'caught'
    return x + '!'
)");
  EXPECT_EQ(eval("f(toy.symbol('c'))"), "select(c, ('early', 1), 13)");
  EXPECT_EQ(eval("g(toy.symbol('c'))"), "select(c, 'caught!', 'none!')");
}

TEST_F(MachineTest, UndoTakesEverythingBack) {
  load("import toy\nl = [3, 1]\nd = {'a': 1}\ns = {1}\nit = iter([1, 2, 3])\n");
  std::string before = eval("l, d, s");
  machine.session([&] {
    Journal journal(machine);
    EXPECT_NE(eval("l.sort(), l.append(9), d.update(b=2), d.pop('a'), s.add(2), next(it)"), "");
    EXPECT_NE(eval("l, d, s"), before);
    {
      Journal inner(machine);
      eval("l.clear()");
      inner.commit();
    }
    EXPECT_FALSE(journal.changes().empty());
    EXPECT_TRUE(journal.undo());
  });
  EXPECT_EQ(eval("l, d, s"), before);
  EXPECT_EQ(eval("next(it)"), "1");
}

TEST_F(MachineTest, StartedGeneratorCannotBeUndone) {
  load("def g():\n    yield 1\n    yield 2\nit = g()\nnext(it)\n");
  machine.session([&] {
    Journal journal(machine);
    eval("next(it)");
    EXPECT_FALSE(journal.undo());
    EXPECT_TRUE(machine.pendingRefusal());
    machine.takeError();
  });
}

TEST_F(MachineTest, RefusedBranchHasPlaceAndStack) {
  toy.policy = ToyLibrary::Policy::Refuse;
  load("import toy\ndef inner(c):\n    if c:\n        return 1\ndef f(c):\n    return inner(c)\n");
  EXPECT_EQ(eval("f(toy.symbol('c'))"), "error: the truth of a 'Symbol' is not known here");
  ASSERT_TRUE(lastError.location.file);
  EXPECT_EQ(lastError.location.file->getLineColumn(lastError.location.range.begin).line, 3u);
  EXPECT_EQ(lastError.notes.size(), 2u);
  EXPECT_EQ(eval("[f for f in [1]]"), "[1]") << "the machine goes on after a refusal";
}

TEST_F(MachineTest, RefusalsAreNotCaught) {
  EXPECT_EQ(
      evalIn("def f():\n    try:\n        open('x')\n    except BaseException:\n        return 1\n"
             "    finally:\n        return 2\n",
             "f()")
          .substr(0, 30),
      "error: open() is not available");
}

TEST_F(MachineTest, ClassesOfALibrary) {
  load("import toy\nclass User(toy.Base):\n    def __init__(self): self.x = 1\nu = User()\n");
  EXPECT_EQ(eval("u.x"), "1");
  EXPECT_EQ(eval("u.fallback"), "'from the library'");
  EXPECT_EQ(eval("u.nope"), "error: AttributeError: 'User' object has no attribute 'nope'");
  EXPECT_EQ(toy.log, (std::vector<std::string>{"class User", "create User", "set x"}));
}

TEST_F(MachineTest, PolicyFrames) {
  load("import toy\nN = 5\n@toy.mark\ndef kernel(a):\n    b = 3\n    return b + a\n"
       "@toy.mark\ndef bad():\n    return N\n@toy.mark\ndef worse():\n    with 1: pass\n");
  EXPECT_EQ(eval("kernel(2)"), "returned (decayed 3 + 2)");
  EXPECT_EQ(eval("bad()"), "error: the global 'N' is read in a kernel");
  EXPECT_EQ(eval("worse()"), "error: 'with' in a kernel");
}

TEST_F(MachineTest, FailedTopLevelStatementPoisonsItsNames) {
  load("x = 1 / 0\ny = 2\nimport nowhere.at.all as far\nz = far.thing\ncalled = far.thing(3)\n"
       "if __name__ == '__main__':\n    y = 3\n");
  EXPECT_EQ(machine.getImportErrors().size(), 2u);
  EXPECT_EQ(eval("y"), "2");
  EXPECT_EQ(eval("x"), "error: ZeroDivisionError: division by zero");
  EXPECT_EQ(eval("z() or 1").substr(0, 40), "error: 'nowhere.at.all.thing' is called,");
  EXPECT_EQ(eval("called").substr(0, 40), "error: 'nowhere.at.all.thing' is called,");
}

TEST_F(MachineTest, OneMissingNameDoesNotHideTheOthers) {
  load("from math import absent, sqrt\n");
  EXPECT_EQ(eval("sqrt(4)"), "2.0");
  EXPECT_EQ(eval("absent"), "error: ImportError: cannot import name 'absent' from 'math'");
}

TEST_F(MachineTest, BudgetsEnd) {
  load("def forever():\n    while True: pass\ndef deep(n): return deep(n + 1)\n"
       "def big(): return [0] * 10 ** 12\ndef number(): return 2 ** 10 ** 9\n"
       "def text(): return 'ab' * 10 ** 11\ndef g(): yield from g()\n");
  EXPECT_EQ(eval("deep(0)").substr(0, 28), "error: calls are nested more");
  EXPECT_EQ(eval("big()").substr(0, 26), "error: a value would have ");
  EXPECT_EQ(eval("text()").substr(0, 26), "error: a value would have ");
  EXPECT_EQ(eval("number()").substr(0, 28), "error: an integer would have");
  EXPECT_EQ(eval("list(g())").substr(0, 22), "error: calls are neste");
  EXPECT_EQ(eval("forever()").substr(0, 28), "error: evaluation takes more");
}

TEST_F(MachineTest, BudgetsEndWithinTheStandardLibrary) {
  for (bool bySteps : {true, false}) {
    for (unsigned budget = 1; budget < 60; ++budget) {
      Limits limits;
      if (bySteps)
        limits.steps = 97 * budget;
      else
        limits.depth = budget;
      Machine small(limits);
      auto file = std::make_shared<SourceFile>(
          "test.py", "def deep(n):\n    if n: return deep(n - 1)\n"
                     "    import typing, dataclasses, enum, re, contextlib, itertools\n"
                     "    return re.sub('a', 'b', 'aa')\nx = deep(20)\n");
      Diagnostics said;
      small.importSource(file, "test", said);
    }
  }
}

TEST_F(MachineTest, ImportsBetweenFilesAndPackages) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("machine", folder));
  auto write = [&](const char *name, const char *text) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    std::ofstream(path.c_str()) << text;
    return path.str().str();
  };
  write("helper.py",
        "from pkg import NAME\nfrom pkg.sub.deep import up\ndef f(): return NAME + up()\n");
  write("pkg/__init__.py", "NAME = 'pkg'\nfrom .first import A\nfrom . import second\n");
  write("pkg/first.py", "from . import second\nclass A: v = 'A'\ndef late(): return second.B\n");
  write("pkg/second.py", "from pkg import first\nB = 'B'\ndef use(): return first.A.v\n");
  write("pkg/sub/__init__.py", "");
  write("pkg/sub/deep.py", "from ...pkg.first import A as Alias\nfrom ..second import *\n"
                           "def up(): return Alias.v + B\n");
  write("broken.py", "def f(:\n");
  std::string main =
      write("main.py", "import helper, pkg.second\nfrom pkg.first import late\n"
                       "try:\n    from pkg import absent\nexcept ImportError as e:\n"
                       "    why = str(e)\n"
                       "r = helper.f() + late() + pkg.second.use()\nimport broken\n");
  module = machine.importFile(main, diagnostics);
  ASSERT_TRUE(module) << firstMessage();
  EXPECT_EQ(eval("r"), "'pkgABBA'");
  EXPECT_EQ(eval("why"), "\"cannot import name 'absent' from 'pkg'\"");
  ASSERT_EQ(machine.getImportErrors().size(), 1u);
  EXPECT_TRUE(llvm::StringRef(machine.getImportErrors()[0].diagnostic.location.file->getName())
                  .ends_with("broken.py"));
  std::string deep = (folder + "/pkg/sub/deep.py").str();
  Machine second;
  module = second.importFile(deep, diagnostics);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->name, "pkg.sub.deep");
  EXPECT_EQ(llvm::cast<StrObject>(second.evaluate("up()", module, "test"))->text, "AB");
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(MachineTest, ImportingHasNoSideEffects) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("machine", folder));
  std::string mark = (folder + "/touched").str();
  load("P = '" + mark + "'\n" +
       "open(P, 'w').write('x')\n"
       "import os, sys, subprocess, socket, pathlib, shutil, ctypes, urllib.request, importlib\n"
       "os.system('touch ' + P)\nsubprocess.run(['touch', P])\npathlib.Path(P).touch()\n"
       "with open(P, 'w') as f: f.write('x')\nexec(\"open(P, 'w')\")\neval(\"open(P, 'w')\")\n"
       "__import__('os').system('touch ' + P)\nsocket.create_connection(('localhost', 1))\n"
       "os.makedirs(P)\nshutil.copy(__file__, P)\nctypes.CDLL('libc.so.6').creat(P, 0)\n"
       "urllib.request.urlopen('http://localhost')\nimportlib.import_module('os').mkdir(P)\n"
       "getattr(os, 'mkdir')(P)\nprint('hello', file=open(P, 'w'))\n"
       "@os.register_at_fork\ndef f(): pass\nclass C(ctypes.Structure): pass\nok = 1\n");
  EXPECT_FALSE(llvm::sys::fs::exists(mark));
  EXPECT_EQ(eval("ok"), "1");
  EXPECT_GE(machine.getImportErrors().size(), 16u);
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(MachineTest, PreludeOfALibrary) {
  auto file = std::make_shared<SourceFile>("<prelude>", "def twice(x): return plus(x, x)\n");
  BuiltinObject *plus = machine.makeBuiltin("plus", "(a, b)", [](Machine &m, auto args) {
    return m.binary(BinaryOperator::Add, args[0], args[1]);
  });
  module = machine.importSource(file, "prelude", diagnostics, &toy, {{"plus", plus}});
  ASSERT_TRUE(module);
  EXPECT_EQ(eval("twice(4)"), "8");
  EXPECT_EQ(eval("plus(1)"), "error: TypeError: plus() missing required argument 'b' (pos 2)");
}

TEST_F(MachineTest, AsyncAndMetaclassesAreRefusedByName) {
  load("async def f(): pass\nclass M(type): pass\nclass A(metaclass=M): pass\n");
  EXPECT_EQ(eval("f()"), "error: the async function f is called");
  EXPECT_EQ(eval("A"), "error: the metaclass of class 'A' is not supported");
}
