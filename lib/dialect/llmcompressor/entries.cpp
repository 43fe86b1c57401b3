#include "dialect/llmcompressor/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "model/typical_names.h"

namespace sparsecfg::dialect::llmcompressor {

constexpr std::array<std::string_view, 5> kLayerClasses = {"Linear", "Embedding", "Conv1d", "Conv2d", "Conv3d"};
constexpr std::string_view kOutputHead = "lm_head";

static bool is_layer_class(std::string_view text) { return base::contains(kLayerClasses, text); }

// "Linear, Conv2d" -> "[Linear, Conv2d]"
static std::string split_list(std::string_view entry) {
  std::vector<std::string_view> parts;
  while (!entry.empty()) {
    const std::size_t comma = std::min(entry.find(','), entry.size());
    const std::string_view part = base::trim(entry.substr(0, comma));
    if (!part.empty()) parts.push_back(part);
    entry.remove_prefix(std::min(comma + 1, entry.size()));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// Returns the class of "nn.Linear" or "torch.nn.Linear"; empty for other strings.
static std::string_view class_without_module(std::string_view entry) {
  const std::size_t dot = entry.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? "" : entry.substr(dot + 1);
  const bool of_torch = entry.starts_with("nn.") || entry.starts_with("torch.");
  return of_torch && is_layer_class(last) ? last : "";
}

// Returns the word of which an entry is a misspelling by one letter or by the case of its letters.
static std::string_view misspelled(std::string_view entry) {
  const bool may_be_class = !entry.empty() && entry.front() >= 'A' && entry.front() <= 'Z';
  const std::string lower = base::to_lower(entry);
  const auto distance_to = [&](std::string_view word) { return base::edit_distance(lower, base::to_lower(word)); };
  for (const std::string_view word : kLayerClasses) {
    if (distance_to(word) <= (may_be_class ? 1U : 0U)) return word;
  }
  return distance_to(kOutputHead) <= 1 ? kOutputHead : "";
}

std::optional<EntryMeant> meant_by(std::string_view entry) {
  if (std::string bare = schemes::without_typographic_quotes(entry); bare != entry) {
    return EntryMeant{"has typographic quotes, which are part of the name", std::move(bare), true};
  }
  if (is_pattern(entry) || entry.empty() || entry.size() > base::kMaxWordLength || entry.starts_with("__ALL")) {
    return std::nullopt;
  }
  if (is_joined_list(entry)) {
    return EntryMeant{"is one string and not a list, so it matches nothing", split_list(entry), true};
  }
  if (const std::string_view bare = base::trim(entry); bare != entry) {
    return EntryMeant{"begins or ends with a blank, so it matches nothing", std::string(bare), true};
  }
  if (const std::string_view name = class_without_module(entry); !name.empty()) {
    return EntryMeant{"is a class with its module, but classes are matched by their own name", std::string(name)};
  }
  if (entry.find_first_of("*?") != std::string_view::npos) {
    return EntryMeant{"is a name and not a pattern, so it matches nothing", "re:" + base::pattern_meant_by(entry),
                      true};
  }
  if (model::is_inner_layer(entry) && entry.find('_') != std::string_view::npos) {
    return EntryMeant{"is only the end of names, so it matches nothing", fmt::format("re:.*{}$", entry), false, true};
  }
  const std::string_view word = is_layer_class(entry) || entry == kOutputHead ? "" : misspelled(entry);
  if (word.empty()) {
    return std::nullopt;
  }
  return EntryMeant{fmt::format("differs from `{}`, so it probably matches nothing", word), std::string(word)};
}

// The end of the names of classes, and the target for the layers in their modules.
constexpr std::pair<std::string_view, std::string_view> kBlocks[] = {{"DecoderLayer", "Linear"},
                                                                     {"EncoderLayer", "Linear"},
                                                                     {"ForCausalLM", "Linear"},
                                                                     {"ForConditionalGeneration", "Linear"},
                                                                     {"MLP", "re:.*mlp\\..*"}};

std::string_view layers_in_class(std::string_view name) {
  if (name.empty() || name.front() < 'A' || name.front() > 'Z' || !std::ranges::all_of(name, base::is_name_letter)) {
    return {};
  }
  const auto* row = std::ranges::find_if(kBlocks, [&](const auto& each) { return name.ends_with(each.first); });
  return row == std::end(kBlocks) ? std::string_view() : row->second;
}

std::optional<std::string> meant_in(ModelIndex& index, const std::string& entry) {
  const auto meant = meant_by(entry);
  if (meant && (is_joined_list(entry) || index.has(meant->text))) return meant->text;
  const model::Module* stored = is_pattern(entry) || index.has(entry) ? nullptr : index.stored_as(entry).first;
  if (stored != nullptr && (schemes::takes_scheme(*stored) || !index.anywhere(entry))) return stored->name;
  if (auto found = index.anywhere(entry)) return found;
  if (auto found = index.has(entry) ? std::nullopt : index.pattern_for_stored(entry)) return found;
  if (index.has(entry)) return std::nullopt;
  auto same = index.same_part(entry);
  return same ? same : index.nearest(entry);
}

std::optional<std::string> help_for_stored(ModelIndex& index, const std::string& entry) {
  const auto [module, name] = index.stored_as(entry);
  return module == nullptr ? std::nullopt
                           : std::optional(fmt::format("match the module `{}`, which only checkpoints call `{}`",
                                                       module->name, name));
}

}  // namespace sparsecfg::dialect::llmcompressor
