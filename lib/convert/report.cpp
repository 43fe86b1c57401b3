#include "convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "ir/describe.h"

namespace sparsecfg::convert {

using Json = nlohmann::ordered_json;

std::string_view to_string(Fidelity::Kind kind) {
  static constexpr std::string_view kNames[] = {"exact",        "equivalent",    "not_compared",
                                                "approximated", "not_converted", "dropped"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view label_of(Fidelity::Kind kind) {
  static constexpr std::string_view kLabels[] = {"exact",        "equivalent",    "not compared",
                                                 "approximated", "not converted", "dropped"};
  return kLabels[static_cast<std::size_t>(kind)];
}

static std::size_t line_of(const ir::Origin& origin, const source::SourceFile& file) {
  return file.position(origin.span.begin).line;
}

static std::string step_text(std::uint64_t step, const std::optional<timeline::Run>& run) {
  return run ? fmt::format("step {}, epoch {:.6g}", step, run->epoch_of(step)) : fmt::format("step {}", step);
}

static std::string amount(const Difference& difference, const std::optional<timeline::Run>& run) {
  if (difference.unknown) {
    return "largest difference unknown without the shapes of the weights";
  }
  return std::isinf(difference.max)
             ? fmt::format("only one side has a number from {} on", step_text(difference.step, run))
             : fmt::format("{} {:.2g} at {}", difference.limit ? "difference of at most" : "largest difference",
                           difference.max, step_text(difference.step, run));
}

// "[PT002, PT012]"
static std::string codes_of(const Fidelity& each) {
  return each.codes.empty() ? "" : fmt::format("[{}]", fmt::join(each.codes, ", "));
}

// "approximated[PT002] (largest difference 0.05 at step 40): ..."
static std::string result_text(const Fidelity& each, const std::optional<timeline::Run>& run) {
  using Kind = Fidelity::Kind;
  std::string out(label_of(each.kind));
  if (each.kind >= Kind::approximated) {
    out += codes_of(each);
  }
  if (each.kind == Kind::equivalent || (each.kind == Kind::approximated && each.measured)) {
    out += each.difference.max > 0 || each.difference.unknown ? fmt::format(" ({})", amount(each.difference, run))
                                                              : " (same numbers)";
  }
  return out + (each.reason.empty() ? "" : ": " + each.reason);
}

static std::size_t count(const Conversion& conversion, Fidelity::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(conversion.fidelity, kind, &Fidelity::kind));
}

// Returns true for the definition of a scheduler with the same result as a policy that steps it. To users, both are
// one.
static bool is_repeated(const Fidelity& each, const Conversion& conversion, const ir::Recipe& recipe) {
  const auto scheduler_of = [&](const Fidelity& of) {
    return std::get_if<ir::EpochScheduler>(&recipe.actions[of.action].effect);
  };
  const ir::EpochScheduler* definition = scheduler_of(each);
  if (definition == nullptr || !definition->builds) return false;
  const std::string result = result_text(each, conversion.run);
  return std::ranges::any_of(conversion.fidelity, [&](const Fidelity& other) {
    const ir::EpochScheduler* use = scheduler_of(other);
    return use != nullptr && !use->builds && use->number == definition->number &&
           result_text(other, conversion.run) == result;
  });
}

constexpr Fidelity::Kind kSummaryOrder[] = {Fidelity::Kind::exact,        Fidelity::Kind::equivalent,
                                            Fidelity::Kind::not_compared, Fidelity::Kind::approximated,
                                            Fidelity::Kind::dropped,      Fidelity::Kind::not_converted};

// "3 exact, 1 approximated, 2 dropped, 1 not converted; nothing was written (`--allow-loss` writes the rest)"
static std::string summary(const Conversion& conversion, const ir::Recipe& recipe) {
  std::vector<std::string> counts;
  for (const Fidelity::Kind kind : kSummaryOrder) {
    const auto counts_here = [&](const Fidelity& each) {
      return each.kind == kind && !is_repeated(each, conversion, recipe);
    };
    const auto number = std::ranges::count_if(conversion.fidelity, counts_here);
    if (number > 0) counts.push_back(fmt::format("{} {}", number, label_of(kind)));
  }
  std::string out = counts.empty() ? "0 actions" : fmt::format("{}", fmt::join(counts, ", "));
  if (!conversion.written) {
    out += conversion.text.empty() ? "; there is nothing to write"
                                   : "; nothing was written (`--allow-loss` writes the rest)";
  }
  return out + "\n";
}

static Json counts_json(const Conversion& conversion) {
  Json out = Json::object();
  for (const Fidelity::Kind kind : kSummaryOrder) out[std::string(to_string(kind))] = count(conversion, kind);
  return out;
}

namespace {

// Actions with the same result.
struct ResultGroup {
  std::string result;
  bool is_rate = false;              // true: the difference is that of the learning rate, which they set together
  std::vector<std::size_t> actions;  // one, or at least kFewEqual
};

}  // namespace

// Fewer equal results than this are listed one by one.
constexpr std::size_t kFewEqual = 4;

// Returns the results in the order of their first actions.
static std::vector<ResultGroup> groups_of(const Conversion& conversion, const ir::Recipe& recipe) {
  std::vector<ResultGroup> out;
  const auto is_rate = [&](const Fidelity& each) {
    return each.measured && each.difference.max > 0 && ir::moves_learning_rate(recipe.actions[each.action].effect);
  };
  std::vector<std::string> results;
  for (const Fidelity& each : conversion.fidelity) results.push_back(result_text(each, conversion.run));
  const auto is_like = [&](std::size_t at, std::size_t index) {
    const Fidelity& one = conversion.fidelity[at];
    const Fidelity& other = conversion.fidelity[index];
    const bool same_class =
        recipe.actions[one.action].origin.class_name == recipe.actions[other.action].origin.class_name;
    return is_rate(one) == is_rate(other) && (same_class || is_rate(one)) && results[at] == results[index];
  };
  std::vector<bool> done;
  for (const Fidelity& each : conversion.fidelity) done.push_back(is_repeated(each, conversion, recipe));
  for (std::size_t at = 0; at < conversion.fidelity.size(); ++at) {
    if (done[at]) continue;
    const Fidelity& each = conversion.fidelity[at];
    std::vector<std::size_t> equal;
    for (std::size_t other = at; other < conversion.fidelity.size(); ++other) {
      if (!done[other] && is_like(at, other)) equal.push_back(other);
    }
    std::set<int> ordinals;
    for (const std::size_t other : equal) {
      ordinals.insert(recipe.actions[conversion.fidelity[other].action].origin.ordinal);
    }
    if (ordinals.size() < (is_rate(each) ? 2 : kFewEqual)) equal = {at};
    ResultGroup group{results[at], is_rate(each) && equal.size() > 1, {}};
    for (const std::size_t index : equal) {
      done[index] = true;
      group.actions.push_back(conversion.fidelity[index].action);
    }
    out.push_back(std::move(group));
  }
  return out;
}

// Returns "GMPruningModifier#2 (line 4)", "GMPruningModifier#2 to #41 (lines 4 to 276)", or for learning rates the name
// of each action.
static std::string names_text(const ResultGroup& group, const Compilation& compilation) {
  const auto& actions = compilation.recipe->actions;
  const auto line = [&](std::size_t action) { return line_of(actions[action].origin, *compilation.file); };
  const ir::Origin& first = actions[group.actions.front()].origin;
  if (group.actions.size() == 1) return fmt::format("{} (line {})", ir::printable_name(first), line(group.actions[0]));
  if (group.is_rate) {
    std::vector<std::string> names;
    for (const std::size_t action : group.actions) {
      names.push_back(fmt::format("{} (line {})", ir::printable_name(actions[action].origin), line(action)));
    }
    return base::join_and(names) + ", the learning rate as a whole";
  }
  std::vector<int> ordinals;
  std::vector<std::size_t> lines;
  for (const std::size_t action : group.actions) {
    ordinals.push_back(actions[action].origin.ordinal);
    lines.push_back(line(action));
  }
  const auto [low, high] = std::ranges::minmax(lines);
  const std::string names = ir::joined_names(first.class_name, std::move(ordinals));
  return low == high ? fmt::format("{} (line {})", names, low) : fmt::format("{} (lines {} to {})", names, low, high);
}

std::string report_text(const Conversion& conversion, const Compilation& compilation) {
  std::string out;
  for (const ResultGroup& group : groups_of(conversion, *compilation.recipe)) {
    out += fmt::format("{}: {}\n", names_text(group, compilation), group.result);
  }
  for (const std::string& note : conversion.notes) {
    out += "note: " + note + "\n";
  }
  if (conversion.run) {
    const std::uint64_t all = conversion.run->steps();
    const std::string part = conversion.compared_steps ? fmt::format("{} of ", *conversion.compared_steps) : "";
    out += fmt::format("compared: {}{} steps, {} per epoch\n", part, all, conversion.run->steps_per_epoch);
  }
  return out + summary(conversion, *compilation.recipe);
}

static Json describe(const Difference& difference) {
  if (difference.max == 0 && !difference.unknown) {
    return nullptr;
  }
  return {{"max", std::isinf(difference.max) || difference.unknown ? Json(nullptr) : Json(difference.max)},
          {"step", difference.step}};
}

static Json describe(const diag::Diagnostic& diagnostic, const source::SourceFile& file) {
  return {{"code", diagnostic.info->code},
          {"severity", diag::to_string(diagnostic.severity)},
          {"message", diagnostic.message},
          {"line", file.position(diagnostic.span.begin).line}};
}

std::string report_json(const Conversion& conversion, const Compilation& compilation, std::string_view to) {
  Json actions = Json::array();
  for (const Fidelity& each : conversion.fidelity) {
    const ir::Origin& origin = compilation.recipe->actions[each.action].origin;
    actions.push_back({{"class", origin.class_name},
                       {"ordinal", origin.ordinal},
                       {"line", line_of(origin, *compilation.file)},
                       {"fidelity", to_string(each.kind)},
                       {"difference", describe(each.difference)},
                       {"reason", each.reason},
                       {"codes", each.codes}});
  }
  Json diagnostics = Json::array();
  for (const auto* list : {&compilation.diagnostics, &conversion.diagnostics}) {
    for (const diag::Diagnostic& diagnostic : *list) diagnostics.push_back(describe(diagnostic, *compilation.file));
  }
  Json out = {{"format", 1},
              {"path", compilation.file->name()},
              {"from", compilation.recipe->dialect},
              {"to", to},
              {"actions", actions},
              {"counts", counts_json(conversion)},
              {"notes", conversion.notes},
              {"diagnostics", diagnostics},
              {"written", conversion.written},
              {"compared", nullptr}};
  if (conversion.run) {
    const std::uint64_t all = conversion.run->steps();
    out["compared"] = {{"steps", conversion.compared_steps.value_or(all)},
                       {"steps_per_epoch", conversion.run->steps_per_epoch},
                       {"complete", !conversion.compared_steps}};
  }
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace sparsecfg::convert
