#include "convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

static std::string amount(const Difference& difference) {
  if (difference.unknown) {
    return "largest difference unknown without the shapes of the weights";
  }
  return std::isinf(difference.max)
             ? fmt::format("only one side has a number from step {} on", difference.step)
             : fmt::format("{} {:.2g} at step {}", difference.limit ? "difference of at most" : "largest difference",
                           difference.max, difference.step);
}

// "[PT002, PT012]"
static std::string codes_of(const Fidelity& each) {
  return each.codes.empty() ? "" : fmt::format("[{}]", fmt::join(each.codes, ", "));
}

// "approximated[PT002] (largest difference 0.05 at step 40): ..."
static std::string result_text(const Fidelity& each) {
  using Kind = Fidelity::Kind;
  std::string out(label_of(each.kind));
  if (each.kind >= Kind::approximated) {
    out += codes_of(each);
  }
  if (each.kind == Kind::equivalent || (each.kind == Kind::approximated && each.measured)) {
    out += each.difference.max > 0 || each.difference.unknown ? fmt::format(" ({})", amount(each.difference))
                                                              : " (same numbers)";
  }
  return out + (each.reason.empty() ? "" : ": " + each.reason);
}

static std::size_t count(const Conversion& conversion, Fidelity::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(conversion.fidelity, kind, &Fidelity::kind));
}

constexpr Fidelity::Kind kSummaryOrder[] = {Fidelity::Kind::exact,        Fidelity::Kind::equivalent,
                                            Fidelity::Kind::not_compared, Fidelity::Kind::approximated,
                                            Fidelity::Kind::dropped,      Fidelity::Kind::not_converted};

// "3 exact, 1 approximated, 2 dropped, 1 not converted; nothing was written (`--allow-loss` writes the rest)"
static std::string summary(const Conversion& conversion) {
  std::vector<std::string> counts;
  for (const Fidelity::Kind kind : kSummaryOrder) {
    const std::size_t number = count(conversion, kind);
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

std::string report_text(const Conversion& conversion, const Compilation& compilation) {
  std::string out;
  for (const Fidelity& each : conversion.fidelity) {
    const ir::Origin& origin = compilation.recipe->actions[each.action].origin;
    out += fmt::format("{} (line {}): {}\n", ir::printable_name(origin), line_of(origin, *compilation.file),
                       result_text(each));
  }
  for (const std::string& note : conversion.notes) {
    out += "note: " + note + "\n";
  }
  if (conversion.run) {
    const std::uint64_t all = conversion.run->steps();
    const std::string part = conversion.compared_steps ? fmt::format("{} of ", *conversion.compared_steps) : "";
    out += fmt::format("compared: {}{} steps, {} per epoch\n", part, all, conversion.run->steps_per_epoch);
  }
  return out + summary(conversion);
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
