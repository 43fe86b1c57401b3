#include "script/library/formats.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "script/interpreter.h"
#include "script/text_builder.h"

// `str.format` and the operator `%`. A template is first parsed to its parts.
namespace sparsecfg::script {

using Kind = Value::Kind;

namespace {

// A part of a template: literal text, or a field.
struct TemplatePart {
  std::string literal{};
  bool is_field = false;
  std::string key{};                  // a name or number; empty for the next value
  std::optional<std::string> spec{};  // what follows `:`; for `%` the flags
  char conversion = 0;                // what follows `!`, or the type of a `%` field
  bool named = false;                 // `%(key)s`
};

using Template = std::vector<TemplatePart>;

TemplatePart literal_part(std::string_view text) { return {.literal = std::string(text)}; }

// Parses the field between braces.
TemplatePart field_part(std::string_view field) {
  TemplatePart out{.is_field = true};
  const std::size_t end = std::min(field.find_first_of("!:"), field.size());
  out.key = field.substr(0, end);
  if (end == field.size()) return out;
  if (field[end] == ':') {
    out.spec = field.substr(end + 1);
  } else {
    out.conversion = end + 1 < field.size() ? field[end + 1] : '?';
  }
  return out;
}

// Returns nullopt for nested fields and single braces.
std::optional<Template> parse_braces(std::string_view text) {
  Template out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
    if (brace > at) out.push_back(literal_part(text.substr(at, brace - at)));
    if (brace == text.size()) break;
    if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
      out.push_back(literal_part(text.substr(brace, 1)));
      at = brace + 2;
      continue;
    }
    const std::size_t close = text.find_first_of("{}", brace + 1);
    if (text[brace] == '}' || close == std::string_view::npos || text[close] == '{') return std::nullopt;
    out.push_back(field_part(text.substr(brace + 1, close - brace - 1)));
    at = close + 1;
  }
  return out;
}

// Parses the field after a percent sign, and moves `at` behind it. Returns nullopt if it is not complete.
std::optional<TemplatePart> percent_part(std::string_view text, std::size_t& at) {
  TemplatePart out{.is_field = true};
  if (text.substr(at, 1) == "(") {
    const std::size_t close = text.find(')', at);
    if (close == std::string_view::npos) return std::nullopt;
    out.key = text.substr(at + 1, close - at - 1);
    out.named = true;
    at = close + 1;
  }
  const std::size_t type = text.find_first_not_of("0123456789.-+ #", at);
  if (type == std::string_view::npos) return std::nullopt;
  out.spec = text.substr(at, type - at);
  out.conversion = text[type];
  at = type + 1;
  return out;
}

std::optional<Template> parse_percent(std::string_view text) {
  Template out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t sign = std::min(text.find('%', at), text.size());
    if (sign > at) out.push_back(literal_part(text.substr(at, sign - at)));
    if (sign == text.size()) break;
    at = sign + 1;
    if (text.substr(at, 1) == "%") {
      out.push_back(literal_part("%"));
      ++at;
      continue;
    }
    auto part = percent_part(text, at);
    if (!part) return std::nullopt;
    out.push_back(std::move(*part));
  }
  return out;
}

// Returns the value of a field of `str.format`, or null. `next` counts fields without a key.
Ref value_of(const TemplatePart& field, const Call& call, std::size_t& next) {
  constexpr std::size_t kMaxDigits = 3;
  const bool number =
      !field.key.empty() && std::ranges::all_of(field.key, base::is_digit) && field.key.size() <= kMaxDigits;
  if (!number && !field.key.empty()) return call.arguments.named_argument(field.key);
  const std::size_t index = number ? std::stoul(field.key) : next++;
  return index < call.rest.size() ? call.rest[index] : nullptr;
}

void add_field(const TemplatePart& field, const Ref& value, source::Span place, const Call& call, TextBuilder& out) {
  if (value == nullptr) return out.add_hole(place);
  out.inherit(*value);
  if (!field.spec && field.conversion == 0) return out.show(value, place);
  const auto shown = field.spec ? call.interpreter.format_of(*value, *field.spec) : std::nullopt;
  if (shown) return out.add(*shown, place);
  call.interpreter.touch(value, call.node.span);
  out.add_hole(place);
}

// Returns the text of a field of the operator `%`, or nullopt.
std::optional<std::string> percent_text(Interpreter& in, const TemplatePart& field, const Value& value) {
  const std::string& flags = *field.spec;
  const bool digits = flags.find_first_not_of("0123456789") == std::string::npos;
  const bool plain = flags.find_first_not_of("0123456789.") == std::string::npos;
  const Types type = types_of(value);
  switch (field.conversion) {
    case 'r': return flags.empty() ? in.repr_of(value) : std::nullopt;
    case 'd':
    case 'i': return type == types::integer && digits ? in.format_of(value, flags + "d") : std::nullopt;
    case 'f': return type == types::real && plain ? in.format_of(value, flags + "f") : std::nullopt;
    default: return std::nullopt;
  }
}

// The values of the operator `%`: those of a tuple or dictionary, or one.
class PercentValues {
 public:
  explicit PercentValues(const Ref& values)
      : values_(values), several_(values->kind == Kind::tuple), named_(values->kind == Kind::dictionary) {}

  // Returns null if there is no value.
  Ref next(const TemplatePart& field) {
    if (field.named) return named_ ? find(*values_, field.key) : nullptr;
    if (named_ || used_ >= (several_ ? values_->items.size() : 1)) return nullptr;
    return several_ ? values_->items[used_++] : (++used_, values_);
  }

  [[nodiscard]] bool has_more() const { return several_ && used_ != values_->items.size(); }

 private:
  Ref values_;
  bool several_;
  bool named_;
  std::size_t used_ = 0;
};

}  // namespace

// All parts of the result have the place of the template, which is then not a recipe itself.
Ref formatted(const Call& call) {
  Interpreter& in = call.interpreter;
  const source::Span here = call.node.span;
  if (!call.self->is_whole()) return in.depends(here, {call.self});
  const auto parts = parse_braces(call.text());
  if (!parts) return in.opaque(here, "the format is not read");
  const std::vector<Piece>& places = call.self->pieces;
  const source::Span place = places.empty() ? here : source::Span{places.front().span.begin, places.back().span.end};
  TextBuilder out(in, here);
  std::size_t next = 0;
  for (const TemplatePart& part : *parts) {
    if (!out.fits()) break;
    if (part.is_field) {
      add_field(part, value_of(part, call, next), place, call, out);
    } else {
      out.add(part.literal, place);
    }
  }
  out.inherit(*call.self);
  return out.take();
}

Ref percent(Interpreter& in, const Ref& format, const Ref& values, const python::Node& node) {
  const bool known = values->kind == Kind::scalar || values->kind == Kind::list || values->kind == Kind::dictionary ||
                     (values->kind == Kind::tuple && !values->open);
  if (!known || !format->is_whole()) return in.depends(node.span, {format, values}, "the format is not known");
  const auto parts = in.reads(format->string()->size()) ? parse_percent(*format->string()) : std::nullopt;
  if (!parts) return in.opaque(node.span, "the format is not read");
  PercentValues arguments(values);
  TextBuilder out(in, node.span);
  for (const TemplatePart& part : *parts) {
    if (!part.is_field) {
      out.add(part.literal, node.span);
      continue;
    }
    const Ref value = arguments.next(part);
    if (value == nullptr) return in.depends(node.span, {values}, "a value of the format is missing");
    out.inherit(*value);
    const auto shown = percent_text(in, part, *value);
    if (part.conversion == 's' && part.spec->empty()) {
      out.show(value, node.span);
    } else if (shown) {
      out.add(*shown, node.span);
    } else {
      in.touch(value, node.span);
      out.add_hole(node.span);
    }
  }
  if (arguments.has_more()) return in.opaque(node.span, "there are too many values");
  out.inherit(*format);
  return out.take();
}

}  // namespace sparsecfg::script
