#include "model/names.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "model/name_fault.h"

namespace sparsecfg::model {

constexpr std::size_t kMaxNameBytes = 4096;  // bytes

// The prefix of patterns would change the meaning of a recipe that contains the name.
static std::string_view kind_of_fault(std::string_view name) {
  if (name.size() > kMaxNameBytes) return "is longer than 4096 bytes";
  if (name.starts_with("re:")) return "begins with `re:`, the prefix of patterns";
  for (std::size_t at = 0; at < name.size();) {
    const char32_t code = base::next_code_point(name, at);
    if (code == base::kNotUtf8) return "is not UTF-8";
    if (base::is_unsafe(code)) return "contains a control character or an invisible character";
  }
  return {};
}

std::string fault_of_name(std::string_view name) {
  constexpr std::size_t kShown = 100;  // bytes
  const std::string_view fault = kind_of_fault(name);
  if (fault.empty()) {
    return {};
  }
  const std::string shown = base::printable(name.substr(0, kShown)) + (name.size() > kShown ? "..." : "");
  return "the name `" + shown + "` " + std::string(fault);
}

std::string_view end_of_name(std::string_view layer) {
  const std::string_view last = base::last_part(layer);
  if (last.size() == layer.size() || !std::ranges::all_of(last, base::is_digit)) return last;
  const std::string_view before = base::last_part(layer.substr(0, layer.size() - last.size() - 1));
  return layer.substr(layer.size() - last.size() - 1 - before.size());
}

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

// Calls `visit` with each line and its number until it returns an error.
static std::optional<source::LoadError> each_line(std::string_view text, auto visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t length = text.substr(end).starts_with("\r\n") ? 2 : 1;
    text.remove_prefix(std::min(end + length, text.size()));
    if (auto error = visit(line, number)) {
      return error;
    }
  }
  return std::nullopt;
}

// Returns the text up to the next tab, and advances past the tab.
static std::string_view take_column(std::string_view& line) {
  const std::size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view column = line.substr(0, tab);
  line.remove_prefix(std::min(tab + 1, line.size()));
  return column;
}

// Returns true if an invalid column was probably meant as a shape.
static bool is_broken_shape(std::string_view column) {
  const std::string_view text = base::trim(column);
  return !text.empty() && (base::is_digit(text.front()) || text.front() == '[' || text.front() == '(') &&
         !read_shape(text);
}

static source::LoadError broken_shape(std::string_view column, std::size_t number) {
  return {"line " + std::to_string(number) + ": `" + base::printable(base::trim(column)) +
          "` is not a valid shape or is too large"};
}

static std::optional<source::LoadError> check_name(std::string_view name, std::size_t number) {
  const std::string fault = fault_of_name(name);
  return fault.empty() ? std::nullopt
                       : std::optional(source::LoadError{"line " + std::to_string(number) + ": " + fault});
}

// Returns an error if a shape such as `64x3x7x7` follows a name after a space. Without a tab it would become part of
// the name.
static std::optional<source::LoadError> check_space(std::string_view line, std::size_t number) {
  const std::size_t space = line.rfind(' ');
  if (space == line.npos || line.find('\t') != line.npos) {
    return std::nullopt;
  }
  const std::string_view last = line.substr(space + 1);
  if (last.find('x') == last.npos || !read_shape(last)) {
    return std::nullopt;
  }
  return source::LoadError{"line " + std::to_string(number) + ": use a tab, not a space, before the shape `" +
                           base::printable(last) + "`"};
}

static ParametersOrError read_lines(std::string_view text) {
  Parameters out;
  const auto error =
      each_line(text, [&](std::string_view line, std::size_t number) -> std::optional<source::LoadError> {
        line = base::trim(line);
        if (line.empty()) {
          return std::nullopt;
        }
        if (auto space = check_space(line, number)) {
          return space;
        }
        out.names.emplace_back(base::trim(take_column(line)));
        if (auto fault = check_name(out.names.back(), number)) {
          return fault;
        }
        const std::string_view second = take_column(line);
        const std::string_view third = take_column(line);
        const std::string_view column = third.empty() ? second : third;
        out.shapes.push_back(read_shape(column));
        return is_broken_shape(column) ? std::optional(broken_shape(column, number)) : std::nullopt;
      });
  return error ? ParametersOrError(*error) : ParametersOrError(without_repeats(std::move(out)));
}

// Removes a byte-order mark. Returns an error if the text is not UTF-8.
static std::optional<source::LoadError> check_encoding(std::string_view& text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(kMark) ? kMark.size() : 0);
  const bool wide =
      text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text.find('\0') != std::string_view::npos;
  return wide ? std::optional(source::LoadError{"is UTF-16 or contains zero bytes; save it as UTF-8"}) : std::nullopt;
}

std::variant<std::vector<Module>, source::LoadError> read_modules(std::string_view text) {
  if (auto error = check_encoding(text)) {
    return *error;
  }
  std::vector<Module> modules;
  const auto error =
      each_line(text, [&](std::string_view line, std::size_t number) -> std::optional<source::LoadError> {
        if (line.empty()) {
          return std::nullopt;
        }
        if (line.find('\t') == std::string_view::npos) {
          return source::LoadError{"line " + std::to_string(number) + ": add a tab between the name and the type"};
        }
        const std::string name(take_column(line));
        const std::string type(take_column(line));
        for (const std::string& each : {name, type}) {
          if (auto fault = check_name(each, number)) return fault;
        }
        const std::string_view column = take_column(line);
        modules.push_back({name, type, read_shape(column)});
        return is_broken_shape(column) ? std::optional(broken_shape(column, number)) : std::nullopt;
      });
  return error ? std::variant<std::vector<Module>, source::LoadError>(*error) : std::move(modules);
}

// --- other forms ------------------------------------------------------------------------------------

ParametersOrError read_header(std::string_view header) { return read_json_names(header); }

// Returns the header of a .safetensors file, which follows its eight-byte length.
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

ParametersOrError read_names(std::string_view text) {
  const std::string_view header = safetensors_header(text);
  if (const auto error = header.empty() ? check_encoding(text) : std::nullopt) {
    return *error;
  }
  const std::string_view body = header.empty() ? base::trim(text) : header;
  const bool json = body.starts_with('[') || body.starts_with('{');
  return json ? read_json_names(body) : read_lines(body);
}

}  // namespace sparsecfg::model
