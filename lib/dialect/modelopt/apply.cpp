#include <algorithm>

#include "base/budget.h"
#include "base/text.h"
#include "dialect/modelopt/quantizers.h"
#include "model/selectors/assign.h"
#include "model/selectors/comparison.h"
#include "model/selectors/entry_index.h"

// How the entries of a list change the states of quantizers (docs/semantics/modelopt.md#c1-4).
namespace sparsecfg::dialect::modelopt {

std::optional<regex::Pattern> compiled_glob(std::string_view glob) {
  auto compiled = regex::Pattern::compile(selectors::pattern_of_glob(glob), regex::Anchoring::both);
  auto* pattern = std::get_if<regex::Pattern>(&compiled);
  return pattern == nullptr ? std::nullopt : std::optional(std::move(*pattern));
}

std::vector<Pick> picks_of(std::span<const Entry> entries) {
  std::vector<Pick> out;
  out.reserve(entries.size());
  for (const Entry& entry : entries) {
    out.push_back({entry.pattern, entry.parent, entry.cfg ? std::optional(entry.cfg->size()) : std::nullopt,
                   entry.sequence, entry.enable});
  }
  return out;
}

std::string family_of(std::string_view name) {
  std::string out;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, dot);
    if (!out.empty()) out += '.';
    out += std::ranges::all_of(part, base::is_digit) ? std::string_view("N") : part;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return out;
}

std::string without_number(std::string_view name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    bool found = false;
    for (const std::string_view stem : {"weight_quantizer", "input_quantizer"}) {
      if (!name.substr(at).starts_with(stem)) continue;
      std::size_t end = at + stem.size();
      if (end < name.size() && name[end] == 's') ++end;
      std::size_t digits = end + 1;
      while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
      const bool numbered = end < name.size() && name[end] == '.' && digits > end + 1;
      if (!numbered || (digits < name.size() && name[digits] != '.')) continue;
      out += stem;
      at = digits;
      found = true;
    }
    if (!found) out += name[at++];
  }
  return out;
}

namespace {

class Application {
 public:
  explicit Application(std::span<const Pick> picks) : picks_(picks) {
    for (std::size_t at = 0; at < picks.size(); ++at) {
      index_.add(selectors::How::glob, picks[at].pattern, static_cast<std::uint32_t>(at));
    }
    index_.finish({}, budget_);
  }

  bool run(QuantizedModule& module) {
    for (Quantizer& quantizer : module.quantizers) {
      const auto whole = matches(quantizer.name);
      const auto step = matches(quantizer.name + ".0");
      if (!whole || !step) return false;
      walk(module, quantizer, *whole, *step);
    }
    return true;
  }

 private:
  // Returns the entries whose pattern matches a name with or without its number, in order.
  std::optional<std::vector<std::uint32_t>> matches(const std::string& name) {
    std::vector<std::uint32_t> out;
    bool known = index_.find(name, budget_, out);
    if (const std::string shorter = without_number(name); shorter != name) {
      std::vector<std::uint32_t> more;
      known = index_.find(shorter, budget_, more) && known;
      out.insert(out.end(), more.begin(), more.end());
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return known ? std::optional(std::move(out)) : std::nullopt;
  }

  // Steps of a sequence have names of their own, `NAME.0` and so on. Without the number they match as the sequence.
  void walk(const QuantizedModule& module, Quantizer& quantizer, const std::vector<std::uint32_t>& whole,
            const std::vector<std::uint32_t>& step) {
    std::vector<std::uint32_t> all;
    std::ranges::set_union(whole, step, std::back_inserter(all));
    step_matches_.assign(1, step);
    for (const std::uint32_t at : all) {
      const Pick& pick = picks_[at];
      // The module that contains numbered quantizers is a list, which no class names.
      if (!pick.parent.empty() && (pick.parent != module.key || quantizer.numbered)) continue;
      const bool on_whole = std::ranges::binary_search(whole, at);
      const bool was_sequence = quantizer.sequence;
      if (on_whole) {
        quantizer.matched.push_back(at);
        change(quantizer, pick, at);
      }
      if (was_sequence && quantizer.sequence && pick.parent.empty()) change_steps(quantizer, pick, at);
    }
  }

  static void change(Quantizer& quantizer, const Pick& pick, std::uint32_t at) {
    const bool on = pick.enable && !quantizer.never_on;
    if (!pick.steps) {
      for (Step& step : quantizer.steps) step.on = step.nested ? step.on : on;
    } else if (!pick.sequence) {
      quantizer.sequence = false;
      quantizer.steps = {Step{on, at, 0}};
    } else {
      if (!quantizer.sequence) quantizer.steps.assign(*pick.steps, Step{});
      quantizer.sequence = true;
      const std::size_t count = std::min(*pick.steps, quantizer.steps.size());
      for (std::size_t part = 0; part < count; ++part) {
        if (!quantizer.steps[part].nested) quantizer.steps[part] = {on, at, static_cast<std::uint32_t>(part)};
      }
    }
  }

  // Returns the entries that match the name of a step. They are computed once for all entries.
  const std::vector<std::uint32_t>& matches_of_step(const Quantizer& quantizer, std::size_t part) {
    while (step_matches_.size() <= part) {
      auto found = matches(quantizer.name + "." + std::to_string(step_matches_.size()));
      step_matches_.push_back(found ? std::move(*found) : std::vector<std::uint32_t>());
    }
    return step_matches_[part];
  }

  // The steps are visited too, so a second list makes each of them a sequence.
  void change_steps(Quantizer& quantizer, const Pick& pick, std::uint32_t at) {
    for (std::size_t part = 0; part < quantizer.steps.size(); ++part) {
      Step& step = quantizer.steps[part];
      if (step.nested || !std::ranges::binary_search(matches_of_step(quantizer, part), at)) continue;
      if (!pick.steps) {
        step.on = pick.enable && !quantizer.never_on;
      } else if (pick.sequence) {
        step = {pick.enable, at, 0, true};
      } else {
        step = {pick.enable && !quantizer.never_on, at, 0};
      }
    }
  }

  std::span<const Pick> picks_;
  base::Budget budget_ = selectors::assignment_budget();
  selectors::TermIndex index_;
  std::vector<std::vector<std::uint32_t>> step_matches_;  // by step of the current quantizer
};

}  // namespace

std::vector<bool> matched_entries(std::span<const QuantizedModule> modules, std::size_t count) {
  std::vector<bool> out(count);
  for (const QuantizedModule& module : modules) {
    for (const Quantizer& quantizer : module.quantizers) {
      for (const std::uint32_t at : quantizer.matched) out[at] = true;
    }
  }
  return out;
}

bool apply_entries(std::span<const Pick> picks, std::vector<QuantizedModule>& modules) {
  Application application(picks);
  return std::ranges::all_of(modules, [&](QuantizedModule& module) { return application.run(module); });
}

}  // namespace sparsecfg::dialect::modelopt
