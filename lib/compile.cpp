#include "compile.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "check/check.h"
#include "compile/places.h"
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

static void check_recipe(const ir::Recipe& recipe, const CompileOptions& options, diag::Sink& sink, bool& checked) {
  checked = std::ranges::all_of(recipe.actions, &ir::Action::valid);
  std::optional<double> epochs = options.read.epochs;
  if (!epochs && recipe.length) {
    epochs = recipe.length->epochs;
  }
  const auto steps_per_epoch = options.read.steps_per_epoch ? options.read.steps_per_epoch : recipe.steps_per_epoch;
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  const check::Context context{recipe,
                               options.parameters,
                               options.modules,
                               epochs,
                               steps_per_epoch,
                               sink,
                               dialect == nullptr ? ir::ShapeRules() : dialect->shapes,
                               dialect == nullptr ? ir::Remedies() : dialect->remedies};
  for (const check::Check& check : check::checks()) {
    check.run(context);
  }
}

static std::vector<ir::Origin> origins_of(const ir::Recipe& recipe, const doc::Document& document, bool text) {
  const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
  if (dialect != nullptr && dialect->objects != nullptr) {
    return dialect->objects->origins(recipe, {doc::places_with(document, dialect::kConstructedTag),
                                              doc::places_with(document, doc::kNotLiteralTag), text});
  }
  std::vector<ir::Origin> out;
  std::ranges::transform(recipe.actions, std::back_inserter(out), &ir::Action::origin);
  const auto same = [](const ir::Origin& a, const ir::Origin& b) { return a.span == b.span && a.ordinal == b.ordinal; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

static bool is_known(const doc::Document& document, doc::NodeId id) {
  const doc::Node& node = document[document.resolve(id)];
  return node.tag != doc::kNotLiteralTag &&
         std::ranges::all_of(node.items, [&](doc::NodeId item) { return is_known(document, item); });
}

// Returns the keys of mappings with values that are not known, and keys that stand for any others.
static std::set<Span> keys_of_unknown(const doc::Document& document) {
  std::set<Span> out;
  for (const doc::Node& node : document.nodes) {
    for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
      const bool mapping = document[document.resolve(node.items[at + 1])].kind == doc::Kind::mapping;
      const bool any = document[node.items[at]].text == "**";
      if (any || (mapping && !is_known(document, node.items[at + 1]))) out.insert(document[node.items[at]].span);
    }
  }
  return out;
}

// Passes one recipe through all layers of the compiler.
class Pipeline {
 public:
  Pipeline(Compilation& out, const CompileOptions& options)
      : out_(out), options_(options), file_(*out.file), sink_(options.errors_only) {}

  void run() {
    std::vector<places::Place> found = find_places();
    if (!found.empty()) {
      compile_places(found);
      return;
    }
    if (is_script()) {
      read_script();
      return;
    }
    if (extension_of(file_.name()) == "ipynb") {
      skip_or([&] { report_unknown_name(); });
      collect_findings(std::nullopt);
      return;
    }
    const std::optional<Span> part = find_part();
    if (!part) {
      collect_findings(std::nullopt);
      return;
    }
    auto document = doc::read_yaml(file_, *part, options_.limits, sink_);
    const bool wrapped = document && places::unwrap(*document);
    if (wrapped) {
      places::mark_templates(*document, file_);
    }
    const dialect::Dialect* detected = detect_dialect(document);
    if (detected != nullptr && document) {
      dialect::ReadOptions read = options_.read;
      read.detected = !options_.from;
      if (keep(detected->read({file_, *part, *document}, read, sink_))) {
        list_file(wrapped ? "wrapper" : part->begin > 0 ? "front matter" : "file", *part, *document);
      }
    }
    if (detected != nullptr && !document && !detected->unreadable.empty()) unreadable_ = detected->unreadable;
    collect_findings(document);
    if (wrapped) {
      const std::set<Span> keys = keys_of_unknown(*document);
      std::erase_if(out_.diagnostics, [&](const diag::Diagnostic& finding) { return keys.contains(finding.span); });
    }
    // Fixes refer to fields of the original framework, which a lossless format does not have.
    if (detected != nullptr && detected->is_lossless()) {
      for (diag::Diagnostic& finding : out_.diagnostics) finding.fix = {};
    }
  }

 private:
  // Returns the recipes of a file that is not itself a recipe.
  std::vector<places::Place> find_places() {
    const std::string extension = extension_of(file_.name());
    std::vector<places::Place> found;
    if (!places::may_have_recipes(file_.text())) {
      return found;
    }
    if (extension == "py") {
      found = places::find_in_code(file_, {{}, {whole()}, {}, {}}, options_.read, options_.limits);
    } else if (extension == "ipynb") {
      if (const auto code = places::read_notebook(file_.text())) {
        found = places::find_in_code(file_, *code, options_.read, options_.limits);
      }
    } else if (extension == "md" && !has_front_matter()) {
      found = places::find_in_markdown(file_, options_.read, options_.limits);
    }
    std::erase_if(found,
                  [&](const places::Place& place) { return options_.from && place.dialect->name != *options_.from; });
    return found;
  }

  // Returns true if the front matter is a recipe.
  bool has_front_matter() const {
    const auto front = doc::find_front_matter(file_.text());
    diag::Sink unused;
    const auto document = front ? doc::read_yaml(file_, front->yaml, options_.limits, unused) : std::nullopt;
    return document && dialect::detect(*document) != nullptr;
  }

  bool is_chosen(const places::Place& place, std::size_t number, std::size_t count) const {
    if (options_.line) {
      return !place.lines.cell && place.lines.first <= *options_.line && *options_.line <= place.lines.last;
    }
    return options_.recipe ? *options_.recipe == number : count == 1;
  }

  void compile_places(std::vector<places::Place>& found) {
    const bool all = !options_.line && !options_.recipe;
    std::size_t number = 0;
    for (places::Place& place : found) {
      const bool chosen = is_chosen(place, ++number, found.size()) && !out_.recipe;
      std::vector<diag::Diagnostic> findings = compile_place(place, chosen);
      if (chosen || all) {
        std::ranges::move(findings, std::back_inserter(out_.diagnostics));
      }
    }
    out_.several = !out_.recipe && found.size() > 1;
    std::ranges::stable_sort(out_.diagnostics, {}, &diag::Diagnostic::span);
  }

  std::vector<diag::Diagnostic> compile_place(places::Place& place, bool chosen) {
    diag::Sink sink(options_.errors_only);
    ir::FoundRecipe listed{std::string(place.form), place.lines, std::string(place.dialect->name),
                           place.unknown,           {},          {}};
    if (chosen || !out_.dialect) {
      out_.dialect = listed.dialect;
    }
    if (place.document) {
      listed.unknown_parts = doc::places_with(*place.document, doc::kNotLiteralTag);
    }
    // Only dialects with objects know values that are not known.
    if (place.document && (listed.unknown_parts.empty() || place.dialect->objects != nullptr)) {
      dialect::ReadOptions read = options_.read;
      read.detected = !options_.from;
      const SourceFile& text = place.text == nullptr ? file_ : *place.text;
      ir::Recipe recipe = place.dialect->read({text, place.part, *place.document}, read, sink);
      if (!recipe.dialect.empty()) {
        bool checked = false;
        check_recipe(recipe, options_, sink, checked);
        listed.modifiers = origins_of(recipe, *place.document, place.form != "objects");
        if (chosen) {
          out_.recipe = std::move(recipe);
          out_.checked = checked;
        }
      }
    }
    std::vector<diag::Diagnostic> findings = std::move(place.findings);
    std::ranges::move(sink.take(), std::back_inserter(findings));
    settle(place, findings);
    out_.recipes.push_back(std::move(listed));
    return findings;
  }

  // Drops findings that depend on unknown values, and moves the others to the file. In objects a fix may change only
  // scalars, in derived texts nothing.
  void settle(const places::Place& place, std::vector<diag::Diagnostic>& findings) const {
    const std::set<Span> keys = place.document ? keys_of_unknown(*place.document) : std::set<Span>();
    const auto of_whole = place.loose ? place.dialect->objects->of_whole : std::span<const std::string_view>();
    std::erase_if(findings, [&](const diag::Diagnostic& finding) {
      return keys.contains(finding.span) || std::ranges::find(of_whole, finding.info->code) != of_whole.end();
    });
    const bool objects = place.form == "objects";
    for (diag::Diagnostic& finding : findings) {
      const bool plain = std::ranges::all_of(
          finding.fix.edits, [](const diag::Edit& edit) { return edit.kind == diag::Edit::Kind::content; });
      if (place.text != nullptr || (objects && !plain)) finding.fix = {};
      if (place.lines.cell && finding.caret.empty()) {
        finding.caret = fmt::format("the recipe starts at line {} of cell {}", place.lines.first, *place.lines.cell);
      }
    }
    const SourceFile& text = place.text == nullptr ? file_ : *place.text;
    doc::resolve_fixes(text, place.document ? &*place.document : nullptr, findings);
    std::vector<Span> comments;
    for (const doc::Comment& comment : place.document ? place.document->comments : std::vector<doc::Comment>()) {
      comments.push_back(comment.span);
    }
    diag::suppress(findings, text, comments);
    for (const places::Origins& origins : place.origins) origins.move(findings);
  }

  void list_file(std::string form, Span part, const doc::Document& document) {
    const std::uint32_t last = part.end > part.begin ? part.end - 1 : part.end;
    out_.recipes.push_back({std::move(form),
                            {file_.position(part.begin).line, file_.position(last).line, std::nullopt},
                            out_.recipe->dialect,
                            {},
                            {},
                            origins_of(*out_.recipe, document, true)});
  }

  void collect_findings(const std::optional<doc::Document>& document) {
    std::vector<Span> comments;
    for (std::size_t at = 0; document && at < document->comments.size(); ++at) {
      comments.push_back(document->comments[at].span);
    }
    out_.diagnostics = sink_.take();
    for (diag::Diagnostic& finding : out_.diagnostics) {
      const bool fails = finding.severity == diag::Severity::error && finding.caret.empty();
      if (fails) finding.caret = unreadable_;
    }
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
      if (keep(detected->read({file_, whole(), *document}, options_.read, sink_)) && !out_.recipe->actions.empty()) {
        list_file("script", whole(), *document);
      }
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
    if (!front && file_.text().find('\0') < 4) {
      return whole();  // UTF-16, which hides the delimiters; reading the file reports it
    }
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
    const dialect::Dialect* detected = document ? dialect::detect(*document) : detect_unreadable();
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

  // Of Markdown only what stands between the delimiters counts: prose may name modifiers too.
  const dialect::Dialect* detect_unreadable() {
    const auto front = extension_of(file_.name()) == "md" ? doc::find_front_matter(file_.text()) : std::nullopt;
    return dialect::detect(front ? file_.text(front->yaml) : file_.text());
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
  bool keep(ir::Recipe recipe) {
    if (recipe.dialect.empty()) return false;
    out_.recipe = std::move(recipe);
    check_recipe(*out_.recipe, options_, sink_, out_.checked);
    return true;
  }

  Compilation& out_;
  const CompileOptions& options_;
  const SourceFile& file_;
  diag::Sink sink_;
  bool truncated_ = false;
  std::string_view unreadable_{};  // consequence of the errors of the dialect's own loader
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
  // Notebooks are large for their pictures; one that was found by a search need not be a recipe.
  if (failure != nullptr && options.skip_unknown && extension_of(out.file->name()) == "ipynb") {
    out.skipped = true;
    return out;
  }
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
