#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"

#include "diag/rule.h"
#include "dialect/gptqmodel/codes.h"
#include "dialect/gptqmodel/languages.h"
#include "dialect/gptqmodel/read.h"

// Entries of `dynamic` that match the same layers. GPTQModel does not merge them (docs/semantics/gptqmodel.md#b1-2).
namespace sparsecfg::dialect::gptqmodel {

DIAGNOSTIC(GQ207, gptq_entries_not_merged, silent_warning, (Text, Text, Text), "`{}` does not set {} of {}",
           "Two entries of `dynamic` match these layers. GPTQModel uses only the first one. It does not merge entries: "
           "values that the first one does not have are those of the configuration.",
           "write an entry with all values for these layers before both entries")

namespace {

using source::Value;
using Modules = std::vector<std::uint32_t>;  // sorted indexes

struct Pair {
  std::uint32_t first = 0;  // decides
  std::uint32_t other = 0;  // also matches
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

// Returns true if an entry is for a part of the modules of another one, or for all of them.
bool is_within(const Modules& part, const Modules& all) { return std::ranges::includes(all, part); }

Modules common(const Modules& one, const Modules& other) {
  Modules out;
  std::ranges::set_intersection(one, other, std::back_inserter(out));
  return out;
}

// --- patterns -------------------------------------------------------------------------------------------

constexpr std::string_view kAny = ".*";

std::string_view without_start(std::string_view pattern) {
  return pattern.starts_with(kAny) ? pattern.substr(kAny.size()) : pattern;
}

std::string with_open_end(std::string_view pattern) {
  return fmt::format("{}{}", pattern, pattern.ends_with(kAny) ? "" : kAny);
}

// Returns patterns that possibly match what both patterns match, the most readable first.
std::vector<std::string> intersections(std::string_view one, std::string_view other) {
  std::vector<std::string> out;
  for (const auto& [left, right] : {std::pair(other, one), std::pair(one, other)}) {
    if (!left.ends_with('$')) out.push_back(with_open_end(left) + std::string(without_start(right)));
  }
  for (const auto* group : {".*{}", ".*(?:{})"}) {  // alternatives need a group
    const auto part = [&](std::string_view text) { return fmt::format(fmt::runtime(group), without_start(text)); };
    out.push_back(fmt::format("(?={}){}", part(one), part(other)));
  }
  return out;
}

// --- the check ------------------------------------------------------------------------------------------

class Merges {
 public:
  Merges(const Context& context, const Config& config, const std::vector<model::Module>& modules)
      : context_(context), config_(config), modules_(modules), assign_(lowered(config)) {}

  void check() {
    constexpr std::size_t kMost = 256;  // entries; configurations with more are written by programs
    const std::size_t size = config_.dynamic.size();
    if (assign_.selection.rules.size() != size || size < 2 || size > kMost) return;
    collect();
    for (const auto& [pair, modules] : shared_) check_pair(pair, modules);
  }

 private:
  // Collects the modules of each positive entry, and those of each pair.
  void collect() {
    members_.resize(config_.dynamic.size());
    const ir::Decisions decisions = assign_.selection.language->decide(assign_.selection, assign_.schemes, modules_);
    for (std::uint32_t at = 0; decisions.complete && at < decisions.of_modules.size(); ++at) {
      const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
      if (!decision.rule || decision.unknown || config_.dynamic[*decision.rule].is_negative()) continue;
      decided_.push_back(at);
      members_[*decision.rule].push_back(at);
      for (const std::uint32_t other : decision.overridden) {
        members_[other].push_back(at);
        shared_[{*decision.rule, other}].push_back(at);
      }
    }
  }

  void check_pair(const Pair& pair, const Modules& modules) {
    const Modules& first = members_[pair.first];
    const Modules& other = members_[pair.other];
    if (is_within(first, other) || is_within(other, first)) return;  // special before general, or no effect at all
    const std::vector<std::string> lost = lost_keys(entry(pair.first), entry(pair.other));
    if (!lost.empty()) report(pair, modules, lost);
  }

  [[nodiscard]] const Entry& entry(std::uint32_t number) const { return config_.dynamic[number]; }

  // Returns the keys whose values only the second entry has, and that would change the layers of the first one. Empty
  // if the entries contradict each other.
  [[nodiscard]] std::vector<std::string> lost_keys(const Entry& first, const Entry& other) const {
    const auto* values = other.values.get<source::Map>();
    std::vector<std::string> out;
    if (first.unknown || other.unknown || values == nullptr) return out;
    for (const auto& [key, value] : *values) {
      const std::string name = source::python_str(key);
      const Value* own = first.values.find(name);
      if (own != nullptr && *own != value) return {};
      if (own == nullptr && changes(first, key, value)) out.push_back(name);
    }
    return out;
  }

  [[nodiscard]] bool changes(const Entry& first, const Value& key, const Value& value) const {
    const Layer before = layer_of(first, config_.base);
    const Entry alone{{}, {}, Value{source::Map{{key, value}}, value.span}};
    return scheme_of(config_, before) != scheme_of(config_, layer_of(alone, before));
  }

  void report(const Pair& pair, const Modules& modules, const std::vector<std::string>& lost) {
    std::vector<std::string> names;
    for (const std::string& key : lost) names.push_back(fmt::format("`{}`", key));
    auto& report =
        context_.sink.report(diag::gptq_entries_not_merged, entry(pair.first).span, entry(pair.other).pattern,
                             base::join_and(names), base::counted(modules.size(), "layer"));
    report.with_caret(fmt::format("decides `{}`", modules_[modules.front()].name));
    report.with_label(entry(pair.other).span, "is not merged");
    const std::string pattern = pattern_for(pair);
    const std::string values = values_for(entry(pair.first), entry(pair.other), lost);
    if (pattern.empty() || values.empty()) return;
    report.with_help(fmt::format("write `'{}': {{{}}}` before both entries", pattern, values));
  }

  // Returns a pattern that matches the modules of both entries; empty if none is found.
  [[nodiscard]] std::string pattern_for(const Pair& pair) const {
    const std::string_view written = entry(pair.first).pattern;
    const std::string_view mark = written.starts_with("+:") ? written.substr(0, 2) : std::string_view();
    const Modules wanted = common(members_[pair.first], members_[pair.other]);
    for (const std::string& text : intersections(without_mark(written), without_mark(entry(pair.other).pattern))) {
      const std::string pattern = fmt::format("{}{}", mark, text);
      if (text.find('\'') == text.npos && common(matched_by(pattern), decided_) == wanted) return pattern;
    }
    return {};
  }

  [[nodiscard]] Modules matched_by(const std::string& pattern) const {
    const ir::Selection selection{assign_.selection.language, {{pattern, {}}}, {}};
    const ir::Decisions decisions = selection.language->decide(selection, assign_.schemes, modules_);
    Modules out;
    for (std::uint32_t at = 0; decisions.complete && at < decisions.of_modules.size(); ++at) {
      if (decisions.entries[decisions.of_modules[at]].rule) out.push_back(at);
    }
    return out;
  }

  // Returns the values of the first entry and the lost ones of the other; empty if one has parts.
  static std::string values_for(const Entry& first, const Entry& other, const std::vector<std::string>& lost) {
    std::string out;
    for (const Entry* each : {&first, &other}) {
      for (const auto& [key, value] : *each->values.get<source::Map>()) {
        const std::string name = source::python_str(key);
        if (each == &other && std::ranges::find(lost, name) == lost.end()) continue;
        if (value.get<source::Map>() != nullptr || value.get<source::List>() != nullptr) return {};
        const bool text = value.get<std::string>() != nullptr;
        out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", name,
                           text ? fmt::format("\"{}\"", *value.get<std::string>()) : source::python_str(value));
      }
    }
    return out;
  }

  const Context& context_;
  const Config& config_;
  const std::vector<model::Module>& modules_;
  ir::Assign assign_;
  Modules decided_;               // by positive entries
  std::vector<Modules> members_;  // of each entry, without the modules of negative entries
  std::map<Pair, Modules> shared_;
};

}  // namespace

void check_merges(const Context& context, const Config& config, const ReadOptions& options) {
  if (options.modules == nullptr || config.saved || config.unknown) return;
  Merges(context, config, *options.modules).check();
}

}  // namespace sparsecfg::dialect::gptqmodel
