// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes that a function of alike parts has. Each place that mentions a size has a row of them,
// one of each part, and places with the same row have the same size in the function: what all parts
// have, a symbol of its own, or what follows from the symbols. Of sums, products and windows it
// follows as the operators say; else a relation that holds in each of the parts is looked for.
#pragma once

#include "graph/AlikeParts.h"

#include <map>
#include <optional>
#include <set>

namespace nereid::graph {

class PartSizes {
public:
  /// Those of parts that are alike; nothing where no function of them all is found.
  static std::optional<PartSizes> find(llvm::ArrayRef<Part *> parts);

  /// A size that the parts do not share, and what it is in each of them.
  struct Symbol {
    index::Expr name;
    std::vector<index::Expr> values;
  };

  /// In the order of a walk over a part: its inputs, then walkWithFree() over its operators.
  llvm::ArrayRef<index::Expr> getSizes() const { return sizes; }
  llvm::ArrayRef<Symbol> getSymbols() const { return symbols; }
  /// That slices and windows lie within what they are taken of, where the sizes alone do not say
  /// so.
  llvm::SmallVector<index::Pred> getNeeds() const;
  /// That there is a window wherever windows are taken: the function is right without it, and its
  /// kernels divide by sizes that are then known not to be negative.
  llvm::SmallVector<index::Pred> getUsualNeeds() const;

private:
  /// One size of each kind of part: of equal parts one is enough.
  using Row = std::vector<index::Expr>;
  struct Before {
    bool operator()(const Row &a, const Row &b) const;
  };
  /// What an operator says of a row.
  enum class RuleKind {
    Sum,
    Product,
    /// How many windows there are: of the size of the input and of a window.
    Windows
  };
  struct Rule {
    RuleKind kind;
    std::vector<Row> of;
    int64_t step = 1;
  };
  /// A slice or windows along an axis: places of the sizes before and after, of where it starts and
  /// of a window.
  struct Cut {
    unsigned input, result;
    std::optional<unsigned> start, window;
    int64_t step;
  };
  class Walk;
  friend bool haveEqualSizes(const Part &a, const Part &b);

  // PartRows.cpp
  bool read(llvm::ArrayRef<Part *> parts);
  void learnReshape(llvm::ArrayRef<unsigned> before, llvm::ArrayRef<unsigned> after);
  Row rowAt(unsigned place) const;
  Row productAt(llvm::ArrayRef<unsigned> places) const;

  // PartSizes.cpp
  bool solve();
  index::Expr resolve(const Row &row);
  index::Expr applyRules(const Row &row);
  index::Expr apply(const Rule &rule);
  index::Expr deriveInput(const Row &row);
  index::Expr derive(const Row &row, unsigned depth);
  index::Expr deriveFrom(const Row &row, const Row &other, index::Expr size);
  bool holds(index::Expr size, const Row &row) const;
  index::Expr addSymbol(const Row &row);
  bool areReshapesSound() const;

  /// The sizes of each kind of part.
  std::vector<std::vector<index::Expr>> kinds;
  std::vector<unsigned> kindOf;
  /// The sizes of the inputs.
  std::set<Row, Before> inputs;
  /// The places of whole numbers, which may be numbers of elements.
  llvm::DenseSet<unsigned> numbers;
  /// Places of the sizes of a reshaped tensor, before and after.
  using Places = llvm::SmallVector<unsigned, 4>;
  std::vector<std::pair<Places, Places>> reshapes;
  std::vector<Cut> cuts;

  std::map<Row, std::vector<Rule>, Before> rules;
  std::map<Row, index::Expr, Before> known;
  /// The rows of `known` in the order in which they were found.
  std::vector<std::pair<Row, index::Expr>> found;
  std::vector<Row> active;
  llvm::DenseSet<index::Expr> taken;
  std::vector<Symbol> symbols;
  std::vector<index::Expr> sizes;
};

} // namespace nereid::graph
