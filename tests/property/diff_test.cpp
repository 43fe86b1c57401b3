#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "compile/fix.h"
#include "convert/convert.h"
#include "diff/diff.h"
#include "doc/readers.h"
#include "format/format.h"
#include "recipes.h"
#include "rounds.h"

// The recipes of the cases beside what they become when they are formatted, fixed and converted: what differs is what
// is known to differ.
namespace sparsecfg::diff {

static constexpr std::size_t kStepsPerEpoch = 10;

static bool is_course(const Change& change) {
  return change.divergence.has_value() && change.kind != Change::Kind::action && change.kind != Change::Kind::length;
}

static bool runs(const Compilation& compilation) {
  return compilation.recipe && compilation.count(diag::Severity::error) == 0;
}

static std::string text_of(const Difference& difference) {
  std::string out;
  for (const Change& change : difference.changes) {
    out += change.what;
    for (const std::string& detail : change.details) out += "; " + detail;
    out += "\n";
  }
  return out;
}

static void check_formatted(const Compilation& before, const std::string& name) {
  diag::Sink sink;
  const auto formatted = format::format(*before.file, {}, {}, sink);
  if (!formatted) {
    return;
  }
  const Compilation after = compile(name, formatted->text, {});
  REQUIRE(runs(after));
  const Difference difference = compare(before, after, {});
  INFO(formatted->text << "\n" << text_of(difference));
  CHECK(difference.same());
}

static void check_fixed(const Compilation& before, const std::string& name) {
  const Fixed fixed = fix(compile(name, std::string(before.file->text()), {}), {}, {});
  const Compilation& after = fixed.result;
  if (!runs(after)) {
    return;
  }
  const Difference difference = compare(before, after, {});
  INFO(after.file->text() << "\n" << text_of(difference));
  CHECK(std::ranges::none_of(difference.changes, is_course));
}

// Returns true if two runs were compared.
static bool check_converted(const Compilation& before, const dialect::Dialect& to) {
  const convert::Request request{&to, {}, 0.1};
  constexpr double kMaxEpochs = 1000;  // of a run that takes no seconds
  const auto run = convert::has_steps(*before.recipe, to) ? convert::run_of(*before.recipe, request) : std::nullopt;
  if (!run || run->epochs > kMaxEpochs) {
    return false;
  }
  const convert::Conversion conversion = convert::convert(before, request);
  CompileOptions options;
  options.from = std::string(to.name);
  options.read.steps_per_epoch = kStepsPerEpoch;
  const Compilation after = compile("converted.yaml", conversion.text, options);
  const bool told = std::ranges::all_of(conversion.fidelity, [](const convert::Fidelity& each) {
    return each.kind == convert::Fidelity::Kind::exact || each.kind == convert::Fidelity::Kind::equivalent;
  });
  if (conversion.text.empty() || !runs(after) || !after.recipe->has_timeline() || !conversion.run ||
      conversion.compared_steps) {
    return false;
  }
  const Request asked{kStepsPerEpoch, conversion.run->epochs, conversion.initial_rate.value_or(0.1)};
  const Difference difference = compare(before, after, asked);
  INFO("to " << to.name << "\n" << conversion.text << "\n" << text_of(difference));
  if (told) CHECK(std::ranges::none_of(difference.changes, is_course));
  constexpr double kRounding = 1e-12;
  const bool differs = std::ranges::any_of(conversion.fidelity, [](const convert::Fidelity& each) {
    return each.kind == convert::Fidelity::Kind::approximated && each.difference.max > kRounding;
  });
  // The sparsity of a weight with several masks may be unknown, so the actions are compared.
  const auto masks = [](const ir::Action& action) {
    return std::holds_alternative<ir::Prune>(action.effect) || std::holds_alternative<ir::HoldMask>(action.effect);
  };
  if (differs && std::ranges::count_if(before.recipe->actions, masks) < 2)
    CHECK(std::ranges::any_of(difference.changes, is_course));
  return true;
}

TEST_CASE("a recipe and what becomes of it differ as far as is known", "[diff]") {
  std::size_t compared = 0;
  const auto each_nth = static_cast<std::size_t>(property_rounds(50) == 50 ? 1 : 10);
  const auto check = [&](const std::filesystem::path& path, const std::string& text) {
    const std::string name = path.filename().string();
    const Compilation before = compile(name, text, {});
    if (!runs(before)) return;
    INFO(path.string() << "\n" << text);
    CHECK(compare(before, before, {}).same());
    check_formatted(before, name);
    check_fixed(before, name);
    for (const dialect::Dialect* to : dialect::dialects()) {
      if (to->write != nullptr && to->read != nullptr && check_converted(before, *to)) ++compared;
    }
  };
  for_each_recipe({".yaml", ".md", ".json"}, each_nth, check);
  CHECK(compared > 20);
}

}  // namespace sparsecfg::diff
