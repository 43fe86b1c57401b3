#include "dialect/pytorch/python_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace sparsecfg::dialect::pytorch {

Text number(double value) {
  const std::string text = base::python_repr(value);
  const bool named = text == "nan" || text == "inf" || text == "-inf";
  return {named ? fmt::format("float(\"{}\")", text) : text};
}

Text boolean(bool value) { return {value ? "True" : "False"}; }

constexpr std::size_t kPiece = 56;

Text python_string(std::string_view value) {
  if (value.size() <= kPiece) {
    return {base::python_repr(value)};
  }
  Text out{"(", {}, ")", " "};
  for (std::size_t at = 0; at < value.size();) {
    std::size_t end = at;
    while (end < value.size() && end - at < kPiece) static_cast<void>(base::next_code_point(value, end));
    out.parts.push_back({base::python_repr(value.substr(at, end - at))});
    at = end;
  }
  return out;
}

Text expression(std::string_view value) {
  if (value.size() <= kPiece) {
    return {std::string(value)};
  }
  Text out{"(", {}, ")", " "};
  while (!value.empty()) {
    const std::size_t blank = value.size() <= kPiece ? std::string_view::npos : value.rfind(' ', kPiece);
    const std::size_t end = std::min(blank, value.size());
    out.parts.push_back({std::string(value.substr(0, end))});
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return out;
}

Text call(std::string_view name, std::vector<Text> arguments) {
  return {fmt::format("{}(", name), std::move(arguments), ")"};
}

Text list(std::vector<Text> items) { return {"[", std::move(items), "]"}; }

Text tuple(std::vector<Text> items) { return {"(", std::move(items), ")"}; }

static Text prefixed(const std::string& prefix, Text value) {
  value.open = prefix + value.open;
  return value;
}

Text named(std::string_view name, Text value) { return prefixed(fmt::format("{}=", name), std::move(value)); }

Text lambda(std::string_view arguments, Text value) {
  return prefixed(fmt::format("lambda {}: ", arguments), std::move(value));
}

static std::string on_one_line(const Text& text) {
  std::string out = text.open;
  for (std::size_t at = 0; at < text.parts.size(); ++at) {
    out += (at == 0 ? "" : std::string(text.between)) + on_one_line(text.parts[at]);
  }
  return out + text.close;
}

std::string layout(const Text& text, std::size_t indent) {
  constexpr std::size_t kStep = 4;
  std::string line = on_one_line(text);
  if (text.parts.empty() || indent + line.size() < kWidth) {
    return line;
  }
  std::string out = text.open + "\n";
  for (const Text& part : text.parts) {
    out +=
        std::string(indent + kStep, ' ') + layout(part, indent + kStep) + std::string(base::trim(text.between)) + "\n";
  }
  return out + std::string(indent, ' ') + text.close;
}

}  // namespace sparsecfg::dialect::pytorch
