#include "dialect/nni/reach.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/nni/selectors.h"
#include "model/comparing.h"

namespace sparsecfg::dialect::nni {

// The fields of an entry that NNI rejects.
static const source::Map kNone;

static std::set<std::string> words_of(const Selectors::Texts& texts) {
  std::set<std::string> words;
  for (const auto& text : texts) words.insert(text.value);
  return words;
}

// Prepares sample names. In most cases they show that something is not covered, faster than a comparison of patterns.
void Reach::prepare(model::Selector names) {
  names_ = std::move(names);
  matcher_ = std::make_shared<const model::Matcher>(names_);
  std::ranges::transform(names_.terms, std::back_inserter(samples_), model::name_taken_by);
  std::erase(samples_, "");
}

Reach Reach::of(const Entry& entry) {
  Reach reach;
  const source::Map& fields = entry.valid ? entry.fields : kNone;
  const Selectors selected = selectors_of(fields);
  const Selectors excluded = exclusions_of(fields);
  reach.types_ = words_of(selected.types);
  reach.prepare(selected.named());
  for (const auto& type : excluded.types) reach.excluded_.emplace(ExclusionKind::type, type.value);
  for (const auto& name : excluded.names) reach.excluded_.emplace(ExclusionKind::name, name.value);
  for (const auto& pattern : excluded.patterns) reach.excluded_.emplace(ExclusionKind::pattern, pattern.value);
  reach.targets_ = words_of(texts_of(fields, "target_names"));
  reach.more_targets_ = has(entry.fields, "target_settings");
  return reach;
}

Reach Reach::of_older(const Entry& entry) {
  Reach reach;
  Selectors selected = selectors_of(entry.valid ? *entry.written : kNone);
  selected.patterns.clear();  // a key of NNI 3.0
  reach.types_ = words_of(selected.types);
  if (reach.types_.contains("default")) {
    reach.types_.insert(weighted_types().begin(), weighted_types().end());
  }
  reach.prepare(selected.named());
  return reach;
}

// Returns true if `other` certainly selects nothing that an exclusion removes, or has the same exclusion.
bool Reach::lacks(const Exclusion& exclusion) const {
  const auto& [kind, word] = exclusion;
  if (excluded_.contains(exclusion)) return true;
  if (kind == ExclusionKind::type) return !types_.empty() && !types_.contains(word);
  return kind == ExclusionKind::name && !names_.terms.empty() && matcher_->match(word) == regex::Match::no;
}

// Returns true if targets and exclusions do not remove anything that `other` selects.
bool Reach::keeps(const Reach& other) const {
  const bool defaults = targets_.empty() && other.targets_.empty() && !other.more_targets_;
  const bool targets = defaults || (!other.targets_.empty() && std::ranges::includes(targets_, other.targets_));
  const auto lacks = [&](const Exclusion& exclusion) { return other.lacks(exclusion); };
  return targets && std::ranges::all_of(excluded_, lacks) && (!types_.empty() || !names_.terms.empty());
}

// Compares modules of one type, or of every type if `other` is not restricted by type.
bool Reach::cover_type(const std::vector<const Reach*>& reaches, const Reach& other, const std::string* type,
                       base::Budget& budget) {
  model::Selector names;
  names.over = model::Selector::Over::modules;
  std::vector<const model::Matcher*> matchers;
  for (const Reach* reach : reaches) {
    const bool fits = reach->types_.empty() || (type != nullptr && reach->types_.contains(*type));
    if (!fits || !reach->keeps(other)) {
      continue;
    }
    if (reach->names_.terms.empty()) {
      return true;
    }
    names.terms.insert(names.terms.end(), reach->names_.terms.begin(), reach->names_.terms.end());
    matchers.push_back(reach->matcher_.get());
  }
  const auto leaves_out = [&](const std::string& name) {
    return std::ranges::all_of(matchers, [&](const auto* each) { return each->match(name) == regex::Match::no; });
  };
  return !names.terms.empty() && !other.names_.terms.empty() && std::ranges::none_of(other.samples_, leaves_out) &&
         model::contains(model::Selection(names), model::Selection(other.names_), budget).answer ==
             regex::Comparison::Answer::yes;
}

bool Reach::cover(const std::vector<const Reach*>& reaches, const Reach& other, base::Budget& budget) {
  if (other.types_.empty()) {
    return !other.names_.terms.empty() && cover_type(reaches, other, nullptr, budget);
  }
  return std::ranges::all_of(other.types_,
                             [&](const std::string& type) { return cover_type(reaches, other, &type, budget); });
}

// Returns the types of modules with weights that have such a name: Linear for `fc1`, Conv2d for `conv1`, else both.
static std::vector<std::string> usual_types(std::string_view name) {
  constexpr std::string_view kLinear[] = {"fc",  "linear", "dense",      "proj", "query",
                                          "key", "value",  "classifier", "head"};
  const std::string_view last = base::last_part(name);
  const auto occurs = [&](std::string_view word) { return last.find(word) != std::string_view::npos; };
  if (occurs("conv")) return {"Conv2d"};
  if (std::ranges::any_of(kLinear, occurs)) return {"Linear"};
  return {"Conv2d", "Linear"};
}

std::vector<std::string> Reach::likely_cover(const Reach& reach, const Reach& other, base::Budget& budget) {
  std::vector<std::string> out;
  if (!other.types_.empty() || other.names_.terms.empty()) return out;
  for (const model::Term& term : other.names_.terms) {
    if (term.kind != model::Term::Kind::exact) return {};
    for (const std::string& type : usual_types(term.text)) {
      if (!cover_type({&reach}, other, &type, budget)) return {};
      if (std::ranges::find(out, type) == out.end()) out.push_back(type);
    }
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
