#pragma once

#include <string>
#include <string_view>

#include "diag/catalog.h"

namespace sparsecfg::diag {

enum class Style { plain, title, frame, error, warning, info, added, removed };

[[nodiscard]] constexpr Style style_of(Severity severity) {
  switch (severity) {
    case Severity::error: return Style::error;
    case Severity::warning: return Style::warning;
    case Severity::info: return Style::info;
  }
  return Style::plain;
}

// Wraps strings in terminal color codes, or returns them unchanged if color is off.
class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}

  [[nodiscard]] std::string operator()(Style style, std::string_view text) const {
    if (!color_ || style == Style::plain || text.empty()) {
      return std::string(text);
    }
    return std::string(escape(style)).append(text).append("\x1b[0m");
  }

 private:
  // Colors from the 256-color palette with a contrast of at least 3.8 on both black and white.
  static constexpr std::string_view escape(Style style) {
    switch (style) {
      case Style::plain: return "";
      case Style::title: return "\x1b[1m";
      case Style::frame: return "\x1b[38;5;32m";
      case Style::error: return "\x1b[1;38;5;160m";
      case Style::warning: return "\x1b[1;38;5;130m";
      case Style::info: return "\x1b[1;38;5;30m";
      case Style::added: return "\x1b[38;5;28m";
      case Style::removed: return "\x1b[38;5;160m";
    }
    return "";
  }

  bool color_;
};

// Makes a string a hyperlink of the terminal (OSC 8). Returns it unchanged if the address is empty.
[[nodiscard]] inline std::string linked(std::string_view text, std::string_view url) {
  if (url.empty()) return std::string(text);
  return std::string("\x1b]8;;").append(url).append("\x1b\\").append(text).append("\x1b]8;;\x1b\\");
}

}  // namespace sparsecfg::diag
