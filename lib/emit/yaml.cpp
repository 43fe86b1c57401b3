#include "emit/node.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "doc/scalar_type.h"

namespace sparsecfg::emit {

// A longer list gets one item per line.
constexpr std::size_t kWidth = 80;
// YAML limits a simple key to this many characters before its colon.
constexpr std::size_t kMaxKeyLength = 1000;

// Characters that are ordinary in YAML at any position.
static bool is_harmless(char c) {
  return base::is_letter(c) || base::is_digit(c) || std::string_view("_./+-").find(c) != std::string_view::npos;
}

// Returns true if PyYAML reads the unquoted text as a string.
static bool needs_no_quotes(const std::string& text) {
  return !text.empty() && (base::is_letter(text.front()) || text.front() == '_') &&
         std::ranges::all_of(text, is_harmless) && doc::resolve_plain(text) == doc::ScalarType::string;
}

// YAML folds Unicode line breaks, and other marks are invisible.
static bool needs_escapes(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = base::next_code_point(text, at);
    constexpr char32_t kLineSeparator = 0x2028;
    constexpr char32_t kParagraphSeparator = 0x2029;
    if (base::is_unsafe(code) || code == kLineSeparator || code == kParagraphSeparator) {
      return true;
    }
  }
  return false;
}

static void write(YAML::Emitter& out, const Scalar& scalar) {
  if (!scalar.is_text && scalar.text == "null") {
    out << YAML::LowerNull << YAML::Null;
  } else if (!scalar.is_text || needs_no_quotes(scalar.text)) {
    out << scalar.text;
  } else if (needs_escapes(scalar.text)) {
    out << YAML::EscapeNonAscii << YAML::DoubleQuoted << scalar.text;
  } else {
    out << YAML::SingleQuoted << scalar.text;
  }
}

// Returns the width of a node on one line, or nullopt if it needs several lines.
static std::optional<std::size_t> width_of(const Node& node) {
  if (const auto* scalar = std::get_if<Scalar>(&node.data)) {
    return scalar->text.size() + (scalar->is_text && !needs_no_quotes(scalar->text) ? 2 : 0);
  }
  const auto* items = std::get_if<Sequence>(&node.data);
  if (items == nullptr || !node.tag.empty()) {
    return std::nullopt;
  }
  std::size_t sum = 2;
  for (const Node& item : *items) {
    const auto width = width_of(item);
    if (!width) {
      return std::nullopt;
    }
    sum += *width + 2;
  }
  return sum;
}

static void write(YAML::Emitter& out, const Node& node);

static void write(YAML::Emitter& out, const Sequence& items, bool in_line) {
  out << (in_line ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
  for (const Node& item : items) {
    write(out, item);
  }
  out << YAML::EndSeq;
}

static void write(YAML::Emitter& out, const Mapping& pairs) {
  out << (pairs.empty() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
  for (const auto& [key, value] : pairs) {
    if (width_of(key).value_or(kMaxKeyLength) >= kMaxKeyLength) {
      out << YAML::LongKey;
    }
    out << YAML::Key;
    write(out, key);
    out << YAML::Value;
    write(out, value);
  }
  out << YAML::EndMap;
}

static void write(YAML::Emitter& out, const Node& node) {
  if (!node.tag.empty()) {
    out << YAML::LocalTag(node.tag);
  }
  std::visit(base::Overloaded{
                 [&](const Scalar& scalar) { write(out, scalar); },
                 [&](const Sequence& items) {
                   write(out, items, items.empty() || width_of(node).value_or(kWidth + 1) <= kWidth);
                 },
                 [&](const Mapping& pairs) { write(out, pairs); },
             },
             node.data);
}

std::optional<std::string> to_yaml(const Node& root) {
  YAML::Emitter out;
  write(out, root);
  if (!out.good()) {
    return std::nullopt;
  }
  std::string text;
  text.reserve(out.size() + 1);
  text.append(out.c_str(), out.size()).push_back('\n');
  return text;
}

}  // namespace sparsecfg::emit
