#include "dialect/back_ends.h"

#include <fmt/format.h>

#include <algorithm>

#include "dialect/modelopt/library.h"
#include "emit/node.h"

// Writes the outcome of a recipe of another system as a recipe of ModelOpt (docs/semantics/modelopt.md#h1-1).
namespace sparsecfg::dialect::modelopt {

using source::Value;

// --- the exact schemes ----------------------------------------------------------------------------------------------

constexpr std::string_view kOtherScales =
    "scales that are computed again differ, because ModelOpt divides the maximum by 127 or 7, compressed-tensors by "
    "127.5 or 7.5";

constexpr FormatRow kFloat8Tensor{.type = ir::NumberType::floating, .granularity = ir::Granularity::tensor};
constexpr FormatRow kFloat8Channel{.type = ir::NumberType::floating};
constexpr FormatRow kFloat8Token{
    .type = ir::NumberType::floating, .granularity = ir::Granularity::token, .scales = ir::ScaleTime::dynamic};
constexpr FormatRow kFloat8Block{
    .type = ir::NumberType::floating, .granularity = ir::Granularity::block, .group_size = 128, .rows = 128};
constexpr FormatRow kInt8Tensor{.granularity = ir::Granularity::tensor};
constexpr FormatRow kInt4Group{.min_bits = 4, .max_bits = 4, .granularity = ir::Granularity::group, .group_size = 128};

// A float in groups with scales of one byte.
static constexpr FormatRow scaled(std::int64_t bits, std::int64_t size, std::string_view scale, ir::ScaleTime time) {
  return {.type = ir::NumberType::floating,
          .min_bits = bits,
          .max_bits = bits,
          .granularity = ir::Granularity::group,
          .group_size = size,
          .scales = time,
          .scale_type = scale};
}

static constexpr FormatRow mx_weights(std::int64_t bits) { return scaled(bits, 32, "e8m0", ir::ScaleTime::fixed); }

static constexpr FormatRow mx_inputs(std::int64_t bits) { return scaled(bits, 32, "e8m0", ir::ScaleTime::dynamic); }

constexpr FormatRow kNvWeights = scaled(4, 16, "e4m3", ir::ScaleTime::fixed);
constexpr FormatRow kNvInputs = scaled(4, 16, "e4m3", ir::ScaleTime::local);

constexpr SchemeRow kExactSchemes[] = {
    {kFloat8Tensor, kFloat8Tensor, "FP8"},
    {kFloat8Channel, kFloat8Token, "FP8_DYNAMIC"},
    {kFloat8Block, {}, ""},
    {mx_weights(8), mx_inputs(8), "MXFP8"},
    {kNvWeights, kNvInputs, "NVFP4"},
    {kNvWeights, {}, "NVFP4A16"},
    {mx_weights(4), mx_inputs(4), "MXFP4"},
    {mx_weights(4), {}, "MXFP4A16"},
    {FormatRow{}, {}, "", kOtherScales},
    {FormatRow{}, kInt8Tensor, "", kOtherScales},
    {kInt4Group, {}, "W4A16", kOtherScales},
};

// Without an algorithm, weights are rounded to nearest. Other algorithms choose other values, or add tensors.
constexpr MethodRow kExactMethods[] = {{"max", "rtn"}};

// Settings of the algorithm that do not change values.
constexpr std::string_view kKnownFields[] = {"distributed_sync", "layerwise", "use_sequential"};

// --- the recipe -------------------------------------------------------------------------------------------------

namespace {

Value word(std::string_view text) { return {std::string(text), {}}; }

void put(source::Map& map, std::string_view key, Value value) { map.emplace_back(word(key), std::move(value)); }

// Returns `block_sizes` of a format; null for others.
Value blocks_of(const ir::TensorFormat& format) {
  source::Map out;
  const auto add = [&](std::int64_t axis, Value size) { out.emplace_back(Value{axis, {}}, std::move(size)); };
  switch (format.granularity.value_or(ir::Granularity::tensor)) {
    case ir::Granularity::token: add(-1, {}); break;
    case ir::Granularity::group: add(-1, {format.group_size, {}}); break;
    case ir::Granularity::block:
      add(-1, {format.block[1], {}});
      add(-2, {format.block[0], {}});
      break;
    default: return {};
  }
  if (!format.scale_type.empty()) {
    put(out, "type", word("dynamic"));
    put(out, "scale_bits", word(format.scale_type));
  } else if (format.granularity == ir::Granularity::group) {
    put(out, "type", word("static"));
  }
  return {std::move(out), {}};
}

Value attributes_of_format(const ir::TensorFormat& format) {
  source::Map out;
  const bool floating = format.type == ir::NumberType::floating;
  put(out, "num_bits", floating ? word(ir::to_string(*format.kind_of_float())) : Value{format.bits, {}});
  if (format.granularity == ir::Granularity::channel) put(out, "axis", {std::int64_t{0}, {}});
  if (format.granularity == ir::Granularity::token) put(out, "type", word("dynamic"));
  if (Value blocks = blocks_of(format); !blocks.is_null()) put(out, "block_sizes", std::move(blocks));
  return {std::move(out), {}};
}

// Returns an entry that sets the attributes of quantizers, or turns them off.
Value entry_of(std::string pattern, const ir::TensorFormat* format, std::string_view parent = {}) {
  source::Map out;
  put(out, "quantizer_name", word(pattern));
  if (!parent.empty()) put(out, "parent_class", word(parent));
  if (format == nullptr) {
    put(out, "enable", {false, {}});
  } else {
    put(out, "cfg", attributes_of_format(*format));
  }
  return {std::move(out), {}};
}

// Writes a list of entries. The last entry that matches applies.
class ListWriter {
 public:
  source::List run(const GroupedOutcome& outcome) {
    out_.push_back(entry_of("*", nullptr));
    for (std::size_t at = 0; at < outcome.groups.size(); ++at) {
      add(outcome.groups[at], at == 0 && outcome.groups[at].linear);
    }
    if (by_class_) {
      for (const NameSelector& selector : outcome.plain.selectors) {
        out_.push_back(entry_of(glob_of(selector) + ".*quantizer", nullptr));
      }
    }
    if (outcome.cache) out_.push_back(entry_of("*[kv]_bmm_quantizer", &*outcome.cache));
    return std::move(out_);
  }

 private:
  void add(const ModuleGroup& group, bool by_class) {
    by_class_ = by_class_ || by_class;
    if (by_class) return add(group.scheme, "*", "nn.Linear");
    for (const NameSelector& selector : group.selectors) add(group.scheme, glob_of(selector) + ".", {});
  }

  // Turns inputs off that an earlier entry has turned on.
  void add(const ir::Scheme& scheme, const std::string& prefix, std::string_view parent) {
    out_.push_back(entry_of(prefix + "weight_quantizer", &scheme.weights.front(), parent));
    if (!scheme.inputs.empty()) {
      out_.push_back(entry_of(prefix + "input_quantizer", &scheme.inputs.front(), parent));
      inputs_ = inputs_ || prefix == "*";
    } else if (inputs_) {
      out_.push_back(entry_of(prefix + "input_quantizer", nullptr, parent));
    }
  }

  source::List out_;
  bool by_class_ = false;  // true if an entry selects all linear layers
  bool inputs_ = false;    // true if it also quantizes their inputs
};

}  // namespace

// Returns the text of a recipe with these entries.
static std::string recipe_text(source::List entries, std::string_view algorithm) {
  source::Map metadata;
  put(metadata, "recipe_type", word("ptq"));
  source::Map quantize;
  put(quantize, "algorithm", word(algorithm));
  put(quantize, "quant_cfg", {std::move(entries), {}});
  source::Map root;
  put(root, "metadata", {std::move(metadata), {}});
  put(root, "quantize", {std::move(quantize), {}});
  return emit::to_yaml(emit::node_of({std::move(root), {}})).value_or("");
}

static std::string write_recipe(const GroupedOutcome& outcome) {
  return recipe_text(ListWriter().run(outcome), outcome.method);
}

// Returns the entries that turn off what is usually not quantized.
static source::List default_entries() {
  source::List out;
  const auto snippet = built_in("configs/ptq/units/default_disabled_quantizers");
  const auto* entries = snippet ? snippet->content.get<source::List>() : nullptr;
  if (entries != nullptr) out = *entries;
  return out;
}

static std::string create_recipe(const GroupedOutcome& outcome) {
  const ir::Scheme& scheme = outcome.groups.front().scheme;
  source::List entries{entry_of("*", nullptr), entry_of("*weight_quantizer", &scheme.weights.front())};
  if (!scheme.inputs.empty()) entries.push_back(entry_of("*input_quantizer", &scheme.inputs.front()));
  std::ranges::move(default_entries(), std::back_inserter(entries));
  return recipe_text(std::move(entries), outcome.method);
}

constinit const BackEnd kBackEnd{
    .file = "converted.yaml",
    .schemes = kExactSchemes,
    .methods = kExactMethods,
    .known_fields = kKnownFields,
    .cache = kFloat8Tensor,
    .settings_in_method = true,
    .tensors =
        "rename the tensors of the checkpoint: `weight` of NVFP4 to `weight_packed`, 1 / `weight_scale_2` to "
        "`weight_global_scale`, 1 / `input_scale` to `input_global_scale`; reshape `weight_scale` [o] to [o, 1], "
        "and repack int4",
    .write = write_recipe,
    .create = create_recipe};

}  // namespace sparsecfg::dialect::modelopt
