#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/limits.h"
#include "base/text.h"
#include "compile/places.h"
#include "diag/catalog.h"
#include "doc/readers.h"
#include "lsp/features.h"
#include "lsp/probe.h"
#include "lsp/python_place.h"
#include "lsp/schema.h"
#include "lsp/snippets.h"
#include "lsp/tree.h"
#include "lsp/words.h"
#include "project/settings_rows.h"

namespace sparsecfg::lsp {

using source::Span;

static const std::size_t kUsualCount = usual_fields().size();

// Values of `CompletionItemKind` in the protocol.
enum class ItemKind : int {
  field = 5,
  variable = 6,
  class_ = 7,
  property = 10,
  value = 12,
  snippet = 15,
  reference = 18
};

class Completion {
 public:
  Completion(Workspace& workspace, Document& document, std::uint32_t offset)
      : workspace_(workspace), document_(document), offset_(offset), text_(document.text().bytes()) {
    const auto is_part = [](char c) { return base::is_name_letter(c) || c == '.' || c == '-'; };
    begin_ = offset;
    while (begin_ > 0 && is_part(text_[begin_ - 1])) --begin_;
    end_ = word_at(text_, offset).end;
  }

  Json run() {
    const doc::Limits& limits = workspace_.options_of(document_).compile.limits;
    const char before = begin_ == 0 ? '\n' : text_[begin_ - 1];
    lead_ = before == ':' && !is_script() ? " " : "";
    probe_ = read_probe(document_, {begin_, end_}, limits);
    if (is_settings(document_.path())) {
      schema_ = &settings_schema();
      if (probe_) add_for_place();
      return std::move(items_);
    }
    const Reading* good = document_.reading();
    dialect_ = is_script()       ? dialect_of_script()
               : good != nullptr ? good->dialect
               : probe_          ? dialect::detect(probe_->tree)
                                 : dialect::detect(text_);
    if (dialect_ == nullptr && is_empty()) {
      add_templates();
    }
    if (dialect_ == nullptr || dialect_->schema == nullptr) {
      return std::move(items_);
    }
    schema_ = &workspace_.schema_of(*dialect_, document_);
    if (is_script()) {
      add_for_script();
    } else if (before == '!') {
      add_classes();
    } else if (before == '*') {
      add_anchors();
    } else if (is_in_expression()) {
      add_variables("");
    } else if (probe_) {
      add_for_place();
    }
    return std::move(items_);
  }

 private:
  // --- the place -----------------------------------------------------------------------------------

  [[nodiscard]] bool is_in_expression() const {
    const Span line = document_.text().line(document_.text().line_of(offset_));
    const std::string_view before = std::string_view(text_).substr(line.begin, begin_ - line.begin);
    const std::size_t open = before.rfind("eval(");
    return open != std::string_view::npos && before.find(')', open) == std::string_view::npos;
  }

  // Returns true if the document has only comments besides the typed word, and is YAML.
  [[nodiscard]] bool is_empty() const {
    const std::string ending = base::to_lower(base::ending_of(document_.path()));
    if (text_.size() > limits::kMaxExcerpt || (ending != "yaml" && ending != "yml")) return false;
    std::string rest = text_;
    rest.erase(begin_, end_ - begin_);
    for (std::size_t at = 0; at < rest.size(); at = std::min(rest.find('\n', at), rest.size() - 1) + 1) {
      const std::string_view line = base::trim(std::string_view(rest).substr(at, rest.find('\n', at) - at));
      if (!line.empty() && !line.starts_with('#') && line != "---") return false;
    }
    return true;
  }

  [[nodiscard]] static bool has_fields(const dialect::Dialect& dialect, const std::string& name) {
    const auto pages = pages_of_class(dialect, name);
    return std::ranges::any_of(pages, [](const dialect::Page& page) { return !page.fields.empty(); });
  }

  // Returns the dialect of the recipes in a script, or else the one whose package or classes it names. A cell of a
  // notebook may lack the imports.
  [[nodiscard]] const dialect::Dialect* dialect_of_script() const {
    if (const dialect::Dialect* found = document_.dialect_of_found()) return found;
    if (const dialect::Dialect* found = dialect::detect_in_script(text_)) return found;
    const auto python = python_place(text_, offset_);
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      if (!python || dialect->objects == nullptr || dialect->schema == nullptr) continue;
      if (python->brackets.empty() && dialect::imports(text_, *dialect)) return dialect;
      const SchemaPlace root(workspace_.schema_of(*dialect, document_));
      const auto is_class = [&](const PythonBracket& each) {
        return root.of_title(each.name).has_value() || has_fields(*dialect, each.name);
      };
      if (std::ranges::any_of(python->brackets, is_class)) return dialect;
    }
    return nullptr;
  }

  [[nodiscard]] bool is_script() const { return base::to_lower(base::ending_of(document_.path())) == "py"; }

  [[nodiscard]] bool is_json() const { return base::to_lower(base::ending_of(document_.path())) == "json"; }

  // Returns true for a call that may construct an object. Functions may have the name of a section: `mtq.quantize`.
  static bool is_call_of_class(const PythonBracket& bracket) {
    return bracket.kind == '(' && !bracket.name.empty() && bracket.name.front() >= 'A' && bracket.name.front() <= 'Z';
  }

  // Returns the place in the schema of the value at a place in a script, or of the mapping in which a key starts. The
  // outermost call of a class, or the variable to which a list is assigned, selects the start.
  [[nodiscard]] std::optional<SchemaPlace> place_in(const PythonPlace& python) const {
    std::optional<SchemaPlace> place;
    for (const PythonBracket& bracket : python.brackets) {
      const SchemaPlace root(*schema_);
      const auto named = is_call_of_class(bracket) ? root.of_title(bracket.name) : std::nullopt;
      if (named) {
        place = named;
      } else if (!place) {
        const std::vector<SchemaPlace::Field> fields = root.fields();
        const bool is_section =
            bracket.kind != '(' && std::ranges::find(fields, bracket.name, &SchemaPlace::Field::name) != fields.end();
        if (!is_section) continue;
        place = root.under(bracket.name);
      }
      if (bracket.kind == '[') place = place->item();
      if (bracket.kind != '[' && !bracket.key.empty()) place = place->under(bracket.key);
    }
    return place;
  }

  void add_for_script() {
    const auto python = python_place(text_, offset_);
    const std::string_view typed = std::string_view(text_).substr(begin_, offset_ - begin_);
    if (const std::size_t point = typed.rfind('.'); python && !python->in_string && point != std::string_view::npos) {
      return add_constants(typed.substr(0, point));
    }
    const auto place = python ? place_in(*python) : std::nullopt;
    if (!place) {
      if (python && !python->brackets.empty()) add_for_call(*python);
      return;
    }
    if (python->begins_key()) {
      add_script_keys(*place, *python);
    } else {
      for (const std::string& value : place->values()) add_script_value(value, python->in_string);
      for (const std::string_view pattern : usual_patterns(key_around(*python))) {
        add_script_value(std::string(pattern), python->in_string);
      }
      if (place->accepts_lists() && !python->in_string && python->brackets.size() > 1) {
        add_mappings(python->brackets[python->brackets.size() - 2].key);
      }
      if (place->accepts_names() && python->in_string) add_names();
    }
  }

  // Returns the argument or key whose value, or an element of it, is typed.
  static std::string_view key_around(const PythonPlace& python) {
    const auto named = std::ranges::find_if(python.brackets.rbegin(), python.brackets.rend(),
                                            [](const PythonBracket& each) { return !each.key.empty(); });
    return named == python.brackets.rend() ? std::string_view() : std::string_view(named->key);
  }

  // Adds arguments of a call that no schema describes, or presets as the value of its argument `scheme`.
  void add_for_call(const PythonPlace& python) {
    const PythonBracket& call = python.brackets.back();
    if (python.begins_key()) return add_arguments(call);
    if (call.key != "scheme" || !has_fields(*dialect_, call.name)) return;
    for (const dialect::FieldPage& preset : presets()) add_script_value(std::string(preset.name), python.in_string);
  }

  [[nodiscard]] std::vector<dialect::FieldPage> presets() const {
    std::vector<dialect::FieldPage> out;
    for (const dialect::Page& page : pages_of_class(*dialect_, "presets")) {
      out.insert(out.end(), page.fields.begin(), page.fields.end());
    }
    return out;
  }

  // Returns the module that a name of the script refers to: `mtq` after `import modelopt.torch.quantization as mtq`.
  [[nodiscard]] std::string module_of(std::string_view alias) const {
    constexpr std::string_view kImport = "import ";
    for (const std::string_view line : base::lines_of(text_)) {
      const std::string_view code = base::trim(line);
      if (!code.starts_with(kImport) || !code.ends_with(fmt::format(" as {}", alias))) continue;
      return std::string(code.substr(kImport.size(), code.find(" as ") - kImport.size()));
    }
    return std::string(alias);
  }

  // Adds the constants that a module of the framework exports, such as `mtq.FP8_DEFAULT_CFG`.
  void add_constants(std::string_view alias) {
    if (dialect_->objects == nullptr || dialect_->objects->constant == nullptr) return;
    const std::string module = module_of(alias);
    for (const dialect::FieldPage& preset : presets()) {
      if (dialect_->objects->constant(fmt::format("{}.{}", module, preset.name), {}) == nullptr) continue;
      add(fmt::format("{}.{}", alias, preset.name), ItemKind::value, std::string(preset.doc));
    }
  }

  // Adds the keyword arguments of a call that the pages of the dialect describe. Pages of sections are no calls.
  void add_arguments(const PythonBracket& call) {
    if (call.kind != '(' || call.name.empty() || SchemaPlace(*schema_).of_title(call.name)) return;
    for (const dialect::Page& page : pages_of_class(*dialect_, call.name)) {
      for (const dialect::FieldPage& field : page.fields) {
        if (std::ranges::find(call.present, field.name) != call.present.end()) continue;
        const bool required = std::ranges::find(field.facts, "required") != field.facts.end();
        add_field({std::string(field.name), std::string(field.doc), required}, std::string(field.name) + "=");
      }
    }
  }

  // Adds keyword arguments, or keys of a dictionary.
  void add_script_keys(const SchemaPlace& place, const PythonPlace& python) {
    const PythonBracket& inner = python.brackets.back();
    const bool is_call = inner.kind == '(';
    std::set<std::string_view> present(inner.present.begin(), inner.present.end());
    for (const SchemaPlace::Field& field : place.fields()) {
      if (present.contains(field.name) || field.has_no_effect) continue;
      const std::string text = is_call ? field.name + "=" : python.in_string ? field.name : "\"" + field.name + "\": ";
      add_field(field, text);
    }
  }

  // Adds a value as Python writes it. Lists and mappings are left out.
  void add_script_value(const std::string& yaml, bool in_string) {
    static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
        {"true", "True"}, {"false", "False"}, {"null", "None"}};
    if (yaml.empty() || yaml.front() == '[' || yaml.front() == '{') return;
    const auto* word = std::ranges::find(kWords, yaml, [](const auto& each) { return each.first; });
    const bool is_other = word != std::end(kWords) || Json::accept(yaml);
    const bool is_quoted = yaml.front() == '"';
    if (is_other && !is_quoted) {
      if (!in_string)
        add(std::string(word != std::end(kWords) ? word->second : std::string_view(yaml)), ItemKind::value, "");
      return;
    }
    const std::string text = is_quoted ? yaml.substr(1, yaml.size() - 2) : yaml;
    add(in_string ? text : "\"" + text + "\"", ItemKind::value, "");
  }

  [[nodiscard]] SchemaPlace place_of(std::size_t steps) const {
    return SchemaPlace::of_step(*schema_, probe_->tree, std::span(probe_->steps).first(steps));
  }

  void add_for_place() {
    const std::vector<Step>& steps = probe_->steps;
    if (steps.back().is_key) {
      const SchemaPlace place = place_of(steps.size() - 1);
      const doc::Node& mapping = probe_->tree[steps[steps.size() - 2].node];
      const bool is_new_item = mapping.items.size() == 2 && steps.size() > 2 && !steps[steps.size() - 2].key;
      if (is_new_item && add_tagged_items(place)) return;
      add_fields(place, mapping);
      if (is_new_item) add_item_values(place);
      return;
    }
    if (steps.back().key && probe_->tree[*steps.back().key].text == "instance_name") {
      add_instances();
    }
    const SchemaPlace place = place_of(steps.size());
    for (const std::string& value : place.values()) add_value(value);
    if (dialect_ == nullptr) {
      add_rules();
      return;
    }
    for (const std::string_view pattern : usual_patterns(name_of_list())) add_value(std::string(pattern));
    if (place.accepts_names()) add_names();
    if (place.accepts_lists()) add_mappings(name_of_list());
    if (dialect_->variables) add_variables("eval(");
  }

  // Adds the codes of rules, if the value of a setting is one.
  void add_rules() {
    const auto of_setting = [](const Step& step) { return step.key.has_value(); };
    const auto step = std::ranges::find_if(probe_->steps, of_setting);
    if (step == probe_->steps.end() || !project::is_list_of_rules(probe_->tree[*step->key].text)) return;
    for (const diag::Info* info : diag::catalog()) {
      add(std::string(info->code), ItemKind::value, fmt::format("{}: {}", info->name, info->explanation));
    }
  }

  // Adds the instances of the section that a policy of Distiller selects from: `pruner` selects from `pruners`.
  void add_instances() {
    const std::vector<Step>& steps = probe_->steps;
    const doc::Document& tree = probe_->tree;
    const auto key = steps.size() > 2 ? steps[steps.size() - 2].key : std::nullopt;
    const doc::Node& root = tree[tree.root];
    for (std::size_t at = 0; key && at + 1 < root.items.size(); at += 2) {
      if (tree[root.items[at]].text != std::string(tree[*key].text) + "s") continue;
      const doc::Node& section = tree[root.items[at + 1]];
      for (std::size_t name = 0; name + 1 < section.items.size(); name += 2) {
        add(std::string(tree[section.items[name]].text), ItemKind::reference, "");
      }
    }
  }

  // --- the items -----------------------------------------------------------------------------------

  void add(const std::string& label, ItemKind kind, const std::string& doc, const std::string& insert = {}) {
    const std::string text = lead_ + (insert.empty() ? label : insert);
    Json item = {{"label", label},
                 {"kind", static_cast<int>(kind)},
                 {"textEdit", edit_json(document_.text().range({begin_, end_}), text)}};
    if (!doc.empty()) item["documentation"] = markdown(doc);
    items_["items"].push_back(std::move(item));
  }

  // Adds an item that inserts several lines with places to fill in. The lines are already indented.
  void add_snippet(const std::string& label, ItemKind kind, const std::string& doc, const std::string& snippet) {
    add(label, kind, doc, workspace_.accepts_snippets ? snippet : without_places(snippet));
    Json& item = items_["items"].back();
    item["insertTextMode"] = 1;  // as it is
    if (workspace_.accepts_snippets) item["insertTextFormat"] = 2;
  }

  [[nodiscard]] std::size_t column() const {
    return begin_ - document_.text().line(document_.text().line_of(begin_)).begin;
  }

  // Adds the classes of a new list item with their starting fields. Returns false if the items have no tags.
  bool add_tagged_items(const SchemaPlace& place) {
    const std::vector<SchemaPlace::Field> tags = place.tags();
    for (const SchemaPlace::Field& tag : tags) {
      const std::string fields = starting_fields(SchemaPlace(*schema_).of_class(tag.name.substr(1)), column());
      add_snippet(tag.name, ItemKind::class_, tag.doc, tag.name + fields);
    }
    return !tags.empty();
  }

  // Adds the values and names of a new list item that may be a string, such as a target.
  void add_item_values(const SchemaPlace& place) {
    for (const std::string& value : place.values()) add_value(value);
    for (const std::string_view pattern : usual_patterns(name_of_list())) add_value(std::string(pattern));
    for (const std::string& value : place_of(probe_->steps.size() - 2).values()) {
      if (value.starts_with("__")) add_value(value);  // a token beside names
    }
    if (place.accepts_names()) add_names();
    if (place.accepts_lists()) add_mappings(name_of_list());
  }

  // Returns the key of the list around the item that is typed.
  [[nodiscard]] std::string_view name_of_list() const {
    const auto has_key = [](const Step& step) { return step.key.has_value() && !step.is_key; };
    const auto step = std::ranges::find_if(probe_->steps.rbegin(), probe_->steps.rend(), has_key);
    return step == probe_->steps.rend() ? std::string_view() : probe_->tree[*step->key].text;
  }

  // Adds the usual items of a list of mappings from layers to the norm before them.
  void add_mappings(std::string_view list) {
    if (list != "mappings") return;
    for (const Template& each : usual_mappings()) {
      add_snippet(std::string(each.name), ItemKind::snippet, std::string(each.doc), std::string(each.text));
    }
  }

  void add_templates() {
    for (const Template& each : templates()) {
      add_snippet(std::string(each.name), ItemKind::snippet, std::string(each.doc), std::string(each.text));
    }
  }

  // Adds a known value. It is written as JSON in a JSON file, and without quotes of its own within quotes.
  void add_value(std::string value) {
    const std::string label = value;
    const char before = begin_ == 0 ? '\n' : text_[begin_ - 1];
    const bool is_quoted = value.size() > 1 && value.front() == '"';
    if (before == '"' || before == '\'') {
      if (is_quoted) value = value.substr(1, value.size() - 2);
    } else if (!is_quoted && is_json() && !Json::accept(value)) {
      value = "\"" + value + "\"";
    }
    add(label, ItemKind::value, "", value);
  }

  void note_count(std::size_t count) {
    if (count > limits::kMaxOfferedNames) items_["isIncomplete"] = true;
  }

  // Adds the fields that the mapping does not have yet, required ones first. Fields without effect are omitted.
  void add_fields(const SchemaPlace& place, const doc::Node& mapping) {
    std::set<std::string_view> present;
    for (std::size_t at = 0; at < mapping.items.size(); at += 2) present.insert(probe_->tree[mapping.items[at]].text);
    const bool has_colon = text_.compare(end_, 1, ":") == 0;
    for (const SchemaPlace::Field& field : place.fields()) {
      if (present.contains(field.name) || field.has_no_effect) continue;
      const SchemaPlace value = place.under(field.name);
      const bool is_class =
          !has_colon && value.class_name() == field.name && !needs_training_loop(field.name, dialect_->trains);
      const std::string fields = is_class ? starting_fields(value, column() + 2) : "";
      if (!fields.empty() && !is_json()) {
        add_snippet(field.name, ItemKind::class_, field.doc, field.name + ":" + fields);
        sort_field(field);
      } else {
        add_field(field, key_text(field.name, has_colon));
      }
    }
  }

  // Returns the text of a key. In JSON it has quotes unless the cursor is between quotes.
  [[nodiscard]] std::string key_text(const std::string& name, bool has_colon) const {
    if (!is_json()) return has_colon ? name : name + ": ";
    const bool opens = begin_ > 0 && text_[begin_ - 1] == '"';
    const bool closes = text_.compare(end_, 1, "\"") == 0;
    if (opens && closes) return name;
    return (opens ? "" : "\"") + name + (has_colon ? "\"" : "\": ");
  }

  void add_field(const SchemaPlace::Field& field, const std::string& text) {
    add(field.name, ItemKind::property, field.doc, text);
    sort_field(field);
  }

  // Required fields come first, then those that recipes usually set, then the others in their usual order, and
  // deprecated ones last.
  void sort_field(const SchemaPlace::Field& field) {
    Json& item = items_["items"].back();
    const auto order = dialect_ == nullptr ? std::span<const std::string_view>() : dialect_->order.names;
    const auto at = static_cast<std::size_t>(std::ranges::find(order, field.name) - order.begin());
    const char group = field.required ? '0' : field.is_deprecated ? '3' : rank_of(field.name) < kUsualCount ? '1' : '2';
    item["sortText"] = fmt::format("{}{:02}{:03}{}", group, rank_of(field.name), at, field.name);
    if (field.is_deprecated) item["tags"] = {1};
    if (field.required) item["detail"] = "required";
  }

  // Returns the place of a field among those that recipes usually set, or their number.
  static std::size_t rank_of(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(usual_fields(), name) - usual_fields().begin());
  }

  // Returns true if no text follows the typed word in its line and no field below it belongs to it.
  [[nodiscard]] bool is_alone() const {
    const std::uint32_t number = document_.text().line_of(end_);
    const Span line = document_.text().line(number);
    if (!base::trim(std::string_view(text_).substr(end_, line.end - end_)).empty()) return false;
    const Span next = document_.text().line(number + 1);
    const std::string_view below = std::string_view(text_).substr(next.begin, next.end - next.begin);
    const std::size_t indent = below.find_first_not_of(' ');
    return next.begin <= end_ || indent == std::string_view::npos || indent + 1 < column();
  }

  // Adds the classes for a tag, with their starting fields if the tag has none yet.
  void add_classes() {
    const bool alone = is_alone();
    for (const SchemaPlace::Field& each : SchemaPlace::classes(*schema_)) {
      const std::string fields =
          alone ? starting_fields(SchemaPlace(*schema_).of_class(each.name), column() - 1) : std::string();
      if (fields.empty()) {
        add(each.name, ItemKind::class_, each.doc);
      } else {
        add_snippet(each.name, ItemKind::class_, each.doc, each.name + fields);
      }
    }
  }

  void add_anchors() {
    std::set<std::string> names;
    for (std::size_t at = text_.find('&'); at != std::string::npos; at = text_.find('&', at + 1)) {
      const Span name = word_at(text_, static_cast<std::uint32_t>(at + 1));
      if (name.begin == at + 1 && !name.empty() && at < begin_) names.insert(text_.substr(at + 1, name.end - at - 1));
    }
    std::size_t count = 0;
    for (const std::string& name : names) {
      if (++count > limits::kMaxOfferedNames) break;
      add(name, ItemKind::reference, "");
    }
    note_count(count);
  }

  // Adds the variables. `open` is the start of an expression, "eval(", or empty within an expression.
  void add_variables(const std::string& open) {
    const Reading* good = document_.reading();
    const std::size_t count = good == nullptr ? 0 : good->compilation.recipe->variables.size();
    note_count(count);
    for (std::size_t at = 0; at < std::min(count, limits::kMaxOfferedNames); ++at) {
      const ir::Variable& variable = good->compilation.recipe->variables[at];
      const std::string text = open.empty() ? variable.name : open + variable.name + ")";
      add(text, ItemKind::variable, fmt::format("`{}`", value_text(variable.value)));
    }
  }

  // Adds the names of the model that contain the typed text: modules if the dialect selects modules, else parameters.
  void add_names() {
    const CompileOptions& options = workspace_.options_of(document_).compile;
    const model::ModelNames* names =
        dialect_->modules && options.modules != nullptr ? options.modules : options.parameters;
    const std::string_view typed = std::string_view(text_).substr(begin_, offset_ - begin_);
    std::size_t count = 0;
    for (std::size_t at = 0; names != nullptr && at < names->size(); ++at) {
      if ((*names)[at].empty() || (*names)[at].find(typed) == std::string::npos) continue;
      if (++count > limits::kMaxOfferedNames) break;
      add(base::printable((*names)[at]), ItemKind::reference, "");
    }
    note_count(count);
  }

  Workspace& workspace_;
  Document& document_;
  std::uint32_t offset_;
  const std::string& text_;
  std::uint32_t begin_ = 0;  // start of the typed word
  std::uint32_t end_ = 0;
  std::optional<Probe> probe_;
  std::string lead_;  // a space before a value that directly follows the colon of its key
  const dialect::Dialect* dialect_ = nullptr;
  const Json* schema_ = nullptr;
  Json items_ = {{"isIncomplete", false}, {"items", Json::array()}};
};

// Returns the YAML around a place in a fenced block of Markdown or in a string of a script that is a recipe; nullopt if
// the place is in none.
static std::optional<Span> yaml_around(const Document& document, std::uint32_t offset) {
  const std::string& text = document.text().bytes();
  const std::string ending = base::to_lower(base::ending_of(document.path()));
  if (doc::is_markdown(document.path())) {
    for (const places::Fence& fence : places::find_fences(text)) {
      if (fence.is_yaml() && fence.content.begin <= offset && offset <= fence.content.end) return fence.content;
    }
  }
  if (ending != "py") return std::nullopt;
  const auto place = python_place(text, offset);
  if (!place || !place->in_string || !place->is_triple) return std::nullopt;
  const std::string quotes = text.substr(place->string_begin - 3, 3);
  const auto end = static_cast<std::uint32_t>(std::min(text.find(quotes, offset), text.size()));
  const Span span{place->string_begin, end};
  return places::may_have_recipes(std::string_view(text).substr(span.begin, span.end - span.begin))
             ? std::optional(span)
             : std::nullopt;
}

// Moves the ranges of items from a part of a text to the text.
static void move_items(Json& items, const Text& inner, const Text& outer, std::uint32_t begin) {
  for (Json& item : items.at("items")) {
    const Span span = inner.span(read_range(item.at("textEdit").at("range")));
    item["textEdit"]["range"] = to_json(outer.range({span.begin + begin, span.end + begin}));
  }
}

// Returns the completions in a cell of a notebook that is edited as JSON. The inserted text is escaped.
static Json complete_cell(Workspace& workspace, const Document& document, std::uint32_t offset) {
  const auto code = places::read_notebook(document.text().bytes());
  if (code) {
    for (const script::Piece& piece : code->origins) {
      const bool is_inside = piece.exact && offset > piece.span.begin && offset <= piece.span.end;
      if (offset != piece.span.begin && !is_inside) continue;
      const std::uint32_t place = piece.begin + offset - piece.span.begin;
      Document inner(document.uri(), std::filesystem::path(document.path()).replace_extension(".py").native(),
                     code->text);
      Json out = Completion(workspace, inner, place).run();
      for (Json& item : out.at("items")) {
        const Span span = inner.text().span(read_range(item.at("textEdit").at("range")));
        item["textEdit"]["range"] =
            to_json(document.text().range({offset - (place - span.begin), offset + (span.end - place)}));
        const std::string quoted = Json(item["textEdit"]["newText"].get<std::string>()).dump();
        item["textEdit"]["newText"] = quoted.substr(1, quoted.size() - 2);
      }
      return out;
    }
  }
  return {{"isIncomplete", false}, {"items", Json::array()}};
}

Json completion(Workspace& workspace, const Json& params) {
  Document& document = workspace.document_while_typing(params);
  const std::uint32_t offset = document.text().offset(read_position(params.at("position")));
  if (base::to_lower(base::ending_of(document.path())) == "ipynb") return complete_cell(workspace, document, offset);
  const auto part = yaml_around(document, offset);
  if (!part) return Completion(workspace, document, offset).run();
  const std::string& text = document.text().bytes();
  const std::string path = std::filesystem::path(document.path()).replace_extension(".yaml").native();
  Document inner(document.uri(), path, text.substr(part->begin, part->end - part->begin));
  Json out = Completion(workspace, inner, offset - part->begin).run();
  move_items(out, inner.text(), document.text(), part->begin);
  return out;
}

}  // namespace sparsecfg::lsp
