#include "dialect/pytorch/write.h"

#include <fmt/format.h>

#include <sha2.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "base/version.h"
#include "dialect/dialects.h"
#include "dialect/pytorch/entries.h"
#include "dialect/write.h"

namespace sparsecfg::dialect::pytorch {

// --- the parts of the file ----------------------------------------------------------------------------------

// Wraps text at the right margin. Each line starts with `before`.
static std::string wrapped(std::string_view text, std::string_view before) {
  std::string out;
  std::string line(before);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() > before.size() && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = std::string(before) + "  ";
    }
    line += (line.size() > before.size() && line.back() != ' ' ? " " : "") + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

// Escapes text for a docstring in triple quotes.
static std::string quotable(std::string_view text) {
  std::string out = base::printable(text);
  std::ranges::replace(out, '\\', '/');
  std::ranges::replace(out, '"', '\'');
  return out;
}

static std::string length_of(const WriteOptions& options) {
  const double epochs = options.epochs.value_or(0);
  return layout(epochs == std::floor(epochs) ? Text{fmt::format("{:.0f}", epochs)} : number(epochs), 0);
}

// Returns the file name without its folder. Long names are cut at the start.
static std::string name_of(const source::SourceFile& file) {
  constexpr std::size_t kLongest = 80;
  std::string name = file.name() == "-" ? "a recipe" : file.name().substr(file.name().rfind('/') + 1);
  return name.size() <= kLongest ? name : "..." + name.substr(name.size() - kLongest);
}

static std::string sha256_of(std::string_view text) {
  char digest[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const uint8_t*>(text.data()), text.size(), digest);
  return digest;
}

// Returns a summary of the run, cut after a few lines.
static std::string figures_of(const WriteOptions& options) {
  constexpr std::size_t kMaxFigures = 12;
  std::string out;
  for (std::size_t at = 0; at < std::min(options.figures.size(), kMaxFigures); ++at) {
    out += wrapped(quotable(base::trim(options.figures[at])), "    ");
  }
  if (options.figures.size() > kMaxFigures) {
    out += fmt::format("    ({} more lines in `sparsecfg timeline --summary`)\n", options.figures.size() - kMaxFigures);
  }
  return out.empty() ? out : fmt::format("\nTimeline with {} steps per epoch:\n\n", options.steps_per_epoch) + out;
}

static std::string docstring(const ir::Recipe& recipe, const WriteOptions& options, const WriteResult& written) {
  const std::string name = options.file == nullptr ? "a recipe" : quotable(name_of(*options.file));
  std::string out = wrapped(fmt::format("\"\"\"Runs the schedule of {} on a PyTorch model.", name), "") + "\n";
  if (options.file != nullptr) {
    out += fmt::format("sha256 of the recipe: {}\n\n", sha256_of(options.file->text()));
  }
  out += fmt::format("Length: {} epochs. Requires only torch. Usage:\n\n", length_of(options));
  out +=
      "    schedule = Schedule(model, optimizer, steps_per_epoch=len(loader))\n"
      "    for epoch in range(schedule.epochs):\n"
      "        for inputs, labels in loader:\n"
      "            loss = loss_function(model(inputs), labels) + schedule.penalty()\n"
      "            loss.backward()\n"
      "            optimizer.step()\n"
      "            optimizer.zero_grad()\n"
      "            schedule.step()\n"
      "    schedule.finish()\n";
  out += figures_of(options);
  if (options.parameters != nullptr) {
    out +=
        fmt::format("\nSelectors are resolved to names of a model with {} parameters.\n", options.parameters->size());
  }
  std::string left_out;
  for (const ActionStatus& status : written.statuses) {
    const ir::Origin& origin = recipe.actions[status.action].origin;
    if (status.kind == ActionStatus::Kind::dropped) {
      left_out += wrapped(fmt::format("{}: {}", quotable(origin.class_name), quotable(status.reason)), "    ");
    }
  }
  out += left_out.empty() ? "" : "\nDropped:\n" + left_out;
  return out + fmt::format("\nWritten by sparsecfg {}.\n\"\"\"\n", base::version());
}

// Returns import statements for the modules that the text uses.
static std::string imports_of(std::string_view text) {
  static constexpr std::string_view kModules[] = {"copy",   "difflib", "functools", "math",
                                                  "random", "re",      "sys",       "warnings"};
  std::string out;
  for (const std::string_view module : kModules) {
    const std::string use = std::string(module) + ".";
    for (std::size_t at = text.find(use); at != std::string_view::npos; at = text.find(use, at + 1)) {
      const char before = at == 0 ? ' ' : text[at - 1];
      if (!base::is_letter(before) && before != '.' && before != '_') {
        out += fmt::format("import {}\n", module);
        break;
      }
    }
  }
  return out + "\nimport torch\n";
}

static std::string list_of(const std::vector<Text>& entries) {
  std::string out =
      "def recipe():\n    \"\"\"Returns the actions, in execution order within a step.\"\"\"\n    return [\n";
  for (const Text& entry : entries) {
    out += fmt::format("        {},\n", layout(entry, 8));
  }
  return out + "    ]\n";
}

// Distiller, which counts whole epochs, does not mask gradients.
static bool masks_gradients(const ir::Recipe& recipe) {
  return std::ranges::none_of(recipe.actions, [](const ir::Action& action) {
    return ir::makes_masks(action.effect) && action.cadence.is<ir::WholeEpochs>();
  });
}

static std::string constants_of(const ir::Recipe& recipe, const WriteOptions& options) {
  const bool all = recipe.overlap == ir::Overlap::all_hold;
  return fmt::format("EPOCHS = {}\n", length_of(options)) +
         fmt::format("ALL_MASKS_HOLD = {}  # combine masks of a parameter; if False, use the last one\n",
                     all ? "True" : "False") +
         fmt::format("MASK_GRADIENTS = {}\n", masks_gradients(recipe) ? "True" : "False");
}

// Returns true if masked weights can become nonzero again: after the end, or when the sparsity falls.
static bool restores_weights(const ir::Prune& prune, const ir::Cadence& cadence) {
  const auto* ramp = std::get_if<ir::Ramp>(&prune.curve);
  const auto falls = [&](const ir::Target& target) {
    return ramp != nullptr && ramp->from && target.sparsity.value < ramp->from->value;
  };
  return (!prune.hold_after_end && cadence.ends()) || std::ranges::any_of(prune.targets, falls);
}

// Some torch schedulers change the momentum. NNI stores weights separately from masks, so masked weights continue to
// change. NNI also masks biases.
static void report_differences(const ActionPlan& plan, const ir::Action& action, ActionStatus& status,
                               diag::Sink& sink) {
  if (plan.moves_momentum) {
    approximate(status, action, "the scheduler also changes the momentum, but only the learning rate is written", sink);
  }
  const auto* prune = std::get_if<ir::Prune>(&action.effect);
  if (prune != nullptr && action.cadence.is<ir::SinceLastUpdate>() && restores_weights(*prune, action.cadence)) {
    approximate(status, action, "restored weights keep the weight decay of the step in which they were masked", sink);
  }
  if (prune == nullptr || action.cadence.counted() == nullptr) {
    return;
  }
  approximate(status, action, "restored weights have the value from before masking", sink);
  const bool biases = std::ranges::any_of(prune->targets, [](const ir::Target& target) {
    return target.selector.tensor.find("bias") != std::string::npos;
  });
  if (biases || prune->followers) approximate(status, action, "biases are not masked", sink);
}

// --- the whole ----------------------------------------------------------------------------------------------

static std::size_t parts_in(const Text& text) {
  std::size_t count = 1;
  for (const Text& part : text.parts) count += parts_in(part);
  return count;
}

WriteResult write(const ir::Recipe& recipe, const WriteOptions& options, diag::Sink& sink) {
  WriteResult out;
  Parts parts;
  std::vector<Text> entries;
  std::size_t listed = 0;
  for (std::size_t index = 0; index < recipe.actions.size(); ++index) {
    const ir::Action& action = recipe.actions[index];
    out.statuses.push_back({index, ActionStatus::Kind::kept, ""});
    const ActionPlan& plan = options.plan.of(index);
    Entry entry = listed > options.max_nodes ? Entry{.refused = too_many_nodes(options)}
                  : plan.does_nothing        ? Entry{}
                                             : entry_of(action, recipe, options, parts);
    if (!entry.refused.empty()) {
      drop(out.statuses.back(), action, "PyTorch", std::move(entry.refused), sink);
    } else if (entry.text) {
      listed += parts_in(*entry.text);
      entries.push_back(std::move(*entry.text));
      report_differences(plan, action, out.statuses.back(), sink);
    }
  }
  const auto dropped = [](const ActionStatus& status) { return status.kind == ActionStatus::Kind::dropped; };
  if (entries.empty() && std::ranges::any_of(out.statuses, dropped)) {
    return out;
  }
  const std::string body = constants_of(recipe, options) + "\n\n" + list_of(entries) + "\n\n" + runtime_with(parts);
  out.text = docstring(recipe, options, out) + "\n" + imports_of(body) + "\n" + body;
  out.text.erase(out.text.find_last_not_of('\n') + 2);
  return out;
}

static bool claims_nothing(const doc::Document& /*document*/) { return false; }

const Dialect kDialect{
    .name = "pytorch",
    .title = "PyTorch",
    .text = "a Python file",
    .claims = claims_nothing,
    .words = {},
    .write = write,
    .maintained = true,
};

}  // namespace sparsecfg::dialect::pytorch
