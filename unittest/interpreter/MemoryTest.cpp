// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory operators, atomics, and what checked mode finds.
#include "Interpret.h"

#include "gtest/gtest.h"

using namespace nereid::interpreter;

namespace {

RunOptions checked() {
  RunOptions options;
  options.checked = true;
  return options;
}

std::string text(const KernelRun &run) {
  std::string out;
  llvm::raw_string_ostream os(out);
  for (const Finding &finding : run.findings)
    print(finding, os);
  return out;
}

/// y[i] = x[i] + 1 over programs of 4 lanes; the mask and `other` as given.
std::string increment(const std::string &load, const std::string &store) {
  return R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id 0
  %base = arith.muli %pid, %c4 : i32
  %r = tile.range 0 : tensor<4xi32>
  %bs = tile.splat %base : i32 -> tensor<4xi32>
  %o = arith.addi %bs, %r : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %v = tile.load %xp )" +
         load + R"( : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %w = arith.addf %v, %one : tensor<4xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %o : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %yp, %w )" +
         store + R"( : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
})";
}

const char *masked = "mask %m : tensor<4xi1>";

TEST(Memory, MaskedTail) {
  Module module(increment(masked, masked));
  Tensor x = module.tensor("x", "f32", {6}, {0, 1, 2, 3, 4, 5});
  for (bool check : {false, true}) {
    Tensor y = module.tensor("y", "f32", {6}, {9, 9, 9, 9, 9, 9});
    RunOptions options;
    options.checked = check;
    KernelRun run = module.run("k", {x, y, int64_t(6)}, {2}, options);
    EXPECT_EQ(text(run), "");
    expectNumbers(y.toNumbers(), {1, 2, 3, 4, 5, 6});
  }
}

TEST(Memory, OutOfBoundsNamesTensorElementLaneAndLine) {
  Module module(increment("", masked));
  Tensor x = module.tensor("x", "f32", {6}, {0, 1, 2, 3, 4, 5});
  Tensor y = module.tensor("y", "f32", {6}, {9, 9, 9, 9, 9, 9});
  KernelRun run = module.run("k", {x, y, int64_t(6)}, {2});
  EXPECT_EQ(text(run),
            "kernel.mlir:14:8: out of bounds: program (1, 0, 0): reads element 6 of 'x', "
            "which has 6 elements, lane [2]\n");
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].allocation, "x");
  EXPECT_EQ(run.findings[0].element, 6);
  EXPECT_EQ(run.findings[0].lane, 2);
}

TEST(Memory, UndefinedLaneStored) {
  // y has room for all lanes, so that only the undefined lanes of the load are wrong.
  Module module(increment(masked, ""));
  Tensor x = module.tensor("x", "f32", {6}, {0, 1, 2, 3, 4, 5});
  Tensor y = module.tensor("y", "f32", {8}, {9, 9, 9, 9, 9, 9, 9, 9});
  EXPECT_EQ(text(module.run("k", {x, y, int64_t(6)}, {2})), "");
  expectNumbers(y.toNumbers(), {1, 2, 3, 4, 5, 6, 1, 1});
  EXPECT_EQ(text(module.run("k", {x, y, int64_t(6)}, {2}, checked())),
            "kernel.mlir:18:3: undefined value: program (1, 0, 0): stores an undefined value, made "
            "by 'tile.load' at kernel.mlir:14, lane [2]\n");
}

TEST(Memory, UndefinedMemoryRead) {
  Module module(increment(masked, masked));
  Tensor x = makeEmpty("x", module.type("f32"), {6}, {1}, true);
  Tensor y = module.tensor("y", "f32", {6}, {9, 9, 9, 9, 9, 9});
  KernelRun run = module.run("k", {x, y, int64_t(6)}, {2}, checked());
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].kind, FindingKind::Undefined);
}

TEST(Memory, RaceIsFound) {
  Module module(R"(
func.func @k(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  tile.store %y, %pid : !tile.ptr<i32>, i32
  return
})");
  Tensor y = module.tensor("y", "i32", {1}, {0});
  EXPECT_EQ(text(module.run("k", {y}, {2})), "");
  EXPECT_EQ(text(module.run("k", {y}, {2}, checked())),
            "kernel.mlir:4:3: race: program (1, 0, 0): writes element 0 of 'y', which program "
            "(0, 0, 0) wrote too\n");
}

TEST(Memory, OverflowOnAnAddressPath) {
  Module module(R"(
func.func @k(%x: !tile.ptr<f32>, %n: i32, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %w = arith.muli %n, %n : i32
  tile.store %y, %w : !tile.ptr<i32>, i32
  %zero = arith.constant 0 : i32
  %o = arith.muli %w, %zero : i32
  %p = tile.addptr %x, %o : !tile.ptr<f32>, i32
  %v = tile.load %p : !tile.ptr<f32> -> f32
  tile.store %p, %v : !tile.ptr<f32>, f32
  return
})");
  Tensor x = module.tensor("x", "f32", {1}, {0}), y = module.tensor("y", "i32", {1}, {0});
  EXPECT_EQ(text(module.run("k", {x, int64_t(3), y}, {1}, checked())), "");
  KernelRun run = module.run("k", {x, int64_t(1) << 20, y}, {1}, checked());
  ASSERT_EQ(run.findings.size(), 2u);
  EXPECT_EQ(run.findings[0].message,
            "program (0, 0, 0): the address of a load comes from an int32 overflow, made by "
            "'arith.muli' at kernel.mlir:3");
}

TEST(Memory, UndefinedLaneFolded) {
  auto kernel = [](const std::string &other) {
    return R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0 : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %v = tile.load %xp mask %m : tensor<4xi1> )" +
           other + R"( : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %s = tile.reduce 0(%v) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  } : tensor<4xf32> -> f32
  tile.store %y, %s : !tile.ptr<f32>, f32
  return
})";
  };
  Module good(kernel("other %z : tensor<4xf32>")), bad(kernel(""));
  Tensor x = good.tensor("x", "f32", {3}, {1, 2, 3}), y = good.tensor("y", "f32", {1}, {0});
  EXPECT_EQ(text(good.run("k", {x, y, int64_t(3)}, {1}, checked())), "");
  expectNumbers(y.toNumbers(), {6});
  Tensor bx = bad.tensor("x", "f32", {3}, {1, 2, 3}), by = bad.tensor("y", "f32", {1}, {0});
  KernelRun run = bad.run("k", {bx, by, int64_t(3)}, {1}, checked());
  ASSERT_EQ(run.findings.size(), 2u);
  EXPECT_EQ(run.findings[0].message, "program (0, 0, 0): folds an undefined value, made by "
                                     "'tile.load' at kernel.mlir:9, lane [3]");
}

// `i < n and x[i] > 0` as a mask: where i >= n the second part is undefined and does not matter.
TEST(Memory, DecidedMaskIsDefined) {
  auto kernel = [](const std::string &mask) {
    return R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0 : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %v = tile.load %xp mask %m : tensor<4xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %positive = arith.cmpf ogt, %v, %z : tensor<4xf32>
  %both = arith.andi %m, %positive : tensor<4xi1>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %yp, %v mask )" +
           mask + R"( : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
})";
  };
  Module good(kernel("%both")), bad(kernel("%positive"));
  Tensor x = good.tensor("x", "f32", {3}, {1, -2, 3}), y = good.tensor("y", "f32", {3}, {0, 0, 0});
  EXPECT_EQ(text(good.run("k", {x, y, int64_t(3)}, {1}, checked())), "");
  expectNumbers(y.toNumbers(), {1, 0, 3});
  Tensor bx = bad.tensor("x", "f32", {3}, {1, -2, 3}), by = bad.tensor("y", "f32", {3}, {0, 0, 0});
  KernelRun run = bad.run("k", {bx, by, int64_t(3)}, {1}, checked());
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].message,
            "program (0, 0, 0): the mask of a store is an undefined value, "
            "made by 'tile.load' at kernel.mlir:9, lane [3]");
}

TEST(Memory, PointersAsNumbers) {
  Module module(R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %a = tile.ptr_to_int %x : !tile.ptr<f32> -> i64
  %c4 = arith.constant 4 : i64
  %b = arith.addi %a, %c4 : i64
  %p = tile.int_to_ptr %b : i64 -> !tile.ptr<f32>
  %q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
  %v = tile.load %q : !tile.ptr<i32> -> i32
  tile.store %y, %v : !tile.ptr<i32>, i32
  return
})");
  Tensor x = module.tensor("x", "f32", {2}, {0, 1}), y = module.tensor("y", "i32", {1}, {0});
  EXPECT_EQ(text(module.run("k", {x, y})), "");
  expectNumbers(y.toNumbers(), {1065353216});
}

TEST(Atomic, Kinds) {
  auto rmw = [](const std::string &kind, const std::string &element, double old, double value) {
    std::string pointer = "!tile.ptr<" + element + ">";
    Module module("func.func @k(%p: " + pointer + ", %v: " + element + ", %o: " + pointer +
                  ") attributes {tile.kernel} {\n%r = tile.atomic_rmw " + kind +
                  " %p, %v : " + pointer + ", " + element + " -> " + element +
                  "\ntile.store %o, %r : " + pointer + ", " + element + "\nreturn\n}");
    Tensor p = module.tensor("p", element, {1}, {old}), o = module.tensor("o", element, {1}, {0});
    HostValue number =
        element[0] == 'i' ? HostValue(static_cast<int64_t>(value)) : HostValue(value);
    EXPECT_EQ(text(module.run("k", {p, number, o})), "");
    EXPECT_EQ(o.get(0), old);
    return p.get(0);
  };
  EXPECT_EQ(rmw("add", "i32", 40, 2), 42);
  EXPECT_EQ(rmw("and", "i32", 12, 10), 8);
  EXPECT_EQ(rmw("or", "i32", 12, 10), 14);
  EXPECT_EQ(rmw("xor", "i64", 12, 10), 6);
  EXPECT_EQ(rmw("max", "i32", -1, 2), 2);
  EXPECT_EQ(rmw("min", "i32", -1, 2), -1);
  EXPECT_EQ(rmw("umax", "i32", -1, 2), -1);
  EXPECT_EQ(rmw("umin", "i32", -1, 2), 2);
  EXPECT_EQ(rmw("xchg", "f32", 1.5, 2.5), 2.5);
  EXPECT_EQ(rmw("fadd", "f32", 1.5, 2.5), 4);
  EXPECT_EQ(rmw("fadd", "f16", 2048, 1), 2048);
  EXPECT_EQ(rmw("fmax", "f32", 1.5, 2.5), 2.5);
  EXPECT_EQ(rmw("fmin", "f64", 1.5, 2.5), 1.5);
}

TEST(Atomic, LanesInOrderAndMasked) {
  Module module(R"(
func.func @k(%p: !tile.ptr<i32>, %o: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range 0 : tensor<4xi32>
  %three = arith.constant dense<3> : tensor<4xi32>
  %m = arith.cmpi ne, %r, %three : tensor<4xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %ps, %r mask %m : tensor<4xi1> : tensor<4x!tile.ptr<i32>>, tensor<4xi32> -> tensor<4xi32>
  %os = tile.splat %o : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %op = tile.addptr %os, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %op, %old mask %m : tensor<4xi1> : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  return
})");
  Tensor p = module.tensor("p", "i32", {1}, {10}), o = module.tensor("o", "i32", {4}, {7, 7, 7, 7});
  EXPECT_EQ(text(module.run("k", {p, o}, {1}, checked())), "");
  expectNumbers(p.toNumbers(), {13});
  expectNumbers(o.toNumbers(), {10, 10, 11, 7});
}

/// Each program waits until `turn` is its number, adds to `sum` without an atomic, and passes on:
/// started in the wrong order every one of them must give way.
TEST(Atomic, ProgramsWaitForOneAnother) {
  Module module(R"(
func.func @k(%turn: !tile.ptr<i32>, %sum: !tile.ptr<i32>) attributes {tile.kernel} {
  %n = tile.num_programs 0
  %pid = tile.program_id 0
  %one = arith.constant 1 : i32
  %last = arith.subi %n, %one : i32
  %mine = arith.subi %last, %pid : i32
  scf.while : () -> () {
    %seen = tile.atomic_cas %turn, %mine, %mine : !tile.ptr<i32>, i32 -> i32
    %wait = arith.cmpi ne, %seen, %mine : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %old = tile.load %sum : !tile.ptr<i32> -> i32
  %two = arith.muli %old, %n : i32
  %new = arith.addi %two, %pid : i32
  tile.store %sum, %new : !tile.ptr<i32>, i32
  %next = arith.addi %mine, %one : i32
  %was = tile.atomic_rmw xchg %turn, %next : !tile.ptr<i32>, i32 -> i32
  return
})");
  for (uint64_t seed : {0, 1, 2}) {
    RunOptions options = checked();
    options.seed = seed;
    Tensor turn = module.tensor("turn", "i32", {1}, {0}),
           sum = module.tensor("sum", "i32", {1}, {0});
    EXPECT_EQ(text(module.run("k", {turn, sum}, {4}, options)), "");
    // Programs 3, 2, 1, 0 in turn, in base 4.
    expectNumbers(sum.toNumbers(), {3 * 64 + 2 * 16 + 1 * 4 + 0});
    Tensor turns = module.tensor("turn", "i32", {1}, {0}),
           big = module.tensor("sum", "i32", {1}, {0});
    EXPECT_EQ(text(module.run("k", {turns, big}, {300}, options)), "");
    expectNumbers(turns.toNumbers(), {300});
  }
}

TEST(Atomic, DeadlockIsReported) {
  Module module(R"(
func.func @k(%lock: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %seen = tile.atomic_cas %lock, %zero, %one : !tile.ptr<i32>, i32 -> i32
    %wait = arith.cmpi ne, %seen, %zero : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
})");
  Tensor lock = module.tensor("lock", "i32", {1}, {0});
  KernelRun run = module.run("k", {lock}, {3});
  EXPECT_EQ(text(run), "kernel.mlir:6:13: no progress: program (1, 0, 0): 2 programs wait for one "
                       "another\n");
}

} // namespace
