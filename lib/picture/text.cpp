#include "picture/text.h"

#include <fmt/format.h>

#include "base/text.h"

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

std::string number_text(double value) {
  const std::string text = fmt::format("{:.3g}", value);
  return text == "1" && value < 1 ? fmt::format("{:.6g}", value) : text;
}

}  // namespace sparsecfg::picture
