#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/stages/coercion.h"
#include "regex/compare.h"
#include "regex/nfa.h"

// What modifiers do to each other: they work in the order of the file.
namespace sparsecfg::dialect::llmcompressor {

using source::Value;

class OrderCheck {
 public:
  OrderCheck(const Reading& reading, const std::vector<Modifier>& modifiers, Release release, const Modules* modules)
      : reading_(reading), modifiers_(modifiers), release_(release), modules_(modules) {}

  void run() {
    for (std::size_t at = 0; at < modifiers_.size(); ++at) {
      if (meaning_of(modifiers_[at]) == Meaning::awq) check_awq(at);
      check_after(at);
      check_without_scheme(at);
      check_group(at);
    }
    check_masks();
    report_data();
  }

 private:
  [[nodiscard]] bool gives_schemes(std::size_t at) const {
    return quantizes(meaning_of(modifiers_[at])) && !groups_of(modifiers_[at]).empty();
  }

  // A modifier that says nothing itself works with the schemes of those before it.
  void check_without_scheme(std::size_t at) {
    const Modifier& modifier = modifiers_[at];
    const Meaning meaning = meaning_of(modifier);
    const bool bare =
        (meaning == Meaning::gptq || meaning == Meaning::auto_round) && modifier.valid && !has_configuration(modifier);
    for (std::size_t before = 0; bare && before < at; ++before) {
      if (gives_schemes(before)) return;
    }
    if (bare) {
      reading_.sink
          .report(diag::nothing_quantized, modifier.key,
                  fmt::format("`{}` has no scheme, and no modifier before it gives one", modifier.spec->name))
          .with_help("add a preset such as `scheme: W4A16`, or `config_groups`");
    }
  }

  // --- AWQ ---

  [[nodiscard]] const Modifier* quantization_after(std::size_t at) const {
    const auto found = std::find_if(modifiers_.begin() + static_cast<std::ptrdiff_t>(at) + 1, modifiers_.end(),
                                    [](const Modifier& each) { return quantizes(meaning_of(each)); });
    return found == modifiers_.end() ? nullptr : &*found;
  }

  void check_awq(std::size_t at) {
    const bool transform = is_at_least(release_, Release::v0_11);
    const bool has_old = report_old_fields(at, transform);
    if (transform && !has_old && quantization_after(at) == nullptr) {
      reading_.sink.report(diag::awq_needs_quantization, modifiers_[at].key)
          .with_help("add a QuantizationModifier with the scheme after it");
    }
    check_duo_scaling(at);
  }

  // Fields of the class before 0.11 are moved behind it.
  bool report_old_fields(std::size_t at, bool transform) {
    const Modifier& awq = modifiers_[at];
    std::vector<const Field*> old;
    for (const Field& field : awq.fields) {
      if (field.spec == nullptr && is_old_awq_field(field.name)) old.push_back(&field);
    }
    if (old.empty() || !transform) {
      return !old.empty();
    }
    auto& report = reading_.sink.report(diag::awq_old_fields, old.front()->key, old.front()->name);
    for (std::size_t other = 1; other < old.size(); ++other) {
      report.with_label(old[other]->key, "nor is this one");
    }
    report.with_help("move them to a `QuantizationModifier` that follows it in the group").with_fix(moved(at, old));
    return true;
  }

  // Only fields that are written within a line can be moved by an edit of the text.
  diag::Fix moved(std::size_t at, const std::vector<const Field*>& old) const {
    const Modifier& awq = modifiers_[at];
    const bool taken = std::ranges::any_of(modifiers_, [&](const Modifier& each) {
      return each.stage == awq.stage && each.group == awq.group && meaning_of(each) == Meaning::quantization;
    });
    std::string entry;
    diag::Fix fix = diag::Fix::safe();
    for (const Field* field : old) {
      const std::string text(reading_.file.text(field->value.span));
      if (taken || text.find('\n') != std::string::npos || text.empty() || text.front() == '-' ||
          is_block(field->value)) {
        return {};
      }
      entry += fmt::format("{}{}: {}", entry.empty() ? "" : ", ", field->name, text);
      fix.remove(field->key);
    }
    return fix.add_entry(awq.key, fmt::format("QuantizationModifier: {{{}}}", entry));
  }

  [[nodiscard]] bool is_block(const Value& value) const {
    const std::string_view text = reading_.file.text(value.span);
    return (value.get<source::Map>() != nullptr && !text.starts_with('{')) ||
           (value.get<source::List>() != nullptr && !text.starts_with('['));
  }

  void check_duo_scaling(std::size_t at) {
    const Modifier& awq = modifiers_[at];
    const Value* duo = awq.given("duo_scaling");
    if (duo != nullptr && stages::as_boolean(*duo) == false) {
      return;
    }
    for (const Modifier& other : modifiers_) {
      for (const Group& group : quantizes(meaning_of(other)) ? groups_of(other) : std::vector<Group>()) {
        if (group.weights.numbers.present && group.weights.numbers.strategy == Strategy::tensor) {
          reading_.sink.report(diag::awq_tensor_duo, duo == nullptr ? awq.key : duo->span)
              .with_label(group.span, "these weights have one scale per tensor")
              .with_help("write `duo_scaling: false`")
              .with_fix(duo != nullptr ? diag::Fix::unsafe().replace(duo->span, "false") : diag::Fix());
          return;
        }
      }
    }
  }

  // --- what comes after what ---

  void check_after(std::size_t at) {
    const Modifier& later = modifiers_[at];
    const Meaning meaning = meaning_of(later);
    const bool changes = transforms(meaning) || prunes_layers(meaning);
    for (std::size_t before = 0; before < at; ++before) {
      const Modifier& earlier = modifiers_[before];
      if (changes && gives_schemes(before) && !(meaning == Meaning::awq && quantization_after(at) != nullptr)) {
        reading_.sink.report(diag::works_on_quantized, later.key, later.spec->name, earlier.spec->name)
            .with_label(earlier.key, "this one quantizes")
            .with_help(fmt::format("put `{}` first", later.spec->name));
        return;
      }
    }
    if (gives_schemes(at)) {
      check_lost_sparsity(at);
      check_replaced(at);
    }
  }

  void check_lost_sparsity(std::size_t at) {
    const Modifier& later = modifiers_[at];
    const std::vector<Group> groups = groups_of(later);
    const bool weights = std::ranges::any_of(groups, [](const Group& group) { return group.weights.numbers.present; });
    const auto pruner = std::find_if(modifiers_.begin(), modifiers_.begin() + static_cast<std::ptrdiff_t>(at),
                                     [](const Modifier& each) { return prunes_layers(meaning_of(each)); });
    if (weights && pruner != modifiers_.begin() + static_cast<std::ptrdiff_t>(at)) {
      reading_.sink.report(diag::sparsity_lost, later.key, later.spec->name, pruner->spec->name)
          .with_label(pruner->key, "its zeros are not held")
          .with_help("count the zeros of the saved model before it is used as a sparse one");
    }
  }

  // The target that both take, as it stands in the later one.
  [[nodiscard]] std::optional<Entry> shared(const Modifier& earlier, const Modifier& later) const {
    const std::vector<Entry> ignored = entries_of(later, "ignore");
    for (const Group& before : groups_of(earlier)) {
      for (const Entry& first : before.targets) {
        const bool left = std::ranges::any_of(ignored, [&](const Entry& each) { return each.text == first.text; });
        for (const Group& after : groups_of(later)) {
          for (const Entry& second : after.targets) {
            if (!left && meet(first.text, second.text)) return second;
          }
        }
      }
    }
    return std::nullopt;
  }

  // Returns true if both certainly take one layer: by the model's names, else if one takes all that the other does.
  // A pattern is for layers, and `Linear` is all of them.
  [[nodiscard]] bool meet(const std::string& a, const std::string& b) const {
    if (a == b) return true;
    if (modules_ != nullptr) return layer_of_both(*modules_, a, b).has_value();
    if (!is_pattern(a) || !is_pattern(b)) return (a == "Linear" && is_pattern(b)) || (b == "Linear" && is_pattern(a));
    const auto first = regex::Nfa::of(pattern_of(a), regex::Anchoring::start);
    const auto second = regex::Nfa::of(pattern_of(b), regex::Anchoring::start);
    const auto* one = std::get_if<regex::Nfa>(&first);
    const auto* two = std::get_if<regex::Nfa>(&second);
    using enum regex::Comparison::Answer;
    return one != nullptr && two != nullptr &&
           (regex::contains(*one, *two).answer == yes || regex::contains(*two, *one).answer == yes);
  }

  void check_replaced(std::size_t at) {
    const Modifier& later = modifiers_[at];
    for (std::size_t before = 0; before < at; ++before) {
      const Modifier& earlier = modifiers_[before];
      const auto target = gives_schemes(before) ? shared(earlier, later) : std::nullopt;
      if (target) {
        reading_.sink
            .report(diag::later_scheme_replaces, target->span, later.spec->name, earlier.spec->name,
                    base::printable(target->text))
            .with_label(earlier.key, "its scheme is gone there")
            .with_help("name the layers of the other one under `ignore`");
        return;
      }
    }
  }

  void check_group(std::size_t at) {
    const Modifier& later = modifiers_[at];
    for (std::size_t before = 0; before < at; ++before) {
      const Modifier& earlier = modifiers_[before];
      if (earlier.spec == later.spec && earlier.group == later.group && earlier.stage != later.stage) {
        reading_.sink.report(diag::written_as_one, later.key, later.spec->name, base::printable(later.group))
            .with_label(earlier.key, "the other one")
            .with_help("give one of the groups another name");
        return;
      }
    }
  }

  // Masks of training on one layer: each of them fails where the other one is.
  void check_masks() {
    const Modifier* constant = find(Meaning::constant_pruning);
    const Modifier* magnitude = find(Meaning::magnitude_pruning);
    if (constant == nullptr || magnitude == nullptr) {
      return;
    }
    const std::vector<Entry> targets = entries_of(*constant, "targets");
    for (const Entry& entry : entries_of(*magnitude, "targets")) {
      if (std::ranges::any_of(targets, [&](const Entry& other) { return meet(entry.text, other.text); })) {
        reading_.sink.report(diag::two_masks, entry.span, magnitude->spec->name, constant->spec->name)
            .with_help("delete one of them");
        return;
      }
    }
  }

  [[nodiscard]] const Modifier* find(Meaning meaning) const {
    const auto found =
        std::ranges::find_if(modifiers_, [&](const Modifier& each) { return meaning_of(each) == meaning; });
    return found == modifiers_.end() ? nullptr : &*found;
  }

  void report_data() {
    const auto first = std::ranges::find_if(modifiers_, [](const Modifier& each) { return looks_at_data(each); });
    if (first != modifiers_.end()) {
      reading_.sink
          .report(diag::needs_calibration_data, first->key, fmt::format("`{}` looks at data", first->spec->name))
          .with_help("give `oneshot` a `dataset`");
    }
  }

  const Reading& reading_;
  const std::vector<Modifier>& modifiers_;
  Release release_;
  const Modules* modules_;
};

void check_order(const Reading& reading, const std::vector<Modifier>& modifiers, Release release,
                 const Modules* modules) {
  OrderCheck(reading, modifiers, release, modules).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
