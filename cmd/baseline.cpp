#include "cmd/baseline.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "cmd/reading.h"

namespace sparsecfg::cmd {

// The files of one baseline.
struct BaselineFiles {
  std::string settings;  // the config file that names the baseline; empty if the user does
  std::vector<const report::FileReport*> files{};
  std::size_t findings = 0;
};

static std::map<std::string, BaselineFiles> files_by_baseline(project::Validation& validation, bool named_by_user,
                                                              const Streams& streams) {
  std::map<std::string, BaselineFiles> out;
  for (std::size_t at = 0; at < validation.report.files.size(); ++at) {
    const project::FileOptions& options = *validation.options[at];
    report::FileReport& file = validation.report.files[at];
    std::erase_if(file.diagnostics, [&](const diag::Diagnostic& each) {
      return each.severity == diag::Severity::info && !streams.verbose && !file.fails(each);
    });
    BaselineFiles& baseline = out[options.settings.baseline];
    if (!named_by_user) baseline.settings = options.path;
    baseline.files.push_back(&file);
    baseline.findings += file.diagnostics.size();
  }
  return out;
}

static int write_baseline(const std::string& path, const BaselineFiles& baseline, const Streams& streams) {
  if (path.empty()) {
    complain(streams.err, "--write-baseline",
             "no file is known; write `--baseline FILE` or `baseline: FILE` in `.sparsecfg.yaml`");
    return kUsage;
  }
  if (const auto refusal = project::refuse_baseline(baseline.settings, path)) {
    complain(streams.err, path, *refusal);
    return kUsage;
  }
  const int status = write_output({path, true}, {}, report::render_baseline(path, baseline.files), streams);
  if (status == kClean && !streams.quiet) {
    streams.err << fmt::format("{} written to {}\n", base::counted(baseline.findings, "finding"),
                               base::printable(path));
  }
  return status;
}

int write_baselines(project::Validation& validation, bool named_by_user, const Streams& streams) {
  for (const auto& [path, baseline] : files_by_baseline(validation, named_by_user, streams)) {
    if (const int status = write_baseline(path, baseline, streams); status != kClean) return status;
  }
  return kClean;
}

}  // namespace sparsecfg::cmd
