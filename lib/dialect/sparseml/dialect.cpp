#include "dialect/dialects.h"

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/dialect.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/layout_words.h"
#include "dialect/sparseml/read/read.h"
#include "dialect/sparseml/staged/read.h"
#include "dialect/sparseml/staged/table.h"
#include "dialect/sparseml/table/table.h"
#include "dialect/sparseml/write/write.h"
#include "dialect/stages/schema.h"
#include "dialect/view.h"

namespace sparsecfg::dialect::sparseml {

static bool has_groups(const View& stage) {
  return stage.any_entry(
      [](std::string_view key, const View&) { return key.find("modifiers") != std::string_view::npos; });
}

// Returns true if a document is a SparseML recipe: it has a modifier tag anywhere, a `..._stage` mapping, or a key that
// contains `modifiers` at the top level, one level below it or in a mapping of `stages`.
static bool claims(const doc::Document& document) {
  return std::ranges::any_of(document.nodes, has_modifier_tag) || View(document).any_entry([](std::string_view key,
                                                                                              const View& value) {
    return key.find("modifiers") != std::string_view::npos ||
           (key.ends_with("_stage") && value.is(doc::Kind::mapping)) || has_groups(value) ||
           (key == "stages" && value.any_entry([](std::string_view, const View& stage) { return has_groups(stage); }));
  });
}

constexpr std::string_view kWordsOfRecipes[] = {"Modifier", "modifiers:"};

DIAGNOSTIC(SP022, file_extension, error, (Text), "SparseML does not load files that end in `{}`",
           "SparseML loads recipes whose name ends in `.yaml` or `.md` and rejects all others, including `.yml`.",
           "rename the file to end in `.yaml`")

// A recipe inside a file has no name. SparseML treats a name with any other extension as the name of a recipe in its
// model zoo.
static void check_ending(const source::SourceFile& file, source::Span part, diag::Sink& sink) {
  const std::string_view ending = base::ending_of(file.name());
  const std::string known = base::to_lower(ending);
  if (part.begin == 0 && known != "yaml" && known != "md" && file.name() != "-" &&
      !source::is_open_already(file.name())) {
    sink.report(diag::file_extension, {}, known.empty() ? file.name() : "." + known);
  }
}

DIAGNOSTIC(SP128, tags_and_mappings, error, (), "this group is a mapping, but other modifiers in the file are tags",
           "SparseML has one loader for modifiers that are tags, and another one for modifiers that are mappings in "
           "stages. Neither of them reads a file with both.",
           "write all modifiers as tags, or all as mappings in stages")

// Each kind of recipe has its own loader. A file that mixes both kinds cannot be loaded.
static ir::Recipe read_any(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  const Kinds kinds = find_kinds(source.document);
  if (kinds.both()) {
    sink.report(diag::tags_and_mappings, *kinds.group)
        .with_label(*kinds.tag, "SparseML loads tags and mappings with different loaders");
    return {"sparseml", {}, {}, {}, std::nullopt};
  }
  if (kinds.of_stages()) {
    return staged::read(source.file, source.document, options, sink);
  }
  check_ending(source.file, source.part, sink);
  return read(source.file, source.part, source.document, options, sink);
}

static std::string schema_of(const ReadOptions& options) { return schema(framework_of(options)); }

static std::string_view reader_of(Framework framework) {
  switch (framework) {
    case Framework::pytorch: return "SparseML, PyTorch";
    case Framework::keras:
    case Framework::tensorflow: return "SparseML, Keras and TensorFlow";
    case Framework::pytorch_2020: return "SparseML of 2020, PyTorch";
  }
  return {};
}

// Returns pages for every row of every reader, without inherited rows. Keras and TensorFlow share their rows.
static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const Framework framework : {Framework::pytorch, Framework::keras, Framework::pytorch_2020}) {
    for (const ClassSpec& spec : modifiers(framework)) {
      if (!inherits(framework, spec)) {
        pages.push_back(page_of(spec, reader_of(framework)));
        pages.back().note = &spec == find_modifier(framework, spec.name) ? "" : "older fields";
        pages.back().listed = framework == Framework::pytorch;
      }
    }
  }
  for (const ClassSpec& spec : staged::table().modifiers) pages.push_back(page_of(spec, "SparseML, stages"));
  add_layout_pages(pages, kLayoutWords, "SparseML");
  return pages;
}

// Returns the string value of a field, or an empty string for other types.
static std::string_view word_of(const ir::Origin& origin, std::string_view field) {
  const ir::OriginField* found = origin.find(field);
  const auto* text = found == nullptr ? nullptr : found->value.get<std::string>();
  return text == nullptr ? std::string_view() : *text;
}

// Merges the rows from every reader, because a field has the same meaning in each of them.
static std::vector<TimedField> times(const ir::Origin& origin) {
  std::vector<TimedField> out;
  for (const Framework framework : {Framework::pytorch, Framework::keras, Framework::pytorch_2020}) {
    for (const ClassSpec& spec : find_modifiers(framework, origin.class_name)) {
      add_times(out, spec.fields, spec.kind == ClassKind::acdc);
    }
  }
  if (word_of(origin, "lr_func") != "cyclic_linear") {
    std::erase_if(out, [](const TimedField& field) { return field.field == "cycle_epochs"; });
  }
  if (const auto scheduler = word_of(origin, "lr_class"); !scheduler.empty()) {
    std::ranges::copy(times_of_scheduler(scheduler), std::back_inserter(out));
  }
  if (const ClassSpec* spec = staged::table().find(origin.class_name)) {
    add_times(out, spec->fields, false);
    add_times(out, spec->common, false);
    out.push_back({"scheduler_args", "steps", Unit::epochs});
  }
  return out;
}

const Dialect kDialect{
    .name = "sparseml",
    .title = "SparseML",
    .text = "a SparseML recipe",
    .releases = "0.1 to 1.8",
    .claims = claims,
    .words = kWordsOfRecipes,
    .read = read_any,
    .schema = schema_of,
    .pages = pages,
    .write = write,
    .plan = plan,
    .compose = compose,
    .variables = true,
    .own_entry_rules = true,
    .options = {&kFrameworkOption, 1},
    .shapes = {.filters = ir::Ranks::from_two,
               .first_weight_sets_sides = true,
               .leaves_weights_without_filters = true,
               .groups_along_moved_inputs = true,
               .leaves_single_structures = true},
    .remedies = {.variable = "eval({})",
                 .keep_mask = "write `leave_enabled: true`, or add a `ConstantPruningModifier` that starts at epoch {}",
                 .mask_switch = "leave_enabled",
                 .layer_schemes = "`scheme_overrides`",
                 .separate_ranking = "use `MagnitudePruningModifier`, which ranks each parameter separately",
                 .single_weights = "`mask_type: unstructured`",
                 .blocks = "`mask_type: block4`"},
    .order = stages::kFieldOrder,
    .times = times,
    .module = "sparseml",
};

}  // namespace sparsecfg::dialect::sparseml
