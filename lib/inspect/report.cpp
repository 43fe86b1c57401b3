#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "inspect/inspect.h"
#include "ir/describe.h"

namespace sparsecfg::inspect {

using ir::Action;
using source::Value;

// Returns ", from epoch 2.0", or ", never" for an infinite start.
static std::string start_text(double start) {
  return std::isfinite(start) ? ", from epoch " + base::python_repr(start) : ", never";
}

// Returns "0.8", or "0.8 (reaches 0.7992)" if a run ends with another value. Six digits are shown, as in the timeline.
static std::string target_text(const Pruning& pruning, std::size_t at) {
  const std::string target = base::python_repr(pruning.sparsities[at]);
  const auto reached = at < pruning.reached.size() ? pruning.reached[at] : std::nullopt;
  const std::string text = reached ? fmt::format("{:.6g}", *reached) : "";
  return text.empty() || text == fmt::format("{:.6g}", pruning.sparsities[at])
             ? target
             : fmt::format("{} (reaches {})", target, text);
}

// Returns the line of a pruner behind its name.
static std::string pruning_line(const Pruning& pruning) {
  std::vector<std::string> targets;
  for (std::size_t at = 0; at < pruning.sparsities.size(); ++at) targets.push_back(target_text(pruning, at));
  std::string line =
      targets.empty() ? " to a sparsity that depends on the weights" : fmt::format(" to {}", fmt::join(targets, ", "));
  if (pruning.start) line += start_text(*pruning.start);
  if (pruning.end && pruning.start && std::isfinite(*pruning.start)) line += " to " + base::python_repr(*pruning.end);
  return line;
}

// Returns a line for all pruners with the same sparsity and window.
static std::vector<std::string> pruning_lines(const std::vector<Pruning>& prunes) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<std::string>> names;  // of the pruners by their line
  for (const Pruning& pruning : prunes) {
    std::string line = pruning_line(pruning);
    std::vector<std::string>& same = names[line];
    same.push_back(pruning.action);
    if (same.size() == 1) lines.push_back(std::move(line));
  }
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    const std::vector<std::string>& same = names[line];
    const auto number = [](const std::string& name) { return std::pair(name.size(), name); };
    const std::string more = same.size() == 1 ? "" : fmt::format(" and {} more", same.size() - 1);
    out.push_back(*std::ranges::min_element(same, {}, number) + more + line);
  }
  return out;
}

static void add_row(std::string& out, std::string_view name, const std::vector<std::string>& lines) {
  for (std::size_t at = 0; at < lines.size(); ++at) {
    out += fmt::format("{:<15}{}\n", at == 0 ? name : "", base::printable(lines[at]));
  }
}

static std::vector<std::string> or_no(std::vector<std::string> lines) {
  return lines.empty() ? std::vector<std::string>{"no"} : lines;
}

// Returns the value in the file of a variable that --set changed, or null if it was not changed.
static const Value* default_of(const ir::Variable& variable, const Facts& facts) {
  const auto found = std::ranges::find_if(facts.defaults, [&](const ir::Variable& other) {
    return other.name == variable.name && other.stage == variable.stage;
  });
  return found == facts.defaults.end() || found->value == variable.value ? nullptr : &found->value;
}

static std::vector<std::string> variable_lines(const ir::Recipe& recipe, const Facts& facts) {
  std::vector<std::string> lines;
  for (const ir::Variable& variable : recipe.variables) {
    const std::string stage = variable.stage.empty() ? "" : variable.stage + ": ";
    const Value* before = default_of(variable, facts);
    lines.push_back(fmt::format("{}{} = {}", stage, variable.name, source::python_str(variable.value)) +
                    (before == nullptr ? "" : fmt::format(" (default: {})", source::python_str(*before))));
  }
  return lines;
}

static std::string quantizing_line(const Quantizing& quantizing) {
  std::string line = quantizing.action;
  if (quantizing.start) line += start_text(*quantizing.start);
  if (quantizing.observers_off) line += ", observers off at " + base::python_repr(*quantizing.observers_off);
  if (quantizing.batch_norm_frozen)
    line += ", batch norm frozen at " + base::python_repr(*quantizing.batch_norm_frozen);
  if (!quantizing.bits.empty()) line += fmt::format(", bits of {}", fmt::join(quantizing.bits, ", "));
  return line;
}

static std::string freezing_line(const Freezing& freezing) {
  return fmt::format("{}{}{}: {}", freezing.action, start_text(freezing.start),
                     freezing.end && std::isfinite(freezing.start) ? " to " + base::python_repr(*freezing.end) : "",
                     freezing.selects);
}

static std::string storage_line(const Storage& storage) {
  return fmt::format("{:.2f} bits per weight, {}, {:.2f} times smaller than with 16 bits", storage.bits_per_weight,
                     ir::bytes_text(static_cast<double>(storage.bytes) * 8), storage.ratio);
}

// "224 Linear: weights int4 in groups of 128, 4.13 bits per weight, 3.6 GB"
static std::vector<std::string> layer_lines(const std::vector<ir::StoredLayers>& stored) {
  std::vector<std::string> out;
  for (const ir::StoredLayers& each : stored) {
    std::string line = fmt::format("{}{}: {}", each.layers == 0 ? std::string() : fmt::format("{} ", each.layers),
                                   each.type, each.scheme.empty() ? "not quantized" : each.scheme);
    if (each.weights && *each.weights > 0) {
      line += fmt::format(", {:.2f} bits per weight, {}", each.bits / static_cast<double>(*each.weights),
                          ir::bytes_text(each.bits));
    }
    out.push_back(std::move(line));
  }
  return out;
}

// Adds rows for the schemes, mappings, settings and ignored layers of each modifier.
static void add_one_shot(std::string& out, const ir::Recipe& recipe, const ir::OneShot& one_shot) {
  std::vector<std::string> schemes;
  std::vector<std::string> ignored;
  std::vector<std::string> mappings;
  std::vector<std::string> settings;
  for (const ir::OneShotStep& step : one_shot.steps) {
    const std::string name = ir::numbered_name(recipe.actions[step.action].origin);
    for (const ir::SchemeOfLayers& each : step.schemes) {
      schemes.push_back(fmt::format("{}: {}: {}", name, each.layers, each.scheme));
    }
    for (const std::string& mapping : step.mappings) mappings.push_back(fmt::format("{}: {}", name, mapping));
    if (!step.ignored.empty()) ignored.push_back(fmt::format("{}: {}", name, fmt::join(step.ignored, ", ")));
    if (!step.settings.empty()) settings.push_back(fmt::format("{}: {}", name, fmt::join(step.settings, ", ")));
  }
  add_row(out, "targets", schemes);
  add_row(out, "ignored", ignored);
  add_row(out, "mappings", mappings);
  add_row(out, "settings", settings);
}

template <class T>
static std::vector<std::string> lines_of(const std::vector<T>& all, std::string (*line)(const T&)) {
  std::vector<std::string> out;
  for (const T& each : all) out.push_back(line(each));
  return or_no(std::move(out));
}

// Adds "key: value" for each value, with the keys that lead to it.
static void add_metadata(const std::string& path, const Value& value, std::vector<std::string>& out) {
  const auto* map = value.get<source::Map>();
  if (map == nullptr || map->empty()) {
    out.push_back(fmt::format("{}{}{}", path, path.empty() ? "" : ": ", source::python_str(value)));
    return;
  }
  for (const auto& [key, each] : *map) {
    add_metadata(fmt::format("{}{}{}", path, path.empty() ? "" : ".", source::python_str(key)), each, out);
  }
}

static std::vector<std::string> metadata_lines(const Value& metadata) {
  std::vector<std::string> out;
  add_metadata("", metadata, out);
  return out;
}

std::string text(const ir::Recipe& recipe, const Facts& facts) {
  const std::string length = facts.epochs   ? base::python_repr(*facts.epochs)
                             : facts.trains ? "not set by the recipe"
                                            : "none (one-shot: applied to a trained model)";
  std::string out;
  add_row(out, "dialect", {recipe.dialect});
  if (!facts.is_result) {
    add_row(out, "epochs", {length + (facts.steps ? fmt::format(", {} steps", *facts.steps) : "")});
    if (facts.trains) {
      add_row(out, "learning rate", {facts.controls_lr ? "set by the recipe" : "set by the training script"});
    }
    // Without training, the sparsity of a pruner is one of its settings.
    if (facts.trains || !facts.prunes.empty()) add_row(out, "prunes", or_no(pruning_lines(facts.prunes)));
  }
  std::vector<Quantizing> quantizes = facts.quantizes;
  for (Quantizing& each : quantizes) {
    if (!facts.trains) each.start.reset();
  }
  add_row(out, "quantizes", lines_of(quantizes, quantizing_line));
  if (facts.one_shot) add_one_shot(out, recipe, *facts.one_shot);
  add_row(out, "unknown", facts.unknown);
  if (facts.storage) {
    add_row(out, "schemes", or_no(facts.storage->schemes));
    if (facts.one_shot) add_row(out, "layers", layer_lines(facts.one_shot->stored));
    if (facts.storage->bits_per_weight > 0) add_row(out, "size", {storage_line(*facts.storage)});
  }
  if (facts.trains) {
    add_row(out, "freezes", lines_of(facts.freezes, freezing_line));
    add_row(out, "distills", {facts.distills ? "yes" : "no"});
  }
  if (!facts.is_result) add_row(out, "needs", facts.needs.empty() ? std::vector<std::string>{"nothing"} : facts.needs);
  add_row(out, "variables", variable_lines(recipe, facts));
  if (!recipe.metadata.is_null()) {
    add_row(out, "metadata", metadata_lines(recipe.metadata));
  }
  return out;
}

std::string unknown_text(const ir::FoundRecipe& found) {
  std::vector<std::string> unknown;
  for (const ir::UnknownField& field : ir::unknown_fields(found)) {
    unknown.push_back(fmt::format("{}: {}", field.name, field.reason));
  }
  std::string out;
  add_row(out, "dialect", {found.dialect});
  add_row(out, "unknown", unknown.empty() ? found.unknown : unknown);
  return out;
}

// Returns ", call in line 12, model Qwen/Qwen3-8B", or an empty string for a recipe outside of code.
static std::string use_of(const ir::FoundRecipe& found) {
  if (!found.model) return {};
  std::vector<std::string> lines;
  for (const ir::Lines& call : found.calls) lines.push_back(std::to_string(call.first));
  if (lines.empty()) return ", no call";
  const std::string calls = fmt::format(", call{} in line{} {}", lines.size() == 1 ? "" : "s",
                                        lines.size() == 1 ? "" : "s", base::join_and(lines));
  const std::string model =
      found.model->id.empty() ? fmt::format("unknown ({})", found.model->unknown.message()) : found.model->id;
  return fmt::format("{}, model {}", calls, base::printable(model));
}

std::string list_text(const std::vector<ir::FoundRecipe>& recipes) {
  std::string out;
  for (std::size_t at = 0; at < recipes.size(); ++at) {
    const ir::FoundRecipe& found = recipes[at];
    std::vector<std::string> classes;
    for (const ir::Origin& origin : found.modifiers) classes.push_back(base::printable(origin.class_name));
    out += fmt::format("{:>3}  {}lines {} to {}  {}  {}  {}{}\n", at + 1,
                       found.lines.cell ? fmt::format("cell {} ", *found.lines.cell + 1) : "", found.lines.first,
                       found.lines.last, found.form, found.dialect, fmt::join(classes, ", "), use_of(found));
  }
  return out;
}

}  // namespace sparsecfg::inspect
