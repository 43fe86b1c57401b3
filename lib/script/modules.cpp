#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "python/integer.h"
#include "script/cycles.h"
#include "script/interpreter.h"
#include "script/model.h"
#include "script/printing.h"

// Functions and classes of the standard library and of PyYAML.
namespace sparsecfg::script {

using Kind = Value::Kind;

Ref Interpreter::duplicate(const Ref& value) {
  Ref out = shallow_copy(value);
  budget_.allocate(sizeof(Value) + value->items.size() * sizeof(Ref));
  return made(out);
}

Ref Interpreter::converted(const source::Value& value, Span span) {
  if (const auto* list = value.get<source::List>()) {
    const Ref out = made(container(Kind::list, span));
    for (const source::Value& item : *list) out->items.push_back(converted(item, span));
    return out;
  }
  if (const auto* map = value.get<source::Map>()) {
    const Ref out = made(container(Kind::dictionary, span));
    for (const source::Entry& entry : *map) {
      const Ref key = converted(entry.first, span);
      if (!key_text(*key)) return unknown(span, "a key is not known");
      put(*out, key, converted(entry.second, span));
    }
    return out;
  }
  if (value.get<source::Timestamp>() != nullptr) {
    return unknown(span, "dates are not read");
  }
  Ref out = scalar(span, value.data);
  if (out->string() != nullptr) out->pieces.push_back({0, span, false, false});
  return out;
}

Ref Interpreter::json_loads(const Ref& text, const Node& node) {
  const std::string* string = text->is_whole() ? text->string() : nullptr;
  if (string == nullptr || !budget_.allocate(string->size() * 20)) {
    return depends(node.span, {text});
  }
  const auto read = source::read_json(*string);
  const auto* value = std::get_if<std::optional<source::Value>>(&read);
  return value == nullptr || !*value ? opaque(node.span, "the text is not JSON") : converted(**value, node.span);
}

Ref Interpreter::read_yaml(const Ref& text, const Node& node) {
  const std::string* string = text->is_whole() ? text->string() : nullptr;
  if (string == nullptr || !budget_.allocate(string->size() * 20)) {
    return depends(node.span, {text});
  }
  const auto value = library_.read_yaml(*string);
  return value ? converted(*value, node.span) : opaque(node.span, "the text is not YAML");
}

Ref Interpreter::json_dumps(const Arguments& arguments, const Node& node) {
  if (arguments.positional.size() != 1) {
    return nullptr;
  }
  int indent = -1;
  for (std::size_t at = 0; at < arguments.names.size(); ++at) {
    const auto* number =
        arguments.named[at]->kind == Kind::scalar ? std::get_if<std::int64_t>(&arguments.named[at]->data) : nullptr;
    if (arguments.names[at].value != "indent" || number == nullptr || *number < 0 || *number > 16)
      return depends(node.span, arguments.all(), "the text is not computed");
    indent = static_cast<int>(*number);
  }
  const auto text = json_of(*arguments.positional.front(), indent);
  if (!text || !budget_.allocate(text->size()))
    return depends(node.span, arguments.positional, "a part of the text is unknown");
  return new_text(node.span, *text);
}

// Returns the text of a path: a string or a `Path`. The first member is true if it begins at the folder of the script.
std::optional<std::pair<bool, std::string>> Interpreter::path_of(const Value& value) const {
  if (value.kind == Kind::object && value.path == "pathlib.Path" && value.items.size() == 1 && value.names.empty() &&
      !value.escaped) {
    return path_of(*value.items.front());
  }
  const std::string* text = value.string();
  if (text == nullptr) return std::nullopt;
  if (value.path == "here") return std::pair(true, *text);
  return value.is_whole() && value.path.empty() ? std::optional(std::pair(false, *text)) : std::nullopt;
}

Ref Interpreter::path_string(bool here, std::string text, const Node& node) {
  Ref out = new_text(node.span, std::move(text));
  if (here) {
    out->path = "here";
    out->pieces = {{0, node.span, false, true}};
  }
  return out;
}

// Python normalizes paths: `a//b/./c/` is `a/b/c`.
static std::string normalized(const std::string& text) {
  std::string out = text.starts_with('/') ? "/" : "";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string part = text.substr(at, end - at);
    if (!part.empty() && part != ".") out += (out.empty() || out.ends_with('/') ? "" : "/") + part;
    at = end + 1;
  }
  return out.empty() ? "." : out;
}

Ref Interpreter::path_object(bool here, std::string text, const Node& node) {
  const Ref out = made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->imported = true;
  out->path = "pathlib.Path";
  out->span = node.span;
  out->name_span = node.span;
  out->items.push_back(path_string(here, here && text == "." ? std::string() : text, node));
  return out;
}

static std::string joined(const std::string& one, const std::string& other) {
  return other.starts_with('/') ? other : one.empty() || one.ends_with('/') ? one + other : one + "/" + other;
}

Ref Interpreter::path_call(const std::string& path, const Arguments& arguments, const Node& node) {
  const bool object = path == "pathlib.Path" || path == "pathlib.PurePath" || path == "pathlib.PosixPath";
  if (!object && !path.starts_with("os.path.")) {
    return nullptr;
  }
  std::vector<std::pair<bool, std::string>> parts;
  for (const Ref& value : arguments.positional) {
    const auto part = path_of(*value);
    if (!part) return object ? nullptr : depends(node.span, arguments.positional, "a part of the path is unknown");
    if (!budget_.allocate(part->second.size())) return depends(node.span, arguments.positional);
    parts.push_back(*part);
  }
  if (parts.empty() || arguments.is_open() || !arguments.named.empty()) {
    return object || arguments.named.empty() ? nullptr : depends(node.span, arguments.all());
  }
  auto [here, text] = parts.front();
  if (object || path == "os.path.join") {
    for (std::size_t at = 1; at < parts.size(); ++at) {
      here = parts[at].first || (here && !parts[at].second.starts_with('/'));
      text = parts[at].first ? parts[at].second : joined(text, parts[at].second);
    }
    Ref out = object ? path_object(here, here && text.empty() ? text : normalized(text), node)
                     : path_string(here, text, node);
    for (const Ref& value : arguments.positional) out = inherit(out, {value});
    return out;
  }
  const std::size_t slash = text.rfind('/');
  if (path == "os.path.dirname") {
    std::string folder = slash == std::string::npos ? std::string() : text.substr(0, slash);
    if (here && (text == "__file__" || slash == std::string::npos))
      return text.empty() ? depends(node.span, arguments.positional, "the folder is unknown")
                          : path_string(true, "", node);
    if (slash != std::string::npos && folder.find_first_not_of('/') == std::string::npos)
      folder = text.substr(0, slash + 1);
    while (folder.size() > 1 && folder.ends_with('/') && folder.find_first_not_of('/') != std::string::npos)
      folder.pop_back();
    return path_string(here, folder, node);
  }
  if (path == "os.path.basename" && !here)
    return path_string(false, slash == std::string::npos ? text : text.substr(slash + 1), node);
  if (here && (path == "os.path.abspath" || path == "os.path.realpath" || path == "os.path.normpath"))
    return path_string(true, text, node);
  return depends(node.span, arguments.positional, fmt::format("it depends on `{}(...)`", path));
}

Ref Interpreter::path_attribute(const Value& object, const std::string& name, const Node& node) {
  const auto path = path_of(object);
  if (!path) return nullptr;
  const auto& [here, text] = *path;
  const std::size_t slash = text.rfind('/');
  if (name == "parent") {
    if (here)
      return text.empty() ? opaque(node.span, "the folder is unknown")
                          : path_object(true, slash == std::string::npos ? "" : text.substr(0, slash), node);
    return path_object(false, slash == std::string::npos ? "." : slash == 0 ? "/" : text.substr(0, slash), node);
  }
  const std::string last = slash == std::string::npos ? text : text.substr(slash + 1);
  if (here && last.empty()) return nullptr;
  const std::size_t point = last.rfind('.');
  const bool has_suffix = point != std::string::npos && point > 0 && point + 1 < last.size();
  if (text == "__file__") return nullptr;
  if (name == "name") return new_text(node.span, last);
  if (name == "stem") return new_text(node.span, has_suffix ? last.substr(0, point) : last);
  if (name == "suffix") return new_text(node.span, has_suffix ? last.substr(point) : "");
  return nullptr;
}

// A relative path means the folder of the script: it is where scripts are usually run.
Ref Interpreter::read_file(const Ref& path, const Node& node) {
  if (writes_) {
    return opaque(node.span, "the script writes files");
  }
  const auto text = path_of(*path);
  auto content = text ? library_.read_file(text->second) : std::nullopt;
  ++risks_;
  if (!content || !budget_.allocate(content->size())) {
    return depends(node.span, {path}, "the content of a file is unknown");
  }
  if (content->find('\r') != std::string::npos) {
    return opaque(node.span, "the line ends of a file are not those of Python");
  }
  return new_text(node.span, std::move(*content));
}

// Methods of the mapping that `globals()` returns.
Ref Interpreter::names_method(const Ref& names, const std::string& name, const Arguments& arguments, const Node& node) {
  if (name == "get" && arguments.positional.size() == 1) {
    return item_of(names, arguments.positional.front(), node);
  }
  if (name == "update" && arguments.positional.empty() && !arguments.open_named) {
    for (std::size_t at = 0; at < arguments.named.size(); ++at)
      heap_.bind(module_, arguments.names[at].value, arguments.named[at]);
    return scalar(node.span, std::monostate());
  }
  lost_ = true;
  auto callee = std::make_shared<Value>();
  callee->path = "." + name;
  return call_unknown(callee, arguments, node);
}

// Methods of objects that are known by their class.
Ref Interpreter::file_method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node) {
  const bool plain = arguments.positional.empty() && !arguments.is_open();
  if (Ref out = is_model(*object) ? model_method(object, name, arguments, node.span) : nullptr) return out;
  if (object->path == "open" && !object->escaped) {
    const Ref mode = object->items.size() - object->names.size() > 1 ? object->items[1] : object->argument("mode");
    const bool reads =
        mode == nullptr || (mode->string() != nullptr && (*mode->string() == "r" || *mode->string() == "rt"));
    const bool known =
        name == "read" && plain && reads && object->items.size() > object->names.size() && arguments.named.empty();
    // A second `read` returns the rest, which is empty.
    if (known && !object->open) {
      Ref out = read_file(object->items.front(), node);
      heap_.open(object, node.span, "the file is read");
      return out;
    }
    return depends(node.span, {object}, "the content of a file is unknown");
  }
  if (object->path == "pathlib.Path") {
    if (name == "read_text" && plain) return read_file(object, node);
    writes_ = writes_ || name.starts_with("write_") || name == "unlink" || name == "rename" || name == "replace" ||
              name == "open";
    const auto path = path_of(*object);
    if (path && plain && (name == "as_posix" || name == "__str__")) return path_string(path->first, path->second, node);
    if (path && plain && path->first && (name == "resolve" || name == "absolute")) return object;
    const std::string* other = arguments.positional.size() == 1 && arguments.positional.front()->is_whole()
                                   ? arguments.positional.front()->string()
                                   : nullptr;
    if (path && name == "with_name" && other != nullptr && other->find('/') == std::string::npos) {
      const std::size_t slash = path->second.rfind('/');
      return path_object(path->first, slash == std::string::npos ? *other : path->second.substr(0, slash + 1) + *other,
                         node);
    }
    if (path && name == "joinpath") {
      Arguments all = arguments;
      all.positional.insert(all.positional.begin(), object);
      if (Ref out = path_call("pathlib.Path", all, node)) return out;
    }
    return depends(node.span, {object}, fmt::format("it depends on `.{}(...)`", name));
  }
  if (object->path == "argparse.ArgumentParser" && !object->escaped) {
    if (name == "add_argument") return add_option(object, arguments, node);
    if (name == "add_argument_group" || name == "add_mutually_exclusive_group") return object;
    const Ref first = arguments.positional.empty() ? arguments.named_argument("args") : arguments.positional.front();
    const bool none =
        first == nullptr || (first->kind == Kind::scalar && std::holds_alternative<std::monostate>(first->data));
    if (name == "parse_args" && none && arguments.positional.size() < 2 && !arguments.is_open())
      return parsed_options(object, node);
    if (name == "parse_known_args" && none && arguments.positional.size() < 2 && !arguments.is_open()) {
      const Ref rest = unknown(node.span, "it depends on the command line");
      return made(container(Kind::tuple, node.span, {parsed_options(object, node), rest}));
    }
    if (name == "error" || name == "exit") raised_ = true;
    if (name == "set_defaults" && arguments.positional.empty() && !arguments.open_named && heap_.change(object)) {
      for (std::size_t at = 0; at < arguments.named.size(); ++at)
        set_argument(*object, "option:" + arguments.names[at].value, node.span, arguments.named[at]);
      return scalar(node.span, std::monostate());
    }
  }
  if (object->imported && library_.keeps_arguments(object->path) && !object->escaped && !arguments.is_open()) {
    static constexpr std::string_view kPure[] = {"model_dump", "model_dump_json", "dict", "json"};
    if (base::contains(kPure, name))
      return depends(node.span, {object}, fmt::format("`.{}(...)` is not evaluated", name));
    const Ref changes = arguments.named_argument("update");
    const bool copies =
        name == "model_copy" && arguments.positional.empty() && (changes == nullptr || is_closed_mapping(*changes));
    const Ref deep = arguments.named_argument("deep");
    const bool is_deep = deep != nullptr && truth(deep) == std::optional(true);
    const Ref out = !copies ? nullptr : is_deep ? copy(object, budget_, 20'000, heap_.tick()) : duplicate(object);
    for (std::size_t at = 0; out != nullptr && changes != nullptr && at + 1 < changes->items.size(); at += 2) {
      const std::string* key = changes->items[at]->string();
      if (key != nullptr) set_argument(*out, *key, changes->items[at]->span, changes->items[at + 1]);
    }
    if (out != nullptr) return out;
  }
  if (object->path.starts_with("logging.")) {
    ++risks_;
    return scalar(node.span, std::monostate());
  }
  auto callee = std::make_shared<Value>();
  callee->kind = Kind::unknown;
  callee->span = node.span;
  callee->path = "." + name;
  callee->text = object->text;
  callee->why = object->why;
  escape(object, node.span, "a method of it is called");
  return call_unknown(callee, arguments, node);
}

static std::string name_of_option(std::string flag) {
  flag.erase(0, flag.find_first_not_of('-'));
  std::ranges::replace(flag, '-', '_');
  return flag;
}

// Marks a default, and the values in it.
static void assume(Ref& value, const std::string& option, int depth) {
  constexpr int kMaxDepth = 8;
  if (value->kind == Kind::scalar) value = std::make_shared<Value>(*value);  // copies share their scalars
  if (value->assumed.empty()) value->assumed = option;
  if (depth == kMaxDepth) return;
  for (Ref& item : value->items) {
    if (item != nullptr) assume(item, option, depth + 1);
  }
}

// `ArgumentParser.add_argument`: records the default of the option.
Ref Interpreter::add_option(const Ref& parser, const Arguments& arguments, const Node& node) {
  std::string flag;
  bool known = !arguments.is_open() && !arguments.positional.empty();
  for (const Ref& value : arguments.positional) {
    const std::string* text = value->is_whole() ? value->string() : nullptr;
    known = known && text != nullptr;
    if (text != nullptr && (flag.empty() || (text->starts_with("--") && !flag.starts_with("--")))) flag = *text;
  }
  const auto string_of = [&](std::string_view name) {
    const Ref value = arguments.named_argument(name);
    return value == nullptr || value->string() == nullptr ? std::string() : *value->string();
  };
  const Ref dest = arguments.named_argument("dest");
  const std::string action = string_of("action");
  const Ref action_value = arguments.named_argument("action");
  if (!known || (dest != nullptr && dest->string() == nullptr)) {
    if (heap_.change(parser)) {
      parser->open = true;
      parser->why = node.span;
      parser->text = "an option is not known";
    }
    return opaque(node.span, "an option is not known");
  }
  if (action == "help" || action == "version") return scalar(node.span, std::monostate());
  const std::string name = dest != nullptr ? *dest->string() : flag.starts_with("-") ? name_of_option(flag) : flag;
  // The first option of a name sets its default.
  const bool is_first = parser->argument("action:" + name) == nullptr;
  const Ref given = is_first ? arguments.named_argument("default") : nullptr;
  const Ref fallback = given != nullptr ? given : parser->argument("option:" + name);
  const Ref required = arguments.named_argument("required");
  const std::string count = string_of("nargs");
  const bool optional = flag.starts_with("-") ? required == nullptr || truth(required) == std::optional(false)
                                              : count == "?" || count == "*";
  const Ref type = arguments.named_argument("type");
  const bool converts = fallback != nullptr && fallback->string() != nullptr && type != nullptr && type->path != "str";
  const bool modeled =
      action.empty() ? action_value == nullptr || action_value->path == "argparse.BooleanOptionalAction"
                     : action == "store" || action == "store_true" || action == "store_false" || action == "append" ||
                           action == "count" || action == "store_const" || action == "extend";
  const Ref copied = fallback == nullptr ? nullptr : copy(fallback, budget_, 1'000, heap_.tick());
  Ref value = copied != nullptr         ? copied
              : action == "store_true"  ? scalar(node.span, false)
              : action == "store_false" ? scalar(node.span, true)
                                        : scalar(node.span, std::monostate());
  const bool readable = fallback == nullptr || (copied != nullptr && !fallback->open && !fallback->escaped);
  if (!optional || converts || !modeled || !readable ||
      (!flag.starts_with("-") && fallback == nullptr && count == "*")) {
    value = unknown(node.span, fmt::format("it depends on the option `{}`", flag));
  } else {
    assume(value, flag, 0);
  }
  if (value->string() != nullptr && value->pieces.empty()) value->pieces.push_back({0, value->span, false, false});
  if (heap_.change(parser)) {
    set_argument(*parser, "option:" + name, node.span, value);
    set_argument(*parser, "action:" + name, node.span, scalar(node.span, true));
  }
  return scalar(node.span, std::monostate());
}

Ref Interpreter::parsed_options(const Ref& parser, const Node& node) {
  const Ref out = made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->path = "namespace";
  out->span = node.span;
  out->text = "it depends on the command line";
  out->why = node.span;
  const std::size_t positional = parser->items.size() - parser->names.size();
  for (std::size_t at = 0; at < parser->names.size(); ++at) {
    constexpr std::string_view kOption = "option:";
    const std::string& name = parser->names[at].value;
    if (name.starts_with(kOption))
      set_argument(*out, name.substr(kOption.size()), parser->names[at].span, parser->items[positional + at]);
  }
  ++risks_;
  return out;
}

// Returns null for a function that is not modeled.
Ref Interpreter::library_call(const std::string& path, const Arguments& arguments, const Node& node) {
  const std::vector<Ref>& all = arguments.positional;
  const bool one = all.size() == 1 && arguments.named.empty() && !arguments.is_open();
  if (path == "copy.deepcopy" && one) {
    if (all[0]->kind == Kind::unknown || all[0]->open || all[0]->escaped || runs_code(all[0])) {
      Ref out = selects(node.span, {all[0]}, "the copied object is unknown");
      out->items = {all[0]};
      return out;
    }
    const Ref out = copy(all[0], budget_, 20'000, heap_.tick());
    if (out == nullptr || !budget_.allocate(sizeof(Value))) {
      limit(node.span);
      return unknown(node.span, "the copied object is too large");
    }
    out->span = all[0]->span;
    return out;
  }
  if (path == "copy.copy" && one && all[0]->kind != Kind::unknown && all[0]->kind != Kind::instance) {
    if (all[0]->escaped) return depends(node.span, {all[0]});
    const Ref out = is_mutable(*all[0]) ? duplicate(all[0]) : all[0];
    if (out->kind == Kind::dictionary) out->path.clear();
    return out;
  }
  if (path == "functools.partial" && !all.empty() && !arguments.is_open()) {
    const Ref out = made(std::make_shared<Value>());
    out->kind = Kind::partial;
    out->span = node.span;
    out->items = arguments.all();
    out->names = arguments.names;
    for (const Ref& value : out->items) keep(value);
    return out;
  }
  if (path == "json.loads" && one) return json_loads(all[0], node);
  if (path == "json.dumps" && !arguments.is_open()) return json_dumps(arguments, node);
  if (path == "json.load" && one && all[0]->path == "open")
    return json_loads(file_method(all[0], "read", {}, node), node);
  const Ref loader = arguments.named_argument("Loader");
  const bool yaml =
      path == "yaml.safe_load" || (path == "yaml.load" && all.size() == 1 && loader != nullptr &&
                                   (loader->path == "yaml.SafeLoader" || loader->path == "yaml.CSafeLoader" ||
                                    loader->path == "yaml.FullLoader" || loader->path == "yaml.Loader"));
  if (yaml && !all.empty())
    return read_yaml(all[0]->path == "open" ? file_method(all[0], "read", {}, node) : all[0], node);
  if ((path == "yaml.safe_dump" || path == "yaml.dump") && all.size() == 1) {
    const auto text = json_of(*all[0], -1);
    if (!text || !budget_.allocate(text->size())) return depends(node.span, all, "a part of the text is unknown");
    // JSON is YAML with the same values, but PyYAML writes other text.
    Ref out = scalar(node.span, *text + "\n");
    out->pieces = {{0, node.span, false, true}};
    return out;
  }
  if ((path == "textwrap.dedent" || path == "inspect.cleandoc") && one && all[0]->string() != nullptr &&
      all[0]->path.empty()) {
    if (path == "textwrap.dedent") return dedent(all[0], node);
    return depends(node.span, all);
  }
  if (path == "types.SimpleNamespace" && all.empty() && !arguments.open_named) {
    const Ref out = made(std::make_shared<Value>());
    out->kind = Kind::object;
    out->path = "namespace";
    out->span = node.span;
    out->items = arguments.named;
    out->names = arguments.names;
    return out;
  }
  if (path == "collections.OrderedDict") return dictionary_of(arguments, node);
  if (path == "itertools.chain") {
    std::vector<Ref> items;
    for (const Ref& value : all) {
      const auto part = elements(value, node.span);
      if (!part) return nullptr;
      items.insert(items.end(), part->begin(), part->end());
    }
    return arguments.is_open() ? nullptr : list_like(Kind::list, std::move(items), node, "generator");
  }
  if (path == "dataclasses.field" || path == "functools.wraps") {
    auto callee = std::make_shared<Value>();
    callee->kind = Kind::name;
    callee->path = path;
    callee->imported = true;
    return object_of(callee, arguments, node);
  }
  if (path == "dataclasses.asdict" && one && all[0]->kind == Kind::instance && !all[0]->open && !all[0]->escaped) {
    const Ref out = made(container(Kind::dictionary, node.span));
    for (std::size_t at = 0; at < all[0]->names.size(); ++at) {
      const Ref value = copy(all[0]->items[at], budget_, 20'000, heap_.tick());
      if (value == nullptr || value->kind == Kind::instance) return nullptr;
      put(*out, scalar(node.span, all[0]->names[at].value), value);
    }
    return out;
  }
  static constexpr std::string_view kOfParser[] = {"description",     "prog",     "epilog",      "usage",
                                                   "formatter_class", "add_help", "allow_abbrev"};
  const auto is_plain = [&](const auto& option) { return base::contains(kOfParser, option.value); };
  if (path == "argparse.ArgumentParser") {
    if (arguments.is_open() || all.size() > 1 || !std::ranges::all_of(arguments.names, is_plain)) {
      for (const Ref& value : arguments.all()) escape(value, node.span, "the parser changes it");
      return depends(node.span, {}, "the arguments of the parser are not known");
    }
    auto callee = std::make_shared<Value>();
    callee->kind = Kind::name;
    callee->path = path;
    callee->imported = true;
    callee->span = node.span;
    const Ref out = object_of(callee, {}, node);
    out->text.clear();
    return out;
  }
  static constexpr std::string_view kSilent[] = {"pprint.pprint", "warnings.warn",  "warnings.filterwarnings",
                                                 "time.sleep",    "time.time",      "os.makedirs",
                                                 "os.getenv",     "os.environ.get", "typing.cast"};
  if (base::contains(kSilent, path) || path.starts_with("logging.")) {
    if (path == "logging.getLogger") return nullptr;
    if (path == "typing.cast" && all.size() == 2) return all[1];
    return depends(node.span, {}, fmt::format("it depends on `{}(...)`", path));
  }
  return path_call(path, arguments, node);
}

Interpreter::Interpreter(std::string_view text, const Library& library)
    : text_(text),
      library_(library),
      budget_({.steps = limits::kMaxScriptSteps, .bytes = limits::kMaxScriptBytes, .depth = limits::kMaxScriptNesting}),
      heap_(budget_),
      module_(heap_.new_scope()),
      scope_(module_) {}

Trace Interpreter::run(std::span<const python::Script> scripts) {
  for (const python::Script& script : scripts) {
    if (!script.too_deep.empty()) {
      trace_.limited = script.too_deep;
      trace_.limit = "the script is nested too deeply to follow";
    }
    if (!script.too_long.empty()) {
      trace_.limited = script.too_long;
      trace_.limit = "the script is too long to follow from here on";
    }
    block(script.statements);
    raised_ = false;
  }
  trace_.reached = trace_.objects.size();
  follow_uncalled();
  if (budget_.exceeded() != base::Budget::Limit::none) {
    limit({});
    give_up();
  }
  break_cycles(heap_.scopes(), heap_.changed(), trace_);
  return std::move(trace_);
}

Trace follow(const Source& source, const Library& library) {
  return Interpreter(source.text, library).run(source.scripts);
}

}  // namespace sparsecfg::script
