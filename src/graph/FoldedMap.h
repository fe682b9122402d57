// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operand of a fold, made tile by tile from arrays that are stored: a map of elements that
// views pick. So a product of matrices needs no memory for its products.
#pragma once

#include "graph/Evaluator.h"

namespace nereid::graph {

class FoldedMap {
public:
  /// The operand of a fold over `dims`. On failure the evaluator says why.
  FoldedMap(Evaluator &evaluator, mlir::Value operand, llvm::ArrayRef<int64_t> dims);
  bool isValid() const { return valid; }
  /// How many elements each result combines.
  int64_t foldedCount() const { return folded; }

  /// Of what each of some results combines, elements `first` to `first + length`, row by row; and
  /// their positions in the operand, where these are asked for.
  struct Tile {
    Elements elements;
    const int64_t *places = nullptr;
  };
  Tile load(int64_t row, int64_t rows, int64_t first, int64_t length, bool wantsPlaces);

private:
  /// A number that is linear in the indices of the operand, those first that are kept: an index of
  /// an axis, or a position in an array.
  struct Place {
    int64_t offset = 0;
    Shape steps;
    bool operator==(const Place &) const = default;
  };
  using Places = llvm::SmallVector<Place, 6>;

  /// The positions of a tile.
  struct Walk {
    Place place;
    /// Of each row's first element. What is folded follows it at equal distances, or at those that
    /// the table says.
    std::vector<int64_t> rows;
    int64_t step = 0;
    std::vector<int64_t> table;
    /// Written out.
    std::vector<int64_t> all;
  };

  /// Elements of an array, or what a step makes of those of other nodes.
  struct Node {
    std::shared_ptr<const Array> array;
    std::optional<ElementStep> step;
    std::optional<Rounding> rounding;
    llvm::SmallVector<unsigned, 3> operands;
    /// In the array, or in the result of the step.
    Walk walk;
    std::vector<double> reals;
    std::vector<int64_t> integers;
    Elements tile;
  };

  std::optional<unsigned> build(mlir::Value value, const Places &at);
  std::optional<unsigned> buildReshape(ReshapeOp op, const Places &at);
  std::optional<unsigned> buildStep(mlir::Operation &op, const Places &at);
  Places placesBelow(mlir::Operation &op, const Places &at);
  unsigned addArray(std::shared_ptr<const Array> array, Place place);
  Place constantPlace(int64_t offset) const { return {offset, Shape(extents.size(), 0)}; }
  /// Row-major.
  Place positionOf(llvm::ArrayRef<Place> at, llvm::ArrayRef<int64_t> shape) const;

  void pack(Node &node);
  std::vector<Walk *> allWalks();
  void mergeAxes();
  void prepare(Walk &walk);
  void findRows(Walk &walk, int64_t row, int64_t rows);
  template <typename Element>
  const Element *pick(const Walk &walk, const std::vector<Element> &from, std::vector<Element> &to,
                      int64_t first, int64_t length);
  const int64_t *writeOut(Walk &walk, int64_t first, int64_t length);

  Evaluator &evaluator;
  bool valid = false;
  /// Of the axes that are kept, then of those that are folded.
  Shape extents;
  unsigned keptAxes = 0;
  int64_t folded = 1;
  std::vector<Node> nodes;
  unsigned root = 0;
  /// In the operand itself.
  Walk own;
  /// The nodes of values that are read at some places: equal ones once.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Places, unsigned>, 1>> known;
  /// The rows that walks stand at.
  int64_t firstRow = -1, rowCount = 0;
};

} // namespace nereid::graph
