#include "model/comparing.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sparsecfg::model {

using regex::Comparison;
using regex::Nfa;
using Answer = Comparison::Answer;

using Found = std::variant<Nfa, regex::Unsupported>;

static std::shared_ptr<const Nfa> share(Nfa language) { return std::make_shared<const Nfa>(std::move(language)); }

// Prunable layers are defined by type. Of the names of their weights only the ending is known.
static Nfa most_of_token(const Term& term, Selector::Over over) {
  const bool weights = term.kind == Term::Kind::all_prunable && over == Selector::Over::parameters;
  return weights ? std::get<Nfa>(Nfa::of(".*weight", regex::Anchoring::both)) : Nfa::everything();
}

Selection::Bounds Selection::bounds_of(const Term& term, Selector::Over over) {
  const auto exactly = [](Found found) {
    auto* language = std::get_if<Nfa>(&found);
    if (language == nullptr) return Bounds{share(Nfa::nothing()), share(Nfa::everything()), false};
    const auto shared = share(std::move(*language));
    return Bounds{shared, shared, true};
  };
  switch (term.kind) {
    case Term::Kind::all: return exactly(Nfa::everything());
    case Term::Kind::exact: return exactly(Nfa::of_name(term.text));
    case Term::Kind::pattern: return exactly(Nfa::of(term.text, regex::Anchoring::start));
    case Term::Kind::part: return exactly(Nfa::of_parts(term.text));
    case Term::Kind::all_prunable:
    case Term::Kind::all_quantizable:
    case Term::Kind::module_type: break;
  }
  return {share(Nfa::nothing()), share(most_of_token(term, over)), false};
}

Selection::Bounds Selection::joined(const std::vector<Part>& parts) {
  const auto either = [&](std::shared_ptr<const Nfa> Bounds::*bound) {
    std::vector<Nfa> languages;
    for (const Part& part : parts) languages.push_back(*(part.bounds.*bound));
    Found found = Nfa::either(languages);
    auto* language = std::get_if<Nfa>(&found);
    return language == nullptr ? nullptr : share(std::move(*language));
  };
  const bool exact = std::ranges::all_of(parts, [](const Part& part) { return part.bounds.exact; });
  const auto max = either(&Bounds::max);
  const auto min = exact ? max : either(&Bounds::min);
  return {min ? min : share(Nfa::nothing()), max ? max : share(Nfa::everything()), exact && max};
}

// With both names and types a module must match both.
static bool is_narrowed(const Selector& selector) {
  const auto is_type = [](const Term& term) { return term.kind == Term::Kind::module_type; };
  const bool types = std::ranges::any_of(selector.terms, is_type);
  return !selector.excluded.empty() || (types && !std::ranges::all_of(selector.terms, is_type));
}

Selection::Selection(const Selector& selector)
    : over_(selector.over),
      tensor_(selector.tensor),
      narrowed_(is_narrowed(selector)),
      bounds_{share(Nfa::nothing()), share(Nfa::nothing()), false} {
  for (const Term& term : selector.terms) {
    parts_.push_back({term, bounds_of(term, over_)});
  }
  bounds_ = parts_.size() == 1 ? parts_.front().bounds : joined(parts_);
  if (narrowed_) {
    bounds_.min = share(Nfa::nothing());
    bounds_.exact = false;
  }
}

Selection::Selection(const Term& term, Selector::Over over)
    : over_(over), parts_{{term, bounds_of(term, over)}}, bounds_(parts_.front().bounds) {}

// Returns true if the selection has the same term, or a term that matches everything that the part may match.
bool Selection::selects_all_of(const Part& part, base::Budget& budget) const {
  const auto is_same = [&](const Part& own) { return own.term == part.term; };
  if (narrowed_) {
    return false;
  }
  return std::ranges::any_of(parts_, is_same) || contains(*bounds_.min, *part.bounds.max, budget).answer == Answer::yes;
}

bool Selection::takes_an_inexact_part_of(const Selection& other, base::Budget& budget) const {
  return !other.narrowed_ && std::ranges::any_of(other.parts_, [&](const Part& part) {
    return !part.bounds.exact && selects_all_of(part, budget);
  });
}

bool Selection::alike(const Selection& a, const Selection& b) { return a.over_ == b.over_ && a.tensor_ == b.tensor_; }

// A witness proves its answer. Without a witness the answer is only certain if all bounds are exact.
static Comparison only_if_proved(Comparison found, Answer proved, bool exact) {
  return found.answer == proved || exact ? std::move(found) : Comparison{};
}

Comparison intersects_by_name(const Selection& a, const Selection& b, base::Budget& budget) {
  return Selection::alike(a, b) ? only_if_proved(intersects(*a.bounds_.min, *b.bounds_.min, budget), Answer::yes,
                                                 a.bounds_.exact && b.bounds_.exact)
                                : Comparison{};
}

Comparison contains_by_name(const Selection& a, const Selection& b, base::Budget& budget) {
  return Selection::alike(a, b) ? only_if_proved(contains(*a.bounds_.max, *b.bounds_.min, budget), Answer::no,
                                                 a.bounds_.exact && b.bounds_.exact)
                                : Comparison{};
}

Comparison intersects(const Selection& a, const Selection& b, base::Budget& budget) {
  if (!Selection::alike(a, b)) {
    return {};
  }
  Comparison certain = intersects_by_name(a, b, budget);
  // With `Over::either` one selection can match a layer by name and the other one by type.
  const bool by_name_only = a.over_ != Selector::Over::either;
  if (certain.answer == Answer::yes || (certain.answer == Answer::no && by_name_only)) {
    return certain;
  }
  if (a.takes_an_inexact_part_of(b, budget) || b.takes_an_inexact_part_of(a, budget)) {
    return {Answer::yes, {}};
  }
  const bool apart = by_name_only && intersects(*a.bounds_.max, *b.bounds_.max, budget).answer == Answer::no;
  return apart ? Comparison{Answer::no, {}} : Comparison{};
}

Comparison contains(const Selection& a, const Selection& b, base::Budget& budget) {
  if (!Selection::alike(a, b)) {
    return {};
  }
  Comparison certain = contains_by_name(a, b, budget);
  if (certain.answer != Answer::unknown) {
    return certain;
  }
  const auto is_taken = [&](const Selection::Part& part) { return a.selects_all_of(part, budget); };
  return std::ranges::all_of(b.parts_, is_taken) ? Comparison{Answer::yes, {}} : Comparison{};
}

}  // namespace sparsecfg::model
