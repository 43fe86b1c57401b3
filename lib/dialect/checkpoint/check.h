#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/checkpoint/reading.h"
#include "dialect/options.h"
#include "dialect/runtime_option.h"
#include "source/source_file.h"

// The rules of checkpoints.
namespace sparsecfg::dialect::checkpoint {

// Data that all checks need.
struct Context {
  diag::Sink& sink;
  const Input& input;
  const source::SourceFile& file;
  source::Span key;                      // of `quantization_config`
  const std::vector<Reading>& readings;  // the printed one is the first
  bool selected = false;                 // true if the user selected the program
  std::uint64_t gpus = 1;                // tensor parallelism
  std::uint64_t gpus_per_expert = 1;     // the same for experts
  std::optional<GpuChoice> gpu{};        // nullopt: the user names none
  int release = kNewestVllm;             // of vLLM: 27 is 0.27
  bool before_transformers_5 = false;
  bool names_release = false;        // true if the user names the release of vLLM
  std::uint64_t expert_weights = 0;  // of the model; 0: unknown
  std::string_view loaded_model{};   // id of the model that a script loads; empty: unknown

  [[nodiscard]] const Reading& printed() const { return readings.front(); }

  // Returns the severity of an error of a program.
  [[nodiscard]] diag::Severity severity_of(const Reading& reading) const {
    return &reading == &printed() ? diag::Severity::error : diag::Severity::warning;
  }

  // Returns the key of the config, or the config if the key is absent.
  [[nodiscard]] source::Span place_of(std::string_view name) const;
  // Returns the key that contains a list of the reading, or the config.
  [[nodiscard]] source::Span place_of(const EntryList& list) const;
};

// Checks the method, its keys and its values, which need no model (QC1). Returns false if the entries of the lists have
// no meaning, so that further checks do not apply.
bool check_config(const Context& context);

// Checks the entries of the lists (QC201 to QC204). Returns the places of the reported entries.
std::set<std::uint32_t> check_entries(const Context& context);

// Returns the place of the list of the config that contains an entry, or nullopt if none does.
[[nodiscard]] std::optional<source::Span> list_with(const Context& context, source::Span entry);

// Checks the layers that the programs quantize (QC3). `reported` has the places of entries with findings.
void check_layers(const Context& context, const std::set<std::uint32_t>& reported);

// Checks that vLLM has kernels for the method on the GPU (QC310, QC311, QC313).
void check_hardware(const Context& context);

// Checks that the selected program has kernels for the bits, groups and types of the config, that its release loads the
// method without a package, and that it keeps the order of the columns (QC312, QC314 to QC318).
void check_kernels(const Context& context);

// Returns "transformers", "transformers and vLLM" ...
[[nodiscard]] std::string titles_of(const std::vector<const Reading*>& readings);

}  // namespace sparsecfg::dialect::checkpoint
