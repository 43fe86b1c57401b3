#include "dialect/schemes/shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace sparsecfg::dialect::schemes {

// The last group of a pattern, with the text that follows it.
struct Alternatives {
  std::string_view before;
  std::vector<std::string> words;
  std::string_view after;
};

static std::optional<Alternatives> alternatives_in(std::string_view pattern) {
  const std::size_t begin = pattern.rfind('(');
  const std::size_t end = begin == pattern.npos ? pattern.npos : pattern.find(')', begin);
  if (end == pattern.npos) return std::nullopt;
  Alternatives out{pattern.substr(0, begin + 1), {}, pattern.substr(end)};
  std::string_view inner = pattern.substr(begin + 1, end - begin - 1);
  if (inner.starts_with('?')) return std::nullopt;
  while (true) {
    const std::size_t bar = std::min(inner.find('|'), inner.size());
    out.words.emplace_back(inner.substr(0, bar));
    if (bar == inner.size()) return out;
    inner.remove_prefix(bar + 1);
  }
}

static std::string joined(const Alternatives& parts) {
  return fmt::format("{}{}{}", parts.before, fmt::join(parts.words, "|"), parts.after);
}

// Returns the alternative that stands for a layer: `q` of `(q|k)_proj` for `q_proj`.
static std::string_view word_for(const Alternatives& parts, std::string_view layer) {
  constexpr std::string_view kEnd = "_proj";
  const bool shared = parts.after.substr(1).starts_with(kEnd) && layer.ends_with(kEnd);
  return shared ? layer.substr(0, layer.size() - kEnd.size()) : layer;
}

// Returns a pattern that also matches further layers, if it matches the layer `own`.
static std::optional<std::string> with_layers(std::string_view pattern, std::span<const std::string_view> layers,
                                              std::string_view own) {
  if (auto parts = alternatives_in(pattern)) {
    if (std::ranges::find(parts->words, word_for(*parts, own)) == parts->words.end()) return std::nullopt;
    for (const std::string_view layer : layers) parts->words.emplace_back(word_for(*parts, layer));
    return joined(*parts);
  }
  const std::size_t at = pattern.rfind(own);
  if (at == pattern.npos) return std::nullopt;
  std::vector<std::string_view> all{own};
  all.insert(all.end(), layers.begin(), layers.end());
  return fmt::format("{}({}){}", pattern.substr(0, at), fmt::join(all, "|"), pattern.substr(at + own.size()));
}

std::optional<MovedShards> move_shards(std::string_view from, std::string_view to,
                                       std::span<const std::string_view> shards, std::string_view own) {
  auto parts = alternatives_in(from);
  const auto wider = with_layers(to, shards, own);
  if (!parts || !wider) return std::nullopt;
  const std::size_t count = parts->words.size();
  for (const std::string_view shard : shards) std::erase(parts->words, word_for(*parts, shard));
  if (parts->words.empty() || count - parts->words.size() != shards.size()) return std::nullopt;
  return MovedShards{joined(*parts), *wider};
}

}  // namespace sparsecfg::dialect::schemes
