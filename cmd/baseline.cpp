#include "cmd/baseline.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "cmd/reading.h"

namespace sparsecfg::cmd {

// The baseline that is written if neither the command line nor a config file names one.
static constexpr const char* kDefaultBaseline = "sparsecfg-baseline.json";

// The files of one baseline.
struct BaselineFiles {
  std::string settings;  // the config file that names the baseline; empty if the user does
  std::vector<report::CheckedFile> files{};
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
    baseline.files.push_back({&file, &options.settings.levels});
    baseline.findings += file.diagnostics.size();
  }
  return out;
}

static int write_baseline(const std::string& path, const BaselineFiles& baseline, const Streams& streams) {
  if (path.empty()) {
    const int status = write_baseline(kDefaultBaseline, {{}, baseline.files, baseline.findings}, streams);
    if (status == kClean && !streams.quiet) {
      show_report(
          fmt::format("use it with `--baseline {0}`, or with `baseline: {0}` in `.sparsecfg.yaml`\n", kDefaultBaseline),
          streams);
    }
    return status;
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
