#include "dialect/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"

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
};

}  // namespace

std::span<const Word> words() { return kWords; }

// "Per-Channel" -> "perchannel"
static std::string plain(std::string_view word) {
  std::string out = base::to_lower(word);
  std::erase_if(out, [](char c) { return c == '-' || c == '_' || c == ' '; });
  return out;
}

static bool applies(const Word& row, std::span<const std::string_view> candidates) {
  const auto names_one = [&](std::string_view candidate) {
    return row.reason.find(fmt::format("`{}`", candidate)) != std::string_view::npos;
  };
  if (!row.ours.empty()) return std::ranges::find(candidates, row.ours) != candidates.end();
  return row.place != value || std::ranges::any_of(candidates, names_one);
}

const Word* find_word(Word::Place place, std::string_view owner, std::string_view word,
                      std::span<const std::string_view> candidates) {
  if (word.size() > base::kMaxWordLength) {
    return nullptr;
  }
  const std::string wanted = plain(word);
  const auto fits = [&](const Word& row) {
    const bool mine = row.owner == owner || (row.owner.empty() && !row.ours.empty());
    return row.place == place && mine && plain(row.word) == wanted && applies(row, candidates);
  };
  const auto* own = std::ranges::find_if(kWords, [&](const Word& row) { return row.owner == owner && fits(row); });
  const auto* found = own == std::end(kWords) ? std::ranges::find_if(kWords, fits) : own;
  return found == std::end(kWords) ? nullptr : found;
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
    return {row->ours.empty() ? std::nullopt : std::optional(row->ours), help_of(*row)};
  }
  const auto guess = place == type ? base::nearest_stem(word, candidates) : base::nearest(word, candidates);
  return {guess, base::did_you_mean(guess, otherwise)};
}

}  // namespace sparsecfg::dialect
