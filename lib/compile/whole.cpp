#include <algorithm>

#include "base/text.h"
#include "compile/model.h"
#include "compile/other_methods.h"
#include "compile/parts.h"
#include "compile/serving.h"
#include "diag/rule.h"
#include "dialect/shell.h"
#include "doc/readers.h"
#include "doc/scalar_type.h"
#include "source/shell_words.h"

namespace sparsecfg::diag {

DIAGNOSTIC(SP033, script_without_list, error, (), "this script assigns no configuration list",
           "sparsecfg follows a Python script without running it. The script must assign or pass a list of "
           "dictionaries with a key such as `op_types` or `op_names`. Each such list is checked separately.",
           "write the list as a literal: `config_list = [{{'op_types': ['Linear'], ...}}]`")

}  // namespace sparsecfg::diag

namespace sparsecfg {

using source::Span;

namespace {

// Passes one recipe through all layers of the compiler.
class WholeFile {
 public:
  WholeFile(Compilation& out, const CompileOptions& options, bool model_beside)
      : out_(out), options_(options), model_beside_(model_beside), file_(*out.file), sink_(options.errors_only) {}

  void run() {
    if (is_script()) {
      report_script();
    } else if (const dialect::Dialect* shell = shell_dialect()) {
      read_shell(*shell);
    } else if (extension_of(file_.name()) == "ipynb" || source::is_shell_file(file_.name())) {
      skip_or([&] { report_unknown_name(); });
      collect_findings(nullptr);
    } else if (const std::optional<Span> part = find_part()) {
      read_part(*part);
    } else {
      collect_findings(nullptr);
    }
  }

  std::optional<outcome::Outcome> take_outcome() { return std::move(outcome_); }

 private:
  // Reads a part of the file as YAML. Of a JSON file that is not YAML, reports what JSON lacks, if that is the reason.
  std::optional<doc::Document> read_yaml(Span part) {
    diag::Sink json;
    doc::check_json(file_, json);  // reports nothing in other files
    const std::vector<diag::Diagnostic> findings = json.take();
    diag::Sink yaml;
    if (!findings.empty() && !findings.front().fix.edits.empty() &&
        !doc::read_yaml(file_, part, options_.limits, yaml)) {
      doc::check_json(file_, sink_);
      return std::nullopt;
    }
    return doc::read_yaml(file_, part, options_.limits, sink_);
  }

  void read_part(Span part) {
    auto document = read_yaml(part);
    const places::Wrapper wrapper = document ? places::unwrap(*document) : places::Wrapper();
    if (wrapper.text) {
      return read_part(places::content_of(file_, *wrapper.text), wrapper);
    }
    read_document(part, document, wrapper);
  }

  // Reads a recipe that is a string of another configuration.
  void read_part(Span part, const places::Wrapper& wrapper) {
    auto document = doc::read_yaml(file_, part, options_.limits, sink_);
    if (document) places::mark_templates(*document, file_);
    read_document(part, document, wrapper);
  }

  void read_document(Span part, std::optional<doc::Document>& document, const places::Wrapper& wrapper) {
    if (wrapper.form != places::Wrapper::Form::none && document) {
      places::fill_templates(*document, wrapper, file_);
    }
    const dialect::Dialect* detected = detect_dialect(part, document, wrapper);
    if (detected != nullptr && document) {
      read_recipe(*detected, part, *document, wrapper);
      if (options_.from) check_dialect(*detected, {file_, part, *document, wrapper.axolotl()});
    }
    if (detected != nullptr && !document && !detected->unreadable.empty()) unreadable_ = detected->unreadable;
    collect_findings(document ? &*document : nullptr);
    if (wrapper.form != places::Wrapper::Form::none && document) {
      const std::set<Span> keys = keys_of_unknown(*document);
      std::erase_if(out_.diagnostics, [&](const diag::Diagnostic& finding) { return keys.contains(finding.span); });
    }
    // Fixes refer to fields of the original framework, which a lossless format lacks.
    if (detected != nullptr && detected->is_lossless()) {
      for (diag::Diagnostic& finding : out_.diagnostics) finding.fix = {};
    }
  }

  void read_recipe(const dialect::Dialect& dialect, Span part, const doc::Document& document,
                   const places::Wrapper& wrapper) {
    out_.parallel = options_.build.parallel = names_parallel_model(options_, dialect, document);
    use_model(options_, dialect);
    check_gpus(options_, dialect, sink_);
    dialect::ReadOptions read = options_.read;
    read.detected = !options_.from;
    if (keep(dialect.read({file_, part, document, wrapper.axolotl()}, read, sink_))) {
      const bool wrapped = wrapper.form != places::Wrapper::Form::none;
      list_file(wrapped ? "wrapper" : part.begin > 0 ? "front matter" : "file", part, document);
    }
    if (after_front_ > 0) {
      report_later_text(dialect);
    }
  }

  // Reports text after the front matter that continues the recipe.
  void report_later_text(const dialect::Dialect& dialect) {
    const auto begin = static_cast<std::uint32_t>(file_.text().find('\n', after_front_) + 1);
    const std::uint32_t end = doc::end_of_yaml(file_.text(), begin);
    diag::Sink unused;
    const auto more =
        begin == 0 || truncated_ ? std::nullopt : doc::read_yaml(file_, {begin, end}, options_.limits, unused);
    if (more && dialect.claims(*more)) {
      const Span closing{after_front_ - 3, after_front_};
      sink_
          .report(diag::front_matter_truncates_recipe, closing, file_.text(closing), file_.position(closing.begin).line)
          .with_label((*more)[(*more)[more->root].items.front()].span, "dropped from here")
          .with_help("move everything that belongs to the recipe above this line");
    }
  }

  static bool has_valid_action(const ir::Recipe& recipe) {
    return std::ranges::any_of(recipe.actions, &ir::Action::valid);
  }

  // Returns true for a dialect of the `config.json` of quantized models. A program may read that of another.
  static bool reads_results(const dialect::Dialect& dialect) {
    return dialect.plan != nullptr && dialect.plan(ir::Recipe()).is_result;
  }

  // Reports a file that another dialect claims and can read. Replaces the findings if the dialect of --from has found
  // nothing but errors.
  void check_dialect(const dialect::Dialect& asked, const dialect::Source& source) {
    const bool reads = !sink_.has_errors() || (out_.recipe && has_valid_action(*out_.recipe));
    const dialect::Dialect* other = asked.claims(source.document) ? nullptr : dialect::detect(source.document);
    if (other == nullptr || other == &asked) return;
    const bool shared = other->name == "checkpoint" && (reads || reads_results(asked));  // several programs read it
    if (shared || (reads && !reads_results(*other))) return;
    diag::Sink unused(true);
    if (!has_valid_action(other->read(source, options_.read, unused))) return;
    if (reads) return report_foreign_file(sink_, asked, *other);
    (void)sink_.take();
    out_.recipe.reset();
    out_.recipes.clear();
    report_other_dialect(sink_, {}, asked, *other);
  }

  void list_file(std::string form, Span part, const doc::Document& document) {
    const std::uint32_t last = part.end > part.begin ? part.end - 1 : part.end;
    out_.recipes.push_back({std::move(form),
                            {file_.position(part.begin).line, file_.position(last).line, std::nullopt},
                            out_.recipe->dialect,
                            {},
                            {},
                            origins_of(*out_.recipe, document, true)});
    list_unknown(document);
  }

  // Lists the fields of a template that a program fills in.
  void list_unknown(const doc::Document& document) {
    ir::FoundRecipe& listed = out_.recipes.back();
    listed.unknown_parts = doc::places_with(document, doc::kNotLiteralTag);
    for (const ir::Origin& modifier : listed.modifiers) {
      for (const ir::OriginField& field : modifier.fields) {
        const auto reason = ir::unknown_in(field.value, listed.unknown_parts);
        if (reason) listed.unknown.push_back(reason->message());
      }
    }
  }

  void collect_findings(const doc::Document* document) {
    out_.diagnostics = sink_.take();
    for (diag::Diagnostic& finding : out_.diagnostics) {
      const bool fails = finding.severity == diag::Severity::error && finding.caret.empty();
      if (fails) finding.caret = unreadable_;
    }
    settle_findings(file_, document, out_.diagnostics);
  }

  // Returns true for Python scripts, unless --from selects a dialect that is not stored in scripts.
  bool is_script() const {
    const dialect::Dialect* asked = options_.from ? dialect::find_dialect(*options_.from) : nullptr;
    return extension_of(file_.name()) == "py" && (asked == nullptr || asked->scripts);
  }

  // Reports a Python script in which no recipe was found. A script that a search found need not contain one.
  void report_script() {
    const dialect::Dialect* detected = describe_script();
    if (detected != nullptr) {
      out_.passed_over = options_.skip_unknown && dialect::imports(file_.text(), *detected);
      skip_or([&] {
        if (detected->objects != nullptr) return report_unknown_name();
        sink_.report(diag::script_without_list, {});
      });
    }
    collect_findings(nullptr);
  }

  // Returns the dialect of a file of a known program that is no document, or that --from names; null for other files.
  const dialect::Dialect* shell_dialect() const {
    return options_.from ? dialect::find_shell_dialect(*options_.from)
                         : dialect::detect_in_shell(file_.name(), file_.text());
  }

  // Such a script has no document.
  void read_shell(const dialect::Dialect& dialect) {
    const doc::Document none;
    use_model(options_, *accept(dialect));
    check_gpus(options_, dialect, sink_);
    keep(dialect.read({file_, whole(), none}, options_.read, sink_));
    collect_findings(nullptr);
    if (source::is_shell_file(file_.name())) add_served();
  }

  // Adds the findings about commands of the script that serve a model.
  void add_served() {
    ServedModels served;
    served.add(source::shell_commands(file_.text()));
    ServedFindings found = check_served(file_, served, options_);
    settle_findings(file_, nullptr, found.findings);
    std::ranges::move(found.findings, std::back_inserter(out_.diagnostics));
    std::ranges::move(found.references, std::back_inserter(out_.references));
    std::ranges::stable_sort(out_.diagnostics, {}, &diag::Diagnostic::span);
  }

  Span whole() const { return {0, static_cast<std::uint32_t>(file_.text().size())}; }

  // Returns the span of the recipe: the whole file, or the front matter of a Markdown file.
  std::optional<Span> find_part() {
    marked_ = dialect::marked(file_);
    if (marked_.dialect != nullptr && (!options_.from || *options_.from == marked_.dialect->name)) return marked_.part;
    if (!doc::is_markdown(file_.name())) {
      return whole();
    }
    const auto front = doc::find_front_matter(file_.text());
    if (!front && file_.text().find('\0') < 4) {
      return whole();  // UTF-16, which hides the delimiters; reading the file reports it
    }
    if (!front || is_prose(*front)) {
      skip_or([&] { sink_.report(diag::no_front_matter, {}); });
      return std::nullopt;
    }
    truncated_ = doc::report_early_closing(file_, *front, sink_);
    after_front_ = front->closing.end;
    return front->yaml;
  }

  // Prose between two rulers is rarely YAML. A recipe with an error in it has lines that begin modifiers or groups.
  bool is_prose(const doc::FrontMatter& front) const {
    diag::Sink unused;
    return !options_.from && !doc::read_yaml(file_, front.yaml, options_.limits, unused) &&
           !doc::has_line_of_recipe(file_.text(front.yaml));
  }

  // Returns nullptr if no dialect claims the file. In that case reports an error or marks the file as skipped.
  const dialect::Dialect* detect_dialect(Span part, const std::optional<doc::Document>& document,
                                         const places::Wrapper& wrapper) {
    if (options_.from) {
      return document ? named_dialect(*document) : dialect::find_dialect(*options_.from);
    }
    const dialect::Dialect* detected = marked_.dialect != nullptr ? marked_.dialect
                                       : document                 ? chosen(part, *document, wrapper)
                                                                  : detect_unreadable();
    if (detected != nullptr) {
      return accept(*detected);
    }
    if (const std::optional<Span> path = document ? places::path_for_axolotl(*document) : std::nullopt) {
      sink_.report(diag::axolotl_requires_stages, *path);
      return nullptr;
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
      } else if (const auto other = document ? other_method_in(*document) : std::nullopt) {
        report_other(*other);
      } else if (document && !truncated_ && describes_model(*document)) {
        sink_.report(diag::not_a_recipe, {}).with_help("pass this configuration of a model with `--model`");
      } else if (document && !truncated_) {
        report_unknown_name();
      }
    });
    return nullptr;
  }

  // Returns the dialect of `--from`, or another one whose files its framework loads too. A schedule of ai8x-training is
  // a Distiller schedule, which is then read as ai8x-training does.
  const dialect::Dialect* named_dialect(const doc::Document& document) {
    const dialect::Dialect* asked = dialect::find_dialect(*options_.from);
    const dialect::SharedFiles shared = asked == nullptr ? dialect::SharedFiles() : asked->also_loads;
    const dialect::Dialect* other = shared.dialect.empty() ? nullptr : dialect::find_dialect(shared.dialect);
    if (other == nullptr || asked->claims(document) || !other->claims(document)) return asked;
    dialect::set_reader_option(shared.option, shared.value, options_.read);
    options_.from = std::string(other->name);
    return accept(*other);
  }

  const dialect::Dialect* chosen(Span part, const doc::Document& document, const places::Wrapper& wrapper) {
    const Choice choice = choose_dialect({file_, part, document, wrapper.axolotl()}, options_);
    report_choice(choice, document, sink_);
    return choice.dialect;
  }

  // In Markdown, only the part between the delimiters counts, because prose may also name modifiers.
  const dialect::Dialect* detect_unreadable() {
    const auto front = doc::is_markdown(file_.name()) ? doc::find_front_matter(file_.text()) : std::nullopt;
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

  void report_other(const OtherMethod& method) { sink_.report(diag::other_method, method.span, method.name); }

  void report_unknown_name() {
    const bool shell = source::is_shell_file(file_.name());
    sink_.report(diag::not_a_recipe, {})
        .with_help(shell ? "in shell scripts, sparsecfg reads the commands " + dialect::programs_in_shell()
                         : "if this is a recipe, pass its dialect with --from");
  }

  // Returns true for the `config.json` of a model that is not quantized.
  static bool describes_model(const doc::Document& document) {
    const doc::Node& root = document[document.root];
    bool found = false;
    for (std::size_t at = 0; root.kind == doc::Kind::mapping && at < root.items.size(); at += 2) {
      found =
          found || document[root.items[at]].text == "model_type" || document[root.items[at]].text == "architectures";
    }
    return found;
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

  // A reader that gave up returns a recipe without a dialect. Commands must not use such a recipe.
  bool keep(ir::Recipe recipe) {
    if (recipe.dialect.empty()) return false;
    add_unit_shapes(recipe, options_);
    out_.recipe = std::move(recipe);
    Checked checked = check_recipe(*out_.recipe, options_, sink_);
    out_.checked = checked.valid;
    outcome_ = std::move(checked.outcome);
    check_base_of_recipe();
    return true;
  }

  // The model beside a recipe may be its result.
  void check_base_of_recipe() {
    const ir::Recipe& recipe = *out_.recipe;
    const dialect::Dialect* dialect = dialect::find_dialect(recipe.dialect);
    if (model_beside_ || recipe.is_result || recipe.actions.empty() || dialect == nullptr) return;
    const ir::Origin& first = recipe.actions.front().origin;
    check_base(options_, *dialect, first.class_name, first.span, sink_);
  }

  Compilation& out_;
  CompileOptions options_;
  bool model_beside_;  // true if the model is that of a `config.json` beside the file
  const source::SourceFile& file_;
  diag::Sink sink_;
  dialect::Marked marked_;  // of a file with a mark
  std::optional<outcome::Outcome> outcome_;
  bool truncated_ = false;
  std::string_view unreadable_{};  // consequence of the errors of the dialect's own loader
  std::uint32_t after_front_ = 0;  // end of the front matter of a Markdown file; 0 without front matter
};

}  // namespace

std::optional<outcome::Outcome> compile_whole(Compilation& out, const CompileOptions& options, bool model_beside) {
  WholeFile file(out, options, model_beside);
  file.run();
  return file.take_outcome();
}

}  // namespace sparsecfg
