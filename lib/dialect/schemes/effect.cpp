#include "dialect/schemes/effect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/plan/plan.h"
#include "dialect/schemes/assigned.h"
#include "dialect/schemes/one_shot.h"
#include "dialect/schemes/targets.h"

namespace sparsecfg::dialect::schemes {

using model::Module;

namespace {

constexpr double kFullBits = 16;  // of a value that is not quantized

// The layers of one class, by scheme.
struct Class {
  std::string_view type;
  std::size_t all = 0;
  std::map<std::size_t, std::size_t> schemes;  // number of layers by group
  std::vector<std::string> others;             // names of layers without a scheme
};

Class& class_of(std::vector<Class>& classes, std::string_view type) {
  const auto known = std::ranges::find(classes, type, &Class::type);
  return known != classes.end() ? *known : classes.emplace_back(Class{type, 0, {}, {}});
}

std::uint64_t count(const model::Shape& shape) { return model::elements_of(shape).value_or(0); }

// Returns the bits of the tensors of a layer with 16 bits for each value, without those that it shares.
double stored_bits(const Module& module, const architecture::Layer* layer) {
  if (layer == nullptr) {
    return module.shape ? static_cast<double>(count(*module.shape)) * kFullBits : 0;
  }
  double bits = 0;
  for (const architecture::Tensor& tensor : layer->tensors) {
    if (!layer->shares(tensor)) bits += static_cast<double>(count(tensor.shape)) * (tensor.single_byte ? 8 : kFullBits);
  }
  return bits;
}

class Effect {
 public:
  Effect(const Assignment& assignment, const std::vector<Module>& modules,
         const std::vector<architecture::Layer>& layers)
      : assignment_(assignment), modules_(modules), layers_(layers) {}

  std::string text() {
    for (std::size_t at = 0; at < modules_.size(); ++at) add(at);
    std::vector<std::string> parts;
    for (const Class& each : classes_) {
      if (!each.schemes.empty()) parts.push_back(class_text(each));
    }
    if (parts.empty()) parts.emplace_back("no layer is quantized");
    return fmt::format("{}{}", fmt::join(parts, "; "), size_text());
  }

 private:
  void add(std::size_t at) {
    const Module& module = modules_[at];
    const architecture::Layer* layer = layers_.size() == modules_.size() ? &layers_[at] : nullptr;
    const double before = stored_bits(module, layer);
    before_ += before;
    const auto group = assignment_.groups_of_modules[at];
    if (group) {
      const double weight = layer != nullptr && !layer->tied.empty() ? 0 : stored_bits(module, nullptr);
      after_ += before - weight + bits_of(assignment_, modules_, at);
    } else {
      after_ += before;
    }
    if (!group && (!module.shape || module.shape->size() < 2)) {
      return;
    }
    Class& mine = class_of(classes_, module.type);
    ++mine.all;
    if (group) {
      ++mine.schemes[*group];
    } else {
      mine.others.push_back(module.name);
    }
  }

  std::string class_text(const Class& each) const {
    std::vector<std::string> schemes;
    for (const auto& [group, number] : each.schemes) {
      schemes.push_back(fmt::format("{} of {} {} layers: {}", number, each.all, base::printable(each.type),
                                    describe_group(assignment_.groups[group])));
    }
    std::string out = fmt::format("{}", fmt::join(schemes, ", "));
    if (!each.others.empty()) out += "; " + others_text(each.others);
    return out;
  }

  // "lm_head stays 16-bit", or a count with the last parts of the names.
  static std::string others_text(const std::vector<std::string>& names) {
    constexpr std::size_t kMaxNames = 3;
    if (names.size() == 1) {
      return base::printable(names.front()) + " stays 16-bit";
    }
    std::vector<std::string> shown;
    for (const std::string& name : names) {
      const std::string last(base::last_part(name));
      const std::string each = base::printable(names.size() <= kMaxNames ? name : last);
      if (std::ranges::find(shown, each) == shown.end()) shown.push_back(each);
    }
    if (names.size() <= kMaxNames) {
      return base::join_and(shown) + " stay 16-bit";
    }
    const bool more = shown.size() > kMaxNames;
    if (more) shown.resize(kMaxNames);
    return fmt::format("{} stay 16-bit ({}{})", names.size(), fmt::join(shown, ", "), more ? ", ..." : "");
  }

  std::string size_text() const {
    constexpr double kGiga = 8e9;
    constexpr double kMega = 8e6;
    if (before_ == 0) {
      return {};
    }
    const bool giga = before_ >= kGiga;
    const double unit = giga ? kGiga : kMega;
    return fmt::format("; {:.{}f} -> {:.{}f} {}", before_ / unit, 1, after_ / unit, 1, giga ? "GB" : "MB");
  }

  const Assignment& assignment_;
  const std::vector<Module>& modules_;
  const std::vector<architecture::Layer>& layers_;
  std::vector<Class> classes_;
  double before_ = 0;
  double after_ = 0;
};

}  // namespace

// Returns the first target of an action that matches a module.
static std::optional<Entry> target_of(const ir::Action& action, const Module& module) {
  const auto matches = [&](const Entry& entry) {
    return !fault_of(entry.text) && matcher_of(entry.text).takes(module);
  };
  for (const source::Entry& group : groups_of(action.origin)) {
    const std::vector<Entry> targets = entries_of(group.second.find("targets"));
    const auto found = std::ranges::find_if(targets, matches);
    if (found != targets.end()) return *found;
  }
  return std::nullopt;
}

void offer_to_ignore(diag::Diagnostic& report, std::string_view name, std::string_view modifier,
                     std::optional<source::Span> list, std::optional<source::Span> last_field) {
  if (list) {
    report.with_help(fmt::format("add `{}` to `ignore`", name))
        .with_fix(diag::Fix::unsafe().append(*list, std::string(name)));
  } else if (last_field) {
    const std::string entry = fmt::format("ignore: [{}]", name);
    report.with_help(fmt::format("add `{}` to `{}`", entry, modifier))
        .with_fix(diag::Fix::unsafe().add_entry(*last_field, entry));
  }
}

// The weights of a saved model are already quantized.
static void advise_to_ignore(diag::Diagnostic& report, const ir::Recipe& recipe, const ir::Origin& modifier,
                             std::string_view head) {
  report.with_help(fmt::format("add `{}` to `ignore`", head));
  if (plan_of(recipe).is_result) {
    return;
  }
  const ir::OriginField* ignored = modifier.find("ignore");
  offer_to_ignore(report, head, modifier.class_name,
                  ignored == nullptr ? std::nullopt : std::optional(ignored->value.span),
                  modifier.fields.empty() ? std::nullopt : std::optional(modifier.fields.back().key));
}

void check_tied(const ir::Recipe& recipe, const std::vector<Module>& modules,
                const std::vector<architecture::Layer>& layers, diag::Sink& sink) {
  const auto tied = std::ranges::find_if(layers, [](const architecture::Layer& each) { return !each.tied.empty(); });
  if (layers.size() != modules.size() || tied == layers.end()) {
    return;
  }
  const Module& head = modules[static_cast<std::size_t>(tied - layers.begin())];
  if (!has_quantized_weights(assign(recipe, {head}), 0)) {
    return;
  }
  for (const ir::Action& action : recipe.actions) {
    const auto* quantize = std::get_if<ir::Quantize>(&action.effect);
    const auto target = quantize != nullptr && quantize->replaces ? target_of(action, head) : std::nullopt;
    if (!target) continue;
    auto& report = sink.report(diag::tied_head, target->span.empty() ? action.origin.span : target->span, target->text,
                               tied->name, tied->tied);
    advise_to_ignore(report, recipe, action.origin, tied->name);
    return;
  }
}

std::string effect_of(const ir::Recipe& recipe, const std::vector<Module>& modules,
                      const std::vector<architecture::Layer>& layers) {
  const Assignment assignment = is_one_shot(recipe) ? assign(recipe, modules) : Assignment{{}, {}, {}, false};
  return assignment.complete ? Effect(assignment, modules, layers).text() : std::string();
}

}  // namespace sparsecfg::dialect::schemes
