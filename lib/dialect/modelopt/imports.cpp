#include "dialect/modelopt/imports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/table.h"
#include "doc/construct.h"
#include "doc/readers.h"
#include "source/load.h"

namespace sparsecfg::dialect::modelopt {

using source::Span;
using source::Value;

DIAGNOSTIC(MO101, undeclared_import, error, (Text), "`$import: {}` names no import of this file",
           "ModelOpt looks up the name in the mapping `imports` of the same file. Names that imported files declare do "
           "not count.",
           "declare it: `imports: {{{0}: configs/...}}`")
DIAGNOSTIC(MO102, missing_import, error, (Text), "`{}` is neither a file nor a built-in snippet",
           "ModelOpt looks for the path in the current folder, then in its library, and adds `.yml` or `.yaml` only to "
           "a path without a suffix. It loads every import, even one that is not used.",
           "write the path of a snippet, such as `configs/numerics/fp8`")
DIAGNOSTIC(MO103, import_without_schema, error, (Text), "`{}` is not a snippet: it has no `modelopt-schema` comment",
           "Only snippets can be imported. A snippet has a comment such as `# modelopt-schema: "
           "modelopt.torch.quantization.config.QuantizerCfgListConfig` before its content. Recipes can't be imported.",
           "import the snippets that the recipe imports")
DIAGNOSTIC(
    MO104, import_does_not_fit, error, (Text, Text, Text), "`{}` contains {}, but this place requires {}",
    "A list of entries or a single entry can be an element of `quant_cfg`. Attributes can be the value of `cfg`. "
    "Only a mapping can have further keys beside `$import`.",
    "import a snippet of the other kind")
DIAGNOSTIC(MO105, unused_import, info, (Text), "the import `{}` is not used", "ModelOpt loads the file and ignores it.",
           "delete `{0}`")
DIAGNOSTIC(MO106, replaced_block_sizes, silent_warning, (Text, Text),
           "`block_sizes` beside `$import: {}` drops {} of the import",
           "Keys beside `$import` replace those of the imported mapping, and only on the first level. The new "
           "`block_sizes` replaces the whole mapping, so the format may change or fail at export.",
           "write all keys of `block_sizes`")
DIAGNOSTIC(
    MO107, import_turns_everything_on, silent_warning, (Text), "`enable` beside `$import: {}` turns on every quantizer",
    "The imported entry selects `*`. With `enable: true`, all quantizers keep their attributes and are turned on.",
    "delete `enable`")
DIAGNOSTIC(MO108, invalid_imports, error, (Text), "{}",
           "`imports` is a mapping from names to paths of snippets. Files can't import each other in a circle.",
           "write `imports: {{fp8: configs/numerics/fp8}}`")

constexpr std::size_t kMaxSnippetBytes = std::size_t{1} << 20;
constexpr int kMaxNesting = 16;
constexpr std::string_view kImport = "$import";

// --- comments ---------------------------------------------------------------------------------------

constexpr std::string_view kMark = "modelopt-schema:";

// Returns the names of the schemas in comments.
static std::vector<source::Located<std::string>> schema_comments(std::string_view text, std::uint32_t offset = 0) {
  std::vector<source::Located<std::string>> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t mark = line.find(kMark);
    const bool comment = mark != std::string_view::npos && base::trim(line.substr(0, mark)) == "#";
    if (comment) {
      const std::string_view name = base::trim(line.substr(mark + kMark.size()));
      const auto at = offset + static_cast<std::uint32_t>(name.data() - text.data());
      out.push_back({std::string(name), {at, at + static_cast<std::uint32_t>(name.size())}});
    }
    begin = end + 1;
  }
  return out;
}

// Where the first document of a file ends, and where the second one begins; 0 if there is only one.
struct Split {
  std::uint32_t end = 0;
  std::uint32_t begin = 0;
};

// Returns the places around the first line that separates two documents and follows content.
static Split second_document(std::string_view text) {
  bool content = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const bool separator = line.starts_with("---") && base::trim(line.substr(3)).empty();
    if (separator && content) {
      return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::min(end + 1, text.size()))};
    }
    const std::string_view written = base::trim(line);
    content = content || (!separator && !written.empty() && !written.starts_with('#'));
    begin = end + 1;
  }
  return {};
}

std::optional<Span> marked_part(const source::SourceFile& file) {
  if (file.text().find(kMark) == std::string_view::npos || schema_comments(file.text()).empty()) return std::nullopt;
  return Span{second_document(file.text()).begin, static_cast<std::uint32_t>(file.text().size())};
}

// --- values -----------------------------------------------------------------------------------------

void move_to(Value& value, Span place) {
  value.span = place;
  if (auto* list = std::get_if<source::List>(&value.data)) {
    for (Value& item : *list) move_to(item, place);
  } else if (auto* map = std::get_if<source::Map>(&value.data)) {
    for (source::Entry& entry : *map) {
      entry.first.span = place;
      move_to(entry.second, place);
    }
  }
}

bool is_imported(const Value& value) {
  const auto* map = value.get<source::Map>();
  return map != nullptr && !map->empty() && map->front().first.span == value.span;
}

static void put_entry(source::Map& map, const source::Entry& entry) {
  const auto known = std::ranges::find_if(map, [&](const source::Entry& each) { return each.first == entry.first; });
  if (known == map.end()) {
    map.push_back(entry);
  } else {
    *known = entry;
  }
}

static std::string_view name_of(Schema schema) {
  switch (schema) {
    case Schema::attributes: return "attributes of a quantizer";
    case Schema::entry: return "an entry of `quant_cfg`";
    case Schema::entries: return "a list of entries";
    case Schema::preset: return "a preset";
    case Schema::patterns: return "a list of patterns";
    case Schema::recipe: return "a recipe";
    case Schema::other: break;
  }
  return "a snippet of another kind";
}

// The snippets that can be elements of the list of a key: as lists, or as single elements.
struct ListKind {
  std::string_view key;
  Schema list;
  Schema element;
};

static constexpr ListKind kLists[] = {{"quant_cfg", Schema::entries, Schema::entry},
                                      {"cfg", Schema::other, Schema::attributes},
                                      {"candidate_formats", Schema::other, Schema::preset},
                                      {"disabled_layers", Schema::patterns, Schema::other},
                                      {"cost_excluded_layers", Schema::patterns, Schema::other},
                                      {"module_name_patterns", Schema::patterns, Schema::other}};

// --- files ------------------------------------------------------------------------------------------

namespace {

// Reads snippets from the current folder, from the library, and from the built-in table.
class Files {
 public:
  Files(const source::SourceFile& file, const ReadOptions& options)
      : file_(file), library_(options.given(kReaderOptions[1]).value_or("modelopt_recipes")) {}

  // Returns the text of a snippet; nullopt if no such file exists.
  [[nodiscard]] std::optional<std::string> find(const std::string& path) const {
    for (const std::string& folder : {std::string("."), library_}) {
      for (const std::string& name : candidates(path)) {
        if (std::filesystem::path(name).is_absolute()) continue;
        if (auto text = read(folder, name)) return text;
      }
    }
    return std::nullopt;
  }

 private:
  // The library may be outside of the repository.
  [[nodiscard]] std::optional<std::string> read(const std::string& folder, const std::string& name) const {
    const source::View* view = file_.view().get();
    auto text = source::read_below(view, folder, name, kMaxSnippetBytes);
    if (!text && folder == library_) text = source::read_below(nullptr, folder, name, kMaxSnippetBytes);
    if (text) file_.add_other(*text);
    return text;
  }

  static std::vector<std::string> candidates(const std::string& path) {
    const bool suffix = path.ends_with(".yml") || path.ends_with(".yaml");
    return suffix ? std::vector{path} : std::vector{path + ".yml", path + ".yaml"};
  }

  const source::SourceFile& file_;
  std::string library_;
};

// What an import of a file refers to.
struct Import {
  std::string name;
  Span span;
  std::optional<Snippet> snippet;  // nullopt: reported already
  bool used = false;
};

// Resolves the imports of one file, and those of the files that it imports.
class Resolver {
 public:
  Resolver(const Files& files, diag::Sink& sink, std::vector<std::string> open = {})
      : files_(files), sink_(sink), open_(std::move(open)) {}

  // Resolves the imports in `content`, which `declared` defines.
  void resolve(Value& content, const Value* declared) {
    if (declared != nullptr) declare(*declared);
    visit(content, "");
    for (const Import& import : imports_) {
      if (!import.used && import.snippet) sink_.report(diag::unused_import, import.span, import.name);
    }
  }

  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] const std::set<Span>& unresolved() const { return unresolved_; }

 private:
  // Returns the name of an import. YAML reads some names as numbers.
  static std::optional<std::string> name_in(const Value& value) {
    if (const auto* text = value.get<std::string>()) return *text;
    return value.get<std::int64_t>() == nullptr ? std::nullopt : std::optional(source::python_str(value));
  }

  void declare(const Value& declared) {
    if (declared.is_null()) return;
    const auto* map = declared.get<source::Map>();
    const auto* list = declared.get<source::List>();
    if (map == nullptr && (list == nullptr || !list->empty())) {
      fail_with(declared.span, fmt::format("`imports` must be a mapping, not {}", source::describe(declared)));
    }
    for (const source::Entry& entry : map == nullptr ? source::Map() : *map) {
      const auto name = name_in(entry.first);
      const auto* path = entry.second.get<std::string>();
      if (!name) continue;
      if (path == nullptr || path->empty()) {
        fail_with(entry.second.span, fmt::format("the import `{}` has no path", *name));
        imports_.push_back({*name, entry.first.span, std::nullopt});
      } else {
        imports_.push_back({*name, entry.first.span, load(*path, entry.second.span)});
      }
    }
  }

  void fail_with(Span span, const std::string& message) {
    complete_ = false;
    sink_.report(diag::invalid_imports, span, message);
  }

  std::optional<Snippet> load(const std::string& path, Span span) {
    if (std::ranges::find(open_, path) != open_.end() || open_.size() > kMaxNesting) {
      fail_with(span, fmt::format("`{}` imports itself", path));
      return std::nullopt;
    }
    if (const auto text = files_.find(path)) return read(*text, path, span);
    if (auto snippet = built_in(path)) return snippet;
    complete_ = false;
    base::Guesses guesses(built_in_paths());
    const auto guess = guesses.nearest(path);
    auto& report = sink_.report(diag::missing_import, span, path);
    if (guess) {
      report.with_help(fmt::format("did you mean `{}`?", *guess))
          .with_fix(diag::Fix::unsafe().content(span, std::string(*guess)));
    }
    return std::nullopt;
  }

  std::optional<Snippet> read(const std::string& text, const std::string& path, Span span) {
    const auto comments = schema_comments(text);
    if (comments.size() != 1) {
      complete_ = false;
      sink_.report(diag::import_without_schema, span, path);
      return std::nullopt;
    }
    const source::SourceFile file(path, text);
    diag::Sink inner;
    const Split second = second_document(text);
    const auto parse = [&](Span part) {
      const auto document = doc::read_yaml(file, part, {}, inner);
      return document ? doc::construct(*document, document->root, inner) : Value();
    };
    const auto size = static_cast<std::uint32_t>(text.size());
    const Value head = second.begin > 0 ? parse({0, second.end}) : Value();
    Snippet out{schema_of_name(comments.front().value), parse({second.begin, size})};
    std::vector<std::string> open = open_;
    open.push_back(path);
    Resolver nested(files_, inner, std::move(open));
    convert_float_names(out.content);
    finish(out.content, head, nested);
    if (inner.has_errors()) {
      complete_ = false;
      const auto findings = inner.take();
      const auto first = std::ranges::find(findings, diag::Severity::error, &diag::Diagnostic::severity);
      fail_with(span, fmt::format("`{}` can't be read: {}", path, first->message));
      return std::nullopt;
    }
    return out;
  }

 public:
  // Resolves the imports that the head of a file, or the file itself, declares.
  static void finish(Value& content, const Value& head, Resolver& resolver) {
    auto* map = std::get_if<source::Map>(&content.data);
    Value declared = head.find("imports") == nullptr ? Value() : *head.find("imports");
    if (map != nullptr) {
      if (const Value* own = content.find("imports")) declared = *own;
      std::erase_if(*map, [](const source::Entry& entry) {
        const auto* key = entry.first.get<std::string>();
        return key != nullptr && *key == "imports";
      });
    }
    resolver.resolve(content, &declared);
  }

 private:
  void visit(Value& value, std::string_view key, int depth = 0) {
    constexpr int kMaxDepth = 64;
    if (depth > kMaxDepth) return;
    if (auto* list = std::get_if<source::List>(&value.data)) {
      visit_list(*list, key, depth);
    } else if (auto* map = std::get_if<source::Map>(&value.data)) {
      if (value.find(kImport) != nullptr) merge(value);
      map = std::get_if<source::Map>(&value.data);
      for (source::Entry& entry : *map) {
        const auto* name = entry.first.get<std::string>();
        visit(entry.second, name == nullptr ? std::string_view() : std::string_view(*name), depth + 1);
      }
    }
  }

  void visit_list(source::List& list, std::string_view key, int depth) {
    source::List out;
    for (Value& item : list) {
      const auto* map = item.get<source::Map>();
      const Value* import = map != nullptr && map->size() == 1 ? item.find(kImport) : nullptr;
      const auto name = import == nullptr ? std::nullopt : name_in(*import);
      if (import != nullptr && !name) {
        fail_with(import->span, "an element of a list can import only one name");
      } else if (name) {
        splice(*name, import->span, key, out);
      } else {
        visit(item, "", depth + 1);
        out.push_back(std::move(item));
      }
    }
    list = std::move(out);
  }

  // Inserts the elements of a list snippet, or a snippet that is one element.
  void splice(const std::string& name, Span span, std::string_view key, source::List& out) {
    const Snippet* snippet = find(name, span);
    if (snippet == nullptr) return;
    const auto* kind = std::ranges::find(kLists, key, &ListKind::key);
    const bool known = kind != std::end(kLists);
    Value content = snippet->content;
    move_to(content, span);
    auto* items = std::get_if<source::List>(&content.data);
    if (items != nullptr && (!known || snippet->schema == kind->list)) {
      for (Value& item : *items) out.push_back(std::move(item));
    } else if (items == nullptr && (!known || snippet->schema == kind->element)) {
      out.push_back(std::move(content));
    } else {
      does_not_fit(name, span, snippet->schema, name_of(kind->element == Schema::other ? kind->list : kind->element));
    }
  }

  void does_not_fit(const std::string& name, Span span, Schema schema, std::string_view required) {
    complete_ = false;
    sink_.report(diag::import_does_not_fit, span, name, std::string(name_of(schema)), std::string(required));
  }

  // Replaces a mapping with `$import` by the imported mappings and the keys beside it.
  void merge(Value& value) {
    source::Map out;
    const Value names = *value.find(kImport);
    const auto* list = names.get<source::List>();
    for (const Value& each : list == nullptr ? source::List{names} : *list) {
      const auto name = name_in(each);
      const Snippet* snippet = name ? find(*name, each.span) : nullptr;
      if (!name) fail_with(each.span, "`$import` must name an import");
      if (snippet == nullptr) {
        unresolved_.insert(value.span);
        continue;
      }
      Value content = snippet->content;
      move_to(content, each.span);
      if (const auto* map = content.get<source::Map>()) {
        for (const source::Entry& entry : *map) put_entry(out, entry);
        check_siblings(value, *name, *snippet);
      } else {
        unresolved_.insert(value.span);
        does_not_fit(*name, each.span, snippet->schema, "a mapping");
      }
    }
    for (const source::Entry& entry : *value.get<source::Map>()) {
      const auto* key = entry.first.get<std::string>();
      if (key == nullptr || *key != kImport) put_entry(out, entry);
    }
    value.data = std::move(out);
  }

  // Returns a float format by its name, and other values as Python writes them.
  static std::string text_of_bits(const Value& value) {
    const auto* pair = value.get<source::List>();
    if (pair == nullptr || pair->size() != 2) return source::python_str(value);
    return fmt::format("e{}m{}", source::python_str((*pair)[0]), source::python_str((*pair)[1]));
  }

  // Reports keys of `block_sizes` that the import has and the mapping beside it has not.
  void report_dropped(const Value& imported, const Value& own, const std::string& name) {
    std::vector<std::string> dropped;
    std::vector<std::string> whole;
    for (const auto& [key, value] : *own.get<source::Map>()) {
      whole.push_back(fmt::format("{}: {}", source::python_str(key), text_of_bits(value)));
    }
    for (const std::string_view key : {"type", "scale_bits"}) {
      const Value* lost = imported.find(key);
      if (lost == nullptr || own.find(key) != nullptr) continue;
      dropped.push_back(fmt::format("`{}`", key));
      whole.push_back(fmt::format("{}: {}", key, text_of_bits(*lost)));
    }
    if (dropped.empty()) return;
    sink_.report(diag::replaced_block_sizes, own.span, name, fmt::format("{}", fmt::join(dropped, " and ")))
        .not_beside(diag::unsupported_format)
        .with_help(fmt::format("write all keys: `block_sizes: {{{}}}`", fmt::join(whole, ", ")));
  }

  void check_siblings(const Value& value, const std::string& name, const Snippet& snippet) {
    const Value* imported = snippet.content.find("block_sizes");
    const Value* own = value.find("block_sizes");
    if (imported != nullptr && own != nullptr && own->get<source::Map>() != nullptr) {
      report_dropped(*imported, *own, name);
    }
    const Value* enable = value.find("enable");
    const Value* pattern = snippet.content.find("quantizer_name");
    const auto* star = pattern == nullptr ? nullptr : pattern->get<std::string>();
    const auto* on = enable == nullptr ? nullptr : enable->get<bool>();
    if (snippet.schema == Schema::entry && star != nullptr && *star == "*" && on != nullptr && *on) {
      sink_.report(diag::import_turns_everything_on, enable->span, name);
    }
  }

  const Snippet* find(const std::string& name, Span span) {
    const auto found = std::ranges::find(imports_, name, &Import::name);
    if (found != imports_.end()) {
      found->used = true;
      return found->snippet ? &*found->snippet : nullptr;
    }
    complete_ = false;
    std::vector<std::string_view> names;
    for (const Import& import : imports_) names.push_back(import.name);
    const auto guess = base::nearest(name, names);
    sink_.report(diag::undeclared_import, span, name)
        .with_help(guess ? fmt::format("did you mean `{}`?", *guess) : std::string())
        .with_fix(guess ? diag::Fix::unsafe().content(span, std::string(*guess)) : diag::Fix());
    return nullptr;
  }

  const Files& files_;
  diag::Sink& sink_;
  std::vector<std::string> open_;  // paths of the files that are being imported
  std::vector<Import> imports_;
  bool complete_ = true;
  std::set<Span> unresolved_;
};

}  // namespace

// --- the file ---------------------------------------------------------------------------------------

DIAGNOSTIC(MO109, invalid_schema_comment, error, (Text), "{}",
           "ModelOpt accepts one comment `# modelopt-schema: NAME` before the content, with a name below `modelopt.`.",
           "write `# modelopt-schema: modelopt.torch.quantization.config.QuantizeConfig`")

static void check_comments(const Source& source, Resolved& out, diag::Sink& sink) {
  const auto comments = schema_comments(source.file.text());
  out.has_comment = !comments.empty();
  if (comments.empty()) return;
  out.schema = schema_of_name(comments.front().value);
  if (comments.size() > 1) {
    sink.report(diag::invalid_schema_comment, comments[1].span, "a file can have only one `modelopt-schema` comment");
  } else if (!comments.front().value.starts_with("modelopt.")) {
    sink.report(diag::invalid_schema_comment, comments.front().span,
                fmt::format("the schema `{}` is not below `modelopt.`", comments.front().value));
  }
}

Resolved resolve_imports(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  Resolved out;
  const bool whole = source.part.end == source.file.text().size();
  if (whole) check_comments(source, out, sink);
  out.content = doc::construct(source.document, source.document.root, sink);
  Value head;
  if (whole && out.has_comment && source.part.begin > 0) {
    const auto document = doc::read_yaml(source.file, {0, second_document(source.file.text()).end}, {}, sink);
    if (document) head = doc::construct(*document, document->root, sink);
  }
  const bool yaml = !source.callers && !source.file.name().ends_with(".json");
  if (yaml) convert_float_names(out.content);
  const Files files(source.file, options);
  Resolver resolver(files, sink);
  Resolver::finish(out.content, head, resolver);
  out.complete = resolver.complete();
  out.unresolved = resolver.unresolved();
  return out;
}

}  // namespace sparsecfg::dialect::modelopt
