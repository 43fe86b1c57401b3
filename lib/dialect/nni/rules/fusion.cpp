#include <fmt/core.h>

#include <algorithm>

#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/read.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Located;
using source::Value;

// Module types that NNI can fuse, in order.
constexpr std::string_view kFusible[] = {"Conv1d BatchNorm1d",
                                         "Conv1d BatchNorm1d ReLU",
                                         "Conv2d BatchNorm2d",
                                         "Conv2d BatchNorm2d ReLU",
                                         "Conv3d BatchNorm3d",
                                         "Conv3d BatchNorm3d ReLU",
                                         "Conv1d ReLU",
                                         "Conv2d ReLU",
                                         "Conv3d ReLU",
                                         "Linear BatchNorm1d",
                                         "Linear BatchNorm1d ReLU",
                                         "Linear ReLU",
                                         "BatchNorm1d ReLU",
                                         "BatchNorm2d ReLU",
                                         "BatchNorm3d ReLU"};

DIAGNOSTIC(SP817, fusion_refused, error, (Text), "{}",
           "NNI fuses two or three modules, listed in the order in which they follow each other. The first must be a "
           "quantized linear, convolution or batch norm layer of the same entry. The other modules must not be "
           "quantized.",
           "list the quantized layer first, followed by one or two modules that are not quantized")

// Checks the fusion groups of one entry (reference 6, module fusion).
class FusionCheck {
 public:
  FusionCheck(Compressor& compressor, Entry& entry, const std::vector<Target>& targets, const Context& context)
      : compressor_(compressor), entry_(entry), targets_(targets), context_(context), sink_(context.sink) {}

  void check(const Value& group) {
    const auto names = texts_of(&group);
    if (names.size() < 2 || names.size() > 3) {
      reject(group.span, fmt::format("a fusion group must have 2 or 3 modules, but this one has {}", names.size()));
      return;
    }
    check_head(names.front());
    for (std::size_t at = 1; at < names.size(); ++at) {
      check_member(names[at]);
    }
    if (entry_.valid && context_.model.known()) {
      check_types(group, names);
    }
  }

 private:
  void reject(source::Span span, const std::string& what) {
    entry_.valid = false;
    sink_.report(diag::fusion_refused, span, what);
  }

  bool is_selected(const std::string& module) const {
    return std::ranges::any_of(compressor_.entries,
                               [&](const Entry& entry) { return entry.selected.contains(module); });
  }

  void check_head(const Located<std::string>& head) {
    if (!context_.model.known()) {
      return;
    }
    const model::Module* module = context_.model.find(head.value);
    const bool computes = module != nullptr && (module->type == "Linear" || module->type.starts_with("Conv") ||
                                                module->type.starts_with("BatchNorm"));
    if (module == nullptr) {
      sink_.report(diag::unknown_module, head.span, head.value, context_.model.modules().size());
      entry_.valid = false;
    } else if (!computes) {
      reject(head.span,
             fmt::format("`{}` is a {}, which can't be the first module of a fusion group", head.value, module->type));
    } else if (!entry_.selected.contains(head.value)) {
      reject(head.span, fmt::format("`{}` has modules fused to it, but is not selected by this entry", head.value));
    }
  }

  void check_member(const Located<std::string>& member) {
    if (is_selected(member.value)) {
      reject(member.span, fmt::format("`{}` is fused to another module and can't also be quantized", member.value));
    }
    const model::Module* module = context_.model.find(member.value);
    if (context_.model.known() && module == nullptr) {
      sink_.report(diag::unknown_module, member.span, member.value, context_.model.modules().size());
      entry_.valid = false;
    } else if (module != nullptr && module->type.starts_with("ReLU") && !names_output()) {
      reject(member.span, fmt::format("`target_names` must include `_output_`, because `{}` is fused", member.value));
    }
  }

  // In the first forward pass, NNI looks up how to fuse these types, and folds the weight into a following batch norm.
  void check_types(const Value& group, const std::vector<Located<std::string>>& names) {
    std::string types;
    for (const auto& name : names) {
      types += (types.empty() ? "" : " ") + context_.model.find(name.value)->type;
    }
    const std::string& head = names.front().value;
    const bool folds = types.find(" BatchNorm") != std::string::npos;
    const bool weight = std::ranges::any_of(
        targets_, [&](const Target& target) { return target.module.name == head && target.name == "weight"; });
    if (std::ranges::find(kFusible, types) == std::end(kFusible)) {
      reject(group.span, fmt::format("NNI can't fuse {}", types));
    } else if (folds && !weight) {
      reject(group.span,
             fmt::format("the weight of `{}` must be quantized, because a batch norm is fused to it", head));
    }
  }

  bool names_output() const {
    const auto names = texts_of(entry_.fields, "target_names");
    return std::ranges::find(names, "_output_", &Located<std::string>::value) != names.end();
  }

  Compressor& compressor_;
  Entry& entry_;
  const std::vector<Target>& targets_;
  const Context& context_;
  diag::Sink& sink_;
};

void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  for (Entry& entry : compressor.entries) {
    const Value* groups =
        entry.valid && compressor.mode == Mode::quantization ? find_value(entry.fields, "fuse_names") : nullptr;
    const auto* list = groups == nullptr ? nullptr : groups->get<List>();
    FusionCheck check(compressor, entry, targets, context);
    for (const Value& group : list == nullptr ? List() : *list) {
      check.check(group);
    }
  }
}

}  // namespace sparsecfg::dialect::nni
