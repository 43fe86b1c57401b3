#include "convert/weights.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <optional>
#include <set>

#include "ir/comparing.h"
#include "ir/model_names.h"
#include "ir/name_matcher.h"

namespace sparsecfg::convert {

constexpr std::string_view kWeightEnding = ".weight";
// What a model's names begin with while it is wrapped for several devices.
constexpr std::string_view kParallel = "module.";

// --- the weights ------------------------------------------------------------------------------------------

static bool is_over_modules(const ir::Selector& selector) { return selector.over != ir::Selector::Over::parameters; }

static std::vector<const ir::Selector*> selectors_of_masks(const ir::Recipe& recipe) {
  std::vector<const ir::Selector*> out;
  for (const ir::Action& action : recipe.actions) {
    if (ir::makes_masks(action.effect)) {
      const auto selectors = ir::selectors_of(action.effect);
      out.insert(out.end(), selectors.begin(), selectors.end());
      const auto* prune = std::get_if<ir::Prune>(&action.effect);
      for (std::size_t at = 0; prune != nullptr && at < prune->mask_groups.size(); ++at) {
        out.push_back(&prune->mask_groups[at].selector);
      }
    }
  }
  return out;
}

static bool is_type(const ir::Term& term) { return term.kind == ir::Term::Kind::module_type; }

static bool is_pattern(const ir::Term& term) {
  return term.kind == ir::Term::Kind::pattern || term.kind == ir::Term::Kind::part;
}

// The names that a selector takes, whatever it wants of their types and leaves out, and those that it leaves out: as
// two selectors, of those that have patterns. Of a selector with all that, no name is certain that it takes it.
static std::vector<ir::Selector> selectors_by_name(const ir::Selector& selector) {
  std::vector<ir::Selector> out;
  for (const std::vector<ir::Term>* terms : {&selector.terms, &selector.excluded.items()}) {
    if (std::ranges::none_of(*terms, is_pattern)) continue;
    ir::Selector names;
    names.over = selector.over;
    std::ranges::remove_copy_if(*terms, std::back_inserter(names.terms), is_type);
    out.push_back(std::move(names));
  }
  return out;
}

// A selector of names with patterns, prepared to be compared with others.
class ComparedSelector {
 public:
  explicit ComparedSelector(ir::Selector own) : selector(std::move(own)), selection(selector), matcher_(selector) {}

  // Whether it takes each of these names, which may have become more since the last call.
  const std::vector<regex::Match>& matches(const std::vector<std::string>& names) {
    while (matches_.size() < names.size()) matches_.push_back(matcher_.match(names[matches_.size()]));
    return matches_;
  }

  ir::Selector selector;
  ir::Selection selection;
  std::array<bool, 2> in{};  // which of the two recipes have it

 private:
  ir::NameMatcher matcher_;
  std::vector<regex::Match> matches_;
};

// Examples of the names that selectors take.
class Examples {
 public:
  Examples(const ir::Recipe& one, const ir::Recipe& other) {
    add_all(one, 0);
    add_all(other, 1);
  }

  [[nodiscard]] Weights take() {
    const std::size_t most = kMaxMaskers / std::max(std::size_t{1}, selectors_);
    const bool too_many = weights_.size() > most;
    if (too_many) weights_.resize(most);
    return {std::move(weights_), !too_many && is_complete()};
  }

 private:
  static constexpr std::size_t kMaxMaskers = 200'000;  // of all weights of a recipe together
  static constexpr std::size_t kMaxSelectors = 200;  // of which each pair is compared
  static constexpr std::size_t kMaxNames = 500;      // that are tried before a pair is compared

  void add_all(const ir::Recipe& recipe, std::size_t number) {
    const auto selectors = selectors_of_masks(recipe);
    selectors_ = std::max(selectors_, selectors.size());
    for (const ir::Selector* selector : selectors) {
      add_terms(*selector, selector->terms);
      add_terms(*selector, selector->excluded);
      for (ir::Selector& names : selectors_by_name(*selector)) keep(std::move(names), number);
    }
    for (std::size_t at = finished_; at < compared_.size(); ++at) add_common(compared_[at], compared_[at]);
    for (std::size_t one = 0; one < compared_.size(); ++one) {
      for (std::size_t other = 0; other < compared_.size(); ++other) {
        if (std::max(one, other) < finished_ || one == other) continue;
        if (one < other) add_common(compared_[one], compared_[other]);
        add_left_out(compared_[one], compared_[other]);
      }
    }
    finished_ = compared_.size();
  }

  // Keeps a selector of a recipe to be compared with all others, unless it is known or there are too many.
  void keep(ir::Selector selector, std::size_t recipe) {
    auto known = std::ranges::find(compared_, selector, &ComparedSelector::selector);
    if (known == compared_.end() && compared_.size() == kMaxSelectors) {
      over_limit_[recipe].push_back(std::move(selector));
      return;
    }
    if (known == compared_.end()) known = compared_.emplace(known, std::move(selector));
    known->in[recipe] = true;
  }

  // What is not known of two selectors that both recipes have is the same in both.
  bool is_complete() const {
    const auto is_common = [](const ComparedSelector* each) { return each->in[0] && each->in[1]; };
    return over_limit_[0] == over_limit_[1] && std::ranges::all_of(unknown_, [&](const auto& pair) {
             return is_common(pair.first) && is_common(pair.second);
           });
  }

  // A name that both take.
  void add_common(ComparedSelector& one, ComparedSelector& other) {
    if (&one == &other || !has_example(one, other, regex::Match::yes)) {
      add_compared(one, other, ir::intersects_by_name(one.selection, other.selection, budget_));
    }
  }

  // A name that the first one takes alone.
  void add_left_out(ComparedSelector& one, ComparedSelector& other) {
    if (!has_example(one, other, regex::Match::no)) {
      add_compared(one, other, ir::contains_by_name(other.selection, one.selection, budget_));
    }
  }

  // Returns true if an example that is there already is taken by the first one, and by the other one or not.
  bool has_example(ComparedSelector& one, ComparedSelector& other, regex::Match wanted) const {
    if (one.selector.over != other.selector.over) {
      return false;
    }
    const std::vector<regex::Match>& mine = one.matches(names_);
    const std::vector<regex::Match>& theirs = other.matches(names_);
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (mine[at] == regex::Match::yes && theirs[at] == wanted) return true;
    }
    return false;
  }

  // Of `\d` and `[0-9]` only the first one takes digits of other scripts, which no model has in its names.
  void add_compared(const ComparedSelector& one, const ComparedSelector& other, regex::Comparison found) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (found.answer == regex::Comparison::Answer::unknown) unknown_.emplace_back(&one, &other);
    if (found.witness.empty() || !std::ranges::all_of(found.witness, is_ascii)) {
      return;
    }
    add(one.selector, found.witness);
    if (names_.size() < kMaxNames) names_.push_back(std::move(found.witness));
  }

  void add_terms(const ir::Selector& selector, const std::vector<ir::Term>& terms) {
    using Kind = ir::Term::Kind;
    for (const ir::Term& term : terms) {
      switch (term.kind) {
        case Kind::exact: add(selector, term.text); break;
        case Kind::module_type: add({"some " + term.text + std::string(kWeightEnding), term.text, nullptr}); break;
        case Kind::all:
        case Kind::all_prunable:
        case Kind::all_quantizable: add({"some_layer.weight", "", nullptr}); break;
        case Kind::pattern:
        case Kind::part: break;  // whose examples are found by comparing
      }
    }
  }

  void add(const ir::Selector& selector, const std::string& name) {
    if (!name.empty()) {
      add({is_over_modules(selector) ? name + std::string(kWeightEnding) : name, "", nullptr});
    }
  }

  void add(Weight weight) {
    if (seen_.insert(weight.name).second) {
      weights_.push_back(std::move(weight));
    }
  }

  std::vector<Weight> weights_;
  std::set<std::string> seen_;
  std::deque<ComparedSelector> compared_;                // of both recipes
  std::array<std::vector<ir::Selector>, 2> over_limit_;  // by recipe
  std::vector<std::pair<const ComparedSelector*, const ComparedSelector*>> unknown_;
  std::size_t selectors_ = 0;       // of the recipe that has more of them
  std::size_t finished_ = 0;        // how many of those were compared with each other
  std::vector<std::string> names_;  // examples that came of comparing
  regex::Budget budget_{20'000'000};
};

static const source::Module* module_of(const std::string& parameter, const std::vector<source::Module>* modules) {
  const auto holds = [&](const source::Module& module) {
    return parameter.size() == module.name.size() + kWeightEnding.size() && parameter.ends_with(kWeightEnding) &&
           parameter.starts_with(module.name);
  };
  const auto found =
      modules == nullptr ? std::vector<source::Module>::const_iterator() : std::ranges::find_if(*modules, holds);
  return modules == nullptr || found == modules->end() ? nullptr : &*found;
}

// Returns true if the module holds others, which follow it in the model's order: then it has no weight of its own.
static bool has_children(const std::vector<source::Module>& modules, std::size_t at) {
  const std::string prefix = modules[at].name.empty() ? "" : modules[at].name + ".";
  return at + 1 < modules.size() && modules[at + 1].name.starts_with(prefix);
}

Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                   const std::vector<source::Module>* modules) {
  std::vector<Weight> weights;
  for (std::size_t at = 0; run.parameters != nullptr && at < run.parameters->size(); ++at) {
    const source::Module* module = module_of((*run.parameters)[at], modules);
    weights.push_back({(*run.parameters)[at], module == nullptr ? "" : module->type, run.parameters->shape(at)});
  }
  for (std::size_t at = 0; run.parameters == nullptr && modules != nullptr && at < modules->size(); ++at) {
    const source::Module& module = (*modules)[at];
    if (!module.shape && has_children(*modules, at)) continue;
    weights.push_back({module.name + std::string(kWeightEnding), module.type, module.shape ? &*module.shape : nullptr});
  }
  if (!weights.empty()) {
    return {std::move(weights)};
  }
  return Examples(recipe, written).take();
}

// --- which selectors match them ------------------------------------------------------------------------------

// Looks weights up by the names of their parameters and of their modules.
class Matcher {
 public:
  explicit Matcher(const std::vector<Weight>& weights) : weights_(weights), names_(weights, "") {
    if (std::ranges::any_of(weights, [](const Weight& weight) { return weight.name.starts_with(kParallel); })) {
      plain_names_.emplace(weights, kParallel);
    }
  }

  std::vector<Match> matches(const ir::Selector& selector) const {
    const std::vector<Match> out = matches(selector, names_);
    return plain_names_ ? either(out, matches(selector, *plain_names_)) : out;
  }

 private:
  // The weights by the names of their parameters and of their modules.
  struct Names {
    Names(const std::vector<Weight>& weights, std::string_view prefix)
        : parameters(names_of(weights, prefix, 0)), modules(names_of(weights, prefix, kWeightEnding.size())) {}

    ir::ModelNames parameters;
    ir::ModelNames modules;
  };

  // Without a prefix that they may have, and without the last characters of each; what does not end with the weight
  // has no module here.
  static std::vector<std::string> names_of(const std::vector<Weight>& weights, std::string_view prefix,
                                           std::size_t cut) {
    std::vector<std::string> names;
    for (const Weight& weight : weights) {
      const bool whole = cut == 0 || weight.name.ends_with(kWeightEnding);
      const std::size_t first = weight.name.starts_with(prefix) ? prefix.size() : 0;
      names.push_back(whole ? weight.name.substr(first, weight.name.size() - cut - first) : "\n" + weight.name);
    }
    return names;
  }

  std::vector<Match> matches(const ir::Selector& selector, const Names& names) const {
    const bool modules = is_over_modules(selector);
    std::vector<Match> out = modules ? of_modules(selector, names) : any_of(selector.terms, names.parameters);
    const std::vector<Match> excluded = modules ? either(named(selector.excluded, names), typed(selector.excluded))
                                                : any_of(selector.excluded, names.parameters);
    for (std::size_t at = 0; at < out.size(); ++at) {
      const auto left = static_cast<Match>(2 - static_cast<int>(excluded[at]));
      out[at] = std::min(out[at], left);
    }
    return out;
  }

  // Returns true if a weight belongs to a layer that can be pruned, by the type of the layer.
  Match is_prunable(std::size_t at) const {
    const Weight& weight = weights_[at];
    const auto names = [&](std::string_view part) { return weight.type.find(part) != std::string::npos; };
    if (weight.type.empty()) {
      return weight.shape == nullptr ? Match::maybe : weight.shape->size() > 1 ? Match::yes : Match::no;
    }
    return names("Linear") || names("Conv") || names("Embedding") ? Match::yes
           : names("Norm")                                        ? Match::no
                                                                  : Match::maybe;
  }

  std::vector<Match> any_of(const std::vector<ir::Term>& terms, const ir::ModelNames& names) const {
    std::vector<Match> out(weights_.size(), Match::no);
    for (const ir::Term& term : terms) {
      const auto taken = names.matched(term);
      const bool by_layer = term.kind == ir::Term::Kind::all_prunable || term.kind == ir::Term::Kind::all_quantizable;
      for (const auto& [first, last] : taken.stretches) {
        for (std::size_t at = first; at < last; ++at) {
          const Match match = by_layer ? is_prunable(at) : taken.certain ? Match::yes : Match::maybe;
          out[at] = std::max(out[at], match);
        }
      }
    }
    return out;
  }

  std::vector<Match> named(const std::vector<ir::Term>& terms, const Names& names) const {
    std::vector<ir::Term> wanted;
    std::ranges::remove_copy_if(terms, std::back_inserter(wanted), is_type);
    return any_of(wanted, names.modules);
  }

  std::vector<Match> typed(const std::vector<ir::Term>& terms) const {
    std::vector<Match> out(weights_.size(), Match::no);
    for (const ir::Term& term : terms) {
      for (std::size_t at = 0; is_type(term) && at < out.size(); ++at) {
        const std::string& type = weights_[at].type;
        out[at] = std::max(out[at], type.empty() ? Match::maybe : type == term.text ? Match::yes : Match::no);
      }
    }
    return out;
  }

  static std::vector<Match> either(std::vector<Match> one, const std::vector<Match>& other) {
    std::ranges::transform(one, other, one.begin(), [](Match a, Match b) { return std::max(a, b); });
    return one;
  }

  // Where there are names and types, a module has to fit both.
  std::vector<Match> of_modules(const ir::Selector& selector, const Names& known) const {
    const bool weights = selector.tensor.empty() || selector.tensor.find("weight") != std::string::npos;
    const auto types = std::ranges::count_if(selector.terms, is_type);
    const bool both = types > 0 && static_cast<std::size_t>(types) < selector.terms.size();
    if (!weights || selector.terms.empty()) {
      return std::vector<Match>(weights_.size(), weights ? Match::maybe : Match::no);
    }
    std::vector<Match> names = named(selector.terms, known);
    const std::vector<Match> of_type = typed(selector.terms);
    std::ranges::transform(names, of_type, names.begin(),
                           [&](Match a, Match b) { return both ? std::min(a, b) : std::max(a, b); });
    return names;
  }

  const std::vector<Weight>& weights_;
  Names names_;
  std::optional<Names> plain_names_;  // as they are while the model is not wrapped for several devices
};

std::vector<Match> matches_of(const ir::Selector& selector, const std::vector<Weight>& weights) {
  return Matcher(weights).matches(selector);
}

// Returns true if a target of a pruner sets a mask. A level of 0 leaves its weights alone.
static bool masks(const ir::Effect& effect, std::size_t target) {
  const auto* prune = std::get_if<ir::Prune>(&effect);
  return prune == nullptr || !std::holds_alternative<ir::Constant>(prune->curve) ||
         prune->targets[target].sparsity.value != 0;
}

static Maskers maskers_of(const ir::Recipe& recipe, const std::vector<Weight>& weights, const Matcher& matcher) {
  Maskers out(weights.size());
  for (std::size_t action = 0; action < recipe.actions.size(); ++action) {
    const ir::Effect& effect = recipe.actions[action].effect;
    if (!ir::makes_masks(effect)) {
      continue;
    }
    const auto selectors = ir::selectors_of(effect);
    std::vector<bool> taken(weights.size(), false);
    for (std::size_t target = 0; target < selectors.size(); ++target) {
      const auto matches = matcher.matches(*selectors[target]);
      for (std::size_t at = 0; at < weights.size(); ++at) {
        if (matches[at] == Match::no || taken[at]) continue;
        taken[at] = true;
        if (masks(effect, target)) out[at].push_back({action, target, matches[at] == Match::yes});
      }
    }
  }
  return out;
}

std::pair<Maskers, Maskers> maskers_of(const ir::Recipe& one, const ir::Recipe& other,
                                       const std::vector<Weight>& weights) {
  const Matcher matcher(weights);  // follows a pattern of both recipes once
  return {maskers_of(one, weights, matcher), maskers_of(other, weights, matcher)};
}

}  // namespace sparsecfg::convert
