#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "architecture/user_model.h"
#include "base/text.h"
#include "compile/model.h"
#include "compile/other_methods.h"
#include "compile/parts.h"
#include "compile/shell.h"
#include "compile/training.h"
#include "diag/levels.h"
#include "dialect/checkpoint/base.h"
#include "dialect/dialects.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/quantized_dialects.h"
#include "dialect/quantizers/quantized_base.h"
#include "dialect/quantizers/script_code.h"
#include "dialect/runtime_option.h"
#include "dialect/shell.h"
#include "doc/readers.h"
#include "source/shell_words.h"

namespace sparsecfg {

using places::Place;
using source::SourceFile;
using source::Span;

namespace {

// Returns how a value can be checked that depends on an option of the script. Empty for other values.
std::string help_for_unknown(const std::string& why) {
  constexpr std::string_view kOption = "it depends on the option `";
  if (!why.starts_with(kOption)) return {};
  const std::string_view option = std::string_view(why).substr(kOption.size() - 1);
  return fmt::format("add `default=...` to {} in `add_argument`: sparsecfg then checks the recipe with this value",
                     option.substr(0, option.find('`', 1) + 1));
}

// Compiles the recipes of a file that is not itself a recipe. Each recipe is compiled separately.
class PlacesCompiler {
 public:
  PlacesCompiler(Compilation& out, const CompileOptions& options) : out_(out), options_(options), file_(*out.file) {}

  bool run() {
    places::Found found = find();
    report_references(found);
    report_served(found);
    std::ranges::move(files_of(found.trained, file_, options_), std::back_inserter(out_.references));
    classes_ = found.classes;
    for (const diag::Diagnostic& finding : found.findings) {
      if (finding.info->code == "QC406") not_passed_.insert(finding.span);
    }
    report_unread(found);
    if (found.recipes.empty()) {
      return list_references(found);
    }
    const bool all = !options_.line && !options_.recipe;
    std::size_t number = 0;
    for (Place& place : found.recipes) {
      const bool chosen = is_chosen(place, ++number, found.recipes.size()) && !out_.recipe;
      std::vector<diag::Diagnostic> findings = compile_place(place, chosen);
      if (chosen || all) {
        std::ranges::move(findings, std::back_inserter(out_.diagnostics));
      }
    }
    use_common_model();
    settle_findings(file_, nullptr, found.findings);
    std::ranges::move(found.findings, std::back_inserter(out_.diagnostics));
    if (extension_of(file_.name()) == "py") diag::suppress(out_.diagnostics, file_, found.comments);
    out_.several = !out_.recipe && found.recipes.size() > 1;
    drop_consequences(found);
    std::ranges::stable_sort(out_.diagnostics, {}, &diag::Diagnostic::span);
    remove_repeated(out_.diagnostics);
    return true;
  }

 private:
  // Reports recipes in other files. `validate` also checks those that exist.
  void report_references(places::Found& found) {
    diag::Sink sink;
    for (const places::Reference& reference : found.references) {
      if (reference.outside) {
        sink.report(diag::value_not_checked, reference.span, "the recipe is in a file outside of this folder")
            .with_help(fmt::format("check `{}` itself", base::printable(reference.path)));
      } else {
        sink.report(reference.missing ? diag::recipe_file_missing : diag::recipe_in_other_file, reference.span,
                    reference.path);
      }
      out_.references.push_back({reference.path, reference.model});
    }
    std::ranges::move(sink.take(), std::back_inserter(found.findings));
  }

  // Reports commands that serve a model.
  void report_served(places::Found& found) {
    ServedFindings served = check_served(file_, found.served, options_);
    std::ranges::move(served.findings, std::back_inserter(found.findings));
    std::ranges::move(served.references, std::back_inserter(out_.references));
  }

  // Reports recipes that calls accept and that are unknown.
  void report_unread(places::Found& found) {
    diag::Sink sink;
    for (const places::Unknown& unread : found.unread) {
      sink.report(diag::value_not_checked, unread.span, "the recipe is unknown: " + unread.why)
          .with_help(help_for_unknown(unread.why));
      out_.unread.push_back({unread.span, unread.why});
    }
    std::ranges::move(sink.take(), std::back_inserter(found.findings));
  }

  // Commands that use the whole file need one model.
  void use_common_model() {
    if (out_.recipe) return;
    const auto same = [&](const RecipeModel& each) { return each.model == out_.models.front().model; };
    if (std::ranges::all_of(out_.models, same)) out_.model = out_.models.front().model;
  }

  // Recipes that share values have the same findings there.
  static void remove_repeated(std::vector<diag::Diagnostic>& findings) {
    std::set<std::tuple<Span, std::string_view, std::string, std::string>> seen;
    std::erase_if(findings, [&](const diag::Diagnostic& finding) {
      return !seen.emplace(finding.span, finding.info->code, finding.message, finding.caret).second;
    });
  }

  // Returns true for a finding about a call of a framework, not about the script.
  static bool is_of_dialect(const diag::Diagnostic& finding) { return !finding.info->code.starts_with("SP"); }

  // Lists the recipe files that a script names, if it contains no recipe itself. Returns false if it names no file, no
  // call accepts an unknown recipe or runs without one, and no limit ended the search.
  bool list_references(places::Found& found) {
    const bool serves = !found.served.commands.empty() || !found.trained.empty();
    if (out_.references.empty() && found.findings.empty() && !found.runs_without_recipe && !serves) return false;
    const bool runs = !out_.references.empty() || !out_.unread.empty() || found.runs_without_recipe || serves;
    const bool wrong = std::ranges::any_of(found.findings, is_of_dialect);
    out_.only_serves = serves && out_.references.empty() && !found.runs_without_recipe && out_.unread.empty();
    out_.skipped = options_.skip_unknown && !runs && !wrong && !found.rejected && !found.stops;
    settle_findings(file_, nullptr, found.findings);
    out_.diagnostics = std::move(found.findings);
    drop_consequences(found);
    return true;
  }

  // If Python rejects the script, only that is certain. If it stops, that is why values are unknown.
  void drop_consequences(const places::Found& found) {
    if (!found.rejected && !found.stops) return;
    out_.unread.clear();
    const auto is_fault = [](const diag::Diagnostic& finding) { return finding.info == &diag::script_rejected.info; };
    std::erase_if(out_.diagnostics, [&](const diag::Diagnostic& finding) {
      return found.rejected ? !is_fault(finding) : finding.info == &diag::value_not_checked.info;
    });
  }

  places::Found find() {
    const std::string extension = extension_of(file_.name());
    const Span whole{0, static_cast<std::uint32_t>(file_.text().size())};
    places::Found found;
    if (source::is_shell_file(file_.name())) return only_asked(without_other_reader(places::find_in_shell(file_)));
    const bool script = extension == "py" || extension == "ipynb";
    const bool lists = script && dialect::detect_in_script(file_.text()) != nullptr;
    const bool markdown = doc::is_markdown(file_.name());
    const bool has_code = script || markdown;
    const bool trains = markdown && dialect::distiller::may_train(file_.text());
    const bool names_object = trains || (has_code && places::may_have_objects(file_.text()));
    if (!places::may_have_recipes(file_.text()) && !(has_code && places::may_load_recipes(file_.text())) && !lists &&
        !names_object) {
      return found;
    }
    if (extension == "py") {
      found = places::find_in_code(file_, places::Code{{}, {whole}, {}, {}, {}}, options_.read, options_.limits);
    } else if (extension == "ipynb") {
      if (const auto code = places::read_notebook(file_.text())) {
        out_.file->set_cells(places::cell_lines(*code));
        found = places::find_in_code(file_, *code, options_.read, options_.limits);
      }
    } else if (markdown && !has_front_matter()) {
      found = places::find_in_markdown(file_, options_.read, options_.limits);
    }
    return only_asked(std::move(found));
  }

  // A script without such recipes may have commands of a program whose dialect reads the whole file.
  places::Found without_other_reader(places::Found found) const {
    const bool other = dialect::detect_in_shell(file_.name(), file_.text()) != nullptr;
    if (!found.recipes.empty() || !other) return found;
    found.served = {};
    found.trained.clear();
    return found;
  }

  // Leaves out recipes of other dialects than the one that is asked for. Reports that none remains.
  places::Found only_asked(places::Found found) const {
    if (options_.from && *options_.from != dialect::checkpoint::kDialect.name) found.served = {};
    if (options_.from && !trains_with(*options_.from)) found.trained.clear();
    if (!options_.from || found.recipes.empty()) return found;
    const Span span = found.recipes.front().span;
    const dialect::Dialect& other = *found.recipes.front().dialect;
    std::erase_if(found.recipes, [&](const Place& place) { return place.dialect->name != *options_.from; });
    if (!found.recipes.empty()) return found;
    diag::Sink sink;
    report_other_dialect(sink, span, *dialect::find_dialect(*options_.from), other);
    found.findings = sink.take();
    found.unread.clear();
    return found;
  }

  // Returns true for the dialects of the files of training commands.
  static bool trains_with(std::string_view dialect) {
    return dialect == dialect::distiller::kDialect.name || dialect == dialect::ai8x::kDialect.name;
  }

  // Returns true if the front matter is a recipe.
  bool has_front_matter() const {
    const auto front = doc::find_front_matter(file_.text());
    diag::Sink unused;
    const auto document = front ? doc::read_yaml(file_, front->yaml, options_.limits, unused) : std::nullopt;
    return document && dialect::detect(*document) != nullptr;
  }

  bool is_chosen(const Place& place, std::size_t number, std::size_t count) const {
    if (options_.line) {
      const auto has_line = [&](const places::Lines& lines) {
        return !lines.cell && lines.first <= *options_.line && *options_.line <= lines.last;
      };
      return has_line(place.lines) || std::ranges::any_of(place.call_lines, has_line);
    }
    return options_.recipe ? *options_.recipe == number : count == 1;
  }

  std::vector<diag::Diagnostic> compile_place(Place& place, bool chosen) {
    diag::Sink sink(options_.errors_only);
    choose(place, sink);
    ir::FoundRecipe listed;
    listed.form = place.form;
    listed.lines = place.lines;
    listed.dialect = place.dialect->name;
    listed.assumed = place.assumed;
    listed.calls = place.call_lines;
    listed.optional = place.optional;
    if (place.form != "fence") listed.model = place.model.value_or(ir::CallModel{{}, {}, {"no call receives it", {}}});
    out_.models.push_back(model_of(place));
    for (const places::Unknown& each : place.unread) out_.unread.push_back({each.span, each.why});
    for (const places::Unknown& unknown : place.unknown) listed.unknown.push_back(unknown.why);
    if (chosen || !out_.dialect) {
      out_.dialect = listed.dialect;
    }
    if (place.document) {
      listed.unknown_parts = doc::places_with(*place.document, doc::kNotLiteralTag);
    }
    // Other dialects do not support unknown values.
    const bool supports = place.dialect->objects != nullptr || place.dialect->scripts;
    Parts parts;
    if (place.document && (listed.unknown_parts.empty() || supports)) {
      parts = read(place, chosen, listed, sink);
    }
    report_unknown(place, parts, listed, sink);
    std::vector<diag::Diagnostic> findings = std::move(place.findings);
    std::ranges::move(sink.take(), std::back_inserter(findings));
    diag::drop_weaker(findings);  // those of the call and of the recipe
    settle(place, findings);
    std::ranges::move(findings_of_call(place, parts), std::back_inserter(findings));
    if (chosen) out_.chosen = out_.recipes.size();
    out_.recipes.push_back(std::move(listed));
    return findings;
  }

  // The parts of a recipe that the checks of its calls need.
  struct Parts {
    std::string first;         // the class of its first element; empty: unknown, or it is the result of a quantizer
    std::string needs_data;    // that of the first element that needs calibration data; empty: none does
    std::set<Span> evaluated;  // functions of the script whose results are known
    source::Located<std::string> scheme{};  // the preset of the first element that has one
  };

  // Reports the unknown values of a recipe. Functions whose results are known for every module are none.
  static void report_unknown(const Place& place, const Parts& parts, ir::FoundRecipe& listed, diag::Sink& sink) {
    listed.unknown.clear();
    for (const places::Unknown& unknown : place.unknown) {
      if (parts.evaluated.contains(unknown.span)) continue;
      listed.unknown.push_back(unknown.why);
      sink.report(diag::value_not_checked, unknown.span, unknown.why).with_help(help_for_unknown(unknown.why));
    }
  }

  // Chooses the dialect of a recipe that several dialects can read, unless the file imports the one that claims it.
  void choose(Place& place, diag::Sink& sink) const {
    const bool is_text = place.form != "objects" && place.form != "script" && place.form != "command";
    if (options_.from || !is_text || !place.document || names_module(*place.dialect)) return;
    const dialect::Source source{text_of(place), place.part, *place.document, place.wrapper.axolotl()};
    const Choice choice = choose_dialect(source, options_);
    if (!choice.rejected) return;
    place.dialect = choice.dialect;
    report_choice(choice, *place.document, sink);
  }

  RecipeModel model_of(const Place& place) const {
    const FoundModel found = find_model(options_, file_.name(), place.model);
    return {found.model, found.unknown, {}, {}};
  }

  // Returns the options with the model of a place, which is the last one of the models.
  CompileOptions options_for(const Place& place) const {
    CompileOptions out = options_;
    out.model = out_.models.back().model;
    use_build(out, place.model);
    use_runtime(out.read, place);
    return out;
  }

  // The runtime of a script applies unless the user selects one.
  static void use_runtime(dialect::ReadOptions& read, const Place& place) {
    const bool known = base::contains(place.dialect->runtimes.programs, place.runtime);
    if (known && dialect::runtime_name(read).empty()) dialect::set_reader_option("runtime", place.runtime, read);
  }

  // Returns true if the name of the loaded model contains a method, but the model is not quantized.
  static bool is_named_otherwise(const Place& place, const architecture::UserModel& model) {
    return place.model && model.quantization_config().is_null() &&
           dialect::quantizers::method_in_name(place.model->id).has_value();
  }

  // Returns the `quantization_config` of the model that a call loads with a recipe; null if it is unknown. A config
  // without quantization does not count if the name of the loaded model contains a method, as in `Llama-3-8B-AWQ`: then
  // the options name another model, which only has the same shapes.
  static const source::Value* base_of(const Place& place, const architecture::UserModel* model) {
    const bool known = model != nullptr && model->derived() != nullptr && !place.calls.empty() && place.model;
    if (!known) return nullptr;
    return is_named_otherwise(place, *model) ? nullptr : &model->quantization_config();
  }

  static Parts parts_of(const ir::Recipe& recipe) {
    const auto needs = std::ranges::find_if(recipe.actions, &ir::Action::needs_data);
    return {recipe.actions.empty() || recipe.is_result ? std::string() : recipe.actions.front().origin.class_name,
            needs == recipe.actions.end() ? std::string() : needs->origin.class_name, recipe.evaluated,
            scheme_of(recipe)};
  }

  static source::Located<std::string> scheme_of(const ir::Recipe& recipe) {
    for (const ir::Action& action : recipe.actions) {
      const ir::OriginField* scheme = action.origin.find("scheme");
      const auto* name = scheme == nullptr ? nullptr : scheme->value.get<std::string>();
      if (name != nullptr) return {*name, scheme->value.span};
    }
    return {};
  }

  // Returns findings about the calls that receive the recipe and load the model.
  std::vector<diag::Diagnostic> findings_of_call(const Place& place, const Parts& parts) const {
    if (place.calls.empty() || place.tested) return {};
    diag::Sink sink(options_.errors_only);
    dialect::llmcompressor::check_pipeline(place.pipeline, parts.needs_data, place.with_data, sink);
    const bool complete = place.unknown.empty() && place.unread.empty() && place.optional.empty() && !place.alternative;
    if (complete && parts.needs_data.empty() && !parts.first.empty())
      dialect::llmcompressor::check_unused_data(place.arguments, parts.scheme, sink);
    const architecture::UserModel* model = out_.models.back().model.get();
    if (model != nullptr) check_model_of_call(place, parts, sink);
    const bool by_name = model == nullptr || is_named_otherwise(place, *model);
    if (by_name && place.model && !parts.first.empty()) check_unknown_model(place, parts, sink);
    std::vector<diag::Diagnostic> findings = sink.take();
    for (const auto& origins : place.origins) origins->move(findings);
    return findings;
  }

  void check_model_of_call(const Place& place, const Parts& parts, diag::Sink& sink) const {
    const CompileOptions options = options_for(place);
    const Span load = place.load.empty() ? place.calls.front() : place.load;
    const Span base = place.model_argument.empty() ? load : place.model_argument;
    check_loader(options, *place.dialect, file_, place.load.empty() ? base : load, place.model ? place.model->id : "",
                 sink);
    if (!parts.first.empty()) check_base(options, *place.dialect, parts.first, base, sink);
    if (place.layers.empty() && place.routed.empty()) return;
    CompileOptions own = options;
    use_model(own, *place.dialect);
    if (own.read.modules == nullptr) return;
    if (!place.layers.empty()) dialect::llmcompressor::check_sequential_targets(place.layers, *own.read.modules, sink);
    dialect::llmcompressor::check_routed_calibration(place.routed, parts.needs_data, *own.read.modules, sink);
  }

  // The name of a model often says how it is quantized.
  void check_unknown_model(const Place& place, const Parts& parts, diag::Sink& sink) const {
    const auto named = dialect::quantizers::method_in_name(place.model->id);
    if (!named) return;
    const Span load = place.load.empty() ? place.calls.front() : place.load;
    dialect::quantizers::check_named_base(place.dialect->name, parts.first, *named,
                                          place.model_argument.empty() ? load : place.model_argument, sink);
    dialect::checkpoint::check_named_base(*place.document, *named, {place.configuration, place.model_id}, options_.read,
                                          sink);
  }

  Parts read(const Place& place, bool chosen, ir::FoundRecipe& listed, diag::Sink& sink) {
    RecipeModel& model = out_.models.back();
    CompileOptions options = options_for(place);
    use_model(options, *place.dialect, place.form == "command");
    check_gpus(options, *place.dialect, sink);
    dialect::ReadOptions read = options.read;
    read.detected = !options_.from;
    if (place.model) read.loaded_model = place.model->id;
    dialect::Source source{text_of(place), place.part, *place.document, place.wrapper.axolotl()};
    source.partial = place.loose || !place.unknown.empty();
    if (place.form == "objects" || place.form == "string") source.callers = place.callers;
    ir::Recipe recipe = place.dialect->read(source, read, sink);
    if (recipe.dialect.empty()) {
      return {};
    }
    const source::Value* base = base_of(place, model.model.get());
    const dialect::checkpoint::Loader loader{source.file, place.model ? std::string_view(place.model->id) : ""};
    if (base != nullptr && dialect::checkpoint::check_base(*place.document, *base, loader, read, sink)) {
      recipe.actions.clear();
      recipe.incomplete = true;
    }
    add_unit_shapes(recipe, options);
    Parts parts = parts_of(recipe);
    const Checked checked = check_recipe(recipe, options, sink);
    if (model.model != nullptr) {
      model.effect = effect_of(recipe, checked.outcome ? &*checked.outcome : nullptr, options);
      model.unused = unused_model(recipe, options);
    }
    listed.modifiers = origins_of(recipe, *place.document, place.form != "objects");
    listed.evaluated = recipe.evaluated;
    if (!place.unread.empty()) model.effect.clear();  // its line names the reason
    if (is_not_passed(place)) model.effect.clear();
    const bool unknown = model.model != nullptr && place.unread.empty() && !place.unknown.empty() && !sink.has_errors();
    if (model.effect.empty() && unknown) model.effect = "the effect is unknown: " + place.unknown.front().why;
    if (!model.effect.empty()) model.effect = known_effect(model.effect, place, listed, checked.outcome);
    for (const auto& origins : place.origins) move_places(*origins, listed.modifiers);
    if (chosen) {
      const bool is_text = place.form != "objects" && place.form != "script";
      if (place.text == nullptr && is_text) out_.part = place.part;
      out_.recipe = std::move(recipe);
      out_.checked = checked.valid;
    }
    if (chosen) out_.model = model.model;
    return parts;
  }

  // Returns true for a configuration that no call receives.
  bool is_not_passed(const Place& place) const {
    const auto first = not_passed_.lower_bound(Span{place.span.begin, 0});
    return first != not_passed_.end() && first->begin < place.span.end;
  }

  // Returns the effect on the model as far as it is known: of one of several recipes, the effect that it has if it is
  // used.
  static std::string known_effect(const std::string& effect, const Place& place, const ir::FoundRecipe& recipe,
                                  const std::optional<outcome::Outcome>& outcome) {
    const bool depends = outcome && std::ranges::any_of(outcome->states, &outcome::State::unknown);
    const std::vector<ir::UnknownField> fields = depends ? ir::unknown_fields(recipe) : std::vector<ir::UnknownField>();
    if (!fields.empty()) {
      const auto is_listed = [&](const ir::UnknownField& field) {  // the model of a call is not
        return std::ranges::any_of(place.unknown, [&](const auto& each) { return field.reason.starts_with(each.why); });
      };
      const auto listed = std::ranges::find_if(fields, is_listed);
      const ir::UnknownField& field = listed == fields.end() ? fields.front() : *listed;
      return fmt::format("the effect is unknown: {}, {}", field.name, field.reason);
    }
    if (depends && !recipe.unknown.empty()) return "the effect is unknown: " + recipe.unknown.front();
    if (recipe.optional.empty()) return effect;
    return place.alternative ? fmt::format("{}, if this recipe is used: {}", effect, recipe.optional)
                             : "the effect is unknown: some modifiers may be missing, " + recipe.optional;
  }

  // Moves the places of modifiers and keys to the file.
  static void move_places(const places::Origins& origins, std::vector<ir::Origin>& modifiers) {
    for (ir::Origin& modifier : modifiers) {
      modifier.span = origins.map(modifier.span);
      for (ir::OriginField& field : modifier.fields) field.key = origins.map(field.key);
    }
  }

  const SourceFile& text_of(const Place& place) const { return place.text == nullptr ? file_ : *place.text; }

  // Drops findings that depend on unknown values, and moves the others to the file. A fix cannot change derived
  // strings.
  void settle(const Place& place, std::vector<diag::Diagnostic>& findings) const {
    const std::set<Span> keys = place.document ? keys_of_unknown(*place.document) : std::set<Span>();
    const bool imports = names_module(*place.dialect);
    std::erase_if(findings, [&](const diag::Diagnostic& finding) {
      const bool unknown = keys.contains(finding.span) && finding.info != &diag::value_not_checked.info;
      const bool calibrates = place.with_data || dialect::llmcompressor::skips_calibration(place.pipeline.value);
      const bool has_data = calibrates && finding.info->code == "LC216";
      const bool is_sure = imports && finding.info->code == "LC108";
      const bool misplaced = place.ignores_in_call && finding.info->code == "LC215";  // LC126 reports the cause
      return place.tested || unknown || has_data || is_sure || misplaced || is_of_file(place, finding) ||
             is_on_placeholder(place, finding);
    });
    const bool code = place.form == "objects" || place.form == "script";
    settle_findings(text_of(place), place.document ? &*place.document : nullptr, findings,
                    code ? doc::Language::python : doc::Language::yaml);
    if (place.form == "command") {
      for (diag::Diagnostic& finding : findings) finding.fix = {};
    }
    if (code && place.dialect->objects != nullptr && !place.dialect->objects->exported.empty()) {
      for (diag::Diagnostic& finding : findings) {
        dialect::quantizers::name_imports(finding.help, text_of(place), place.dialect->objects->exported);
      }
    }
    for (const auto& origins : place.origins) origins->move(findings);
    const bool runs = extension_of(file_.name()) == "py";  // documents leave arguments out
    for (diag::Diagnostic& finding : findings) {
      if (finding.info->code == "LC216" && runs && place.without_data && place.unknown.empty() &&
          place.optional.empty()) {
        const bool usual = finding.help == finding.usual_help;
        const Span cause = std::exchange(finding.span, {place.without_data->begin, place.without_data->begin + 7});
        finding.with_severity(diag::Severity::error)
            .with_caret("is called without a dataset")
            .with_label(cause, "needs data");
        if (usual)
          finding.with_help(
              "add `dataset=\"open_platypus\", num_calibration_samples=512`, or another dataset, to this call");
      }
      const source::CellLine* cell = finding.caret.empty() ? file_.cell_at(finding.span.begin) : nullptr;
      if (cell != nullptr) finding.caret = fmt::format("line {} of cell {}", cell->line, cell->cell + 1);
    }
  }

  // Returns true if the file names the Python module of a dialect.
  bool names_module(const dialect::Dialect& dialect) const {
    const auto [known, is_new] = named_.try_emplace(&dialect, false);
    if (is_new) known->second = !dialect.module.empty() && file_.text().find(dialect.module) != std::string_view::npos;
    return known->second;
  }

  // Returns true for a placeholder such as "<SCHEME>".
  bool is_on_placeholder(const Place& place, const diag::Diagnostic& finding) const {
    std::string_view text = text_of(place).text(finding.span);
    while (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
    return places::is_placeholder(text) && finding.info != &diag::value_not_checked.info;
  }

  // Returns true for a class that the file defines.
  bool is_of_file(const Place& place, const diag::Diagnostic& finding) const {
    return finding.info == &diag::unknown_modifier.info &&
           std::ranges::find(classes_, text_of(place).text(finding.span)) != classes_.end();
  }

  Compilation& out_;
  const CompileOptions& options_;
  const SourceFile& file_;
  std::vector<std::string> classes_;                       // defined by the file
  std::set<Span> not_passed_;                              // configurations that no call receives
  mutable std::map<const dialect::Dialect*, bool> named_;  // dialects whose modules the file names
};

}  // namespace

bool compile_places(Compilation& out, const CompileOptions& options) { return PlacesCompiler(out, options).run(); }

}  // namespace sparsecfg
