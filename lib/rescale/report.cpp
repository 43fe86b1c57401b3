#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "base/text.h"
#include "rescale/rescale.h"
#include "source/json_number.h"

namespace sparsecfg::rescale {

using Json = nlohmann::ordered_json;

static std::size_t line_of(source::Span place, const Compilation& compilation) {
  return compilation.file->position(place.begin).line;
}

// "7 fields scaled by 2 through the variable num_epochs; the result trains for 100 epochs"
static std::string summary(const Rescaled& rescaled) {
  std::string out =
      fmt::format("{} scaled by {:.6g}", base::counted(rescaled.changes.size(), "field"), rescaled.factor.value());
  if (!rescaled.variables.empty()) {
    const bool one = rescaled.variables.size() == 1;
    out +=
        fmt::format(" through the variable{} {}", one ? "" : "s", base::printable(base::join_and(rescaled.variables)));
  }
  if (rescaled.rounded > 0) {
    out += fmt::format("; {} rounded to hundredths of an epoch (`--exact` keeps all digits)",
                       base::counted(rescaled.rounded, "time"));
  }
  return out + (rescaled.length ? fmt::format("; the result trains for {} epochs\n", *rescaled.length) : "\n");
}

std::string report_text(const Rescaled& rescaled, const Compilation& compilation) {
  std::string out;
  for (const Remark& remark : rescaled.remarks) {
    out += fmt::format("{} (line {}): {}\n", base::printable(remark.label), line_of(remark.place, compilation),
                       base::printable(remark.reason));
  }
  return rescaled.faults ? out : out + summary(rescaled);
}

std::string report_json(const Rescaled& rescaled, const Compilation& compilation) {
  Json changes = Json::array();
  for (const Change& change : rescaled.changes) {
    changes.push_back({{"field", change.label},
                       {"line", line_of(change.place, compilation)},
                       {"before", source::json_number(change.before)},
                       {"after", source::json_number(change.after)}});
  }
  Json remarks = Json::array();
  for (const Remark& remark : rescaled.remarks) {
    remarks.push_back(
        {{"field", remark.label}, {"line", line_of(remark.place, compilation)}, {"reason", remark.reason}});
  }
  const Json out = {{"format", 1},
                    {"path", compilation.file->name()},
                    {"factor", rescaled.factor.value()},
                    {"epochs", rescaled.length ? source::json_number(*rescaled.length) : Json(nullptr)},
                    {"changes", changes},
                    {"variables", rescaled.variables},
                    {"remarks", remarks},
                    {"written", !rescaled.faults}};
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace sparsecfg::rescale
