#include "dialect/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect {

namespace {

using enum Word::Place;

constexpr Word kWords[] = {
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"llm-compressor", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/llmcompressor/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"compressed-tensors", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/compressed_tensors/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"sparseml", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/sparseml/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"distiller", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/distiller/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"nni", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/nni/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"ai8x", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/ai8x/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"gptqmodel", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/gptqmodel/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"autoround", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/autoround/words.def"
#undef WORD
#define WORD(PLACE, OWNER, TEXT, OURS, REASON) {"checkpoint", PLACE, OWNER, TEXT, OURS, REASON},
#include "dialect/checkpoint/words.def"
#undef WORD
};

}  // namespace

std::span<const Word> words() { return kWords; }

// "Per-Channel" -> "perchannel"
static std::string plain(std::string_view word) {
  std::string out = base::to_lower(word);
  std::erase_if(out, [](char c) { return c == '-' || c == '_' || c == ' '; });
  return out;
}

EntryText split_entry(std::string_view text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string_view::npos ? EntryText{text, {}}
                                         : EntryText{text.substr(0, colon), text.substr(colon + 2)};
}

static bool applies(const Word& row, std::span<const std::string_view> candidates) {
  const auto names_one = [&](std::string_view candidate) {
    return row.reason.find(fmt::format("`{}`", candidate)) != std::string_view::npos;
  };
  if (!row.ours.empty()) return std::ranges::find(candidates, split_entry(row.ours).name) != candidates.end();
  const bool any_owner = row.place == field && row.owner.empty();
  return (row.place != value && !any_owner) || std::ranges::any_of(candidates, names_one);
}

// Returns how well the text of a row fits a word and its value: 2 with the value, 1 without one, 0 not at all.
static int fit_of(const Word& row, std::string_view wanted, std::string_view value) {
  const EntryText text = split_entry(row.word);
  if (plain(text.name) != wanted) return 0;
  return text.value.empty() ? 1 : base::to_lower(value) == text.value ? 2 : 0;
}

const Word* find_word(Word::Place place, std::string_view owner, std::string_view word,
                      std::span<const std::string_view> candidates, std::string_view value) {
  if (word.size() > base::kMaxWordLength) {
    return nullptr;
  }
  const std::string wanted = plain(word);
  const Word* best = nullptr;
  int best_rank = 0;
  for (const Word& row : kWords) {
    const bool own = row.owner == owner;
    if (row.place != place || (!own && !row.owner.empty())) continue;
    const int fit = fit_of(row, wanted, value);
    const int rank = 2 * fit + (own ? 1 : 0);
    if (fit == 0 || rank <= best_rank || !applies(row, candidates)) continue;
    best = &row;
    best_rank = rank;
  }
  return best;
}

std::string help_of(const Word& word) {
  return word.ours.empty() ? std::string(word.reason) : fmt::format("write `{}`: {}", word.ours, word.reason);
}

diag::Fix Meant::fix(source::Span span) const {
  return name ? diag::Fix::unsafe().content(span, std::string(*name)) : diag::Fix();
}

Meant meant_by(Word::Place place, std::string_view owner, std::string_view word,
               std::span<const std::string_view> candidates, std::string_view otherwise) {
  if (const Word* row = find_word(place, owner, word, candidates)) {
    const bool name = !row->ours.empty() && split_entry(row->ours).value.empty();
    return {name ? std::optional(row->ours) : std::nullopt, help_of(*row)};
  }
  if (place == type) {  // a class without its common ending: `GMPruning`
    const auto longer = std::ranges::find_if(candidates, [&](std::string_view candidate) {
      constexpr std::string_view kEndings[] = {"Modifier",  "PruningModifier", "Pruner",
                                               "Quantizer", "Regularizer",     "LR"};
      return std::ranges::any_of(
          kEndings, [&](std::string_view ending) { return plain(candidate) == plain(word) + plain(ending); });
    });
    if (longer != candidates.end()) {
      return {*longer, fmt::format("write `{}`, the whole name of the class", *longer)};
    }
  }
  const auto guess = place == type ? base::nearest_stem(word, candidates) : base::nearest(word, candidates);
  return {guess, base::did_you_mean(guess, otherwise)};
}

diag::Fix Meant::fix(source::Span key, source::Span value_place) const {
  if (deletes) return diag::Fix::unsafe().remove(key);
  if (!name || value.empty()) return fix(key);
  return diag::Fix::unsafe().content(key, std::string(*name)).replace(value_place, std::string(value));
}

Meant field_meant_by(std::string_view owner, std::string_view word, const source::Value& value,
                     std::span<const std::string_view> candidates, std::string_view otherwise) {
  const Word* row = find_word(Word::Place::field, owner, word, candidates, flow_text(value));
  if (row == nullptr) return meant_by(Word::Place::field, owner, word, candidates, otherwise);
  const EntryText ours = split_entry(row->ours);
  return {row->ours.empty() ? std::nullopt : std::optional(ours.name), help_of(*row), ours.value,
          row->ours.empty() && row->reason.ends_with("delete this field")};
}

}  // namespace sparsecfg::dialect
