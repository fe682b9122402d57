// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small line chart with logarithmic axes as an SVG element, in the colours of Document's style.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nereid::driver {

struct Series {
  std::string name;
  /// Both coordinates positive, the first ones ascending.
  std::vector<std::pair<double, double>> points;
  /// 0 to 3: which colour.
  unsigned colour = 0;
  bool isDashed = false;
};

struct Chart {
  std::string title, across, up;
  std::vector<Series> series;

  std::string toSvg() const;
};

} // namespace nereid::driver
