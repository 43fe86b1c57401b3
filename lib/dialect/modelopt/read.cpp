#include "dialect/modelopt/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/checkpoint.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/command_line.h"
#include "dialect/modelopt/script.h"
#include "dialect/view.h"
#include "doc/construct.h"
#include "doc/readers.h"

// The kinds of files (docs/semantics/modelopt.md#a1).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO110, invalid_recipe_type, error, (), "the file has no valid `metadata.recipe_type`",
           "ModelOpt reads a recipe only if `metadata` has a known `recipe_type`, in lower case.",
           "write `metadata: {{recipe_type: ptq}}`")
DIAGNOSTIC(MO111, missing_section, error, (Text, Text), "a recipe of type `{}` requires the section `{}`",
           "ModelOpt rejects the recipe. Recipes of type `ptq` need `quantize`, those of type `auto_quantize` need "
           "`auto_quantize`.",
           "add `{1}:`")
DIAGNOSTIC(MO112, unknown_recipe_section, error, (Text, Text), "a recipe of type `{1}` has no section `{0}`",
           "ModelOpt rejects unknown keys.", "delete `{0}`")

DIAGNOSTIC(MO113, invalid_override, error, (Text), "`--set {}` does not name a key of a mapping",
           "An override replaces a whole value. It can't change an element of `quant_cfg`: ModelOpt stops with "
           "`Cannot merge DictConfig with ListConfig`.",
           "override the whole list: `--set quantize.quant_cfg=[...]`")

constexpr std::string_view kMetadataKey[] = {"metadata"};
constexpr std::string_view kListKey[] = {"quant_cfg"};
constexpr std::string_view kSections[] = {"quantize", "auto_quantize"};
constexpr std::string_view kEntryKeys[] = {"quantizer_name", "$import"};
constexpr std::string_view kImports[] = {"imports"};
constexpr std::string_view kNumBits[] = {"num_bits"};
constexpr std::string_view kBlocks[] = {"block_sizes", "axis"};

bool claims(const doc::Document& document) {
  const View root(document);
  const bool entries = root.any_item([](const View& item) { return item.has_key(kEntryKeys); });
  const bool recipe_type = root.any_entry([](std::string_view key, const View& value) {
    return key == "metadata" &&
           value.any_entry([](std::string_view each, const View&) { return each == "recipe_type"; });
  });
  const bool list = root.any_entry([](std::string_view key, const View& value) {
    return key == "quantize" && value.any_entry([](std::string_view each, const View&) { return each == "quant_cfg"; });
  });
  return entries || recipe_type || list || root.has_key(kListKey) ||
         (root.has_key(kSections) && root.has_key(kMetadataKey)) ||
         (root.has_key(kImports) && root.has_key(kSections)) || (root.has_key(kNumBits) && root.has_key(kBlocks)) ||
         is_checkpoint(document);
}

namespace {

class Reader {
 public:
  Reader(const Source& source, const ReadOptions& options, diag::Sink& sink)
      : source_(source), context_{source.file, source.document, options, sink} {
    context_.unknown = doc::places_with(source.document, doc::kNotLiteralTag);
  }

  ir::Recipe run() {
    out_.dialect = "modelopt";
    out_.trains = false;
    out_.has_rates = false;
    if (const auto command = doc::member(source_.document, source_.document.root, kScriptName)) {
      read_command(context_, doc::construct(source_.document, *command, context_.sink), out_);
      out_.incomplete = true;
      return std::move(out_);
    }
    if (is_checkpoint(source_.document)) {
      read_checkpoint(context_, out_);
      return std::move(out_);
    }
    resolved_ = resolve_imports(source_, context_.options, context_.sink);
    out_.incomplete = !resolved_.complete;
    context_.unresolved = resolved_.unresolved;
    override_values();
    read_content();
    if (out_.actions.empty() && !valid_) out_.actions.push_back(broken());
    return std::move(out_);
  }

 private:
  void read_content() {
    const Value& content = resolved_.content;
    const bool recipe = content.find("metadata") != nullptr || has_section(content);
    if (const auto call = script_call(content)) {
      read_script(context_, *call, content, out_);
    } else if (source_.callers) {
      if (report_unknown_preset(context_, content)) {
        valid_ = false;
      } else {
        read_quantize(content);
      }
    } else if (content.find("quant_cfg") != nullptr || resolved_.schema == Schema::preset) {
      read_quantize(content);
    } else if (resolved_.has_comment && resolved_.schema != Schema::recipe && !recipe) {
      read_snippet(content);
    } else if (content.get<source::List>() != nullptr) {
      read_quantize(Value{source::Map{{Value{std::string("quant_cfg"), content.span}, content}}, content.span});
    } else if (content.find("num_bits") != nullptr && !recipe) {
      valid_ = read_attributes(context_, content).has_value();
    } else {
      read_recipe(content);
    }
  }

  static bool has_section(const Value& content) {
    return content.find("quantize") != nullptr || content.find("auto_quantize") != nullptr;
  }

  // A snippet is only checked: it has no effect until a recipe imports it.
  void read_snippet(const Value& content) {
    switch (resolved_.schema) {
      case Schema::attributes: valid_ = read_attributes(context_, content).has_value(); break;
      case Schema::entry:
      case Schema::entries: {
        const bool list = content.get<source::List>() != nullptr;
        const Value entries = list ? content : Value{source::List{content}, content.span};
        const Config config = read_config(
            context_, Value{source::Map{{Value{std::string("quant_cfg"), content.span}, entries}}, content.span});
        check_patterns(context_, config, std::nullopt);
        valid_ = config.valid;
        break;
      }
      case Schema::patterns:
      case Schema::preset:
      case Schema::recipe:
      case Schema::other: break;
    }
  }

  void read_recipe(const Value& content) {
    const auto* map = content.get<source::Map>();
    const Value* metadata = content.find("metadata");
    const Value* type = metadata == nullptr ? nullptr : metadata->find("recipe_type");
    const auto* name = type == nullptr ? nullptr : type->get<std::string>();
    const auto types = recipe_types();
    const auto row = name == nullptr ? types.end() : std::ranges::find(types, *name, &RecipeType::name);
    if (map == nullptr || row == types.end()) {
      reject_type(content, type != nullptr ? type : metadata);
      return;
    }
    valid_ = read_record(context_, kMetadata, *metadata->get<source::Map>(), metadata->span).valid;
    if (!row->quantizes) return;
    if (content.find(row->section) == nullptr) {
      valid_ = false;
      context_.sink.report(diag::missing_section, type->span, *name, std::string(row->section));
      return;
    }
    check_sections(*map, *row);
    if (*name == "auto_quantize") {
      read_auto_quantize(content);
    } else {
      read_quantize(*content.find("quantize"));
    }
  }

  void reject_type(const Value& content, const Value* place) {
    valid_ = false;
    const auto* name = place == nullptr ? nullptr : place->get<std::string>();
    std::vector<std::string_view> names;
    for (const RecipeType& each : recipe_types()) names.push_back(each.name);
    const std::string lower = name == nullptr ? std::string() : base::to_lower(*name);
    const auto guess = name == nullptr                ? std::nullopt
                       : base::contains(names, lower) ? std::optional(std::string_view(lower))
                                                      : base::nearest(*name, names);
    const auto* map = content.get<source::Map>();
    const source::Span span = place != nullptr                  ? place->span
                              : map != nullptr && !map->empty() ? map->front().first.span
                                                                : content.span;
    auto& report = context_.sink.report(diag::invalid_recipe_type, span);
    if (guess) {
      report.with_help(fmt::format("write `{}`", *guess))
          .with_fix(diag::Fix::unsafe().content(span, std::string(*guess)));
    }
  }

  void check_sections(const source::Map& map, const RecipeType& row) {
    for (const source::Entry& entry : map) {
      const std::string key = source::python_str(entry.first);
      const bool known = key == "metadata" || key == row.section || (row.name == "auto_quantize" && key == "quantize");
      if (known) continue;
      valid_ = false;
      context_.sink.report(diag::unknown_recipe_section, entry.first.span, key, std::string(row.name));
    }
  }

  void read_quantize(const Value& section) {
    const Config config = read_config(context_, section);
    add_list(context_, config, out_);
    valid_ = config.valid;
  }

  void read_auto_quantize(const Value& content) {
    const Value* fixed = content.given("quantize");
    const Value& section = *content.find("auto_quantize");
    valid_ = check_auto_quantize(context_, section, fixed != nullptr) && valid_;
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin.class_name = "auto_quantize";
    action.origin.ordinal = 1;
    action.origin.span = section.span;
    add_fields(section, action.origin);
    action.valid = valid_;
    out_.actions.push_back(std::move(action));
    out_.incomplete = true;  // the search decides
  }

  // The fields are all that is known of a search.
  static void add_fields(const Value& section, ir::Origin& origin) {
    const auto* map = section.get<source::Map>();
    if (map == nullptr) return;
    for (const source::Entry& entry : *map) {
      origin.fields.push_back({source::python_str(entry.first), entry.first.span, entry.second});
    }
  }

  ir::Action broken() const {
    ir::Action action;
    action.effect = ir::Opaque{};
    action.origin.class_name = "quantize";
    action.origin.ordinal = 1;
    action.origin.span = resolved_.content.span;
    action.valid = false;
    return action;
  }

  // Applies `--set quantize.algorithm=awq_lite`.
  void override_values() {
    for (const auto& [path, value] : context_.options.variables) {
      Value* at = &resolved_.content;
      std::string_view rest = path;
      while (at != nullptr && !rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('.'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        at = member(*at, part);
      }
      if (at == nullptr) {
        valid_ = false;
        context_.sink.report(diag::invalid_override, resolved_.content.span, path);
        continue;
      }
      const source::Span span = at->span;
      at->data = value.data;
      at->span = span;
    }
  }

  static Value* member(Value& value, std::string_view key) {
    auto* map = std::get_if<source::Map>(&value.data);
    if (map == nullptr) return nullptr;
    for (source::Entry& entry : *map) {
      const auto* name = entry.first.get<std::string>();
      if (name != nullptr && *name == key) return &entry.second;
    }
    map->emplace_back(Value{std::string(key), value.span}, Value{source::Map(), value.span});
    return &map->back().second;
  }

  const Source& source_;
  Context context_;
  Resolved resolved_;
  ir::Recipe out_;
  bool valid_ = true;
};

}  // namespace

void add_list(const Context& context, const Config& config, ir::Recipe& out, bool at_once) {
  std::optional<Applied> applied = config.valid && !config.open ? apply_to_model(context, config) : std::nullopt;
  bool valid = config.valid;
  if (config.valid) {
    valid = check_classes(context, config, applied);
    check_patterns(context, config, applied);
    if (at_once) check_order(context, config, applied);
    check_formats(context, config);
    check_algorithm(context, config.algorithm);
    check_algorithm_formats(context, config);
    check_histogram(context, config);
    if (applied && valid) {
      check_effect(context, config, *applied);
    }
  }
  ir::Action action = lower(config, applied);
  action.valid = valid;
  action.origin.ordinal = static_cast<int>(out.actions.size()) + 1;
  out.actions.push_back(std::move(action));
  out.incomplete = out.incomplete || config.open;
  if (applied) out.units = base::SharedList<model::Module>(std::move(applied->modules));
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  return Reader(source, options, sink).run();
}

}  // namespace sparsecfg::dialect::modelopt
