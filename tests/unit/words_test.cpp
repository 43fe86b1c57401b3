#include "dialect/words.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "dialect/dialect.h"

namespace sparsecfg::dialect {

using Place = Word::Place;

static const Word* found(Place place, std::string_view owner, std::string_view word,
                         const std::vector<std::string_view>& candidates) {
  return find_word(place, owner, word, candidates);
}

// The names that a table may give for a word of a dialect: of classes, of fields, and of both.
static std::set<std::string> names_of(std::string_view dialect, Place place) {
  std::set<std::string> out;
  for (const Page& page : find_dialect(dialect)->pages()) {
    if (place == Place::type) out.emplace(page.name);
    for (const FieldPage& field : page.fields) {
      if (place == Place::field) out.emplace(field.name);
    }
    if (place == Place::field) out.emplace(page.name);  // keys that are not in a table have pages
  }
  return out;
}

TEST_CASE("the tables of words name classes and fields that exist") {
  CHECK(words().size() > 150);
  for (const Word& word : words()) {
    if (word.place == Place::value || word.ours.empty()) continue;
    const std::set<std::string> names = names_of(word.dialect, word.place);
    INFO(word.dialect << ": " << word.word << " -> " << word.ours);
    CHECK(names.contains(std::string(split_entry(word.ours).name)));
  }
}

TEST_CASE("every word has a reason, and another name") {
  std::set<std::string> seen;
  for (const Word& word : words()) {
    INFO(word.dialect << ": " << word.word);
    CHECK(!word.reason.empty());
    CHECK(word.word != word.ours);
    const std::string key = std::string(word.dialect) + std::to_string(static_cast<int>(word.place)) +
                            std::string(word.owner) + ":" + std::string(word.word);
    CHECK(seen.insert(key).second);
  }
}

TEST_CASE("a word is found without regard to case and separators") {
  CHECK(found(Place::value, "strategy", "Per-Channel", {"tensor", "channel"})->ours == "channel");
  CHECK(found(Place::value, "strategy", "per_channel", {"tensor"}) == nullptr);
  CHECK(found(Place::field, "QuantizationArgs", "w_bit", {"num_bits"})->ours == "num_bits");
  CHECK(found(Place::type, "", "gptq", {"GPTQModifier"})->ours == "GPTQModifier");
}

TEST_CASE("a word without a name has advice where the advice applies") {
  CHECK(found(Place::value, "scheme", "INT4", {"W4A16", "INT8"})->ours.empty());
  CHECK(found(Place::value, "scheme", "INT4", {"default", "deepsparse"}) == nullptr);
  CHECK(found(Place::field, "DistillationModifier", "teacher", {})->ours.empty());
  CHECK(found(Place::field, "GMPruningModifier", "teacher", {}) == nullptr);
}

TEST_CASE("a row for a value of a field is preferred, and applies only to that value") {
  const std::vector<std::string_view> fields = {"num_bits", "actorder"};
  CHECK(find_word(Place::field, "QuantizationArgs", "load_in_4bit", fields, "true")->ours == "num_bits: 4");
  CHECK(find_word(Place::field, "QuantizationArgs", "load_in_4bit", fields, "maybe") == nullptr);
  CHECK(find_word(Place::field, "QuantizationArgs", "desc_act", fields, "True")->ours == "actorder: group");
  CHECK(find_word(Place::field, "QuantizationArgs", "desc_act", fields, "false")->ours.empty());
}

TEST_CASE("a name is meant by a word of a table before a similar name") {
  const std::vector<std::string_view> schemes = {"affine", "symmetric"};
  CHECK(meant_by(Place::value, "quant_scheme", "asymmetric", schemes, "").name == "affine");
  CHECK(meant_by(Place::value, "quant_scheme", "symetric", schemes, "").name == "symmetric");
  CHECK(!meant_by(Place::value, "scheme", "FP4", std::vector<std::string_view>{"FP8", "NVFP4"}, "").name);
  CHECK(meant_by(Place::value, "kind", "x", schemes, "use one of them").help == "use one of them");
}

}  // namespace sparsecfg::dialect
