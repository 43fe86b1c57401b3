#include "source/value.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparsecfg::source {

Value::Data integer_of(std::string_view digits) {
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
  return error == std::errc() ? Value::Data(integer) : Value::Data(BigInt{std::string(digits)});
}

namespace {

// Builds a value during parsing, without recursion.
class JsonReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add({}); }

  bool boolean(bool flag) override { return add({flag, {}}); }

  bool number_integer(number_integer_t number) override { return add({static_cast<std::int64_t>(number), {}}); }

  bool number_unsigned(number_unsigned_t number) override { return add({integer_of(std::to_string(number)), {}}); }

  // Also called for integers of more than 64 bits, with their digits.
  bool number_float(number_float_t number, const string_t& text) override {
    const bool integer = text.find_first_not_of("-0123456789") == std::string::npos;
    return add({integer ? integer_of(text) : Value::Data(static_cast<double>(number)), {}});
  }

  bool string(string_t& text) override { return add({std::move(text), {}}); }

  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open({Map(), {}}); }

  bool start_array(std::size_t) override { return open({List(), {}}); }

  bool key(string_t& text) override {
    open_.back().key = std::move(text);
    return true;
  }

  bool end_object() override { return close(); }

  bool end_array() override { return close(); }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::detail::exception&) override {
    error_at = read == 0 ? 0 : read - 1;
    return false;
  }

  Value value;
  bool too_deep = false;
  std::size_t error_at = 0;  // offset of the first syntax error, if any

 private:
  struct Open {
    Value value;
    std::string key{};                                      // key of the next member
    std::unordered_map<std::string, std::size_t> places{};  // of the members, by key
  };

  bool open(Value empty) {
    constexpr std::size_t kMaxJsonDepth = 128;
    too_deep = open_.size() >= kMaxJsonDepth;
    open_.push_back({std::move(empty)});
    return !too_deep;
  }

  bool close() {
    Value done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  bool add(Value item) {
    if (open_.empty()) {
      value = std::move(item);
    } else if (auto* list = std::get_if<List>(&open_.back().value.data)) {
      list->push_back(std::move(item));
    } else {
      add_member(open_.back(), std::move(item));
    }
    return true;
  }

  // If a key is repeated, the last value is used.
  static void add_member(Open& open, Value item) {
    auto& map = std::get<Map>(open.value.data);
    const auto [place, added] = open.places.try_emplace(open.key, map.size());
    if (added) {
      map.emplace_back(Value{open.key, {}}, std::move(item));
    } else {
      map[place->second].second = std::move(item);
    }
  }

  std::vector<Open> open_;
};

}  // namespace

std::variant<std::optional<Value>, LoadError> read_json(std::string_view text) {
  JsonReader reader;
  const bool valid = nlohmann::json::sax_parse(text, &reader);
  if (reader.too_deep) {
    return LoadError{"JSON nested more than 128 levels deep"};
  }
  return valid ? std::optional(std::move(reader.value)) : std::nullopt;
}

// Python's json module also accepts NaN, Infinity, and unpaired surrogate escapes.
static bool may_be_python_json(std::string_view text) {
  constexpr std::string_view kMore[] = {"NaN", "Infinity", "\\ud", "\\uD"};
  return std::ranges::any_of(kMore, [&](std::string_view more) { return text.find(more) != std::string_view::npos; });
}

std::optional<std::size_t> json_error_at(std::string_view text) {
  JsonReader reader;
  if (nlohmann::json::sax_parse(text, &reader) || reader.too_deep || may_be_python_json(text)) {
    return std::nullopt;
  }
  return std::min(reader.error_at, text.size());
}

}  // namespace sparsecfg::source
