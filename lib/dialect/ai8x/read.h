#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/ai8x/release.h"
#include "dialect/ai8x/table.h"
#include "dialect/dialect.h"
#include "dialect/record/check.h"
#include "ir/recipe.h"

// Reads the policy files of ai8x-training. Each function reports errors that stop the training, and ignored settings.
namespace sparsecfg::dialect::ai8x {

using source::Value;

// Inputs shared by the functions that read a policy.
struct Reading {
  const source::SourceFile& file;
  const doc::Document& document;
  const ReadOptions& options;
  diag::Sink& sink;

  [[nodiscard]] Release release() const { return release_of(options); }
};

// Reads a QAT or NAS policy, whichever the keys indicate.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns true if a mapping has keys that only a NAS policy has.
[[nodiscard]] bool is_nas_policy(const Value& policy);

// Returns the fields of a mapping after checking the names. Unknown fields are ignored. `unread` is the severity
// of a key that nothing reads and that is not a misspelled required key.
[[nodiscard]] Record read_record(const Reading& reading, const ClassSpec& spec, const source::Map& map,
                                 source::Span place, diag::Severity unread);

// Checks a value against its row. Returns false if it does not fit.
bool check_row(const Reading& reading, const Record& record, const Field& field,
               diag::Severity severity = diag::Severity::error);

[[nodiscard]] std::vector<ir::Action> read_qat(const Reading& reading, const source::Map& policy);
[[nodiscard]] std::vector<ir::Action> read_nas(const Reading& reading, const source::Map& policy);

// Checks a bit width. Returns it if the hardware has it.
[[nodiscard]] std::optional<std::int64_t> check_bits(const Reading& reading, const Field& field);
// Checks a quantile, a number or a list of one number. Returns false if it is rejected.
bool check_quantile(const Reading& reading, const Record& record, const Field& field);

// The settings of one layer that differ from those of the policy.
struct Override {
  std::string layer;
  source::Span span;
  std::int64_t bits = 8;
};

// Checks the overrides of a QAT policy. Returns those that apply to a layer; without modules, those that may.
[[nodiscard]] std::vector<Override> read_overrides(const Reading& reading, const Value& overrides,
                                                   std::int64_t default_bits, bool& valid);

// Checks the settings of the search after the training.
void check_search(const Reading& reading, const Value& search);

// Returns the origin of an action that a part of a policy defines.
[[nodiscard]] ir::Origin origin_of(std::string_view name, const Record& record, int ordinal);

[[nodiscard]] std::string schema(const ReadOptions& options);

}  // namespace sparsecfg::dialect::ai8x
