#include "picture/draw.h"

#include <fmt/format.h>

#include <algorithm>

#include "picture/axis.h"
#include "picture/text.h"

namespace sparsecfg::picture {

constexpr double kSize = 12;  // font size in pixels
constexpr double kTitleSize = 15;
constexpr double kRight = 18, kGap = 26, kBandRow = 28, kKeyRow = 18;
constexpr double kEdge = 2;  // padding for the width of lines at the edges of a panel
constexpr std::size_t kColors = 6;
constexpr std::size_t kDashes = 3;
constexpr std::size_t kMaxKeys = 12;

// All colors have a contrast of at least 4.5 with their background. Neighboring colors also differ in lightness.
std::string_view style() {
  return ".pic text{font:12px sans-serif;fill:#1f2328}.pic .title{font-size:15px;font-weight:bold}"
         ".pic .halo{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}.pic .muted,.pic "
         ".tick{fill:#57606a}.pic .y{text-anchor:end}.pic .x{text-anchor:middle}"
         ".pic .grid{stroke:#d0d7de;fill:none}.pic .ground{fill:#ffffff}.pic .band{opacity:.75}"
         ".pic .line{fill:none;stroke-width:1.8;vector-effect:non-scaling-stroke}.pic .all{stroke-width:3.2}"
         ".pic .d1{stroke-dasharray:9 4}.pic .d2{stroke-dasharray:2 3}"
         ".pic .before{stroke-dasharray:2 4;stroke-width:1.4}"
         ".pic .c0{stroke:#0b5fb0}.pic .c1{stroke:#b34700}.pic .c2{stroke:#00714d}.pic .c3{stroke:#a8247e}"
         ".pic .c4{stroke:#6f6000}.pic .c5{stroke:#4b5563}.pic .all{stroke:#1f2328}"
         ".pic .f0{fill:#0b5fb0}.pic .f1{fill:#b34700}.pic .f2{fill:#00714d}.pic .f3{fill:#a8247e}.pic "
         ".f4{fill:#6f6000}"
         ".pic .f5{fill:#4b5563}"
         "@media(prefers-color-scheme:dark){.pic text{fill:#e6edf3}.pic .halo{stroke:#0d1117}.pic .muted,.pic "
         ".tick{fill:#9aa4af}"
         ".pic .grid{stroke:#343b44}.pic .ground{fill:#0d1117}.pic .c0{stroke:#6fb7ff}.pic .c1{stroke:#ff9d5c}"
         ".pic .c2{stroke:#4ecf9f}.pic .c3{stroke:#f58fd0}.pic .c4{stroke:#d3c04a}.pic .c5{stroke:#b6c0cc}"
         ".pic .all{stroke:#e6edf3}.pic .f0{fill:#6fb7ff}.pic .f1{fill:#ff9d5c}.pic .f2{fill:#4ecf9f}"
         ".pic .f3{fill:#f58fd0}.pic .f4{fill:#d3c04a}.pic .f5{fill:#b6c0cc}}";
}

static std::string color_of(std::size_t number) {
  const std::size_t dash = number / kColors % kDashes;
  return fmt::format("c{}{}", number % kColors, dash == 0 ? "" : fmt::format(" d{}", dash));
}

static std::string text_at(double x, double y, std::string_view type, std::string_view text) {
  return fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                     type.empty() ? "" : fmt::format(" class=\"{}\"", type), x, y, escaped(text));
}

namespace {

// Builds a picture from top to bottom.
class Drawing {
 public:
  Drawing(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout)
      : scenes_(scenes),
        last_(scenes.back()),
        title_(title),
        layout_(layout),
        left_(layout.width < 600 ? 50 : 64),
        plot_(layout.width - left_ - kRight),
        panel_(layout.width < 600 ? 150 : 200) {
    for (const Scene& scene : scenes) epochs_ = std::max(epochs_, scene.epochs);
    if (epochs_ <= 0) epochs_ = 1;
  }

  std::string draw() {
    add_title();
    add_sparsities();
    add_rates();
    add_bands();
    if (panels_ == 0) {
      body_ += text_at(left_, top_ += kGap, "muted", "no sparsity, learning rate or phase to show");
    } else {
      body_ += text_at(left_ + plot_ / 2, top_ += 16, "x muted", "epoch");
    }
    add_legend();
    return head() + body_ + "</svg>\n";
  }

 private:
  // --- around the panels ------------------------------------------------------------------------------

  std::string head() const {
    const double height = top_ + 14;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pic\" id=\"{0}\" viewBox=\"0 0 {1} {2:.0f}\" role=\"{6}\" "
        "aria-labelledby=\"{0}-title {0}-desc\">\n<title id=\"{0}-title\">{3}</title>\n<desc "
        "id=\"{0}-desc\">{4}</desc>\n"
        "<style>{5}</style>\n<rect class=\"ground\" width=\"{1}\" height=\"{2:.0f}\"/>\n",
        layout_.id, layout_.width, height, escaped(title_), escaped(describe(last_)), style(),
        layout_.links ? "group" : "img");  // an image has no links inside
  }

  void add_title() {
    if (!layout_.heading) return;
    const double room = layout_.width - 2 * kRight;
    body_ += text_at(kRight, 24, "title", shortened(title_, kTitleSize * 1.1, room));
    body_ += text_at(kRight, 42, "muted", shortened(caption(last_), kSize, room));
    top_ = 46;
  }

  // --- panels -----------------------------------------------------------------------------------------

  double x(double epoch) const { return plot_ * std::clamp(epoch / epochs_, 0.0, 1.0); }

  std::size_t ticks_across() const { return layout_.width < 600 ? 4 : 6; }

  // Draws the frame of a panel. The caller then adds curves, in coordinates of the panel, and calls end_panel().
  void begin_panel(std::string_view unit, const Axis& axis, std::string_view kind) {
    ++panels_;
    top_ += kGap;
    body_ += text_at(left_, top_ - 8, "muted", unit);
    for (const double tick : axis.ticks(5)) {
      const double y = top_ + panel_ * (1 - axis.place(tick));
      body_ += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}h{}\"/>", left_, y, plot_);
      body_ += text_at(left_ - 6, y + 4, "tick y", tick_text(tick));
    }
    add_vertical_grid(panel_);
    body_ += fmt::format(
        "<svg class=\"panel\" data-kind=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" viewBox=\"0 {} {} {}\" "
        "preserveAspectRatio=\"none\">\n",
        kind, left_, top_ - kEdge, plot_, panel_ + 2 * kEdge, -kEdge, plot_, panel_ + 2 * kEdge);
  }

  // Formats a tick label with as many digits as fit.
  std::string tick_text(double tick) const {
    for (const int digits : {6, 2}) {
      const std::string text = fmt::format("{:.{}g}", tick, digits);
      if (width_of(text, kSize) < left_ - 6) return text;
    }
    return fmt::format("{:.1g}", tick);
  }

  void end_panel() {
    body_ += "</svg>\n";
    top_ += panel_ + 16;
  }

  // Draws vertical lines at round epochs, with labels below.
  void add_vertical_grid(double height) {
    body_ += fmt::format("<g class=\"epochs\" data-top=\"{:.1f}\" data-height=\"{:.1f}\">", top_, height);
    for (const double tick : Axis::linear(epochs_).ticks(ticks_across())) {
      body_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>", left_ + x(tick), top_, height);
      const std::string text = fmt::format("{:.6g}", tick);
      const double middle = std::min(left_ + x(tick), layout_.width - 2 - width_of(text, kSize) / 2);
      body_ += text_at(middle, top_ + height + 15, "tick x", text);
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

  std::string before(const Scene& scene) const { return &scene == &last_ ? "" : " before"; }

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
    for (const Scene& scene : scenes_) {
      if (scene.overall) add_line(*scene.overall, axis, end_of(scene), "all" + before(scene));
      for (std::size_t at = 0; at < scene.sparsities.size(); ++at) {
        add_line(scene.sparsities[at], axis, end_of(scene), color_of(at) + before(scene));
      }
    }
    end_panel();
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
    begin_panel(std::string(name) + (axis.is_logarithmic() ? " (log scale)" : ""), axis, "rate");
    for (const Scene& scene : scenes_) {
      if (scene.rate) add_line(*scene.rate, axis, end_of(scene), "c0" + before(scene));
    }
    end_panel();
  }

  // --- phases -----------------------------------------------------------------------------------------

  static std::string text_of(const Band& band, bool earlier) {
    const std::string more = band.count > 1 ? fmt::format(" and {} more", band.count - 1) : "";
    return fmt::format("{}{}, {:.6g} to {:.6g}: {}{}", earlier ? "before: " : "", band.label, band.begin, band.end,
                       band.who, more);
  }

  void add_bands() {
    std::vector<std::pair<const Band*, bool>> bands;
    for (const Scene& scene : scenes_) {
      const bool earlier = &scene != &last_;
      for (const Band& band : scene.bands) {
        if (!earlier || std::ranges::find(last_.bands, band) == last_.bands.end()) bands.emplace_back(&band, earlier);
      }
    }
    if (bands.empty()) {
      return;
    }
    const std::size_t shown = std::min(bands.size(), kMaxKeys);
    ++panels_;
    top_ += kGap;
    body_ += text_at(left_, top_ - 8, "muted",
                     shown == bands.size() ? "phases" : fmt::format("phases: {} of {}", shown, bands.size()));
    add_vertical_grid(kBandRow * static_cast<double>(shown) + 4);
    for (std::size_t at = 0; at < shown; ++at) add_band(*bands[at].first, bands[at].second, at);
    top_ += kBandRow * static_cast<double>(shown) + 4 + 16;
  }

  // Draws a bar and its label. The label starts at the start of the bar if it fits.
  void add_band(const Band& band, bool earlier, std::size_t number) {
    const double row = top_ + kBandRow * static_cast<double>(number);
    const std::string text = shortened(text_of(band, earlier), kSize, plot_);
    const double at = std::min(x(band.begin), std::max(0.0, plot_ - width_of(text, kSize)));
    body_ += text_at(left_ + at, row + 13, "halo", text);
    body_ += fmt::format(
        "<svg class=\"panel\" data-kind=\"band\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"7\" viewBox=\"0 0 {} 7\" "
        "preserveAspectRatio=\"none\"><rect class=\"band f{}\" x=\"{:.1f}\" width=\"{:.1f}\" height=\"7\"/></svg>\n",
        left_, row + 18, plot_, plot_, number % kColors, x(band.begin), std::max(1.0, x(band.end) - x(band.begin)));
  }

  // --- legend -----------------------------------------------------------------------------------------

  void add_key(const Series& series, const std::string& type, std::string_view fixed) {
    top_ += kKeyRow;
    const std::string remark = series.remark.empty() ? "no value" : series.remark;
    const std::string value = !series.last()          ? remark
                              : series.remark.empty() ? number_text(*series.last())
                                                      : number_text(*series.last()) + ", " + series.remark;
    const double room = layout_.width - 2 * kRight - 40;
    const std::string last = shortened(value, kSize, room * 0.45);
    const std::string name = series.selects.empty() ? series.label : series.label + ": " + series.selects;
    body_ += fmt::format("<path class=\"line {}\" d=\"M{} {:.1f}h28\"/>", type, kRight, top_ - 4);
    if (layout_.links) body_ += fmt::format("<a href=\"#a{}\">", series.action);
    body_ += text_at(kRight + 36, top_, fixed, shortened(name, kSize, room - width_of(last, kSize) - 12));
    if (layout_.links) body_ += "</a>\n";
    body_ += text_at(layout_.width - kRight, top_, "y", last);
  }

  void add_legend() {
    const auto& series = last_.sparsities;
    if (series.empty() && !last_.overall) {
      return;
    }
    top_ += kGap;
    body_ += text_at(kRight, top_, "muted", scenes_.size() > 1 ? "sparsity (dotted: before)" : "sparsity");
    body_ += text_at(layout_.width - kRight, top_, "muted y", "final value");
    if (last_.overall) add_key(*last_.overall, "all", "");
    const std::size_t shown = std::min(series.size(), kMaxKeys);
    for (std::size_t at = 0; at < shown; ++at) add_key(series[at], color_of(at), "");
    if (shown < series.size()) {
      body_ += text_at(kRight + 36, top_ += kKeyRow, "muted", fmt::format("and {} more", series.size() - shown));
    }
  }

  const std::vector<Scene>& scenes_;
  const Scene& last_;
  const std::string& title_;
  const Layout& layout_;
  double left_;
  double plot_;
  double panel_;
  double epochs_ = 0;
  double top_ = 0;
  std::size_t panels_ = 0;
  std::string body_;
};

}  // namespace

std::string draw(const std::vector<Scene>& scenes, const std::string& title, const Layout& layout) {
  return Drawing(scenes, title, layout).draw();
}

}  // namespace sparsecfg::picture
