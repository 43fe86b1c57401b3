#include "dialect/compressed_tensors/layer_shapes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "dialect/schemes/assigned.h"

namespace sparsecfg::dialect::compressed_tensors {

namespace {

using source::Value;

// Tiles of the kernels for packed weights: docs/semantics/compressed-tensors.md#d3-3.
constexpr std::uint64_t kMarlinRows = 64;
constexpr std::uint64_t kMarlinColumns = 128;
constexpr std::uint64_t kMarlinColumnsOfExperts = 64;  // #d3-18

// If there are more GPUs than heads of keys and values, every head is on several GPUs.
constexpr std::string_view kKeyValues[] = {"k_proj", "v_proj"};

class LayerShapes {
 public:
  LayerShapes(const Layer& layer, const ConfigGroup* group, const Choice& choice, std::uint64_t gpus)
      : layer_(layer), group_(group), choice_(choice), gpus_(gpus) {}

  std::vector<ShapeFault> run() {
    check_split();
    if (!out_.empty() || group_ == nullptr) {
      return std::move(out_);
    }
    check_groups();
    if (group_->weights.args.strategy == Strategy::block && choice_.scheme == "W8A8Fp8") check_blocks();
    if (out_.empty() && layer_.kind == Layer::Kind::linear && choice_.scheme == "WNA16") check_kernel();
    const bool nvfp4 = choice_.scheme == "W4A4Fp4" || choice_.scheme == "W4A16Fp4";
    if (out_.empty() && is_expert() && nvfp4) check_kernel_of_experts();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_expert() const { return layer_.kind == Layer::Kind::experts; }

  [[nodiscard]] bool splits_columns() const {
    return gpus_ > 1 && (is_expert() || layer_.split == Layer::Split::columns);
  }

  [[nodiscard]] bool splits_rows() const { return gpus_ > 1 && layer_.split == Layer::Split::rows; }

  [[nodiscard]] std::uint64_t columns_gpus() const { return splits_columns() ? gpus_ : 1; }

  [[nodiscard]] std::uint64_t rows_gpus() const { return splits_rows() ? gpus_ : 1; }

  // Returns the outputs of the parts that are split for certain.
  [[nodiscard]] std::vector<std::uint64_t> split_rows() const {
    std::vector<std::uint64_t> out;
    for (std::size_t at = 0; at < layer_.rows.size(); ++at) {
      if (!base::contains(kKeyValues, base::last_part(layer_.parts[at]))) out.push_back(layer_.rows[at]);
    }
    return out;
  }

  void add(ShapeFault fault) {
    const auto same = [&](const ShapeFault& each) { return each.kind == fault.kind; };
    if (fault.size != 0 && std::ranges::none_of(out_, same)) out_.push_back(fault);
  }

  void check_split() {
    if (splits_columns() && layer_.columns % gpus_ != 0) {
      add({.kind = ShapeFault::Kind::split, .size = layer_.columns, .by = gpus_});
    }
    for (const std::uint64_t rows : splits_rows() ? split_rows() : std::vector<std::uint64_t>()) {
      if (rows % gpus_ != 0) add({.kind = ShapeFault::Kind::split, .rows = true, .size = rows, .by = gpus_});
    }
  }

  void check_groups() {
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(group_->weights.args.group_size, 0));
    const std::uint64_t gpus = columns_gpus();
    if (choice_.grouped && size > 0 && (gpus > 1 || !is_expert()) && layer_.columns / gpus % size != 0) {
      add({.kind = ShapeFault::Kind::group, .size = layer_.columns, .gpus = gpus, .by = size});
    }
  }

  // Returns the rows and columns of a block; 0: unknown.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> blocks() const {
    const Value complete = group_->weights.value == nullptr
                               ? *schemes::complete_group(group_->name, *group_->value).find("weights")
                               : schemes::complete(*group_->weights.value);
    const Value* value = complete.find("block_structure");
    const auto* sides = value == nullptr ? nullptr : value->get<source::List>();
    const auto side = [&](std::size_t at) {
      const auto number = sides != nullptr && sides->size() == 2 ? (*sides)[at].number() : std::nullopt;
      return number && *number >= 1 ? static_cast<std::uint64_t>(*number) : 0;
    };
    return {side(0), side(1)};
  }

  void check_blocks() {
    const auto [rows, columns] = blocks();
    if (rows == 0 || columns == 0) {
      return;
    }
    if (splits_columns() && layer_.columns / gpus_ % columns != 0) {
      add({.kind = ShapeFault::Kind::block, .size = layer_.columns, .gpus = gpus_, .by = columns});
    }
    std::vector<std::uint64_t> sizes = splits_rows() ? split_rows() : layer_.rows;
    // Of a layer that joins several, only the last one may end within a block.
    if (!splits_rows()) sizes.resize(std::max<std::size_t>(sizes.size(), 1) - 1);
    for (const std::uint64_t size : sizes) {
      if (size / rows_gpus() % rows != 0) {
        add({.kind = ShapeFault::Kind::block, .rows = true, .size = size, .gpus = rows_gpus(), .by = rows});
      }
    }
  }

  void check_kernel() {
    const bool known =
        layer_.columns != 0 && !layer_.rows.empty() && std::ranges::find(layer_.rows, 0U) == layer_.rows.end();
    if (!known) {
      return;
    }
    const std::uint64_t rows = std::accumulate(layer_.rows.begin(), layer_.rows.end(), std::uint64_t{0});
    if (rows / rows_gpus() % kMarlinRows != 0) {
      add({ShapeFault::Kind::kernel, true, rows, rows_gpus(), kMarlinRows});
    } else if (layer_.columns / columns_gpus() % kMarlinColumns != 0) {
      add({ShapeFault::Kind::kernel, false, layer_.columns, columns_gpus(), kMarlinColumns});
    }
  }

  void check_kernel_of_experts() {
    if (layer_.columns / columns_gpus() % kMarlinColumnsOfExperts != 0) {
      add({ShapeFault::Kind::kernel, false, layer_.columns, columns_gpus(), kMarlinColumnsOfExperts});
    }
  }

  const Layer& layer_;
  const ConfigGroup* group_;
  const Choice& choice_;
  std::uint64_t gpus_;
  std::vector<ShapeFault> out_;
};

}  // namespace

std::vector<ShapeFault> shape_faults(const Layer& layer, const ConfigGroup* group, const Choice& choice,
                                     const RuntimeChoice& runtime) {
  const std::uint64_t gpus = layer.kind == Layer::Kind::experts ? runtime.gpus_per_expert() : runtime.gpus;
  return LayerShapes(layer, group, choice, gpus).run();
}

}  // namespace sparsecfg::dialect::compressed_tensors
