#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "base/text.h"
#include "diag/levels.h"
#include "diag/page.h"
#include "diag/render_text.h"
#include "report/repeated.h"
#include "report/report.h"
#include "report/summary.h"

namespace sparsecfg::report {

// "1 recipe and 2 values not checked", or an empty string.
static std::string unknown_text(const Report& report) {
  std::vector<std::string> parts;
  if (const std::size_t recipes = report.count_not_checked()) parts.push_back(base::counted(recipes, "recipe"));
  if (const std::size_t values = report.count_values()) parts.push_back(base::counted(values, "value"));
  return parts.empty() ? "" : base::join_and(parts) + " not checked";
}

// "1 error, 3 warnings, 1 recipe not checked". Writes "no errors" only if every file could be read and every recipe was
// checked, at least in part.
static std::string counts_text(const Report& report) {
  const std::size_t errors = report.count(diag::Severity::error);
  const std::size_t warnings = report.count(diag::Severity::warning);
  if (report.files.empty()) {
    return report.failures.empty() ? "no recipes found" : "";
  }
  const std::size_t unknown = report.count_not_checked();
  const std::string rest = unknown_text(report);
  if (errors + warnings + report.failures.size() == 0) {
    return unknown > 0 ? rest : rest.empty() ? "no errors" : "no errors, " + rest;
  }
  return base::counted(errors, "error") + ", " + base::counted(warnings, "warning") + (rest.empty() ? "" : ", " + rest);
}

// Counts the notes that are worth a look. Facts are true of many good recipes.
static std::size_t count_notes(const Report& report) {
  std::size_t sum = 0;
  for (const FileReport& file : report.files) {
    sum += static_cast<std::size_t>(std::ranges::count_if(
        file.diagnostics, [](const auto& each) { return each.severity == diag::Severity::info && !each.info->fact; }));
    sum -= std::min(sum, file.values.size());  // the last lines name them
  }
  return sum;
}

// "2 files checked, 5 skipped, 1 failed, 4 findings fixed: 1 error, 3 warnings"
std::string summarize(const Report& report, bool verbose) {
  const std::size_t infos = count_notes(report);
  std::string text = base::counted(report.files.size(), "file") + " checked";
  const std::size_t skipped = report.count_skipped();
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (!report.failures.empty()) text += fmt::format(", {} failed", report.failures.size());
  if (report.fixed) text += ", " + base::counted(report.fixed->size(), "finding") + " fixed";
  const std::string counts = counts_text(report);
  text += (counts.empty() ? "" : ": ") + counts;
  if (infos > 0 && !verbose) {
    text += fmt::format(" ({}: --verbose)", base::counted(infos, "note"));
  }
  if (report.known > 0) text += fmt::format("; {} in the baseline", base::counted(report.known, "finding"));
  if (report.known_gone > 0) {
    text += fmt::format("; {} of the baseline no longer found (--write-baseline removes {})",
                        base::counted(report.known_gone, "finding"), report.known_gone == 1 ? "it" : "them");
  }
  if (report.passed_over > 0) {
    text += fmt::format("; {} without a readable configuration", base::counted(report.passed_over, "script"));
  }
  return text + "\n";
}

// Counts only the findings that are shown.
static std::size_t count_fixable(const Report& report, bool unsafe, bool verbose) {
  std::size_t sum = 0;
  for (const FileReport& file : report.files) {
    sum += static_cast<std::size_t>(std::ranges::count_if(file.diagnostics, [&](const auto& each) {
      return diag::is_fixable(each, unsafe) && (verbose || each.severity != diag::Severity::info);
    }));
  }
  return sum;
}

// "3 fixable with --fix, 1 more with --unsafe-fixes"
static std::string fixable_line(const Report& report, const Options& options) {
  const std::size_t now = count_fixable(report, options.unsafe_fixes, options.verbose);
  const std::size_t all = count_fixable(report, true, options.verbose);
  const std::string unsafe = report.fixed ? "--unsafe-fixes" : "--fix --unsafe-fixes";
  if (report.fixed || now == 0) {
    return all == now ? "" : fmt::format("{} fixable with {}\n", all - now, unsafe);
  }
  const std::string first = fmt::format("{} fixable with {}", now, options.unsafe_fixes ? unsafe : "--fix");
  return first + (all == now ? "\n" : fmt::format(", {} more with --unsafe-fixes\n", all - now));
}

// "recipe 2 (line 14): ", or an empty string for the only recipe of a file.
static std::string recipe_prefix(const ModelLine& line) {
  constexpr std::size_t kMaxNamed = 4;
  const std::size_t count = line.recipes.size();
  if (count == 0) {
    return {};
  }
  std::vector<std::string> numbers;
  std::vector<std::string> lines;
  for (const ModelLine::Recipe& recipe : line.recipes) {
    numbers.push_back(std::to_string(recipe.number));
    lines.push_back(std::to_string(recipe.line));
  }
  const std::string more = count > kMaxNamed ? fmt::format(" and {} more", count - kMaxNamed) : "";
  numbers.resize(std::min(count, kMaxNamed));
  lines.resize(numbers.size());
  return count == 1 ? fmt::format("recipe {} (line {}): ", numbers[0], lines[0])
                    : fmt::format("recipes {}{} (lines {}): ", fmt::join(numbers, ", "), more, fmt::join(lines, ", "));
}

// Lines about files. Files with the same line share it.
class SharedLines {
 public:
  void add(const source::SourceFile& file, std::string line) {
    const auto [place, is_new] = places_.try_emplace(line, lines_.size());
    if (is_new) lines_.push_back({std::move(line), &file, &file, 1});
    Line& kept = lines_[place->second];
    if (kept.last != &file) ++kept.files;
    kept.last = &file;
  }

  // `named`: the lines begin with the files.
  [[nodiscard]] std::string text(bool named) const {
    std::string out;
    for (const Line& line : lines_) {
      const std::string more = line.files > 1 ? fmt::format(" and {} more", line.files - 1) : "";
      out += named ? fmt::format("{}{}: {}\n", base::printable(line.first->name()), more, line.text) : line.text + "\n";
    }
    return out;
  }

 private:
  struct Line {
    std::string text;
    const source::SourceFile* first;
    const source::SourceFile* last;
    std::size_t files;
  };

  std::vector<Line> lines_;
  std::map<std::string, std::size_t> places_;  // by the text
};

// Returns the model and the effect of each recipe. Names the file if there are several.
static std::string model_lines(const Report& report) {
  SharedLines out;
  for (const FileReport& file : report.files) {
    if (!file.release.empty()) out.add(*file.file, fmt::format("release: {}", file.release));
    for (const ModelLine& line : file.models) {
      const std::string of_recipe = recipe_prefix(line);
      const std::string_view advice = line.model.ends_with('?') ? "" : "; pass --model";
      out.add(*file.file, line.is_unknown ? fmt::format("{}model: unknown: {}{}", of_recipe, line.model, advice)
                                          : fmt::format("{}model: {}", of_recipe, line.model));
      if (!line.effect.empty()) out.add(*file.file, fmt::format("{}{}", of_recipe, line.effect));
    }
  }
  return out.text(report.files.size() > 1);
}

// Returns a line for each runtime. Names the files only if they were checked for different ones.
static std::string runtime_lines(const Report& report) {
  SharedLines out;
  const auto same = [&](const FileReport& file) { return file.runtime == report.files.front().runtime; };
  for (const FileReport& file : report.files) {
    if (!file.runtime.empty()) out.add(*file.file, file.runtime);
  }
  return out.text(!std::ranges::all_of(report.files, same));
}

// "quantize.py:12", or "line 3 of cell 2 of quantize.ipynb"
static std::string place_of(const source::SourceFile& file, source::Span span) {
  const std::string name = base::printable(file.name());
  const source::CellLine* cell = file.cell_at(span.begin);
  return cell == nullptr ? fmt::format("{}:{}", name, file.position(span.begin).line)
                         : fmt::format("line {} of cell {} of {}", cell->line, cell->cell + 1, name);
}

// "assumes the defaults of `--bits` and `--method`"
static std::string assumed_lines(const Report& report) {
  SharedLines out;
  for (const FileReport& file : report.files) {
    std::vector<std::string> options;
    for (const std::string& option : file.assumed) options.push_back(fmt::format("`{}`", base::printable(option)));
    if (options.empty()) continue;
    out.add(*file.file,
            fmt::format("assumes the default{} of {}", options.size() == 1 ? "" : "s", base::join_and(options)));
  }
  return out.text(report.files.size() > 1);
}

// Returns a reason without the line of its cause, if that is the line of the place.
static std::string_view without_line(std::string_view reason, std::uint32_t line) {
  const std::string same = fmt::format(" (line {})", line);
  if (reason.ends_with(same)) reason.remove_suffix(same.size());
  return reason;
}

// Lists the values of a file that are not known, the first ones by their places.
static std::string value_lines(const FileReport& file) {
  constexpr std::size_t kMaxShown = 3;
  std::string out;
  for (std::size_t at = 0; at < std::min(file.values.size(), kMaxShown); ++at) {
    const NotChecked& each = file.values[at];
    const std::string_view reason = without_line(each.reason, file.file->position(each.span.begin).line);
    out += fmt::format("not checked: a value at {}: {}\n", place_of(*file.file, each.span), base::printable(reason));
  }
  if (file.values.size() > kMaxShown) {
    out += fmt::format("not checked: {} more in {}\n", base::counted(file.values.size() - kMaxShown, "value"),
                       base::printable(file.file->title()));
  }
  return out;
}

std::string coverage_lines(const Report& report) {
  std::string out = assumed_lines(report) + runtime_lines(report);
  for (const FileReport& file : report.files) {
    out += value_lines(file);
    for (const NotChecked& each : file.not_checked) {
      const std::string_view reason = without_line(each.reason, file.file->position(each.span.begin).line);
      out += fmt::format("not checked: the recipe at {} is unknown: {}\n", place_of(*file.file, each.span),
                         base::printable(reason));
    }
  }
  return out;
}

constexpr std::string_view kReadAsSparseml = "LC131";

// Returns the dialect of a file that the usual dialect of its form rejects, with the first error of that dialect.
static std::string chosen_dialect(const FileReport& file, const diag::Diagnostic& finding) {
  const diag::Label& error = finding.labels.front();
  return base::printable(fmt::format("{}: {} (line {}: {})", file.file->name(), finding.message,
                                     file.file->position(error.span.begin).line, error.text)) +
         fmt::format("\n  = help: {}\n\n", finding.help);
}

// Names the dialect below the findings of a file that another dialect can read as well.
static std::string assumed_dialect(const FileReport& file) {
  const auto is_error = [](const diag::Diagnostic& each) { return each.severity == diag::Severity::error; };
  const auto is_both = [](const diag::Diagnostic& each) { return each.info == &diag::read_as_llm_compressor.info; };
  const auto other = std::ranges::find_if(
      file.diagnostics, [](const diag::Diagnostic& each) { return each.info->code == kReadAsSparseml; });
  if (other != file.diagnostics.end()) return chosen_dialect(file, *other);
  const bool named = std::ranges::any_of(file.diagnostics, is_error) && std::ranges::any_of(file.diagnostics, is_both);
  return named ? fmt::format("{} was checked for llm-compressor. Pass `--from sparseml` if it is for SparseML.\n\n",
                             base::printable(file.file->name()))
               : "";
}

std::string render_text(const Report& each, const Options& options) {
  const Report report = join_repeated(each);
  const diag::TextOptions text{.color = options.color,
                               .columns = options.columns,
                               .terminal = options.terminal,
                               .infos = options.verbose,
                               .fixes = options.show_fixes,
                               .docs = options.color && options.terminal ? options.docs : ""};
  std::vector<std::string> parts(report.files.size());
  base::for_each_index(parts.size(), [&](std::size_t at) {
    parts[at] = diag::render_text(*report.files[at].file, report.files[at].diagnostics, text);
    if (!options.verbose && !options.quiet) parts[at] += assumed_dialect(report.files[at]);
  });
  std::string out;
  for (const std::string& part : parts) out += part;
  if (options.quiet) {
    return out;
  }
  if (options.verbose) out += diag::as_page(report.changes, {.color = options.color, .columns = 0});
  if (report.fixed) out += render_fixed(*report.fixed, "fixed");
  out += summarize(report, options.verbose) + fixable_line(each, options) + model_lines(report);
  if (!options.not_checked.empty()) out += "not checked: " + options.not_checked + "\n";
  return out + coverage_lines(report);
}

// The form of compilers, which editors and problem matchers already know:
// `recipe.yaml:10:21: warning: the final sparsity 0.8 is never applied [SP202 final-update-unreachable]`
std::string render_concise(const Report& report, const Options&) {
  std::string out;
  for (const FileReport& file : report.files) {
    for (const diag::Diagnostic& diagnostic : file.diagnostics) {
      const auto [line, column] = file.file->position(diagnostic.span.begin);
      out += fmt::format("{}:{}:{}: {}: {} [{} {}]\n", base::printable(file.file->name()), line, column,
                         to_string(diagnostic.severity), base::printable(diagnostic.message), diagnostic.info->code,
                         diagnostic.info->name);
    }
  }
  return out;
}

}  // namespace sparsecfg::report
