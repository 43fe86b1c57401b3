#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "report/parts.h"

namespace sparsecfg::report {

// A path that is not UTF-8 is also written to `path_uri`, percent-encoded.
static Json path_json(const std::string& path) {
  Json out{{"path", path}};
  if (base::find_invalid_utf8(path) != path.size()) out["path_uri"] = base::uri_of(path);
  return out;
}

static Json file_json(const FileReport& report, const std::string& docs) {
  Json out = path_json(report.file->name());
  out.update({{"dialect", nullptr}, {"diagnostics", Json::array()}});
  if (report.dialect) {
    out["dialect"] = *report.dialect;
  }
  if (!report.release.empty()) out["release"] = report.release;
  const bool several = std::ranges::any_of(report.models, [](const ModelLine& line) { return !line.recipes.empty(); });
  for (const ModelLine& line : report.models) {
    Json one = Json::object();
    for (const ModelLine::Recipe& recipe : line.recipes) one["recipes"].push_back(recipe.number);
    if (line.is_unknown) one["model"] = nullptr;
    one[line.is_unknown ? "model_unknown" : "model"] = line.model;
    if (!line.effect.empty()) one["effect"] = line.effect;
    if (several) out["models"].push_back(std::move(one));
    if (!several) out.update(one);
  }
  if (!report.runtime.empty()) out["runtime"] = report.runtime;
  if (!report.assumed.empty()) out["assumed"] = report.assumed;
  for (const NotChecked& each : report.not_checked) {
    out["not_checked"].push_back({{"line", report.file->position(each.span.begin).line}, {"reason", each.reason}});
  }
  for (const diag::Diagnostic& diagnostic : report.diagnostics) {
    out["diagnostics"].push_back(finding_json(*report.file, diagnostic, docs));
  }
  return out;
}

static Json failure_json(const Failure& failure) {
  Json out = path_json(failure.path);
  out["reason"] = failure.reason;
  return out;
}

static Json fixed_json(const std::vector<FixedFinding>& fixed) {
  Json out = Json::array();
  for (const FixedFinding& each : fixed) {
    Json entry = path_json(each.path);
    entry.update({{"line", each.line}, {"code", each.info->code}, {"name", each.info->name}});
    out.push_back(std::move(entry));
  }
  return out;
}

// Optional members: `path_uri` is omitted if the path is UTF-8, `release` if no file of the project requires
// one, `model` and `effect` without a model, `models` unless the file has several recipes, `model_unknown` if the model
// is known, `runtime` without --runtime, `assumed` if no option of a script matters, `not_checked` if all recipes are
// known, `note` if the span has no label, `fix` if there is no fix, `url` if the address of the documentation is
// unknown, `fixed` without --fix, `skipped` if nothing was skipped, and `passed_over` if it is 0.
std::string render_json(const Report& report, const Options& options) {
  Json out{{"format", 1},
           {"tool", {{"name", "sparsecfg"}, {"version", base::version()}}},
           {"summary",
            {{"files", report.files.size()},
             {"errors", report.count(diag::Severity::error)},
             {"warnings", report.count(diag::Severity::warning)},
             {"infos", report.count(diag::Severity::info)}}},
           {"files", Json::array()},
           {"failures", Json::array()}};
  if (report.fixed) {
    out["summary"]["fixed"] = report.fixed->size();
    out["fixed"] = fixed_json(*report.fixed);
  }
  if (!report.skipped.empty()) {
    out["summary"]["skipped"] = report.count_skipped();
    out["skipped"] = Json::array();
    for (const Skipped& skipped : report.skipped)
      out["skipped"].push_back(failure_json({skipped.path, skipped.reason}));
  }
  if (report.known > 0) {
    out["summary"]["baseline"] = report.known;
  }
  if (report.passed_over > 0) {
    out["summary"]["passed_over"] = report.passed_over;
  }
  for (const FileReport& file : report.files) {
    out["files"].push_back(file_json(file, options.docs));
  }
  for (const Failure& failure : report.failures) {
    out["failures"].push_back(failure_json(failure));
  }
  return json_text(out);
}

// Each finding has `path`, `dialect` and the members of a finding in `json`. A file that cannot be read has `path` and
// `reason`.
std::string render_json_lines(const Report& report, const Options& options) {
  std::string out;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      Json line = path_json(file.file->name());
      line["dialect"] = nullptr;
      if (file.dialect) line["dialect"] = *file.dialect;
      line.update(finding_json(*file.file, diagnostic, options.docs));
      out += json_text(line, true);
    }
  }
  for (const Failure& failure : report.failures) {
    out += json_text(failure_json(failure), true);
  }
  return out;
}

}  // namespace sparsecfg::report
