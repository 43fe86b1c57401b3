#include "convert/report.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace sparsecfg::convert {

using Json = nlohmann::ordered_json;

static std::string name_of(const ir::Origin& origin) {
  const std::string name = base::printable(origin.class_name);
  return origin.ordinal > 0 ? name + "#" + std::to_string(origin.ordinal) : name;
}

static std::size_t line_of(const ir::Origin& origin, const source::SourceFile& file) {
  return file.position(origin.span.begin).line;
}

static std::string amount(const Difference& difference) {
  return std::isinf(difference.max) ? fmt::format("without a number on one side from step {} on", difference.step)
                                     : fmt::format("within {:.2g}, most at step {}", difference.max, difference.step);
}

static std::string sentence(const Fidelity& each) {
  const std::string reason = each.reason.empty() ? "" : ": " + each.reason;
  switch (each.kind) {
    case Fidelity::Kind::exact: return "exact" + reason;
    case Fidelity::Kind::equal: return "equal " + amount(each.difference) + reason;
    case Fidelity::Kind::approximated:
      return "approximated" + (each.difference.max > 0 ? ", " + amount(each.difference) : ", the same numbers") +
             reason;
    case Fidelity::Kind::dropped: return "dropped" + reason;
  }
  return {};
}

std::string report_text(const Conversion& conversion, const Compilation& compilation) {
  std::string out;
  for (const Fidelity& each : conversion.fidelity) {
    const ir::Origin& origin = compilation.recipe->actions[each.action].origin;
    out += fmt::format("{} (line {}): {}\n", name_of(origin), line_of(origin, *compilation.file), sentence(each));
  }
  for (const std::string& note : conversion.notes) {
    out += "note: " + note + "\n";
  }
  if (conversion.run) {
    const std::uint64_t all = conversion.run->steps();
    const std::string part = conversion.compared_steps ? fmt::format("{} of ", *conversion.compared_steps) : "";
    out += fmt::format("compared: {}{} steps, {} an epoch\n", part, all, conversion.run->steps_per_epoch);
  }
  return out;
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
                       {"reason", each.reason}});
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
              {"notes", conversion.notes},
              {"diagnostics", diagnostics},
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
