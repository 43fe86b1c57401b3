#include "convert/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "ir/selector_text.h"

namespace sparsecfg::convert {

using Json = nlohmann::ordered_json;

static std::string name_of(const ir::Origin& origin) { return base::printable(ir::numbered_name(origin)); }

static std::size_t line_of(const ir::Origin& origin, const source::SourceFile& file) {
  return file.position(origin.span.begin).line;
}

static std::string amount(const Difference& difference) {
  return std::isinf(difference.max) ? fmt::format("without a number on one side from step {} on", difference.step)
                                    : fmt::format("within {:.2g}, most at step {}", difference.max, difference.step);
}

// "[PT002, PT012]"
static std::string codes_of(const Fidelity& each) {
  return each.codes.empty() ? "" : fmt::format("[{}]", fmt::join(each.codes, ", "));
}

// Exact is only what was compared; what has no steps is kept as the tables of both say.
static std::string sentence(const Fidelity& each, bool compared) {
  const std::string reason = each.reason.empty() ? "" : ": " + each.reason;
  switch (each.kind) {
    case Fidelity::Kind::exact: return (compared ? "exact" : "kept") + reason;
    case Fidelity::Kind::equal: return "equal " + amount(each.difference) + reason;
    case Fidelity::Kind::kept: return "kept" + reason;
    case Fidelity::Kind::approximated:
      return "approximated" + codes_of(each) +
             (!compared || !each.measured ? ""
              : each.difference.max > 0   ? ", " + amount(each.difference)
                                          : ", the same numbers") +
             reason;
    case Fidelity::Kind::elsewhere: return "belongs elsewhere" + codes_of(each) + reason;
    case Fidelity::Kind::dropped: return "lost" + codes_of(each) + reason;
  }
  return {};
}

static std::size_t count(const Conversion& conversion, Fidelity::Kind first, Fidelity::Kind last) {
  return static_cast<std::size_t>(std::ranges::count_if(
      conversion.fidelity, [&](const Fidelity& each) { return each.kind >= first && each.kind <= last; }));
}

// "3 kept, 1 of them approximated; 1 belongs elsewhere; 2 lost: nothing is written"
static std::string summary(const Conversion& conversion) {
  using Kind = Fidelity::Kind;
  std::string out = fmt::format("{} kept", count(conversion, Kind::exact, Kind::approximated));
  if (const std::size_t approximated = count(conversion, Kind::approximated, Kind::approximated); approximated > 0) {
    out += fmt::format(", {} of them approximated", approximated);
  }
  if (const std::size_t elsewhere = count(conversion, Kind::elsewhere, Kind::elsewhere); elsewhere > 0) {
    out += fmt::format("; {} belong{} elsewhere", elsewhere, elsewhere == 1 ? "s" : "");
  }
  const std::size_t lost = count(conversion, Kind::dropped, Kind::dropped);
  out += lost > 0 ? fmt::format("; {} lost", lost) : "";
  if (!conversion.written) {
    out += conversion.text.empty() ? ": nothing is left to be written"
                                   : ": nothing is written, `--allow-loss` writes the rest";
  }
  return out + "\n";
}

std::string report_text(const Conversion& conversion, const Compilation& compilation) {
  std::string out;
  const bool compares = conversion.compares;
  for (const Fidelity& each : conversion.fidelity) {
    const ir::Origin& origin = compilation.recipe->actions[each.action].origin;
    out += fmt::format("{} (line {}): {}\n", name_of(origin), line_of(origin, *compilation.file),
                       sentence(each, compares));
  }
  for (const std::string& note : conversion.notes) {
    out += "note: " + note + "\n";
  }
  if (conversion.run) {
    const std::uint64_t all = conversion.run->steps();
    const std::string part = conversion.compared_steps ? fmt::format("{} of ", *conversion.compared_steps) : "";
    out += fmt::format("compared: {}{} steps, {} an epoch\n", part, all, conversion.run->steps_per_epoch);
  }
  return out + summary(conversion);
}

static Json describe(const Difference& difference) {
  if (difference.max == 0) {
    return nullptr;
  }
  return {{"max", std::isinf(difference.max) ? Json(nullptr) : Json(difference.max)}, {"step", difference.step}};
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
              {"counts",
               {{"kept", count(conversion, Fidelity::Kind::exact, Fidelity::Kind::kept)},
                {"approximated", count(conversion, Fidelity::Kind::approximated, Fidelity::Kind::approximated)},
                {"elsewhere", count(conversion, Fidelity::Kind::elsewhere, Fidelity::Kind::elsewhere)},
                {"lost", count(conversion, Fidelity::Kind::dropped, Fidelity::Kind::dropped)}}},
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
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sparsecfg::convert
