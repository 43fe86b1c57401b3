#include "model/names.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "model/name_fault.h"

namespace sparsecfg::model {

using Json = nlohmann::json;

namespace {

constexpr std::string_view kIndex = "weight_map";
constexpr std::string_view kShape = "shape";
constexpr std::string_view kMetadata = "__metadata__";

// Collects names and shapes during parsing, without storing the rest of the text.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return scalar(nullptr, std::nullopt); }

  bool boolean(bool) override { return scalar(nullptr, std::nullopt); }

  bool number_integer(number_integer_t) override { return scalar(nullptr, std::nullopt); }

  bool number_unsigned(number_unsigned_t value) override { return scalar(nullptr, value); }

  bool number_float(number_float_t, const string_t&) override { return scalar(nullptr, std::nullopt); }

  bool string(string_t& text) override { return scalar(&text, std::nullopt); }

  bool binary(binary_t&) override { return scalar(nullptr, std::nullopt); }

  bool start_object(std::size_t) override { return enter(false); }

  bool start_array(std::size_t) override { return enter(true); }

  bool end_object() override { return leave(); }

  bool end_array() override { return leave(); }

  bool key(string_t& text) override {
    if (depth_ == 1) {
      return outer_key(text);
    }
    inner_ = depth_ == 2 ? text : inner_;
    return depth_ != 2 || !in_index() || add(index_, seen_in_index_, text);
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return no_names(); }

  std::vector<std::string> take_shards() { return failure_.empty() ? std::move(shards_) : std::vector<std::string>(); }

  std::variant<Parameters, source::LoadError> take() {
    if (!failure_.empty()) {
      return source::LoadError{failure_};
    }
    return std::move(is_index_ ? index_ : direct_);
  }

 private:
  [[nodiscard]] bool in_index() const { return !is_list_ && outer_ == kIndex; }

  // Returns true if the next value belongs to a parameter; its key `shape` then contains the shape.
  [[nodiscard]] bool in_parameter() const { return !is_list_ && outer_ != kIndex && outer_ != kMetadata; }

  [[nodiscard]] bool at_shape() const { return in_parameter() && depth_ == 2 && inner_ == kShape; }

  bool outer_key(const std::string& text) {
    outer_ = text;
    inner_.clear();
    is_index_ = is_index_ || text == kIndex;
    return text == kMetadata ? true : add(direct_, seen_, text);
  }

  bool add(Parameters& out, std::unordered_set<std::string>& seen, const std::string& name) {
    out.names.push_back(name);
    out.shapes.emplace_back();
    return is_possible(name) &&
           (seen.insert(name).second || fail("has the name `" + base::printable(name) + "` twice"));
  }

  bool enter(bool list) {
    const bool root = depth_ == 0;
    if (root) {
      is_list_ = list;
    } else if (is_list_) {
      return not_alone();
    } else if (shape_) {
      return bad_shape();
    } else if (depth_ == 1 && in_index() && list) {
      return no_names();
    } else if (list && in_parameter() && (depth_ == 1 || at_shape())) {
      shape_.emplace();
    } else if (at_shape()) {
      return bad_shape();
    }
    return ++depth_ <= limits::kMaxNameDepth ||
           fail("contains JSON nested more than " + std::to_string(limits::kMaxNameDepth) + " levels deep");
  }

  bool leave() {
    --depth_;
    if (!shape_) {
      return true;
    }
    if (!elements_of(*shape_)) {
      return bad_shape();
    }
    if (!direct_.shapes.empty()) {
      direct_.shapes.back() = std::move(*shape_);
    }
    shape_.reset();
    return true;
  }

  bool scalar(std::string* text, std::optional<std::uint64_t> size) {
    if (is_list_) {
      return text == nullptr ? not_alone() : add_once(*text);
    }
    if (shape_) {
      const bool fits = size && shape_->size() <= limits::kMaxDimensions;
      shape_->push_back(size.value_or(0));
      return fits || bad_shape();
    }
    if (text != nullptr && depth_ == 2 && in_index() && seen_shards_.insert(*text).second) {
      shards_.push_back(*text);
    }
    return at_shape() ? bad_shape() : depth_ != 1 || !in_index() || no_names();
  }

  bool is_possible(std::string_view name) {
    std::string fault = fault_of_name(name);
    return fault.empty() || fail(std::move(fault));
  }

  bool add_once(const std::string& name) {
    if (!is_possible(name)) {
      return false;
    }
    if (seen_.insert(name).second) {
      direct_.names.push_back(name);
      direct_.shapes.emplace_back();
    }
    return true;
  }

  bool fail(std::string reason) {
    failure_ = failure_.empty() ? std::move(reason) : failure_;
    return false;
  }

  bool no_names() { return fail("starts like JSON, but is not a list or mapping of names"); }

  bool not_alone() { return fail("is a JSON list with items that are not names"); }

  bool bad_shape() { return fail("the shape of `" + base::printable(outer_) + "` is invalid or too large"); }

  std::size_t depth_ = 0;
  bool is_list_ = false;
  bool is_index_ = false;
  std::string outer_;  // current key of the outermost mapping, and of the mapping inside it
  std::string inner_;
  std::optional<Shape> shape_;  // set while a shape is read
  Parameters direct_;
  Parameters index_;
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> seen_in_index_;
  std::vector<std::string> shards_;
  std::unordered_set<std::string> seen_shards_;
  std::string failure_;
};

}  // namespace

std::variant<Parameters, source::LoadError> read_json_names(std::string_view text) {
  Reader reader;
  Json::sax_parse(text, &reader);
  return reader.take();
}

std::vector<std::string> shards_of(std::string_view text) {
  Reader reader;
  Json::sax_parse(text, &reader);
  return reader.take_shards();
}

}  // namespace sparsecfg::model
