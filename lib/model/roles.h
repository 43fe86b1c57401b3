#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Layers with the same role have other names in other families of models: `attention.self.query` is `q_proj`.
namespace sparsecfg::model {

// The layers of a model that the end of an entry for another family names.
struct Counterpart {
  std::vector<std::string> ends;  // of the names of these layers, such as `q_proj`; empty: none are known
  std::string block;              // the number of a layer in the entry: "3" of `encoder.layer.3.fc1`; empty: none
  bool in_experts = false;        // true if only the layers of experts are meant
  bool container = false;         // true if all layers in a part such as `visual` are meant, not those with this end

  // Returns a pattern that must match at the start of a name and ends with the name; empty without ends.
  [[nodiscard]] std::string pattern() const;
};

// Returns the layers of a model that an entry means. Empty if the entry ends in no known name, or the model has layers
// with this name.
[[nodiscard]] Counterpart counterpart_of(std::string_view entry, std::span<const std::string_view> names);

}  // namespace sparsecfg::model
