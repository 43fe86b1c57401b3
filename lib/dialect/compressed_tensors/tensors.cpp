#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "dialect/compressed_tensors/serving.h"
#include "dialect/compressed_tensors/weights.h"

// Computes the tensors that each layer of a group must have.
namespace sparsecfg::dialect::compressed_tensors {

using model::Module;
using model::Shape;
using schemes::Dynamic;
using source::Value;

namespace {

constexpr std::string_view kSuffixes[] = {
    "weight",       "weight_packed",       "weight_scale",       "weight_shape",     "weight_zero_point",
    "weight_g_idx", "weight_global_scale", "input_scale",        "input_zero_point", "input_global_scale",
    "output_scale", "output_zero_point",   "output_global_scale"};
constexpr std::string_view kCacheSuffixes[] = {"k_scale", "v_scale", "q_scale"};
constexpr std::string_view kKeys[] = {"k_proj", "v_proj", "qkv_proj", "kv_b_proj"};

std::uint64_t divided(std::uint64_t number, std::uint64_t by) { return by == 0 ? 0 : (number + by - 1) / by; }

// A required tensor, with its shape if known.
struct Tensor {
  std::string_view suffix;
  std::optional<Shape> shape;
};

class Requirements {
 public:
  Requirements(const ConfigGroup& group, std::string_view format, const Shape* weight)
      : group_(group), numbers_(group.weights.args), format_(format), known_(weight != nullptr && weight->size() == 2) {
    if (known_) rows_ = weight->front(), columns_ = weight->back();
  }

  std::vector<Tensor> list() {
    if (numbers_.present && format_ != "dense") {
      add_weight();
    } else {
      add("weight", {rows_, columns_});
    }
    add_activations(group_.inputs, "input_scale", "input_zero_point", "input_global_scale");
    add_activations(group_.outputs, "output_scale", "output_zero_point", "output_global_scale");
    return std::move(out_);
  }

 private:
  void add(std::string_view suffix, Shape shape) {
    out_.push_back({suffix, known_ ? std::optional(std::move(shape)) : std::nullopt});
  }

  void add_unshaped(std::string_view suffix) { out_.push_back({suffix, std::nullopt}); }

  void add_weight() {
    const auto bits = static_cast<std::uint64_t>(std::max<std::int64_t>(numbers_.bits, 1));
    const bool packed = format_ == "pack-quantized";
    const bool small = format_ == "nvfp4-pack-quantized" || format_ == "mxfp4-pack-quantized";
    if (packed) {
      add("weight_packed", {rows_, divided(columns_ * bits, 32)});
      out_.push_back({"weight_shape", Shape{2}});
    } else if (small) {
      add("weight_packed", {rows_, columns_ / 2});
    } else {
      add("weight", {rows_, columns_});
    }
    add_scale("weight_scale");
    if (numbers_.strategy == Strategy::tensor_group) add_unshaped("weight_global_scale");
    if (!numbers_.symmetric) add_zero_point(packed, bits);
    if (has_order()) add("weight_g_idx", {columns_});
  }

  void add_scale(std::string_view suffix) {
    switch (numbers_.strategy) {
      case Strategy::channel: add(suffix, {rows_, 1}); break;
      case Strategy::group:
      case Strategy::tensor_group:
        add(suffix, {rows_, divided(columns_, static_cast<std::uint64_t>(numbers_.group_size))});
        break;
      case Strategy::block: add_blocks(suffix); break;
      default: add_unshaped(suffix);
    }
  }

  void add_blocks(std::string_view suffix) {
    const Value* blocks = group_.weights.value == nullptr ? nullptr : group_.weights.value->find("block_structure");
    const auto* list = blocks == nullptr ? nullptr : blocks->get<source::List>();
    const auto side = [&](std::size_t at) {
      const auto number = list != nullptr && list->size() == 2 ? (*list)[at].number() : std::nullopt;
      return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
    };
    if (side(0) == 0 || side(1) == 0) {
      add_unshaped(suffix);
    } else {
      add(suffix, {divided(rows_, side(0)), divided(columns_, side(1))});
    }
  }

  void add_zero_point(bool packed, std::uint64_t bits) {
    if (!packed || numbers_.strategy == Strategy::tensor) {
      add_unshaped("weight_zero_point");
      return;
    }
    const std::uint64_t groups =
        numbers_.group_size > 0 ? divided(columns_, static_cast<std::uint64_t>(numbers_.group_size)) : 1;
    add("weight_zero_point", {divided(rows_ * bits, 32), groups});
  }

  bool has_order() const {
    const Value* order = group_.weights.value == nullptr ? nullptr : group_.weights.value->find("actorder");
    if (order == nullptr || order->is_null()) return false;
    const auto* text = order->get<std::string>();
    const std::string lower = text == nullptr ? "" : base::to_lower(*text);
    return text == nullptr ? order->number() == 1.0 : lower == "group" || lower == "dynamic";
  }

  void add_activations(const schemes::Part& part, std::string_view scale, std::string_view zero,
                       std::string_view global) {
    const QuantizationArgs& args = part.args;
    if (!args.present || args.dynamic == Dynamic::yes) return;
    if (args.strategy == Strategy::tensor_group) add_unshaped(global);
    if (args.dynamic == Dynamic::local) return;
    add_unshaped(scale);
    if (!args.symmetric) add_unshaped(zero);
  }

  const ConfigGroup& group_;
  const QuantizationArgs& numbers_;
  std::string_view format_;
  bool known_;
  std::uint64_t rows_ = 0;
  std::uint64_t columns_ = 0;
  std::vector<Tensor> out_;
};

// The tensors of the weights by their modules. Their names must outlive this index.
class TensorsByModule {
 public:
  struct Stored {
    std::string_view suffix;
    std::size_t at;  // in the names
  };

  explicit TensorsByModule(const model::ModelNames& tensors) {
    for (std::size_t at = 0; at < tensors.size(); ++at) {
      const std::string_view name = tensors[at];
      const std::string_view module = parent_of(name);
      modules_[module].push_back({base::last_part(name), at});
      add_prefixes(module);
    }
  }

  [[nodiscard]] std::span<const Stored> of(std::string_view module) const {
    const auto found = modules_.find(module);
    return found == modules_.end() ? std::span<const Stored>() : found->second;
  }

  // Returns null if the module has no such tensor.
  [[nodiscard]] const Stored* find(std::string_view module, std::string_view suffix) const {
    const auto stored = of(module);
    const auto found = std::ranges::find(stored, suffix, &Stored::suffix);
    return found == stored.end() ? nullptr : &*found;
  }

  // Returns true if a module or one below it has tensors.
  [[nodiscard]] bool has_below(std::string_view module) const { return prefixes_.contains(module); }

 private:
  // Each prefix is added together with its own prefixes, so the first known one ends the search.
  void add_prefixes(std::string_view module) {
    while (prefixes_.insert(module).second && module.find('.') != std::string_view::npos) {
      module = parent_of(module);
    }
  }

  std::unordered_map<std::string_view, std::vector<Stored>> modules_;
  std::unordered_set<std::string_view> prefixes_;
};

class Comparer {
 public:
  Comparer(const Config& config, const Modules& modules, const model::ModelNames& tensors)
      : config_(config), modules_(modules), tensors_(tensors), stored_(tensors), groups_(groups_in(modules, config)) {
    for (const ConfigGroup& group : config.groups) {
      formats_.push_back(!group.format.empty() || group.is_empty() ? group.format
                                                                   : std::string(inferred_format(group)));
    }
  }

  TensorDifferences run() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Module& module = modules_[at];
      if (schemes::takes_scheme(module)) {
        compare_layer(module, groups_[at]);
      } else if (schemes::is_attention(module)) {
        compare_cache(module, groups_[at].has_value());
      }
    }
    return std::move(out_);
  }

 private:
  static std::string name_of(const Module& module, std::string_view suffix) {
    return fmt::format("{}.{}", module.name, suffix);
  }

  void compare_layer(const Module& module, std::optional<std::size_t> group) {
    const auto known = [&](std::string_view suffix) { return stored_.find(module.name, suffix) != nullptr; };
    if (std::ranges::none_of(kSuffixes, known) || (group && config_.groups[*group].is_empty())) {
      return;  // the weights have other names, or are tied
    }
    std::vector<Tensor> wanted = {{"weight", std::nullopt}};
    if (group) {
      const Shape* weight = module.shape ? &*module.shape : nullptr;
      wanted = Requirements(config_.groups[*group], formats_[*group], weight).list();
    }
    for (const Tensor& tensor : wanted) compare(module, tensor);
    for (const std::string_view suffix : kSuffixes) {
      if (known(suffix) && std::ranges::find(wanted, suffix, &Tensor::suffix) == wanted.end()) {
        out_.unexpected.push_back(name_of(module, suffix));
      }
    }
  }

  void compare(const Module& module, const Tensor& tensor) {
    const auto* found = stored_.find(module.name, tensor.suffix);
    if (found == nullptr) {
      out_.missing.push_back(name_of(module, tensor.suffix));
      return;
    }
    const Shape* shape = tensors_.shape(found->at);
    if (shape != nullptr && tensor.shape && *shape != *tensor.shape) {
      out_.shapes[name_of(module, tensor.suffix)] = {*shape, *tensor.shape};
    }
  }

  // Older releases stored the scales of the cache with the outputs of its layers.
  void compare_cache(const Module& module, bool grouped) {
    const auto child = [&](std::string_view key) { return stored_.has_below(name_of(module, key)); };
    if (!std::ranges::any_of(kKeys, child)) {
      return;
    }
    const bool dynamic = config_.cache != nullptr && schemes::read_args(*config_.cache).dynamic != schemes::Dynamic::no;
    for (const std::string_view suffix : kCacheSuffixes) {
      const bool wanted = grouped || (config_.cache != nullptr && suffix != "q_scale");
      const bool has = stored_.find(module.name, suffix) != nullptr;
      const std::string older = fmt::format("{}.{}_proj", module.name, suffix.front());
      if (wanted && !dynamic && !has && stored_.find(older, "output_scale") == nullptr) {
        out_.missing.push_back(name_of(module, suffix));
      }
      if (!wanted && has) out_.unexpected.push_back(name_of(module, suffix));
    }
  }

  const Config& config_;
  const Modules& modules_;
  const model::ModelNames& tensors_;
  TensorsByModule stored_;
  std::vector<std::optional<std::size_t>> groups_;
  std::vector<std::string> formats_;  // one for each group
  TensorDifferences out_;
};

}  // namespace

TensorDifferences differences_of(const Config& config, const Modules& modules, const model::ModelNames& tensors) {
  return Comparer(config, modules, tensors).run();
}

}  // namespace sparsecfg::dialect::compressed_tensors
