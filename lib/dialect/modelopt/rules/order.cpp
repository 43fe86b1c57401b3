#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/exported.h"
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

DIAGNOSTIC(MO345, cache_is_turned_off, silent_warning, (Text, Text),
           "`{}` also turns off the attention cache that `{}` turns on",
           "The quantizers of the cache, `k_bmm_quantizer` and `v_bmm_quantizer`, belong to the attention module, so a "
           "pattern for the module matches them. The last entry that matches decides, and the cache stays 16-bit.",
           "move the entry before the one for the cache")

static bool is_disable_all(const Entry& entry) {
  return entry.pattern == "*" && entry.parent.empty() && !entry.enable && !entry.cfg;
}

static std::string example_of(const std::vector<std::string>& names, std::string_view what) {
  std::string out = fmt::format("{} {}", names.size(), what);
  if (!names.empty()) out += fmt::format(" (such as `{}`)", names.front());
  return out;
}

// Returns true if an entry changes the state of a quantizer that it decides: before it, the quantizer is on.
static bool turns_off(const Quantizer& quantizer, const std::vector<Entry>& entries) {
  const std::size_t count = quantizer.matched.size();
  return count == 1 || entries[quantizer.matched[count - 2]].enable;
}

std::vector<std::optional<std::uint32_t>> undone_entries(const Config& config, const Applied& applied) {
  std::vector<bool> decides(config.entries.size());
  std::vector<std::optional<std::uint32_t>> out(config.entries.size());
  for (const QuantizedModule& module : applied.quantized) {
    for (const Quantizer& quantizer : module.quantizers) {
      for (const std::uint32_t at : quantizer.matched) {
        const bool last = at == quantizer.matched.back();
        if (last && (config.entries[at].enable || turns_off(quantizer, config.entries))) decides[at] = true;
        if (quantizer.is_on()) out[at] = quantizer.matched.back();
      }
    }
  }
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (config.entries[at].enable || decides[at] || (out[at] && !config.entries[*out[at]].enable)) out[at].reset();
  }
  return out;
}

namespace {

class OrderChecks {
 public:
  OrderChecks(const Context& context, const Config& config, const std::optional<Applied>& applied)
      : context_(context), entries_(config.entries), config_(config), applied_(applied) {}

  void run() {
    if (applied_) undone_ = undone_entries(config_, *applied_);
    check_late_disable();
    check_undone();
    check_replaced();
    if (applied_) check_lost_cache();
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
      if (first && is_replaced(at)) continue;
      auto& report = context_.sink.report(
          diag::disable_all_is_late, entries_[at].span,
          at == 1 ? std::string("the entry before it has") : fmt::format("the {} entries before it have", at));
      if (first) report.with_help("delete it: the first entry already turns off everything");
      return;
    }
  }

  // Returns true if the entries from a place turn on again all that is on before it, such as a whole preset that a
  // second call of quantize() applies.
  [[nodiscard]] bool is_replaced(std::size_t place) const {
    const auto later = std::span(entries_).subspan(place);
    if (!applied_) {
      return std::ranges::any_of(later, [](const Entry& each) { return each.enable && each.cfg && is_broad(each); });
    }
    std::vector<QuantizedModule> before = insert_quantizers(applied_->modules, config_.embeddings);
    if (!apply_entries(picks_of(std::span(entries_).first(place)), before)) return false;
    for (std::size_t at = 0; at < before.size(); ++at) {
      for (std::size_t each = 0; each < before[at].quantizers.size(); ++each) {
        if (before[at].quantizers[each].is_on() && !applied_->quantized[at].quantizers[each].is_on()) return false;
      }
    }
    return true;
  }

  // Returns true if a pattern matches all quantizers of a kind, wherever they are.
  static bool is_broad(const Entry& entry) {
    static constexpr std::string_view kBroad[] = {"*", "*quantizer", "*weight_quantizer", "*input_quantizer",
                                                  "*weight_quantizer*"};
    return entry.parent.empty() && base::contains(kBroad, entry.pattern);
  }

  // Disables that a later entry undoes are one finding. With a model, all their quantizers must be on in the end.
  void check_undone() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> undone;  // by the later entry
    for (std::uint32_t at = 0; at < entries_.size(); ++at) {
      const Entry& entry = entries_[at];
      if (entry.enable || entry.unknown || is_disable_all(entry) || entry.pattern == "*input_quantizer") continue;
      const auto later = undone_by(at);
      if (later && at >= late_) undone[*later].push_back(at);
    }
    std::set<source::Span> reported;
    for (const auto& [later, disables] : undone) {
      const Entry& first = entries_[disables.front()];
      if (!reported.insert(first.span).second) continue;
      auto& report = context_.sink.report(diag::disable_is_undone, first.span, first.pattern, entries_[later].pattern)
                         .with_label(entries_[later].span, "turned on here");
      for (const std::uint32_t at : disables) {
        if (reported.insert(entries_[at].span).second) report.with_label(entries_[at].span, "no effect either");
      }
      if (is_of_preset(entries_[later].span)) {
        if (disables.size() == 1 && advise_on_insertion(report, first)) continue;
        report.with_help(disables.size() > 1 ? "add these entries behind those of the preset with `extend`"
                                             : "add this entry behind those of the preset with `append`");
      } else if (disables.size() > 1) {
        report.with_help(fmt::format("move `{}` before these entries", entries_[later].pattern));
      }
    }
  }

  // Advises to append an entry that a script inserts at the start of a list. Returns false for other entries.
  bool advise_on_insertion(diag::Diagnostic& report, const Entry& entry) const {
    constexpr std::string_view kInsertion = ".insert(0, ";
    const std::string_view before = context_.file.text().substr(0, entry.span.begin);
    const std::size_t at = before.rfind(kInsertion);
    if (at == std::string_view::npos || before.find('\n', at) != std::string_view::npos) return false;
    const auto begin = static_cast<std::uint32_t>(at);
    const auto end = static_cast<std::uint32_t>(at + kInsertion.size());
    report.with_help("write `.append(` in place of `.insert(0, `, so that the entry comes after those of the preset")
        .with_fix(diag::Fix::unsafe().replace({begin, end}, ".append("));
    return true;
  }

  // The entries of a preset have the place of its name.
  [[nodiscard]] bool is_of_preset(source::Span place) const {
    return std::ranges::count(entries_, place, &Entry::span) > 1;
  }

  [[nodiscard]] std::optional<std::uint32_t> undone_by(std::uint32_t at) const {
    if (applied_) {
      return undone_[at];
    }
    for (auto next = at + 1; next < entries_.size(); ++next) {
      const Entry& later = entries_[next];
      if (later.enable && later.cfg && is_broad(later) && entries_[at].parent.empty()) return next;
    }
    return std::nullopt;
  }

  void check_replaced() {
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      const Entry& entry = entries_[at];
      if (!entry.enable || !entry.cfg || entry.sequence || entry.unknown || !entry.inner_enable.empty()) continue;
      const Attributes& own = entry.cfg->front();
      const bool misses = own.bits_span.empty() && !own.custom && !own.unknown;
      const bool earlier = std::ranges::any_of(std::span(entries_).first(at), sets_bits);
      if (misses && earlier) {
        auto& report = context_.sink.report(diag::attributes_return_to_defaults, own.span, entry.pattern);
        if (const Attributes* before = attributes_before(at)) advise_on_attributes(report, own, *before);
      }
    }
  }

  // Writes the bits of the earlier attributes into a mapping. Other earlier attributes are lost as well.
  void advise_on_attributes(diag::Diagnostic& report, const Attributes& own, const Attributes& before) const {
    const bool python = context_.file.text(own.span).find('"') != std::string_view::npos ||
                        context_.file.text(own.span).find('\'') != std::string_view::npos;
    const std::string text = !before.floating ? std::to_string(before.bits)
                             : python ? fmt::format("({}, {})", before.floating->exponent, before.floating->mantissa)
                                      : fmt::format("e{}m{}", before.floating->exponent, before.floating->mantissa);
    const std::string bits = fmt::format("{0}num_bits{0}: {1}", python ? "\"" : "", text);
    if (before.blocks) {
      report.with_help(fmt::format("add `{}`, and the `block_sizes` of the earlier entry", bits));
      return;
    }
    report.with_help(fmt::format("add `{}`", bits));
    if (context_.file.text(own.span).starts_with('{'))
      report.with_fix(diag::Fix::unsafe().replace({own.span.begin + 1, own.span.begin + 1}, bits + ", "));
  }

  // Returns the attributes that an earlier entry sets for the quantizers of this one; null if there are none.
  [[nodiscard]] const Attributes* attributes_before(std::size_t at) const {
    const Attributes* out = nullptr;
    for (std::size_t earlier = 0; earlier < at; ++earlier) {
      const bool same = entries_[earlier].pattern == entries_[at].pattern;
      if (sets_bits(entries_[earlier]) && (same || shares_quantizers(earlier, at)))
        out = &entries_[earlier].cfg->front();
    }
    return out;
  }

  // Returns true if a quantizer that an entry decides was set by an earlier one.
  [[nodiscard]] bool shares_quantizers(std::size_t earlier, std::size_t at) const {
    if (!applied_) return false;
    return std::ranges::any_of(applied_->quantized, [&](const QuantizedModule& module) {
      return std::ranges::any_of(module.quantizers, [&](const Quantizer& each) {
        const auto has = [&](std::size_t entry) {
          return std::ranges::find(each.matched, static_cast<std::uint32_t>(entry)) != each.matched.end();
        };
        return has(earlier) && has(at);
      });
    });
  }

  // Reports an entry for attention modules that turns off the cache, which an earlier entry turns on.
  void check_lost_cache() {
    for (const QuantizedModule& module : applied_->quantized) {
      for (const Quantizer& quantizer : module.quantizers) {
        if (quantizer.is_on() || quantizer.matched.empty()) continue;
        const std::uint32_t later = quantizer.matched.back();
        const auto earlier = std::ranges::find_if(
            quantizer.matched, [&](std::uint32_t at) { return is_for_cache(entries_[at]) && entries_[at].enable; });
        const bool lost = earlier != quantizer.matched.end() && !is_for_cache(entries_[later]) &&
                          is_for_attention(later, quantizer.name);
        if (lost) return report_lost_cache(entries_[later], entries_[*earlier], quantizer.name);
      }
    }
  }

  // Returns true if an entry matches only quantizers in modules with the name of the module of a cache, `self_attn`.
  [[nodiscard]] bool is_for_attention(std::uint32_t at, std::string_view cache) const {
    const std::string module = fmt::format(".{}.", base::last_part(cache.substr(0, cache.rfind('.'))));
    return std::ranges::all_of(applied_->quantized, [&](const QuantizedModule& each) {
      return std::ranges::all_of(each.quantizers, [&](const Quantizer& other) {
        const bool matched = std::ranges::find(other.matched, at) != other.matched.end();
        return !matched || other.name.find(module) != std::string::npos;
      });
    });
  }

  void report_lost_cache(const Entry& later, const Entry& earlier, const std::string& quantizer) {
    auto& report = context_.sink.report(diag::cache_is_turned_off, later.span, later.pattern, earlier.pattern);
    report.with_label(earlier.span, "turned on here");
    const std::string layers = later.pattern.ends_with('*') ? later.pattern + "_proj.*" : std::string();
    if (later.parent.empty() && selects_only_layers(layers, quantizer)) {
      report.with_help(fmt::format("write `{}`, which matches the layers only", layers));
      const std::string_view text = context_.file.text(later.span);
      if (text.find(later.pattern) == 1) report.with_fix(diag::Fix::unsafe().content(later.span, layers));
    }
  }

  // Returns true if a pattern matches layers of the module of a quantizer, but not the quantizer.
  [[nodiscard]] bool selects_only_layers(const std::string& pattern, const std::string& quantizer) const {
    const auto regex = compiled_glob(pattern);
    if (pattern.empty() || !regex || regex->match(quantizer) == regex::Match::yes) return false;
    const std::string module = quantizer.substr(0, quantizer.rfind('.') + 1);
    return std::ranges::any_of(applied_->quantized, [&](const QuantizedModule& each) {
      return std::ranges::any_of(each.quantizers, [&](const Quantizer& other) {
        return other.name.starts_with(module) && regex->match(other.name) == regex::Match::yes;
      });
    });
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
    auto& report = context_.sink.report(diag::no_disable_all, entries_.front().span, what);
    const Constant* constant = constant_at(context_.file, entries_.front().span);
    if (constant != nullptr && std::ranges::all_of(entries_, is_for_cache)) advise_on_cache_preset(report, *constant);
  }

  // A preset for the cache is an addition to one for the layers.
  void advise_on_cache_preset(diag::Diagnostic& report, const Constant& cache) const {
    const std::string_view format = cache.name.substr(0, cache.name.find('_'));
    const std::string code = fmt::format(
        "mtq.update_quant_cfg_with_kv_cache_quant(copy.deepcopy(mtq.{0}_DEFAULT_CFG), mtq.{1}[\"quant_cfg\"])", format,
        cache.name);
    report.with_caret("formats of the attention cache only")
        .with_help(fmt::format("to quantize only the cache, {}; for layers and cache in {}, write {}", report.help,
                               format, shown_code(python::imported_names(context_.file), code)));
  }

  const Context& context_;
  const std::vector<Entry>& entries_;
  const Config& config_;
  const std::optional<Applied>& applied_;
  std::size_t late_ = 0;
  std::vector<std::optional<std::uint32_t>> undone_;
};

}  // namespace

void check_order(const Context& context, const Config& config, const std::optional<Applied>& applied) {
  OrderChecks(context, config, applied).run();
}

}  // namespace sparsecfg::dialect::modelopt
