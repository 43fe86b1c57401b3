// From bytes to rendered diagnostics, through their fixes and to other systems' recipes. The first byte chooses
// how the text is taken; every span that is reported must lie inside the text, what is printed must be printable,
// and a recipe that could be read must be one after it is fixed.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "compile.h"
#include "convert/convert.h"
#include "report/report.h"
#include "diag/render_text.h"
#include "fix.h"

static void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

static bool inside(sparsecfg::source::Span span, std::size_t size) {
  return span.begin <= span.end && span.end <= size;
}

static void check(const sparsecfg::Compilation& result) {
  const std::size_t size = result.file->text().size();
  for (const auto& diagnostic : result.diagnostics) {
    require(inside(diagnostic.span, size));
    for (const auto& label : diagnostic.labels) {
      require(inside(label.span, size));
    }
    std::uint32_t end = 0;
    for (const auto& edit : diagnostic.fix.edits) {
      require(inside(edit.span, size) && edit.span.begin >= end);
      end = edit.span.end;
    }
  }
  const std::string text = sparsecfg::diag::render_text(*result.file, result.diagnostics, {});
  require(sparsecfg::base::find_invalid_utf8(text) == text.size());
  require(text.find('\x1b') == std::string::npos);
  sparsecfg::report::Report report;
  report.files.push_back({result.file.get(), result.dialect, result.diagnostics});
  for (const auto& format : sparsecfg::report::formats()) static_cast<void>(format.render(report, {}));
}

// What has no errors can be written in every dialect. That nothing is faulty then is for the property tests: a
// schedule whose parts contradict each other, or names of another model, end in a fault that is told.
static void convert(const sparsecfg::Compilation& result, const sparsecfg::CompileOptions& options) {
  if (!result.recipe || result.count(sparsecfg::diag::Severity::error) > 0) {
    return;
  }
  for (const auto* dialect : sparsecfg::dialect::dialects()) {
    const sparsecfg::convert::Request request{dialect, options, 0.1, false};
    const bool onto_itself = sparsecfg::convert::is_onto_itself(*result.recipe, *dialect);
    if (dialect->write != nullptr && (onto_itself || sparsecfg::convert::run_of(*result.recipe, request))) {
      (void)sparsecfg::convert::convert(result, request);
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  static const sparsecfg::ir::ModelNames kNames(
      std::vector<std::string>{"seq.fc1.weight", "seq.fc1.bias", "head.weight"});
  sparsecfg::CompileOptions options;
  const char* const dialects[] = {nullptr, "sparseml", "distiller", "nni", "ir"};
  if (const char* from = dialects[(data[0] >> 3) % 5]) {
    options.from = from;
  }
  if ((data[0] & 1) != 0) {
    options.parameters = &kNames;
  }
  if ((data[0] & 2) != 0) {
    options.read.steps_per_epoch = 7;
    options.read.epochs = 3.5;
  }
  if ((data[0] & 4) != 0) {
    options.read.modules = std::make_shared<const std::vector<sparsecfg::source::Module>>(
        std::vector<sparsecfg::source::Module>{{"", "Net"}, {"fc1", "Linear"}, {"conv1", "Conv2d"}});
  }
  const char* const names[] = {"recipe.yaml", "recipe.md", "recipe.py", "recipe.json"};
  const std::string name = names[(data[0] >> 5) & 3];
  sparsecfg::Compilation result =
      sparsecfg::compile(name, std::string(reinterpret_cast<const char*>(data) + 1, size - 1), options);
  check(result);
  convert(result, options);
  const bool readable = result.recipe.has_value();
  const bool runs = result.runs();
  const sparsecfg::Fixed fixed = sparsecfg::fix(std::move(result), options, {.unsafe = true});
  check(fixed.result);
  require(fixed.result.recipe.has_value() >= readable && fixed.result.runs() >= runs);
  return 0;
}
