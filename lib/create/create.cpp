#include "create/create.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "convert/convert.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "timeline/overview.h"

namespace sparsecfg::create {

using Json = nlohmann::ordered_json;

std::variant<source::Map, std::string> read_mapping(const std::string& text) {
  const source::SourceFile file("variables", text);
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(file.text().size())}, doc::Limits{}, sink);
  const source::Value value = document ? doc::construct(*document, document->root, sink) : source::Value{};
  const auto problems = sink.take();
  if (!problems.empty())
    return fmt::format("line {}: {}", file.position(problems[0].span.begin).line, problems[0].message);
  const auto* map = value.get<source::Map>();
  return map != nullptr ? std::variant<source::Map, std::string>(*map)
                        : "the file must be a mapping from names to values";
}

static bool known_variable(std::string_view name) {
  return std::ranges::find(variables(), name, &Variable::name) != variables().end();
}

std::optional<std::string> read_variables(Choices& choices, const std::string& text) {
  const auto read = read_mapping(text);
  if (const auto* why = std::get_if<std::string>(&read)) return *why;
  for (const auto& [key, each] : std::get<source::Map>(read)) {
    if (each.is_null() && known_variable(source::python_str(key))) continue;  // null keeps the default
    const auto* flag = each.get<bool>();
    const std::string word = flag != nullptr ? (*flag ? "true" : "false") : source::python_str(each);
    if (auto why = set_variable(choices, source::python_str(key), word)) return why;
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t kStepsPerEpoch = 100;  // for the values in the report, which are in epochs

// Summary of the recipe. Times are in epochs.
struct Facts {
  std::optional<double> epochs;          // nullopt for one-shot recipes
  std::set<double> sparsities;           // final sparsities of the parameters
  std::optional<double> sparsity_epoch;  // epoch at which the final sparsity is reached
  std::optional<double> quantized_from;
  bool sets_rate = false;

  [[nodiscard]] std::optional<double> sparsity() const {
    return sparsities.empty() ? std::nullopt : std::optional(*sparsities.rbegin());
  }
};

bool sets_rate(const ir::Recipe& recipe) {
  return std::ranges::any_of(recipe.actions,
                             [](const ir::Action& action) { return ir::moves_learning_rate(action.effect); });
}

Facts facts_of(const ir::Recipe& recipe, const Choices& choices, std::size_t steps_per_epoch = kStepsPerEpoch) {
  Facts facts;
  facts.epochs = choices.epochs;
  facts.sets_rate = sets_rate(recipe);
  const timeline::Run run{steps_per_epoch, choices.epochs, std::nullopt, nullptr, nullptr};
  const timeline::Overview overview = timeline::survey(recipe, run);
  for (std::size_t at = 0; at < overview.columns.size(); ++at) {
    const timeline::Overview::Phase& phase = overview.phases[overview.columns[at].action];
    if (overview.reached[at]) facts.sparsities.insert(*overview.reached[at]);
    if (overview.reached[at] && phase.last) facts.sparsity_epoch = run.epoch_of(*phase.last);
  }
  // Other values are intermediate steps of a ramp that is written as several pruners.
  if (choices.sensitivities.empty() && facts.sparsity()) facts.sparsities = {*facts.sparsity()};
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (std::holds_alternative<ir::Quantize>(recipe.actions[at].effect) && overview.phases[at].start) {
      facts.quantized_from = run.epoch_of(*overview.phases[at].start);
    }
  }
  return facts;
}

// Returns ", 0.64 and 0.72 for sensitive parameters", or an empty string if there is only one sparsity.
std::string lower_tiers(const Facts& facts) {
  std::vector<std::string> lower;
  for (const double each : facts.sparsities) lower.push_back(fmt::format("{:.4g}", each));
  if (lower.size() < 2) return {};
  lower.pop_back();
  return fmt::format(", {} for sensitive parameters", base::join_and(lower));
}

// Returns the summary of a one-shot recipe. Such a recipe does not train for epochs.
Facts facts_of_one_shot(const Choices& choices) {
  Facts facts;
  const Pruner* pruner = find_pruner(choices.pruning);
  if (pruner != nullptr && !pruner->holds) facts.sparsities.insert(choices.sparsity);
  return facts;
}

// Rounds an epoch to three decimals.
std::string shown(double epoch) { return base::python_repr(std::round(epoch * 1000) / 1000); }

// Returns the sparsity of the whole model, or nullopt if it is unknown. Parameters that are not pruned stay dense.
std::optional<double> model_sparsity(const Facts& facts, const Choices& choices) {
  if (choices.weights == 0 || !facts.sparsity() || choices.sparsity == 0) {
    return std::nullopt;
  }
  return pruned_weights(choices) * *facts.sparsity() / choices.sparsity / choices.weights;
}

// Returns "sparsity of the whole model: 0.7893 (20.2 of 25.6 million weights are zero)".
std::string model_text(const Facts& facts, const Choices& choices) {
  constexpr double kMillion = 1e6;
  const auto sparsity = model_sparsity(facts, choices);
  if (!sparsity) return {};
  const bool large = choices.weights >= kMillion;
  const double unit = large ? kMillion : 1;
  return fmt::format("sparsity of the whole model: {:.4g} ({:.{}f} of {:.{}f} {}weights are zero)\n", *sparsity,
                     *sparsity * choices.weights / unit, large ? 1 : 0, choices.weights / unit, large ? 1 : 0,
                     large ? "million " : "");
}

std::string text_of(const Facts& facts, const Choices& choices) {
  if (!facts.epochs) {
    return fmt::format("run the recipe once on a trained model with a calibration `dataset`{}\n",
                       facts.sparsity() ? fmt::format(": sparsity {}", base::python_repr(*facts.sparsity())) : "") +
           model_text(facts, choices);
  }
  std::string out = fmt::format("train for {} epochs\n", base::python_repr(*facts.epochs));
  if (facts.sparsity() && facts.sparsity_epoch) {
    out += fmt::format("sparsity {} is reached at epoch {}{}\n", base::python_repr(*facts.sparsity()),
                       shown(*facts.sparsity_epoch), lower_tiers(facts));
  }
  out += model_text(facts, choices);
  out += facts.sets_rate
             ? fmt::format("the recipe sets the learning rate ({}): remove the scheduler of the training script\n",
                           choices.rate)
             : "the training script sets the learning rate\n";
  if (facts.quantized_from) {
    out += fmt::format(
        "quantization starts at epoch {}: disable mixed precision from then on and expect higher memory use\n",
        shown(*facts.quantized_from));
  }
  if (!choices.shapes_known && needs_linear_layers(choices)) {
    out +=
        fmt::format("the mask {} works only for linear layers: SparseML stops at convolutions\n", *choices.mask_type);
  }
  if (choices.distillation) out += "the training script must pass a distillation teacher: `self` or a model\n";
  return out;
}

std::string json_of(const Facts& facts, const Choices& choices, bool written) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  const Json out = {{"format", 1},
                    {"written", written},
                    {"max_epochs", facts.epochs ? Json(std::ceil(*facts.epochs)) : Json(nullptr)},
                    {"controls_lr", facts.sets_rate},
                    {"lr", choices.rate},
                    {"sparsity", number(facts.sparsity())},
                    {"sparsities", facts.sparsities},
                    {"sparsity_epoch", number(facts.sparsity_epoch)},
                    {"model_sparsity", number(model_sparsity(facts, choices))},
                    {"quantization_start_epoch", number(facts.quantized_from)},
                    {"distillation", choices.distillation}};
  return out.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Returns the findings of at least this severity, one per line.
std::string findings_of(const Compilation& compiled, diag::Severity severity) {
  std::string out;
  for (const diag::Diagnostic& each : compiled.diagnostics) {
    if (each.severity <= severity) out += fmt::format("{}: {}\n", each.info->code, each.message);
  }
  return out;
}

std::string errors_of(const Compilation& compiled) { return findings_of(compiled, diag::Severity::error); }

// Converts the recipe to another dialect. Appends to `reasons` what is not exact. Returns an empty string if the
// dialect cannot express the whole recipe.
std::string converted(const Compilation& recipe, const Target& to, std::string& reasons) {
  convert::Request request;
  request.to = dialect::find_dialect(to.dialect);
  request.compile.read.steps_per_epoch = to.steps_per_epoch;
  const convert::Conversion conversion = convert::convert(recipe, request);
  for (const convert::Fidelity& each : conversion.fidelity) {
    if (each.kind != convert::Fidelity::Kind::exact && !each.reason.empty()) {
      reasons += fmt::format("{}: {}: {}\n", recipe.recipe->actions[each.action].origin.class_name,
                             convert::label_of(each.kind), each.reason);
    }
  }
  return conversion.drops ? "" : conversion.text;
}

// A change of one choice that may make the recipe expressible in another dialect.
struct Alternative {
  std::string_view option;  // command-line option of the change
  bool (*apply)(Choices&);  // returns false if the choice is already so
};

constexpr Alternative kAlternatives[] = {
    {"--params FILE",
     [](Choices& choices) {
       const bool named = !choices.parameters.empty();
       if (!named) choices.parameters = {"layer.weight"};  // any name
       return !named;
     }},
    {"--set global_sparsity=false", [](Choices& choices) { return std::exchange(choices.global_sparsity, false); }},
    {"--lr constant", [](Choices& choices) { return std::exchange(choices.rate, "constant") != "constant"; }},
    {"--quantization false", [](Choices& choices) { return std::exchange(choices.quantization, false); }},
    {"no --distillation", [](Choices& choices) { return std::exchange(choices.distillation, false); }},
    {"--pruning true",
     [](Choices& choices) {
       choices.mask_type.reset();
       return std::exchange(choices.pruning, "true") != "true";
     }},
    {"--target none",
     [](Choices& choices) {
       choices.mask_type.reset();
       return std::exchange(choices.target, "none") != "none";
     }},
};

bool can_write(const Choices& choices, const Target& to) {
  const Compilation compiled = compile("recipe.yaml", recipe(choices), CompileOptions{});
  std::string reasons;
  return compiled.recipe && errors_of(compiled).empty() && !converted(compiled, to, reasons).empty();
}

// Returns the smallest set of options that makes the recipe expressible in the dialect, or an empty string.
std::string nearest_choices(const Choices& choices, const Target& to) {
  std::vector<unsigned> sets(std::size_t{1} << std::size(kAlternatives));
  std::iota(sets.begin(), sets.end(), 0U);
  std::ranges::stable_sort(sets, {}, [](unsigned set) { return std::popcount(set); });
  for (const unsigned set : sets) {
    Choices other = choices;
    std::vector<std::string_view> options;
    bool all = set != 0;
    for (std::size_t at = 0; at < std::size(kAlternatives); ++at) {
      if ((set >> at & 1U) == 0) continue;
      all = all && kAlternatives[at].apply(other);
      options.push_back(kAlternatives[at].option);
    }
    if (all && !resolve(other) && can_write(other, to)) return fmt::format("{}", fmt::join(options, " "));
  }
  return {};
}

// Returns the summary of a converted recipe. Appends its errors to the report.
Facts facts_of_converted(const Choices& choices, const Target& to, Created& out) {
  CompileOptions options;
  options.from = std::string(to.dialect);
  options.read.steps_per_epoch = to.steps_per_epoch.value_or(kStepsPerEpoch);
  const Compilation compiled = compile("recipe.yaml", out.text, options);
  if (const std::string findings = errors_of(compiled); !findings.empty()) {
    out.report_text += "`sparsecfg validate` reports:\n" + findings;
  }
  return dialect::find_dialect(to.dialect)->trains
             ? facts_of(*compiled.recipe, choices, to.steps_per_epoch.value_or(kStepsPerEpoch))
             : facts_of_one_shot(choices);
}

// Returns the reason why nothing was written and the nearest choices that could be.
std::string refusal(const Choices& choices, const Target& to) {
  if (!to.steps_per_epoch && can_write(choices, {to.dialect, kStepsPerEpoch})) {
    return fmt::format("no recipe was written: {} schedules in steps; pass --steps-per-epoch N\n", to.dialect);
  }
  const std::string nearest = nearest_choices(choices, to);
  return fmt::format("no recipe was written: {} does not support all of these choices{}\n", to.dialect,
                     nearest.empty() ? "" : fmt::format("; supported with {}", nearest));
}

}  // namespace

Created create(const Choices& choices, const Target& to, bool markdown) {
  Created out;
  const std::string text = recipe(choices);
  const Compilation compiled = compile("recipe.yaml", text, CompileOptions{});
  const std::string errors = errors_of(compiled);
  if (!compiled.recipe || !errors.empty()) {
    out.report_text = "SparseML rejects the recipe for these choices:\n" + errors;
    out.report_json = json_of(Facts{}, choices, false);
    return out;
  }
  Facts facts = facts_of(*compiled.recipe, choices);
  if (to.dialect == compiled.recipe->dialect) {
    out.text = markdown ? create::markdown(text) : text;
  } else {
    out.text = converted(compiled, to, out.report_text);
    if (out.text.empty()) {
      out.report_text += refusal(choices, to);
    } else {
      facts = facts_of_converted(choices, to, out);
    }
  }
  if (!out.text.empty()) out.report_text += text_of(facts, choices);
  out.report_json = json_of(facts, choices, !out.text.empty());
  return out;
}

}  // namespace sparsecfg::create
