#include "script/library/paths.h"

#include <algorithm>
#include <vector>

#include "script/interpreter.h"
#include "script/library/files.h"
#include "script/library/tables.h"

// Paths: `pathlib.Path` and `os.path`.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

std::optional<PathText> path_of(Interpreter& in, const Value& value) {
  const bool object = value.role == Role::path && value.items.size() == 1 && value.names.empty() && !value.escaped;
  const Value& text = object ? *value.items.front() : value;
  if (text.string() == nullptr || !in.reads(text.string()->size())) return std::nullopt;
  if (text.role == Role::here) return PathText{true, *text.string()};
  return types_of(text) == types::text ? std::optional(PathText{false, *text.string()}) : std::nullopt;
}

Ref path_string(Interpreter& in, PathText path, const python::Node& node) {
  Ref out = in.new_text(node.span, std::move(path.text));
  if (path.here && out->string() != nullptr) {
    out->role = Role::here;
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

static Ref path_object(Interpreter& in, PathText path, const python::Node& node) {
  if (path.here && path.text == ".") path.text.clear();
  const Ref out = in.made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::path;
  out->imported = true;
  out->path = "pathlib.Path";
  out->span = node.span;
  out->name_span = node.span;
  out->items.push_back(path_string(in, std::move(path), node));
  return out->items.front()->string() == nullptr ? out->items.front() : out;
}

static PathText joined(const PathText& one, const PathText& other) {
  if (other.here || other.text.starts_with('/')) return other;
  const bool adds_slash = !one.text.empty() && !one.text.ends_with('/');
  return {one.here, one.text + (adds_slash ? "/" : "") + other.text};
}

// Joins the arguments; nullopt if one is unknown.
static std::optional<PathText> joined_arguments(Interpreter& in, const std::vector<Ref>& parts) {
  std::optional<PathText> out;
  for (const Ref& value : parts) {
    const auto part = path_of(in, *value);
    if (!part || !in.builds(part->text.size())) return std::nullopt;
    out = out ? joined(*out, *part) : *part;
  }
  return out;
}

static Ref inherit_all(Interpreter& in, Ref out, const std::vector<Ref>& from) {
  for (const Ref& value : from) out = in.inherit(out, {value});
  return out;
}

static Ref new_path(Interpreter& in, const std::vector<Ref>& parts, const python::Node& node) {
  auto path = joined_arguments(in, parts);
  if (!path) return nullptr;
  if (!path->here || !path->text.empty()) path->text = normalized(path->text);
  return inherit_all(in, path_object(in, std::move(*path), node), parts);
}

Ref joined_path(Interpreter& in, const Ref& left, const Ref& right, const python::Node& node) {
  return new_path(in, {left, right}, node);
}

// The folder, the name and the ending of a path.
struct PathParts {
  std::optional<std::string> folder;  // nullopt if there is no slash
  std::string name;
  std::size_t suffix;  // the place of the ending in the name, or its length
};

static PathParts parts_of(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  PathParts out;
  if (slash != std::string::npos) out.folder = text.substr(0, slash);
  out.name = slash == std::string::npos ? text : text.substr(slash + 1);
  const std::size_t point = out.name.rfind('.');
  const bool ends = point != std::string::npos && point > 0 && point + 1 < out.name.size();
  out.suffix = ends ? point : out.name.size();
  return out;
}

static Ref parent_of(Interpreter& in, const PathText& path, const python::Node& node) {
  if (path.here && path.text.empty()) return in.opaque(node.span, "the folder is unknown");
  const auto folder = parts_of(path.text).folder;
  if (path.here) return path_object(in, {true, folder.value_or("")}, node);
  return path_object(in, {false, !folder ? "." : folder->empty() ? "/" : *folder}, node);
}

Ref path_attribute(Interpreter& in, const Value& object, std::string_view name, const python::Node& node) {
  struct Row {
    std::string_view name;
    std::string (*part)(const PathParts& parts);
  };

  static constexpr Row kRows[] = {
      {"name", [](const PathParts& parts) { return parts.name; }},
      {"stem", [](const PathParts& parts) { return parts.name.substr(0, parts.suffix); }},
      {"suffix", [](const PathParts& parts) { return parts.name.substr(parts.suffix); }},
  };
  constexpr std::string_view kParent = "parent";
  const auto path = path_of(in, object);
  if (!path) return nullptr;
  if (name == kParent) return parent_of(in, *path, node);
  const bool unnamed = path->here && (path->text.empty() || path->text == kFileName);
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  return row == std::end(kRows) || unnamed ? nullptr : in.new_text(node.span, row->part(parts_of(path->text)));
}

static Ref make_path(const Call& call) { return new_path(call.interpreter, call.rest, call.node); }

static Ref join_strings(const Call& call) {
  auto path = joined_arguments(call.interpreter, call.rest);
  if (!path) return nullptr;
  return inherit_all(call.interpreter, path_string(call.interpreter, std::move(*path), call.node), call.rest);
}

static std::string folder_name(const std::string& text) {
  const std::string folder = parts_of(text).folder.value_or("");
  const std::size_t last = folder.find_last_not_of('/');
  const bool is_root = text.find('/') != std::string::npos && last == std::string::npos;
  return is_root ? text.substr(0, text.rfind('/') + 1) : folder.substr(0, last + 1);
}

static Ref folder_of(const Call& call) {
  Interpreter& in = call.interpreter;
  const auto path = path_of(in, *call.values[0]);
  if (!path) return nullptr;
  const bool top = path->here && path->text.find('/') == std::string::npos;
  if (top && path->text.empty()) return nullptr;
  return path_string(in, {path->here, top ? "" : folder_name(path->text)}, call.node);
}

static Ref base_name(const Call& call) {
  const auto path = path_of(call.interpreter, *call.values[0]);
  return path && !path->here ? path_string(call.interpreter, {false, parts_of(path->text).name}, call.node) : nullptr;
}

// The absolute path is known only relative to the script.
static Ref same_path(const Call& call) {
  auto path = path_of(call.interpreter, *call.values[0]);
  return path && path->here ? path_string(call.interpreter, std::move(*path), call.node) : nullptr;
}

static Ref read_text(const Call& call) { return read_file(call.interpreter, call.self, call.node); }

static Ref to_string(const Call& call) {
  auto path = path_of(call.interpreter, *call.self);
  return path ? path_string(call.interpreter, std::move(*path), call.node) : nullptr;
}

static Ref resolve(const Call& call) {
  const auto path = path_of(call.interpreter, *call.self);
  return path && path->here ? call.self : nullptr;
}

static Ref with_name(const Call& call) {
  const auto path = path_of(call.interpreter, *call.self);
  if (!path || call.text(0).find('/') != std::string::npos) return nullptr;
  const auto folder = parts_of(path->text).folder;
  return path_object(call.interpreter, {path->here, folder ? *folder + "/" + call.text(0) : call.text(0)}, call.node);
}

static Ref join_path(const Call& call) {
  std::vector<Ref> parts{call.self};
  parts.insert(parts.end(), call.rest.begin(), call.rest.end());
  return new_path(call.interpreter, parts, call.node);
}

static Ref write_path(const Call& call) {
  call.interpreter.write_files();
  return nullptr;
}

std::span<const Operation> path_methods() {
  using enum Parameter::Presence;
  const Parameter anything{"", types::any, rest};
  const Parameter options{"", types::any, mapping};
  static const std::vector<Operation> rows = {
      {"read_text", {options}, Cost::constant, &read_text},
      {"as_posix", {}, Cost::constant, &to_string},
      {"__str__", {}, Cost::constant, &to_string},
      {"resolve", {options}, Cost::constant, &resolve},
      {"absolute", {}, Cost::constant, &resolve},
      {"with_name", {{"", types::text}}, Cost::constant, &with_name},
      {"joinpath", {anything}, Cost::constant, &join_path},
      {"write_text", {anything, options}, Cost::constant, &write_path, traits::open},
      {"write_bytes", {anything, options}, Cost::constant, &write_path, traits::open},
      {"unlink", {anything, options}, Cost::constant, &write_path, traits::open},
      {"rename", {anything, options}, Cost::constant, &write_path, traits::open},
      {"replace", {anything, options}, Cost::constant, &write_path, traits::open},
      {"open", {anything, options}, Cost::constant, &write_path, traits::open},
  };
  return rows;
}

std::span<const Operation> path_functions() {
  using enum Parameter::Presence;
  const Parameter path{"path", types::any};
  const Parameter parts{"", types::any, rest};
  static const std::vector<Operation> rows = {
      {"pathlib.Path", {parts}, Cost::constant, &make_path, traits::escapes},
      {"pathlib.PurePath", {parts}, Cost::constant, &make_path, traits::escapes},
      {"pathlib.PosixPath", {parts}, Cost::constant, &make_path, traits::escapes},
      {"os.path.join", {parts}, Cost::constant, &join_strings},
      {"os.path.dirname", {path}, Cost::constant, &folder_of},
      {"os.path.basename", {path}, Cost::constant, &base_name},
      {"os.path.abspath", {path}, Cost::constant, &same_path},
      {"os.path.realpath", {path}, Cost::constant, &same_path},
      {"os.path.normpath", {path}, Cost::constant, &same_path},
  };
  return rows;
}

}  // namespace sparsecfg::script
