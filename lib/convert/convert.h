#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile.h"
#include "convert/proof.h"
#include "dialect/dialect.h"

// Another system's recipe, with proof of what was kept.
namespace sparsecfg::convert {

struct Request {
  const dialect::Dialect* to = nullptr;  // one that can write
  CompileOptions compile;                // how the recipe was read
  std::optional<double> initial_rate;    // --initial-lr
  bool keep_variables = false;
  bool assume_gaussian = false;  // --assume-gaussian
};

// The result of the conversion for one action.
struct Fidelity {
  enum class Kind { exact, equal, kept, approximated, elsewhere, dropped };  // kept: written and not compared
  std::size_t action = 0;
  Kind kind = Kind::exact;
  Difference difference;
  std::string reason;                     // empty where there is nothing to say
  std::vector<std::string_view> codes{};  // of the diagnostics that say so
  bool measured = false;                  // whether numbers of both runs were compared
};

[[nodiscard]] std::string_view to_string(Fidelity::Kind kind);

struct Conversion {
  std::string text;                             // empty where nothing is left to be written
  std::vector<Fidelity> fidelity;               // by place
  std::vector<std::string> notes;               // what differs beyond the schedule
  std::vector<diag::Diagnostic> diagnostics;    // PT, of places in the recipe that was read
  std::optional<timeline::Run> run;             // for which the timelines were compared; nullopt: they were not
  std::optional<std::uint64_t> compared_steps;  // of that run; nullopt: all of them
  bool compares = true;                         // false if what is written has no steps that could be compared
  bool drops = false;                           // true if a part is lost
  bool written = false;                         // true if the text is given out: set by who does
  bool faulty = false;                          // true if what was written is not what it should be: our own fault
};

// Returns true if the recipe stays one of its dialect, so that nothing but its text may change.
[[nodiscard]] bool is_onto_itself(const ir::Recipe& recipe, const dialect::Dialect& to);

// Returns false if one of the two is run in one shot, so that there are no steps to be compared.
[[nodiscard]] bool has_steps(const ir::Recipe& recipe, const dialect::Dialect& to);

// The run that a recipe is converted for; nullopt if its length is not known. Where the steps of an
// epoch are not given it has ten.
[[nodiscard]] std::optional<timeline::Run> run_of(const ir::Recipe& recipe, const Request& request);

// Writes the recipe, reads it back and compares the two. `compilation` has no errors.
[[nodiscard]] Conversion convert(const Compilation& compilation, const Request& request);

}  // namespace sparsecfg::convert
