#include "picture/text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "picture/draw.h"

namespace sparsecfg::picture {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return out;
}

// Returns the width of a character in em, for the widest font that browsers use for sans-serif.
static double em_of(char32_t c) {
  constexpr std::string_view kNarrow = " .,:;|'!ijltfrI()[]{}/\\-";
  constexpr std::string_view kWide = "mwMW@%";
  if (c >= 128) return static_cast<double>(base::display_width(c));
  const char ascii = static_cast<char>(c);
  if (kNarrow.find(ascii) != std::string_view::npos) return 0.41;
  if (kWide.find(ascii) != std::string_view::npos) return 1.0;
  return ascii >= 'A' && ascii <= 'Z' ? 0.74 : 0.64;
}

double width_of(std::string_view text, double size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) width += em_of(base::next_code_point(text, at));
  return width * size;
}

std::string shortened(const std::string& text, double size, double width) {
  constexpr std::string_view kEllipsis = "…";
  if (width_of(text, size) <= width) {
    return text;
  }
  double left = width - size;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    left -= em_of(base::next_code_point(text, at)) * size;
    if (left < 0) break;
    end = at;
  }
  return text.substr(0, end) + std::string(kEllipsis);
}

std::string shortened_name(const std::string& name, double size, double width) {
  const std::size_t number = name.rfind('#');
  if (number == std::string::npos || width_of(name, size) <= width) {
    return shortened(name, size, width);
  }
  const std::string tail = name.substr(number);
  const double left = width - width_of(tail, size);
  return left < 3 * size ? shortened(name, size, width) : shortened(name.substr(0, number), size, left) + tail;
}

std::string short_names(std::string names) {
  constexpr std::string_view kWord = "Modifier";
  for (std::size_t at = names.find(kWord); at != std::string::npos; at = names.find(kWord, at + 1)) {
    const std::size_t end = at + kWord.size();
    const bool whole = end == names.size() || std::string_view("#[,").find(names[end]) != std::string_view::npos;
    if (whole && at > 0 && names[at - 1] != ' ') names.erase(at, kWord.size());
  }
  return names;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";  // of either sign
  const std::string text = fmt::format("{:.3g}", value);
  return text == "1" && value < 1 ? fmt::format("{:.6g}", value) : text;
}

std::string caption(const Scene& scene) {
  std::string out = fmt::format("{:.6g} epochs of {}, {} in total", scene.epochs,
                                base::counted(scene.steps_per_epoch, "step"), base::counted(scene.steps, "step"));
  if (!scene.has_rates) out += "; this format has no learning rate";
  if (scene.drawn_until) out += fmt::format("; drawn only up to epoch {:.6g} (too many changes)", *scene.drawn_until);
  if (scene.sampled && !scene.drawn_until) out += "; only a sample of the changes is drawn";
  return out;
}

static std::string range_of(const Series& series) {
  std::string out = series.label + (series.selects.empty() ? "" : " (" + series.selects + ")");
  for (const Point& point : series.points) {
    if (point.value) {
      out += fmt::format(": from {}", number_text(*point.value));
      break;
    }
  }
  return out + (series.last() ? fmt::format(" to {}. ", number_text(*series.last())) : ". ");
}

std::string describe(const Scene& scene) {
  constexpr std::size_t kMaxCount = 12;
  std::string out = caption(scene) + ". ";
  for (std::size_t at = 0; at < std::min(scene.sparsities.size(), kMaxCount); ++at) {
    out += "Sparsity, " + range_of(scene.sparsities[at]);
  }
  if (scene.overall) out += "Sparsity, " + range_of(*scene.overall);
  if (scene.rate) out += (scene.factors ? "Factor of the initial " : "") + range_of(*scene.rate);
  for (std::size_t at = 0; at < std::min(scene.bands.size(), kMaxCount); ++at) {
    const Band& band = scene.bands[at];
    out += fmt::format("{} ({}) from epoch {:.6g} to {:.6g}. ", band.label, band.who, band.begin, band.end);
  }
  out.pop_back();
  return out;
}

}  // namespace sparsecfg::picture
