#include "script/library/files.h"

#include <fmt/format.h>

#include "base/text.h"
#include "script/interpreter.h"
#include "script/library/paths.h"
#include "script/library/tables.h"
#include "script/printing.h"
#include "source/load.h"

// Files, JSON and YAML.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

constexpr std::string_view kUnknownFile = "the content of a file is unknown";

// Python opens a relative path in the current folder, which is usually that of the script.
Ref read_file(Interpreter& in, const Ref& path, const python::Node& node) {
  if (in.writes_files()) return in.opaque(node.span, "the script writes files");
  const auto text = path_of(in, *path);
  auto content = text ? in.library().read_file(text->text, text->here) : std::nullopt;
  in.risk();
  if (!content) {
    const std::string why = text ? fmt::format("`{}` is not found or not read", text->text) : std::string(kUnknownFile);
    return in.depends(node.span, {path}, why);
  }
  if (content->find('\r') != std::string::npos)
    return in.opaque(node.span, "the line ends of a file are not those of Python");
  const auto place = in.add_file(text->text, *content, node.span);
  Ref out = in.new_text(node.span, std::move(*content));
  if (place) out->pieces = {{0, *place, true, false}};
  return out;
}

static bool reads_text(const Value& file) {
  const bool positional = file.items.size() - file.names.size() > 1;
  const Ref mode = positional ? file.items[1] : file.argument("mode");
  return mode == nullptr || (mode->string() != nullptr && (*mode->string() == "r" || *mode->string() == "rt"));
}

// A second `read` returns the rest, which is empty.
static Ref read_all(Interpreter& in, const Ref& file, const python::Node& node) {
  const bool known = !file->open && !file->escaped && file->items.size() > file->names.size() && reads_text(*file);
  if (!known) return in.depends(node.span, {file}, kUnknownFile);
  Ref out = read_file(in, file->items.front(), node);
  in.heap().open(file, node.span, "the file is read");
  return out;
}

static Ref read_method(const Call& call) { return read_all(call.interpreter, call.self, call.node); }

// The text of an argument: a string, or the content of an open file.
static Ref text_or_file(const Call& call) {
  const Ref& value = call.values[0];
  return value->role == Role::file ? read_all(call.interpreter, value, call.node) : value;
}

static std::size_t count_values(const source::Value& value) {
  std::size_t out = 1;
  if (const auto* list = value.get<source::List>()) {
    for (const source::Value& item : *list) out += count_values(item);
  } else if (const auto* map = value.get<source::Map>()) {
    for (const source::Entry& entry : *map) out += 1 + count_values(entry.second);
  }
  return out;
}

namespace {

// Makes values of a script from those of a document.
class Converter {
 public:
  // `text`: of the document. If it is the text of a file, values get their places in it, otherwise that of the call.
  Converter(const Call& call, const Value& text) : in_(call.interpreter), call_(call.node.span) {
    const bool whole = text.pieces.size() == 1 && text.pieces.front().exact && text.pieces.front().begin == 0;
    if (whole) file_ = text.pieces.front().span;
  }

  // `tree`: the same value with its places in the text; null if they are unknown.
  Ref convert(const source::Value& value, const source::Value* tree) {
    const source::Span span = place_of(tree);
    if (const auto* list = value.get<source::List>()) return convert_list(*list, list_in(tree, list->size()), span);
    if (const auto* map = value.get<source::Map>()) return convert_map(*map, map_in(tree, map->size()), span);
    if (value.get<source::Timestamp>() != nullptr) return unknown(span, "dates are not read");
    Ref out = scalar(span, value.data);
    if (out->string() != nullptr) out->pieces.push_back({0, span, false, false});
    return out;
  }

 private:
  source::Span place_of(const source::Value* tree) const {
    if (!file_ || tree == nullptr || tree->span.empty()) return call_;
    return {file_->begin + tree->span.begin, file_->begin + tree->span.end};
  }

  static const source::List* list_in(const source::Value* tree, std::size_t size) {
    const auto* list = tree == nullptr ? nullptr : tree->get<source::List>();
    return list == nullptr || list->size() != size ? nullptr : list;
  }

  static const source::Map* map_in(const source::Value* tree, std::size_t size) {
    const auto* map = tree == nullptr ? nullptr : tree->get<source::Map>();
    return map == nullptr || map->size() != size ? nullptr : map;
  }

  Ref convert_list(const source::List& list, const source::List* tree, source::Span span) {
    const Ref out = in_.made(container(Kind::list, span));
    for (std::size_t at = 0; at < list.size(); ++at) {
      out->items.push_back(convert(list[at], tree == nullptr ? nullptr : &(*tree)[at]));
    }
    return out;
  }

  Ref convert_map(const source::Map& map, const source::Map* tree, source::Span span) {
    const Ref out = in_.made(container(Kind::dictionary, span));
    for (std::size_t at = 0; at < map.size(); ++at) {
      const source::Entry* entry = tree == nullptr ? nullptr : &(*tree)[at];
      const Ref key = convert(map[at].first, entry == nullptr ? nullptr : &entry->first);
      if (!in_.key_of(*key)) return unknown(span, "a key is not known");
      put(*out, key, convert(map[at].second, entry == nullptr ? nullptr : &entry->second));
    }
    return out;
  }

  Interpreter& in_;
  source::Span call_;
  std::optional<source::Span> file_{};
};

}  // namespace

static Ref converted_all(const Call& call, const Value& text, const source::Value& value, const source::Value* tree) {
  return call.interpreter.builds(count_values(value) * sizeof(Value))
             ? Converter(call, text).convert(value, tree)
             : unknown(call.node.span, "the values are too large");
}

// Reading builds a tree, whose nodes take several times the bytes of the text.
static bool can_parse(Interpreter& in, const Value& text) {
  constexpr std::size_t kCostOfByte = 4;
  return types_of(text) == types::text && in.reads(text.string()->size() * kCostOfByte);
}

static Ref load_json(const Call& call) {
  const Ref text = text_or_file(call);
  if (!can_parse(call.interpreter, *text)) return call.interpreter.depends(call.node.span, {text});
  const auto read = source::read_json(*text->string());
  const auto* value = std::get_if<std::optional<source::Value>>(&read);
  if (value == nullptr || !*value) return call.interpreter.opaque(call.node.span, "the text is not JSON");
  const auto tree = call.interpreter.library().read_yaml(*text->string());  // most JSON is YAML; it has the places
  return converted_all(call, *text, **value, tree ? &*tree : nullptr);
}

static Ref load_yaml(const Call& call) {
  const Ref text = text_or_file(call);
  if (!can_parse(call.interpreter, *text)) return call.interpreter.depends(call.node.span, {text});
  const auto value = call.interpreter.library().read_yaml(*text->string());
  return value ? converted_all(call, *text, *value, &*value)
               : call.interpreter.opaque(call.node.span, "the text is not YAML");
}

// `yaml.load` needs a loader whose tags construct no other objects.
static Ref load_yaml_with(const Call& call) {
  static constexpr std::string_view kLoaders[] = {"yaml.SafeLoader", "yaml.CSafeLoader", "yaml.FullLoader",
                                                  "yaml.Loader"};
  return base::contains(kLoaders, call.values[1]->path) ? load_yaml(call) : nullptr;
}

static Ref dump_json(const Call& call) {
  constexpr std::int64_t kMaxIndent = 16;
  const std::int64_t indent = call.integer(1, -1);
  if (call.has(1) && (indent < 0 || indent > kMaxIndent)) return nullptr;
  const auto text = call.interpreter.json_of(*call.values[0], static_cast<int>(indent));
  return text ? call.interpreter.new_text(call.node.span, *text) : nullptr;
}

// JSON is YAML with the same values, but PyYAML writes other text.
static Ref dump_yaml(const Call& call) {
  const auto text = call.interpreter.json_of(*call.values[0], -1);
  if (!text) return nullptr;
  Ref out = call.interpreter.new_text(call.node.span, *text + "\n");
  out->pieces = {{0, call.node.span, false, true}};
  return out;
}

std::span<const Operation> file_methods() {
  static const std::vector<Operation> rows = {{"read", {}, Cost::constant, &read_method}};
  return rows;
}

std::span<const Operation> document_functions() {
  using enum Parameter::Presence;
  const Parameter source{};
  const Parameter loader{"Loader", types::any};
  const Parameter options{"", types::any, mapping};
  static const std::vector<Operation> rows = {
      {"json.loads", {source}, Cost::constant, &load_json},
      {"json.load", {source}, Cost::constant, &load_json},
      {"json.dumps", {source, {"indent", types::integer, optional}}, Cost::constant, &dump_json},
      {"yaml.safe_load", {source}, Cost::constant, &load_yaml},
      {"yaml.load", {source, loader}, Cost::constant, &load_yaml_with, traits::escapes},
      {"yaml.safe_dump", {source, options}, Cost::constant, &dump_yaml},
      {"yaml.dump", {source, options}, Cost::constant, &dump_yaml},
  };
  return rows;
}

}  // namespace sparsecfg::script
