#include "model/selectors/entries.h"

#include <algorithm>

#include "base/text.h"
#include "model/selectors/comparison.h"
#include "regex/pattern.h"

namespace sparsecfg::selectors {

using source::Value;

// --- from the file to entries -----------------------------------------------------------------------

bool python_bool(const Value& value) {
  if (const auto number = value.number()) return *number != 0;
  if (const auto* text = value.get<std::string>()) return !text->empty();
  if (const auto* list = value.get<source::List>()) return !list->empty();
  if (const auto* map = value.get<source::Map>()) return !map->empty();
  return !value.is_null();
}

const Value* list_of(const Reader& reader, const Value& config) {
  for (const std::string_view field : reader.fields) {
    const Value* value = config.find(field);
    if (value == nullptr) continue;
    switch (reader.which_field) {
      case WhichField::first_present: return value;
      case WhichField::first_not_null:
        if (!value->is_null()) return value;
        break;
      case WhichField::first_not_empty:
        if (python_bool(*value)) return value;
        break;
    }
  }
  return nullptr;
}

namespace {

// An entry before its text is known to be a string.
struct RawEntry {
  const Value* text;
  const Value* assigned;  // null for an element of a list
};

}  // namespace

static std::vector<Value> letters_of(const Value& text) {
  std::vector<Value> out;
  const std::string& letters = *text.get<std::string>();
  for (std::size_t at = 0; at < letters.size();) {
    const std::size_t begin = at;
    (void)base::next_code_point(letters, at);
    out.push_back({letters.substr(begin, at - begin), text.span});
  }
  return out;
}

static std::vector<RawEntry> raw_entries_of(const source::List& list, bool nested) {
  std::vector<RawEntry> out;
  const bool has_only_lists =
      nested && std::ranges::all_of(list, [](const Value& each) { return each.get<source::List>() != nullptr; });
  for (const Value& each : list) {
    if (!has_only_lists) {
      out.push_back({&each, nullptr});
      continue;
    }
    for (const Value& inner : *each.get<source::List>()) out.push_back({&inner, nullptr});
  }
  return out;
}

static Format format_of(const Value* assigned, Formats* formats) {
  if (assigned == nullptr) return kDefaultFormat;
  if (assigned->is_null()) return kUnquantized;
  if (const auto* flag = assigned->get<bool>()) return *flag ? kDefaultFormat : kUnquantized;
  return formats == nullptr ? kDefaultFormat : formats->of(*assigned);
}

static OrRejection<std::vector<Entry>> prepared(const Reader& reader, const std::vector<RawEntry>& raw,
                                                Formats* formats, const PrefixMap& prefixes) {
  std::vector<Entry> out;
  for (const RawEntry& each : raw) {
    const auto place = static_cast<std::uint32_t>(out.size());
    const auto* text = each.text->get<std::string>();
    if (text == nullptr) {
      if (reader.not_a_string == NotAString::ignore) continue;
      return Rejection{Rejection::Reason::not_a_string, place, each.text->span};
    }
    Entry entry{*text, format_of(each.assigned, formats), place, each.text->span};
    entry.order = place;
    if (auto rejection = prepare(reader, entry, prefixes)) return *std::move(rejection);
    out.push_back(std::move(entry));
  }
  return out;
}

static OrRejection<std::vector<Entry>> entries_of_string(const Reader& reader, const Value& text,
                                                         const PrefixMap& prefixes) {
  switch (reader.string_for_list) {
    case StringForList::ignore: return std::vector<Entry>();
    case StringForList::reject: return Rejection{Rejection::Reason::string_for_list, std::nullopt, text.span};
    case StringForList::one_entry: return prepared(reader, {{&text, nullptr}}, nullptr, prefixes);
    case StringForList::letters: break;
  }
  const std::vector<Value> letters = letters_of(text);
  return prepared(reader, raw_entries_of(letters, false), nullptr, prefixes);
}

OrRejection<std::vector<Entry>> entries_of(const Reader& reader, const Value& list, Formats* formats,
                                           const PrefixMap& prefixes) {
  if (list.get<std::string>() != nullptr) return entries_of_string(reader, list, prefixes);
  if (const auto* elements = list.get<source::List>()) {
    return prepared(reader, raw_entries_of(*elements, reader.nested), formats, prefixes);
  }
  const auto* map = list.get<source::Map>();
  if (map == nullptr && python_bool(list))
    return Rejection{Rejection::Reason::string_for_list, std::nullopt, list.span};
  std::vector<RawEntry> raw;
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at)
    raw.push_back({&(*map)[at].first, &(*map)[at].second});
  return prepared(reader, raw, formats, prefixes);
}

OrRejection<std::optional<std::vector<Entry>>> read(const Reader& reader, const Value& config, Formats* formats,
                                                    const PrefixMap& prefixes) {
  std::optional<std::vector<Entry>> out;
  for (const Reader* each = &reader; each != nullptr; each = each->and_then) {
    const Value* list = list_of(*each, config);
    if (list == nullptr) continue;
    auto entries = entries_of(*each, *list, formats, prefixes);
    if (auto* rejection = std::get_if<Rejection>(&entries)) return std::move(*rejection);
    if (!out) out.emplace();
    const auto shift = static_cast<std::uint32_t>(out->size());
    for (Entry& entry : std::get<std::vector<Entry>>(entries)) {
      entry.place += shift;
      entry.order += shift;
      out->push_back(std::move(entry));
    }
  }
  return out;
}

// --- from the text of an entry to its terms ---------------------------------------------------------

static bool fits(const Mark& mark, std::string_view text) {
  return text.starts_with(mark.prefix) && (mark.any_of.empty() || text.find_first_of(mark.any_of) != text.npos);
}

std::string mapped(std::string_view text, const PrefixMap& prefixes) {
  for (const auto& [checkpoint, runtime] : prefixes) {
    const std::size_t at = checkpoint.starts_with('.')    ? text.find(checkpoint)
                           : text.starts_with(checkpoint) ? 0
                                                          : text.npos;
    if (at == text.npos) continue;
    return std::string(text.substr(0, at)) + runtime + std::string(text.substr(at + checkpoint.size()));
  }
  return std::string(text);
}

static std::vector<std::string> rewritten(const Reader& reader, std::string_view text, const PrefixMap& prefixes) {
  if (reader.maps_entries && !prefixes.empty()) return {mapped(text, prefixes)};
  return reader.rewrite == nullptr ? std::vector{std::string(text)} : reader.rewrite(text);
}

static std::optional<std::string> pattern_error(const Reader& reader, How how, std::string_view text) {
  if (!is_regex(how)) return std::nullopt;
  if (auto error = regex::syntax_error_of(text)) return std::move(error->message);
  if (reader.flavor == Flavor::ecmascript && is_rejected_by_ecmascript(text)) return "not ECMAScript";
  return std::nullopt;
}

// Adds the terms of one rewritten text. Returns the error if the reader rejects the text as a pattern.
static std::optional<std::string> add_terms(const Reader& reader, const base::Few<How, 3>& comparisons,
                                            const base::Few<Space, 4>& spaces, const std::string& text, Entry& entry) {
  for (const How how : comparisons) {
    if (auto error = pattern_error(reader, how, text)) {
      if (reader.bad_pattern == BadPattern::reject) return error;
      continue;
    }
    for (const Space space : spaces) entry.terms.push_back({how, space, text});
  }
  return std::nullopt;
}

std::optional<Rejection> prepare(const Reader& reader, Entry& entry, const PrefixMap& prefixes) {
  static constexpr Mark kNone;
  const auto* found = std::ranges::find_if(reader.marks, [&](const Mark& mark) { return fits(mark, entry.text); });
  const Mark& mark = found == reader.marks.end() ? kNone : *found;
  const std::string_view text = std::string_view(entry.text).substr(mark.keeps_prefix ? 0 : mark.prefix.size());
  entry.excludes = mark.excludes;
  entry.level = mark.level;
  entry.terms.clear();
  for (const std::string& each : rewritten(reader, text, prefixes)) {
    auto error = add_terms(reader, mark.how.empty() ? reader.how : mark.how,
                           mark.compares_with.empty() ? reader.compares_with : mark.compares_with, each, entry);
    if (error) return Rejection{Rejection::Reason::bad_pattern, entry.place, entry.span, *std::move(error)};
  }
  return std::nullopt;
}

static Reader reader_of(const Reader& reader, const Rank& rank) {
  Reader out = reader;
  out.how = {rank.how};
  out.compares_with = rank.compares_with;
  out.rewrite = rank.rewrite;
  out.marks = {};
  if (!rank.prefix.empty()) out.marks = {Mark{.prefix = rank.prefix}};
  return out;
}

OrRejection<std::vector<Entry>> ranked(const Reader& reader, std::span<const Rank> ranks,
                                       std::span<const Entry> entries, std::span<const std::uint8_t> kinds) {
  constexpr std::int64_t kBehindAll = std::int64_t{1} << 32;
  std::vector<Entry> out;
  for (std::size_t level = 0; level < ranks.size(); ++level) {
    const Rank& rank = ranks[level];
    const Reader of_rank = reader_of(reader, rank);
    for (std::size_t at = 0; at < entries.size(); ++at) {
      if (kinds[at] != rank.keys) continue;
      Entry entry = entries[at];
      if (auto rejection = prepare(of_rank, entry)) return *std::move(rejection);
      const auto place = static_cast<std::int64_t>(at);
      entry.level = static_cast<std::uint32_t>(level);
      entry.order = rank.order == Order::last ? -place : place;
      if (entry.format == kUnquantized && rank.null_only_alone) entry.order += kBehindAll;
      out.push_back(std::move(entry));
    }
  }
  return out;
}

}  // namespace sparsecfg::selectors
