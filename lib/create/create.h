#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "create/choices.h"
#include "source/names.h"

// Makes a new recipe from a few choices, and says what it will do.
namespace sparsecfg::create {

// Sets variables from a YAML or JSON mapping of names to values. Returns why one of them can't be used.
[[nodiscard]] std::optional<std::string> read_variables(Choices& choices, const std::string& text);

// Adds what was measured of parameters, from a YAML or JSON mapping of their names to numbers, or to numbers by
// sparsity. Returns why it can't be used.
[[nodiscard]] std::optional<std::string> read_sensitivities(Choices& choices, const std::string& text);

// What is left out of a model.
struct Rules {
  bool skip_first_last = false;
  bool skip_depthwise = false;  // depthwise convolutions, of a model where they and pointwise ones are common
};

// The names of a model's parameters that are worth pruning: `<layer>.weight` of two dimensions or more (if shapes are
// known) of layers whose names contain neither `input` nor `output`, without those that the rules leave out.
[[nodiscard]] std::vector<std::string> prunable(const source::Parameters& parameters, const Rules& rules);

// Prunes these.
void take_parameters(Choices& choices, const source::Parameters& parameters, const Rules& rules);

// Parameters that are pruned to one sparsity, which is a variable.
struct Tier {
  std::string_view variable;
  double share = 1;                       // of the sparsity that was asked for
  std::vector<std::string> parameters{};  // empty: every prunable one
};

// One tier without sensitivities. Else three by the scores at the wanted sparsity: up to a quarter of the standard
// deviation above the mean, up to the whole of it, and beyond.
[[nodiscard]] std::vector<Tier> tiers_of(const Choices& choices);

struct Created {
  std::string text;         // the recipe; empty if it can't be written in that dialect
  std::string report_text;  // what it will do, or why it can't be written, for people
  std::string report_json;  // the same for programs
};

// For what a recipe is written.
struct Target {
  std::string_view dialect;
  std::optional<std::size_t> steps_per_epoch{};  // needed where the dialect counts steps
};

// Writes the recipe of resolved choices, as front matter of a Markdown page on request.
[[nodiscard]] Created create(const Choices& choices, const Target& to, bool markdown);

// Returns the recipe of SparseML that resolved choices stand for. Epochs are expressions of `num_epochs`, so that the
// recipe stays consistent if that is set to another value:
//
//   num_qat_epochs      min(5, N/4): quantization-aware training at the end, its observers off in the second half
//   num_pruning_epochs  half of what is left; the other half trains with the mask held
[[nodiscard]] std::string recipe(const Choices& choices);

// The same for the text of the generator that SparseML had, where SparseML loads it: checks and resolves the choices,
// writes the text, and tells what is wrong with it. Of the choices it knows fewer than `recipe` does.
[[nodiscard]] std::optional<std::string> resolve_compat(Choices& choices);
[[nodiscard]] std::string compat_recipe(const Choices& choices);
[[nodiscard]] std::vector<std::string> compat_faults(const Choices& choices);

// A recipe as front matter of a Markdown page that says what it does.
[[nodiscard]] std::string markdown(const Choices& choices, const std::string& recipe);

}  // namespace sparsecfg::create
