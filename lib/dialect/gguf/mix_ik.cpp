#include <initializer_list>

#include "dialect/gguf/mix.h"

// The default mixes of ik_llama.cpp.
namespace sparsecfg::dialect::gguf {

namespace {

using Kinds = std::initializer_list<std::string_view>;

// The file types of which the mix is known.
constexpr std::string_view kKnown[] = {"Q4_0",   "Q4_1",   "Q5_0",   "Q5_1",   "Q8_0",   "Q2_K", "Q3_K_S", "Q3_K_M",
                                       "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ4_NL", "IQ4_XS"};

class IkMix {
 public:
  IkMix(std::string_view file_type, const model::GgufHeader& header)
      : kind_(full_name(file_type)), base_(base_type(file_type)), model_(mixed_model(header)) {}

  [[nodiscard]] bool is_known() const { return std::ranges::find(kKnown, kind_) != std::end(kKnown); }

  std::string type_of(const MixedTensor& tensor) {
    const std::string_view name = tensor.name;
    layer_ = layer_in(name);
    if (name == "output.weight" || (name == "token_embd.weight" && !model_.has_output)) return output(tensor);
    if (contains(name, "attn_v.weight")) return value();
    if (contains(name, "attn_k")) return has_many_experts() ? "q8_0" : base_;
    if (contains(name, "attn_q")) return base_;
    if (contains(name, "ffn_down")) return down();
    if (contains(name, "attn_output.weight")) return attention_output();
    return base_;
  }

 private:
  static bool contains(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

  [[nodiscard]] bool is_kind(Kinds kinds) const { return std::ranges::find(kinds, kind_) != kinds.end(); }

  [[nodiscard]] bool has_many_experts() const { return model_.experts >= 4; }

  [[nodiscard]] std::string output(const MixedTensor& tensor) const {
    constexpr std::uint64_t kBlock = 256;
    if (tensor.shape->back() % kBlock != 0) return "q8_0";
    if (kind_ == "IQ4_XS" && !model_.has_output) return "iq5_k";
    return base_ == "q8_0" ? base_ : "q6_K";
  }

  std::string value() {
    const std::string type = value_type();
    ++value_count_;
    return type;
  }

  [[nodiscard]] std::string value_type() const {
    constexpr std::int64_t kLayersOfLargest = 80;
    if (has_many_experts()) return "q8_0";
    const bool largest =
        model_.architecture == "llama" && model_.layers == kLayersOfLargest && model_.heads != model_.key_heads;
    if (largest) return base_ == "q3_K" || base_ == "q4_K" ? "q5_K" : base_;
    if (kind_ == "Q2_K") return model_.ratio >= 4 ? "q4_K" : "q3_K";
    if (kind_ == "Q3_K_M") return value_count_ < 2 ? "q5_K" : "q4_K";
    if (kind_ == "Q3_K_L") return "q5_K";
    if (is_kind({"IQ4_NL", "IQ4_XS"}) && model_.ratio >= 2) return "iq5_k";
    if (is_kind({"Q4_K_M", "Q5_K_M"}) && gets_more_bits(value_count_, model_.values)) return "q6_K";
    if (kind_ == "Q4_K_S" && value_count_ < 4) return "q5_K";
    return model_.ratio >= 4 && kind_ != "Q5_K_S" ? richer() : base_;
  }

  // The type with more bits for models in which many heads share values.
  [[nodiscard]] std::string richer() const {
    if (base_ == "q3_K") return "q4_K";
    if (base_ == "q4_K") return "q5_K";
    return base_ == "q5_K" ? "q6_K" : base_;
  }

  std::string down() {
    const std::int64_t at = model_.experts > 1 ? layer_ : down_count_;
    ++down_count_;
    const bool first = at < model_.layers / 8;
    if (kind_ == "Q2_K") return "q3_K";
    if (kind_ == "Q3_K_M") return at < model_.layers / 16 ? "q5_K" : "q4_K";
    if (kind_ == "Q3_K_L") return "q5_K";
    if (is_kind({"Q4_K_M", "Q5_K_M"}) && gets_more_bits(at, model_.layers)) return "q6_K";
    return first && is_kind({"Q4_K_S", "IQ4_NL", "IQ4_XS"}) ? "q5_K" : base_;
  }

  [[nodiscard]] std::string attention_output() const {
    if (has_many_experts()) {
      return is_kind({"Q2_K", "Q3_K_S", "Q3_K_M", "Q4_K_S", "Q4_K_M", "IQ4_NL", "IQ4_XS"}) ? "q5_K" : base_;
    }
    if (kind_ == "Q2_K") return "q3_K";
    if (kind_ == "Q3_K_M") return "q4_K";
    return kind_ == "Q3_K_L" ? "q5_K" : base_;
  }

  std::string kind_;
  std::string base_;
  MixedModel model_;
  std::int64_t layer_ = -1;
  std::int64_t value_count_ = 0;
  std::int64_t down_count_ = 0;
};

}  // namespace

void apply_ik_mix(std::string_view file_type, const model::GgufHeader& header, std::vector<MixedTensor>& tensors) {
  IkMix mix(file_type, header);
  if (!mix.is_known()) return;
  visit_by_layer(tensors, [&](MixedTensor& tensor) { tensor.type = mix.type_of(tensor); });
}

}  // namespace sparsecfg::dialect::gguf
