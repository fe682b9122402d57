// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The point that lies deepest within all inequalities, by the primal simplex: of
//
//   maximize t   where   a_i x + b_i >= t |a_i|_1,   t <= 1
//
// the start x = 0, t = min b_i / |a_i|_1 is feasible. A point of depth t stays inside when every
// coordinate moves by less than t, so that it can be rounded to multiples of 2^-k, of which integer
// arithmetic tells whether they satisfy the rows. Limits of machine integers stand beside single
// elements: unknowns are scaled, and the simplex starts anew where it came to, with residuals that
// have lost nothing.
#include "analysis/FeasiblePoint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <vector>

using namespace llvm;

namespace nereid::analysis {

namespace {

/// Rows as dense vectors of integers, the constant last.
using Dense = std::vector<int64_t>;

/// Solves equalities by unknowns of coefficient 1 or -1, exactly.
class Elimination {
public:
  Elimination(unsigned unknowns, ArrayRef<LinearRow> given) {
    for (const LinearRow &row : given) {
      Dense dense(unknowns + 1, 0);
      for (auto [unknown, coefficient] : row.terms)
        dense[unknown] += coefficient;
      dense.back() = row.constant;
      (row.isEquality ? equalities : inequalities).push_back(std::move(dense));
    }
    pairOpposites();
  }

  /// False where it cannot go on.
  bool run() {
    while (!equalities.empty()) {
      Dense equality = std::move(equalities.back());
      equalities.pop_back();
      auto end = std::prev(equality.end());
      auto pivot = std::find_if(equality.begin(), end, [](int64_t a) { return a == 1 || a == -1; });
      if (pivot == end) {
        if (any_of(equality, [](int64_t a) { return a != 0; }))
          return false;
        continue;
      }
      unsigned unknown = pivot - equality.begin();
      for (std::vector<Dense> *rows : {&equalities, &inequalities})
        for (Dense &row : *rows)
          if (!substitute(row, unknown, equality))
            return false;
    }
    return true;
  }

  std::vector<Dense> inequalities;

private:
  /// Of a row and its opposite: the sum is 0.
  void pairOpposites() {
    for (size_t i = 0; i < inequalities.size(); ++i)
      for (size_t j = i + 1; j < inequalities.size(); ++j) {
        bool isOpposite = all_of(zip_equal(inequalities[i], inequalities[j]), [](auto both) {
          // Of the least number there is no opposite.
          return std::get<0>(both) != INT64_MIN && std::get<1>(both) == -std::get<0>(both);
        });
        if (!isOpposite)
          continue;
        equalities.push_back(std::move(inequalities[i]));
        inequalities.erase(inequalities.begin() + j);
        inequalities.erase(inequalities.begin() + i);
        --i;
        break;
      }
  }

  static bool substitute(Dense &row, unsigned unknown, const Dense &equality) {
    int64_t factor = row[unknown];
    if (factor == 0)
      return true;
    if (equality[unknown] == 1 && SubOverflow(int64_t(0), factor, factor))
      return false;
    for (auto [own, other] : zip_equal(row, equality)) {
      int64_t product;
      if (MulOverflow(factor, other, product) || AddOverflow(own, product, own))
        return false;
    }
    return true;
  }

  std::vector<Dense> equalities;
};

/// The inequalities in scaled unknowns, each of norm 1.
class Scaled {
public:
  Scaled(unsigned unknowns, ArrayRef<Dense> given)
      : given(given), scales(unknowns, 1.0), point(unknowns, 0.0) {
    for (unsigned round = 0; round < 3; ++round)
      scale();
    for (const Dense &row : given) {
      double norm = 0;
      for (auto [coefficient, scale] : zip_equal(ArrayRef(row).drop_back(), scales))
        norm += std::abs(coefficient * scale);
      norms.push_back(norm);
      std::vector<double> &entries = rows.emplace_back();
      for (auto [coefficient, scale] : zip_equal(ArrayRef(row).drop_back(), scales))
        entries.push_back(coefficient * scale / norm);
    }
  }

  /// By how much each is more than 0 at the point.
  std::vector<double> getResiduals() const {
    std::vector<double> residuals;
    for (auto [row, norm] : zip_equal(given, norms)) {
      long double sum = row.back();
      for (auto [coefficient, coordinate] : zip_equal(ArrayRef(row).drop_back(), point))
        sum += static_cast<long double>(coefficient) * coordinate;
      residuals.push_back(double(sum / norm));
    }
    return residuals;
  }
  void move(ArrayRef<double> step) {
    for (auto [coordinate, change, scale] : zip_equal(point, step, scales))
      coordinate += change * scale;
  }

  ArrayRef<std::vector<double>> getRows() const { return rows; }
  ArrayRef<double> getPoint() const { return point; }

private:
  /// The geometric mean of the least and the greatest that is not 0.
  struct Middle {
    double least = INFINITY, most = 0;
    void add(double entry) {
      entry = std::abs(entry);
      if (entry == 0)
        return;
      least = std::min(least, entry);
      most = std::max(most, entry);
    }
    double get() const { return most == 0 ? 1 : std::sqrt(least) * std::sqrt(most); }
  };

  void scale() {
    std::vector<Middle> middles(scales.size());
    for (const Dense &row : given) {
      Middle own;
      for (auto [coefficient, scale] : zip_equal(ArrayRef(row).drop_back(), scales))
        own.add(coefficient * scale);
      for (auto [middle, coefficient, scale] :
           zip_equal(middles, ArrayRef(row).drop_back(), scales))
        middle.add(coefficient * scale / own.get());
    }
    for (auto [scale, middle] : zip_equal(scales, middles))
      scale /= middle.get();
  }

  ArrayRef<Dense> given;
  std::vector<double> scales, norms, point;
  std::vector<std::vector<double>> rows;
};

/// Basic variables as sums of those that are 0: unknowns, slacks of rows, and the depth.
class Simplex {
public:
  Simplex(unsigned unknowns, ArrayRef<std::vector<double>> rows, ArrayRef<double> residuals)
      : unknowns(unknowns), columns(unknowns + 2) {
    for (double residual : residuals)
      start = std::min(start, residual);
    for (auto [row, residual] : zip_equal(rows, residuals)) {
      std::vector<double> &entries = add();
      copy(row, entries.begin());
      entries[unknowns] = -1;
      entries.back() = residual - start;
    }
    std::vector<double> &most = add();
    most[unknowns] = -1;
    most.back() = 1 - start;
    objective.assign(columns, 0);
    objective[unknowns] = 1;
    // Unknowns are numbered from -1 on, downwards; the depth is at least its start, as slacks are
    // 0.
    for (unsigned unknown = 0; unknown < unknowns; ++unknown)
      zero.push_back(-1 - int(unknown));
    zero.push_back(int(basic.size()));
  }

  void run() {
    constexpr unsigned mostTurns = 400;
    for (unsigned turn = 0; turn < mostTurns && getDepth() < enough; ++turn) {
      int column = chooseColumn();
      int row = column < 0 ? -1 : chooseRow(column);
      if (row < 0)
        return;
      pivot(row, column);
    }
  }

  double getDepth() const { return start + objective.back(); }
  std::vector<double> getPoint() const {
    std::vector<double> point(unknowns, 0);
    for (auto [variable, entries] : zip_equal(basic, table))
      if (variable < 0)
        point[-1 - variable] = entries.back();
    return point;
  }

private:
  static constexpr double enough = 0.25, smallestGain = 1e-9, smallestPivot = 1e-11,
                          tolerance = 1e-9;

  std::vector<double> &add() {
    basic.push_back(int(basic.size()));
    return table.emplace_back(columns, 0.0);
  }

  int chooseColumn() const {
    int best = -1;
    double most = smallestGain;
    for (auto [column, variable] : enumerate(zero)) {
      double gain = variable < 0 ? std::abs(objective[column]) : objective[column];
      if (gain > most) {
        most = gain;
        best = int(column);
      }
    }
    return best;
  }

  /// Of the slacks that are 0 first as the column's variable moves, give or take a tolerance, the
  /// one that changes most (Harris's test).
  int chooseRow(unsigned column) const {
    double sign = objective[column] < 0 ? -1 : 1, slack = tolerance * (2 - start);
    auto forEach = [&](auto visit) {
      for (auto [row, entries] : enumerate(table))
        if (double change = -entries[column] * sign; basic[row] >= 0 && change > smallestPivot)
          visit(int(row), std::max(entries.back(), 0.0), change);
    };
    double least = INFINITY, most = 0;
    forEach([&](int, double value, double change) {
      least = std::min(least, (value + slack) / change);
    });
    int best = -1;
    forEach([&](int row, double value, double change) {
      if (value > least * change || change <= most)
        return;
      most = change;
      best = row;
    });
    return best;
  }

  void pivot(unsigned row, unsigned column) {
    std::vector<double> &own = table[row];
    double inverse = 1 / own[column];
    for (double &entry : own)
      entry *= -inverse;
    own[column] = inverse;
    std::swap(basic[row], zero[column]);
    auto replace = [&](std::vector<double> &other) {
      double factor = other[column];
      if (factor == 0)
        return;
      other[column] = 0;
      for (unsigned i = 0; i < columns; ++i)
        other[i] += factor * own[i];
    };
    for (std::vector<double> &other : table)
      if (&other != &own)
        replace(other);
    replace(objective);
  }

  unsigned unknowns, columns; // with the depth and the constants
  double start = 1;
  std::vector<std::vector<double>> table;
  std::vector<double> objective;
  /// The variables of the rows, and of the columns.
  std::vector<int> basic, zero;
};

/// Whether a multiple of 2^-k near the point satisfies the rows.
bool isInside(ArrayRef<double> point, ArrayRef<Dense> rows) {
  double largest = 1;
  for (double coordinate : point)
    largest = std::max(largest, std::abs(coordinate));
  // 2^54 by coefficients below 2^63, for at most 2^9 unknowns.
  int bits = std::clamp(53 - std::ilogb(largest), 0, 30);
  if (!(largest < 0x1p53) || point.size() > 500)
    return false;
  SmallVector<int64_t> rounded;
  for (double coordinate : point)
    rounded.push_back(std::llround(std::ldexp(coordinate, bits)));
  return all_of(rows, [&](const Dense &row) {
    __int128 sum = __int128(row.back()) << bits;
    for (auto [coefficient, coordinate] : zip_equal(ArrayRef(row).drop_back(), rounded))
      sum += __int128(coefficient) * coordinate;
    return sum >= 0;
  });
}

} // namespace

/// Takes out rows without unknowns; false where one of them does not hold.
static bool takeConstants(std::vector<Dense> &rows) {
  auto isConstant = [](const Dense &row) {
    return all_of(ArrayRef(row).drop_back(), [](int64_t coefficient) { return coefficient == 0; });
  };
  bool hold = none_of(rows, [&](const Dense &row) { return row.back() < 0 && isConstant(row); });
  erase_if(rows, isConstant);
  return hold;
}

bool hasFeasiblePoint(unsigned unknowns, ArrayRef<LinearRow> rows) {
  Elimination elimination(unknowns, rows);
  std::vector<Dense> &inequalities = elimination.inequalities;
  if (!elimination.run() || !takeConstants(inequalities))
    return false;
  Scaled scaled(unknowns, inequalities);
  constexpr unsigned mostRounds = 4;
  for (unsigned round = 0; round < mostRounds; ++round) {
    Simplex simplex(unknowns, scaled.getRows(), scaled.getResiduals());
    simplex.run();
    scaled.move(simplex.getPoint());
    if (isInside(scaled.getPoint(), inequalities))
      return true;
    // The deepest point of the first round may be off by what its start has cancelled.
    if (round > 0 && simplex.getDepth() < -1)
      return false;
  }
  return false;
}

} // namespace nereid::analysis
