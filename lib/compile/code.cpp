#include <algorithm>
#include <map>
#include <set>

#include "base/budget.h"
#include "base/text.h"
#include "compile/places.h"
#include "python/tree.h"

namespace sparsecfg::places {

using script::Ref;
using source::Span;

namespace {

constexpr std::string_view kHole = "\u27E6\u27E7";

// Finds the recipes that a script constructs.
class CodeReader {
 public:
  CodeReader(const source::SourceFile& file, const Code& code, const dialect::ReadOptions& options,
             const doc::Limits& limits)
      : file_(file), code_(code), options_(options), limits_(limits) {
    if (!code.text.empty()) {
      derived_ = std::make_shared<source::SourceFile>(file.name(), code.text);
      origins_ = std::make_shared<const Origins>(code.origins);
    }
  }

  Found run() {
    std::vector<python::Script> scripts;
    for (const Span part : code_.parts) scripts.push_back(python::parse_script(text().text(), part));
    const script::Trace trace = script::follow(text().text(), scripts, [](std::string_view path, Span span) {
      Ref out;
      for (const dialect::Dialect* dialect : dialect::dialects()) {
        if (out == nullptr && dialect->objects != nullptr) out = dialect->objects->constant(path, span);
      }
      return out;
    });
    find_objects(trace);
    for (const Ref& string : trace.strings) add_string(*string);
    std::ranges::stable_sort(places_, {}, &Place::span);
    for (Place& place : places_) {
      choose_framework(place);
      finish(place);
    }
    for (const python::Script& script : scripts) {
      out_.comments.insert(out_.comments.end(), script.comments.begin(), script.comments.end());
    }
    out_.classes = trace.classes;
    check_script(trace);
    out_.recipes = std::move(places_);
    return std::move(out_);
  }

 private:
  // Reports errors around the recipes, and recipes in other files.
  void check_script(const script::Trace& trace) {
    for (const Ref& call : trace.objects) {
      const Ref recipe = call->imported && is_of_framework(*call) ? call->argument("recipe") : nullptr;
      const std::string* path = recipe == nullptr || !recipe->is_whole() ? nullptr : recipe->string();
      if (path != nullptr && is_path(*path)) {
        out_.references.push_back({recipe->span, *path});
      } else if (recipe != nullptr && recipe->kind == script::Value::Kind::unknown && places_.empty()) {
        out_.unread.push_back({recipe->span, recipe->text});
      }
    }
    diag::Sink sink;
    for (const dialect::Dialect* dialect : dialect::dialects()) {
      const bool mine = std::ranges::find(places_, dialect, &Place::dialect) != places_.end();
      if (dialect->objects != nullptr && (mine || !out_.references.empty() || !out_.unread.empty())) {
        dialect->objects->check_script(trace, options_, sink);
      }
    }
    if (visits_.exceeded() != base::Budget::Limit::none) {
      sink.report(diag::limits_exceeded, limited_, "the lists of a recipe have too many elements");
    }
    if (trace.limit && imports_framework(trace)) {
      sink.report(diag::limits_exceeded, *trace.limit, "the script is too long to follow from here on")
          .with_severity(diag::Severity::warning)
          .with_help("write the recipe before long loops, or in a file of its own");
    }
    out_.findings = sink.take();
    if (origins_ != nullptr) {
      origins_->move(out_.findings);
      for (auto* list : {&out_.references, &out_.unread}) {
        for (Unknown& each : *list) each.span = origins_->map(each.span);
      }
    }
  }

  static bool is_of_framework(const script::Value& call) {
    return std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
      return !dialect->module.empty() && call.path.starts_with(std::string(dialect->module) + ".");
    });
  }

  static bool imports_framework(const script::Trace& trace) {
    return std::ranges::any_of(trace.imports, [](const script::Import& import) {
      return std::ranges::any_of(dialect::dialects(), [&](const dialect::Dialect* dialect) {
        return !dialect->module.empty() && (import.module + ".").starts_with(std::string(dialect->module) + ".");
      });
    });
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

  // Adds the elements of a recipe in a list, and flattens nested lists. Returns false if the list has other members.
  bool collect(const Ref& value, std::vector<Ref>& out, std::vector<Ref>& others, std::size_t depth = 0) {
    constexpr std::size_t kMaxDepth = 8;
    constexpr std::size_t kCostOfModifier = 50;
    if (maker(*value) != nullptr && visits_.spend(kCostOfModifier)) {
      out.push_back(value);
      return true;
    }
    const bool list = value->kind == script::Value::Kind::list || value->kind == script::Value::Kind::tuple;
    const bool fits = visits_.spend(1 + value->items.size());
    if (!fits && limited_.empty()) limited_ = value->span;
    if (!list || depth > kMaxDepth || !fits) {
      if (fits) others.push_back(value);
      return false;
    }
    bool all = true;
    for (const Ref& item : value->items) all = collect(item, out, others, depth + 1) && all;
    return all;
  }

  // Adds outer lists before the lists in them, and arguments of recipe parameters before both. A list of test values
  // does not become a recipe.
  void find_objects(const script::Trace& trace) {
    std::set<const script::Value*> choices;
    for (const Ref& call : trace.objects) {
      if (call->path.ends_with("parametrize")) {
        for (const Ref& argument : call->items) add_choices(*argument, choices);
        tests_.push_back(call->span);
      }
    }
    for (const Ref& call : trace.objects) {
      if (const Ref recipe = call->argument("recipe")) add_objects(recipe, passes_data(*call));
    }
    for (auto list = trace.lists.rbegin(); list != trace.lists.rend(); ++list) {
      if (!choices.contains(list->get())) add_objects(*list);
    }
    const std::size_t known = places_.size();
    for (const Ref& object : trace.objects) add_objects(object);
    for (std::size_t at = known; at < places_.size(); ++at) places_[at].loose = true;
  }

  static void add_choices(const script::Value& value, std::set<const script::Value*>& choices) {
    choices.insert(&value);
    for (const Ref& item : value.items) {
      if (item->kind == script::Value::Kind::tuple) choices.insert(item.get());
    }
  }

  static bool passes_data(const script::Value& call) {
    return std::ranges::any_of(call.names, [](const auto& name) {
      return name.value == "dataset" || name.value == "dataset_path" || name.value == "**";
    });
  }

  void add_objects(const Ref& value, bool with_data = false) {
    std::vector<Ref> elements;
    std::vector<Ref> others;
    collect(value, elements, others);
    std::erase_if(elements, [&](const Ref& element) { return used_.contains(element.get()); });
    if (elements.empty()) {
      return;
    }
    const dialect::Dialect* dialect = maker(*elements.front());
    std::vector<Ref> all;
    for (const Ref& element : elements) {
      used_.insert(element.get());
      for (const Ref& each : dialect->objects->elements(element, options_)) all.push_back(each);
    }
    Place place;
    place.form = "objects";
    place.dialect = dialect;
    place.span = value->span;
    place.part = value->span;
    place.document = dialect->objects->document(all, value->span);
    place.reach = reach_of(value->span, elements);
    place.loose = !others.empty();
    place.with_data = with_data;
    diag::Sink sink;
    dialect->objects->check_elements(elements, sink);
    place.findings = sink.take();
    for (const Ref& other : others) {
      place.unknown.push_back({other->span, other->text.empty() ? "the class is not a known modifier" : other->text});
    }
    add(std::move(place));
  }

  // Elements that are constructed before the list are parts of the recipe.
  static Span reach_of(Span span, const std::vector<Ref>& elements) {
    for (const Ref& element : elements) {
      span = {std::min(span.begin, element->span.begin), std::max(span.end, element->span.end)};
    }
    return span;
  }

  // Returns a text that is equal for equal documents.
  static std::string fingerprint(const doc::Document& document) {
    std::string out;
    for (const doc::Node& node : document.nodes) {
      out += std::to_string(node.items.size()) + ':' + std::to_string(node.text.size()) + ':';
      out += node.text;
      out += node.tag;
    }
    return out;
  }

  // A place that is reached repeatedly, as in a loop, is one recipe unless its values differ.
  void add(Place place) {
    const bool objects = place.form == "objects" && place.document;
    if (known_.emplace(place.span, objects ? fingerprint(*place.document) : std::string()).second) {
      spans_.insert(place.span);
      places_.push_back(std::move(place));
    }
  }

  // A string that a dialect claims is a recipe.
  void add_string(const script::Value& value) {
    const std::string& content = *value.string();
    // A string with `{name}` that is not YAML is a template.
    if (value.pieces.empty() || content.find('\n') == std::string::npos || !may_have_recipes(content)) {
      return;
    }
    const script::Piece& first = value.pieces.front();
    if (spans_.contains(value.span)) {
      return;
    }
    if (value.pieces.size() == 1 && first.exact && code_.text.empty()) {
      auto place = read_text(text(), first.span, limits_);
      if (place && (place->document || !is_template(content))) {
        place->span = value.span;
        place->form = "string";
        add(std::move(*place));
      }
      return;
    }
    auto derived = std::make_shared<source::SourceFile>("recipe.yaml", content);
    auto place = read_text(*derived, {0, static_cast<std::uint32_t>(content.size())}, limits_);
    if (!place || (!place->document && (!value.is_whole() || is_template(content)))) {
      return;
    }
    if (place->document) {
      mark_holes(*place->document);
    }
    place->origins.push_back(std::make_shared<const Origins>(value.pieces));
    place->form = "string";
    place->span = value.span;
    place->text = std::move(derived);
    add(std::move(*place));
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
      if (node.text.find(kHole) != std::string_view::npos) {
        node.tag = doc::kNotLiteralTag;
        node.text = "a part of the string is unknown";
      }
    }
  }

  // Recipes of two frameworks may look alike. The imports of the script decide.
  void choose_framework(Place& place) const {
    const auto imports = [&](const dialect::Dialect& dialect) {
      return !dialect.module.empty() &&
             text().text().find(std::string("from ") + std::string(dialect.module)) != std::string_view::npos;
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

  // Counts lines. The line of a recipe in a notebook is the stored line of its cell.
  void finish(Place& place) {
    place.tested = std::ranges::any_of(
        tests_, [&](Span test) { return test.begin <= place.span.begin && place.span.end <= test.end; });
    place.lines = lines_of(place.reach.empty() ? place.span : place.reach);
    for (std::size_t at = 0; place.document && at < place.document->nodes.size(); ++at) {
      const doc::Node& node = place.document->nodes[at];
      if (node.tag == doc::kNotLiteralTag) place.unknown.push_back({node.span, std::string(node.text)});
    }
    if (code_.text.empty()) {
      return;
    }
    place.origins.push_back(origins_);
    place.span = origins_->map(place.span);
    if (place.text == nullptr) place.text = derived_;
  }

  Lines lines_of(Span span) const {
    const auto line = [&](std::uint32_t offset) { return text().position(offset).line; };
    const std::uint32_t last = span.end > span.begin ? span.end - 1 : span.end;
    Lines out{line(span.begin), line(last), std::nullopt};
    for (std::size_t at = 0; at < code_.cells.size(); ++at) {
      if (code_.parts[at].begin <= span.begin && span.begin < code_.parts[at].end) {
        const std::uint32_t before = line(code_.parts[at].begin) - 1;
        out = {out.first - before, out.last - before, code_.cells[at]};
        break;
      }
    }
    return out;
  }

  const source::SourceFile& file_;
  const Code& code_;
  const dialect::ReadOptions& options_;
  const doc::Limits& limits_;
  std::shared_ptr<source::SourceFile> derived_;
  std::vector<Place> places_;
  Found out_;
  std::vector<Span> tests_;  // lists of values for parametrized tests
  std::set<const script::Value*> used_;
  std::shared_ptr<const Origins> origins_;        // of a notebook
  std::set<std::pair<Span, std::string>> known_;  // places by span and content
  std::set<Span> spans_;                          // of all places
  base::Budget visits_{{.steps = 500'000, .bytes = 0, .depth = 0}};
  Span limited_;  // where the elements became too many
};

}  // namespace

Found find_in_code(const source::SourceFile& file, const Code& code, const dialect::ReadOptions& options,
                   const doc::Limits& limits) {
  return CodeReader(file, code, options, limits).run();
}

}  // namespace sparsecfg::places
