#include "dialect/gguf/mix.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "base/text.h"

namespace sparsecfg::dialect::gguf {

using Words = std::initializer_list<std::string_view>;

static bool is_in(std::string_view word, Words words) { return std::ranges::find(words, word) != words.end(); }

constexpr std::string_view kFileTypes[] = {
    "Q4_0",   "Q4_1",   "Q5_0",   "Q5_1",   "Q8_0",   "MXFP4_MOE", "NVFP4",  "IQ2_XXS", "IQ2_XS", "IQ2_S",
    "IQ2_M",  "IQ1_S",  "IQ1_M",  "TQ1_0",  "TQ2_0",  "Q2_K",      "Q2_K_S", "IQ3_XXS", "IQ3_S",  "IQ3_M",
    "IQ3_XS", "Q3_K",   "Q3_K_S", "Q3_K_M", "Q3_K_L", "IQ4_NL",    "IQ4_XS", "Q4_K",    "Q4_K_S", "Q4_K_M",
    "Q5_K",   "Q5_K_S", "Q5_K_M", "Q6_K",   "F16",    "BF16",      "F32",    "COPY"};

bool is_file_type(std::string_view name) {
  return base::contains(kFileTypes, base::to_upper(name)) ||
         (!name.empty() && std::ranges::all_of(name, base::is_digit));
}

// A short name and its meaning.
struct Renamed {
  std::string_view name;
  std::string_view meaning;
};

// clang-format off
constexpr Renamed kAliases[] = {
    {"Q4_K", "Q4_K_M"}, {"Q5_K", "Q5_K_M"}, {"Q3_K", "Q3_K_M"},
    // Numbers of llama_ftype.
    {"0", "F32"}, {"1", "F16"}, {"2", "Q4_0"}, {"3", "Q4_1"}, {"7", "Q8_0"}, {"8", "Q5_0"}, {"9", "Q5_1"},
    {"10", "Q2_K"}, {"11", "Q3_K_S"}, {"12", "Q3_K_M"}, {"13", "Q3_K_L"}, {"14", "Q4_K_S"}, {"15", "Q4_K_M"},
    {"16", "Q5_K_S"}, {"17", "Q5_K_M"}, {"18", "Q6_K"}, {"19", "IQ2_XXS"}, {"20", "IQ2_XS"}, {"21", "Q2_K_S"},
    {"22", "IQ3_XS"}, {"23", "IQ3_XXS"}, {"24", "IQ1_S"}, {"25", "IQ4_NL"}, {"26", "IQ3_S"}, {"27", "IQ3_M"},
    {"28", "IQ2_S"}, {"29", "IQ2_M"}, {"30", "IQ4_XS"}, {"31", "IQ1_M"}, {"32", "BF16"}, {"36", "TQ1_0"},
    {"37", "TQ2_0"}, {"38", "MXFP4_MOE"},
};
// clang-format on
constexpr Renamed kBases[] = {{"Q2_K_S", "q2_K"},    {"Q3_K_S", "q3_K"}, {"Q3_K_M", "q3_K"},  {"Q3_K_L", "q3_K"},
                              {"Q4_K_S", "q4_K"},    {"Q4_K_M", "q4_K"}, {"Q5_K_S", "q5_K"},  {"Q5_K_M", "q5_K"},
                              {"IQ2_M", "iq2_s"},    {"IQ3_M", "iq3_s"}, {"IQ2_S", "iq2_xs"}, {"IQ3_XS", "iq3_s"},
                              {"MXFP4_MOE", "mxfp4"}};

static std::string_view meaning_of(std::span<const Renamed> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Renamed::name);
  return found == rows.end() ? std::string_view() : found->meaning;
}

std::string full_name(std::string_view file_type) {
  const std::string upper = base::to_upper(file_type);
  const std::string_view meaning = meaning_of(kAliases, upper);
  return meaning.empty() ? upper : std::string(meaning);
}

bool is_plain_file_type(std::string_view name) { return is_in(full_name(name), {"F32", "F16", "BF16", "COPY"}); }

std::string base_type(std::string_view file_type) {
  const std::string name = full_name(file_type);
  if (const std::string_view base = meaning_of(kBases, name); !base.empty()) return std::string(base);
  std::string out = base::to_lower(name);
  if (out.ends_with("_k")) out.back() = 'K';
  return out;
}

// --- the mix ----------------------------------------------------------------------------------------

std::int64_t layer_in(std::string_view name) {
  constexpr std::string_view kBlock = "blk.";
  if (!name.starts_with(kBlock)) return -1;
  std::int64_t number = -1;
  const char* begin = name.data() + kBlock.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), number);
  return error == std::errc() && end != name.data() + name.size() && *end == '.' ? number : -1;
}

bool gets_more_bits(std::int64_t layer, std::int64_t layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

static bool contains(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

MixedModel mixed_model(const model::GgufHeader& header) {
  MixedModel out;
  out.architecture = header.text("general.architecture").value_or("llama");
  const auto number = [&](std::string_view key, std::int64_t fallback) {
    return header.number(out.architecture + "." + std::string(key)).value_or(fallback);
  };
  out.experts = std::max<std::int64_t>(1, number("expert_count", 0));
  out.layers = number("block_count", 0);
  out.heads = number("attention.head_count", 1);
  out.key_heads = number("attention.head_count_kv", 1);
  out.ratio = out.key_heads > 0 ? out.heads / out.key_heads : 1;
  for (const model::GgufTensor& tensor : header.tensors) {
    out.values += contains(tensor.name, "attn_v.weight") || contains(tensor.name, "attn_qkv.weight") ||
                  contains(tensor.name, "attn_kv_b.weight");
    out.has_output = out.has_output || tensor.name == "output.weight";
  }
  return out;
}

namespace {

// Decides tensor after tensor, because the decisions count the tensors before.
class Mix {
 public:
  Mix(std::string_view file_type, const model::GgufHeader& header)
      : kind_(full_name(file_type)), base_(base_type(file_type)), model_(mixed_model(header)) {}

  std::string type_of(const MixedTensor& tensor) {
    const std::string_view name = tensor.name;
    layer_ = layer_in(name);
    if (name == "output.weight" || (name == "token_embd.weight" && !model_.has_output)) return output(tensor);
    if (kind_ == "MXFP4_MOE") return has_experts(tensor) ? "mxfp4" : "q8_0";
    if (name == "token_embd.weight") return embedding();
    if (is_small()) return small(name);
    if (is_value(name)) return value();
    if (contains(name, "attn_k.weight")) return model_.experts == 8 ? "q8_0" : attention_input();
    if (contains(name, "attn_q.weight")) return attention_input();
    if (contains(name, "ffn_down")) return down();
    if (contains(name, "attn_output.weight")) return attention_output();
    if (contains(name, "attn_qkv.weight")) return joined_attention();
    const bool inner = model_.layers / 8 <= layer_ && layer_ < 7 * model_.layers / 8;
    if ((contains(name, "ffn_gate") || contains(name, "ffn_up")) && kind_ == "IQ3_XS" && inner) return "iq3_xxs";
    return base_;
  }

 private:
  [[nodiscard]] bool is_kind(Words words) const { return is_in(kind_, words); }

  [[nodiscard]] bool is_small() const { return is_kind({"IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ2_S", "IQ2_M", "IQ1_M"}); }

  static bool is_value(std::string_view name) {
    return contains(name, "attn_v.weight") || contains(name, "attn_kv_b.weight");
  }

  static bool has_experts(const MixedTensor& tensor) {
    return tensor.shape->size() > 2 && tensor.shape->at(tensor.shape->size() - 3) > 1;
  }

  [[nodiscard]] std::string output(const MixedTensor& tensor) const {
    const bool wide = base_.ends_with("_K") || base_.ends_with("_s") || base_.ends_with("xs") ||
                      base_.ends_with("xl") || (contains(base_, "iq") && kind_ != "IQ4_NL");
    const std::uint64_t block = wide ? 256 : 32;
    if (kind_ == "MXFP4_MOE" || tensor.shape->back() % block != 0) return "q8_0";
    if (is_small() || kind_ == "IQ3_XXS") return "q5_K";
    return base_ == "q8_0" ? base_ : "q6_K";
  }

  [[nodiscard]] std::string embedding() const {
    if (is_kind({"IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"})) return "q2_K";
    if (is_kind({"IQ2_S", "IQ2_M", "IQ3_XXS"})) return "iq3_s";
    return is_kind({"TQ1_0", "TQ2_0"}) ? "q4_K" : base_;
  }

  std::string small(std::string_view name) {
    const std::string richer = is_kind({"IQ2_S", "IQ2_M"}) ? "iq3_s" : "q2_K";
    if (is_value(name)) {
      ++value_count_;
      return model_.ratio >= 4 || model_.experts >= 4 ? "q4_K" : richer;
    }
    if (model_.experts == 8 && contains(name, "attn_k.weight")) return "q4_K";
    if (contains(name, "ffn_down")) return down_count_++ < model_.layers / 8 ? richer : base_;
    if (!contains(name, "attn_output.weight")) return base_;
    if (model_.experts == 8) return "q5_K";
    if (is_kind({"IQ1_S", "IQ1_M"})) return "iq2_xxs";
    return is_kind({"IQ2_S", "IQ2_M"}) ? "iq3_s" : base_;
  }

  [[nodiscard]] std::string value_of_kind() const {
    const bool many = model_.ratio >= 4;
    if (kind_ == "Q2_K") return many ? "q4_K" : "q3_K";
    if (kind_ == "IQ3_XXS") return many ? "q4_K" : "iq3_s";
    if (kind_ == "IQ3_M" || (many && is_kind({"Q2_K_S", "IQ3_XS", "IQ3_S"}))) return "q4_K";
    if (kind_ == "Q3_K_M") return value_count_ < 2 ? "q5_K" : "q4_K";
    if (kind_ == "Q3_K_L" || (many && is_kind({"IQ4_NL", "IQ4_XS"}))) return "q5_K";
    if (is_kind({"Q4_K_M", "Q5_K_M"}) && gets_more_bits(value_count_, model_.values)) return "q6_K";
    return kind_ == "Q4_K_S" && value_count_ < 4 ? "q5_K" : base_;
  }

  std::string value() {
    constexpr std::int64_t kLayersOfLargest = 80;
    std::string type = value_of_kind();
    const bool largest =
        model_.architecture == "llama" && model_.layers == kLayersOfLargest && model_.heads != model_.key_heads;
    if (largest && (type == "q3_K" || type == "q4_K")) type = "q5_K";
    if (model_.experts == 8) type = "q8_0";
    ++value_count_;
    return type;
  }

  [[nodiscard]] std::string attention_input() const {
    if (kind_ == "IQ3_XS") return "iq3_xxs";
    return kind_ == "IQ3_XXS" ? "iq2_s" : base_;
  }

  std::string down() {
    const std::int64_t at = model_.experts > 1 ? layer_ : down_count_;
    ++down_count_;
    const bool first = at < model_.layers / 8;
    if (kind_ == "Q2_K") return "q3_K";
    if (kind_ == "Q2_K_S" || kind_ == "IQ3_XXS") return first ? "q4_K" : kind_ == "IQ3_XXS" ? "q3_K" : base_;
    if (kind_ == "Q3_K_M") return at < model_.layers / 16 ? "q5_K" : "q4_K";
    if (kind_ == "IQ3_M" && (first || (model_.experts == 8 && gets_more_bits(at, model_.layers)))) return "q4_K";
    if (kind_ == "Q3_K_L") return "q5_K";
    if (is_kind({"Q4_K_M", "Q5_K_M"}) && gets_more_bits(at, model_.layers)) return "q6_K";
    return is_kind({"IQ4_NL", "IQ4_XS", "Q4_K_S"}) && first ? "q5_K" : base_;
  }

  [[nodiscard]] std::string attention_output() const {
    if (model_.experts == 8) {
      const bool raised = is_kind(
          {"Q2_K", "IQ3_XS", "IQ3_XXS", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M", "IQ3_S", "IQ3_M", "IQ4_XS"});
      return raised ? "q5_K" : base_;
    }
    if (kind_ == "Q2_K") return "q3_K";
    if (kind_ == "IQ3_XXS") return "iq3_s";
    if (is_kind({"Q3_K_M", "IQ3_M"})) return "q4_K";
    return kind_ == "Q3_K_L" ? "q5_K" : base_;
  }

  [[nodiscard]] std::string joined_attention() const {
    if (is_kind({"Q3_K_M", "Q3_K_L", "IQ3_M"})) return "q4_K";
    if (kind_ == "Q4_K_M") return "q5_K";
    return kind_ == "Q5_K_M" ? "q6_K" : base_;
  }

  std::string kind_;
  std::string base_;
  MixedModel model_;
  std::int64_t layer_ = -1;
  std::int64_t value_count_ = 0;
  std::int64_t down_count_ = 0;
};

}  // namespace

void apply_mix(std::string_view file_type, const model::GgufHeader& header, std::vector<MixedTensor>& undecided) {
  Mix mix(file_type, header);
  visit_by_layer(undecided, [&](MixedTensor& tensor) { tensor.type = mix.type_of(tensor); });
}

}  // namespace sparsecfg::dialect::gguf
