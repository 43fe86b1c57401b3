#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "dialect/nni/target_rules.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Located;
using source::Value;

// For each module the entries that select it.
using EntriesOf = std::unordered_map<std::string, std::set<std::size_t>>;

// The groups of one entry (reference 6, module fusion).
class FusionCheck {
 public:
  FusionCheck(Entry& entry, std::size_t index, const EntriesOf& entries_of, const Context& context)
      : entry_(entry), index_(index), entries_of_(entries_of), context_(context), sink_(context.sink) {}

  void check(const Value& group) {
    const auto names = texts_of(&group);
    if (names.size() < 2 || names.size() > 3) {
      reject(group.span, fmt::format("{} modules are fused here, but only 2 or 3 can be", names.size()));
      return;
    }
    check_head(names.front());
    for (std::size_t at = 1; at < names.size(); ++at) {
      check_member(names[at]);
    }
  }

 private:
  void reject(source::Span span, const std::string& what) {
    entry_.valid = false;
    sink_.report(diag::fusion_refused, span, what);
  }

  bool has_target(const std::string& module, bool here) const {
    const auto entries = entries_of_.find(module);
    return entries != entries_of_.end() && (!here || entries->second.contains(index_));
  }

  void check_head(const Located<std::string>& head) {
    if (!context_.model.known()) {
      return;
    }
    const source::Module* module = context_.model.find(head.value);
    const bool computes = module != nullptr && (module->type == "Linear" || module->type.starts_with("Conv") ||
                                                module->type.starts_with("BatchNorm"));
    if (module == nullptr) {
      sink_.report(diag::unknown_module, head.span, base::printable(head.value), context_.model.modules().size());
      entry_.valid = false;
    } else if (!computes) {
      reject(head.span, fmt::format("`{}` is a {}, and nothing is fused to one", base::printable(head.value),
                                    base::printable(module->type)));
    } else if (!has_target(head.value, true)) {
      reject(head.span, fmt::format("`{}` has modules fused to it, but this entry does not select it",
                                    base::printable(head.value)));
    }
  }

  void check_member(const Located<std::string>& member) {
    if (has_target(member.value, false)) {
      reject(member.span, fmt::format("`{}` is fused to another module, so it can't be quantized itself",
                                      base::printable(member.value)));
    }
    const source::Module* module = context_.model.find(member.value);
    if (context_.model.known() && module == nullptr) {
      sink_.report(diag::unknown_module, member.span, base::printable(member.value), context_.model.modules().size());
      entry_.valid = false;
    } else if (module != nullptr && module->type.starts_with("ReLU") && !names_output()) {
      reject(member.span,
             fmt::format("`{}` is fused, so `target_names` must name `_output_`", base::printable(member.value)));
    }
  }

  bool names_output() const {
    const auto names = texts_of(entry_.fields, "target_names");
    return std::ranges::find(names, "_output_", &Located<std::string>::value) != names.end();
  }

  Entry& entry_;
  std::size_t index_;
  const EntriesOf& entries_of_;
  const Context& context_;
  diag::Sink& sink_;
};

void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  EntriesOf entries_of;
  for (const Target& target : targets) {
    entries_of[target.module.name].insert(target.entry);
  }
  for (std::size_t index = 0; index < compressor.entries.size(); ++index) {
    Entry& entry = compressor.entries[index];
    const Value* groups =
        entry.valid && compressor.mode == Mode::quantization ? find_value(entry.fields, "fuse_names") : nullptr;
    const auto* list = groups == nullptr ? nullptr : groups->get<List>();
    FusionCheck check(entry, index, entries_of, context);
    for (const Value& group : list == nullptr ? List() : *list) {
      check.check(group);
    }
  }
}

}  // namespace sparsecfg::dialect::nni
