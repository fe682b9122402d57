// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds whose operands are not stored give the bits of those whose operands are: the same random
// program returns its fold alone, and with all values that it is made of.
#include "graph/FoldedValues.h"
#include "graph/GraphEvaluator.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <limits>
#include <random>

using namespace nereid::graph;
using llvm::SmallVector;
using llvm::Twine;

namespace {

using Sizes = SmallVector<int64_t, 4>;

struct Named {
  std::string name;
  Sizes sizes;
  std::string element;

  std::string type() const {
    std::string text = "!graph.tensor<[";
    for (auto [axis, size] : llvm::enumerate(sizes))
      text += (axis ? ", " : "") + std::to_string(size);
    return text + "] x " + element + ">";
  }
};

/// Writes a program: a fold of maps of views of inputs.
class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : engine(seed) {
    Sizes sizes = {any({0, 1, 2, 3}), any({1, 2, 5}), any({1, 3, 4, 70})};
    Named operand = map(sizes, pick(4));
    if (pick(4) == 0)
      operand = write("graph.reshape " + operand.name, {sizes[0] * sizes[1], sizes[2]}, operand,
                      " : " + operand.type() + " -> ");
    bool isReal = operand.element != "i64";
    std::string kind = any<std::string>({"sum", "sum", "sum", "prod", "max", "min"});
    Sizes kept;
    SmallVector<std::string> dims;
    for (auto [axis, size] : llvm::enumerate(operand.sizes))
      if (pick(2))
        dims.push_back(std::to_string(axis));
      else
        kept.push_back(size);
    if (!isReal && kind == "prod")
      kind = "sum";
    fold = write("graph.fold " + kind + " " + operand.name + " [" + llvm::join(dims, ", ") + "]",
                 kept, operand, " : " + operand.type() + " -> ");
  }

  std::string text(bool returnsAll) const {
    SmallVector<std::string> arguments, returned = {fold.name}, types = {fold.type()};
    for (const Named &input : inputs)
      arguments.push_back(input.name + ": " + input.type() + " {graph.name = \"" +
                          input.name.substr(1) + "\"}");
    for (const Named &value : values)
      if (returnsAll && value.name != fold.name) {
        returned.push_back(value.name);
        types.push_back(value.type());
      }
    return "func.func @f(" + llvm::join(arguments, ", ") + ") -> (" + llvm::join(types, ", ") +
           ") attributes {graph.program, graph.result = \"{0}\"} {\n" + body + "return " +
           llvm::join(returned, ", ") + " : " + llvm::join(types, ", ") + "\n}";
  }

  std::mt19937_64 engine;
  std::vector<Named> inputs, values;
  Named fold;

private:
  unsigned pick(unsigned count) { return engine() % count; }
  template <typename Item> Item any(std::initializer_list<Item> items) {
    return *(items.begin() + pick(items.size()));
  }
  int64_t any(std::initializer_list<int64_t> items) { return any<int64_t>(items); }

  /// An operator whose result has an element type of its own after `arrow`, or the operand's.
  Named write(const Twine &text, Sizes sizes, const Named &like, const Twine &arrow = "") {
    Named result{"%v" + std::to_string(values.size()), std::move(sizes), like.element};
    std::string types = arrow.isTriviallyEmpty() ? " : " : arrow.str();
    body += result.name + " = " + text.str() + types + result.type() + "\n";
    values.push_back(result);
    return result;
  }

  Named input(const Sizes &sizes, llvm::StringRef element) {
    inputs.push_back({"%x" + std::to_string(inputs.size()), sizes, element.str()});
    return inputs.back();
  }

  /// A tensor of these sizes by way of a view.
  Named view(const Sizes &sizes) {
    unsigned axis = pick(sizes.size());
    Sizes from = sizes;
    auto into = [&](const Named &x) { return " : " + x.type() + " -> "; };
    switch (pick(7)) {
    case 0: {
      from.erase(from.begin() + axis);
      Named x = map(from, 1);
      SmallVector<std::string> dims;
      for (unsigned other = 0; other < sizes.size(); ++other)
        if (other != axis)
          dims.push_back(std::to_string(other));
      return write("graph.broadcast " + x.name + " [" + llvm::join(dims, ", ") + "]", sizes, x,
                   into(x));
    }
    case 1: {
      std::swap(from[0], from.back());
      SmallVector<std::string> order;
      for (unsigned other = 0; other < sizes.size(); ++other)
        order.push_back(std::to_string(other == 0                  ? sizes.size() - 1
                                       : other == sizes.size() - 1 ? 0
                                                                   : other));
      Named x = map(from, 1);
      return write("graph.transpose " + x.name + " [" + llvm::join(order, ", ") + "]", sizes, x,
                   into(x));
    }
    case 2: {
      from[axis] = from[axis] * 2 + 1;
      Named x = map(from, 1);
      return write("graph.slice " + x.name + " dim " + std::to_string(axis) + " start <1> step 2",
                   sizes, x, into(x));
    }
    case 3: {
      Named x = map(sizes, 1);
      return write("graph.flip " + x.name + " [" + std::to_string(axis) + "]", sizes, x);
    }
    case 4: {
      if (axis + 1 == sizes.size() || sizes[axis] == 0)
        return input(sizes, "f32");
      from.erase(from.begin() + axis + 1);
      from[axis] = (sizes[axis] - 1) * 2 + sizes[axis + 1];
      Named x = map(from, 1);
      return write("graph.window " + x.name + " dim " + std::to_string(axis) + " step 2", sizes, x,
                   into(x));
    }
    case 5: {
      if (axis + 1 == sizes.size())
        return input(sizes, "f32");
      from.erase(from.begin() + axis);
      from[axis] *= sizes[axis];
      Named x = map(from, 1);
      return write("graph.reshape " + x.name, sizes, x, into(x));
    }
    default: {
      Named number = write("graph.iota " + std::to_string(axis), sizes, {"", {}, "i64"}, " -> ");
      return write("graph.cast " + number.name, sizes, {"", {}, "f32"}, into(number));
    }
    }
  }

  Named map(const Sizes &sizes, unsigned depth) {
    if (depth == 0 || sizes.empty())
      return pick(2) && !sizes.empty() ? view(sizes) : input(sizes, "f32");
    Named a = map(sizes, depth - 1), b = pick(5) ? map(sizes, depth - 1) : a;
    switch (pick(6)) {
    case 0: {
      Named half = write("graph.cast " + a.name + (pick(2) ? " {elidable}" : ""), sizes,
                         {"", {}, "bf16"}, " : " + a.type() + " -> ");
      return write("graph.cast " + half.name, sizes, a, " : " + half.type() + " -> ");
    }
    case 1: {
      Named test{"%v" + std::to_string(values.size()), sizes, "i1"};
      body += test.name + " = graph.lt " + a.name + ", " + b.name + " : " + a.type() + "\n";
      values.push_back(test);
      return write("graph.where " + test.name + ", " + b.name + ", " + a.name, sizes, a);
    }
    case 2:
      return write("graph.tanh " + a.name, sizes, a);
    default:
      return write("graph." + any<std::string>({"mul", "mul", "add", "sub", "maximum"}) + " " +
                       a.name + ", " + b.name,
                   sizes, a);
    }
  }

  std::string body;
};

class FoldedMapTest : public testing::Test {
protected:
  FoldedMapTest() { context.loadDialect<GraphDialect, mlir::func::FuncDialect>(); }

  Array makeInput(const Named &input, std::mt19937_64 &engine) {
    Array array(input.sizes, mlir::Float32Type::get(&context));
    constexpr double special[] = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN()};
    bool isSpecial = engine() % 3 == 0;
    for (double &real : array.reals)
      real = isSpecial && engine() % 20 == 0
                 ? special[engine() % 5]
                 : static_cast<float>(static_cast<double>(engine() % 20001) / 1e4 - 1);
    return array;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(FoldedMapTest, GivesTheBitsOfStoredOperands) {
  unsigned deferred = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    RandomProgram program(seed);
    auto alone = mlir::parseSourceString<mlir::ModuleOp>(program.text(false), &context);
    auto stored = mlir::parseSourceString<mlir::ModuleOp>(program.text(true), &context);
    ASSERT_TRUE(alone && stored) << program.text(true);
    auto function = *alone->getOps<mlir::func::FuncOp>().begin();
    FoldedValues folded;
    folded.add(function.front());
    for (mlir::Operation &op : function.front().without_terminator())
      deferred += folded.isNeverStored(op.getResult(0));
    std::vector<Array> arguments;
    for (const Named &input : program.inputs)
      arguments.push_back(makeInput(input, program.engine));
    for (auto [precision, sample] :
         {std::pair(Precision::Float64, 0), std::pair(Precision::Working, 0),
          std::pair(Precision::Working, 3)}) {
      std::string reason;
      auto got = evaluateProgram(function, arguments, reason, precision, sample);
      auto wanted = evaluateProgram(*stored->getOps<mlir::func::FuncOp>().begin(), arguments,
                                    reason, precision, sample);
      ASSERT_TRUE(mlir::succeeded(got) && mlir::succeeded(wanted)) << reason;
      const Array &a = got->results[0], &b = wanted->results[0];
      ASSERT_EQ(a.integers, b.integers);
      ASSERT_EQ(a.reals.size(), b.reals.size());
      for (auto [x, y] : llvm::zip(a.reals, b.reals))
        ASSERT_TRUE((std::isnan(x) && std::isnan(y)) ||
                    llvm::bit_cast<uint64_t>(x) == llvm::bit_cast<uint64_t>(y))
            << "seed " << seed << ": " << x << " and " << y << "\n"
            << program.text(false);
    }
  }
  EXPECT_GT(deferred, 4000u);
}

/// Against plain loops: rows and columns of another order than those in memory, a composite's
/// bounds between the product and its fold, and more elements than would fit.
TEST_F(FoldedMapTest, FoldsProductsWithoutStoringThem) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @f(%a: !graph.tensor<[K, M] x f32> {graph.name = "a"},
                 %b: !graph.tensor<[K, N] x f32> {graph.name = "b"}) -> !graph.tensor<[M, N] x f32>
        attributes {graph.program, graph.result = "{0}"} {
      %t = graph.transpose %a [1, 0] : !graph.tensor<[K, M] x f32> -> !graph.tensor<[M, K] x f32>
      %x = graph.broadcast %t [0, 1] : !graph.tensor<[M, K] x f32> -> !graph.tensor<[M, K, N] x f32>
      %y = graph.broadcast %b [1, 2] : !graph.tensor<[K, N] x f32> -> !graph.tensor<[M, K, N] x f32>
      %p = graph.mul %x, %y : !graph.tensor<[M, K, N] x f32>
      %r = graph.composite "aten::sum"(%p) : (!graph.tensor<[M, K, N] x f32>) -> !graph.tensor<[M, N] x f32> {
      ^bb0(%q: !graph.tensor<[M, K, N] x f32>):
        %s = graph.fold sum %q [1] : !graph.tensor<[M, K, N] x f32> -> !graph.tensor<[M, N] x f32>
        graph.yield %s : !graph.tensor<[M, N] x f32>
      }
      return %r : !graph.tensor<[M, N] x f32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  constexpr int64_t m = 37, k = 1100, n = 41;
  std::mt19937_64 engine(7);
  Array a = makeInput({"a", {k, m}, "f32"}, engine), b = makeInput({"b", {k, n}, "f32"}, engine);
  std::string reason;
  auto result = evaluateProgram(function, {a, b}, reason);
  ASSERT_TRUE(mlir::succeeded(result)) << reason;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a.reals[l * m + i] * b.reals[l * n + j];
      double wanted = static_cast<double>(sum), got = result->results[0].reals[i * n + j];
      ASSERT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << i << ", " << j;
    }
  FoldedValues folded;
  folded.add(function.front());
  for (mlir::Operation &op : function.front().without_terminator())
    EXPECT_EQ(folded.isNeverStored(op.getResult(0)), !mlir::isa<CompositeOp>(op));
}

} // namespace
