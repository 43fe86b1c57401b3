#include "cmd/reading.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "source/parameters.h"

namespace sparsecfg::cmd {

using Json = nlohmann::ordered_json;
using source::Value;

void complain(std::ostream& err, const std::string& what, const std::string& why) {
  err << "sparsecfg: " << base::printable(what) << ": " << why << '\n';
}

static Value to_value(const Json& json) {
  if (json.is_boolean()) return {json.get<bool>(), {}};
  if (json.is_number_integer()) return {json.get<std::int64_t>(), {}};
  if (json.is_number()) return {json.get<double>(), {}};
  if (json.is_string()) return {json.get<std::string>(), {}};
  if (json.is_array()) {
    source::List list;
    for (const Json& item : json) list.push_back(to_value(item));
    return {std::move(list), {}};
  }
  if (json.is_object()) {
    source::Map map;
    for (const auto& [key, item] : json.items()) map.emplace_back(Value{key, {}}, to_value(item));
    return {std::move(map), {}};
  }
  return {};
}

// A value is JSON if it can be, and a text otherwise: `n=3` is an int, `n=3.0` a float.
static std::optional<std::pair<std::string, Value>> read_assignment(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    return std::nullopt;
  }
  const std::string text = assignment.substr(equals + 1);
  const Json json = Json::parse(text, nullptr, false);
  return std::pair(assignment.substr(0, equals), json.is_discarded() ? Value{text, {}} : to_value(json));
}

// Takes what was read; false where nothing was, and `err` then says why.
template <class T>
static bool take(std::variant<T, source::LoadError> read, const std::string& path, T& out, std::ostream& err) {
  if (const auto* failure = std::get_if<source::LoadError>(&read)) {
    complain(err, path, failure->reason);
    return false;
  }
  out = std::get<T>(std::move(read));
  return true;
}

static bool read_names(const ReadingOptions& options, Prepared& prepared, std::ostream& err) {
  if (!options.parameters.empty()) {
    source::Parameters parameters;
    if (!take(source::load_parameters(options.parameters), options.parameters, parameters, err)) return false;
    prepared.parameters = std::make_unique<ir::ModelNames>(std::move(parameters));
    prepared.compile.parameters = prepared.parameters.get();
  }
  if (!options.modules.empty()) {
    std::vector<source::Module> modules;
    if (!take(source::load_modules(options.modules), options.modules, modules, err)) return false;
    prepared.modules = std::make_unique<ir::ModelNames>(modules);
    prepared.compile.modules = prepared.modules.get();
    prepared.compile.read.modules = std::make_shared<const std::vector<source::Module>>(std::move(modules));
  }
  return true;
}

std::optional<Prepared> prepare(const ReadingOptions& options, std::ostream& err) {
  Prepared prepared;
  prepared.compile.from = options.from;
  prepared.compile.limits = options.limits;
  prepared.compile.read.framework = options.framework;
  prepared.compile.read.nni = options.nni;
  prepared.compile.read.epochs = options.epochs;
  prepared.compile.read.steps_per_epoch = options.steps_per_epoch;
  for (const std::string& assignment : options.set) {
    auto read = read_assignment(assignment);
    if (!read) {
      complain(err, "--set " + assignment, "write NAME=VALUE");
      return std::nullopt;
    }
    prepared.compile.read.variables.push_back(std::move(*read));
  }
  if (!read_names(options, prepared, err)) {
    return std::nullopt;
  }
  return prepared;
}

const std::string& name_of(const std::string& path, const ReadingOptions& options) {
  return path == "-" ? options.stdin_filename : path;
}

source::Loaded load(const std::string& path, const doc::Limits& limits, std::istream& in) {
  return path == "-" ? source::read_stdin(in, limits.bytes) : source::read_file(path, limits.bytes);
}

std::optional<Compilation> compile_file(const std::string& path, const ReadingOptions& options,
                                        const CompileOptions& compile_options, const Streams& streams) {
  source::Loaded text = load(path, options.limits, streams.in);
  const auto* failure = std::get_if<source::LoadError>(&text);
  if (failure != nullptr && !failure->too_large) {
    complain(streams.err, path, failure->reason);
    return std::nullopt;
  }
  return compile(name_of(path, options), std::move(text), compile_options);
}

}  // namespace sparsecfg::cmd
