#include "base/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.h"

namespace sparsecfg::base {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

// Returns true if one word is the plural of the other: `policy` and `policies`.
static bool is_plural_of(std::string_view plural, std::string_view word) {
  constexpr std::string_view kIes = "ies";
  return word.ends_with('y') && plural.ends_with(kIes) &&
         plural.substr(0, plural.size() - kIes.size()) == word.substr(0, word.size() - 1);
}

// Returns true for two longer words whose letters are in another order: `4block` and `block4`.
static bool has_same_letters(std::string_view one, std::string_view other) {
  constexpr std::size_t kMinLength = 5;
  return one.size() == other.size() && one != other && one.size() >= kMinLength &&
         std::is_permutation(one.begin(), one.end(), other.begin());
}

// "layer5.0.conv1" -> "5 0 1"
static std::string numbers_in(std::string_view name) {
  std::string numbers;
  for (const char c : name) {
    if (is_digit(c)) {
      numbers += c;
    } else if (!numbers.empty() && numbers.back() != ' ') {
      numbers += ' ';
    }
  }
  return std::string(trim(numbers));
}

// Returns the first number type in a word: "fp" in `fp8_dynamic`. Returns an empty string if there is none.
static std::string_view number_type_in(std::string_view lower) {
  static constexpr std::string_view kTypes[] = {"int", "uint", "fp",   "float", "bf",   "bfloat",
                                                "nf",  "mxfp", "nvfp", "mxint", "half", "double"};
  std::size_t begin = 0;
  while (begin < lower.size()) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(lower.substr(begin), is_letter) - lower.begin());
    const std::string_view letters = lower.substr(begin, end - begin);
    if (contains(kTypes, letters)) return letters;
    begin = end + 1;
  }
  return {};
}

// Returns true if one word is the other with a negating prefix, possibly with other letters wrong: `asymetric` and
// `symmetric`.
static bool negates(std::string_view word, std::string_view other, std::size_t distance) {
  static constexpr std::string_view kPrefixes[] = {"a", "un", "non", "in", "dis", "no", "anti"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
    const std::string_view rest = word.substr(std::min(prefix.size(), word.size()));
    return word.starts_with(prefix) && !other.starts_with(prefix) && rest.size() > prefix.size() &&
           edit_distance(rest, other) + prefix.size() <= distance;
  });
}

// Returns false if a word with this spelling has another meaning: another number, number type or the opposite.
static bool may_mean(std::string_view lower, std::string_view candidate, std::size_t distance) {
  const std::string_view one = number_type_in(lower);
  const std::string_view other = number_type_in(candidate);
  return numbers_in(lower) == numbers_in(candidate) && (one.empty() || other.empty() || one == other) &&
         !negates(lower, candidate, distance) && !negates(candidate, lower, distance);
}

// Returns true if a name has another word than the candidate in one of its parts: `batch_size` and `block_size`. The
// letters of such a part differ too much for a misspelling, although the whole names are similar.
static bool has_other_word(std::string_view lower, std::string_view candidate) {
  const std::vector<std::string_view> one = parts_of(lower, '_');
  const std::vector<std::string_view> other = parts_of(candidate, '_');
  if (one.size() < 2 || one.size() != other.size()) return false;
  for (std::size_t at = 0; at < one.size(); ++at) {
    const std::size_t allowed = std::max<std::size_t>(1, one[at].size() / 3);
    if (edit_distance(one[at], other[at]) > allowed) return true;
  }
  return false;
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kMaxWordLength) {
    return std::nullopt;
  }
  const std::string lower = to_lower(word);
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string_view> best;
  std::size_t best_distance = allowed + 1;
  for (const std::string_view candidate : candidates) {
    if (is_plural_of(candidate, lower) || is_plural_of(lower, candidate)) {
      return candidate;
    }
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= best_distance) {
      continue;  // an inserted or deleted letter is an edit
    }
    const std::string other = to_lower(candidate);
    const std::size_t distance = edit_distance(lower, other);
    if (distance < best_distance && distance < std::max(word.size(), candidate.size()) &&
        may_mean(lower, other, distance) && (distance == 1 || !has_other_word(lower, other))) {
      best = candidate;
      best_distance = distance;
    }
  }
  const auto same = std::ranges::find_if(candidates, [&](std::string_view each) {
    return has_same_letters(each, lower) && may_mean(lower, each, each.size());
  });
  return best || same == candidates.end() ? best : std::optional(*same);
}

std::optional<std::string_view> nearest_stem(std::string_view word, std::span<const std::string_view> candidates) {
  const auto guess = nearest(word, candidates);
  if (!guess) {
    return std::nullopt;
  }
  const auto shared = std::ranges::mismatch(word.rbegin(), word.rend(), guess->rbegin(), guess->rend());
  const auto ending = static_cast<std::size_t>(shared.in1 - word.rbegin());
  const std::string_view stem = guess->substr(0, guess->size() - ending);
  return nearest(word.substr(0, word.size() - ending), {&stem, 1}) ? guess : std::nullopt;
}

std::string did_you_mean(std::optional<std::string_view> guess, std::string_view otherwise) {
  return guess ? "did you mean `" + printable(*guess) + "`?" : std::string(otherwise);
}

std::optional<std::string_view> Guesses::nearest(std::string_view word) {
  if (word.size() > kMaxWordLength) {
    return std::nullopt;
  }
  if (alike_.empty()) {
    for (const std::string_view each : words_) {
      Alike& alike = alike_[numbers_in(each)];
      alike.words.push_back(each);
      alike.letters += each.size();
    }
  }
  const auto found = alike_.find(numbers_in(word));
  if (found == alike_.end() || found->second.letters * word.size() > letters_left_) {
    return std::nullopt;
  }
  letters_left_ -= found->second.letters * word.size();
  return base::nearest(word, found->second.words);
}

}  // namespace sparsecfg::base
