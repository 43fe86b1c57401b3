#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>

#include "outcome/difference.h"
#include "outcome/json.h"
#include "outcome/summary.h"

namespace sparsecfg::outcome_test {
namespace {

using ir::Decisions;
using ir::Rule;

// A language of full names, class names and suffixes that start with `*`. The first rule decides.
bool matches(const Rule& rule, const model::Module& module) {
  const std::string_view entry = rule.entry;
  return entry.starts_with('*') ? std::string_view(module.name).ends_with(entry.substr(1))
                                : entry == module.name || entry == module.type;
}

Decisions decide_first(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                       std::span<const model::Module> modules) {
  Decisions out;
  for (const model::Module& module : modules) {
    Decisions::Decision decision;
    for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
      const Rule& rule = selection.rules[at];
      if (!matches(rule, module)) continue;
      if (decision.rule) {
        decision.overridden.push_back(at);
      } else {
        decision = {Decisions::Reason::rule, rule.kind, rule.scheme, at, {}, rule.unknown};
      }
    }
    const auto known = std::ranges::find(out.entries, decision);
    out.of_modules.push_back(static_cast<std::uint32_t>(known - out.entries.begin()));
    if (known == out.entries.end()) out.entries.push_back(decision);
  }
  return out;
}

std::vector<model::Module> examples(const ir::Selection& selection) {
  std::vector<model::Module> out;
  for (const Rule& rule : selection.rules) {
    const bool suffix = rule.entry.starts_with('*');
    if (suffix) out.push_back({"model.layers.0" + rule.entry.substr(1), "Linear"});
    if (!suffix && rule.entry != "Linear") out.push_back({rule.entry, "Linear"});
  }
  return out;
}

constexpr ir::Language kLanguage{.name = "test", .decide = decide_first, .examples = examples};

ir::Scheme integers(std::int64_t bits, std::int64_t group) {
  ir::TensorFormat format;
  format.bits = bits;
  format.granularity = ir::Granularity::group;
  format.group_size = group;
  return {{format}, {}, {}};
}

ir::Assign assign(std::string method, std::vector<Rule> rules, ir::Scheme scheme = integers(4, 128)) {
  return {{&kLanguage, std::move(rules), {}}, {std::move(scheme)}, {std::move(method), {}}};
}

ir::Transform smooth() { return {ir::Transform::Kind::smoothing, {&kLanguage, {{"Linear", {}}}, {}}, {"SmoothQuant"}}; }

ir::Recipe recipe(std::vector<ir::Operation> operations) {
  ir::Recipe out;
  out.trains = false;
  for (ir::Operation& operation : operations) {
    out.actions.push_back({ir::Opaque{}, {}, {}});
    out.actions.back().operations.push_back(std::move(operation));
  }
  return out;
}

const std::vector<model::Module> kModules = {
    {"model.embed", "Embedding", model::Shape{256, 64}},      {"model.layers.0.up", "Linear", model::Shape{128, 64}},
    {"model.layers.0.down", "Linear", model::Shape{64, 128}}, {"model.layers.1.up", "Linear", model::Shape{128, 64}},
    {"model.layers.1.down", "Linear", model::Shape{64, 128}}, {"lm_head", "Linear", model::Shape{256, 64}}};

std::vector<std::string> changes(const ir::Recipe& before, const ir::Recipe& after) {
  std::vector<std::string> out;
  const auto found =
      outcome::difference(outcome::evaluate(before, kModules), outcome::evaluate(after, kModules), kModules);
  for (const outcome::Change& change : found.changes) out.push_back(change.what);
  for (const std::string& reason : found.not_compared) out.push_back("? " + reason);
  return out;
}

std::vector<std::string> symbolic_changes(const ir::Recipe& before, const ir::Recipe& after) {
  std::vector<std::string> out;
  const auto found = outcome::symbolic_difference(before, after);
  for (const outcome::Change& change : found.changes) out.push_back(change.what);
  for (const std::string& reason : found.not_compared) out.push_back("? " + reason);
  return out;
}

using Texts = std::vector<std::string>;

const Rule kHead{"lm_head", {}, Rule::Kind::leaves};
const Rule kLinear{"Linear", {}};

}  // namespace

TEST_CASE("modules with the same deciding rule share a state") {
  const ir::Recipe plain = recipe({assign("GPTQ", {kHead, kLinear})});
  const outcome::Outcome result = outcome::evaluate(plain, kModules);
  CHECK(result.states.size() == 3);
  CHECK(result.at(0).order.empty());
  CHECK(result.at(1).scheme == integers(4, 128));
  CHECK(result.of_names[1] == result.of_names[4]);
  CHECK(result.at(5).scheme.is_empty());
  CHECK(result.at(5).assigned->overridden == std::vector<std::uint32_t>{1});
}

TEST_CASE("a later scheme replaces an earlier one, and `leaves` keeps it") {
  const ir::Recipe two = recipe({assign("GPTQ", {kLinear}), assign("AWQ", {kHead, {"*down", {}}}, integers(8, 64))});
  const outcome::Outcome result = outcome::evaluate(two, kModules);
  CHECK(result.at(2).scheme == integers(8, 64));
  CHECK(result.method(*result.at(2).assigned).name == "AWQ");
  CHECK(result.at(5).scheme == integers(4, 128));
  CHECK(result.at(1).scheme == integers(4, 128));
}

TEST_CASE("`excludes` removes an earlier scheme") {
  const ir::Recipe two = recipe({assign("GPTQ", {kLinear}), assign("GPTQ", {{"lm_head", {}, Rule::Kind::excludes}})});
  CHECK(outcome::evaluate(two, kModules).at(5).scheme.is_empty());
}

TEST_CASE("the difference names modules") {
  const ir::Recipe plain = recipe({assign("GPTQ", {kHead, kLinear})});
  CHECK(changes(plain, plain).empty());
  CHECK(changes(plain, recipe({assign("AutoRound", {kHead, kLinear})})) == Texts{"4 layers: GPTQ -> AutoRound"});
  CHECK(changes(plain, recipe({assign("GPTQ", {kHead, {"*down", {}, Rule::Kind::leaves}, kLinear})})) ==
        Texts{"2 down: int4 -> 16 bits"});
  CHECK(changes(plain, recipe({assign("GPTQ", {kLinear})})) == Texts{"lm_head: 16 bits -> int4"});
  CHECK(changes(plain, recipe({assign("GPTQ", {kHead, kLinear}, integers(4, 64))})) ==
        Texts{"4 layers: weights groups of 128 -> 64"});
}

TEST_CASE("equal outcomes with different rules are the same") {
  const ir::Recipe one = recipe({assign("GPTQ", {kHead, kLinear})});
  const ir::Recipe other = recipe({assign("GPTQ", {{"*up", {}}, {"*down", {}}})});
  CHECK(changes(one, other).empty());
}

TEST_CASE("the order of operations is compared") {
  const ir::Recipe first = recipe({smooth(), assign("GPTQ", {kLinear})});
  const ir::Recipe last = recipe({assign("GPTQ", {kLinear}), smooth()});
  CHECK(changes(first, last) == Texts{"5 layers: SmoothQuant now runs after GPTQ"});
  CHECK(symbolic_changes(first, last) == Texts{"SmoothQuant now runs after GPTQ"});
}

TEST_CASE("unknown values are never equal") {
  Rule rule = kLinear;
  rule.unknown = true;
  const ir::Recipe one = recipe({assign("GPTQ", {rule})});
  CHECK(changes(one, one) == Texts{"? 5 layers depend on values that are not known"});
  CHECK(symbolic_changes(one, one) == Texts{"? GPTQ depends on values that are not known"});
}

TEST_CASE("without a model, rules are compared by text, and examples prove a difference") {
  const ir::Recipe plain = recipe({assign("GPTQ", {kHead, kLinear})});
  CHECK(symbolic_changes(plain, plain).empty());
  CHECK(symbolic_changes(plain, recipe({assign("GPTQ", {kHead, kLinear}, integers(3, 128))})) ==
        Texts{"`Linear`: int4 -> int3"});
  CHECK(symbolic_changes(plain, recipe({assign("GPTQ", {kHead, {"*down", {}, Rule::Kind::leaves}, kLinear})})) ==
        Texts{"layers such as `model.layers.0down`: int4 -> 16 bits"});
  CHECK(symbolic_changes(plain, recipe({assign("GPTQ", {kHead, {"lm_head", {}}, kLinear})})) ==
        Texts{"? the entries of GPTQ differ; pass `--model` to compare layers"});
}

TEST_CASE("formats are equal if they have the same meaning") {
  ir::TensorFormat one{.type = ir::NumberType::floating, .bits = 8};
  ir::TensorFormat other = one;
  other.float_kind = ir::FloatKind::e4m3;
  other.group_size = 128;
  CHECK(one == other);
  other.float_kind = ir::FloatKind::e5m2;
  CHECK(one != other);
  CHECK(ir::describe(other) == "float8 e5m2 per tensor");
  CHECK(ir::describe(integers(4, 128)) == "weights int4 in groups of 128");
  CHECK(ir::changes(integers(4, 128), integers(3, 64)) == "weights int4 -> int3, groups of 128 -> 64");
}

TEST_CASE("the printed outcome") {
  const source::SourceFile file("recipe.yaml", "a\nb\n");
  const ir::Recipe plain = recipe({assign("GPTQ", {kHead, {"Linear", {2, 3}}})});
  const outcome::Outcome result = outcome::evaluate(plain, kModules);
  CHECK(outcome::json_of(result, 0, file).is_null());
  const nlohmann::ordered_json one = outcome::json_of(result, 1, file);
  CHECK(one["weights"]["type"] == "int");
  CHECK(one["weights"]["group_size"] == 128);
  CHECK(one["by"]["line"] == 2);
  CHECK(one["by"]["entry"] == "Linear");
  CHECK(one["method"] == "GPTQ");
  CHECK(one["inputs"].is_null());
}

TEST_CASE("the outcome in one line") {
  const ir::Recipe plain = recipe({assign("GPTQ", {kHead, kLinear})});
  CHECK(outcome::summary(outcome::evaluate(plain, kModules), kModules, {}) ==
        "4 of 5 Linear layers: weights int4 in groups of 128; lm_head stays 16-bit; 0.1 -> 0.1 MB");
  ir::PruneOnce prune{{&kLanguage, {{"*up", {}}}, {}}, 0.5, {}, {"SparseGPT"}};
  CHECK(outcome::summary(outcome::evaluate(recipe({prune}), kModules), kModules, {}) ==
        "2 of 5 Linear layers pruned to 50 % by SparseGPT; 0.1 -> 0.1 MB");
}

}  // namespace sparsecfg::outcome_test
