#include "model/selectors/anchored_texts.h"

#include <algorithm>

#include "model/selectors/pieces.h"

namespace sparsecfg::selectors {

void AnchoredTexts::sum_up(std::string_view name, std::vector<std::uint64_t>& sums,
                           std::vector<std::uint64_t>& powers) const {
  while (powers.size() <= name.size()) powers.push_back(powers.empty() ? 1 : powers.back() * kBase);
  sums.resize(name.size() + 1);
  sums[0] = 0;
  for (std::size_t offset = 0; offset < name.size(); ++offset) {
    const char c = side_ == Side::end ? name[name.size() - 1 - offset] : name[offset];
    sums[offset + 1] = sums[offset] + value_of(c) * powers[offset];
  }
}

std::size_t AnchoredTexts::number_of(Shape shape) {
  const auto place = std::ranges::lower_bound(shapes_, shape, {}, &std::pair<Shape, std::size_t>::first);
  if (place != shapes_.end() && place->first == shape) return place->second;
  if (shapes_.size() == kMaxShapes) return kNone;
  const std::size_t number = shapes_.size();
  shapes_.emplace(place, std::move(shape), number);
  return number;
}

bool AnchoredTexts::add(std::string_view text, bool is_piece, std::uint32_t number) {
  static thread_local std::vector<std::uint64_t> sums;
  static thread_local std::vector<std::uint64_t> powers;
  sum_up(text, sums, powers);
  std::uint64_t sum = sums[text.size()];
  if (side_ == Side::whole) {
    insert(hash_of(sum, text.size()), number);
    return true;
  }
  Shape shape{text.size(), {}};
  for (std::size_t offset = 0; is_piece && offset < text.size(); ++offset) {
    const char letter = side_ == Side::end ? text[text.size() - 1 - offset] : text[offset];
    if (letter != Pieces::kAnyLetter) continue;
    shape.any.push_back(static_cast<std::uint32_t>(offset));
    sum -= value_of(letter) * powers[offset];
  }
  const std::size_t of_shape = number_of(std::move(shape));
  if (of_shape == kNone) return false;
  insert(hash_of(sum, of_shape), number);
  return true;
}

void AnchoredTexts::insert(std::uint64_t hash, std::uint32_t number) {
  if (items_.size() == slots_.size()) grow();
  const auto at = static_cast<std::uint32_t>(items_.size());
  std::uint32_t& slot = slots_[hash & (slots_.size() - 1)];
  items_.push_back({hash, number, slot});
  slot = at;
}

void AnchoredTexts::grow() {
  slots_.assign(2 * slots_.size(), kNone);
  for (std::uint32_t at = 0; at < items_.size(); ++at) {
    std::uint32_t& slot = slots_[items_[at].hash & (slots_.size() - 1)];
    items_[at].next = slot;
    slot = at;
  }
}

}  // namespace sparsecfg::selectors
