#include "model/comparing.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace sparsecfg::model {

using regex::Comparison;
using Answer = Comparison::Answer;

// "re:..." is a pattern, "in:..." stands for the parts of a text, a token is what it says, anything
// else a name.
static Term term(const std::string& text) {
  if (text.starts_with("in:")) {
    return {Term::Kind::part, text.substr(3), {}};
  }
  if (text.starts_with("re:")) {
    return {Term::Kind::pattern, text.substr(3), {}};
  }
  const Term::Kind kind = text == "__ALL__"               ? Term::Kind::all
                          : text == "__ALL_PRUNABLE__"    ? Term::Kind::all_prunable
                          : text == "__ALL_QUANTIZABLE__" ? Term::Kind::all_quantizable
                                                          : Term::Kind::exact;
  return {kind, text, {}};
}

using Texts = std::vector<std::string>;

static Selection selection(const Texts& texts, Selector::Over over = Selector::Over::parameters) {
  Selector selector;
  selector.over = over;
  for (const std::string& text : texts) {
    selector.terms.push_back(term(text));
  }
  return Selection(selector);
}

struct Puzzle {
  Texts a;
  Texts b;
  Comparison meeting;
  Comparison covering;
};

static void check(const std::vector<Puzzle>& puzzles, Selector::Over over = Selector::Over::parameters) {
  for (const auto& [a, b, meeting, covering] : puzzles) {
    CAPTURE(a, b);
    base::Budget budget = regex::comparison_budget();
    const Comparison met = intersects(selection(a, over), selection(b, over), budget);
    CHECK(met.witness == meeting.witness);
    CHECK(met.answer == meeting.answer);
    CHECK(intersects(selection(b, over), selection(a, over), budget).answer == meeting.answer);
    const Comparison covered = contains(selection(a, over), selection(b, over), budget);
    CHECK(covered.witness == covering.witness);
    CHECK(covered.answer == covering.answer);
  }
}

static const Comparison kYes = {Answer::yes, {}};
static const Comparison kNo = {Answer::no, {}};
static const Comparison kUnknown = {};

TEST_CASE("selectors of names and patterns are compared by the names that there could be") {
  check({
      {{"fc.weight"}, {"fc.weight"}, {Answer::yes, "fc.weight"}, kYes},
      {{"fc.weight"}, {"conv.weight"}, kNo, {Answer::no, "conv.weight"}},
      {{"re:conv"}, {"conv.weight"}, {Answer::yes, "conv.weight"}, kYes},
      {{"a.weight", "b.weight"}, {"re:[ab].weight$"}, {Answer::yes, "a.weight"}, {Answer::no, "aaweight"}},
      {{"re:a", "re:b"}, {"re:[ab]"}, {Answer::yes, "a"}, kYes},
      {{"re:a", "re:b"}, {"re:[abc]"}, {Answer::yes, "a"}, {Answer::no, "c"}},
      {{"__ALL__"}, {"re:.*bias"}, {Answer::yes, "bias"}, kYes},
      {{"re:.*"}, {"__ALL__"}, {Answer::yes, "a"}, kYes},
      {{"in:conv"}, {"conv"}, {Answer::yes, "conv"}, kYes},
      {{"re:[co]"}, {"in:conv"}, {Answer::yes, "c"}, {Answer::no, "n"}},
      {{}, {"__ALL__"}, kNo, {Answer::no, "a"}},
      {{"__ALL__"}, {}, kNo, kYes},
  });
}

TEST_CASE("what can be pruned is known by the end of its name only") {
  check({
      {{"__ALL_PRUNABLE__"}, {"__ALL_PRUNABLE__"}, kYes, kYes},
      {{"__ALL__"}, {"__ALL_PRUNABLE__"}, kYes, kYes},
      {{"re:.*weight"}, {"__ALL_PRUNABLE__"}, kYes, kYes},
      {{"__ALL_PRUNABLE__"}, {"re:.*weight$"}, kYes, kUnknown},
      {{"__ALL_PRUNABLE__"}, {"re:.*weight"}, kYes, {Answer::no, "weighte"}},
      {{"__ALL_PRUNABLE__"}, {"fc.weight"}, kUnknown, kUnknown},
      {{"__ALL_PRUNABLE__"}, {"fc.bias"}, kNo, {Answer::no, "fc.bias"}},
      {{"fc.weight"}, {"__ALL_PRUNABLE__"}, kUnknown, kUnknown},
      {{"__ALL_PRUNABLE__", "re:conv"}, {"conv", "__ALL_PRUNABLE__"}, {Answer::yes, "conv"}, kYes},
  });
}

TEST_CASE("a pattern that is not regular is equal to itself") {
  check({
      {{"re:.*(?<!bias)$"}, {"re:.*(?<!bias)$"}, kYes, kYes},
      {{"re:.*(?<!bias)$"}, {"re:.*weight"}, kUnknown, kUnknown},
      {{"re:.*(?<!bias)$", "re:fc"}, {"re:fc"}, {Answer::yes, "fc"}, kYes},
      {{"re:.*"}, {"re:(?!bias)"}, kYes, kYes},
      {{"re:("}, {"fc"}, kUnknown, kUnknown},
  });
}

TEST_CASE("layers are taken by their types too, and are no parameters") {
  check(
      {
          {{"Linear"}, {"fc"}, kUnknown, {Answer::no, "fc"}},
          {{"re:.*"}, {"Linear"}, {Answer::yes, "Linear"}, kYes},
          {{"__ALL_QUANTIZABLE__"}, {"__ALL_QUANTIZABLE__"}, kYes, kYes},
          {{"__ALL_PRUNABLE__"}, {"fc"}, kUnknown, kUnknown},
      },
      Selector::Over::either);
  check({{{"conv"}, {"fc"}, kNo, {Answer::no, "fc"}}}, Selector::Over::layers);
  base::Budget budget = regex::comparison_budget();
  const Selection layer(term("fc"), Selector::Over::layers);
  const Selection parameter(term("fc"), Selector::Over::parameters);
  CHECK(intersects(layer, parameter, budget) == kUnknown);
  CHECK(contains(layer, parameter, budget) == kUnknown);
  CHECK(contains(layer, layer, budget) == kYes);
}

TEST_CASE("types and exclusions narrow what names take") {
  const Term linear{Term::Kind::module_type, "Linear", {}};
  const auto modules = [](const std::vector<Term>& terms) {
    Selector selector;
    selector.terms = terms;
    selector.over = Selector::Over::modules;
    return selector;
  };
  const Selector types = modules({linear});
  const Selector both = modules({linear, term("fc")});
  const Selector names = modules({term("fc")});
  Selector without = modules({term("re:.*")});
  without.excluded = std::vector{term("fc")};
  const auto meeting = [](const Selector& a, const Selector& b) {
    base::Budget budget = regex::comparison_budget();
    return intersects(Selection(a), Selection(b), budget);
  };
  const auto covering = [](const Selector& a, const Selector& b) {
    base::Budget budget = regex::comparison_budget();
    return contains(Selection(a), Selection(b), budget);
  };
  CHECK(meeting(types, types) == kYes);
  CHECK(covering(types, types) == kYes);
  CHECK(meeting(both, types) == kUnknown);
  CHECK(covering(both, types) == kUnknown);
  CHECK(covering(types, both) == kUnknown);
  CHECK(meeting(without, names) == kUnknown);
  CHECK(covering(without, names) == kUnknown);
  CHECK(meeting(names, names) == Comparison{Answer::yes, "fc"});
  Selector output = names;
  output.tensor = "_output_0";
  CHECK(meeting(names, output) == kUnknown);
}

TEST_CASE("comparisons without a budget answer nothing") {
  base::Budget none = regex::comparison_budget(0);
  CHECK(intersects(selection({"re:a"}), selection({"re:b"}), none) == kUnknown);
  CHECK(contains(selection({"re:a"}), selection({"re:b"}), none) == kUnknown);
}

}  // namespace sparsecfg::model
