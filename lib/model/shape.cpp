#include "model/names.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/text.h"

namespace sparsecfg::model {

std::optional<std::uint64_t> elements_of(const Shape& shape) {
  std::uint64_t product = 1;
  bool empty = false;
  for (const std::uint64_t size : shape) {
    empty = empty || size == 0;
    if (size > limits::kMaxElements || (size > 0 && product > limits::kMaxElements / size)) {
      return std::nullopt;
    }
    product *= size > 0 ? size : 1;
  }
  if (shape.size() > limits::kMaxDimensions) {
    return std::nullopt;
  }
  return empty ? 0 : product;
}

static std::string_view without_brackets(std::string_view text) {
  const bool bracketed =
      text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'));
  return bracketed ? base::trim(text.substr(1, text.size() - 2)) : text;
}

static std::optional<std::uint64_t> read_size(std::string_view text) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(size) : std::nullopt;
}

std::optional<Shape> read_shape(std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  std::string_view rest = without_brackets(trimmed);
  Shape shape;
  if (rest.empty()) {
    return rest.size() < trimmed.size() ? std::optional(shape) : std::nullopt;
  }
  // Python writes a trailing comma in a tuple with one item.
  if (rest.ends_with(',')) {
    rest.remove_suffix(1);
  }
  while (shape.size() <= limits::kMaxDimensions) {
    const std::size_t end = std::min(rest.find_first_of(",x"), rest.size());
    const auto size = read_size(base::trim(rest.substr(0, end)));
    if (!size) {
      return std::nullopt;
    }
    shape.push_back(*size);
    if (end == rest.size()) {
      return elements_of(shape) ? std::optional(shape) : std::nullopt;
    }
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string to_text(const Shape& shape) {
  std::string text;
  for (const std::uint64_t size : shape) {
    text += (text.empty() ? "" : "x") + std::to_string(size);
  }
  return text.empty() ? "a scalar" : text;
}

}  // namespace sparsecfg::model
