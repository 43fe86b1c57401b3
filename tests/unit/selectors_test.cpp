// The mechanism of selector lists against comparing each entry with each module, and laws that hold for each record.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/roles.h"
#include "model/selectors/assign.h"
#include "model/selectors/meant.h"
#include "model/selectors/pieces.h"
#include "model/selectors/relation.h"
#include "random_pattern.h"
#include "regex/pattern.h"

namespace sparsecfg::selectors {

using regex::Author;

// --- single comparisons -----------------------------------------------------------------------------

static bool matches(How how, const std::string& text, const std::string& name) {
  if (how == How::name_inside_entry) return text.find(name) != text.npos;
  const AnchoredPattern pattern = pattern_of(how, text);
  const auto compiled = regex::Pattern::compile(pattern.pattern, pattern.anchoring);
  return std::get<regex::Pattern>(compiled).match(name) == regex::Match::yes;
}

TEST_CASE("the comparisons of selector lists match the names that the frameworks match") {
  struct Case {
    How how;
    const char* text;
    const char* name;
    bool matches;
  };

  const auto each = GENERATE(values<Case>({
      {How::exact, "a.b", "a.b", true},
      {How::exact, "a.b", "axb", false},
      {How::prefix, "layers.1", "layers.10.q", true},
      {How::prefix_of_parts, "layers.1", "layers.10.q", false},
      {How::prefix_of_parts, "layers.1", "layers.1.q", true},
      {How::suffix, "proj", "a.q_proj", true},
      {How::suffix_of_parts, "proj", "a.q_proj", false},
      {How::suffix_of_parts, "q_proj", "a.q_proj", true},
      {How::substring, "gate", "mlp.gate_proj", true},
      {How::part, "gate", "mlp.gate_proj", false},
      {How::part, "mlp", "a.mlp.gate", true},
      {How::part, "a.mlp", "a.mlp.gate", false},
      {How::parts, "a.mlp", "x.a.mlp.gate", true},
      {How::parts, "a.mlp", "xa.mlp.gate", false},
      {How::match, "a.*c", "abcd", true},
      {How::match, "b", "ab", false},
      {How::search, "b$", "ab", true},
      {How::search, "^b", "ab", false},
      {How::fullmatch, "a", "ab", false},
      {How::glob, "*.q_pro?", "a.q_proj", true},
      {How::glob, "a.[!0-9]", "a.5", false},
      {How::glob, "a.[!0-9]", "a.x", true},
      {How::glob, "a.[9-0]", "a.9", false},
      {How::glob, "a[", "a[", true},
      {How::glob, "a*", "A", false},
      {How::name_inside_entry, "x.a.b.y", "a.b", true},
      {How::name_inside_entry, "a", "a.b", false},
      {How::always, "", "a", true},
  }));
  CAPTURE(each.text, each.name);
  CHECK(matches(each.how, each.text, each.name) == each.matches);
}

TEST_CASE("ECMAScript rejects constructs that only Python has") {
  CHECK(is_rejected_by_ecmascript("(?i)a"));
  CHECK(is_rejected_by_ecmascript("(?<=a)b"));
  CHECK(is_rejected_by_ecmascript("a\\Z"));
  CHECK(is_rejected_by_ecmascript("a*+"));
  CHECK_FALSE(is_rejected_by_ecmascript("(?:a|b)(?=c)(?!d)\\.[0-9]+"));
}

// --- pieces -----------------------------------------------------------------------------------------

static std::string random_pieces(Author& author, How how) {
  static const std::vector<std::string> kRegex = {"a", "b",  "a",  "1",   "ab",     "\\.",
                                                  ".", ".*", ".+", ".*?", "layers", "\\-"};
  static const std::vector<std::string> kGlob = {"a", "b", "1", "ab", ".", "*", "?", "layers", "**"};
  const bool glob = how == How::glob;
  std::string out = !glob && author.below(8) == 0 ? "^" : "";
  for (std::size_t more = author.below(6); more > 0; --more) out += author.one_of(glob ? kGlob : kRegex);
  return out + (!glob && author.below(4) == 0 ? "$" : "");
}

TEST_CASE("pieces match the names that their pattern matches") {
  static const std::vector<std::string> kLetters = {"a", "b", "1", ".", "ab", "layers", "-", "a", "."};
  Author author(GENERATE(range(1U, 5U)), regex::kShort);
  std::size_t matching = 0;
  for (std::size_t round = 0; round < 1500; ++round) {
    constexpr How kHow[] = {How::match, How::search, How::fullmatch, How::glob};
    const How how = kHow[author.below(std::size(kHow))];
    const std::string text = random_pieces(author, how);
    const auto pieces = pieces_of(how, text);
    REQUIRE(pieces.has_value());
    for (std::size_t names = 0; names < 6; ++names) {
      std::string name;
      for (std::size_t more = author.below(7); more > 0; --more) name += author.one_of(kLetters);
      CAPTURE(static_cast<int>(how), text, name);
      const bool expected = matches(how, text, name);
      matching += expected ? 1 : 0;
      REQUIRE(pieces->match(name) == expected);
      if (expected) REQUIRE(name.find(pieces->required_text()) != name.npos);
    }
  }
  CHECK(matching > 500);
}

TEST_CASE("other constructs than pieces are regular expressions") {
  for (const char* text : {"a*", "a?", "a.?", "a.{2}", "a|b", "(a)", "[ab]", "\\d", "a.*+", "a$b", "a^", "\\w"}) {
    CAPTURE(text);
    CHECK_FALSE(pieces_of(How::match, text));
  }
  CHECK_FALSE(pieces_of(How::glob, "a[0-9]"));
  CHECK_FALSE(is_plain_name("a\nb"));
  CHECK_FALSE(is_plain_name("caf\xC3\xA9"));
  CHECK(is_plain_name("model.layers.0"));
}

// --- random lists -----------------------------------------------------------------------------------

static std::string random_name(Author& author) {
  static const std::vector<std::string> kParts = {"a", "b", "ab", "1", "11", "q_proj", "layers", "\xC3\xA9"};
  std::string name = author.one_of(kParts);
  for (std::size_t more = author.below(4); more > 0; --more) name += "." + author.one_of(kParts);
  return name;
}

static std::vector<Module> random_modules(Author& author) {
  std::map<std::string, Module> by_name;
  for (std::size_t more = 30; more > 0; --more) {
    Module module{.name = random_name(author), .type = author.below(2) == 0 ? "Linear" : "Embedding"};
    if (author.below(4) == 0) module.parts = {module.name + ".a", module.name + ".b"};
    if (author.below(4) == 0) module.facts.add(Fact::experts);
    if (author.below(8) == 0) module.facts.add(Fact::head);
    module.others = {{Space::parameter, module.name + ".weight"}};
    by_name.emplace(module.name, module);
  }
  std::vector<Module> out;
  for (const auto& [name, module] : by_name) out.push_back(module);
  return out;
}

// Not all comparisons have patterns that compile, so texts are plain names with a few metacharacters.
static Reader random_reader(Author& author) {
  Reader reader{.name = "random"};
  const auto how = [&] { return static_cast<How>(author.below(static_cast<std::size_t>(How::always) + 1)); };
  reader.how = author.below(2) == 0 ? base::Few<How, 3>{how()} : base::Few<How, 3>{how(), how()};
  if (author.below(3) == 0) reader.compares_with = {Space::name, Space::parameter};
  if (author.below(3) == 0)
    reader.marks = {{.prefix = "-:", .excludes = true}, {.prefix = "re:", .how = {How::search}}};
  reader.polarity = static_cast<Polarity>(author.below(3));
  reader.unit = author.below(2) == 0 ? Unit::layer : Unit::any_part;
  reader.order = author.below(2) == 0 ? Order::first : Order::last;
  if (author.below(4) == 0) reader.special = {{Fact::experts, "a", {how()}}};
  if (author.below(4) == 0) reader.also = {{Fact::experts, "a", {how()}}};
  if (author.below(4) == 0) reader.never.facts = {Fact::head};
  if (author.below(4) == 0) reader.default_skips = {Fact::head};
  reader.skips_default = author.below(4) == 0;
  return reader;
}

static std::vector<Entry> random_entries(Author& author, const Reader& reader, std::size_t count) {
  static const std::vector<std::string> kMarks = {"", "", "-:", "re:"};
  static const std::vector<std::string> kEnds = {"", "", ".*", "$", ".*b", ".+1"};
  std::vector<Entry> out;
  for (std::uint32_t at = 0; at < count; ++at) {
    Entry entry{author.one_of(kMarks) + random_name(author) + author.one_of(kEnds),
                static_cast<Format>(author.below(4)), at};
    entry.order = at;
    REQUIRE_FALSE(prepare(reader, entry));
    out.push_back(entry);
  }
  return out;
}

// --- the mechanism without its index ----------------------------------------------------------------

static bool matches_module(const Reader& reader, const Entry& entry, const Module& module, std::string_view part) {
  const std::string name(part.empty() ? std::string_view(module.name) : part);
  const auto by = [&](const Special& special) {
    return entry.text.find(special.word) != entry.text.npos && std::ranges::any_of(special.how, [&](How how) {
             return std::ranges::any_of(entry.terms, [&](const Term& term) { return matches(how, term.text, name); });
           });
  };
  for (const Special& special : reader.special) {
    if (module.facts.has(special.fact)) return by(special);
  }
  for (const Special& special : reader.also) {
    if (module.facts.has(special.fact) && by(special)) return true;
  }
  return std::ranges::any_of(entry.terms, [&](const Term& term) {
    if (term.space == Space::parameter) return matches(term.how, term.text, module.others.front().name);
    return matches(term.how, term.text, name);
  });
}

static std::vector<std::string> asked(const Reader& reader, const Module& module) {
  const bool special =
      std::ranges::any_of(reader.special, [&](const Special& each) { return module.facts.has(each.fact); });
  return reader.unit == Unit::layer || module.parts.empty() || special ? std::vector<std::string>{""} : module.parts;
}

static Format plain_decision(const Reader& reader, const std::vector<Entry>& entries, const Module& module) {
  if (reader.never.contain(module)) return kUnquantized;
  std::vector<Format> answers;
  for (const std::string& part : asked(reader, module)) {
    const Entry* found = nullptr;
    for (const Entry& entry : entries) {
      const bool unquantized = entry.excludes || reader.polarity == Polarity::skip || entry.format == kUnquantized;
      const Format value = unquantized                         ? kUnquantized
                           : reader.polarity == Polarity::keep ? kDefaultFormat
                                                               : entry.format;
      if (!matches_module(reader, entry, module, part) || (reader.skips_default && value == kDefaultFormat)) continue;
      if (found == nullptr || reader.order == Order::last) found = &entry;
    }
    const Format none = reader.polarity == Polarity::keep ? kUnquantized : kDefaultFormat;
    if (found == nullptr) {
      answers.push_back(none);
    } else if (found->excludes || reader.polarity == Polarity::skip || found->format == kUnquantized) {
      answers.push_back(kUnquantized);
    } else {
      answers.push_back(reader.polarity == Polarity::keep ? kDefaultFormat : found->format);
    }
  }
  const auto decides = std::ranges::find_if(answers, [](Format format) { return format != kUnquantized; });
  return reader.unit == Unit::any_part && decides != answers.end() ? *decides : answers.front();
}

static std::vector<Format> formats_of(const Reader& reader, const std::vector<Entry>& entries,
                                      const std::vector<Module>& modules) {
  const auto result = assign(reader, &entries, modules);
  std::vector<Format> out;
  for (const Decision& decision : std::get<Assignment>(result).decisions) out.push_back(decision.format);
  return out;
}

TEST_CASE("assigning formats agrees with comparing each entry with each module") {
  Author author(GENERATE(range(1U, 4U)), regex::kShort);
  for (std::size_t round = 0; round < 150; ++round) {
    const Reader reader = random_reader(author);
    const std::vector<Module> modules = random_modules(author);
    const std::vector<Entry> entries = random_entries(author, reader, 1 + author.below(8));
    const std::vector<Format> formats = formats_of(reader, entries, modules);
    for (std::size_t at = 0; at < modules.size(); ++at) {
      CAPTURE(round, modules[at].name, entries.front().text);
      REQUIRE(formats[at] == plain_decision(reader, entries, modules[at]));
    }
  }
}

TEST_CASE("prefixes of more lengths than the index has shapes") {
  constexpr std::size_t kCount = 200;
  constexpr std::size_t kLength = 150;
  const Reader reader{.name = "prefixes", .how = {How::prefix}};
  std::vector<Entry> entries;
  for (std::uint32_t at = 0; at < kCount; ++at) {
    REQUIRE_FALSE(prepare(reader, entries.emplace_back(Entry{std::string(at + 1, 'a'), kDefaultFormat, at})));
  }
  const std::vector<Module> modules = {{.name = std::string(kLength, 'a'), .type = "Linear"}};
  base::Budget budget = assignment_budget();
  const std::vector<bool> matched = matched_entries(reader, entries, modules, budget);
  for (std::size_t at = 0; at < kCount; ++at) CHECK(matched[at] == (at < kLength));
}

static std::vector<Entry> numbered(std::vector<Entry> entries) {
  for (std::uint32_t at = 0; at < entries.size(); ++at) {
    entries[at].place = at;
    entries[at].order = at;
  }
  return entries;
}

TEST_CASE("laws of selector lists") {
  Author author(GENERATE(range(10U, 13U)), regex::kShort);
  for (std::size_t round = 0; round < 150; ++round) {
    const Reader reader = random_reader(author);
    const std::vector<Module> modules = random_modules(author);
    const std::vector<Entry> entries = random_entries(author, reader, 1 + author.below(8));
    const auto result = assign(reader, &entries, modules);
    const auto& assignment = std::get<Assignment>(result);
    const std::vector<Format> before = formats_of(reader, entries, modules);
    REQUIRE(before.size() == modules.size());

    // Writing each entry twice changes nothing.
    std::vector<Entry> twice;
    for (const Entry& entry : entries) twice.insert(twice.end(), {entry, entry});
    REQUIRE(formats_of(reader, numbered(twice), modules) == before);

    // Removing the entries that decide nothing changes nothing.
    std::vector<bool> decides(entries.size());
    std::vector<bool> matches(entries.size());
    for (const Decision& decision : assignment.decisions) {
      if (decision.has_entry()) decides[decision.by] = matches[decision.by] = true;
      for (const std::uint32_t entry : assignment.together(decision)) decides[entry] = matches[entry] = true;
      if (decision.why == Decision::Why::default_skip) continue;
      for (const std::uint32_t entry : assignment.overridden(decision)) matches[entry] = true;
    }
    std::vector<Entry> kept;
    for (std::size_t at = 0; at < entries.size(); ++at) {
      if (decides[at]) kept.push_back(entries[at]);
    }
    if (!kept.empty()) REQUIRE(formats_of(reader, numbered(kept), modules) == before);

    // Each entry matches nothing, decides or is overridden.
    REQUIRE(matches == assignment.matched);

    // Lists of equal entries have no order.
    const bool excludes = std::ranges::any_of(entries, &Entry::excludes);
    if (reader.polarity == Polarity::assign || excludes || reader.skips_default) continue;
    std::vector<Entry> reversed = entries;
    for (Entry& entry : reversed) entry.format = kDefaultFormat;
    const std::vector<Format> straight = formats_of(reader, reversed, modules);
    std::ranges::reverse(reversed);
    REQUIRE(formats_of(reader, numbered(reversed), modules) == straight);
  }
}

// --- reading ----------------------------------------------------------------------------------------

static source::Value config(std::string_view json) { return *std::get<0>(source::read_json(json)); }

static std::vector<std::string> texts(const Reader& reader, std::string_view json) {
  const auto result = read(reader, config(json));
  const auto* entries = std::get_if<std::optional<std::vector<Entry>>>(&result);
  std::vector<std::string> out;
  if (entries == nullptr) return {"rejected"};
  if (!*entries) return {"absent"};
  for (const Entry& entry : **entries) out.push_back(entry.text);
  return out;
}

TEST_CASE("a record decides which field is read and what counts as a list") {
  using Texts = std::vector<std::string>;
  Reader reader{.name = "r", .fields = {"a", "b"}};
  CHECK(texts(reader, R"({})") == Texts{"absent"});
  CHECK(texts(reader, R"({"a": null, "b": ["x"]})") == Texts{"x"});
  CHECK(texts(reader, R"({"a": [], "b": ["x"]})") == Texts{});
  CHECK(texts(reader, R"({"a": "xy"})") == Texts{"x", "y"});
  CHECK(texts(reader, R"({"a": [1]})") == Texts{"rejected"});
  reader.which_field = WhichField::first_not_empty;
  reader.string_for_list = StringForList::one_entry;
  reader.not_a_string = NotAString::ignore;
  reader.nested = true;
  CHECK(texts(reader, R"({"a": [], "b": "xy"})") == Texts{"xy"});
  CHECK(texts(reader, R"({"a": [1, "x"]})") == Texts{"x"});
  CHECK(texts(reader, R"({"a": [["x"], ["y", "z"]]})") == Texts{"x", "y", "z"});
  CHECK(texts(reader, R"({"a": {"x": true, "y": false}})") == Texts{"x", "y"});
}

TEST_CASE("ranks decide before the order of entries") {
  const std::vector<Entry> entries = {{"re:a.*", 2, 0}, {"a.b", 3, 1}, {"re:a.b", 0, 2}};
  const std::vector<Rank> ranks = {{.keys = 0},
                                   {.keys = 1, .how = How::fullmatch, .order = Order::last, .prefix = "re:"}};
  const auto result =
      ranked({.name = "r", .polarity = Polarity::assign}, ranks, entries, std::vector<std::uint8_t>{1, 0, 1});
  const auto& all = std::get<std::vector<Entry>>(result);
  REQUIRE(all.size() == 3);
  const std::vector<Module> modules = {
      {.name = "a.b", .type = {}}, {.name = "a.c", .type = {}}, {.name = "axb", .type = {}}};
  CHECK(formats_of({.name = "r", .polarity = Polarity::assign}, all, modules) == std::vector<Format>{3, 2, 0});
}

// --- comparisons and suggestions --------------------------------------------------------------------

static Entry entry_of(const Reader& reader, std::string text) {
  Entry entry{std::move(text)};
  REQUIRE_FALSE(prepare(reader, entry));
  return entry;
}

TEST_CASE("entries are compared by all possible names") {
  const Reader reader{.name = "r", .how = {How::prefix_of_parts}, .marks = {{.prefix = "re:", .how = {How::search}}}};
  auto budget = regex::comparison_budget();
  const auto all = [&](const char* a, const char* b) {
    return contains(entry_of(reader, a), entry_of(reader, b), budget).answer == regex::Comparison::Answer::yes;
  };
  CHECK(all("a", "a.b"));
  CHECK_FALSE(all("a.b", "a"));
  CHECK(all("re:a", "a.b"));
  CHECK_FALSE(all("a", "re:a"));
  CHECK(same_matches(entry_of(reader, "a.b"), entry_of(reader, "re:^a\\.b(\\.|$)"), budget));
  CHECK(intersects(entry_of(reader, "a"), entry_of(reader, "re:b$"), budget).answer == regex::Comparison::Answer::yes);
}

static std::optional<Meant> meant(const Reader& reader, const char* text) {
  const std::vector<Module> modules = {{.name = "model.layers.0.mlp.down_proj", .type = {}},
                                       {.name = "model.layers.1.mlp.down_proj", .type = {}}};
  auto budget = assignment_budget();
  return meant_by(reader, entry_of(reader, text), modules, {}, budget);
}

TEST_CASE("an entry that matches nothing gets the nearest one that does") {
  const Reader plain{.name = "plain", .how = {How::exact}, .marks = {{.prefix = "re:", .how = {How::match}}}};
  const Reader globs{.name = "globs", .how = {How::glob}};
  CHECK(meant(plain, ".*down_proj")->text == "re:.*down_proj");
  CHECK(meant(plain, "*.down_proj")->kind == Meant::Kind::other_flavor);
  CHECK(meant(plain, "layers.0.mlp.down_proj")->text == "model.layers.0.mlp.down_proj");
  CHECK(meant(plain, "model.layers.0.mlp.down_proj.weight")->kind == Meant::Kind::other_level);
  CHECK(meant(plain, "model.layers.0.mlp.dwon_proj")->text == "model.layers.0.mlp.down_proj");
  const auto glob = meant(globs, "re:.*down_proj");
  REQUIRE(glob);
  CHECK(glob->text == "*down_proj");
  CHECK(glob->matches == 2);
  CHECK_FALSE(meant(plain, "something_else"));
}

// --- work -------------------------------------------------------------------------------------------

TEST_CASE("an entry for another family of models gets the layers with its role") {
  const std::vector<std::string_view> names = {
      "model.visual.blocks.0.attn.qkv",         "model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.k_proj",
      "model.layers.0.self_attn.v_proj",        "model.layers.0.self_attn.o_proj", "model.layers.0.mlp.down_proj",
      "model.layers.1.mlp.experts.0.gate_proj", "model.layers.1.mlp.gate"};
  const auto pattern = [&](const char* entry) { return model::counterpart_of(entry, names).pattern(); };
  CHECK(pattern("re:.*c_attn$") == ".*(k_proj|q_proj|v_proj)$");
  CHECK(pattern("re:.*attention\\.self\\.query$") == ".*q_proj$");
  CHECK(pattern("transformer.h.3.mlp.c_proj") == ".*\\.3\\..*down_proj$");
  CHECK(pattern("re:.*block_sparse_moe\\.experts\\.\\d+\\.w1") == ".*experts\\..*gate_proj$");
  CHECK(pattern("re:.*block_sparse_moe\\.gate$") == ".*mlp\\.gate$");
  CHECK(pattern("re:vision_tower.*") == ".*visual\\..*");
  CHECK(pattern("re:.*q_proj$").empty());     // the model has the name
  CHECK(pattern("re:.*(fc1|fc2)$").empty());  // several names
  CHECK(pattern("something_else").empty());
}

TEST_CASE("long lists over large models need limited work") {
  std::vector<Module> modules;
  for (std::size_t layer = 0; layer < 60; ++layer) {
    for (std::size_t expert = 0; expert < 1000; ++expert) {
      modules.push_back(
          {.name = "model.layers." + std::to_string(layer) + ".mlp.experts." + std::to_string(expert), .type = {}});
    }
  }
  Reader reader{.name = "r", .how = {How::prefix_of_parts, How::suffix}};
  std::vector<Entry> entries;
  for (std::uint32_t at = 0; at < 20'000; ++at) {
    Entry entry{modules[at * 3].name};
    REQUIRE_FALSE(prepare(reader, entry));
    entry.order = at;
    entries.push_back(entry);
  }
  auto budget = assignment_budget();
  const auto result = assign(
      reader, &entries, modules, [](const Module&) { return kDefaultFormat; }, {}, budget);
  const auto& assignment = std::get<Assignment>(result);
  CHECK(assignment.complete);
  CHECK(std::ranges::count(assignment.decisions, kUnquantized, &Decision::format) == 20'000);

  // Slow patterns exhaust the budget. Then decisions are unknown.
  reader.how = {How::search};
  for (Entry& entry : entries) {
    entry.text = ".*[0-9]" + std::to_string(entry.order) + "?x";
    REQUIRE_FALSE(prepare(reader, entry));
  }
  auto again = assignment_budget();
  const auto slow = assign(
      reader, &entries, modules, [](const Module&) { return kDefaultFormat; }, {}, again);
  CHECK_FALSE(std::get<Assignment>(slow).complete);
  CHECK(std::get<Assignment>(slow).decisions.back().why == Decision::Why::unknown);
}

}  // namespace sparsecfg::selectors
