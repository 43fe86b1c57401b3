#include "picture/drawing.h"

#include <fmt/format.h>

#include <algorithm>

#include "picture/axis.h"
#include "picture/labels.h"
#include "picture/text.h"

namespace sparsecfg::picture {

constexpr double kGap = 26, kBarRow = 24, kBarHeight = 20;
constexpr double kLeader = 16;  // length of the line from a curve to its label
constexpr double kEdge = 2;     // padding for the width of lines at the edges of a panel
constexpr double kInset = 5;    // between the text of a bar and its end
constexpr std::size_t kColors = 6;
constexpr std::size_t kDashes = 3;
constexpr std::size_t kMaxBars = 12;

std::string color_of(std::size_t number) {
  const std::size_t dash = number / kColors % kDashes;
  return fmt::format("c{}{}", number % kColors, dash == 0 ? "" : fmt::format(" d{}", dash));
}

std::string text_at(double x, double y, std::string_view type, std::string_view text) {
  return fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                     type.empty() ? "" : fmt::format(" class=\"{}\"", type), x, y, escaped(text));
}

namespace {

class Drawing {
 public:
  Drawing(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout)
      : scenes_(scenes),
        last_(scenes.back()),
        title_(title),
        layout_(layout),
        narrow_(layout.width < 600),
        left_(narrow_ ? 50 : 60),
        gutter_(narrow_ ? 104 : 200),
        plot_(layout.width - left_ - gutter_),
        panel_(narrow_ ? 150 : 170) {
    for (const Scene& scene : scenes) epochs_ = std::max(epochs_, scene.epochs);
    if (epochs_ <= 0) epochs_ = 1;
  }

  Drawn draw() {
    add_title();
    add_sparsities();
    add_rates();
    add_bands();
    if (panels_ == 0) {
      body_ += text_at(left_, top_ += kGap, "muted", "no sparsity, learning rate or phase to show");
    } else {
      body_ += text_at(left_ + plot_ / 2, top_ += 16, "x muted", "epoch");
    }
    return {std::move(body_), top_ + 14};
  }

 private:
  void add_title() {
    if (!layout_.heading) return;
    const double room = layout_.width - 2 * kMargin;
    body_ += text_at(kMargin, 24, "title", shortened(title_, kTitleSize * 1.1, room));
    body_ += text_at(kMargin, 42, "muted", shortened(caption(last_), kTextSize, room));
    top_ = 46;
  }

  // --- panels -----------------------------------------------------------------------------------------

  double x(double epoch) const { return plot_ * std::clamp(epoch / epochs_, 0.0, 1.0); }

  std::size_t ticks_across() const { return narrow_ ? 4 : 6; }

  // Draws the frame of a panel. The caller then adds curves, in coordinates of the panel, and calls end_panel().
  void begin_panel(const std::string& heading, const Axis& axis, std::string_view kind) {
    ++panels_;
    top_ += kGap;
    body_ += text_at(left_, top_ - 8, "muted", shortened(heading, kTextSize, layout_.width - left_ - 4));
    for (const double tick : axis.ticks(5)) {
      const double y = top_ + panel_ * (1 - axis.place(tick));
      body_ += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}h{}\"/>", left_, y, plot_);
      body_ += text_at(left_ - 6, y + 4, "tick y", tick_text(tick));
    }
    add_vertical_grid(panel_);
    body_ += fmt::format(
        "<svg class=\"panel\" data-kind=\"{}\" data-axis=\"{} {:.7g} {:.7g}\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" "
        "height=\"{}\" viewBox=\"0 {} {} {}\" preserveAspectRatio=\"none\">\n",
        kind, axis.is_logarithmic() ? "log" : "linear", axis.min(), axis.max(), left_, top_ - kEdge, plot_,
        panel_ + 2 * kEdge, -kEdge, plot_, panel_ + 2 * kEdge);
  }

  // Formats a tick label with as many digits as fit.
  std::string tick_text(double tick) const {
    for (const int digits : {6, 2}) {
      const std::string text = fmt::format("{:.{}g}", tick, digits);
      if (width_of(text, kTextSize) < left_ - 6) return text;
    }
    return fmt::format("{:.1g}", tick);
  }

  void end_panel(const std::vector<EndLabel>& labels) {
    body_ += "</svg>\n";
    add_labels(labels);
    top_ += panel_ + 16;
  }

  // Draws vertical lines at round epochs, with labels below.
  void add_vertical_grid(double height) {
    body_ += fmt::format("<g class=\"epochs\" data-top=\"{:.1f}\" data-height=\"{:.1f}\">", top_, height);
    for (const double tick : Axis::linear(epochs_).ticks(ticks_across())) {
      body_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>", left_ + x(tick), top_, height);
      body_ += text_at(left_ + x(tick), top_ + height + 15, "tick x", fmt::format("{:.6g}", tick));
    }
    body_ += "</g>\n";
  }

  // Draws a step curve, because each value holds until the next point. It ends at the end of its run.
  void add_line(const Series& series, const Axis& axis, double end, const std::string& type) {
    std::string path;
    bool drawing = false;
    for (std::size_t at = 0; at < series.points.size(); ++at) {
      const auto& [epoch, value] = series.points[at];
      if (value) {
        const double y = panel_ * (1 - axis.place(*value));
        const double until = at + 1 < series.points.size() ? series.points[at + 1].epoch : end;
        path += drawing ? fmt::format("V{:.1f}", y) : fmt::format("M{:.1f} {:.1f}", x(epoch), y);
        path += fmt::format("H{:.1f}", x(until));
      }
      drawing = value.has_value();
    }
    if (!path.empty()) {
      body_ +=
          fmt::format("<path class=\"line {}\" d=\"{}\"><title>{}</title></path>\n", type, path, escaped(series.label));
    }
  }

  bool is_before(const Scene& scene) const { return &scene != &last_; }

  static double end_of(const Scene& scene) { return scene.drawn_until.value_or(scene.epochs); }

  void add_sparsities() {
    double max = 1;
    bool any = false;
    for (const Scene& scene : scenes_) {
      for (const Series& series : scene.sparsities) {
        any = any || series.known();
        for (const Point& point : series.points) max = std::max(max, point.value.value_or(0));
      }
    }
    if (!any) {
      return;
    }
    const Axis axis = Axis::linear(max);
    begin_panel("sparsity", axis, "sparsity");
    std::vector<EndLabel> labels;
    for (const Scene& scene : scenes_) {
      if (scene.overall) add_curve(scene, *scene.overall, axis, "all", "all", labels);
      for (std::size_t at = 0; at < scene.sparsities.size(); ++at) {
        add_curve(scene, scene.sparsities[at], axis, color_of(at), fmt::format("s{}", at), labels);
      }
    }
    end_panel(labels);
  }

  void add_rates() {
    std::vector<const Series*> rates;
    for (const Scene& scene : scenes_) {
      if (scene.rate) rates.push_back(&*scene.rate);
    }
    if (rates.empty()) {
      return;
    }
    const Axis axis = Axis::for_rates(rates, epochs_);
    const std::string_view name = last_.factors ? "learning rate as a factor of the initial rate" : "learning rate";
    const std::string setters = rates.back()->set_by.empty() ? "" : ": " + short_names(rates.back()->set_by);
    begin_panel(fmt::format("{}{}{}", name, axis.is_logarithmic() ? " (log scale)" : "", setters), axis, "rate");
    std::vector<EndLabel> labels;
    for (const Scene& scene : scenes_) {
      if (scene.rate) add_curve(scene, *scene.rate, axis, "rate", "rate", labels);
    }
    end_panel(labels);
  }

  // --- labels -----------------------------------------------------------------------------------------

  void add_curve(const Scene& scene, const Series& series, const Axis& axis, const std::string& type,
                 const std::string& id, std::vector<EndLabel>& labels) {
    const std::string drawn = type + (is_before(scene) ? " before" : "");
    add_line(series, axis, end_of(scene), drawn);
    EndLabel label = end_label(series, is_before(scene));
    const auto end = std::ranges::find_if(series.points.rbegin(), series.points.rend(),
                                          [](const Point& point) { return point.value.has_value(); });
    if (end == series.points.rend() || has_same_end(scene, series)) return;
    label.y = panel_ * (1 - axis.place(*end->value));
    label.type = drawn;
    label.series = id;
    if (layout_.links && !series.selects.empty()) label.link = fmt::format("a{}", series.action);
    labels.push_back(std::move(label));
  }

  // Returns true if the last recipe has a label for the same curve with the same value.
  bool has_same_end(const Scene& scene, const Series& series) const {
    if (!is_before(scene)) return false;
    const auto same = [&](const Series& other) { return other.label == series.label && other.last() == series.last(); };
    return (last_.rate && same(*last_.rate)) || (last_.overall && same(*last_.overall)) ||
           std::ranges::any_of(last_.sparsities, same);
  }

  // A label has as many lines as there is room for. In a narrow picture, the name has its own line.
  void add_labels(const std::vector<EndLabel>& all) {
    const auto room = static_cast<std::size_t>((panel_ + kGap) / kLabelRow);
    std::vector<EndLabel> labels(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), room)));
    const std::size_t rows = std::clamp<std::size_t>(room / std::max<std::size_t>(labels.size(), 1), 1, 3);
    std::vector<double> wanted;
    for (const EndLabel& label : labels) wanted.push_back(top_ + label.y);
    const double top = top_ - kGap / 2;
    const auto middles = spread(wanted, kLabelRow * static_cast<double>(rows), top, top_ + panel_ + kGap / 2);
    for (std::size_t at = 0; at < labels.size(); ++at) add_label(labels[at], rows, wanted[at], middles[at]);
    if (labels.size() < all.size()) {
      body_ += text_at(left_ + plot_ + kLeader + 4, top_ + panel_ + kGap / 2 + 10, "muted",
                       fmt::format("and {} more", all.size() - labels.size()));
    }
  }

  void add_label(const EndLabel& label, std::size_t rows, double end, double middle) {
    const double right = left_ + plot_;
    const double room = gutter_ - kLeader - 6;
    const std::vector<std::string> lines = lines_of(label, rows, narrow_);
    body_ += fmt::format("<g class=\"end\" data-series=\"{}\" data-rows=\"{}\">", label.series, rows);
    const double first = middle - kLabelRow * (static_cast<double>(lines.size()) - 1) / 2;
    body_ += fmt::format("<path class=\"line {}\" d=\"M{} {:.1f}L{} {:.1f}\"/>", label.type, right, end,
                         right + kLeader, first);
    if (!label.link.empty()) body_ += fmt::format("<a href=\"#{}\">", label.link);
    for (std::size_t at = 0; at < lines.size(); ++at) {
      const double y = first + 4 + kLabelRow * static_cast<double>(at);
      const bool valued = at == 0 && !label.value.empty();
      body_ += text_at(right + kLeader + 4, y,
                       valued                     ? "value"
                       : label.is_note(lines[at]) ? "muted"
                                                  : "",
                       label.is_note(lines[at]) ? shortened(lines[at], kTextSize, room)
                                                : shortened_name(lines[at], kTextSize, room));
    }
    if (!label.link.empty()) body_ += "</a>";
    body_ += fmt::format("<title>{}</title></g>\n", escaped(label.title));
  }

  // --- phases -----------------------------------------------------------------------------------------

  static std::string text_of(const Band& band, bool earlier) {
    const std::string more = band.count > 1 ? fmt::format(" and {} more", band.count - 1) : "";
    return fmt::format("{}: {}{}", label_of(band, earlier), short_names(band.who), more);
  }

  static std::string label_of(const Band& band, bool earlier) { return (earlier ? "before: " : "") + band.label; }

  void add_bands() {
    std::vector<std::pair<const Band*, bool>> bands;
    for (const Scene& scene : scenes_) {
      for (const Band& band : scene.bands) {
        if (!is_before(scene) || std::ranges::find(last_.bands, band) == last_.bands.end()) {
          bands.emplace_back(&band, is_before(scene));
        }
      }
    }
    if (bands.empty()) {
      return;
    }
    // Curves show pruning, so its bars are left out first.
    if (bands.size() > kMaxBars) {
      std::stable_partition(bands.begin(), bands.end(),
                            [](const auto& each) { return each.first->label != "pruning"; });
    }
    const std::size_t shown = std::min(bands.size(), kMaxBars);
    ++panels_;
    top_ += kGap;
    body_ += text_at(left_, top_ - 8, "muted",
                     shown == bands.size() ? "phases" : fmt::format("phases: {} of {}", shown, bands.size()));
    add_vertical_grid(kBarRow * static_cast<double>(shown) + 4);
    for (std::size_t at = 0; at < shown; ++at) add_band(*bands[at].first, bands[at].second, at);
    top_ += kBarRow * static_cast<double>(shown) + 4 + 16;
  }

  // The text of a bar. `ends`: it ends at its position.
  struct BarText {
    std::string text;
    double x = 0;
    bool ends = false;
  };

  // Returns the longest text that fits in the bar or beside it.
  BarText place_text(const Band& band, bool earlier, double begin, double width) const {
    const double before = begin - left_ - 2 * kInset;
    const double after = layout_.width - begin - width - 2 * kInset;
    const double within = width - 2 * kInset;
    const std::string texts[] = {text_of(band, earlier), label_of(band, earlier)};
    for (const std::string& text : texts) {
      if (width_of(text, kTextSize) <= within) return {text, begin + kInset, false};
    }
    for (const std::string& text : texts) {
      if (width_of(text, kTextSize) <= after) return {text, begin + width + kInset, false};
      if (width_of(text, kTextSize) <= before) return {text, begin - kInset, true};
    }
    return {shortened(label_of(band, earlier), kTextSize, after), begin + width + kInset, false};
  }

  // Draws a bar with its name inside, or beside it if the bar is too short.
  void add_band(const Band& band, bool earlier, std::size_t number) {
    const double row = top_ + 4 + kBarRow * static_cast<double>(number);
    const double begin = left_ + x(band.begin);
    const double width = std::max(1.0, x(band.end) - x(band.begin));
    const BarText text = place_text(band, earlier, begin, width);
    body_ += fmt::format("<g class=\"phase\" data-begin=\"{:.7g}\" data-end=\"{:.7g}\">", band.begin, band.end);
    body_ += fmt::format("<rect class=\"bar{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>",
                         earlier ? " earlier" : "", begin, row, width, kBarHeight);
    body_ += text_at(text.x, row + 14, text.ends ? "y" : "", text.text);
    body_ +=
        fmt::format("<title>{}, {:.6g} to {:.6g}</title></g>\n", escaped(text_of(band, earlier)), band.begin, band.end);
  }

  const std::vector<Scene>& scenes_;
  const Scene& last_;
  const std::string& title_;
  const Layout& layout_;
  bool narrow_;
  double left_;
  double gutter_;  // room for labels at the right
  double plot_;
  double panel_;
  double epochs_ = 0;
  double top_ = 0;
  std::size_t panels_ = 0;
  std::string body_;
};

}  // namespace

Drawn draw_body(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout) {
  return Drawing(scenes, title, layout).draw();
}

}  // namespace sparsecfg::picture
