#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/gguf/codes.h"
#include "dialect/gguf/mix.h"
#include "dialect/gguf/rules.h"

namespace sparsecfg::dialect::gguf {

DIAGNOSTIC(GG115, output_type_ignored, silent_warning, (Text), "`{}` has no effect beside `--leave-output-tensor`",
           "The flag keeps `output.weight` as it is, so its type is never read. The file is larger than expected.",
           "delete `--leave-output-tensor`")

DIAGNOSTIC(
    GG121, output_missing, silent_warning, (Text), "`{}` has no effect, because the model has no `output.weight`",
    "A model with tied embeddings uses `token_embd.weight` as its output. `--leave-output-tensor` does not keep it, "
    "and `--output-tensor-type` does not apply to it with `--pure`.",
    "write `--token-embedding-type f16`")

DIAGNOSTIC(
    GG122, experts_missing, silent_warning, (),
    "`MXFP4_MOE` stores all tensors as `q8_0`, because the model has no experts",
    "The type stores the tensors of experts as MXFP4, and all others as Q8_0. The file of a model without experts "
    "has twice the expected size.",
    "write `Q4_K_M`, or add `--tensor-type 'ffn_(up|gate|down)=mxfp4'` and write `Q4_0`")

DIAGNOSTIC(GG124, pruned_layer_missing, silent_warning, (std::int64_t, std::int64_t),
           "the model has no layer {0}: its last layer is {1}",
           "llama-quantize ignores numbers of layers that the model does not have. The first layer has the number 0.",
           "use numbers from 0 to {1}")

DIAGNOSTIC(
    GG125, matrix_lacks_tensor, warning, (Text, Text),
    "`{1}` requires the importance of `{0}`, which no matrix contains",
    "IQ1_S, IQ2_XXS and IQ2_XS need the importance of each column. `llama-imatrix` collects it only for tensors of "
    "layers, and for `output.weight` with `--process-output`. llama-quantize aborts at other tensors.",
    "write `--token-embedding-type q2_k`")

namespace {

class ModelRules {
 public:
  ModelRules(const PlannedCommand& planned, const model::GgufHeader* header, diag::Sink& sink)
      : planned_(planned), command_(planned.command), header_(header), sink_(sink) {
    has_output_ = header != nullptr && contains("output.weight");
    tied_ = header != nullptr && !has_output_ && contains("token_embd.weight");
  }

  void check() {
    check_output_type();
    check_tied();
    check_experts();
    check_pruned_layers();
    check_embedding();
  }

 private:
  [[nodiscard]] bool contains(std::string_view name) const {
    return std::ranges::find(header_->tensors, name, &model::GgufTensor::name) != header_->tensors.end();
  }

  // Returns the embedding of the model; null without a model.
  [[nodiscard]] const PlannedTensor* embedding() const {
    const std::vector<PlannedTensor>& tensors = planned_.plan.tensors;
    const auto found = std::ranges::find(tensors, "token_embd.weight", &PlannedTensor::name);
    return header_ == nullptr || found == tensors.end() ? nullptr : &*found;
  }

  void check_output_type() {
    if (!command_.output_type || !command_.has("--leave-output-tensor") || !has_output_) return;
    sink_.report(diag::output_type_ignored, command_.output_type->span,
                 fmt::format("--output-tensor-type {}", command_.output_type->text));
  }

  void check_tied() {
    if (!tied_ || command_.embedding_type) return;
    const PlannedTensor* tensor = embedding();
    const bool quantized = tensor != nullptr && tensor->type != nullptr && !is_plain(*tensor->type) && !tensor->entry;
    if (!quantized) return;
    const std::string caret = fmt::format("`token_embd.weight` becomes `{}`", tensor->type->name);
    if (command_.output_type && command_.has("--pure")) {
      const std::string& meant = command_.output_type->text;
      sink_.report(diag::output_missing, command_.output_type->span, "--output-tensor-type " + meant)
          .with_caret(caret)
          .with_help(fmt::format("write `--token-embedding-type {}`", meant));
    } else if (const Argument* leave = command_.arguments.find("--leave-output-tensor");
               leave != nullptr && !command_.output_type) {
      sink_.report(diag::output_missing, leave->name.span, "--leave-output-tensor")
          .with_caret(caret)
          .with_help("write `--token-embedding-type f16` in place of it");
    }
  }

  void check_experts() {
    if (header_ == nullptr || !command_.file_type || full_name(command_.file_type->text) != "MXFP4_MOE") return;
    const auto has_experts = [](const PlannedTensor& tensor) { return tensor.shape.size() > 2; };
    const auto is_entry = [](const PlannedTensor& tensor) { return tensor.entry.has_value(); };
    const std::vector<PlannedTensor>& tensors = planned_.plan.tensors;
    const bool shapes = std::ranges::all_of(tensors, [](const PlannedTensor& each) { return !each.shape.empty(); });
    if (!shapes || std::ranges::any_of(tensors, has_experts) || std::ranges::any_of(tensors, is_entry)) return;
    sink_.report(diag::experts_missing, command_.file_type->span);
  }

  void check_pruned_layers() {
    if (header_ == nullptr || command_.pruned_layers.empty()) return;
    const std::int64_t layers = mixed_model(*header_).layers;
    for (const std::int64_t layer : command_.pruned_layers) {
      if (layers == 0 || layer < layers) continue;
      const Argument* option = command_.arguments.find("--prune-layers");
      const std::int64_t last = layers - 1;
      auto& report = sink_.report(diag::pruned_layer_missing, option->value.span, layer, last);
      if (layer == layers) report.with_help(counted_from_zero());
      return;
    }
  }

  // The number of layers is no layer, so the list counts from one.
  [[nodiscard]] std::string counted_from_zero() const {
    std::string out;
    for (const std::int64_t layer : command_.pruned_layers) {
      if (layer == 0) return {};
      out += (out.empty() ? "" : ",") + std::to_string(layer - 1);
    }
    return fmt::format("write `--prune-layers {}`, since the first layer is 0", out);
  }

  void check_embedding() {
    constexpr std::string_view kTypes[] = {"iq1_s", "iq2_xxs", "iq2_xs"};
    if (command_.tool != Tool::quantize || command_.program != Program::llama || command_.has("--dry-run")) return;
    const TensorType* asked = nullptr;
    source::Span place;
    if (command_.embedding_type) {
      asked = find_type(Program::llama, command_.embedding_type->text);
      place = command_.embedding_type->span;
    } else if (const PlannedTensor* tensor = embedding()) {
      asked = tensor->type;
      place = place_of(planned_, *tensor);
    }
    if (asked == nullptr || !base::contains(kTypes, asked->name)) return;
    auto& report =
        sink_.report(diag::matrix_lacks_tensor, place, std::string("token_embd.weight"), std::string(asked->name));
    if (!command_.embedding_type) report.with_help("add `--token-embedding-type q2_k`");
  }

  const PlannedCommand& planned_;
  const Command& command_;
  const model::GgufHeader* header_;
  diag::Sink& sink_;
  bool has_output_ = false;
  bool tied_ = false;
};

}  // namespace

void check_model_options(const PlannedCommand& planned, const model::GgufHeader* header, diag::Sink& sink) {
  ModelRules(planned, header, sink).check();
}

}  // namespace sparsecfg::dialect::gguf
