#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "architecture/derive.h"
#include "architecture/family.h"

// Classes that differ from a class of the tables only in their head: `LlamaModel`, `LlamaForSequenceClassification`.
namespace sparsecfg::architecture {

enum class Head : std::uint8_t { own, none, sequence_classification, token_classification, question_answering };

// A class of the tables, and the head that replaces its own one.
struct HeadClass {
  std::string architecture;  // "LlamaForCausalLM"; empty: there is no such class
  Head head = Head::own;
};

// Returns the class of the tables with the same base as a class that they do not have.
[[nodiscard]] HeadClass class_with_other_head(std::string_view architecture, std::string_view model_type);

// Replaces the head of a model. `labels` is the number of labels of the configuration. Returns false if the family has
// no base module of which the rule is known.
[[nodiscard]] bool replace_head(Head head, const std::string& architecture, const std::string& model_type,
                                std::uint64_t labels, std::vector<Layer>& layers);

}  // namespace sparsecfg::architecture
