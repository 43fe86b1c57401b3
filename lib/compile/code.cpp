#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/budget.h"
#include "base/limits.h"
#include "base/text.h"
#include "compile/parts.h"
#include "compile/places.h"
#include "diag/rule.h"
#include "diag/sink.h"
#include "doc/construct.h"
#include "python/tree.h"
#include "script/model.h"
#include "script/module_places.h"
#include "source/load.h"

namespace sparsecfg::places {

DIAGNOSTIC(SP049, script_changes_list, info, (Text, Text), "the entries of `{}` are unknown: {}",
           "sparsecfg follows scripts without running them. A list that the script changes in a loop with unknown "
           "rounds, or passes to unknown code, may have other entries than those that are written.",
           "write the complete list as one literal to have it checked")

using script::Ref;
using source::Span;

namespace {

namespace fs = std::filesystem;

// Reads files next to a script: those in its folder or, unless the script names its folder (`here`), in the current
// folder. `unclear` is set if both have different files.
std::optional<std::string> read_near(const source::SourceFile& script, const std::string& path, std::size_t max_bytes,
                                     bool here, bool& unclear) {
  if (script.name().empty() || script.name() == "-" || fs::path(path).is_absolute()) return std::nullopt;
  const fs::path folder = fs::path(script.name()).parent_path();
  const auto read = [&](const std::string& from) {
    auto text = source::read_below(script.view().get(), from, path, max_bytes);
    if (text) script.add_other(*text);
    return text;
  };
  auto beside = read(folder.native());
  if (here || folder.empty()) return beside;
  auto current = read({});
  unclear = beside && current && *beside != *current;
  if (unclear) return std::nullopt;
  return beside ? beside : current;
}

std::optional<source::Value> read_yaml(std::string_view text, const doc::Limits& limits) {
  const source::SourceFile file("text.yaml", std::string(text));
  diag::Sink sink;
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(text.size())}, limits, sink);
  return document && sink.take().empty() ? std::optional(doc::construct(*document, document->root, sink))
                                         : std::nullopt;
}

// The elements of a recipe in a list, with nested lists flattened.
struct Elements {
  std::vector<Ref> modifiers;
  std::vector<Ref> others;
  bool open = false;  // true if the modifiers are only possible elements
};

// Finds the recipes that a script constructs.
class CodeReader {
 public:
  CodeReader(const source::SourceFile& file, const Code& code, const dialect::ReadOptions& options,
             const doc::Limits& limits)
      : file_(file),
        code_(code),
        options_(options),
        limits_(limits),
        script_(code.text.empty() ? file.text() : std::string_view(code.text)),
        files_(std::make_shared<script::ModulePlaces>(script_.size())) {}

  Found run() {
    std::vector<python::Script> scripts;
    for (const Span part : code_.parts) scripts.push_back(python::parse_script(script_, part));
    const script::Trace trace = script::follow({script_, scripts}, library(), *files_);
    derive_text();
    find_recipes(trace);
    for (const Span recipe : code_.recipes) add_block(recipe);
    if (places_.empty()) add_lists(trace);
    mark_uncertain(trace);
    for (Place& place : places_) {
      choose_framework(place);
      finish(place);
    }
    std::ranges::stable_sort(places_, {}, &Place::span);
    for (const python::Script& script : scripts) {
      out_.comments.insert(out_.comments.end(), script.comments.begin(), script.comments.end());
    }
    out_.classes = trace.classes;
    check_script(scripts, trace);
    std::ranges::move(findings_, std::back_inserter(out_.findings));
    out_.recipes = std::move(places_);
    return std::move(out_);
  }

 private:
  script::Library library() const {
    script::Library out;
    out.constant = [](std::string_view path, Span span) {
      Ref found;
      for (const dialect::Dialect* dialect : dialect::dialects()) {
        if (found == nullptr && dialect->objects != nullptr) found = dialect->objects->constant(path, span);
      }
      return found;
    };
    out.keeps_arguments = [](std::string_view path) {
      return std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
        return is_inside(path, *dialect) || (dialect->objects != nullptr && dialect->objects->keeps_arguments(path));
      });
    };
    out.keeps_object = [](const script::Value& object, std::string_view method) {
      return std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
        return dialect->objects != nullptr && dialect->objects->keeps_object != nullptr &&
               dialect->objects->keeps_object(object, method);
      });
    };
    out.construct = [](script::Value& object, const script::Builder& builder) {
      const dialect::Objects* objects = objects_of(object.path);
      if (objects != nullptr && objects->construct != nullptr) objects->construct(object, builder);
    };
    out.keeps_references = [](std::string_view path) {
      const dialect::Objects* const objects = objects_of(path);
      return objects != nullptr && objects->keeps_references != nullptr && objects->keeps_references(path);
    };
    out.field_value = [](std::string_view path, std::string_view field, const Ref& argument) {
      const dialect::Objects* const objects = objects_of(path);
      const bool keeps = objects == nullptr || objects->field_value == nullptr;
      return keeps ? argument : objects->field_value(path, field, argument);
    };
    out.is_field = [](std::string_view name) { return fields_of_objects().contains(name); };
    out.find_file = [this](const std::string& path, bool here, bool& unclear) {
      return read_near(file_, path, limits_.bytes, here, unclear);
    };
    out.read_yaml = [this](std::string_view text) { return read_yaml(text, limits_); };
    return out;
  }

  // Makes the text that spans refer to, if it is not the file itself: the code of a notebook, and other files behind
  // the code.
  void derive_text() {
    if (code_.text.empty() && files_->empty()) return;
    derived_ = std::make_shared<source::SourceFile>(file_.name(), files_->joined(script_));
    derived_->set_whole(file_);
    std::vector<script::Piece> pieces = code_.origins;
    const auto size = static_cast<std::uint32_t>(script_.size());
    if (code_.text.empty()) pieces.push_back({0, {0, size}, true, false});
    std::ranges::move(files_->pieces(), std::back_inserter(pieces));
    const auto name_of = [files = files_, folder = fs::path(file_.name()).parent_path()](Span span) {
      return files->name_of(span, [&](const std::string& path) { return name_near(folder, path); });
    };
    origins_ = std::make_shared<const Origins>(std::move(pieces), name_of);
  }

  // Returns the name of a file that read_near() returns.
  static std::string name_near(const fs::path& folder, const std::string& path) {
    std::error_code ignored;
    const fs::path beside = (folder / path).lexically_normal();
    return fs::exists(beside, ignored) ? beside.generic_string() : path;
  }

  // Returns the objects of the dialect that constructs the objects of a path, or null.
  static const dialect::Objects* objects_of(std::string_view path) {
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      const dialect::Objects* objects = dialect->objects;
      if (objects != nullptr && objects->construct != nullptr && objects->keeps_arguments(path)) return objects;
    }
    return nullptr;
  }

  // Returns the names of the fields of all classes that scripts can construct.
  static const std::set<std::string, std::less<>>& fields_of_objects() {
    static const auto names = [] {
      std::set<std::string, std::less<>> out;
      for (const dialect::Dialect* dialect : dialect::dialects()) {
        if (dialect->objects == nullptr || dialect->pages == nullptr) continue;
        for (const dialect::Page& page : dialect->pages()) {
          for (const dialect::FieldPage& field : page.fields) out.emplace(field.name);
        }
      }
      return out;
    }();
    return names;
  }

  // Returns the recipe that a call of a framework accepts, or null. Arguments that are unknown may contain it.
  static Ref recipe_of(const script::Value& call) {
    if (!is_of_framework(call)) return nullptr;
    const Ref recipe = passed_recipe(call);
    return recipe == nullptr && row_of(call) != nullptr ? call.argument("**") : recipe;
  }

  // Returns the argument `recipe`, or the first argument of a function of a framework that reads recipes, or null.
  static Ref passed_recipe(const script::Value& call) {
    static constexpr std::string_view kReaders[] = {"from_yaml"};
    const Ref recipe = call.argument(script::kRecipe);
    const bool reads = recipe == nullptr && is_of_framework(call) && !call.items.empty() &&
                       base::contains(kReaders, base::last_part(call.path));
    return reads && (call.names.size() < call.items.size() || call.names.front().value == "file_path")
               ? call.items.front()
               : recipe;
  }

  // Returns the row of a call in the table of a dialect, or null.
  static const dialect::RecipeCall* row_of(const script::Value& call) {
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      if (dialect->objects == nullptr) continue;
      if (const auto* row = dialect::find_call(dialect->objects->calls, call.path)) return row;
    }
    return nullptr;
  }

  // Returns the row of a call that receives a model and a configuration, or null.
  static const dialect::ModelCall* model_call_of(const script::Value& call) {
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      if (dialect->objects == nullptr) continue;
      if (const auto* row = dialect::find_model_call(dialect->objects->model_calls, call)) return row;
    }
    return nullptr;
  }

  // Returns the configuration that such a call accepts; null if the call is the configuration.
  static Ref configuration_of(const script::Value& call) {
    const dialect::ModelCall* row = model_call_of(call);
    return row == nullptr || row->config.name.empty() ? nullptr : call.argument(row->config.name, row->config.position);
  }

  static bool is_one_shot(const dialect::RecipeCall* row) {
    return row != nullptr && row->runner == dialect::Runner::one_shot;
  }

  // Reports errors around the recipes, and recipes in other files.
  void check_script(std::span<const python::Script> scripts, const script::Trace& trace) {
    for (const Ref& call : trace.objects) {
      const Ref recipe = recipe_of(*call);
      const bool whole = recipe != nullptr && (recipe->is_whole() || recipe->role == script::Value::Role::here);
      const std::string* path = whole ? recipe->string() : nullptr;
      if (path != nullptr && is_path(*path)) {
        out_.references.push_back(
            {recipe->span, *path, model_of(*call), !trace.writes && is_missing(*path), is_outside(*path)});
      } else if (recipe != nullptr && !read_.contains(call.get()) && is_unread(*recipe)) {
        const bool has_reason = !recipe->text.empty() && !recipe->why.empty();
        out_.unread.push_back(
            {recipe->span, has_reason ? with_line(recipe->text, recipe->why) : std::string("it is not a constant")});
      } else if (runs_without_recipe(*call)) {
        out_.runs_without_recipe = true;
      }
    }
    diag::Sink sink;
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      const bool mine = std::ranges::find(places_, dialect, &Place::dialect) != places_.end();
      const bool unread = !out_.references.empty() || !out_.unread.empty();
      const bool runs_nothing = is_program() && out_.runs_without_recipe;
      if (dialect->objects == nullptr) continue;
      if (mine || unread || runs_nothing || runs_recipe(trace, *dialect) || receives_model(trace, *dialect)) {
        dialect->objects->check_script(trace, options_, sink);
      }
    }
    if (is_program() && (!places_.empty() || !out_.unread.empty() || imports_framework(trace))) {
      const auto is_known = [](const script::Value& call) { return maker(call) != nullptr || row_of(call) != nullptr; };
      report_faults({script_, scripts}, trace, imports_framework(trace) ? IsKnown(is_known) : nullptr, out_, sink);
    }
    if (!trace.limit.empty() && (trace.imports.empty() || imports_framework(trace))) {
      sink.report(diag::limits_exceeded, trace.limited, trace.limit)
          .with_severity(diag::Severity::warning)
          .with_help("move the recipe to a separate file");
    }
    out_.findings = sink.take();
    if (origins_ != nullptr) {
      origins_->move(out_.findings);
      for (Reference& each : out_.references) each.span = origins_->map(each.span);
      for (Unknown& each : out_.unread) each.span = origins_->map(each.span);
    }
  }

  // Returns true if a call of the dialect receives a model.
  static bool receives_model(const script::Trace& trace, const dialect::Dialect& dialect) {
    return std::ranges::any_of(trace.objects, [&](const Ref& call) {
      return call->imported && dialect::find_model_call(dialect.objects->model_calls, *call) != nullptr;
    });
  }

  // Returns true if a call of the framework receives a recipe of any type.
  static bool runs_recipe(const script::Trace& trace, const dialect::Dialect& dialect) {
    return std::ranges::any_of(trace.objects, [&](const Ref& call) {
      return call->imported && is_inside(call->path, dialect) && call->argument(script::kRecipe) != nullptr &&
             dialect::find_call(dialect.objects->calls, call->path) != nullptr;
    });
  }

  // Returns true for a call of `oneshot` without a recipe, or with one that the file does not define. Documents leave
  // imports and definitions out.
  static bool runs_without_recipe(const script::Value& call) {
    const dialect::RecipeCall* row = row_of(call);
    const bool runs =
        call.imported ? is_of_framework(call) && row != nullptr : is_one_shot(row) && call.path == row->name;
    const Ref recipe = call.argument(script::kRecipe);
    return runs && (recipe == nullptr ? !call.open && call.argument("**") == nullptr
                                      : recipe->kind == script::Value::Kind::name || script::is_none(*recipe));
  }

  static bool has_unknown_part(const script::Value& recipe) {
    using Kind = script::Value::Kind;
    const auto is_unknown = [](const Ref& item) { return item->kind == Kind::unknown; };
    return recipe.kind == Kind::unknown ||
           (recipe.kind == Kind::list && (recipe.open || std::ranges::any_of(recipe.items, is_unknown)));
  }

  // If a call accepts a recipe that is unknown or has unknown parts, modifiers without a call may be a part of it.
  void mark_uncertain(const script::Trace& trace) {
    const auto begin = trace.objects.begin();
    const bool any = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(trace.reached), [&](const Ref& call) {
      const Ref recipe = recipe_of(*call);
      if (recipe == nullptr || recipe->string() != nullptr) return false;
      return read_.contains(call.get()) ? has_unknown_part(*recipe) : is_unread(*recipe);
    });
    for (Place& place : places_) {
      if (!any || !place.calls.empty() || place.form == "fence") continue;
      if (place.optional.empty()) place.optional = "a call accepts an unknown recipe";
      place.unknown.push_back({place.part, place.optional});
    }
  }

  // Returns true for a recipe that the script computes in a way that is not known. A path is reported as such.
  static bool is_unread(const script::Value& recipe) {
    using Kind = script::Value::Kind;
    if (recipe.role == script::Value::Role::path) return false;
    const bool computed = recipe.kind == Kind::unknown || recipe.kind == Kind::object ||
                          recipe.kind == Kind::instance || (recipe.kind == Kind::name && recipe.imported) ||
                          recipe.string() != nullptr;
    return computed ||
           (recipe.kind == Kind::list && (recipe.open || std::ranges::any_of(recipe.items, [](const Ref& item) {
                                            return item->string() == nullptr && is_unread(*item);
                                          })));
  }

  std::string reason_of(const script::Value& other) const {
    return other.text.empty()  ? "the class is not a known modifier"
           : other.why.empty() ? other.text
                               : with_line(other.text, other.why);
  }

  std::string with_line(const std::string& why, Span cause) const {
    const Span here = files_->in_script(cause);
    return ir::Reason{in_file(why, cause), text().position(here.begin).line}.message();
  }

  // Returns "why in helpers.py:12" for a cause in another file.
  std::string in_file(const std::string& why, Span cause) const {
    const std::string name = files_->name_of(cause, [](const std::string& path) { return path; });
    return name.empty() ? why : why + " in " + name;
  }

  static bool is_of_framework(const script::Value& call) {
    return call.imported && std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
             return is_inside(call.path, *dialect);
           });
  }

  // Returns true for a script that Python runs as a whole. Notebooks and documents have parts of code.
  bool is_program() const { return extension_of(file_.name()) == "py"; }

  static bool imports_framework(const script::Trace& trace) {
    return std::ranges::any_of(trace.imports, [](const script::Import& import) {
      return std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
        return is_inside(import.module + ".", *dialect);
      });
    });
  }

  // Returns true for a path whose file is not read, because scripts of strangers must not make it readable.
  static bool is_outside(const std::string& path) { return fs::path(path).is_absolute() || path.starts_with(".."); }

  // Returns true if a path that a script names is neither in its folder, nor in one above it, nor in the current one.
  bool is_missing(const std::string& path) const {
    if (!is_program() || is_outside(path) || !exists(file_.name())) return false;
    for (fs::path folder = fs::path(file_.name()).parent_path();; folder = folder.parent_path()) {
      if (exists((folder / path).lexically_normal())) return false;
      if (folder.empty() || folder == folder.parent_path()) return true;
    }
  }

  // Returns true if a file exists, in the revision of the script.
  bool exists(const fs::path& path) const {
    std::error_code error;
    const source::View* view = file_.view().get();
    return view == nullptr ? fs::exists(path, error) || error : view->read(path.native(), limits_.bytes).has_value();
  }

  static bool is_path(std::string_view text) {
    const std::string ending = base::to_lower(base::ending_of(std::string(text)));
    return text.find('\n') == std::string_view::npos && text.find(':') == std::string_view::npos &&
           (ending == "yaml" || ending == "yml" || ending == "md" || ending == "json");
  }

  // The text that spans of values refer to.
  const source::SourceFile& text() const { return derived_ != nullptr ? *derived_ : file_; }

  static const dialect::Dialect* maker(const script::Value& object) {
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      if (dialect->objects != nullptr && object.kind == script::Value::Kind::object &&
          dialect->objects->makes(object)) {
        return dialect;
      }
    }
    return nullptr;
  }

  // Adds the elements of a recipe in a list, and flattens nested lists.
  void collect(const Ref& value, Elements& out) {
    constexpr std::size_t kCostOfModifier = 50;
    if (maker(*value) != nullptr && budget_.spend(kCostOfModifier)) {
      out.modifiers.push_back(value);
      return;
    }
    const base::Budget::Level level(budget_);
    const bool list = value->kind == script::Value::Kind::list || value->kind == script::Value::Kind::tuple;
    const bool open = list ? value->open : value->kind == script::Value::Kind::unknown;
    out.open = out.open || open;
    if (open) out.others.push_back(value);
    if ((!list && !open) || !level || !budget_.spend(1 + value->items.size())) {
      if (!open) out.others.push_back(value);
      return;
    }
    for (const Ref& item : value->items) {
      if (item != nullptr) collect(item, out);
    }
  }

  // Adds recipes that calls accept before the others, and outer lists before the lists in them. A list of test values
  // does not become a recipe.
  void find_recipes(const script::Trace& trace) {
    trace_ = &trace;
    std::set<const script::Value*> choices;
    for (const Ref& call : trace.objects) {
      if (call->path.ends_with("parametrize")) {
        for (const Ref& argument : call->items) add_choices(*argument, choices);
        tests_.push_back(call->span);
      }
    }
    for (const Ref& call : trace.objects) {
      if (const Ref recipe = passed_recipe(*call)) add_passed(recipe, *call);
    }
    for (const Ref& call : trace.objects) {
      if (const Ref configuration = configuration_of(*call)) appliers_[configuration->identity()] = call.get();
    }
    for (auto list = trace.lists.rbegin(); list != trace.lists.rend(); ++list) {
      const std::size_t before = places_.size();
      if (!choices.contains((*list)->identity())) add_objects(*list, nullptr, {});
      const bool single = (*list)->kind == script::Value::Kind::object;
      for (std::size_t at = before; single && at < places_.size(); ++at) places_[at].loose = true;
    }
    const std::size_t known = places_.size();
    for (const Ref& object : trace.objects) add_objects(object, nullptr, {});
    for (std::size_t at = known; at < places_.size(); ++at) places_[at].loose = true;
    add_strings(trace.strings);
  }

  // One of several recipes that a call may get.
  struct Version {
    Ref recipe;
    const script::Value* choice;  // the value whose alternatives differ
    bool is_first;                // of the alternatives
  };

  // Returns the recipes that a value may be: its alternatives, or those of a modifier in a list. Each is a whole
  // recipe, and the run uses one of them.
  static std::vector<Version> versions_of(const Ref& recipe) {
    const std::vector<Ref> values = alternatives(recipe);
    std::vector<Version> out;
    for (const Ref& value : values) {
      const auto choice = values.size() == 1 ? choice_in(*value) : std::nullopt;
      if (!choice) out.push_back({value, recipe.get(), value == values.front()});
      if (!choice) continue;
      const Ref& item = value->items[*choice];
      const std::vector<Ref> items = alternatives(item);
      for (const Ref& each : items) {
        auto version = std::make_shared<script::Value>(*value);
        version->items[*choice] = each;
        version->origin = value->identity();
        out.push_back({std::move(version), item.get(), each == items.front()});
      }
    }
    return out;
  }

  // Returns the only item of a list that is one of several modifiers.
  static std::optional<std::size_t> choice_in(const script::Value& list) {
    if (list.kind != script::Value::Kind::list || list.open) return std::nullopt;
    std::optional<std::size_t> out;
    for (std::size_t at = 0; at < list.items.size(); ++at) {
      const std::vector<Ref> items = alternatives(list.items[at]);
      const bool all = std::ranges::all_of(items, [](const Ref& item) { return maker(*item) != nullptr; });
      if (items.size() < 2 || !all) continue;
      if (out) return std::nullopt;
      out = at;
    }
    return out;
  }

  void add_passed(const Ref& recipe, const script::Value& call) {
    const std::vector<Version> versions = versions_of(recipe);
    const bool several = versions.size() != 1 || versions.front().recipe != recipe;
    for (const auto& [value, choice, is_first] : versions) {
      const std::string why = !several               ? std::string()
                              : choice->text.empty() ? reason_of_choice(*choice)
                                                     : with_line(choice->text, choice->why);
      const bool by_default = !choice->option.empty() && is_first;
      const std::string optional = by_default ? "" : why;
      const std::size_t place = places_.size();
      const bool added =
          value->string() != nullptr ? add_string(*value, &call, optional) : add_objects(value, &call, optional);
      if (added) read_.insert(&call);
      for (std::size_t at = place; versions.size() > 1 && at < places_.size(); ++at) {
        places_[at].alternative = !places_[at].loose;
      }
      if (by_default && place < places_.size()) add_option(places_[place], choice->option);
    }
  }

  // Returns the reason for one of several lists without a cause of its own.
  static std::string reason_of_choice(const script::Value& recipe) {
    return recipe.option.empty() ? "it depends on a condition" : "it depends on the option `" + recipe.option + "`";
  }

  static void add_option(Place& place, const std::string& option) {
    if (!option.empty() && std::ranges::find(place.assumed, option) == place.assumed.end()) {
      place.assumed.push_back(option);
    }
  }

  static void add_choices(const script::Value& value, std::set<const script::Value*>& choices) {
    choices.insert(value.identity());
    for (const Ref& item : value.items) {
      if (item != nullptr && item->kind == script::Value::Kind::tuple) choices.insert(item->identity());
    }
  }

  // Adds the recipe of the modifiers in a value. Returns false if it has none. Modifiers that belong to a recipe are
  // not added again without a call.
  bool add_objects(const Ref& value, const script::Value* call, const std::string& optional) {
    Elements found;
    collect(value, found);
    if (is_beyond_limit(value->span)) {
      return false;
    }
    std::vector<Ref>& elements = found.modifiers;
    if (call == nullptr) {
      std::erase_if(elements, [&](const Ref& element) { return used_.contains(element->identity()); });
    }
    if (elements.empty()) {
      return false;
    }
    const dialect::Dialect* dialect = maker(*elements.front());
    std::vector<Ref> all;
    for (const Ref& element : elements) {
      used_.insert(element->identity());
      for (const Ref& each : dialect->objects->elements(element, options_, budget_)) all.push_back(each);
    }
    if (dialect->objects->program != nullptr && elements.size() == 1) {
      if (Ref program = dialect->objects->program(*trace_, elements.front())) all.push_back(std::move(program));
    }
    Place place;
    place.form = "objects";
    place.dialect = dialect;
    place.span = value->span;
    place.part = value->span;
    place.document = dialect->objects->document(all, value->span, budget_);
    place.reach = reach_of(value->span, elements);
    place.loose = !found.others.empty() || (found.open && call != nullptr);
    place.optional = optional;
    if (optional.empty() && value->possible) place.optional = "it depends on a condition";
    if (!found.others.empty()) place.optional = reason_of(*found.others.front());
    diag::Sink sink;
    dialect->objects->check_elements(elements, !found.open, sink);
    place.findings = sink.take();
    for (const Ref& other : found.others) {
      place.unknown.push_back({other->span, reason_of(*other)});
    }
    if (found.others.empty() && !place.optional.empty()) place.unknown.push_back({value->span, place.optional});
    for (const Ref& each : elements) add_unread(*each, place);
    std::set<const script::Value*> seen;
    for (const Ref& each : all) add_assumed(each, place.assumed, seen);
    if (is_beyond_limit(value->span)) {
      return false;
    }
    add(std::move(place), call != nullptr || elements.size() != 1 ? call : applier_of(*elements.front()));
    return true;
  }

  // Adds an element of which no argument is known: `GPTQModifier(**settings)`.
  void add_unread(const script::Value& element, Place& place) const {
    const Ref rest = element.argument("**");
    if (rest == nullptr || element.names.size() != 1 || element.items.size() != 1) return;
    const std::string why = fmt::format("all arguments of `{}` are unknown{}{}", base::last_part(element.path),
                                        rest->text.empty() ? "" : ", because ", rest->text);
    place.unread.push_back({files_->in_script(element.span), with_line(why, rest->why)});
  }

  // Returns the call that applies a configuration to a model, which may be the configuration itself; null without one.
  const script::Value* applier_of(const script::Value& element) const {
    if (model_call_of(element) != nullptr) return &element;
    const auto found = appliers_.find(element.identity());
    return found == appliers_.end() ? nullptr : found->second;
  }

  void add_assumed(const Ref& value, std::vector<std::string>& out, std::set<const script::Value*>& seen) {
    if (value == nullptr || !budget_.spend() || !seen.insert(value.get()).second) return;
    const bool known =
        value->assumed.empty() || !budget_.spend(out.size()) || std::ranges::find(out, value->assumed) != out.end();
    if (!known) out.push_back(value->assumed);
    for (const Ref& item : value->items) add_assumed(item, out, seen);
  }

  // Returns true, and reports it once, if the recipes of the script exceed the limit.
  bool is_beyond_limit(Span span) {
    if (budget_.exceeded() == base::Budget::Limit::none) return false;
    if (std::exchange(limited_, true)) return true;
    diag::Sink sink;
    sink.report(diag::limits_exceeded, span, "the lists of a recipe have too many elements");
    add_findings(sink);
    return true;
  }

  // Adds findings about the code around the recipes.
  void add_findings(diag::Sink& sink) {
    std::vector<diag::Diagnostic> findings = sink.take();
    if (origins_ != nullptr) origins_->move(findings);
    std::ranges::move(findings, std::back_inserter(findings_));
  }

  // Elements that are constructed before the list are parts of the recipe.
  Span reach_of(Span span, const std::vector<Ref>& elements) const {
    span = files_->in_script(span);
    for (const Ref& element : elements) {
      const Span part = files_->in_script(element->span);
      span = {std::min(span.begin, part.begin), std::max(span.end, part.end)};
    }
    return span;
  }

  static bool passes_data(const script::Value& call) {
    return call.open || std::ranges::any_of(call.names, [](const auto& name) {
             return name.value == "dataset" || name.value == "dataset_path" || name.value == "**";
           });
  }

  // Returns a call of `oneshot` that is complete and has no dataset.
  static std::optional<Span> without_data(const script::Value& call) {
    const bool chooses = std::ranges::any_of(call.names, [](const auto& name) { return name.value == "pipeline"; });
    const bool known = call.items.size() == call.names.size() && !passes_data(call) && !chooses;
    return known && is_one_shot(row_of(call)) ? std::optional(call.span) : std::nullopt;
  }

  // A recipe that is reached repeatedly, as in a loop, is one recipe unless its values or its model differ.
  void add(Place place, const script::Value* call) {
    const std::string content = place.document ? fingerprint(*place.document) : std::string();
    std::vector<std::size_t>& known = known_[{place.span, content}];
    if (add_to_known(known, call)) return;
    known.push_back(places_.size());
    places_.push_back(std::move(place));
    add_first_call(call);
  }

  // Adds a call to the place with the same model. Returns false if there is none. The call of a function of the script,
  // which passes the recipe on, has no model.
  bool add_to_known(const std::vector<std::size_t>& known, const script::Value* call) {
    if (known.empty()) return false;
    const auto model = call == nullptr ? std::nullopt : model_of(*call);
    const auto fits = [&](std::size_t at) {
      return !model || !places_[at].model || places_[at].model->is_same(*model);
    };
    const auto at = std::ranges::find_if(known, fits);
    if (at == known.end()) return false;
    if (model && !places_[*at].model) {
      places_[*at].model = model;
      places_[*at].load = received_model(*call).load;
    }
    if (model) add_option_of_model(places_[*at], *call);
    if (call != nullptr) add_call(places_[*at], *call);
    return true;
  }

  // Adds the first call to the last place.
  void add_first_call(const script::Value* call) {
    if (call == nullptr) return;
    places_.back().model = model_of(*call);
    places_.back().load = received_model(*call).load;
    add_option_of_model(places_.back(), *call);
    add_call(places_.back(), *call);
  }

  static void add_option_of_model(Place& place, const script::Value& call) {
    add_option(place, received_model(call).assumed);
  }

  // Returns the model that a call receives with a recipe.
  static script::Model received_model(const script::Value& call) {
    const dialect::ModelCall* row = model_call_of(call);
    const Ref argument =
        row == nullptr || row->model.name.empty() ? nullptr : call.argument(row->model.name, row->model.position);
    return argument == nullptr ? script::model_of_call(call) : script::model_of_argument(*argument);
  }

  static std::vector<model::Module> modules_of(const std::vector<script::Layer>& layers) {
    std::vector<model::Module> out;
    for (const script::Layer& each : layers) {
      out.push_back({each.name, each.type, each.shape.empty() ? std::nullopt : std::optional(each.shape)});
    }
    return out;
  }

  // Returns the model that a call passes with a recipe; nullopt for a call of a function of the script.
  std::optional<ir::CallModel> model_of(const script::Value& call) const {
    if (call.function != nullptr) return std::nullopt;
    const script::Model model = received_model(call);
    const bool is_ours = is_of_framework(call) || is_one_shot(row_of(call));
    if (!model.named && !is_ours) return ir::CallModel{{}, {}, {"the call has no argument `model`", {}}};
    if (model.id.empty()) return ir::CallModel{{}, {}, {in_file(model.why, model.cause), lines_of(model.cause).first}};
    if (model.remote && is_remote(model.id)) {
      return ir::CallModel{{}, {}, {"its class comes from the folder of the model, because the code is trusted", {}}};
    }
    if (!model.layers.empty()) return ir::CallModel{model.id, {}, {}, modules_of(model.layers)};
    const bool loads = model.loader.empty() && model.load.empty() && is_ours && row_of(call) != nullptr;
    return ir::CallModel{model.id, loads ? std::string(script::kDefaultLoader) : model.loader, {}};
  }

  // Returns true if the configuration of a model in a folder names classes of its own.
  bool is_remote(const std::string& folder) const {
    bool unclear = false;
    const auto config = read_near(file_, folder + "/config.json", limits_.bytes, false, unclear);
    return unclear || (config && config->find("\"auto_map\"") != std::string::npos);
  }

  // Returns the model of a file whose lists are one recipe: that of all calls that accept a list.
  std::optional<ir::CallModel> model_of_lists(const script::Trace& trace) const {
    std::optional<ir::CallModel> out;
    for (const Ref& call : trace.objects) {
      const auto model = script::place_of_recipe(*call) ? model_of(*call) : std::nullopt;
      if (!model) continue;
      if (out && !out->is_same(*model)) return ir::CallModel{{}, {}, {"the calls receive different models", {}}};
      out = model;
    }
    return out;
  }

  // Longer strings come first: a part of a recipe is not a recipe.
  void add_strings(const std::vector<Ref>& strings) {
    std::vector<Ref> sorted;
    for (const Ref& string : strings) {
      if (string->string() != nullptr && may_be_recipe(*string, false)) sorted.push_back(string);
    }
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const Ref& string) { return string->pieces.size(); });
    for (const Ref& string : sorted) {
      const bool part =
          std::ranges::all_of(string->pieces, [&](const script::Piece& piece) { return is_covered(piece.span); });
      if (!part) add_string(*string, nullptr, {});
    }
  }

  bool is_covered(Span span) const {
    const auto after = covered_.upper_bound({span.begin, static_cast<std::uint32_t>(-1)});
    return after != covered_.begin() && std::prev(after)->end >= span.end;
  }

  // A string with `{name}` that is not YAML is a template. Only a string that a call accepts may be one line of JSON.
  static bool may_be_recipe(const script::Value& value, bool passed) {
    const std::string& content = *value.string();
    const bool fits = content.find('\n') != std::string::npos || (passed && content.starts_with('{'));
    return fits && !value.pieces.empty() && may_have_recipes(content);
  }

  // Adds a string that a dialect claims. Returns false if there is none.
  bool add_string(const script::Value& value, const script::Value* call, const std::string& optional) {
    if (!may_be_recipe(value, call != nullptr)) {
      return false;
    }
    const std::string& content = *value.string();
    std::string seen;
    for (const script::Piece& piece : value.pieces) seen += std::to_string(piece.span.begin) + ',';
    const auto [known, is_new] = strings_.try_emplace({seen, content});
    if (!is_new && (known->second.empty() || add_to_known(known->second, call))) {
      return !known->second.empty();
    }
    const script::Piece& first = value.pieces.front();
    std::optional<Place> place;
    if (value.pieces.size() == 1 && first.exact && code_.text.empty()) {
      place = read_text(text(), first.span, limits_);
      if (place && !place->document && is_template(content)) place.reset();
    } else {
      auto derived = std::make_shared<source::SourceFile>("recipe.yaml", content);
      place = read_text(*derived, {0, static_cast<std::uint32_t>(content.size())}, limits_);
      if (place && !place->document && (!value.is_whole() || is_template(content))) place.reset();
      if (place && place->document) mark_holes(*place->document);
      if (place) place->origins.push_back(std::make_shared<const Origins>(value.pieces));
      if (place) place->text = std::move(derived);
    }
    if (!place) {
      return false;
    }
    place->form = "string";
    place->span = value.span;
    place->optional = optional;
    if (!optional.empty()) place->unknown.push_back({place->part, optional});
    if (!value.assumed.empty()) place->assumed.push_back(value.assumed);
    for (const script::Piece& piece : value.pieces) covered_.insert(piece.span);
    known->second.push_back(places_.size());
    places_.push_back(std::move(*place));
    add_first_call(call);
    return true;
  }

  // Adds a recipe of a Markdown cell, or one that a cell writes to a file.
  void add_block(Span block) {
    auto place = read_text(text(), block, limits_, true);
    if (!place) return;
    place->form = "fence";
    place->text = derived_;
    places_.push_back(std::move(*place));
  }

  // Adds the configuration lists of a framework that has no classes for their entries.
  void add_lists(const script::Trace& trace) {
    const dialect::Dialect* dialect = dialect::detect_in_script(script_);
    if (dialect == nullptr) return;
    ScriptLists lists = find_lists(text(), trace, *dialect, budget_);
    diag::Sink sink;
    for (const OpenList& list : lists.open) {
      sink.report(diag::script_changes_list, list.name.span, list.name.value, with_line(list.why, list.cause));
    }
    add_findings(sink);
    if (is_beyond_limit({})) return;
    for (doc::Document& document : lists.documents) {
      Place place;
      place.form = "script";
      place.dialect = dialect;
      place.part = {0, static_cast<std::uint32_t>(script_.size())};
      place.span = document[document[document.root].items[1]].span;
      place.document = std::move(document);
      place.model = model_of_lists(trace);
      places_.push_back(std::move(place));
    }
  }

  // Returns the strings of the argument `sequential_targets`; none if one of them is not known.
  static std::vector<source::Located<std::string>> layers_of(const script::Value& call) {
    const Ref value = call.argument("sequential_targets");
    if (value == nullptr) return {};
    if (value->string() != nullptr && value->is_whole()) return {{*value->string(), value->span}};
    std::vector<source::Located<std::string>> out;
    if (value->kind != script::Value::Kind::list || value->open) return out;
    for (const Ref& item : value->items) {
      if (item->string() == nullptr || !item->is_whole()) return {};
      out.push_back({*item->string(), item->span});
    }
    return out;
  }

  static source::Located<std::string> pipeline_of(const script::Value& call) {
    const Ref value = call.argument("pipeline");
    const bool known = value != nullptr && value->string() != nullptr && value->is_whole();
    return known ? source::Located<std::string>{*value->string(), value->span} : source::Located<std::string>();
  }

  // Returns the place of the model that a call receives.
  static Span model_argument_of(const script::Value& call) {
    const dialect::ModelCall* row = model_call_of(call);
    const Ref argument = row == nullptr || row->model.name.empty()
                             ? call.argument("model")
                             : call.argument(row->model.name, row->model.position);
    return argument == nullptr ? Span() : argument->span;
  }

  // Returns the place of the id that `from_pretrained` loads.
  static Span model_id_of(const script::Value& call) {
    const Ref argument = call.argument("pretrained_model_name_or_path", 0);
    return argument == nullptr || argument->string() == nullptr ? Span() : argument->span;
  }

  // Returns the place of the name of the argument that is the configuration.
  static Span place_of_configuration(const script::Value& call) {
    const dialect::ModelCall* row = model_call_of(call);
    const auto name = row == nullptr
                          ? call.names.end()
                          : std::ranges::find(call.names, row->config.name, &source::Located<std::string>::value);
    return name == call.names.end() ? Span() : name->span;
  }

  static void add_call(Place& place, const script::Value& call) {
    place.model_argument = model_argument_of(call);
    place.model_id = model_id_of(call);
    place.configuration = place_of_configuration(call);
    if (is_of_framework(call)) {
      place.layers = layers_of(call);
      place.pipeline = pipeline_of(call);
      place.arguments = call.names;
      const Ref all_experts = call.argument("moe_calibrate_all_experts");
      place.routed = script::is_false(all_experts) ? all_experts->span : Span();
      place.ignores_in_call = place.ignores_in_call || call.argument("ignore") != nullptr;
      place.without_data = place.calls.empty() ? without_data(call) : std::nullopt;
      place.with_data = passes_data(call) && (place.calls.empty() || place.with_data);
    }
    if (std::ranges::find(place.calls, call.span) != place.calls.end()) return;
    place.calls.push_back(call.span);
    place.callers.push_back(call.path);
  }

  static bool is_template(std::string_view content) {
    for (std::size_t open = content.find('{'); open != std::string_view::npos; open = content.find('{', open + 1)) {
      std::size_t end = open + 1;
      while (end < content.size() &&
             (base::is_letter(content[end]) || base::is_digit(content[end]) || content[end] == '_'))
        ++end;
      if (end < content.size() && content[end] == '}') return true;
    }
    return false;
  }

  static void mark_holes(doc::Document& document) {
    for (doc::Node& node : document.nodes) {
      if (node.text.find(script::kHole) != std::string_view::npos) {
        node.tag = doc::kNotLiteralTag;
        node.text = "a part of the string is unknown";
      }
    }
  }

  // Recipes of two frameworks may look alike. The imports of the script decide.
  void choose_framework(Place& place) {
    const auto imports = [&](const dialect::Dialect& dialect) {
      const auto [known, is_new] = imported_.try_emplace(&dialect, false);
      const std::string line = "from " + std::string(dialect.module);
      if (is_new) known->second = !dialect.module.empty() && script_.find(line) != std::string_view::npos;
      return known->second;
    };
    if (place.form != "string" || !place.document || imports(*place.dialect)) {
      return;
    }
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      if (imports(*dialect) && dialect->claims(*place.document)) {
        place.dialect = dialect;
        return;
      }
    }
  }

  // Returns the arguments of calls that are objects of the run, not settings of the recipe.
  static std::set<doc::NodeId> objects_in(const doc::Document& document) {
    static constexpr std::string_view kNames[] = {"model", "tokenizer", "processor"};
    std::set<doc::NodeId> out;
    for (const doc::Node& node : document.nodes) {
      for (std::size_t at = 0; node.kind == doc::Kind::mapping && at + 1 < node.items.size(); at += 2) {
        if (base::contains(kNames, document[node.items[at]].text)) out.insert(node.items[at + 1]);
      }
    }
    return out;
  }

  // Counts lines. The line of a recipe in a notebook is the stored line of its cell.
  void finish(Place& place) {
    place.tested = std::ranges::any_of(
        tests_, [&](Span test) { return test.begin <= place.span.begin && place.span.end <= test.end; });
    place.lines = lines_of(place.reach.empty() ? place.span : place.reach);
    const std::set<doc::NodeId> objects = place.document ? objects_in(*place.document) : std::set<doc::NodeId>();
    for (std::size_t at = 0; place.document && at < place.document->nodes.size(); ++at) {
      doc::Node& node = place.document->nodes[at];
      if (node.tag != doc::kNotLiteralTag) continue;
      ir::Reason reason = ir::reason_of(node.text);
      if (reason.line) {
        const Span cause{*reason.line, *reason.line};
        reason = {in_file(reason.why, cause), lines_of(cause).first};
      }
      node.text = place.document->owned.emplace_back(reason.message());
      if (!objects.contains(static_cast<doc::NodeId>(at))) place.unknown.push_back({node.span, reason.message()});
    }
    for (const Span call : place.calls) place.call_lines.push_back(lines_of(call));
    if (origins_ == nullptr) {
      return;
    }
    place.origins.push_back(origins_);
    place.span = origins_->map(place.span);
    for (Span& call : place.calls) call = origins_->map(call);
    for (Unknown& each : place.unread) each.span = origins_->map(each.span);
    if (place.without_data) place.without_data = origins_->map(*place.without_data);
    for (auto& layer : place.layers) layer.span = origins_->map(layer.span);
    place.pipeline.span = origins_->map(place.pipeline.span);
    for (auto& argument : place.arguments) argument.span = origins_->map(argument.span);
    if (!place.routed.empty()) place.routed = origins_->map(place.routed);
    if (place.text == nullptr && !is_part_of_file(place)) place.text = derived_;
  }

  // Returns true for a string whose text is a part of the file.
  bool is_part_of_file(const Place& place) const {
    return place.form == "string" && code_.text.empty() && place.part.end <= script_.size();
  }

  Lines lines_of(Span span) const {
    span = files_->in_script(span);
    const auto line = [&](std::uint32_t offset) { return text().position(offset).line; };
    const std::uint32_t last = span.end > span.begin ? span.end - 1 : span.end;
    Lines out{line(span.begin), line(last), std::nullopt};
    const auto after =
        std::ranges::upper_bound(code_.cells, span.begin, {}, [](const Cell& cell) { return cell.span.begin; });
    if (after == code_.cells.begin()) return out;
    const Cell& cell = *(after - 1);
    const std::uint32_t before = line(cell.span.begin) - 1;
    return {out.first - before, out.last - before, cell.number};
  }

  const source::SourceFile& file_;
  const Code& code_;
  const dialect::ReadOptions& options_;
  const doc::Limits& limits_;
  std::string_view script_;                      // the text that is followed
  std::shared_ptr<script::ModulePlaces> files_;  // that the script uses
  std::shared_ptr<source::SourceFile> derived_;  // the script and these files; null if it is the file itself
  std::vector<Place> places_;
  Found out_;
  std::shared_ptr<const Origins> origins_;                                  // of a notebook
  std::vector<Span> tests_;                                                 // lists of values for parametrized tests
  const script::Trace* trace_ = nullptr;                                    // of the script
  std::set<const script::Value*> used_;                                     // modifiers of recipes
  std::map<const script::Value*, const script::Value*> appliers_;           // by the configuration that they receive
  std::set<const script::Value*> read_;                                     // calls whose recipe was found
  std::map<std::pair<Span, std::string>, std::vector<std::size_t>> known_;  // places by span and content
  // Places of strings by pieces and content; empty if the string is no recipe.
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> strings_;
  std::set<Span> covered_;  // parts of recipes in strings
  base::Budget budget_{{.steps = dialect::kCostOfElement * limits::kMaxScriptElements,
                        .bytes = 100'000'000,
                        .depth = 32}};                // of the recipes that objects construct
  std::map<const dialect::Dialect*, bool> imported_;  // dialects from whose modules the script imports
  std::vector<diag::Diagnostic> findings_;
  bool limited_ = false;
};

}  // namespace

Found find_in_code(const source::SourceFile& file, const Code& code, const dialect::ReadOptions& options,
                   const doc::Limits& limits) {
  return CodeReader(file, code, options, limits).run();
}

}  // namespace sparsecfg::places
