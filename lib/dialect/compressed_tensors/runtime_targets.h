#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/compressed_tensors/serving.h"
#include "model/matcher.h"

namespace sparsecfg::dialect::compressed_tensors {

// Returns null, and reports it, if matching all entries of a file with all modules would be too slow.
[[nodiscard]] const Modules* modules_for(const Config& config, const Modules* modules, diag::Sink& sink);

// What a runtime decides about a layer.
struct RuntimeDecision {
  std::optional<std::size_t> group{};  // index of the group; nullopt: not quantized
  const Entry* entry = nullptr;        // the entry that selects or ignores the layer, or a part of it; null: none
};

// The targets and ignored names of a file, matched with layers as vLLM or SGLang do.
class RuntimeTargets {
 public:
  RuntimeTargets(const Config& config, const RuntimeChoice& choice);

  // Returns true for a group that the runtime does not read: vLLM skips the quantization of attention.
  [[nodiscard]] bool skips(const ConfigGroup& group) const;

  // Returns true if a layer is ignored; nullopt if only some of its parts are, which the runtimes reject.
  [[nodiscard]] std::optional<bool> ignores(const Layer& layer) const;
  // Returns the entry that ignores a part of such a layer, and the name of the part; otherwise null.
  [[nodiscard]] const Entry* entry_for_part(const Layer& layer, std::string& part) const;

  // Returns the index of the group of a layer, or nullopt if no target matches.
  [[nodiscard]] std::optional<std::size_t> group_of(const Layer& layer) const;
  // Returns the index of the group of a part of an expert, or nullopt if no target matches.
  [[nodiscard]] std::optional<std::size_t> group_of_expert(const std::string& part) const;

  // Returns the decision about a layer. A layer of which only some parts are ignored is not quantized.
  [[nodiscard]] RuntimeDecision decision_of(const Layer& layer) const;

 private:
  // An entry, prepared for matching.
  struct Matchable {
    Entry entry;
    std::size_t group = 0;
    std::string lower{};
    std::optional<model::Matcher> pattern{};
  };

  // The ignored entries. Files of large models list thousands of names.
  struct Ignored {
    std::map<std::string, Entry, std::less<>> names;
    std::vector<Matchable> patterns;
  };

  [[nodiscard]] static Matchable prepared(const Entry& entry, std::size_t group);
  [[nodiscard]] const Matchable* target_of(std::string_view name) const;
  [[nodiscard]] const Entry* ignoring(std::string_view name) const;
  [[nodiscard]] const Matchable* by_class(std::string_view type) const;
  [[nodiscard]] const Matchable* by_parts(const Layer& layer) const;
  [[nodiscard]] const Matchable* matching(const Layer& layer) const;
  [[nodiscard]] const Matchable* matching_expert(const std::string& part) const;

  Runtime runtime_;
  bool parts_first_;                // true if fused layers are matched by their parts before their class
  std::vector<Matchable> targets_;  // in the order of the file
  Ignored ignored_;
};

}  // namespace sparsecfg::dialect::compressed_tensors
