#include "dialect/gguf/plan.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "dialect/gguf/mix.h"

namespace sparsecfg::dialect::gguf {

using selectors::Fact;

static std::vector<std::string> lowered(std::string_view text) { return {base::to_lower(text)}; }

const selectors::Reader& reader_of(Program program) {
  static constexpr selectors::Reader kLlama{.name{"llama.cpp"},
                                            .polarity = selectors::Polarity::assign,
                                            .how = {selectors::How::search},
                                            .rewrite = lowered,
                                            .flavor = selectors::Flavor::ecmascript,
                                            .reaches = {.facts = {Fact::matrix}},
                                            .gate = {"default type not quantized"}};
  static constexpr selectors::Reader kIkLlama{.name{"ik_llama.cpp"},
                                              .polarity = selectors::Polarity::assign,
                                              .how = {selectors::How::search},
                                              .flavor = selectors::Flavor::ecmascript,
                                              .reaches = {.facts = {Fact::matrix}},
                                              .gate = {"default type not quantized", "--pure"}};
  return program == Program::llama ? kLlama : kIkLlama;
}

// Parts of the names of tensors that are never quantized.
constexpr std::string_view kKept[] = {"_norm.weight",
                                      "ffn_gate_inp.weight",
                                      "altup",
                                      "laurel",
                                      "per_layer_model_proj",
                                      "ssm_conv1d",
                                      "shortconv.conv.weight",
                                      "time_mix_",
                                      "attn_rel_b.weight",
                                      "position_embd",
                                      "patch_embd",
                                      "patch_merger",
                                      "rel_pos",
                                      "token_types"};

// A shape that is not known is empty.
static bool is_quantizable(std::string_view name, const model::Shape& shape) {
  const auto contains = [&](std::string_view part) { return name.find(part) != name.npos; };
  return name.ends_with("weight") && shape.size() != 1 && !name.starts_with("sam.") &&
         !std::ranges::any_of(kKept, contains);
}

namespace {

constexpr std::string_view kOutput = "output.weight";
constexpr std::string_view kEmbedding = "token_embd.weight";

class Planner {
 public:
  Planner(const Command& command, const std::vector<ParsedEntry>& entries, const model::GgufHeader& header)
      : command_(command), entries_(entries), header_(header) {}

  TypePlan run() {
    add_tensors();
    decide();
    if (!plain()) apply_default();
    fit_columns();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string file_type() const { return command_.file_type ? command_.file_type->text : "Q4_K_M"; }

  [[nodiscard]] bool plain() const { return is_plain_file_type(file_type()); }

  // Returns the name after layers were removed, or nullopt for a tensor of such a layer.
  [[nodiscard]] std::optional<std::string> renumbered(const std::string& name) const {
    constexpr std::string_view kBlock = "blk.";
    const std::size_t end = name.find('.', kBlock.size());
    std::int64_t layer = 0;
    if (command_.pruned_layers.empty() || !name.starts_with(kBlock) || end == name.npos) return name;
    std::from_chars(name.data() + kBlock.size(), name.data() + end, layer);
    if (std::ranges::find(command_.pruned_layers, layer) != command_.pruned_layers.end()) return std::nullopt;
    layer -= std::ranges::count_if(command_.pruned_layers, [&](std::int64_t pruned) { return pruned < layer; });
    return std::string(kBlock) + std::to_string(layer) + name.substr(end);
  }

  void add_tensors() {
    for (const model::GgufTensor& tensor : header_.tensors) {
      auto name = renumbered(tensor.name);
      if (!name) continue;
      PlannedTensor& out = out_.tensors.emplace_back();
      out.name = *std::move(name);
      out.shape = tensor.shape;
      const bool kept = out.name == kOutput && command_.has("--leave-output-tensor");
      out.quantizable = is_quantizable(out.name, out.shape) && !kept;
      has_output_ = has_output_ || out.name == kOutput;
    }
  }

  // The options for the output and the embedding precede the list.
  void add_option(const std::optional<TypeEntry>& option, std::string_view name) {
    const TensorType* type = option ? find_type(Program::llama, option->text) : nullptr;
    if (option && type == nullptr) type = find_type(Program::ik_llama, option->text);
    if (!option || type == nullptr) return;
    selectors::Entry entry{std::string(name), number_of(*type)};
    entry.terms = {{selectors::How::exact, selectors::Space::name, std::string(has_output_ ? name : kEmbedding)}};
    entry.order = -1 - static_cast<std::int64_t>(options_);
    list_.insert(list_.begin(), std::move(entry));
    ++options_;
  }

  static selectors::Format number_of(const TensorType& type) {
    return selectors::kFirstFormat + static_cast<selectors::Format>(&type - tensor_types().data());
  }

  [[nodiscard]] std::vector<selectors::Module> modules() const {
    std::vector<selectors::Module> out;
    for (const PlannedTensor& tensor : out_.tensors) {
      selectors::Module& module = out.emplace_back(selectors::Module{tensor.name, {}});
      if (tensor.quantizable) module.facts.add(Fact::matrix);
    }
    return out;
  }

  void decide() {
    const selectors::Reader& reader = reader_of(command_.program);
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      selectors::Entry entry{entries_[at].pattern, number_of(*entries_[at].type), static_cast<std::uint32_t>(at)};
      entry.order = static_cast<std::int64_t>(at);
      if (!selectors::prepare(reader, entry)) list_.push_back(std::move(entry));
    }
    add_option(command_.embedding_type, kEmbedding);
    // With --pure, only the mix would apply the type of a missing output to the embedding.
    if (has_output_ || !command_.has("--pure")) add_option(command_.output_type, kOutput);
    std::vector<std::string_view> run;
    if (plain()) run.push_back("default type not quantized");
    if (command_.has("--pure")) run.push_back("--pure");
    out_.gated = std::ranges::any_of(run, [&](std::string_view fact) { return reader.gate.contains(fact); });
    const std::vector<selectors::Module> units = modules();
    base::Budget budget = selectors::assignment_budget();
    auto result = selectors::assign(
        reader, &list_, units, [](const selectors::Module&) { return selectors::kDefaultFormat; }, run, budget);
    const auto* assignment = std::get_if<selectors::Assignment>(&result);
    if (assignment != nullptr) take(*assignment);
    base::Budget other = selectors::assignment_budget();
    const std::vector<bool> any = selectors::matched_entries(reader, list_, units, other);
    out_.matched_any.assign(any.begin() + static_cast<std::ptrdiff_t>(options_), any.end());
  }

  void take(const selectors::Assignment& assignment) {
    out_.matched.assign(assignment.matched.begin() + static_cast<std::ptrdiff_t>(options_), assignment.matched.end());
    for (std::size_t at = 0; at < out_.tensors.size(); ++at) {
      const selectors::Decision& decision = assignment.decisions[at];
      PlannedTensor& tensor = out_.tensors[at];
      if (!decision.has_entry()) continue;
      tensor.type = &tensor_types()[decision.format - selectors::kFirstFormat];
      if (decision.by >= options_) tensor.entry = decision.by - options_;
      for (const std::uint32_t entry : assignment.overridden(decision)) {
        if (entry >= options_) tensor.overridden.push_back(entry - options_);
      }
    }
  }

  // Returns the header without the tensors of removed layers.
  [[nodiscard]] model::GgufHeader kept_header() const {
    model::GgufHeader out{header_.values, {}};
    for (const PlannedTensor& tensor : out_.tensors) out.tensors.push_back({tensor.name, tensor.shape, 0});
    return out;
  }

  void apply_default() {
    const bool ik = command_.program == Program::ik_llama;
    std::vector<MixedTensor> mixed;
    std::vector<PlannedTensor*> places;
    for (PlannedTensor& tensor : out_.tensors) {
      if (!tensor.quantizable || (tensor.type != nullptr && !ik)) continue;
      if (tensor.shape.empty() || !command_.file_type) {
        tensor.unknown = tensor.type == nullptr;
        continue;
      }
      mixed.push_back({tensor.name, &tensor.shape});
      places.push_back(&tensor);
    }
    const model::GgufHeader kept = kept_header();
    if (command_.has("--pure")) {
      for (MixedTensor& tensor : mixed) tensor.type = base_type(file_type());
    } else if (ik) {
      apply_ik_mix(file_type(), kept, mixed);
    } else {
      apply_mix(file_type(), kept, mixed);
    }
    for (std::size_t at = 0; at < places.size(); ++at) {
      if (places[at]->type != nullptr) continue;
      places[at]->type = type_called(mixed[at].type);
      places[at]->unknown = places[at]->type == nullptr;
    }
  }

  void fit_columns() {
    for (PlannedTensor& tensor : out_.tensors) {
      if (tensor.type == nullptr || tensor.shape.empty()) continue;
      const TensorType* fits = fitting(*tensor.type, tensor.shape.back(), command_.program);
      if (fits == tensor.type) continue;
      tensor.asked = tensor.type;
      tensor.type = fits;
      if (fits == nullptr && !unfit_) unfit_ = &tensor - out_.tensors.data();
    }
    if (unfit_) out_.unfit = &out_.tensors[static_cast<std::size_t>(*unfit_)];
  }

  const Command& command_;
  const std::vector<ParsedEntry>& entries_;
  const model::GgufHeader& header_;
  std::vector<selectors::Entry> list_;
  std::size_t options_ = 0;  // entries at the front of the list that are options
  bool has_output_ = false;
  std::optional<std::ptrdiff_t> unfit_;
  TypePlan out_;
};

}  // namespace

TypePlan plan_of(const Command& command, const std::vector<ParsedEntry>& entries, const model::GgufHeader& header) {
  return Planner(command, entries, header).run();
}

}  // namespace sparsecfg::dialect::gguf
