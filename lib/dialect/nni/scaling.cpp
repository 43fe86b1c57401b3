#include "dialect/nni/read.h"

#include <algorithm>

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

// Sizes alone, or sizes with the side that is filled up and what it is filled with.
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

std::optional<Blocks> blocks_of(const Target& target, const ClassSpec& maker) {
  const Value* granularity = target.get("granularity");
  const auto* list = granularity == nullptr ? nullptr : granularity->get<List>();
  const auto* word = granularity == nullptr ? nullptr : granularity->get<std::string>();
  if (list != nullptr) {
    return blocks_of_list(*list);
  }
  const bool channels = maker.mode == Mode::pruning && maker.name != "LevelPruner";
  if (word == nullptr || (*word == "default" && !channels)) {
    return std::nullopt;
  }
  const bool outputs = *word == "out_channel" || (*word == "default" && target.is_parameter());
  return outputs ? Blocks{{1}, false, -1} : Blocks{{-1, 1}, false, -1};
}

std::optional<source::Shape> metric_shape(const std::optional<Blocks>& blocks, const source::Shape& shape) {
  if (!blocks) {
    return shape;
  }
  if (blocks->sizes.size() > shape.size()) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes = blocks->sizes;
  sizes.insert(blocks->from_front ? sizes.begin() : sizes.end(), shape.size() - sizes.size(), blocks->filling);
  source::Shape out;
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

}  // namespace sparsecfg::dialect::nni
