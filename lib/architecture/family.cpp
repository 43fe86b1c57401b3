#include "architecture/family.h"

#include <algorithm>
#include <functional>

#include "architecture/tables.h"
#include "base/text.h"

namespace sparsecfg::architecture {

namespace {

using Kind = Row::Kind;

struct Line {
  std::size_t depth;
  std::string_view text;
};

// Returns the lines of a table without comments and blank lines.
std::vector<Line> lines_of(std::string_view table) {
  std::vector<Line> out;
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (line.starts_with('#')) continue;
    line = line.substr(0, line.find(" #"));
    const std::string_view text = base::trim(line);
    if (!text.empty()) out.push_back({line.find_first_not_of(' ') / 2, text});
  }
  return out;
}

// Splits at spaces outside of brackets and quotes.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ' ';
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'') {
      quote = c;
    } else if (c == ' ' && depth == 0) {
      if (at > begin) out.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    } else {
      depth += (std::string_view("([{").find(c) != std::string_view::npos ? 1 : 0) -
               (std::string_view(")]}").find(c) != std::string_view::npos ? 1 : 0);
    }
  }
  return out;
}

std::pair<std::string_view, std::string_view> split(std::string_view text, std::string_view at) {
  const std::size_t found = text.find(at);
  return found == std::string_view::npos ? std::pair(text, std::string_view())
                                         : std::pair(text.substr(0, found), text.substr(found + at.size()));
}

std::vector<std::string_view> list_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto [item, rest] = split(text, ",");
    out.push_back(item);
    text = rest;
  }
  return out;
}

Expression parsed(std::string_view text) {
  auto read = python::parse_expression(text);
  auto* node = std::get_if<python::Node>(&read);
  return node == nullptr ? Expression() : Expression(std::move(*node));
}

Template template_of(std::string_view text) {
  Template out;
  while (!text.empty()) {
    const auto [literal, rest] = split(text, "{");
    const auto [inside, after] = split(rest, "}");
    out.emplace_back(literal, inside.empty() ? Expression() : parsed(inside));
    text = after;
  }
  return out;
}

void read_flags(Row& row, std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    const auto [key, value] = split(word, "=");
    if (word.starts_with('[')) row.shape = parsed(word);
    if (word == "b") row.bias = parsed("True");
    if (word.starts_with("b=")) row.bias = parsed(value);
    if (word.starts_with("nw=")) row.weightless = parsed(value);
    if (word.starts_with("tie=")) row.tie = value;
    if (word.starts_with("in=")) row.scope = value;
    if (word == "tieb") row.tied_bias = true;
    if (word == "dt=1") row.single_byte = true;
  }
}

void read_type(Row& row, std::string_view text) {
  if (text.starts_with("act(")) {
    row.activation = parsed(text.substr(4, text.size() - 5));
  } else {
    row.type = template_of(text);
  }
}

// A module, a loop, a splice, a parameter or a buffer.
Row read_element(std::string_view text) {
  const auto [before, condition] = split(text, " if=");
  const std::vector<std::string_view> words = words_of(before);
  const std::string_view first = words[0];
  Row row;
  if (!condition.empty()) row.condition = parsed(condition);
  if (first[0] == '&') {
    row.kind = Kind::splice;
    row.name = first.substr(1);
    for (std::size_t at = 1; at < words.size(); ++at) {
      const auto [key, value] = split(words[at], "=");
      if (key == "in") {
        row.scope = value;
      } else {
        row.arguments.emplace_back(key, parsed(value));
      }
    }
    return row;
  }
  if (first[0] == ':' || first[0] == '~') {
    row.kind = first[0] == ':' ? Kind::parameter : Kind::buffer;
    row.name = first.substr(1);
    read_flags(row, std::span(words).subspan(1));
    return row;
  }
  if (first[0] == '*') {
    row.kind = Kind::loop;
    const auto [variable, count] = split(first.substr(1), "<");
    row.name = variable;
    row.value = parsed(count);
  } else {
    row.label = template_of(first);
  }
  read_type(row, words[1]);
  read_flags(row, std::span(words).subspan(2));
  return row;
}

Row read_definition(Kind kind, std::string_view text) {
  const auto [name, value] = split(text, " = ");
  return {.kind = kind, .name = std::string(name), .value = parsed(value)};
}

Row read_names(Kind kind, std::string_view text, std::string_view at) {
  const auto [name, value] = split(text, at);
  return {.kind = kind, .name = std::string(base::trim(name)), .text = std::string(base::trim(value))};
}

Row read_row(std::string_view text) {
  const auto [word, rest] = split(text, " ");
  if (word == "let") return read_definition(Kind::let, rest);
  if (word == "null") return read_definition(Kind::null, rest);
  if (word == "missing") return read_definition(Kind::missing, rest);
  if (word == "absent") return read_definition(Kind::absent, rest);
  if (word == "?") return {.kind = Kind::condition, .value = parsed(rest)};
  if (word == "ckpt") return read_names(Kind::rename, rest, " ->");
  if (word == "alias") return read_names(Kind::alias, rest, " ");
  if (word == "flat") return read_names(Kind::flat, rest, " ");
  if (word == "pack") return {.kind = Kind::pack, .text = std::string(rest)};
  if (word == "alt") return read_names(Kind::other, rest, " ->");
  if (word == "optional") return {.kind = Kind::ignored};
  if (word == "old") return {.kind = Kind::old, .value = parsed(rest)};
  if (word == "refuse" || word == "raise") {
    const auto [condition, reason] = split(rest, " : ");
    const Kind kind = word == "refuse" ? Kind::refuse : Kind::raise;
    return {.kind = kind, .name = std::string(reason), .value = parsed(condition)};
  }
  return read_element(text);
}

// Reads the rows that are deeper than `depth`, from `at`.
std::vector<Row> read_rows(const std::vector<Line>& lines, std::size_t& at, std::size_t depth) {
  std::vector<Row> out;
  while (at < lines.size() && lines[at].depth > depth) {
    const std::size_t own = lines[at].depth;
    out.push_back(read_row(lines[at++].text));
    out.back().rows = read_rows(lines, at, own);
  }
  return out;
}

std::vector<Row> rows_after(std::string_view table) {
  std::vector<Line> lines = lines_of(table);
  const auto end = std::ranges::find(lines, std::size_t{0}, &Line::depth);
  lines.erase(end, lines.end());
  std::size_t at = 0;
  return read_rows(lines, at, 0);
}

// Calls visit(header, rest of the table) for each `family` or `block`, until it returns true.
void for_each(std::string_view word, const std::function<bool(std::string_view, std::string_view)>& visit) {
  const std::string begin = "\n" + std::string(word) + " ";
  for (const std::string_view table : family_tables()) {
    for (std::size_t at = table.find(begin); at != std::string_view::npos; at = table.find(begin, at + 1)) {
      const auto [header, rest] = split(table.substr(at + begin.size()), "\n");
      if (visit(header, rest)) return;
    }
  }
}

// A list of releases, one for each model type.
std::vector<Version> versions_of(std::string_view text) {
  std::vector<Version> out;
  for (const std::string_view item : list_of(text)) out.push_back(version_of(item).value_or(Version()));
  return out;
}

Family read_header(std::string_view header) {
  const std::vector<std::string_view> words = words_of(header);
  Family out;
  for (const std::string_view word : std::span(words).subspan(1)) {
    const auto [key, value] = split(word, "=");
    if (key == "types") {
      out.types = list_of(value);
    } else if (key == "archs") {
      out.architectures = list_of(value);
    } else if (key == "remote") {
      out.remote = true;
    } else if (key == "since") {
      out.since = versions_of(value);
    } else if (key == "measured") {
      out.measured = versions_of(value);
    } else {
      out.prefixes.emplace_back(key,
                                parsed(value.starts_with('(') ? std::string(value) : "'" + std::string(value) + "'"));
    }
  }
  return out;
}

bool contains(const std::vector<std::string_view>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

}  // namespace

bool has_family(std::string_view architecture, std::string_view type) {
  bool out = false;
  for_each("family", [&](std::string_view header, std::string_view) {
    const Family family = read_header(header);
    out = contains(family.architectures, architecture) && contains(family.types, type);
    return out;
  });
  return out;
}

std::optional<Family> find_family(std::string_view architecture, std::string_view type) {
  std::optional<Family> out;
  for_each("family", [&](std::string_view header, std::string_view rest) {
    Family family = read_header(header);
    if (!contains(family.architectures, architecture) || !contains(family.types, type)) return false;
    family.rows = rows_after(rest);
    out = std::move(family);
    return true;
  });
  return out;
}

// Reads `qkv_proj:q_proj,k_proj,v_proj`, with a condition after `?`.
static PackedLayer read_packed(std::string_view word) {
  const auto [name, parts] = split(word.substr(0, word.find('?')), ":");
  PackedLayer out{std::string(name), {}};
  for (const std::string_view part : list_of(parts)) out.parts.emplace_back(part);
  return out;
}

std::optional<std::vector<PackedLayer>> packed_layers(std::string_view architecture) {
  std::optional<std::vector<PackedLayer>> out;
  for_each("family", [&](std::string_view header, std::string_view rest) {
    if (!contains(read_header(header).architectures, architecture)) return false;
    out.emplace();
    for (const Row& row : rows_after(rest)) {
      if (row.kind != Kind::pack) continue;
      for (const std::string_view word : words_of(row.text)) {
        if (word != "-") out->push_back(read_packed(word));
      }
    }
    return true;
  });
  return out;
}

const std::vector<PackedLayer>& usual_packed_layers() {
  static const std::vector<PackedLayer> kUsual = {{"qkv_proj", {"q_proj", "k_proj", "v_proj"}},
                                                  {"gate_up_proj", {"gate_proj", "up_proj"}}};
  return kUsual;
}

std::vector<Row> find_block(std::string_view name) {
  std::vector<Row> out;
  for_each("block", [&](std::string_view header, std::string_view rest) {
    if (words_of(header)[0] != name) return false;
    out = rows_after(rest);
    return true;
  });
  return out;
}

std::vector<Family> all_families() {
  std::vector<Family> out;
  for_each("family", [&](std::string_view header, std::string_view) {
    Family family = read_header(header);
    if (!contains(family.types, "torchvision")) out.push_back(std::move(family));
    return false;
  });
  return out;
}

std::vector<std::string_view> all_architectures() {
  std::vector<std::string_view> out;
  for_each("family", [&](std::string_view header, std::string_view) {
    for (const std::string_view name : read_header(header).architectures) out.push_back(name);
    return false;
  });
  return out;
}

}  // namespace sparsecfg::architecture
