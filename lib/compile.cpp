#include "compile.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "check/check.h"
#include "diag/levels.h"
#include "dialect/dialect.h"
#include "doc/fixes.h"
#include "doc/readers.h"
#include "doc/scalar_type.h"

namespace sparsecfg {

using source::SourceFile;
using source::Span;

std::size_t Compilation::count(diag::Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(diagnostics, severity, &diag::Diagnostic::severity));
}

bool Compilation::runs() const {
  const bool valid = recipe && std::ranges::all_of(recipe->actions, &ir::Action::valid);
  return valid && std::ranges::all_of(diagnostics, [](const diag::Diagnostic& diagnostic) {
           return diagnostic.severity != diag::Severity::error || diagnostic.info->silent_loss;
         });
}

// Returns the extension in lower case: "yaml" for "Recipe.YAML".
static std::string extension_of(const std::string& name) { return base::to_lower(base::ending_of(name)); }

// Passes one recipe through all layers of the compiler.
class Pipeline {
 public:
  Pipeline(Compilation& out, const CompileOptions& options)
      : out_(out), options_(options), file_(*out.file), sink_(options.errors_only) {}

  void run() {
    if (is_script()) {
      read_script();
      return;
    }
    const std::optional<Span> part = find_part();
    if (!part) {
      collect_findings(std::nullopt);
      return;
    }
    const auto document = doc::read_yaml(file_, *part, options_.limits, sink_);
    const dialect::Dialect* detected = detect_dialect(document);
    if (detected != nullptr && document) {
      dialect::ReadOptions read = options_.read;
      read.detected = !options_.from;
      keep(detected->read({file_, *part, *document}, read, sink_));
    }
    collect_findings(document);
    // Fixes refer to fields of the original framework, which a lossless format does not have.
    if (detected != nullptr && detected->is_lossless()) {
      for (diag::Diagnostic& finding : out_.diagnostics) finding.fix = {};
    }
  }

 private:
  void collect_findings(const std::optional<doc::Document>& document) {
    std::vector<Span> comments;
    for (std::size_t at = 0; document && at < document->comments.size(); ++at) {
      comments.push_back(document->comments[at].span);
    }
    out_.diagnostics = sink_.take();
    doc::resolve_fixes(file_, document ? &*document : nullptr, out_.diagnostics);
    diag::suppress(out_.diagnostics, file_, comments);
  }

  // Returns true for Python scripts, unless --from selects a dialect that is not stored in scripts.
  bool is_script() const {
    const dialect::Dialect* asked = options_.from ? dialect::find_dialect(*options_.from) : nullptr;
    return extension_of(file_.name()) == "py" && (asked == nullptr || asked->scripts);
  }

  // Reads a Python script. A script that was found by a search may contain no recipe.
  void read_script() {
    const dialect::Dialect* detected = describe_script();
    const auto document = detected == nullptr ? std::nullopt : doc::read_python(file_, options_.limits, sink_);
    if (document && options_.skip_unknown && !detected->claims(*document)) {
      out_.skipped = true;
      out_.passed_over = true;
    } else if (document) {
      keep(detected->read({file_, whole(), *document}, options_.read, sink_));
    }
    collect_findings(document);
  }

  Span whole() const { return {0, static_cast<std::uint32_t>(file_.text().size())}; }

  // Returns the span of the recipe: the whole file, or the front matter of a Markdown file.
  std::optional<Span> find_part() {
    if (extension_of(file_.name()) != "md") {
      return whole();
    }
    const auto front = doc::find_front_matter(file_.text());
    if (!front) {
      skip_or([&] { sink_.report(diag::no_front_matter, {}).with_help("put the recipe between two `---` lines"); });
      return std::nullopt;
    }
    check_closing(*front);
    after_front_ = front->closing.end;
    return front->yaml;
  }

  // Reports a closing delimiter that is not at the start of its line. It was probably not meant as a delimiter.
  void check_closing(const doc::FrontMatter& front) {
    const source::Position at = file_.position(front.closing.begin);
    const Span line = file_.line_span(at.line);
    const std::string_view before = file_.text({line.begin, front.closing.begin});
    if (!base::trim(before).empty()) {
      sink_.report(diag::front_matter_truncates_recipe, front.closing, file_.text(front.closing), at.line)
          .with_label(front.opening, "the recipe starts here")
          .with_help("use another character for rulers in comments, such as `# ===`")
          .with_fix(base::trim(before).starts_with('#') ? other_ruler(line) : diag::Fix());
      truncated_ = true;
    }
  }

  // Replaces everything in the comment that could be read as a delimiter with `=`.
  diag::Fix other_ruler(Span line) const {
    diag::Fix fix = diag::Fix::safe();
    std::string comment(file_.text(line));
    for (const char ruler : {'-', '+'}) {
      const std::string run(3, ruler);
      for (std::size_t at = comment.find(run); at != std::string::npos; at = comment.find(run)) {
        const std::size_t end = std::min(comment.find_first_not_of(ruler, at), comment.size());
        comment.replace(at, end - at, end - at, '=');
      }
    }
    return fix.replace(line, comment);
  }

  // Returns nullptr if no dialect claims the file. In that case reports an error or marks the file as skipped.
  const dialect::Dialect* detect_dialect(const std::optional<doc::Document>& document) {
    if (options_.from) {
      return dialect::find_dialect(*options_.from);
    }
    const dialect::Dialect* detected = document ? dialect::detect(*document) : dialect::detect(file_.text());
    if (detected != nullptr) {
      return accept(*detected);
    }
    if (const std::optional<Span> later = later_block()) {
      sink_.report(diag::not_a_recipe, *later)
          .with_caret("the recipe starts here")
          .with_help("move this block to the start of the file; SparseML reads only the first `---` block");
      return nullptr;
    }
    skip_or([&] {
      if (document && !truncated_ && is_empty(*document)) {
        sink_.report(diag::empty_document, {});
      } else if (document && !truncated_) {
        report_unknown_name();
      }
    });
    return nullptr;
  }

  // Returns the opening line of the second `---` block of a Markdown file if that block contains a recipe. The first
  // one often contains the title of a web page.
  std::optional<Span> later_block() const {
    const auto block = after_front_ == 0 ? std::nullopt : doc::find_front_matter(file_.text().substr(after_front_));
    if (!block) {
      return std::nullopt;
    }
    diag::Sink unused;  // findings in the second block are not reported
    const Span yaml{after_front_ + block->yaml.begin, after_front_ + block->yaml.end};
    const auto document = doc::read_yaml(file_, yaml, options_.limits, unused);
    return document && dialect::detect(*document) != nullptr
               ? std::optional(Span{after_front_ + block->opening.begin, after_front_ + block->opening.end})
               : std::nullopt;
  }

  const dialect::Dialect* accept(const dialect::Dialect& detected) {
    out_.dialect = std::string(detected.name);
    return &detected;
  }

  // Detects the dialect of a Python script, like `detect_dialect`.
  const dialect::Dialect* describe_script() {
    if (options_.from) {
      return dialect::find_dialect(*options_.from);
    }
    const dialect::Dialect* detected = dialect::detect_in_script(file_.text());
    if (detected != nullptr) {
      return accept(*detected);
    }
    skip_or([&] { report_unknown_name(); });
    return nullptr;
  }

  void report_unknown_name() {
    sink_.report(diag::not_a_recipe, {}).with_help("if this is a recipe, pass its dialect with --from");
  }

  static bool is_empty(const doc::Document& document) {
    const doc::Node& root = document[document.root];
    return root.kind == doc::Kind::scalar && doc::type_of(root) == doc::ScalarType::null;
  }

  void skip_or(auto report) {
    if (options_.skip_unknown) {
      out_.skipped = true;
    } else {
      report();
    }
  }

  // A reader that gave up returns a recipe without a dialect. No command may go on with it.
  void keep(ir::Recipe recipe) {
    if (recipe.dialect.empty()) return;
    out_.recipe = std::move(recipe);
    check();
  }

  void check() {
    const ir::Recipe& recipe = *out_.recipe;
    out_.checked = std::ranges::all_of(recipe.actions, &ir::Action::valid);
    std::optional<double> epochs = options_.read.epochs;
    if (!epochs && recipe.length) {
      epochs = recipe.length->epochs;
    }
    const auto steps_per_epoch = options_.read.steps_per_epoch ? options_.read.steps_per_epoch : recipe.steps_per_epoch;
    const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
    const check::Context context{recipe,
                                 options_.parameters,
                                 options_.modules,
                                 epochs,
                                 steps_per_epoch,
                                 sink_,
                                 dialect == nullptr ? ir::ShapeRules() : dialect->shapes};
    for (const check::Check& check : check::checks()) {
      check.run(context);
    }
  }

  Compilation& out_;
  const CompileOptions& options_;
  const SourceFile& file_;
  diag::Sink sink_;
  bool truncated_ = false;
  std::uint32_t after_front_ = 0;  // end of the front matter of a Markdown file; 0 without front matter
};

// The options with a limit of the recipe's own, unless the names already have one.
class LimitedOptions {
 public:
  explicit LimitedOptions(const CompileOptions& options) : options_(options) {
    limit(options_.parameters, parameters_);
    limit(options_.modules, modules_);
    limit(options_.read.parameters, read_parameters_);
  }

  [[nodiscard]] const CompileOptions& get() const { return options_; }

 private:
  void limit(const model::ModelNames*& names, std::optional<model::ModelNames>& own) {
    if (names != nullptr && names->limit() == nullptr) names = &own.emplace(names->limited_by(limit_));
  }

  CompileOptions options_;
  std::shared_ptr<model::WorkLimit> limit_ = std::make_shared<model::WorkLimit>();
  std::optional<model::ModelNames> parameters_;
  std::optional<model::ModelNames> modules_;
  std::optional<model::ModelNames> read_parameters_;
};

Compilation compile(std::string name, source::Loaded text, const CompileOptions& options) {
  Compilation out;
  const auto* failure = std::get_if<source::LoadError>(&text);
  out.file = std::make_unique<SourceFile>(std::move(name),
                                          failure == nullptr ? std::get<std::string>(std::move(text)) : std::string());
  out.dialect = options.from;
  if (failure != nullptr) {
    diag::Sink sink;
    sink.report(diag::limits_exceeded, {}, fmt::format("the file is {}", failure->reason))
        .with_help("raise the limit with `--max-size`");
    out.diagnostics = sink.take();
    return out;
  }
  const LimitedOptions limited(options);
  Pipeline pipeline(out, limited.get());
  pipeline.run();
  return out;
}

}  // namespace sparsecfg
