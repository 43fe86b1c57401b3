#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "script/trace.h"
#include "script/value.h"

// The calls of ModelOpt in a Python script.
namespace sparsecfg::dialect::modelopt {

inline constexpr std::string_view kQuantization = "modelopt.torch.quantization.";
inline constexpr std::string_view kSparsity = "modelopt.torch.sparsity.";

// Appends the entries of a cache preset to those of a model.
inline constexpr std::string_view kAddsCacheEntries = "update_quant_cfg_with_kv_cache_quant";

// Calls that become a recipe. `set_by_cfg`, `disable` and `enable` change a model that is quantized already.
enum class Call : std::uint8_t { none, quantize, auto_quantize, set_by_cfg, disable, enable, sparsify };

// Returns the kind of a call. Documents often leave imports out; then the usual names of the modules count.
[[nodiscard]] Call call_of(const script::Value& object);

// Returns true for a call of an imported function of ModelOpt.
[[nodiscard]] bool calls(const script::Value& object, std::string_view name);

// Returns the object that a call receives as its model before other calls have returned it; null if there is none.
[[nodiscard]] const script::Value* model_of(const script::Value& call);
// The same for the owner of a method, such as `.save_pretrained`.
[[nodiscard]] const script::Value* root_of(const script::Value& model);

// Returns true for values whose content every run of the script has.
[[nodiscard]] bool is_settled(const script::Value& value);

// Returns the value of a key of a dictionary that is known; null otherwise.
[[nodiscard]] script::Ref value_in(const script::Value& dictionary, std::string_view name);

// Returns a dictionary with other entries in place of the list `own`.
[[nodiscard]] script::Ref with_entries(const script::Value& config, const script::Ref& own,
                                       std::vector<script::Ref> entries);

// Returns the dictionary that a call applies, with the entries that earlier calls have left on the model before it.
[[nodiscard]] script::Ref config_of(const script::Value& call);

// The algorithm of a dictionary: a name, or a mapping with `method`. Empty if it is not known.
struct Algorithm {
  std::string method;
  script::Ref value;
};

[[nodiscard]] Algorithm algorithm_of(const script::Ref& config);

// --- rules --------------------------------------------------------------------------------------------

// A script as the rules see it.
struct Program {
  const script::Trace& trace;
  const ReadOptions& options;
  diag::Sink& sink;
  std::span<const script::Ref> calls{};  // of code that runs
};

// Each reports findings of one topic.
void check_arguments(const Program& program);
void check_calibration(const Program& program);
void check_saving(const Program& program);
void check_order_of_calls(const Program& program);

}  // namespace sparsecfg::dialect::modelopt
