#include "dialect/nni/read.h"

#include <algorithm>

#include "base/number.h"

// Interpretation of granularities: weights that are masked together or share a scale.
namespace sparsecfg::dialect::nni {

using source::List;
using source::Value;

static std::optional<std::vector<std::int64_t>> whole_numbers(const List& list) {
  std::vector<std::int64_t> numbers;
  for (const Value& item : list) {
    const auto* number = item.get<std::int64_t>();
    if (number == nullptr) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// Accepts a list of sizes, or sizes with the side and the value of the padding.
static std::optional<Blocks> blocks_of_list(const List& list) {
  if (const auto sizes = whole_numbers(list)) {
    return Blocks{*sizes};
  }
  const auto* first = list.front().get<List>();
  const auto sizes = first == nullptr || list.size() > 3 ? std::nullopt : whole_numbers(*first);
  if (!sizes) {
    return std::nullopt;
  }
  const auto* side = list.size() > 1 ? list[1].get<std::string>() : nullptr;
  const auto* filling = list.size() > 2 ? list[2].get<std::int64_t>() : nullptr;
  return Blocks{*sizes, side == nullptr || *side != "back", filling == nullptr || *filling == 0 ? 1 : *filling};
}

std::optional<Blocks> blocks_of(const Target& target, const ClassSpec* maker) {
  const Value* granularity = target.get("granularity");
  const auto* list = granularity == nullptr ? nullptr : granularity->get<List>();
  const auto* word = granularity == nullptr ? nullptr : granularity->get<std::string>();
  if (list != nullptr) {
    return blocks_of_list(*list);
  }
  const bool channels = maker != nullptr && maker->section == Mode::pruning && !has(maker, kMasksSingleWeights);
  if (word == nullptr || (*word == "default" && !channels)) {
    return std::nullopt;
  }
  const bool outputs = *word == "out_channel" || (*word == "default" && target.is_parameter());
  return outputs ? Blocks{{1}, false, -1} : Blocks{{-1, 1}, false, -1};
}

std::optional<model::Shape> metric_shape(const std::optional<Blocks>& blocks, const model::Shape& shape) {
  if (!blocks) {
    return shape;
  }
  if (blocks->sizes.size() > shape.size()) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes = blocks->sizes;
  sizes.insert(blocks->from_front ? sizes.begin() : sizes.end(), shape.size() - sizes.size(), blocks->filling);
  model::Shape out;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    const std::uint64_t size =
        sizes[at] == -1 ? shape[at] : static_cast<std::uint64_t>(std::max<std::int64_t>(sizes[at], 0));
    if (size == 0 || shape[at] % size != 0) {
      return std::nullopt;
    }
    out.push_back(shape[at] / size);
  }
  return out;
}

ir::Structure structure_of(const Compressor& compressor, const Target& target) {
  using Kind = ir::Structure::Kind;
  const Value* granularity = target.get("granularity");
  const auto* word = granularity == nullptr ? nullptr : granularity->get<std::string>();
  const auto* block = granularity == nullptr ? nullptr : granularity->get<source::List>();
  if (block != nullptr && block->size() == 2 && (*block)[0].get<std::int64_t>() != nullptr &&
      (*block)[1].get<std::int64_t>() != nullptr) {
    return {Kind::block,      *(*block)[0].get<std::int64_t>(), *(*block)[1].get<std::int64_t>(), false, {1, {}},
            granularity->span};
  }
  const ClassSpec* maker = compressor.mask_class();
  const bool channels = maker != nullptr && !has(maker, kMasksSingleWeights);
  const std::string_view kind = word == nullptr      ? ""
                                : *word == "default" ? (channels ? "out_channel" : "")
                                                     : std::string_view(*word);
  return {kind == "out_channel"  ? Kind::filter
          : kind == "in_channel" ? Kind::channel
                                 : Kind::unstructured,
          0,
          0,
          false,
          {1, {}},
          granularity == nullptr ? source::Span{} : granularity->span};
}

// The defaults are 8 bits and the symmetric scheme.
static ir::Grid grid_of(const Target& target, std::string tensor) {
  const auto text_of = [&](std::string_view key) {
    const Value* value = target.get(key);
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    return text == nullptr ? std::string() : *text;
  };
  const std::string dtype = text_of("quant_dtype");
  const std::size_t digits = std::min(dtype.find_first_of("0123456789"), dtype.size());
  const auto bits = base::parse_double(std::string_view(dtype).substr(digits));
  const std::string granularity = text_of("granularity");
  return {std::move(tensor), base::whole_part(bits.value_or(8)), text_of("quant_scheme") != "affine",
          granularity == "out_channel" || granularity == "per_channel"};
}

std::vector<ir::Grid> grids_of(const Compressor& compressor, const std::vector<const Target*>& targets) {
  const bool known = !compressor.main || compressor.main->name.value == "QATQuantizer";
  std::vector<ir::Grid> out;
  for (const Target* target : targets) {
    const std::string tensor = target->name == "weight"               ? "weights"
                               : target->name.starts_with("_input_")  ? "inputs"
                               : target->name.starts_with("_output_") ? "outputs"
                                                                      : "";
    const bool seen = std::ranges::find(out, tensor, &ir::Grid::tensor) != out.end();
    if (known && !tensor.empty() && !seen) out.push_back(grid_of(*target, tensor));
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
