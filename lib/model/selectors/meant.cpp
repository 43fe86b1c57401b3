#include "model/selectors/meant.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "model/roles.h"
#include "model/selectors/entry_index.h"
#include "regex/literal.h"

namespace sparsecfg::selectors {

namespace {

struct Candidate {
  Meant::Kind kind;
  std::string text;
};

// The text of an entry without its mark.
struct MarkedText {
  std::string_view mark;
  std::string_view text;
};

}  // namespace

static MarkedText split(const Reader& reader, std::string_view text) {
  for (const Mark& mark : reader.marks) {
    if (!mark.prefix.empty() && text.starts_with(mark.prefix)) return {mark.prefix, text.substr(mark.prefix.size())};
  }
  return {{}, text};
}

static std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Returns the glob that a simple regular expression means.
static std::string glob_of(std::string_view pattern) {
  std::string_view text = pattern;
  if (text.starts_with('^')) text.remove_prefix(1);
  if (text.ends_with('$')) text.remove_suffix(1);
  return replaced(replaced(replaced(std::string(text), ".*", "*"), "\\.", "."), "\\d+", "*");
}

static std::string without_ends(std::string_view text) {
  constexpr std::string_view kWild = "*.^$\\";
  const std::size_t begin = text.find_first_not_of(kWild);
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kWild) - begin + 1));
}

static void add_other_flavors(const Reader& reader, const MarkedText& entry, std::vector<Candidate>& out) {
  constexpr auto kKind = Meant::Kind::other_flavor;
  const std::string text(entry.text);
  const std::string pattern = base::regex_of_glob(text);
  std::vector<std::string> texts = {text, glob_of(text), without_ends(text)};
  if (text.starts_with("re:")) {
    texts.push_back(text.substr(3));
    texts.push_back(glob_of(text.substr(3)));
  }
  if (!pattern.empty()) texts.push_back(pattern);
  if (text.starts_with('*')) texts.push_back(base::pattern_meant_by(text));  // no pattern starts with `*`
  for (const std::string& each : texts) {
    out.push_back({kKind, std::string(entry.mark) + each});
    out.push_back({kKind, each});
    for (const Mark& mark : reader.marks) {
      if (!mark.excludes && !mark.prefix.empty()) out.push_back({kKind, std::string(mark.prefix) + each});
    }
  }
}

// Wrappers that models of different releases and tasks add to the names of their modules.
constexpr std::array<std::string_view, 5> kWrappers = {"model.", "language_model.", "model.language_model.",
                                                       "language_model.model.", "transformer."};

constexpr std::array<std::string_view, 3> kEnds = {"", "\\.", "."};
constexpr std::span<const std::string_view> kNumberEnds = kEnds;
constexpr std::span<const std::string_view> kNoEnds = kNumberEnds.first(1);

// Returns true if a text ends with a number whose next digit follows in the name.
static bool continues_number(std::string_view name, std::string_view text) {
  if (text.empty() || !base::is_digit(text.back())) return false;
  const std::size_t at = name.find(text);
  const std::size_t end = at == name.npos ? at : at + text.size();
  return end < name.size() && base::is_digit(name[end]);
}

static void add_other_spaces(const MarkedText& entry, std::vector<Candidate>& out) {
  const std::string mark(entry.mark);
  std::vector<std::string> bare = {std::string(entry.text)};
  for (const std::string_view wrapper : kWrappers) {
    if (entry.text.starts_with(wrapper)) bare.emplace_back(entry.text.substr(wrapper.size()));
  }
  for (const std::string& text : bare) {
    // Without a dot, a number also matches longer ones.
    const bool numbered = !text.empty() && base::is_digit(text.back());
    for (const std::string_view end : numbered ? kNumberEnds : kNoEnds) {
      out.push_back({Meant::Kind::other_space, mark + text + std::string(end)});
      for (const std::string_view wrapper : kWrappers) {
        out.push_back({Meant::Kind::other_space, mark + std::string(wrapper) + text + std::string(end)});
      }
    }
  }
}

static void add_other_levels(const MarkedText& entry, std::vector<Candidate>& out) {
  const std::string mark(entry.mark);
  std::string_view text = entry.text;
  for (const std::string_view end : {".weight", ".bias", ".qweight", "."}) {
    if (text.ends_with(end)) text.remove_suffix(end.size());
  }
  if (text != entry.text) out.push_back({Meant::Kind::other_level, mark + std::string(text)});
  out.push_back({Meant::Kind::other_level, mark + std::string(text) + ".*"});
  out.push_back({Meant::Kind::other_level, mark + std::string(text) + "\\..*"});
  out.push_back({Meant::Kind::other_level, mark + ".*" + std::string(text)});
  out.push_back({Meant::Kind::other_level, mark + "*" + std::string(text)});
}

// Replaces each misspelled part between dots by the nearest part of a module name.
static void add_spellings(const MarkedText& entry, std::span<const Module> modules, std::vector<Candidate>& out) {
  std::set<std::string_view> parts;
  for (const Module& module : modules) {
    for (std::string_view rest = module.name; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find('.'));
      parts.insert(part);
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
  }
  const std::vector<std::string_view> known(parts.begin(), parts.end());
  std::string text;
  bool changed = false;
  for (std::string_view rest = entry.text; !rest.empty();) {
    const std::size_t length = std::min(rest.find_first_of(".*\\^$()|[]?+"), rest.size());
    const std::string_view part = rest.substr(0, length);
    const auto near = part.size() < 3 || parts.contains(part) ? std::nullopt : base::nearest(part, known);
    changed = changed || near.has_value();
    text += near.value_or(part);
    text += rest.substr(length, 1);
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  if (changed) out.push_back({Meant::Kind::misspelled, std::string(entry.mark) + text});
}

// The names of layers with the same role in this model.
static void add_counterparts(const MarkedText& entry, std::span<const Module> modules, std::vector<Candidate>& out) {
  std::vector<std::string_view> names;
  for (const Module& module : modules) names.push_back(module.name);
  const model::Counterpart found = model::counterpart_of(entry.text, names);
  if (found.ends.empty()) return;
  const std::string mark(entry.mark);
  out.push_back({Meant::Kind::other_space, mark + found.pattern()});
  if (found.ends.size() > 1 || !found.block.empty()) return;
  for (const std::string_view start : {"", ".*", "*"}) {
    out.push_back({Meant::Kind::other_space, mark + std::string(start) + found.ends.front()});
  }
}

static std::optional<Meant> tried(const Reader& reader, const Candidate& candidate, std::span<const Module> modules,
                                  const PrefixMap& prefixes, base::Budget& budget) {
  std::vector<Entry> entries(1);
  entries.front().text = candidate.text;
  if (without_ends(candidate.text).empty() || prepare(reader, entries.front(), prefixes)) return std::nullopt;
  const EntryIndex index(reader, entries, modules, budget);
  Meant out{candidate.kind, candidate.text, {}, 0};
  std::vector<std::uint32_t> matching;
  for (const Module& module : modules) {
    for (const std::string_view name : examined_names(reader, module)) {
      if (!index.find(module, name, budget, matching)) return std::nullopt;
      if (matching.empty()) continue;
      if (continues_number(module.name, candidate.text)) return std::nullopt;
      if (out.matches++ == 0) out.name = module.name;
      break;
    }
  }
  return out.matches == 0 ? std::nullopt : std::optional(std::move(out));
}

// Returns the names that contain whole parts: those of layers in a block, or with these last parts.
static std::vector<std::string> names_with_parts(const std::string& parts, std::span<const Module> modules) {
  std::vector<std::string> out;
  for (const Module& module : modules) {
    if (("." + module.name + ".").find("." + parts + ".") != std::string::npos) out.push_back(module.name);
  }
  return out;
}

// Returns the names that a pattern or a glob matches; nullopt if it is no such entry or the budget is exhausted.
static std::optional<std::vector<std::string>> names_matched(const std::string& pattern,
                                                             std::span<const Module> modules, base::Budget& budget) {
  constexpr Reader kPatterns{.name{"patterns"},
                             .marks = {{.prefix = "re:", .how = {How::match}}, {.any_of = "*", .how = {How::glob}}}};
  std::vector<Entry> entries(1);
  entries.front().text = pattern;
  if (prepare(kPatterns, entries.front())) return std::nullopt;
  const EntryIndex index(kPatterns, entries, modules, budget);
  std::vector<std::string> out;
  std::vector<std::uint32_t> matching;
  for (const Module& module : modules) {
    if (!index.find(module, module.name, budget, matching)) return std::nullopt;
    if (!matching.empty()) out.push_back(module.name);
  }
  return out;
}

// Returns the names of the layers with the role that an entry names in another family of models.
static std::optional<std::vector<std::string>> names_of_counterpart(const std::string& entry,
                                                                    std::span<const Module> modules,
                                                                    base::Budget& budget) {
  std::vector<std::string_view> names;
  for (const Module& module : modules) names.push_back(module.name);
  const model::Counterpart found = model::counterpart_of(entry, names);
  return found.ends.empty() ? std::vector<std::string>() : names_matched("re:" + found.pattern(), modules, budget);
}

std::vector<std::string> names_meant_by(const Reader& reader, const Entry& entry, std::span<const Module> modules,
                                        base::Budget& budget) {
  const bool plain = !entry.text.starts_with("re:") && entry.text.find('*') == std::string::npos;
  std::optional<std::vector<std::string>> names =
      plain ? names_with_parts(entry.text, modules) : names_matched(entry.text, modules, budget);
  if (names && names->empty()) names = names_of_counterpart(entry.text, modules, budget);
  const bool readable = names && !names->empty() &&
                        tried(reader, {Meant::Kind::other_flavor, names->front()}, modules, {}, budget).has_value();
  return readable ? std::move(*names) : std::vector<std::string>();
}

std::optional<Meant> meant_by(const Reader& reader, const Entry& entry, std::span<const Module> modules,
                              const PrefixMap& prefixes, base::Budget& budget) {
  const MarkedText text = split(reader, entry.text);
  std::vector<Candidate> candidates;
  add_other_flavors(reader, text, candidates);
  add_other_spaces(text, candidates);
  add_other_levels(text, candidates);
  add_spellings(text, modules, candidates);
  add_counterparts(text, modules, candidates);
  std::set<std::string> seen = {entry.text};
  for (const Candidate& candidate : candidates) {
    if (!seen.insert(candidate.text).second) continue;
    if (auto meant = tried(reader, candidate, modules, prefixes, budget)) return meant;
  }
  return std::nullopt;
}

}  // namespace sparsecfg::selectors
