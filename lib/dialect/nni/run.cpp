#include "dialect/nni/read.h"
#include "dialect/record/field_names.h"

// Settings of the run.
namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

static void reject(Configuration& configuration, diag::Sink& sink, const Value& value, std::string_view what,
                   std::string_view wanted) {
  sink.report(diag::wrong_type, value.span, what, wanted, source::describe(value));
  configuration.valid = false;
}

static void read_argument(const source::Entry& argument, Configuration& configuration, diag::Sink& sink) {
  const std::string name = name_of(argument);
  if (name != "max_steps" && name != "max_epochs") {
    FieldNames(sink).report_unknown(
        {argument.first.span, name, "`compress`", {"max_steps", "max_epochs"}, "write `max_steps` or `max_epochs`"});
    configuration.valid = false;
  } else if (!argument.second.is_null() && !argument.second.number()) {
    reject(configuration, sink, argument.second, name, "a number");
  } else if (!argument.second.is_null()) {
    (name == "max_steps" ? configuration.max_steps : configuration.max_epochs) = argument;
  }
}

static void read_length(const Map& root, Configuration& configuration, diag::Sink& sink) {
  const Value* compress = find_value(root, "compress");
  const auto* arguments = compress == nullptr ? nullptr : compress->get<Map>();
  if (compress != nullptr && arguments == nullptr && !compress->is_null()) {
    reject(configuration, sink, *compress, "compress", "a mapping with `max_steps` or `max_epochs`");
  }
  for (const source::Entry& argument : arguments == nullptr ? Map() : *arguments) {
    read_argument(argument, configuration, sink);
  }
}

static void read_steps(const Map& root, Configuration& configuration, diag::Sink& sink) {
  const Value* evaluator = find_value(root, "evaluator");
  const auto* given = evaluator == nullptr ? nullptr : evaluator->get<Map>();
  const Value* steps = given == nullptr ? nullptr : find_value(*given, "steps_per_epoch");
  if (const auto* count = steps == nullptr ? nullptr : steps->get<std::int64_t>(); count != nullptr && *count > 0) {
    configuration.steps_per_epoch = static_cast<std::size_t>(*count);
  } else if (steps != nullptr) {
    reject(configuration, sink, *steps, "steps_per_epoch", "an int above 0");
  }
}

static void read_registered(const Map& root, Configuration& configuration, diag::Sink& sink) {
  const Value* given = find_value(root, "register");
  const auto* types = given == nullptr ? nullptr : given->get<Map>();
  for (const source::Entry& type : types == nullptr ? Map() : *types) {
    if (const auto* targets = type.second.get<Map>()) {
      configuration.registered[name_of(type)] = *targets;
    } else {
      reject(configuration, sink, type.second, name_of(type), "a mapping from targets to settings");
    }
  }
}

void read_run(const Map& root, Configuration& configuration, diag::Sink& sink) {
  read_length(root, configuration, sink);
  read_steps(root, configuration, sink);
  read_registered(root, configuration, sink);
}

}  // namespace sparsecfg::dialect::nni
