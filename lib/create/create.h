#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "create/choices.h"
#include "model/names.h"
#include "source/value.h"

// Generates a new recipe from a few choices and a summary of the recipe.
namespace sparsecfg::create {

// Sets variables from a YAML or JSON mapping of names to values. Returns an error message for the first invalid one.
[[nodiscard]] std::optional<std::string> read_variables(Choices& choices, const std::string& text);

// Adds sensitivities from a YAML or JSON mapping. It maps parameter names to numbers, or to mappings from sparsities to
// numbers. Returns an error message if the text is invalid.
[[nodiscard]] std::optional<std::string> read_sensitivities(Choices& choices, const std::string& text);

// Rules that exclude parameters from pruning.
struct Rules {
  bool skip_first_last = false;
  bool skip_depthwise = false;  // excludes depthwise convolutions in models with many depthwise and pointwise ones
};

// Returns the names of the parameters to prune. These are named `<layer>.weight`, have at least two dimensions (if
// shapes are known), and belong to layers whose names contain neither `input` nor `output`. The rules exclude more of
// them.
[[nodiscard]] std::vector<std::string> prunable(const model::Parameters& parameters, const Rules& rules);

// Sets the parameters to prune and their shapes.
void set_parameters(Choices& choices, const model::Parameters& parameters, const Rules& rules);

// Parameters that are pruned to the same sparsity.
struct Tier {
  std::string_view variable;              // recipe variable of the sparsity
  double fraction = 1;                    // fraction of the requested sparsity
  std::vector<std::string> parameters{};  // empty selects every prunable one
};

// Returns one tier if sensitivities are absent. Otherwise returns up to three tiers by the score at the requested
// sparsity: at most mean + 0.25 * standard deviation, at most mean + standard deviation, and above.
[[nodiscard]] std::vector<Tier> tiers_of(const Choices& choices);

// Returns how many weights of the parameters with known shapes the recipe prunes.
[[nodiscard]] double pruned_weights(const Choices& choices);

struct Created {
  std::string text;         // the recipe; empty if the dialect cannot express it
  std::string report_text;  // summary of the recipe, or the reason why it cannot be written
  std::string report_json;  // the summary as JSON
};

// Framework for which a recipe is written.
struct Target {
  std::string_view dialect;
  std::optional<std::size_t> steps_per_epoch{};  // required if the dialect schedules in steps
};

// Generates the recipe for resolved choices. With `markdown`, the recipe becomes the front matter of a Markdown page.
[[nodiscard]] Created create(const Choices& choices, const Target& to, bool markdown);

// Returns the SparseML recipe for resolved choices. Epochs are expressions of `num_epochs`, so that the recipe stays
// consistent if `num_epochs` changes:
//
//   num_qat_epochs      min(5, N/4): quantization-aware training at the end, with observers off in the second half
//   num_pruning_epochs  half of the remaining epochs; the other half trains with the mask held
[[nodiscard]] std::string recipe(const Choices& choices);

// Returns a Markdown page that has the recipe as front matter and describes it.
[[nodiscard]] std::string markdown(const std::string& recipe);

// Parses a YAML or JSON mapping. Returns an error message if the text is not a mapping.
[[nodiscard]] std::variant<source::Map, std::string> read_mapping(const std::string& text);

}  // namespace sparsecfg::create
