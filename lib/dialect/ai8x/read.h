#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/ai8x/table.h"
#include "dialect/dialect.h"
#include "dialect/options.h"
#include "dialect/record/check.h"
#include "ir/recipe.h"
#include "model/names.h"

// Reads the policy files of ai8x-training. Each function reports errors that stop the training, and ignored settings.
namespace sparsecfg::dialect::ai8x {

using source::Value;

// Releases that read QAT policies differently, newest first. QATv2 came in 2025.
enum class Release : std::uint8_t { y2025, y2024 };

inline constexpr std::string_view kReleaseNames[] = {"2025", "2024"};

inline constexpr ReaderOption kReaderOptions[] = {
    {"ai8x", "Year of the ai8x-training release that reads a QAT policy", kReleaseNames},
    {"nas-levels", "Levels of the network for kernel, depth and width in a NAS policy, such as 1,2,2", {}},
};

[[nodiscard]] inline Release release_of(const ReadOptions& options) {
  return static_cast<Release>(options.choice(kReaderOptions[0]));
}

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

// Returns the full names of the layers of ai8x.py that have weights. Their inner torch modules are not layers.
[[nodiscard]] std::vector<std::string> quantized_layers(const std::vector<model::Module>& modules);

enum class Fit : std::uint8_t { no, yes, unknown };

// Returns whether a name is that of a quantized layer. `unknown`: a module of a class that is not in ai8x.py.
[[nodiscard]] Fit fit_of(std::string_view name, const std::vector<model::Module>& modules);

}  // namespace sparsecfg::dialect::ai8x
