#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "diag/sink.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/llmcompressor/parts.h"
#include "dialect/llmcompressor/table.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/quantizers/script_code.h"
#include "emit/literal.h"
#include "script/trace.h"

// Checks of scripts: what goes wrong only where a recipe is made of objects.
namespace sparsecfg::dialect::llmcompressor {

using script::Ref;
using Form = script::Value::Kind;

DIAGNOSTIC(LC111, positional_argument, error, (Text), "`{}` accepts only named arguments",
           "Modifiers, QuantizationScheme and QuantizationArgs are pydantic classes. They raise a TypeError for an "
           "argument without a name.",
           "write the name of the field before the value: `name=value`")

DIAGNOSTIC(LC112, recipe_argument, error, (Text), "the argument `recipe` cannot be {}",
           "`oneshot` accepts a modifier, a list of modifiers, a recipe as a string, or the path of a recipe file as a "
           "string. Everything else raises an error before the model is changed.",
           "pass a list of modifiers")

DIAGNOSTIC(LC113, preset_changed, error, (Text),
           "the name of preset `{}` is no longer a valid scheme, because the script added `targets`",
           "The presets of compressed_tensors are dictionaries that the whole program shares. If a script adds "
           "`targets` to one of them, its name can no longer be used as a scheme: a class then gets `targets` twice.",
           "change a copy of the preset: `copy.deepcopy(PRESET)`")

namespace {

// Types that `oneshot` rejects as the argument `recipe`, with the text to write instead.
struct Refused {
  std::string_view what;
  std::string_view help;
};

bool is_text(const Ref& value) { return value->string() != nullptr; }

// Returns true for a class of modifiers that is not called.
bool is_class(const Ref& value) {
  return value->kind == Form::name && value->imported && value->path.starts_with("llmcompressor.") &&
         table().find(base::last_part(value->path)) != nullptr;
}

std::optional<Refused> refused(const script::Value& value) {
  const bool items = !value.items.empty();
  switch (value.kind) {
    case Form::tuple: return Refused{"a tuple", "write a list: `[...]`"};
    case Form::set: return Refused{"a set", "write a list: `[...]`"};
    case Form::dictionary: return Refused{"a dictionary", "write a list of modifiers, or the recipe as a string"};
    case Form::name:
      return table().find(base::last_part(value.path)) != nullptr && value.imported
                 ? std::optional(Refused{"a class", "call it: `GPTQModifier(...)`"})
                 : std::nullopt;
    case Form::list:
      if (std::ranges::any_of(value.items, is_class))
        return Refused{"a list with a class", "call it: `GPTQModifier(...)`"};
      return !value.open && items && std::ranges::all_of(value.items, is_text)
                 ? std::optional(
                       Refused{"a list of strings", "write one string; join the recipes as stages of one file"})
                 : std::nullopt;
    case Form::object:
      return value.path == "pathlib.Path" || value.path == "pathlib.PurePath"
                 ? std::optional(Refused{"a `Path`", "write the path as a string, such as `str(path)`"})
                 : std::nullopt;
    default: return std::nullopt;
  }
}

// Returns the edit that joins the files of a list; empty if an item is no name of a recipe file.
static std::string help_to_join(const script::Value& list) {
  if (list.items.size() < 2) return {};
  std::vector<std::string> files;
  for (const Ref& item : list.items) {
    const std::string* path = item == nullptr ? nullptr : item->string();
    const bool is_file = path != nullptr && item->is_whole() && (path->ends_with(".yaml") || path->ends_with(".yml"));
    if (!is_file) return {};
    files.push_back(*path);
  }
  std::vector<std::string> others;
  for (const std::string& file : std::span(files).subspan(1))
    others.push_back(fmt::format("`{}`", base::printable(file)));
  return fmt::format("append the stages of {} to `{}`, and write `recipe={}`", base::join_and(others),
                     base::printable(files.front()), emit::literal(emit::Syntax::python, files.front()));
}

// A class that derives from a trainer may convert its argument.
void check_recipe_argument(const script::Trace& trace, diag::Sink& sink) {
  for (const Ref& call : trace.objects) {
    const bool ours = call->imported && call->path.starts_with("llmcompressor.");
    const RecipeCall* row = ours ? find_call(kObjects.calls, call->path) : nullptr;
    const Ref recipe = row == nullptr || row->derived ? nullptr : call->argument(script::kRecipe);
    if (const auto what = recipe == nullptr ? std::nullopt : refused(*recipe)) {
      sink.report(diag::recipe_argument, recipe->span, what->what)
          .with_help(std::string(what->help))
          .with_help(help_to_join(*recipe));
    }
  }
}

std::string copy_of(std::string_view preset, const python::ImportedNames& imported) {
  static constexpr quantizers::Exported kModule[] = {{"copy"}};
  return quantizers::code_for(imported, fmt::format("copy.deepcopy({})", preset), kModule).shown();
}

// A preset with `targets` can no longer be used by its name.
void check_presets(const script::Trace& trace, diag::Sink& sink) {
  for (const Ref& object : trace.objects) {
    const Ref scheme = object->argument("scheme");
    const std::string* name = scheme == nullptr ? nullptr : scheme->string();
    if (name == nullptr) continue;
    const auto changed = std::ranges::find_if(trace.changes, [&](const script::Change& change) {
      return change.key == "targets" && change.path == base::to_upper(*name) && change.span.begin < object->span.begin;
    });
    if (changed != trace.changes.end()) {
      sink.report(diag::preset_changed, scheme->span, *name)
          .with_label(changed->span, "changed here")
          .with_help(fmt::format("change a copy: {}", copy_of(changed->path, trace.imported)));
    }
  }
}

void check_positional(const script::Value& object, diag::Sink& sink) {
  const std::size_t positional = object.items.size() - object.names.size();
  const std::string_view name = base::last_part(object.path);
  if (positional > 0 && object.items.front()->kind != Form::unknown) {
    sink.report(diag::positional_argument, object.items.front()->span, name)
        .with_help("write the name of the field before it: `name=value`");
  }
}

// The saved recipe has a tuple as a Python object.
void check_tuples(const script::Value& object, diag::Sink& sink) {
  const Ref mappings = object.argument("mappings");
  for (const Ref& item : mappings == nullptr ? std::vector<Ref>() : mappings->items) {
    if (item->kind == Form::tuple && !mappings->open) {
      sink.report(diag::unreadable_write_back, item->span, "tuples in `mappings` become Python objects")
          .with_help("write lists: `[[...], ...]`");
      return;
    }
  }
}

std::string group_of(const script::Value& object) {
  const Ref group = object.argument("group");
  return (group != nullptr && group->string() != nullptr ? *group->string() : std::string("default")) + "_modifiers";
}

}  // namespace

void check_elements(const std::vector<Ref>& elements, bool together, diag::Sink& sink) {
  std::set<std::pair<std::string, std::string>> saved;
  for (const Ref& element : elements) {
    const std::string name(base::last_part(element->path));
    if (name == kModelFreeName) continue;  // a function, whose result is not saved as a recipe
    check_positional(*element, sink);
    if (name == "SmoothQuantModifier") check_tuples(*element, sink);
    const std::pair entry(name, group_of(*element));
    if (together && !element->open && !saved.insert(entry).second) {
      sink.report(diag::written_as_one, element->name_span, entry.first, entry.second)
          .not_beside(diag::later_scheme_replaces)
          .with_help("pass another `group` to one of the two, such as `group=\"second\"`");
    }
  }
}

void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink) {
  check_imports(trace, release_of(options), sink);
  check_recipe_argument(trace, sink);
  check_oneshot_arguments(trace, sink);
  check_calibration_data(trace, sink);
  check_chat_texts(trace, sink);
  check_padding(trace, sink);
  check_saved_model(trace, sink);
  check_presets(trace, sink);
  for (const Ref& object : trace.objects) {
    const bool record = object->path.ends_with("QuantizationArgs") || object->path.ends_with("QuantizationScheme");
    if (record && object->imported) check_positional(*object, sink);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
