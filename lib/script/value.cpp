#include "script/value.h"

#include <algorithm>
#include <map>

namespace sparsecfg::script {

bool Value::is_whole() const {
  return std::ranges::none_of(pieces, [](const Piece& piece) { return piece.hole; });
}

Ref Value::argument(std::string_view name) const {
  const std::size_t positional = items.size() - names.size();
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (names[at].value == name) return items[positional + at];
  }
  return nullptr;
}

Ref unknown(source::Span span, std::string why) {
  auto out = std::make_shared<Value>();
  out->span = span;
  out->text = std::move(why);
  return out;
}

Ref scalar(source::Span span, source::Value::Data data) {
  auto out = std::make_shared<Value>();
  out->kind = Value::Kind::scalar;
  out->span = span;
  out->data = std::move(data);
  return out;
}

Ref container(Value::Kind kind, source::Span span, std::vector<Ref> items) {
  auto out = std::make_shared<Value>();
  out->kind = kind;
  out->span = span;
  out->items = std::move(items);
  return out;
}

Ref find(const Value& dictionary, std::string_view key) {
  for (std::size_t at = 0; at + 1 < dictionary.items.size(); at += 2) {
    const std::string* text = dictionary.items[at]->string();
    if (text != nullptr && *text == key) return dictionary.items[at + 1];
  }
  return nullptr;
}

// Values that occur repeatedly in the original are also shared in the copy.
static Ref copy(const Ref& value, std::map<const Value*, Ref>& copied) {
  const auto [place, is_new] = copied.try_emplace(value.get());
  if (is_new) {
    place->second = std::make_shared<Value>(*value);
    const Ref out = place->second;
    if (out->kind == Value::Kind::dictionary) out->path.clear();
    for (Ref& item : out->items) item = copy(item, copied);
    return out;
  }
  return place->second == nullptr ? value : place->second;
}

Ref copy(const Ref& value) {
  std::map<const Value*, Ref> copied;
  return copy(value, copied);
}

}  // namespace sparsecfg::script
