#include "dialect/quantizers/program.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::quantizers {

using script::Ref;
using script::Value;

std::span<const Ref> calls_that_run(const script::Trace& trace) {
  return std::span(trace.objects).first(std::min(trace.reached, trace.objects.size()));
}

bool runs_before(const script::Trace& trace, const Value& first, const Value& second) {
  return trace.branches.is_within(second.branch, first.branch);
}

bool is_method(const Value& call, std::string_view name) {
  const bool method = call.kind == Value::Kind::object && call.owner != nullptr && call.path.starts_with('.');
  return method && std::string_view(call.path).substr(1) == name;
}

bool is_of(const Value& call, const Value& object) {
  return call.owner != nullptr && call.owner->identity() == object.identity();
}

bool receives(const Value& call, const Value& object) {
  return std::ranges::any_of(call.items,
                             [&](const Ref& item) { return item != nullptr && item->identity() == object.identity(); });
}

std::string_view text_at(const script::Trace& trace, source::Span span) {
  const bool has_text = span.begin < span.end && span.end <= trace.text.size();
  return has_text ? trace.text.substr(span.begin, span.end - span.begin) : std::string_view();
}

// Returns the place of a name, possibly with dots, after the sign `=`; empty for anything else.
static source::Span name_after(std::string_view text, std::uint32_t begin) {
  const auto skip = [&](std::string_view blanks) {
    const std::size_t next = text.find_first_not_of(blanks, begin);
    begin = static_cast<std::uint32_t>(std::min(next, text.size()));
  };
  skip(" ");
  if (begin >= text.size() || text[begin] != '=') return {};
  ++begin;
  skip(" ");
  const auto is_name = [](char c) { return base::is_name_letter(c) || c == '.'; };
  const auto end = std::find_if_not(text.begin() + begin, text.end(), is_name);
  const source::Span out{begin, static_cast<std::uint32_t>(end - text.begin())};
  const std::size_t next = text.find_first_not_of(" \r\n", out.end);
  const bool whole = next != text.npos && (text[next] == ',' || text[next] == ')');
  return whole ? out : source::Span();
}

source::Span place_of_argument(const script::Trace& trace, const Value& call, std::string_view name) {
  const auto given = std::ranges::find(call.names, name, &source::Located<std::string>::value);
  const Ref value = call.argument(name);
  if (given == call.names.end() || value == nullptr) return {};
  if (call.span.begin <= value->span.begin && value->span.end <= call.span.end) return value->span;
  const source::Span place = name_after(trace.text, given->span.end);
  return place.empty() ? given->span : place;
}

const Value* method_after(std::span<const Ref> calls, std::size_t place, const Value& object, std::string_view name) {
  for (const Ref& call : calls.subspan(std::min(place, calls.size()))) {
    if (is_method(*call, name) && is_of(*call, object)) return call.get();
  }
  return nullptr;
}

// Returns the type that an argument names: `torch.float16` or "float16".
static std::optional<StatedType> named_type(const Value& value) {
  constexpr std::string_view kModule = "torch.";
  const std::string* text = value.string();
  const bool name = value.kind == Value::Kind::name && value.path.starts_with(kModule);
  if (!name && text == nullptr) return std::nullopt;
  std::string_view type = name ? std::string_view(value.path) : std::string_view(*text);
  if (type.starts_with(kModule)) type.remove_prefix(kModule.size());
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"half", "float16"}, {"float", "float32"}, {"double", "float64"}};
  for (const auto& [other, usual] : kShort) {
    if (type == other) type = usual;
  }
  constexpr std::string_view kTypes[] = {"float16", "bfloat16", "float32", "float64"};
  return base::contains(kTypes, type) ? std::optional(StatedType{std::string(type), value.span}) : std::nullopt;
}

// Returns the type that a conversion of a model names; nullopt if it names none. `is_open`: it may name one.
static std::optional<StatedType> type_of_conversion(const Value& call, bool& is_open) {
  constexpr std::pair<std::string_view, std::string_view> kConversions[] = {
      {"half", "float16"}, {"bfloat16", "bfloat16"}, {"float", "float32"}, {"double", "float64"}};
  for (const auto& [method, type] : kConversions) {
    if (is_method(call, method)) return StatedType{std::string(type), call.span};
  }
  if (!is_method(call, "to")) return std::nullopt;
  is_open = is_open || call.open;
  std::optional<StatedType> out;
  for (const Ref& argument : call.items) {
    if (auto type = named_type(*argument)) out = std::move(type);
    is_open = is_open || argument->kind == Value::Kind::unknown;
  }
  return out;
}

// Returns the type that a model is loaded with. Code that gets the model after `call` does not matter.
static std::optional<StatedType> type_when_loaded(const Value& model, const Value& call) {
  const bool later = model.escaped && model.why.begin > call.span.begin && model.argument("**") == nullptr;
  if ((model.open && !later) || !model.path.ends_with("from_pretrained")) return std::nullopt;
  const Ref given = model.argument("dtype") != nullptr ? model.argument("dtype") : model.argument("torch_dtype");
  return given == nullptr ? std::nullopt : named_type(*given);
}

std::optional<StatedType> parameter_type(const script::Trace& trace, const Value& model, const Value& call) {
  std::optional<StatedType> out = type_when_loaded(model, call);
  for (const Ref& each : calls_that_run(trace)) {
    if (each->identity() == call.identity()) break;
    if (!is_of(*each, model)) continue;
    bool is_open = false;
    auto type = type_of_conversion(*each, is_open);
    if (type || is_open) out = is_open ? std::nullopt : std::move(type);
  }
  return out;
}

}  // namespace sparsecfg::dialect::quantizers
