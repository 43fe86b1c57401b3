#include "dialect/llmcompressor/reading.h"

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Module;

std::string list_names(const std::vector<const Module*>& modules) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < modules.size() && at < kMost; ++at) {
    shown.push_back(fmt::format("`{}`", base::printable(modules[at]->name)));
  }
  if (modules.size() > kMost) shown.push_back(fmt::format("{} more", modules.size() - kMost));
  return base::join_and(shown);
}

std::vector<const Module*> taken_by(const Modules& modules, const std::string& entry) {
  const Matcher matcher(entry);
  std::vector<const Module*> out;
  for (const Module& module : modules) {
    if (matcher.takes(module)) out.push_back(&module);
  }
  return out;
}

ModelWords::ModelWords(const Modules& modules) {
  for (const Module& module : modules) words.insert({module.name, module.type});
  words.insert({"Module", "_ConvNd", "PreTrainedModel", "ModuleList"});  // which modules of other classes go by
}

std::optional<std::string> anywhere(const Modules& modules, const std::string& entry, ModelWords& words) {
  if (words.guesses_left == 0) {
    return std::nullopt;
  }
  --words.guesses_left;
  const std::string meant = is_pattern(entry) ? "re:.*" + std::string(pattern_of(entry)) : "re:.*" + entry + "$";
  const bool tried = is_pattern(entry) && pattern_of(entry).starts_with(".*");
  return tried || taken_by(modules, meant).empty() ? std::nullopt : std::optional(meant);
}

static void check_ignored(const Reading& reading, const Modifier& modifier, const Modules& modules, ModelWords& words) {
  const auto takes_any = [&](const std::string& entry) {
    return is_pattern(entry) ? !taken_by(modules, entry).empty() : words.words.contains(entry);
  };
  for (const Entry& entry : entries_of(modifier, "ignore")) {
    if (modifier.find("ignore") == nullptr || fault_of(entry.text) || takes_any(entry.text)) {
      continue;
    }
    if (const auto meant = anywhere(modules, entry.text, words)) {
      reading.sink.report(diag::ignore_prefix, entry.span, base::printable(entry.text), base::printable(*meant))
          .with_help("a pattern is matched from the start of the name")
          .with_fix(diag::Fix::unsafe().content(entry.span, *meant));
    }
  }
}

void check_names(const Reading& reading, const std::vector<Modifier>& modifiers, const Modules& modules) {
  ModelWords words(modules);
  for (const Modifier& modifier : modifiers) {
    const Meaning meaning = meaning_of(modifier);
    if (quantizes(meaning)) check_quantized_layers(reading, modifier, modules, words);
    if (prunes_layers(meaning)) check_pruned_layers(reading, modifier, modules);
    if (meaning == Meaning::reap) check_removed_experts(reading, modifier, modules);
    if ((meaning == Meaning::quip || meaning == Meaning::spin_quant) && modifier.given("transform_config") == nullptr) {
      check_rotated_layers(reading, modifier, modules);
    }
    if (meaning == Meaning::smoothing || meaning == Meaning::awq) check_mappings(reading, modifier, modules);
    if (quantizes(meaning) || meaning == Meaning::smoothing || meaning == Meaning::quip) {
      check_ignored(reading, modifier, modules, words);
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
