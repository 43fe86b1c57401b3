#include <algorithm>

#include "base/text.h"
#include "dialect/nni/target_rules.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Located;
using source::Value;

// The groups of one entry (reference 6, module fusion).
class FusionCheck {
 public:
  FusionCheck(Entry& entry, std::size_t index, const std::vector<Target>& targets, const Context& context)
      : entry_(entry), index_(index), targets_(targets), context_(context), sink_(context.sink) {}

  void check(const Value& group) {
    const auto names = texts_of(&group);
    if (names.size() < 2 || names.size() > 3) {
      refuse(group.span, fmt::format("{} modules are fused here, but only 2 or 3 can be", names.size()));
      return;
    }
    check_head(names.front());
    for (std::size_t at = 1; at < names.size(); ++at) {
      check_member(names[at]);
    }
  }

 private:
  void refuse(source::Span span, const std::string& what) {
    entry_.sound = false;
    sink_.report(diag::fusion_refused, span, what);
  }

  const source::Module* find(const std::string& name) const {
    const auto found = std::ranges::find(*context_.modules(), name, &source::Module::name);
    return found == context_.modules()->end() ? nullptr : &*found;
  }

  bool has_target(const std::string& module, bool here) const {
    return std::ranges::any_of(targets_, [&](const Target& target) {
      return target.module.name == module && (!here || target.entry == index_);
    });
  }

  void check_head(const Located<std::string>& head) {
    if (context_.modules() == nullptr) {
      return;
    }
    const source::Module* module = find(head.value);
    const bool computes = module != nullptr && (module->type == "Linear" || module->type.starts_with("Conv") || module->type.starts_with("BatchNorm"));
    if (module == nullptr) {
      sink_.report(diag::unknown_module, head.span, base::printable(head.value), context_.modules()->size());
      entry_.sound = false;
    } else if (!computes) {
      refuse(head.span, fmt::format("`{}` is a {}, and nothing is fused to one", base::printable(head.value), base::printable(module->type)));
    } else if (!has_target(head.value, true)) {
      refuse(head.span, fmt::format("`{}` has modules fused to it, but this entry does not select it", base::printable(head.value)));
    }
  }

  void check_member(const Located<std::string>& member) {
    if (has_target(member.value, false)) {
      refuse(member.span, fmt::format("`{}` is fused to another module, so it can't be quantized itself", base::printable(member.value)));
    }
    const source::Module* module = context_.modules() == nullptr ? nullptr : find(member.value);
    if (context_.modules() != nullptr && module == nullptr) {
      sink_.report(diag::unknown_module, member.span, base::printable(member.value), context_.modules()->size());
      entry_.sound = false;
    } else if (module != nullptr && module->type.starts_with("ReLU") && !names_output()) {
      refuse(member.span, fmt::format("`{}` is fused, so `target_names` must name `_output_`", base::printable(member.value)));
    }
  }

  bool names_output() const {
    const auto names = texts_of(entry_.fields, "target_names");
    return std::ranges::find(names, "_output_", &Located<std::string>::value) != names.end();
  }

  Entry& entry_;
  std::size_t index_;
  const std::vector<Target>& targets_;
  const Context& context_;
  diag::Sink& sink_;
};

void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  for (std::size_t index = 0; index < compressor.entries.size(); ++index) {
    Entry& entry = compressor.entries[index];
    const Value* groups = entry.sound && compressor.mode == Mode::quantization ? find_value(entry.fields, "fuse_names") : nullptr;
    const auto* list = groups == nullptr ? nullptr : groups->get<List>();
    FusionCheck check(entry, index, targets, context);
    for (const Value& group : list == nullptr ? List() : *list) {
      check.check(group);
    }
  }
}

}  // namespace sparsecfg::dialect::nni
