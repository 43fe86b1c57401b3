#include "source/names.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace sparsecfg::source {

using Json = nlohmann::ordered_json;
using Result = std::variant<Parameters, LoadError>;

static Parameters without_repeats(Parameters all) {
  std::unordered_set<std::string_view> seen;
  Parameters out;
  for (std::size_t at = 0; at < all.names.size(); ++at) {
    if (seen.insert(all.names[at]).second) {
      out.names.push_back(all.names[at]);
      out.shapes.push_back(std::move(all.shapes[at]));
    }
  }
  return out;
}

// --- lines ------------------------------------------------------------------------------------------

// Calls `visit` with each line and its number until that gives an error.
static std::optional<LoadError> each_line(std::string_view text, auto visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    if (auto error = visit(line, number)) {
      return error;
    }
  }
  return std::nullopt;
}

// The text up to the next tab, which is taken too.
static std::string_view take_column(std::string_view& line) {
  const std::size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view column = line.substr(0, tab);
  line.remove_prefix(std::min(tab + 1, line.size()));
  return column;
}

// Whether a column that is no shape was hardly meant as anything else.
static bool is_broken_shape(std::string_view column) {
  const std::string_view text = base::trim(column);
  return !text.empty() && (base::is_digit(text.front()) || text.front() == '[' || text.front() == '(') &&
         !read_shape(text);
}

static LoadError broken_shape(std::string_view column, std::size_t number) {
  return {"line " + std::to_string(number) + ": `" + base::printable(base::trim(column)) +
          "` is no shape, or too large a one"};
}

static Result read_lines(std::string_view text) {
  Parameters out;
  const auto error = each_line(text, [&](std::string_view line, std::size_t number) -> std::optional<LoadError> {
    line = base::trim(line);
    if (line.empty()) {
      return std::nullopt;
    }
    out.names.emplace_back(base::trim(take_column(line)));
    const std::string_view second = take_column(line);
    const std::string_view third = take_column(line);
    const std::string_view column = third.empty() ? second : third;
    out.shapes.push_back(read_shape(column));
    return is_broken_shape(column) ? std::optional(broken_shape(column, number)) : std::nullopt;
  });
  return error ? Result(*error) : Result(without_repeats(std::move(out)));
}

std::variant<std::vector<Module>, LoadError> read_modules(std::string_view text) {
  std::vector<Module> modules;
  const auto error = each_line(text, [&](std::string_view line, std::size_t number) -> std::optional<LoadError> {
    if (line.empty()) {
      return std::nullopt;
    }
    if (line.find('\t') == std::string_view::npos) {
      return LoadError{"line " + std::to_string(number) + " has no tab between a name and a type"};
    }
    const std::string name(take_column(line));
    const std::string type(take_column(line));
    const std::string_view column = take_column(line);
    modules.push_back({name, type, read_shape(column)});
    return is_broken_shape(column) ? std::optional(broken_shape(column, number)) : std::nullopt;
  });
  return error ? std::variant<std::vector<Module>, LoadError>(*error) : std::move(modules);
}

// --- JSON -------------------------------------------------------------------------------------------

constexpr char kNoNames[] = "begins like JSON, but is no list or mapping of names";

namespace {

// Parses JSON of which the names of parameters are keys: a key twice and deep nesting are refused,
// the first because parsers disagree on which one counts.
class Reader {
 public:
  std::variant<Json, LoadError> read(std::string_view text) {
    Json json = Json::parse(
        text, [this](int depth, Json::parse_event_t event, Json& value) { return accept(depth, event, value); }, false);
    if (!failure_.empty()) {
      return LoadError{failure_};
    }
    if (json.is_discarded()) {
      return LoadError{kNoNames};
    }
    return json;
  }

 private:
  // What is refused is not kept either, so that it costs nothing.
  bool accept(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kDeepest) {
      fail("has JSON nested more than " + std::to_string(kDeepest) + " deep");
    }
    if (event == Json::parse_event_t::key && depth <= 2) {
      const auto& key = value.get_ref<const std::string&>();
      section_ = depth == 1 ? key : section_;
      if ((depth == 1 || section_ == "weight_map") && !seen_[depth - 1].insert(key).second) {
        fail("has the name `" + base::printable(key) + "` twice");
      }
    }
    return failure_.empty();
  }

  void fail(std::string reason) { failure_ = failure_.empty() ? std::move(reason) : failure_; }

  static constexpr int kDeepest = 16;

  std::string failure_;
  std::string section_;
  std::unordered_set<std::string> seen_[2];
};

}  // namespace

// The shape in a list of sizes, or under `shape` where a name stands for more than that.
static bool read_json_shape(const Json& value, std::optional<Shape>& out) {
  const Json* list = &value;
  if (value.is_object()) {
    const auto found = value.find("shape");
    if (found == value.end()) return true;
    list = &*found;
  }
  if (!list->is_array()) {
    return !value.is_object();
  }
  Shape shape;
  for (const Json& size : *list) {
    if (!size.is_number_unsigned()) return false;
    shape.push_back(size.get<std::uint64_t>());
  }
  out = elements_of(shape) ? std::optional(std::move(shape)) : std::nullopt;
  return out.has_value();
}

static Result from_mapping(const Json& mapping) {
  Parameters out;
  for (const auto& [name, value] : mapping.items()) {
    if (name == "__metadata__") {
      continue;
    }
    out.names.push_back(name);
    if (!read_json_shape(value, out.shapes.emplace_back())) {
      return LoadError{"the shape of `" + base::printable(name) + "` is none, or too large a one"};
    }
  }
  return out;
}

static Result from_list(const Json& list) {
  Parameters out;
  for (const Json& name : list) {
    if (!name.is_string()) return LoadError{"is a JSON list, but not of names alone"};
    out.names.push_back(name.get<std::string>());
  }
  out.shapes.resize(out.names.size());
  return without_repeats(std::move(out));
}

static Result read_json(std::string_view text) {
  auto read = Reader().read(text);
  if (auto* error = std::get_if<LoadError>(&read)) {
    return std::move(*error);
  }
  const Json& json = std::get<Json>(read);
  if (json.is_object() && json.contains("weight_map")) {
    const Json& map = json["weight_map"];
    return map.is_object() ? from_mapping(map) : Result(LoadError{kNoNames});
  }
  return json.is_object() ? from_mapping(json) : from_list(json);
}

Result read_header(std::string_view header) { return read_json(header); }

std::vector<std::string> shards_of(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  std::vector<std::string> files;
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object()) {
    return files;
  }
  std::unordered_set<std::string> seen;
  for (const auto& [name, file] : json["weight_map"].items()) {
    if (file.is_string() && seen.insert(file.get<std::string>()).second) {
      files.push_back(file.get<std::string>());
    }
  }
  return files;
}

// The header behind the eight bytes that hold its length, where the text is a .safetensors file.
static std::string_view safetensors_header(std::string_view text) {
  constexpr std::size_t kPrefix = 8;
  if (text.size() <= kPrefix || text[kPrefix] != '{') {
    return {};
  }
  std::uint64_t length = 0;
  for (std::size_t at = kPrefix; at-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(text[at]);
  }
  return length <= text.size() - kPrefix ? text.substr(kPrefix, static_cast<std::size_t>(length)) : std::string_view();
}

Result read_names(std::string_view text) {
  const std::string_view header = safetensors_header(text);
  const std::string_view body = header.empty() ? base::trim(text) : header;
  const bool json = body.starts_with('[') || body.starts_with('{');
  return json ? read_json(body) : read_lines(body);
}

}  // namespace sparsecfg::source
