#include "doc/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "doc/scalar_type.h"

namespace sparsecfg::doc {

namespace {

// Reads one flow value and writes it in another language.
class Converter {
 public:
  Converter(Language language, Keys keys, std::string_view text) : language_(language), keys_(keys), text_(text) {}

  std::optional<std::string> value() {
    auto out = read_value("");
    skip_blanks();
    return at_ == text_.size() ? out : std::nullopt;
  }

  std::optional<std::string> entry() {
    auto out = read_entry("", keys_);
    skip_blanks();
    return at_ == text_.size() ? out : std::nullopt;
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  bool take(char c) {
    skip_blanks();
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }

  std::optional<std::string> read_value(std::string_view ends) {
    skip_blanks();
    if (at_ >= text_.size()) return std::nullopt;
    const char first = text_[at_];
    if (first == '[' || first == '{') return read_collection(first == '[' ? ']' : '}');
    return first == '"' || first == '\'' ? read_quoted(first) : read_plain(ends);
  }

  std::optional<std::string> read_collection(char close) {
    const char open = text_[at_];
    const auto parts =
        read_parts(close, [&] { return open == '[' ? read_value(",]") : read_entry(",}", Keys::quoted); });
    return parts ? std::optional(open + *parts + close) : std::nullopt;
  }

  // Reads what is between two brackets, and the brackets.
  template <class Read>
  std::optional<std::string> read_parts(char close, const Read& read) {
    std::string out;
    ++at_;
    while (!take(close)) {
      if (!out.empty() && !take(',')) return std::nullopt;
      const std::optional<std::string> part = read();
      if (!part) return std::nullopt;
      out += (out.empty() ? "" : ", ") + *part;
    }
    return out;
  }

  std::optional<std::string> read_entry(std::string_view ends, Keys keys) {
    skip_blanks();
    const bool is_quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    const auto name = is_quoted ? read_quoted(text_[at_]) : read_name();
    if (!name || !text_.substr(at_).starts_with(": ")) return std::nullopt;
    at_ += 2;
    const bool keyword = language_ == Language::python && keys == Keys::keywords && !is_quoted;
    if (keyword && is_class(*name) && text_.substr(at_).starts_with('{')) return read_call(*name);
    const auto value = read_value(ends);
    if (!value) return std::nullopt;
    const bool number = language_ == Language::python && resolve_plain(*name) == ScalarType::integer;
    return keyword               ? fmt::format("{}={}", *name, *value)
           : is_quoted || number ? fmt::format("{}: {}", *name, *value)
                                 : fmt::format("\"{}\": {}", *name, *value);
  }

  static bool is_class(std::string_view name) { return name.front() >= 'A' && name.front() <= 'Z'; }

  // Reads the mapping of a class as a call: `QuantizationModifier(ignore=["lm_head"])`.
  std::optional<std::string> read_call(const std::string& name) {
    const auto parts = read_parts('}', [this] { return read_entry(",}", Keys::keywords); });
    return parts ? std::optional(fmt::format("{}({})", name, *parts)) : std::nullopt;
  }

  // Reads a word or a whole number.
  std::optional<std::string> read_name() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && base::is_name_letter(text_[at_])) ++at_;
    return at_ == begin ? std::nullopt : std::optional(std::string(text_.substr(begin, at_ - begin)));
  }

  std::optional<std::string> read_quoted(char quote) {
    std::string content;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) ++at_;
      content += text_[at_];
    }
    if (at_++ >= text_.size()) return std::nullopt;
    return quoted(content);
  }

  std::optional<std::string> read_plain(std::string_view ends) {
    const std::size_t end = std::min(text_.find_first_of(ends.empty() ? "[]{}," : ends, at_), text_.size());
    const std::string_view word = base::trim(text_.substr(at_, end - at_));
    at_ = end;
    if (word.empty() || word.find(": ") != std::string_view::npos) return std::nullopt;
    return word == "..." ? std::string(word) : plain(word);
  }

  [[nodiscard]] std::string plain(std::string_view word) const {
    const bool python = word == "None" || word == "True" || word == "False";
    if (python && language_ == Language::python) return std::string(word);
    switch (resolve_plain(word)) {
      case ScalarType::boolean: return constant(base::to_lower(word) == "true" ? "true" : "false");
      case ScalarType::null: return constant("null");
      case ScalarType::string: return quoted(word);
      default: return std::string(word);
    }
  }

  [[nodiscard]] std::string constant(std::string_view word) const {
    if (language_ == Language::json) return std::string(word);
    return word == "true" ? "True" : word == "false" ? "False" : "None";
  }

  // Returns a string literal. Scripts write patterns as raw strings.
  [[nodiscard]] std::string quoted(std::string_view content) const {
    const bool raw = content.find('\\') != std::string_view::npos && content.find('"') == std::string_view::npos;
    if (raw && language_ == Language::python && !content.ends_with('\\')) return fmt::format("r\"{}\"", content);
    std::string out = "\"";
    for (const char c : content) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  }

  Language language_;
  Keys keys_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> value_in(Language language, std::string_view yaml) {
  return language == Language::yaml ? std::optional(std::string(yaml))
                                    : Converter(language, Keys::quoted, yaml).value();
}

std::optional<std::string> entry_in(Language language, Keys keys, std::string_view yaml) {
  return language == Language::yaml ? std::optional(std::string(yaml)) : Converter(language, keys, yaml).entry();
}

// Converts the text between two backticks, if it is a collection, an entry, a constant, or a pattern for JSON.
static std::string code_in(Language language, Keys keys, std::string_view code) {
  static constexpr std::array<std::string_view, 3> kConstants = {"true", "false", "null"};
  const bool collection = code.starts_with('[') || code.starts_with('{');
  if (collection || base::contains(kConstants, code)) return value_in(language, code).value_or(std::string(code));
  if (auto entry = entry_in(language, keys, code)) return *entry;
  // A pattern that is pasted into JSON without its escapes is a syntax error.
  const bool escapes = language == Language::json && code.find('\\') != code.npos && code.find('"') == code.npos;
  return escapes ? value_in(language, fmt::format("'{}'", code)).value_or(std::string(code)) : std::string(code);
}

std::string help_in(Language language, Keys keys, std::string_view help) {
  if (language == Language::yaml) {
    return std::string(help);
  }
  std::string out;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t open = help.find('`', at);
    const std::size_t close = open == std::string_view::npos ? open : help.find('`', open + 1);
    if (close == std::string_view::npos) return out += help.substr(at);
    out += help.substr(at, open + 1 - at);
    out += code_in(language, keys, help.substr(open + 1, close - open - 1)) + '`';
    at = close + 1;
  }
  return out;
}

}  // namespace sparsecfg::doc
