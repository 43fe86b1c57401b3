#include "model/output_layer.h"

#include "base/text.h"

namespace sparsecfg::model {

// Returns the first part of a name without the digits at its end: `fc` for `fc3.weight`.
static std::string_view first_word(std::string_view name) {
  constexpr std::string_view kParallel = "module.";
  if (name.starts_with(kParallel)) name.remove_prefix(kParallel.size());
  std::string_view word = name.substr(0, name.find('.'));
  while (!word.empty() && base::is_digit(word.back())) word.remove_suffix(1);
  return word;
}

bool names_output_layer(std::string_view name) {
  constexpr std::string_view kHeads[] = {"fc",     "classifier", "head",        "heads",  "lm_head",   "score",
                                         "linear", "logits",     "last_linear", "output", "qa_outputs"};
  return base::contains(kHeads, first_word(name));
}

std::optional<std::size_t> output_layer_of(const ModelNames& names) {
  for (std::size_t at = names.size(); at-- > 0;) {
    const Shape* shape = names.shape(at);
    if (shape == nullptr || shape->size() < 2) continue;
    return names_output_layer(names[at]) ? std::optional(at) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sparsecfg::model
