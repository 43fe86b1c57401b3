#include "convert/normalize.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/line_diff.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/reading.h"
#include "convert/convert.h"
#include "source/save.h"

namespace sparsecfg::cmd {

class Normalizer {
 public:
  Normalizer(const NormalizeOptions& options, const Streams& streams) : options_(options), streams_(streams) {}

  int run() {
    for (const std::string& path : options_.paths) {
      worst_ = std::max(worst_, handle(path));
    }
    return worst_;
  }

 private:
  int handle(const std::string& path) {
    const auto read = read_recipe(path, options_.reading, streams_);
    if (!read) {
      return kUsage;
    }
    const Compilation& compilation = read->compilation;
    if (compilation.count(diag::Severity::error) > 0 || !compilation.recipe) {
      show(compilation, compilation.diagnostics);
      return kErrors;
    }
    const dialect::Dialect& dialect = *dialect::find_dialect(*compilation.dialect);
    const std::string ending = base::to_lower(base::ending_of(compilation.file->name()));
    if (!dialect.holds_any && (ending == "py" || ending == "json")) {
      complain(streams_.err, path,
               fmt::format("recipes are written as YAML; `convert --to {}` makes one of it", dialect.name));
      return kUsage;
    }
    const convert::Conversion conversion =
        convert::convert(compilation, {&dialect, read->options->compile, read->options->settings.initial_rate,
                                       options_.keep_variables});
    show(compilation, conversion.diagnostics);
    return conversion.faulty  ? kInternal
           : conversion.drops ? kErrors
                              : hand_over(path, compilation, convert::normalized(*compilation.file, conversion));
  }

  void show(const Compilation& compilation, std::vector<diag::Diagnostic> diagnostics) const {
    std::erase_if(diagnostics, [](const diag::Diagnostic& each) { return each.severity != diag::Severity::error; });
    show_findings(compilation, std::move(diagnostics), streams_);
  }

  int hand_over(const std::string& path, const Compilation& compilation, const std::string& text) const {
    const bool same = text == compilation.file->text();
    if (options_.diff && !same) {
      streams_.out << base::unified_diff(compilation.file->text(), text, compilation.file->name());
    }
    if (options_.check && !same) {
      complain(streams_.err, path, "is not normalized");
      return kErrors;
    }
    if (options_.write && !same) {
      if (const auto unwritten = source::replace_file(path, std::string(compilation.file->text()), text)) {
        complain(streams_.err, path, *unwritten);
        return kUsage;
      }
    }
    if (!options_.diff && !options_.check && !options_.write) {
      streams_.out << text;
    }
    return kClean;
  }

  const NormalizeOptions& options_;
  const Streams& streams_;
  int worst_ = kClean;
};

int normalize(const NormalizeOptions& options, const Streams& streams) {
  if (options.write && options.check) {
    complain(streams.err, "normalize", "--check writes nothing; leave out --write");
    return kUsage;
  }
  if (options.write && std::ranges::find(options.paths, "-") != options.paths.end()) {
    complain(streams.err, "-", "standard input can't be written");
    return kUsage;
  }
  return Normalizer(options, streams).run();
}

}  // namespace sparsecfg::cmd
