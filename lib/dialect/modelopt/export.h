#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/modelopt/config.h"
#include "dialect/modelopt/quantizers.h"
#include "dialect/options.h"

// What `export_hf_checkpoint` writes (docs/semantics/modelopt.md#e1).
namespace sparsecfg::dialect::modelopt {

// The formats of modules that the export knows. `error`: the export stops.
enum class Algo : std::uint8_t {
  none,
  fp8,
  fp8_per_channel_per_token,
  fp8_blocks,
  int8,
  int8_weight_only,
  int4_awq,
  w4a8_awq,
  nvfp4,
  w4a16_nvfp4,
  w4a8_nvfp4_fp8,
  w4a8_mxfp4_fp8,
  mxfp4,
  mxfp8,
  mixed,
  error,
};

// Returns the name in `hf_quant_config.json`: "FP8", "NVFP4".
[[nodiscard]] std::string_view name_of(Algo algo);

// The format of a module, and why the export can't write it.
struct ModuleFormat {
  Algo algo = Algo::none;
  std::optional<std::int64_t> group{};  // size of the groups, if the file states it
  std::string error{};                  // the subject and the problem, as a clause

  friend bool operator==(const ModuleFormat& a, const ModuleFormat& b) {
    return a.algo == b.algo && a.group == b.group;
  }
};

// Returns the format of a weight with its input; `input` is null if it is off.
[[nodiscard]] ModuleFormat format_of_pair(const Attributes& weight, const Attributes* input);

// Returns the format of a module after all entries.
[[nodiscard]] ModuleFormat format_of_module(const QuantizedModule& module, std::span<const Entry> entries);

// Returns true for 4-bit integers in experts that are one tensor, which the export can't write.
[[nodiscard]] bool is_fused_integer(const QuantizedModule& module, std::span<const Entry> entries);

// The result of the export of a model.
struct Export {
  struct Layer {
    std::string name;
    ModuleFormat format;
  };

  Algo algo = Algo::none;
  std::optional<std::int64_t> group{};
  std::vector<Layer> layers;           // with weights, in order; experts of a layer are one layer
  std::vector<std::string> exclude{};  // `exclude_modules`; empty if `algo` is mixed
  std::vector<std::string> caches{};   // distinct formats of the attention cache: "FP8", "NVFP4", "INT8"
};

[[nodiscard]] Export export_of(std::span<const model::Module> modules, std::span<const QuantizedModule> quantized,
                               std::span<const Entry> entries);

// The programs that load the exported files.
struct Runtime {
  std::string_view name;
  std::span<const Algo> accepts;
};

[[nodiscard]] std::span<const Runtime> runtimes();

// Returns true for the name of a format that a runtime rejects although it loads weights of this format.
[[nodiscard]] bool rejects_name(const Runtime& runtime, std::string_view format);

// Returns the name of an algorithm: itself, or its `method`; empty if it is not known, or a list.
[[nodiscard]] std::string_view method_of(const source::Value& algorithm);

// Returns the name of a format whose weights an algorithm has scaled: "NVFP4_AWQ".
[[nodiscard]] std::string_view name_of(Algo algo, std::string_view method);

// Returns the runtime that the option `runtime` selects; null if it selects none of them.
[[nodiscard]] const Runtime* selected_runtime(const ReadOptions& options);

}  // namespace sparsecfg::dialect::modelopt
