#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
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
// The same for one of several functions.
[[nodiscard]] bool calls_any(const script::Value& object, std::span<const std::string_view> names);

// Functions that write a checkpoint for runtimes.
inline constexpr std::string_view kExports[] = {"export_hf_checkpoint", "export_tensorrt_llm_checkpoint"};

// Returns the object that a call receives as its model before other calls have returned it; null if there is none.
[[nodiscard]] const script::Value* model_of(const script::Value& call);
// The same for the owner of a method, such as `.save_pretrained`.
[[nodiscard]] const script::Value* root_of(const script::Value& model);

// Returns the value of a key of a dictionary that is known; null otherwise.
[[nodiscard]] script::Ref value_in(const script::Value& dictionary, std::string_view name);

// Returns the list `quant_cfg` of a dictionary; null if its entries are not known.
[[nodiscard]] script::Ref entries_of(const script::Ref& config);

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

// A call with its place in the order of evaluation.
struct PlacedCall {
  std::size_t place;
  const script::Value* call;
};

// The calls of code that runs, by the model that they receive.
class CallsOfModels {
 public:
  explicit CallsOfModels(std::span<const script::Ref> calls);

  // Returns the calls of ModelOpt before a call that change the formats or masks of a model.
  [[nodiscard]] std::span<const PlacedCall> changes_before(const script::Value& call, const script::Value* model) const;
  // Returns the calls after a call that receive its model.
  [[nodiscard]] std::span<const PlacedCall> calls_after(const script::Value& call) const;
  // Returns true if a call between two calls ends the mode in which the model of the second one is, in any branch.
  [[nodiscard]] bool leaves_mode(const script::Value& first, const script::Value& second) const;

 private:
  struct OfModel {
    std::vector<PlacedCall> all;
    std::vector<PlacedCall> changes;
    std::vector<PlacedCall> ends;  // of modes
  };

  // Returns a place after all others for a call of code that does not run.
  [[nodiscard]] std::size_t place_of(const script::Value& call) const;
  [[nodiscard]] const OfModel& of(const script::Value* model) const;

  std::map<const script::Value*, std::size_t> places_;
  std::map<const script::Value*, OfModel> models_;
};

// A script as the rules see it.
struct Program {
  const script::Trace& trace;
  const ReadOptions& options;
  diag::Sink& sink;
  std::span<const script::Ref> calls;  // of code that runs
  CallsOfModels models{calls};
};

// Each reports findings of one topic.
void check_arguments(const Program& program);
void check_calibration(const Program& program);
void check_saving(const Program& program);
void check_order_of_calls(const Program& program);

}  // namespace sparsecfg::dialect::modelopt
