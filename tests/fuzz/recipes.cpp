// The whole way of a recipe: from bytes to diagnostics, and on to a report, to another system's recipe or through the
// fixes. The first byte chooses how the text is taken; every span that is reported must lie inside the text, what is
// printed must be printable, and a recipe that could be read must be one after it is fixed. Each text goes one of these
// ways, with one format or one system: all of them would take five times as long, and texts that differ little go the
// others.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile.h"
#include "convert/convert.h"
#include "diag/render_text.h"
#include "fix.h"
#include "report/report.h"
#include "tests/fuzz/targets.h"

namespace sparsecfg::fuzz {

static std::size_t number_of(const source::SourceFile& file) { return std::hash<std::string_view>()(file.text()); }

template <class List>
static const auto& chosen_by(const source::SourceFile& file, const List& list) {
  return list[number_of(file) / 3 % list.size()];
}

// Spans lie inside the text, and edits are in order.
static void check(const Compilation& result) {
  const std::size_t size = result.file->text().size();
  for (const auto& diagnostic : result.diagnostics) {
    require(is_inside(diagnostic.span, size));
    for (const auto& label : diagnostic.labels) {
      require(is_inside(label.span, size));
    }
    std::uint32_t end = 0;
    for (const auto& edit : diagnostic.fix.edits) {
      require(is_inside(edit.span, size) && edit.span.begin >= end);
      end = edit.span.end;
    }
  }
}

// What is printed is printable.
static void render_report(const Compilation& result) {
  const std::string text = diag::render_text(*result.file, result.diagnostics, {});
  require(base::find_invalid_utf8(text) == text.size());
  require(text.find('\x1b') == std::string::npos);
  report::Report report;
  report.files.push_back({result.file.get(), result.dialect, result.diagnostics});
  static_cast<void>(chosen_by(*result.file, report::formats()).render(report, {}));
}

// What has no errors can be written in every dialect, of which one is tried. That nothing is faulty then is for the
// property tests: a schedule whose parts contradict each other, or names of another model, end in a fault that is told.
static void convert(const Compilation& result, const CompileOptions& options) {
  if (!result.recipe || result.count(diag::Severity::error) > 0) {
    return;
  }
  const dialect::Dialect* dialect = chosen_by(*result.file, dialect::dialects());
  const convert::Request request{dialect, options, 0.1, false};
  const bool onto_itself = convert::is_onto_itself(*result.recipe, *dialect);
  if (dialect->write != nullptr && (onto_itself || convert::run_of(*result.recipe, request))) {
    (void)convert::convert(result, request);
  }
}

static void repair(Compilation result, const CompileOptions& options) {
  const bool readable = result.recipe.has_value();
  const bool runs = result.runs();
  const Fixed fixed = fix(std::move(result), options, {.unsafe = true});
  check(fixed.result);
  require(fixed.result.recipe.has_value() >= readable && fixed.result.runs() >= runs);
}

static CompileOptions options_of(const char* dialect, unsigned char how) {
  static const ir::ModelNames kNames(std::vector<std::string>{"seq.fc1.weight", "seq.fc1.bias", "head.weight"});
  CompileOptions options;
  const char* const dialects[] = {nullptr, "sparseml", "distiller", "nni", "llm-compressor", "ir"};
  const char* const chosen = dialect != nullptr ? dialect : dialects[(how >> 3) % 6];
  if (chosen != nullptr) {
    options.from = chosen;
  }
  if ((how & 1) != 0) {
    options.parameters = &kNames;
  }
  if ((how & 2) != 0) {
    options.read.steps_per_epoch = 7;
    options.read.epochs = 3.5;
  }
  if ((how & 4) != 0) {
    options.read.modules = std::make_shared<const std::vector<source::Module>>(
        std::vector<source::Module>{{"", "Net"}, {"fc1", "Linear"}, {"conv1", "Conv2d"}});
  }
  return options;
}

static void try_recipe(const char* dialect, std::string text, unsigned char how) {
  const CompileOptions options = options_of(dialect, how);
  const char* const names[] = {"recipe.yaml", "recipe.md", "recipe.py", "recipe.json"};
  const std::string name = names[(how >> 5) & 3];
  Compilation result = compile(name, std::move(text), options);
  check(result);
  switch (number_of(*result.file) % 3) {
    case 0: return render_report(result);
    case 1: return convert(result, options);
    default: return repair(std::move(result), options);
  }
}

void try_any(std::string text, unsigned char how) { try_recipe(nullptr, std::move(text), how); }

void try_sparseml(std::string text, unsigned char how) { try_recipe("sparseml", std::move(text), how); }

void try_distiller(std::string text, unsigned char how) { try_recipe("distiller", std::move(text), how); }

void try_nni(std::string text, unsigned char how) { try_recipe("nni", std::move(text), how); }

void try_llm_compressor(std::string text, unsigned char how) { try_recipe("llm-compressor", std::move(text), how); }

void try_schedule(std::string text, unsigned char how) { try_recipe("ir", std::move(text), how); }

}  // namespace sparsecfg::fuzz
