#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>

#include "base/limits.h"
#include "base/text.h"
#include "convert/weights.h"
#include "model/comparing.h"
#include "model/matcher.h"
#include "model/model.h"

// Example names that replace the weights of an unknown model.
namespace sparsecfg::convert {

static std::vector<const model::Selector*> selectors_of_masks(const ir::Recipe& recipe) {
  std::vector<const model::Selector*> out;
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

static bool is_type(const model::Term& term) { return term.kind == model::Term::Kind::module_type; }

static bool is_pattern(const model::Term& term) {
  return term.kind == model::Term::Kind::pattern || term.kind == model::Term::Kind::part;
}

// Splits a selector with patterns into two: one for the included names and one for the excluded names, both without
// types. The full selector matches no name with certainty, because the types of the modules are unknown.
static std::vector<model::Selector> selectors_by_name(const model::Selector& selector) {
  std::vector<model::Selector> out;
  for (const std::vector<model::Term>* terms : {&selector.terms, &selector.excluded.items()}) {
    if (std::ranges::none_of(*terms, is_pattern)) continue;
    model::Selector names;
    names.over = selector.over;
    std::ranges::remove_copy_if(*terms, std::back_inserter(names.terms), is_type);
    out.push_back(std::move(names));
  }
  return out;
}

// A selector with name patterns, prepared for comparison with others.
class ComparedSelector {
 public:
  explicit ComparedSelector(model::Selector own) : selector(std::move(own)), selection(selector), matcher_(selector) {}

  // Returns the match result for each name. `names` may have grown since the last call.
  const std::vector<regex::Match>& matches(const std::vector<std::string>& names) {
    while (matches_.size() < names.size()) matches_.push_back(matcher_.match(names[matches_.size()]));
    return matches_;
  }

  model::Selector selector;
  model::Selection selection;
  std::array<bool, 2> in{};  // which of the two recipes contain it

 private:
  model::Matcher matcher_;
  std::vector<regex::Match> matches_;
};

// Returns false for names that no model has: those with letters of other scripts, whose digits `\d` also matches, and
// those in which letters follow `.weight`, as in `conv1.weightconv2.weight`, which two open patterns match.
static bool is_possible(std::string_view name) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::ranges::all_of(name, is_ascii)) return false;
  for (std::size_t at = name.find(kWeightEnding); at != name.npos; at = name.find(kWeightEnding, at + 1)) {
    const std::size_t end = at + kWeightEnding.size();
    if (end < name.size() && base::is_letter(name[end])) return false;
  }
  return true;
}

// Collects example names that the selectors match.
class Examples {
 public:
  Examples(const ir::Recipe& one, const ir::Recipe& other) {
    add_all(one, 0);
    add_all(other, 1);
  }

  [[nodiscard]] Weights take() {
    const std::size_t most = limits::kMaxExampleMaskers / std::max(std::size_t{1}, selectors_);
    const bool too_many = weights_.size() > most;
    if (too_many) weights_.resize(most);
    return {std::move(weights_), !too_many && is_complete()};
  }

 private:
  void add_all(const ir::Recipe& recipe, std::size_t number) {
    const auto selectors = selectors_of_masks(recipe);
    selectors_ = std::max(selectors_, selectors.size());
    for (const model::Selector* selector : selectors) {
      add_terms(*selector, selector->terms);
      add_terms(*selector, selector->excluded);
      for (model::Selector& names : selectors_by_name(*selector)) keep(std::move(names), number);
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

  // Adds a selector to the compared ones, unless it is known or there are too many.
  void keep(model::Selector selector, std::size_t recipe) {
    auto known = std::ranges::find(compared_, selector, &ComparedSelector::selector);
    const bool is_new = known == compared_.end();
    if (is_new && (compared_.size() == limits::kMaxComparedSelectors ||
                   terms_ + selector.terms.size() > limits::kMaxComparedTerms)) {
      over_limit_[recipe].push_back(std::move(selector));
      return;
    }
    if (is_new) {
      terms_ += selector.terms.size();
      known = compared_.emplace(known, std::move(selector));
    }
    known->in[recipe] = true;
  }

  // Returns true if no unknown result can hide a difference. An unknown pair that both recipes contain affects both
  // alike.
  bool is_complete() const {
    const auto is_common = [](const ComparedSelector* each) { return each->in[0] && each->in[1]; };
    return over_limit_[0] == over_limit_[1] && std::ranges::all_of(unknown_, [&](const auto& pair) {
             return is_common(pair.first) && is_common(pair.second);
           });
  }

  // Adds a name that both selectors match.
  void add_common(ComparedSelector& one, ComparedSelector& other) {
    if (&one == &other || !has_example(one, other, regex::Match::yes)) {
      add_compared(one, other, model::intersects_by_name(one.selection, other.selection, budget_));
    }
  }

  // Adds a name that only the first selector matches.
  void add_left_out(ComparedSelector& one, ComparedSelector& other) {
    if (!has_example(one, other, regex::Match::no)) {
      add_compared(one, other, model::contains_by_name(other.selection, one.selection, budget_));
    }
  }

  // Returns true if the first selector matches an existing example for which the second one returns `wanted`.
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

  void add_compared(const ComparedSelector& one, const ComparedSelector& other, regex::Comparison found) {
    if (found.answer == regex::Comparison::Answer::unknown) unknown_.emplace_back(&one, &other);
    if (found.witness.empty() || !is_possible(found.witness)) return;
    add(one.selector, found.witness);
    if (names_.size() < limits::kMaxExampleNames) names_.push_back(std::move(found.witness));
  }

  void add_terms(const model::Selector& selector, const std::vector<model::Term>& terms) {
    using Kind = model::Term::Kind;
    for (const model::Term& term : terms) {
      switch (term.kind) {
        case Kind::exact: add(selector, term.text); break;
        case Kind::module_type: add({"some " + term.text + std::string(kWeightEnding), term.text, nullptr}); break;
        case Kind::all:
        case Kind::all_prunable:
        case Kind::all_quantizable: add({"some_layer.weight", "", nullptr}); break;
        case Kind::pattern:
        case Kind::part: break;  // their examples come from add_common() and add_left_out()
      }
    }
  }

  void add(const model::Selector& selector, const std::string& name) {
    if (!name.empty()) {
      add({selector.over != model::Selector::Over::parameters ? name + std::string(kWeightEnding) : name, "", nullptr});
    }
  }

  void add(Weight weight) {
    if (seen_.insert(weight.name).second) {
      weights_.push_back(std::move(weight));
    }
  }

  std::vector<Weight> weights_;
  std::set<std::string> seen_;
  std::deque<ComparedSelector> compared_;                   // from both recipes
  std::array<std::vector<model::Selector>, 2> over_limit_;  // by recipe
  std::vector<std::pair<const ComparedSelector*, const ComparedSelector*>> unknown_;
  std::size_t terms_ = 0;           // in the selectors of `compared_`
  std::size_t selectors_ = 0;       // maximum of both recipes
  std::size_t finished_ = 0;        // number of `compared_` that were compared with each other
  std::vector<std::string> names_;  // examples found by comparing
  base::Budget budget_ = regex::comparison_budget(limits::kMaxWorkOfPattern);
};

Weights examples_of(const ir::Recipe& recipe, const ir::Recipe& written) { return Examples(recipe, written).take(); }

// Returns true if the module contains others, which follow it in model order. Such a module lacks its own weight.
static bool has_children(const std::vector<model::Module>& modules, std::size_t at) {
  const std::string prefix = modules[at].name.empty() ? "" : modules[at].name + ".";
  return at + 1 < modules.size() && modules[at + 1].name.starts_with(prefix);
}

Weights weights_of(const ir::Recipe& recipe, const ir::Recipe& written, const timeline::Run& run,
                   const std::vector<model::Module>* modules) {
  std::vector<Weight> weights;
  const model::Model known(modules);
  for (std::size_t at = 0; run.parameters != nullptr && at < run.parameters->size(); ++at) {
    const std::string& name = (*run.parameters)[at];
    const model::Module* module = known.of_weight(name);
    weights.push_back({name, module == nullptr ? "" : module->type, run.parameters->shape(at)});
  }
  for (std::size_t at = 0; run.parameters == nullptr && modules != nullptr && at < modules->size(); ++at) {
    const model::Module& module = (*modules)[at];
    if (!module.shape && has_children(*modules, at)) continue;
    weights.push_back({module.name + std::string(kWeightEnding), module.type, module.shape ? &*module.shape : nullptr});
  }
  if (!weights.empty()) {
    return {std::move(weights)};
  }
  return examples_of(recipe, written);
}

}  // namespace sparsecfg::convert
