#include "create/create.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "base/text.h"
#include "convert/convert.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "timeline/overview.h"

namespace sparsecfg::create {

using Json = nlohmann::ordered_json;

std::optional<std::string> read_variables(Choices& choices, const std::string& text) {
  const source::SourceFile file("variables", text);
  diag::Sink sink;
  const auto document =
      doc::read_yaml(file, {0, static_cast<std::uint32_t>(file.text().size())}, doc::Limits{}, sink);
  const source::Value value = document ? doc::construct(*document, document->root, sink) : source::Value{};
  const auto problems = sink.take();
  if (!problems.empty()) return fmt::format("line {}: {}", file.position(problems[0].span.begin).line, problems[0].message);
  const auto* map = value.get<source::Map>();
  if (map == nullptr) return "must be a mapping from names of variables to values";
  for (const auto& [key, each] : *map) {
    const auto* flag = each.get<bool>();
    const std::string word = flag != nullptr ? (*flag ? "true" : "false") : source::python_str(each);
    if (auto why = set_variable(choices, source::python_str(key), word)) return why;
  }
  return std::nullopt;
}

std::vector<std::string> prunable(const source::Parameters& parameters, bool skip_first_last) {
  constexpr std::string_view kWeight = ".weight";
  std::vector<std::string> out;
  for (std::size_t at = 0; at < parameters.names.size(); ++at) {
    const std::string& name = parameters.names[at];
    const std::string_view layer = std::string_view(name).substr(0, name.size() - std::min(name.size(), kWeight.size()));
    const bool flat = at < parameters.shapes.size() && parameters.shapes[at] && parameters.shapes[at]->size() < 2;
    if (name.ends_with(kWeight) && !flat && layer.find("input") == std::string_view::npos &&
        layer.find("output") == std::string_view::npos) {
      out.push_back(name);
    }
  }
  if (skip_first_last && out.size() > 2) {
    out.pop_back();
    out.erase(out.begin());
  }
  return out;
}

namespace {

constexpr std::size_t kStepsPerEpoch = 100;  // for the figures of the report, which are in epochs

// What the recipe does, in epochs.
struct Facts {
  double epochs = 0;
  std::optional<double> sparsity;         // reached
  std::optional<double> sparsity_epoch;   // at which it is reached
  std::optional<double> quantized_from;
  bool sets_rate = true;
};

Facts facts_of(const ir::Recipe& recipe) {
  Facts facts;
  facts.epochs = recipe.length ? recipe.length->epochs : 0;
  const timeline::Run run{kStepsPerEpoch, facts.epochs, std::nullopt, nullptr, nullptr};
  const timeline::Overview overview = timeline::survey(recipe, run);
  for (std::size_t at = 0; at < overview.columns.size(); ++at) {
    const timeline::Overview::Phase& phase = overview.phases[overview.columns[at].action];
    facts.sparsity = overview.reached[at];
    if (facts.sparsity && phase.last) facts.sparsity_epoch = run.epoch_of(*phase.last);
  }
  for (std::size_t at = 0; at < recipe.actions.size(); ++at) {
    if (std::holds_alternative<ir::Quantize>(recipe.actions[at].effect) && overview.phases[at].start) {
      facts.quantized_from = run.epoch_of(*overview.phases[at].start);
    }
  }
  return facts;
}

std::string text_of(const Facts& facts, const Choices& choices) {
  std::string out = fmt::format("train for {} epochs\n", base::python_repr(facts.epochs));
  if (facts.sparsity && facts.sparsity_epoch) {
    out += fmt::format("sparsity {} is reached at epoch {}\n", base::python_repr(*facts.sparsity),
                       base::python_repr(*facts.sparsity_epoch));
  }
  out += fmt::format("the recipe sets the learning rate ({}): remove the scheduler of the training script\n", choices.rate);
  if (facts.quantized_from) {
    out += fmt::format("quantization starts at epoch {}: switch mixed precision off from there on, and expect more memory\n",
                       base::python_repr(*facts.quantized_from));
  }
  if (choices.distillation) out += "distillation needs a teacher from the training script: `self` or a model\n";
  return out;
}

std::string json_of(const Facts& facts, const Choices& choices, bool written) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  const Json out = {{"format", 1},
                    {"written", written},
                    {"max_epochs", std::ceil(facts.epochs)},
                    {"controls_lr", facts.sets_rate},
                    {"lr", choices.rate},
                    {"sparsity", number(facts.sparsity)},
                    {"sparsity_epoch", number(facts.sparsity_epoch)},
                    {"quantization_start_epoch", number(facts.quantized_from)},
                    {"distillation", choices.distillation}};
  return out.dump(2) + "\n";
}

// The recipe in another dialect, or why it has no counterpart there.
std::string converted(const Compilation& recipe, const dialect::Dialect& to, Created& out) {
  convert::Request request;
  request.to = &to;
  request.compile.read.steps_per_epoch = kStepsPerEpoch;
  const convert::Conversion conversion = convert::convert(recipe, request);
  for (const convert::Fidelity& each : conversion.fidelity) {
    if (each.kind != convert::Fidelity::Kind::exact && !each.reason.empty()) {
      out.report_text += fmt::format("{}: {}: {}\n", recipe.recipe->actions[each.action].origin.class_name,
                                     convert::to_string(each.kind), each.reason);
    }
  }
  return conversion.drops || conversion.faulty ? "" : conversion.text;
}

}  // namespace

Created create(const Choices& choices, std::string_view to, bool markdown) {
  Created out;
  const std::string text = recipe(choices);
  const Compilation compiled = compile("recipe.yaml", text, CompileOptions{});
  const bool valid = compiled.recipe && compiled.count(diag::Severity::error) == 0;
  const Facts facts = valid ? facts_of(*compiled.recipe) : Facts{};
  if (!valid) {
    out.report_text = "these choices give a recipe that SparseML refuses:\n";
    for (const diag::Diagnostic& each : compiled.diagnostics) {
      if (each.severity == diag::Severity::error) out.report_text += fmt::format("{}: {}\n", each.info->code, each.message);
    }
  } else if (to == compiled.recipe->dialect) {
    out.text = markdown ? create::markdown(choices) : text;
  } else {
    out.text = converted(compiled, *dialect::find_dialect(to), out);
    if (out.text.empty()) out.report_text += fmt::format("nothing was written: {} has no counterpart for all of it\n", to);
  }
  if (!out.text.empty()) out.report_text += text_of(facts, choices);
  out.report_json = json_of(facts, choices, !out.text.empty());
  return out;
}

}  // namespace sparsecfg::create
