#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/read.h"

// Entries that depend on their order (docs/semantics/modelopt.md#c4).
namespace sparsecfg::dialect::modelopt {

DIAGNOSTIC(MO310, disable_all_is_late, silent_warning, (Text), "this entry turns off everything, so {} no effect",
           "Entries apply in order, and the last one that matches decides. An entry for `*` overrides all before it.",
           "move it to the start of `quant_cfg`")
DIAGNOSTIC(MO311, disable_is_undone, silent_warning, (Text, Text),
           "`{}` has no effect: `{}` turns the quantizers on again",
           "Entries apply in order, and the last one that matches decides.", "move the entry below the later one")
DIAGNOSTIC(MO312, no_disable_all, silent_warning, (Text), "{} keep 8-bit integers, because no entry turns them off",
           "ModelOpt inserts quantizers that are on: for weights and inputs of linear layers, for norms, and for the "
           "attention cache. Entries only change the quantizers that they match.",
           "insert `{{quantizer_name: \"*\", enable: false}}` at the start")
DIAGNOSTIC(MO313, attributes_return_to_defaults, silent_warning, (Text),
           "`cfg` of `{}` has no `num_bits`, so it becomes 8",
           "`cfg` replaces all attributes: absent ones return to their defaults, also those that an earlier entry set.",
           "write all attributes of the quantizer")
DIAGNOSTIC(MO314, turned_on_without_attributes, silent_warning, (Text),
           "`{}` turns on quantizers that have no attributes",
           "An entry with only `enable` keeps the attributes. Quantizers that no entry has configured have those of "
           "their insertion: 8-bit integers.",
           "add the attributes as `cfg`")

static bool is_disable_all(const Entry& entry) {
  return entry.pattern == "*" && entry.parent.empty() && !entry.enable && !entry.cfg;
}

static std::string example_of(const std::vector<std::string>& names, std::string_view what) {
  std::string out = fmt::format("{} {}", names.size(), what);
  if (!names.empty()) out += fmt::format(" (such as `{}`)", names.front());
  return out;
}

namespace {

class OrderChecks {
 public:
  OrderChecks(const Context& context, const Config& config, const std::optional<Applied>& applied)
      : context_(context), entries_(config.entries), config_(config), applied_(applied) {}

  void run() {
    if (applied_) find_undone();
    check_late_disable();
    check_undone();
    check_replaced();
    if (config_.has_list && !config_.open) check_insertion();
  }

 private:
  void check_late_disable() {
    for (std::size_t at = 1; at < entries_.size(); ++at) {
      const bool first = is_disable_all(entries_.front());
      if (!is_disable_all(entries_[at]) || entries_[at].form == Entry::Form::old_default || (first && at == 1))
        continue;
      const bool any = std::any_of(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(at),
                                   [](const Entry& each) { return each.enable; });
      if (!any) continue;
      late_ = at;
      context_.sink.report(
          diag::disable_all_is_late, entries_[at].span,
          at == 1 ? std::string("the entry before it has") : fmt::format("the {} entries before it have", at));
      return;
    }
  }

  // Returns true if a pattern matches all quantizers of a kind, wherever they are.
  static bool is_broad(const Entry& entry) {
    static constexpr std::string_view kBroad[] = {"*", "*quantizer", "*weight_quantizer", "*input_quantizer",
                                                  "*weight_quantizer*"};
    return entry.parent.empty() && base::contains(kBroad, entry.pattern);
  }

  // A disable that later entries undo. With a model, all its quantizers must be on in the end.
  void check_undone() {
    std::set<source::Span> reported;
    for (std::uint32_t at = 0; at < entries_.size(); ++at) {
      const Entry& entry = entries_[at];
      if (entry.enable || entry.unknown || is_disable_all(entry) || entry.pattern == "*input_quantizer") continue;
      const auto later = undone_by(at);
      if (!later || at < late_ || !reported.insert(entry.span).second) continue;
      context_.sink.report(diag::disable_is_undone, entry.span, entry.pattern, entries_[*later].pattern)
          .with_label(entries_[*later].span, "turned on here");
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> undone_by(std::uint32_t at) const {
    if (applied_) {
      const auto by = undone_[at];
      return !decides_[at] && by && entries_[*by].enable ? by : std::nullopt;
    }
    for (auto next = at + 1; next < entries_.size(); ++next) {
      const Entry& later = entries_[next];
      if (later.enable && later.cfg && is_broad(later) && entries_[at].parent.empty()) return next;
    }
    return std::nullopt;
  }

  // For each entry: true if it decides about a quantizer, and the entry that turns its other quantizers on again.
  void find_undone() {
    decides_.resize(entries_.size());
    undone_.resize(entries_.size());
    for (const QuantizedModule& module : applied_->quantized) {
      for (const Quantizer& quantizer : module.quantizers) {
        for (const std::uint32_t at : quantizer.matched) {
          if (at == quantizer.matched.back()) decides_[at] = true;
          if (quantizer.is_on()) undone_[at] = quantizer.matched.back();
        }
      }
    }
  }

  void check_replaced() {
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      const Entry& entry = entries_[at];
      if (!entry.enable || !entry.cfg || entry.sequence || entry.unknown || !entry.inner_enable.empty()) continue;
      const Attributes& own = entry.cfg->front();
      const bool misses = own.bits_span.empty() && !own.custom && !own.unknown;
      const bool earlier = std::any_of(
          entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(at),
          [](const Entry& each) { return each.enable && each.cfg && !each.cfg->front().bits_span.empty(); });
      if (misses && earlier) {
        context_.sink.report(diag::attributes_return_to_defaults, own.span, entry.pattern);
      }
    }
  }

  // Quantizers that no entry configures.
  void check_insertion() {
    if (!applied_) {
      const bool covers = std::ranges::any_of(entries_, [](const Entry& entry) {
        return entry.pattern == "*" && entry.parent.empty() && (entry.cfg || !entry.enable);
      });
      if (!covers && !entries_.empty())
        report_insertion("quantizers of other modules, outputs and the attention cache");
      return;
    }
    std::vector<std::string> untouched;
    std::map<std::uint32_t, std::vector<std::string>> turned_on;
    for (const QuantizedModule& module : applied_->quantized) {
      for (const Quantizer& quantizer : module.quantizers) {
        if (!quantizer.is_on() || quantizer.steps.front().entry != Step::kInsertion) continue;
        auto& list = quantizer.matched.empty() ? untouched : turned_on[quantizer.matched.back()];
        list.push_back(quantizer.name);
      }
    }
    if (!untouched.empty()) report_insertion(example_of(untouched, untouched.size() == 1 ? "quantizer" : "quantizers"));
    for (const auto& [at, names] : turned_on) {
      if (!entries_[at].enable || entries_[at].unknown) continue;
      context_.sink.report(diag::turned_on_without_attributes, entries_[at].span, entries_[at].pattern)
          .with_caret(example_of(names, names.size() == 1 ? "quantizer" : "quantizers"));
    }
  }

  void report_insertion(const std::string& what) {
    if (entries_.empty()) return;
    context_.sink.report(diag::no_disable_all, entries_.front().span, what);
  }

  const Context& context_;
  const std::vector<Entry>& entries_;
  const Config& config_;
  const std::optional<Applied>& applied_;
  std::size_t late_ = 0;
  std::vector<bool> decides_;
  std::vector<std::optional<std::uint32_t>> undone_;
};

}  // namespace

void check_order(const Context& context, const Config& config, const std::optional<Applied>& applied) {
  OrderChecks(context, config, applied).run();
}

}  // namespace sparsecfg::dialect::modelopt
