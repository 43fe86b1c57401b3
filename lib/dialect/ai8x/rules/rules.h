#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dialect/ai8x/read.h"

// Checks for settings that ai8x-training rejects, ignores or fails on, by topic. Each function reports its findings.
namespace sparsecfg::dialect::ai8x {

// Returns the fields of a mapping after checking the names. Unknown fields are ignored. `unread` is the severity
// of a key that nothing reads and that is not a misspelled required key.
[[nodiscard]] Record read_record(const Context& context, const ClassSpec& spec, const source::Map& map,
                                 source::Span place, diag::Severity unread);

// Checks a value against its row. Returns false if it does not fit.
bool check_row(const Context& context, const Record& record, const Field& field,
               diag::Severity severity = diag::Severity::error);

// --- QAT policies -----------------------------------------------------------------------------------

// Returns the epoch at which quantization starts, or an endless one if it never does.
[[nodiscard]] double check_start(const Context& context, const Record& policy);
// Returns a bit width if the hardware has it.
[[nodiscard]] std::optional<std::int64_t> bits_of(const Field& field);
// Checks a bit width, which `others` have as well. Returns it if the hardware has it.
[[nodiscard]] std::optional<std::int64_t> check_bits(const Context& context, const Field& field,
                                                     std::span<const source::Span> others = {});
// Checks a quantile, a number or a list of one number. Returns false if it is rejected.
bool check_quantile(const Context& context, const Record& record, const Field& field);
// Checks the settings of activations. Returns false if one is rejected.
[[nodiscard]] bool check_activations(const Context& context, const Record& policy);

// The settings of one layer that differ from those of the policy.
struct Override {
  std::string layer;
  source::Span span;
  std::int64_t bits = 8;
};

// Checks the overrides of a QAT policy. Returns those that apply to a layer; without modules, those that may.
[[nodiscard]] std::vector<Override> read_overrides(const Context& context, const Value& overrides,
                                                   std::int64_t default_bits, bool& valid);

// --- NAS policies -----------------------------------------------------------------------------------

// Checks the interval of validations. Returns false if it is rejected.
[[nodiscard]] bool check_validation(const Context& context, const Record& policy);
// Reports a word that means false, but is a true value.
void check_truth(const Context& context, const Field& field);
// Checks the length of a stage.
void check_length(const Context& context, const Field& field, double epochs);
// Checks `teacher_model`. Returns false if no teacher is used.
[[nodiscard]] bool check_teacher(const Context& context, const Field& teacher);
// Checks the divisor of outputs for distillation.
void check_temperature(const Context& context, const Record& distillation);
// Checks the settings of the search after the training.
void check_search(const Context& context, const Value& search);

}  // namespace sparsecfg::dialect::ai8x
