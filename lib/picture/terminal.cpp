#include "picture/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"
#include "picture/axis.h"
#include "picture/scene.h"
#include "picture/text.h"

// Plots of a run as text. A braille character has two by four dots, so a plot has a resolution of several dots for each
// character.
namespace sparsecfg::picture {

namespace {

constexpr std::size_t kTickWidth = 9;  // of the values at the left
constexpr std::size_t kRows = 8;       // of a panel
constexpr std::size_t kMaxCurves = 8;  // in a panel, so that each has a line for its label
constexpr std::size_t kMaxBands = 6;

// A character of a plot is a cell of dots, `across` by `down`.
struct Cell {
  std::size_t across = 1;
  std::size_t down = 1;
};

// Cuts a string to a width of characters.
std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

// A grid of dots.
class Canvas {
 public:
  Canvas(std::size_t columns, const Terminal& terminal)
      : columns_(columns), cell_(terminal.utf8 ? Cell{2, 4} : Cell{}), marks_(columns * kRows, 0) {}

  [[nodiscard]] std::size_t width() const { return columns_ * cell_.across; }

  [[nodiscard]] std::size_t height() const { return kRows * cell_.down; }

  // Draws a vertical line from `low` to `high`, counted in dots from the bottom. `mark` is the character of a curve in
  // ASCII.
  void draw(std::size_t x, std::size_t low, std::size_t high, char mark) {
    for (std::size_t y = low; y <= high; ++y) {
      const std::size_t from_top = height() - 1 - y;
      unsigned& cell = marks_[from_top / cell_.down * columns_ + x / cell_.across];
      cell = is_braille() ? cell | bit(x % cell_.across, from_top % cell_.down) : static_cast<unsigned char>(mark);
    }
  }

  [[nodiscard]] std::string row(std::size_t row) const {
    constexpr char32_t kBraille = 0x2800;
    std::string out;
    for (std::size_t column = 0; column < columns_; ++column) {
      const unsigned cell = marks_[row * columns_ + column];
      if (cell == 0) {
        out += ' ';
      } else if (is_braille()) {
        base::append_utf8(out, kBraille + cell);
      } else {
        out += static_cast<char>(cell);
      }
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_braille() const { return cell_.across == 2; }

  // The bits of a braille character: 1 to 3 and 7 in the left column from the top, 4 to 6 and 8 in the right one.
  static unsigned bit(std::size_t x, std::size_t y) {
    constexpr unsigned kBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    return kBits[x][y];
  }

  std::size_t columns_;
  Cell cell_;
  std::vector<unsigned> marks_;  // by character: the dots, or the character
};

// Draws one panel: its axis, its curves and their labels.
class Panel {
 public:
  Panel(std::string title, Axis axis, double epochs, std::size_t columns, std::size_t label_width,
        const Terminal& terminal)
      : title_(std::move(title)),
        axis_(axis),
        epochs_(epochs),
        label_width_(label_width),
        utf8_(terminal.utf8),
        canvas_(columns, terminal),
        labels_(kRows) {}

  void add(const Series& series, const std::string& label, char mark) {
    const auto last = draw(series, mark);
    if (!label.empty()) place_label(last, utf8_ ? label : fmt::format("{} {}", mark, label));
  }

  [[nodiscard]] std::string text() const {
    const std::vector<std::string> ticks = tick_texts();
    std::string out = fmt::format("{:>{}}\n", title_, kTickWidth + title_.size() + 1);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::string line = fmt::format("{:>{}} {}", ticks[row], kTickWidth - 1, utf8_ ? "│" : "|");
      line += canvas_.row(row) + " " + cut(labels_[row], label_width_);
      trim_end(line);
      out += line + "\n";
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t dot_of(double value) const {
    return static_cast<std::size_t>(std::lround(axis_.place(value) * static_cast<double>(canvas_.height() - 1)));
  }

  // A curve is a staircase. Each column of dots shows all values that it has there, and how it comes to them. Returns
  // the last value of the training.
  std::optional<double> draw(const Series& series, char mark) {
    std::optional<double> current;
    auto next = series.points.begin();
    for (std::size_t x = 0; x < canvas_.width(); ++x) {
      const double until = epochs_ * static_cast<double>(x + 1) / static_cast<double>(canvas_.width());
      std::optional<std::pair<std::size_t, std::size_t>> span;
      const auto extend = [&](const std::optional<double>& value) {
        if (!value) return;
        const std::size_t dot = dot_of(*value);
        span = span ? std::pair(std::min(span->first, dot), std::max(span->second, dot)) : std::pair(dot, dot);
      };
      extend(current);
      for (; next != series.points.end() && next->epoch < until; ++next) extend(current = next->value);
      if (span) canvas_.draw(x, span->first, span->second, mark);
    }
    return current;
  }

  // Places a label beside the end of its curve, or in the nearest free row.
  void place_label(const std::optional<double>& last, const std::string& label) {
    const std::size_t dots = canvas_.height() / kRows;
    const std::size_t wanted = last ? kRows - 1 - dot_of(*last) / dots : 0;
    for (std::size_t distance = 0; distance < kRows; ++distance) {
      for (const std::size_t row : {wanted + distance, wanted - distance}) {
        if (row < kRows && labels_[row].empty()) {
          labels_[row] = label;
          return;
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::string> tick_texts() const {
    const std::size_t dots = canvas_.height() / kRows;
    std::vector<std::string> out(kRows);
    for (const double tick : axis_.ticks(3)) {
      std::string& text = out[kRows - 1 - dot_of(tick) / dots];
      if (text.empty()) text = number_text(tick);
    }
    return out;
  }

  std::string title_;
  Axis axis_;
  double epochs_;
  std::size_t label_width_;
  bool utf8_;
  Canvas canvas_;
  std::vector<std::string> labels_;  // by row
};

// Draws a whole scene.
class Plot {
 public:
  Plot(const Scene& scene, const Scene* before, const Terminal& terminal)
      : scene_(scene),
        before_(before),
        terminal_(terminal),
        epochs_(std::max(scene.epochs, before == nullptr ? 0 : before->epochs)) {
    const std::size_t room = terminal.columns - kTickWidth - 3;
    label_width_ = std::clamp<std::size_t>(room / 3, 16, 30);
    columns_ = room - label_width_;
  }

  [[nodiscard]] std::string text() const {
    std::string out = sparsities() + rates();
    if (out.empty() && all_bands().empty()) {
      return {};
    }
    return out + bars() + epochs();
  }

 private:
  [[nodiscard]] Panel panel(std::string title, const Axis& axis) const {
    return {std::move(title), axis, epochs_, columns_, label_width_, terminal_};
  }

  // A curve of a panel. `letter`: its characters in ASCII are letters, not digits.
  struct Drawn {
    const Series* series;
    std::string label;
    bool letter;
  };

  static bool is_same(const Series& one, const Series& other) {
    return std::ranges::equal(one.points, other.points,
                              [](const Point& a, const Point& b) { return a.epoch == b.epoch && a.value == b.value; });
  }

  // Returns the curves in the order in which they are drawn. Later ones cover earlier ones.
  [[nodiscard]] std::vector<Drawn> known_sparsities() const {
    std::vector<Drawn> out;
    for (std::size_t at = 0; before_ != nullptr && at < before_->sparsities.size(); ++at) {
      const Series& series = before_->sparsities[at];
      const bool kept = std::ranges::any_of(scene_.sparsities, [&](const Series& other) {
        return other.label == series.label && is_same(series, other);
      });
      if (series.known() && !kept) out.push_back({&series, "before: " + short_names(series.label), true});
    }
    for (const Series& series : scene_.sparsities) {
      if (series.known()) out.push_back({&series, short_names(series.label), false});
    }
    return out;
  }

  [[nodiscard]] std::string sparsities() const {
    const std::vector<Drawn> curves = known_sparsities();
    if (curves.empty()) {
      return {};
    }
    Panel out = panel("sparsity", Axis::linear(1));
    const std::size_t drawn = std::min(curves.size(), kMaxCurves);
    std::size_t digits = 0;
    std::size_t letters = 0;
    for (std::size_t index = 0; index < drawn; ++index) {
      const auto& [series, label, letter] = curves[index];
      out.add(*series, label, static_cast<char>(letter ? 'a' + letters++ : '1' + digits++));
    }
    const std::size_t left_out = curves.size() - drawn;
    return out.text() + (left_out > 0 ? fmt::format("{:{}} {} more curves are not drawn\n", "", kTickWidth, left_out)
                                      : std::string());
  }

  [[nodiscard]] std::string rates() const {
    const Series* rate = scene_.rate ? &*scene_.rate : nullptr;
    const Series* before = before_ != nullptr && before_->rate ? &*before_->rate : nullptr;
    if (rate != nullptr && before != nullptr && is_same(*rate, *before)) before = nullptr;
    std::vector<const Series*> all;
    for (const Series* series : {before, rate}) {
      if (series != nullptr) all.push_back(series);
    }
    if (all.empty()) {
      return {};
    }
    const Axis axis = Axis::for_rates(all, epochs_);
    const std::string_view name = scene_.factors ? "factor of the initial learning rate" : "learning rate";
    const std::string setters = all.back()->set_by.empty() ? "" : ": " + short_names(all.back()->set_by);
    Panel out = panel(cut(fmt::format("{}{}{}", name, axis.is_logarithmic() ? " (log scale)" : "", setters),
                          terminal_.columns - kTickWidth - 1),
                      axis);
    if (before != nullptr) out.add(*before, "before", 'o');
    if (rate != nullptr) out.add(*rate, before == nullptr ? "" : "after", '*');
    return out.text();
  }

  // Returns the phases with their labels.
  [[nodiscard]] std::vector<std::pair<const Band*, std::string>> all_bands() const {
    std::vector<std::pair<const Band*, std::string>> out;
    const auto add = [&](const Band& band, std::string_view prefix) {
      out.emplace_back(
          &band, fmt::format("{}{}{}", prefix, band.label, band.count > 1 ? fmt::format(" ({})", band.count) : ""));
    };
    for (const Band& band : scene_.bands) add(band, "");
    if (before_ == nullptr) return out;
    for (const Band& band : before_->bands) {
      if (std::ranges::find(scene_.bands, band) == scene_.bands.end()) add(band, "before: ");
    }
    return out;
  }

  [[nodiscard]] std::string bars() const {
    const auto bands = all_bands();
    std::string out;
    for (std::size_t index = 0; index < std::min(bands.size(), kMaxBands); ++index) {
      out += bar(*bands[index].first, bands[index].second);
    }
    if (bands.size() > kMaxBands) {
      out += fmt::format("{:{}} {} more phases are not drawn\n", "", kTickWidth, bands.size() - kMaxBands);
    }
    return out;
  }

  // A bar has at least one character, also at the end of the training.
  [[nodiscard]] std::string bar(const Band& band, const std::string& label) const {
    const std::size_t begin = std::min(column_of(band.begin), columns_ - 1);
    const std::size_t length = std::max<std::size_t>(column_of(band.end), begin + 1) - begin;
    std::string line = fmt::format("{:{}} ", "", kTickWidth) + std::string(begin, ' ');
    for (std::size_t at = 0; at < length; ++at) line += terminal_.utf8 ? "━" : "=";
    line += std::string(columns_ - begin - length + 1, ' ');
    line += cut(label, label_width_);
    return line + "\n";
  }

  [[nodiscard]] std::size_t column_of(double epoch) const {
    return static_cast<std::size_t>(std::lround(Axis::linear(epochs_).place(epoch) * static_cast<double>(columns_)));
  }

  // Returns the axis of epochs. A number that does not fit beside the previous one is omitted.
  [[nodiscard]] std::string epochs() const {
    std::string numbers(columns_ + kTickWidth, ' ');
    std::size_t free = 0;
    for (const double tick : Axis::linear(epochs_).ticks(5)) {
      const std::string text = number_text(tick);
      const std::size_t middle = kTickWidth + std::min(column_of(tick), columns_ - 1);
      const std::size_t begin = middle - std::min(middle, text.size() / 2);
      if (begin < free || begin + text.size() > numbers.size()) continue;
      numbers.replace(begin, text.size(), text);
      free = begin + text.size() + 1;
    }
    trim_end(numbers);
    std::string line(kTickWidth, ' ');
    line += terminal_.utf8 ? "└" : "+";
    for (std::size_t at = 0; at < columns_; ++at) line += terminal_.utf8 ? "─" : "-";
    return line + " epoch\n " + numbers + "\n";
  }

  const Scene& scene_;
  const Scene* before_;
  const Terminal& terminal_;
  double epochs_;  // of the longer run
  std::size_t label_width_ = 0;
  std::size_t columns_ = 0;  // of the area of the curves
};

}  // namespace

std::string plot(const Scene& scene, const Scene* before, const Terminal& terminal) {
  return terminal.columns < kMinPlotColumns ? std::string() : Plot(scene, before, terminal).text();
}

std::string plot(const ir::Recipe& recipe, const timeline::Run& run, const Terminal& terminal) {
  return plot(follow(recipe, run, 2 * terminal.columns), nullptr, terminal);
}

std::string plot_of_two(const ir::Recipe& first, const timeline::Run& run, const ir::Recipe& second,
                        const timeline::Run& second_run, const Terminal& terminal) {
  const Scene before = follow(first, run, 2 * terminal.columns);
  return plot(follow(second, second_run, 2 * terminal.columns), &before, terminal);
}

}  // namespace sparsecfg::picture
