#include "timeline/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace sparsecfg::timeline {

constexpr double kWidth = 800, kLeft = 70, kRight = 20, kPanel = 200, kGap = 60, kTop = 50;
constexpr double kPlot = kWidth - kLeft - kRight;

// Told apart by people who see red and green alike, on white and on black.
constexpr std::string_view kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

static std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return out;
}

// A series as the dots of its picture; `x` in epochs.
struct Series {
  std::string label;
  std::vector<std::pair<double, std::optional<double>>> points;

  // What comes within the same dot as the last point takes its place.
  void add(double epoch, const std::optional<double>& value, double dot) {
    const std::size_t count = points.size();
    if (count >= 2 && epoch - points[count - 2].first < dot) {
      points.back() = {epoch, value};
    } else if (points.empty() || points.back().second != value) {
      points.emplace_back(epoch, value);
    }
  }
};

// The five round numbers or so that an axis is marked with; the end alone where a number has no room for a fifth of it,
// or for more than it.
static std::vector<double> ticks(double max) {
  const double rough = max / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
  constexpr int kMaxCount = 10;
  if (!std::isnormal(step)) {
    return {0, max};
  }
  std::vector<double> out;
  for (int count = 0; count <= kMaxCount && count * step / 1.0001 <= max; ++count) {
    out.push_back(count * step);
  }
  return out;
}

// One coordinate system with its axes.
class Panel {
 public:
  Panel(double top, double epochs, double max)
      : top_(top), epochs_(epochs > 0 ? epochs : 1), most_(max > 0 ? max : 1) {}

  std::string axes(std::string_view unit) const {
    std::string out = fmt::format("<text class=\"unit\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft, top_ - 8, unit);
    for (const double tick : ticks(most_)) {
      out += fmt::format(
          "<path class=\"grid\" d=\"M{} {:.1f}h{}\"/><text class=\"y\" x=\"{}\" y=\"{:.1f}\">{:.6g}</text>\n", kLeft,
          y(tick), kPlot, kLeft - 6, y(tick) + 4, tick);
    }
    for (const double tick : ticks(epochs_)) {
      out += fmt::format("<text class=\"x\" x=\"{:.1f}\" y=\"{}\">{:.6g}</text>\n", x(tick), top_ + kPanel + 16, tick);
    }
    return out +
           fmt::format("<text class=\"x\" x=\"{}\" y=\"{}\">epoch</text>\n", kLeft + kPlot / 2, top_ + kPanel + 32);
  }

  // Values hold until the next point, so the line goes in steps, to the end of its own run.
  std::string line(const Series& series, std::string_view color, double end, bool dashed) const {
    std::string path;
    bool drawing = false;
    for (std::size_t at = 0; at < series.points.size(); ++at) {
      const auto& [epoch, value] = series.points[at];
      if (value) {
        const double until = at + 1 < series.points.size() ? series.points[at + 1].first : end;
        path += drawing ? fmt::format("V{:.1f}", y(*value)) : fmt::format("M{:.1f} {:.1f}", x(epoch), y(*value));
        path += fmt::format("H{:.1f}", x(until));
      }
      drawing = value.has_value();
    }
    return fmt::format("<path class=\"line\" stroke=\"{}\"{} d=\"{}\"><title>{}</title></path>\n", color,
                       dashed ? " stroke-dasharray=\"5 3\"" : "", path, escaped(series.label));
  }

 private:
  double x(double epoch) const { return kLeft + kPlot * epoch / epochs_; }

  double y(double value) const { return top_ + kPanel * (1 - std::clamp(value / most_, 0.0, 1.0)); }

  double top_;
  double epochs_;
  double most_;
};

static double max(const std::vector<Series>& all) {
  double max = 0;
  for (const Series& series : all) {
    for (const auto& point : series.points) max = std::max(max, point.second.value_or(0));
  }
  return max;
}

// One series for each schedule of sparsity, named by its columns, and one for the rate.
struct Picture {
  std::vector<Series> sparsities;
  std::vector<Series> rates = {{"learning rate", {}}};
  std::optional<double> drawn_until{};  // in epochs; nothing: the whole run is drawn
  double epochs = 0;                    // of the run
  bool dashed = false;
};

static Picture follow(const ir::Recipe& recipe, const Run& run) {
  Evaluator evaluator(recipe, run);
  Picture picture;
  picture.epochs = run.epochs;
  picture.sparsities.resize(evaluator.tracks());
  for (const Column& column : evaluator.columns()) {
    std::string& label = picture.sparsities[column.track].label;
    label += (label.empty() ? "" : ", ") + column.label;
  }
  const double dot = run.epochs / kPlot;
  const auto add = [&](double epoch) {
    for (std::size_t track = 0; track < evaluator.tracks(); ++track) {
      picture.sparsities[track].add(epoch, evaluator.sparsities()[track], dot);
    }
    picture.rates[0].add(epoch, evaluator.optimizer().groups().front().rate, dot);
  };
  add(0);
  std::uint64_t left = kMaxWork / evaluator.work_per_change();
  for (; evaluator.next_step() != kNever && left > 0; --left) {
    evaluator.advance();
    add(run.epoch_of(evaluator.step()));
  }
  if (evaluator.next_step() != kNever) {
    picture.drawn_until = run.epoch_of(evaluator.step());
  }
  return picture;
}

static std::string legend(const std::vector<Series>& all, double top) {
  constexpr std::size_t kMaxCount = 12;
  std::string out;
  for (std::size_t at = 0; at < std::min(all.size(), kMaxCount); ++at) {
    out +=
        fmt::format("<text class=\"key\" fill=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", kColors[at % std::size(kColors)],
                    kLeft, top + 16 * static_cast<double>(at), escaped(all[at].label.substr(0, 100)));
  }
  return all.size() <= kMaxCount ? out
                             : out + fmt::format("<text class=\"key\" x=\"{}\" y=\"{}\">and {} more</text>\n", kLeft,
                                                 top + 16.0 * kMaxCount, all.size() - kMaxCount);
}

static std::string unfinished(const Picture& picture) {
  return picture.drawn_until ? fmt::format(" (too many changes: drawn up to epoch {})", *picture.drawn_until) : "";
}

constexpr std::string_view kStyle =
    "<style>text{font:12px "
    "sans-serif}text:not([fill]){fill:#333}.title{font-weight:bold}.y{text-anchor:end}.x{text-anchor:middle}"
    ".grid{stroke:#8885;fill:none}.line{fill:none;stroke-width:1.5}.ground{fill:#fff}"
    "@media(prefers-color-scheme:dark){text:not([fill]){fill:#ccc}.ground{fill:#111}}</style>\n";

// Curves of one place in the recipes have one colour, and the legend is that of the last one.
static std::string draw(const std::vector<Picture>& pictures, const std::string& title) {
  const Picture& picture = pictures.back();
  double epochs = 0;
  double most_sparsity = 1;
  double most_rate = 0;
  for (const Picture& each : pictures) {
    epochs = std::max(epochs, each.epochs);
    most_sparsity = std::max(most_sparsity, max(each.sparsities));
    most_rate = std::max(most_rate, max(each.rates));
  }
  const double rate_top = kTop + kPanel + kGap;
  const double legend_top = rate_top + kPanel + kGap;
  const double height =
      legend_top + 16.0 * static_cast<double>(std::min<std::size_t>(picture.sparsities.size(), 13)) + 10;
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">\n{}",
                                kWidth, height, kStyle);
  out += fmt::format(
      "<rect class=\"ground\" width=\"{}\" height=\"{}\"/>\n<text class=\"title\" x=\"{}\" y=\"20\">{}</text>\n",
      kWidth, height, kLeft, escaped(title) + unfinished(picture));
  const Panel upper(kTop, epochs, most_sparsity);
  const Panel lower(rate_top, epochs, most_rate);
  out += upper.axes("sparsity") + lower.axes("learning rate");
  for (const Picture& each : pictures) {
    for (std::size_t at = 0; at < each.sparsities.size(); ++at) {
      out += upper.line(each.sparsities[at], kColors[at % std::size(kColors)], each.epochs, each.dashed);
    }
    out += lower.line(each.rates[0], kColors[0], each.epochs, each.dashed);
  }
  return out + legend(picture.sparsities, legend_top) + "</svg>\n";
}

std::string draw_svg(const ir::Recipe& recipe, const Run& run, const std::string& title) {
  return draw({follow(recipe, run)}, title);
}

std::string draw_svg_of_two(const ir::Recipe& first, const Run& run, const ir::Recipe& second, const Run& second_run,
                            const std::string& title) {
  std::vector<Picture> pictures = {follow(first, run), follow(second, second_run)};
  pictures.front().dashed = true;
  return draw(pictures, title);
}

}  // namespace sparsecfg::timeline
