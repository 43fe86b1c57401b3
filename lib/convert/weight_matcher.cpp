#include "convert/weight_matcher.h"

#include <algorithm>
#include <iterator>

namespace sparsecfg::convert {

// Prefix of every name while a model is wrapped in DataParallel.
static constexpr std::string_view kParallel = "module.";

// --- sets of weights ------------------------------------------------------------------------------------

// Sorts the matches of several terms and removes duplicates. A weight is certain if one term matches it with certainty.
static MatchedWeights in_order(MatchedWeights all) {
  const auto before = [](const MatchedWeight& a, const MatchedWeight& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.certain > b.certain;
  };
  if (!std::ranges::is_sorted(all, before)) std::ranges::sort(all, before);
  const auto is_same = [](const MatchedWeight& a, const MatchedWeight& b) { return a.weight == b.weight; };
  all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
  return all;
}

static MatchedWeights either(MatchedWeights one, const MatchedWeights& other) {
  one.insert(one.end(), other.begin(), other.end());
  return in_order(std::move(one));
}

// Calls `visit` with each weight of the first set and its entry in the second set, or null.
static MatchedWeights for_each(const MatchedWeights& one, const MatchedWeights& other, auto visit) {
  MatchedWeights out;
  auto found = other.begin();
  for (const MatchedWeight& each : one) {
    while (found != other.end() && found->weight < each.weight) ++found;
    const bool both = found != other.end() && found->weight == each.weight;
    if (const auto taken = visit(each, both ? &*found : nullptr)) out.push_back(*taken);
  }
  return out;
}

static MatchedWeights both(const MatchedWeights& one, const MatchedWeights& other) {
  return for_each(one, other, [](MatchedWeight each, const MatchedWeight* same) {
    each.certain = each.certain && same != nullptr && same->certain;
    return same == nullptr ? std::nullopt : std::optional(each);
  });
}

static MatchedWeights without(const MatchedWeights& one, const MatchedWeights& excluded) {
  return for_each(one, excluded, [](MatchedWeight each, const MatchedWeight* left_out) {
    each.certain = each.certain && left_out == nullptr;
    return left_out != nullptr && left_out->certain ? std::nullopt : std::optional(each);
  });
}

// --- names ----------------------------------------------------------------------------------------------

// Returns the names without `prefix` and without the last `cut` characters. A name that does not end in `.weight` has
// no module and becomes a string that no pattern matches.
static std::vector<std::string> names_of(const std::vector<Weight>& weights, std::string_view prefix, std::size_t cut) {
  std::vector<std::string> names;
  for (const Weight& weight : weights) {
    const bool whole = cut == 0 || weight.name.ends_with(kWeightEnding);
    const std::size_t first = weight.name.starts_with(prefix) ? prefix.size() : 0;
    names.push_back(whole ? weight.name.substr(first, weight.name.size() - cut - first) : "\n" + weight.name);
  }
  return names;
}

WeightMatcher::Names::Names(const std::vector<Weight>& weights, std::string_view prefix,
                            const std::shared_ptr<model::WorkLimit>& limit)
    : parameters(model::ModelNames(names_of(weights, prefix, 0)).limited_by(limit)),
      modules(model::ModelNames(names_of(weights, prefix, kWeightEnding.size())).limited_by(limit)) {}

WeightMatcher::WeightMatcher(const std::vector<Weight>& weights) : weights_(weights), names_(weights, "", limit_) {
  if (std::ranges::any_of(weights, [](const Weight& weight) { return weight.name.starts_with(kParallel); })) {
    plain_names_.emplace(weights, kParallel, limit_);
  }
  for (std::size_t at = 0; at < weights.size(); ++at) {
    by_type_[weights[at].type].push_back(static_cast<std::uint32_t>(at));
  }
}

// --- selectors ------------------------------------------------------------------------------------------

MatchedWeights WeightMatcher::weights_matched_by(const model::Selector& selector) const {
  MatchedWeights out = weights_matched_by(selector, names_);
  return plain_names_ ? either(std::move(out), weights_matched_by(selector, *plain_names_)) : out;
}

MatchedWeights WeightMatcher::weights_matched_by(const model::Selector& selector, const Names& names) const {
  const bool parameters = selector.over == model::Selector::Over::parameters;
  MatchedWeights out = parameters ? any_of(selector.terms, names.parameters) : by_module(selector, names);
  if (selector.excluded.empty()) {
    return out;
  }
  return without(out, parameters ? any_of(selector.excluded, names.parameters)
                                 : either(named(selector.excluded, names), typed(selector.excluded)));
}

static bool names_type(const model::Term& term) { return term.kind == model::Term::Kind::module_type; }

// If the selector has names and types, a module must match both.
MatchedWeights WeightMatcher::by_module(const model::Selector& selector, const Names& names) const {
  if (!selector.tensor.empty() && selector.tensor.find("weight") == std::string::npos) {
    return {};
  }
  if (selector.terms.empty()) {
    return all_uncertain();
  }
  const bool has_types = std::ranges::any_of(selector.terms, names_type);
  const bool has_names = !std::ranges::all_of(selector.terms, names_type);
  return has_types && has_names ? both(named(selector.terms, names), typed(selector.terms))
         : has_types            ? typed(selector.terms)
                                : any_of(selector.terms, names.modules);
}

MatchedWeights WeightMatcher::all_uncertain() const {
  MatchedWeights out;
  for (std::size_t at = 0; at < weights_.size(); ++at) out.push_back({static_cast<std::uint32_t>(at), false});
  return out;
}

// Returns true if the type of the layer shows that the weight can be pruned, false if that is unknown, and nullopt if
// it can't be pruned.
static std::optional<bool> is_prunable(const Weight& weight) {
  const auto names = [&](std::string_view part) { return weight.type.find(part) != std::string::npos; };
  if (weight.type.empty()) {
    return weight.shape == nullptr    ? std::optional(false)
           : weight.shape->size() > 1 ? std::optional(true)
                                      : std::nullopt;
  }
  return names("Linear") || names("Conv") || names("Embedding") ? std::optional(true)
         : names("Norm")                                        ? std::nullopt
                                                                : std::optional(false);
}

void WeightMatcher::visit(const model::Term& term, const model::ModelNames& names, auto visitor) const {
  const auto taken = names.matched(term);
  const bool by_layer = term.kind == model::Term::Kind::all_prunable || term.kind == model::Term::Kind::all_quantizable;
  for (const auto& [first, last] : taken.ranges) {
    for (std::size_t at = first; at < last; ++at) {
      const auto certain = by_layer ? is_prunable(weights_[at]) : taken.certain;
      if (certain) visitor(MatchedWeight{static_cast<std::uint32_t>(at), *certain});
    }
  }
}

// A single term returns its weights in order. The weights of several terms are marked, because terms may overlap.
MatchedWeights WeightMatcher::any_of(const Terms& terms, const model::ModelNames& names) const {
  MatchedWeights out;
  if (terms.size() == 1) {
    visit(terms.front(), names, [&](const MatchedWeight& each) { out.push_back(each); });
    return out;
  }
  enum class Mark : std::uint8_t { none, uncertain, certain };
  std::vector<Mark> marks(terms.empty() ? 0 : weights_.size(), Mark::none);
  for (const model::Term& term : terms) {
    visit(term, names, [&](const MatchedWeight& each) {
      marks[each.weight] = std::max(marks[each.weight], each.certain ? Mark::certain : Mark::uncertain);
    });
  }
  for (std::size_t at = 0; at < marks.size(); ++at) {
    if (marks[at] != Mark::none) out.push_back({static_cast<std::uint32_t>(at), marks[at] == Mark::certain});
  }
  return out;
}

MatchedWeights WeightMatcher::named(const Terms& terms, const Names& names) const {
  Terms wanted;
  std::ranges::remove_copy_if(terms, std::back_inserter(wanted), names_type);
  return any_of(wanted, names.modules);
}

MatchedWeights WeightMatcher::typed(const Terms& terms) const {
  MatchedWeights out;
  const auto add = [&](std::string_view type, bool certain) {
    const auto found = by_type_.find(type);
    for (std::size_t at = 0; found != by_type_.end() && at < found->second.size(); ++at) {
      out.push_back({found->second[at], certain});
    }
  };
  if (std::ranges::any_of(terms, names_type)) add("", false);
  for (const model::Term& term : terms) {
    if (names_type(term) && !term.text.empty()) add(term.text, true);
  }
  return in_order(std::move(out));
}

}  // namespace sparsecfg::convert
