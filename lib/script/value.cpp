#include "script/value.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number.h"
#include "script/limits.h"

namespace sparsecfg::script {

using Kind = Value::Kind;

Value::~Value() {
  thread_local std::vector<std::shared_ptr<void>> waiting;
  thread_local bool is_destroying = false;
  waiting.insert(waiting.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  waiting.insert(waiting.end(), std::make_move_iterator(variants.begin()), std::make_move_iterator(variants.end()));
  waiting.insert(waiting.end(), std::make_move_iterator(aliases.begin()), std::make_move_iterator(aliases.end()));
  waiting.push_back(std::move(scope));
  waiting.push_back(std::move(owner));
  if (is_destroying) {
    return;
  }
  is_destroying = true;
  while (!waiting.empty()) {
    const std::shared_ptr<void> next = std::move(waiting.back());
    waiting.pop_back();
  }
  is_destroying = false;
}

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

Ref Value::argument(std::string_view name, std::size_t position) const {
  if (Ref named = argument(name)) return named;
  return position + names.size() < items.size() ? items[position] : nullptr;
}

Ref unknown(source::Span span, std::string why) {
  auto out = std::make_shared<Value>();
  out->span = span;
  out->why = span;
  out->text = std::move(why);
  return out;
}

Ref scalar(source::Span span, source::Value::Data data) {
  auto out = std::make_shared<Value>();
  out->kind = Kind::scalar;
  out->span = span;
  out->data = std::move(data);
  return out;
}

Ref container(Kind kind, source::Span span, std::vector<Ref> items) {
  auto out = std::make_shared<Value>();
  out->kind = kind;
  out->span = span;
  out->items = std::move(items);
  return out;
}

bool is_none(const Value& value) {
  return value.kind == Kind::scalar && std::holds_alternative<std::monostate>(value.data);
}

bool is_given(const Ref& value) { return value != nullptr && !is_none(*value); }

bool is_true(const Ref& value) {
  return value != nullptr && value->kind == Kind::scalar && value->data == source::Value::Data(true);
}

bool is_false(const Ref& value) {
  return value != nullptr && value->kind == Kind::scalar && value->data == source::Value::Data(false);
}

const std::string* whole_string(const Ref& value) {
  return value == nullptr || !value->is_whole() ? nullptr : value->string();
}

bool is_sequence(const Value& value) {
  return (value.kind == Kind::list || value.kind == Kind::tuple || value.kind == Kind::set) && !value.open;
}

bool is_closed_mapping(const Value& value) { return value.kind == Kind::dictionary && !value.open; }

bool has_dictionary(const std::vector<Ref>& values) {
  return std::ranges::any_of(values,
                             [](const Ref& value) { return value != nullptr && value->kind == Kind::dictionary; });
}

bool is_mutable(const Value& value) {
  switch (value.kind) {
    case Kind::list:
    case Kind::set:
    case Kind::dictionary:
    case Kind::object:
    case Kind::instance:
    case Kind::type: return true;
    case Kind::unknown:
    case Kind::scalar:
    case Kind::tuple:
    case Kind::name:
    case Kind::function:
    case Kind::method:
    case Kind::partial: return false;
  }
  return false;
}

static std::optional<std::string> scalar_key(const source::Value::Data& data) {
  if (const auto* text = std::get_if<std::string>(&data)) return "s" + *text;
  if (const auto* flag = std::get_if<bool>(&data)) return *flag ? "i1" : "i0";
  if (const auto* integer = std::get_if<std::int64_t>(&data)) return "i" + std::to_string(*integer);
  if (const auto* big = std::get_if<source::BigInt>(&data)) return "i" + big->digits;
  if (std::holds_alternative<std::monostate>(data)) return "n";
  const auto* real = std::get_if<double>(&data);
  constexpr double kMaxExact = 9007199254740992.0;
  if (real == nullptr || std::isnan(*real) || (std::abs(*real) > kMaxExact && !std::isinf(*real))) return std::nullopt;
  const bool whole = *real == std::floor(*real) && !std::isinf(*real);
  return whole ? "i" + std::to_string(static_cast<std::int64_t>(*real)) : "d" + base::python_repr(*real);
}

// `parts` is the number of further parts that a key may have.
static std::optional<std::string> key_text(const Value& key, std::size_t& parts) {
  if (parts == 0) return std::nullopt;
  --parts;
  if (key.kind == Kind::scalar) {
    return key.is_whole() && key.role == Value::Role::plain ? scalar_key(key.data) : std::nullopt;
  }
  if (key.kind != Kind::tuple || key.open) return std::nullopt;
  std::string out = "t" + std::to_string(key.items.size());
  for (const Ref& item : key.items) {
    const auto part = key_text(*item, parts);
    if (!part) return std::nullopt;
    out += "," + std::to_string(part->size()) + ":" + *part;
  }
  return out;
}

std::optional<std::string> key_text(const Value& key) {
  std::size_t parts = limits::kMaxScriptKeyParts;
  return key_text(key, parts);
}

bool has_key(const Value& value, const std::string& key) {
  if (const std::string* text = value.string()) {
    return key.size() == text->size() + 1 && key[0] == 's' && key.compare(1, std::string::npos, *text) == 0 &&
           value.is_whole() && value.role == Value::Role::plain;
  }
  return key_text(value) == key;
}

// A large dictionary has an index, which is built when it is needed.
std::size_t place_of(const Value& dictionary, const std::string& key) {
  constexpr std::size_t kMinIndexed = 16;
  const auto& items = dictionary.items;
  if (items.size() < kMinIndexed) {
    for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
      if (has_key(*items[at], key)) return at;
    }
    return items.size();
  }
  auto& index = const_cast<Value&>(dictionary).index;
  if (index.empty()) {
    for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
      if (const auto text = key_text(*items[at])) index.emplace(*text, at);
    }
  }
  const auto found = index.find(key);
  return found == index.end() ? items.size() : found->second;
}

void make_unique(Value& set) {
  std::set<std::string> seen;
  std::vector<Ref> items;
  for (const Ref& item : set.items) {
    const auto key = key_text(*item);
    if (!key) {
      set.open = true;
      set.why = item->why.empty() ? item->span : item->why;
      set.text = item->text.empty() ? "an element is unknown" : item->text;
    }
    if (!key || seen.insert(*key).second) items.push_back(item);
  }
  set.items = std::move(items);
}

Ref find(const Value& dictionary, std::string_view key) {
  const std::size_t place = place_of(dictionary, "s" + std::string(key));
  return place < dictionary.items.size() ? dictionary.items[place + 1] : nullptr;
}

void put(Value& dictionary, const Ref& key, const Ref& value) {
  const auto text = key_text(*key);
  const std::size_t place = text ? place_of(dictionary, *text) : dictionary.items.size();
  if (place < dictionary.items.size()) {
    dictionary.items[place + 1] = value;
    return;
  }
  if (!dictionary.index.empty() && text) dictionary.index.emplace(*text, dictionary.items.size());
  dictionary.items.push_back(key);
  dictionary.items.push_back(value);
}

void erase_entry(Value& dictionary, std::size_t place) {
  dictionary.items.erase(dictionary.items.begin() + static_cast<std::ptrdiff_t>(place),
                         dictionary.items.begin() + static_cast<std::ptrdiff_t>(place) + 2);
  dictionary.index.clear();
}

void set_argument(Value& object, const std::string& name, source::Span span, const Ref& value) {
  const std::size_t positional = object.items.size() - object.names.size();
  for (std::size_t at = 0; at < object.names.size(); ++at) {
    if (object.names[at].value == name) {
      object.items[positional + at] = value;
      return;
    }
  }
  object.items.push_back(value);
  object.names.push_back({name, span});
}

// An object that is copied often has many links, which must not be copied, too.
Ref shallow_copy(const Ref& value) {
  auto linked = std::move(value->linked);
  auto index = std::move(value->index);
  value->linked.clear();
  value->index.clear();
  Ref out = std::make_shared<Value>(*value);
  value->linked = std::move(linked);
  value->index = std::move(index);
  out->logged = 0;
  return out;
}

namespace {

class Copier {
 public:
  Copier(base::Budget& budget, std::size_t limit, std::size_t born) : budget_(budget), limit_(limit), born_(born) {}

  Ref copy(const Ref& value, int depth) {
    constexpr int kMaxDepth = 100;
    if (value == nullptr || value->kind == Kind::scalar || depth > kMaxDepth || failed_) {
      failed_ = failed_ || (value != nullptr && value->kind != Kind::scalar && depth > kMaxDepth);
      return value;
    }
    const auto [place, is_new] = copied_.try_emplace(value.get());
    if (!is_new) {
      return place->second == nullptr ? value : place->second;
    }
    const Ref out = shallow_copy(value);
    place->second = out;
    spent_ += 1 + value->items.size();
    failed_ = spent_ > limit_ || !budget_.allocate(sizeof(Value) + value->items.size() * sizeof(Ref));
    out->born = born_;
    if (out->kind == Kind::dictionary) out->path.clear();
    for (Ref& item : out->items) item = copy(item, depth + 1);
    for (Ref& variant : out->variants) variant = copy(variant, depth + 1);
    out->origin = value->identity();
    return out;
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  base::Budget& budget_;
  std::size_t limit_;
  std::size_t born_;
  std::size_t spent_ = 0;
  bool failed_ = false;
  std::map<const Value*, Ref> copied_;
};

}  // namespace

Ref copy(const Ref& value, base::Budget& budget, std::size_t limit, std::size_t born) {
  Copier copier(budget, limit, born);
  Ref out = copier.copy(value, 0);
  return copier.failed() ? nullptr : out;
}

}  // namespace sparsecfg::script
