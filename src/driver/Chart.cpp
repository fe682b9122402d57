// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Chart.h"

#include "driver/Document.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace nereid::driver {

namespace {

constexpr double width = 420, height = 250, left = 52, right = 12, top = 54, bottom = 38;

/// A logarithmic axis between two powers of ten.
struct Axis {
  int least = 0, greatest = 1;
  double from, to;

  void cover(double value, bool isFirst) {
    int below = static_cast<int>(std::floor(std::log10(value)));
    int above = static_cast<int>(std::ceil(std::log10(value)));
    least = isFirst ? below : std::min(least, below);
    greatest = isFirst ? above : std::max(greatest, above);
  }
  double place(double value) const {
    double share = (std::log10(value) - least) / std::max(greatest - least, 1);
    return from + share * (to - from);
  }
  /// Marks at powers of ten, at most eight.
  int step() const { return (greatest - least + 7) / 8; }
};

std::string spellPower(int exponent) {
  if (exponent >= 0 && exponent <= 3)
    return std::to_string(static_cast<int>(std::pow(10, exponent)));
  return "1e" + std::to_string(exponent);
}

class SvgPrinter {
public:
  SvgPrinter(const Chart &chart, llvm::raw_ostream &os) : chart(chart), os(os) {
    x.from = left, x.to = width - right;
    y.from = height - bottom, y.to = top;
    bool isFirst = true;
    for (const Series &series : chart.series)
      for (auto [across, up] : series.points) {
        x.cover(across, isFirst);
        y.cover(up, isFirst);
        isFirst = false;
      }
  }

  void print() {
    os << llvm::format("<svg viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\">", width,
                       height, width, height)
       << "<title>" << escapeHtml(chart.title) << "</title>";
    text(left, 14, chart.title, "start", "");
    printAxes();
    double at = left;
    for (const Series &series : chart.series) {
      printSeries(series);
      printKey(series, at);
      at += 34 + 6.2 * double(series.name.size());
    }
    os << "</svg>";
  }

private:
  void text(double across, double up, const std::string &words, const char *anchor,
            const char *kind) {
    os << llvm::format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", across, up,
                       anchor, kind)
       << escapeHtml(words) << "</text>";
  }
  void line(double x1, double y1, double x2, double y2, const std::string &kind) {
    os << llvm::format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"", x1, y1, x2,
                       y2)
       << kind << "\"/>";
  }

  void printAxes() {
    for (int power = x.least; power <= x.greatest; power += x.step()) {
      double at = x.place(std::pow(10, power));
      line(at, y.from, at, y.to, "axis");
      text(at, y.from + 14, spellPower(power), "middle", "faint");
    }
    for (int power = y.least; power <= y.greatest; power += y.step()) {
      double at = y.place(std::pow(10, power));
      line(x.from, at, x.to, at, "axis");
      text(x.from - 5, at + 4, spellPower(power), "end", "faint");
    }
    text((x.from + x.to) / 2, height - 8, chart.across, "middle", "faint");
    text(4, top - 12, chart.up, "start", "faint");
  }

  static std::string kindOf(const Series &series) {
    return "s" + std::to_string(series.colour) + (series.isDashed ? " dashed" : "");
  }

  void printSeries(const Series &series) {
    if (series.points.empty())
      return;
    os << "<path class=\"" << kindOf(series) << "\" d=\"";
    char move = 'M';
    for (auto [across, up] : series.points) {
      os << move << llvm::format("%.1f %.1f", x.place(across), y.place(up));
      move = 'L';
    }
    os << "\"/>";
  }

  void printKey(const Series &series, double at) {
    line(at, 24, at + 16, 24, kindOf(series));
    text(at + 20, 28, series.name, "start", "faint");
  }

  const Chart &chart;
  llvm::raw_ostream &os;
  Axis x, y;
};

} // namespace

std::string Chart::toSvg() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  SvgPrinter(*this, os).print();
  return result;
}

} // namespace nereid::driver
