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
#include "model/module_index.h"
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
struct Context {
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

[[nodiscard]] std::vector<ir::Action> read_qat(const Context& context, const source::Map& policy);
[[nodiscard]] std::vector<ir::Action> read_nas(const Context& context, const source::Map& policy);

// Returns the origin of an action that a part of a policy defines.
[[nodiscard]] ir::Origin origin_of(std::string_view name, const Record& record, int ordinal);

[[nodiscard]] std::string schema(const ReadOptions& options);

// Returns the full names of the layers of ai8x.py that have weights. Their inner torch modules are not layers.
[[nodiscard]] std::vector<std::string> quantized_layers(const std::vector<model::Module>& modules);

enum class Fit : std::uint8_t { no, yes, unknown };

// Returns whether a name is that of a quantized layer. `unknown`: a module of a class that is not in ai8x.py.
[[nodiscard]] Fit fit_of(std::string_view name, const model::ModuleIndex& index);

}  // namespace sparsecfg::dialect::ai8x
