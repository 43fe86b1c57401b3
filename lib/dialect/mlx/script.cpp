#include "dialect/mlx/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/mlx/codes.h"
#include "dialect/mlx/conversion.h"
#include "dialect/mlx/programs.h"
#include "dialect/quantizers/arity.h"
#include "dialect/quantizers/calls.h"
#include "dialect/quantizers/program.h"

namespace sparsecfg::dialect::mlx {

using python::Node;
using python::Parameter;
using python::Statement;

DIAGNOSTIC(MX120, mlx_predicate_parameters, error, (Text, std::uint64_t), "`{}` needs {} arguments, but gets 2",
           "mlx-lm calls the function with the path of a module and the module. Until 0.28.0, it also passed the "
           "configuration. Another number of parameters raises a TypeError at the first module.",
           "write `def {0}(path, module):`")

DIAGNOSTIC(
    MX121, mlx_predicate_group, warning, (Text, std::int64_t, std::int64_t), "`{}` gives groups of {}, not of {}",
    "A mapping that the function returns replaces the values of the call. Keys that it lacks have the defaults of the "
    "mode `affine`: groups of 64 and 4 bits.",
    "add `\"group_size\": {2}`")

// --- the calls --------------------------------------------------------------------------------------

constexpr std::string_view kConvertParameters[] = {"hf_path",  "mlx_path",   "quantize",        "q_group_size",
                                                   "q_bits",   "q_mode",     "dtype",           "upload_repo",
                                                   "revision", "dequantize", "quant_predicate", "trust_remote_code"};
constexpr std::string_view kVisionConvertParameters[] = {
    "hf_path",     "mlx_path",     "quantize",    "q_group_size",      "q_bits",
    "q_mode",      "quant_method", "calibration", "calibration_data",  "dtype",
    "upload_repo", "revision",     "dequantize",  "trust_remote_code", "quant_predicate"};
constexpr std::string_view kQuantizeParameters[] = {"model", "group_size", "bits"};

// A function, and the name of its program in a document.
struct Row {
  quantizers::Callable call;
  std::string_view program;
};

constexpr Row kRows[] = {{{"convert", "mlx_lm.", kConvertParameters}, "mlx_lm.convert"},
                         {{"convert", "mlx_vlm.", kVisionConvertParameters}, "mlx_vlm.convert"},
                         {{"quantize", "mlx.nn.", kQuantizeParameters}, "mlx.nn.quantize"}};

// Other libraries have functions of the same names, so the import counts.
static const Row* row_of(const script::Value& object) {
  if (object.kind != script::Value::Kind::object || !object.imported) return nullptr;
  const auto* found = std::ranges::find_if(kRows, [&](const Row& row) {
    return object.path.starts_with(row.call.package) && base::last_part(object.path) == row.call.name;
  });
  return found == std::end(kRows) ? nullptr : found;
}

static bool makes(const script::Value& object) { return row_of(object) != nullptr; }

static script::Ref plain(const script::Value& /*value*/) { return nullptr; }

static bool keeps_arguments(std::string_view path) {
  return path.starts_with("mlx_lm.") || path.starts_with("mlx_vlm.") || path.starts_with("mlx.");
}

static doc::Document document(const std::vector<script::Ref>& elements, source::Span root, base::Budget& budget) {
  const script::Value& call = *elements.front();
  const Row& row = *row_of(call);
  return quantizers::document_of({row.program, row.call.package, row.call.positional}, call, plain, root, budget);
}

// --- functions of the script ------------------------------------------------------------------------

// Returns the value of a key of a mapping literal, or null. Sets `open` if another key is not a literal.
static const Node* value_of_key(const Node& mapping, std::string_view key, bool& open) {
  const Node* out = nullptr;
  for (std::size_t at = 0; at + 1 < mapping.parts.size(); at += 2) {
    const Node& name = mapping.parts[at];
    open = open || name.kind != Node::Kind::string;
    if (name.kind == Node::Kind::string && name.text == key) out = &mapping.parts[at + 1];
  }
  return out;
}

// Adds the mappings that a function returns and that have bits of the mode `affine`, but no group size.
static void add_ungrouped(const Node& node, std::vector<const Node*>& out) {
  if (node.kind == Node::Kind::conditional && node.parts.size() == 3) {
    add_ungrouped(node.parts[0], out);
    add_ungrouped(node.parts[2], out);
  }
  if (node.kind != Node::Kind::dictionary || node.parts.empty()) return;
  bool open = false;
  const bool given = value_of_key(node, "group_size", open) != nullptr;
  const bool mode = value_of_key(node, "mode", open) != nullptr;
  if (!given && !mode && !open) out.push_back(&node);
}

static void add_ungrouped(const python::Statement& statement, std::vector<const Node*>& out, int depth = 0) {
  constexpr int kMostLevels = 50;
  if (depth > kMostLevels) return;
  if (statement.kind == Statement::Kind::result) add_ungrouped(statement.value, out);
  const auto add_all = [&](const auto& list) {
    for (const Statement& each : list) {
      if (each.kind != Statement::Kind::function) add_ungrouped(each, out, depth + 1);
    }
  };
  add_all(statement.body);
  add_all(statement.otherwise);
}

// Checks the function that decides about each module.
class PredicateCheck {
 public:
  PredicateCheck(const script::Value& function, diag::Sink& sink)
      : function_(*function.function), sink_(sink), use_(function.span) {}

  // `size`: the group size of the call, or null.
  void run(const script::Ref& size) {
    const quantizers::Arity arity = quantizers::arity_of(function_);
    if (!arity.accepts(2) && !arity.named) return report_parameters(arity.required);
    const auto* number = size == nullptr ? nullptr : std::get_if<std::int64_t>(&size->data);
    const bool known = number != nullptr && size->kind == script::Value::Kind::scalar;
    if (!known || *number == 0 || *number == find_mode(kAffine)->group_size) return;
    report_groups(*number);
  }

 private:
  [[nodiscard]] std::string name() const { return function_.text.empty() ? "lambda" : function_.text; }

  void report_parameters(std::uint64_t required) {
    const bool is_lambda = function_.text.empty() || function_.kind != Statement::Kind::function;
    const source::Span place = function_.parameters.empty() ? use_ : span_of_parameters();
    auto& report = sink_.report(diag::mlx_predicate_parameters, place, is_lambda ? "lambda" : name(), required);
    if (is_lambda || name() == "lambda") report.with_help("write `lambda path, module: ...`");
  }

  [[nodiscard]] source::Span span_of_parameters() const {
    const Parameter& first = *function_.parameters.begin();
    source::Span out = first.span;
    for (const Parameter& each : function_.parameters) out.end = std::max(out.end, each.span.end);
    return out;
  }

  void report_groups(std::int64_t own) {
    std::vector<const Node*> found;
    add_ungrouped(function_, found);
    if (found.empty()) return;
    const Node& first = *found.front();
    bool open = false;
    const Node* bits = value_of_key(first, "bits", open);
    const std::string text = bits != nullptr && bits->kind == Node::Kind::number
                                 ? fmt::format("{{\"bits\": {}}}", bits->text)
                                 : std::string("the mapping");
    auto& report = sink_.report(diag::mlx_predicate_group, first.span, text, find_mode(kAffine)->group_size, own);
    if (found.size() > 1) report.with_caret(fmt::format("{} more like this", found.size() - 1));
  }

  const Statement& function_;
  diag::Sink& sink_;
  source::Span use_;
};

// Returns an argument of a call, by name or at its position; null if it is absent.
static script::Ref argument_of(const Row& row, const script::Value& call, std::string_view name) {
  const auto found = std::ranges::find(row.call.positional, name);
  return found == row.call.positional.end()
             ? call.argument(name)
             : call.argument(name, static_cast<std::size_t>(found - row.call.positional.begin()));
}

// Reports a type of MLX, where the function expects its name.
static void check_type(const Row& row, const script::Value& call, diag::Sink& sink) {
  constexpr std::string_view kModule = "mlx.core.";
  const script::Ref type = argument_of(row, call, "dtype");
  const bool is_type =
      type != nullptr && type->kind == script::Value::Kind::name && type->imported && type->path.starts_with(kModule);
  if (!is_type) return;
  const std::string name = type->path.substr(kModule.size());
  auto& report = sink.report(diag::mlx_type_ignored, type->span, fmt::format("`{}`", type->path));
  if (base::contains(kTypeNames, name)) report.with_help(fmt::format("write `dtype=\"{}\"`", name));
}

static void check_script(const script::Trace& trace, const ReadOptions& /*options*/, diag::Sink& sink) {
  for (const script::Ref& call : quantizers::calls_that_run(trace)) {
    const Row* row = row_of(*call);
    if (row == nullptr || call->open || call->possible) continue;
    const bool quantize = row->call.name == "quantize";
    if (!quantize) check_type(*row, *call, sink);
    const script::Ref predicate = argument_of(*row, *call, quantize ? "class_predicate" : "quant_predicate");
    const bool known = predicate != nullptr && predicate->kind == script::Value::Kind::function &&
                       predicate->function != nullptr && predicate->role == script::Value::Role::plain;
    if (!known) continue;
    if (!quantize && !script::is_true(argument_of(*row, *call, "quantize"))) continue;
    PredicateCheck(*predicate, sink).run(argument_of(*row, *call, quantize ? "group_size" : "q_group_size"));
  }
}

// Blocks of shell commands also have the names of the packages.
constexpr std::string_view kObjectWords[] = {"from mlx_lm",    "import mlx_lm",    "mlx_lm.convert(", "from mlx_vlm",
                                             "import mlx_vlm", "mlx_vlm.convert(", "mlx.nn",          "from mlx "};

constexpr ModelCall kModelCalls[] = {
    {"mlx_lm.convert", "mlx_lm", {"hf_path", 0}},   {"convert.convert", "mlx_lm", {"hf_path", 0}},
    {"utils.convert", "mlx_lm", {"hf_path", 0}},    {"mlx_vlm.convert", "mlx_vlm", {"hf_path", 0}},
    {"convert.convert", "mlx_vlm", {"hf_path", 0}}, {"nn.quantize", "mlx", {"model", 0}}};

constinit const Objects kObjects{.words = kObjectWords,
                                 .calls = {},
                                 .makes = makes,
                                 .elements = quantizers::one_element,
                                 .keeps_arguments = keeps_arguments,
                                 .constant = quantizers::no_constant,
                                 .plain = plain,
                                 .document = document,
                                 .check_elements = quantizers::check_no_elements,
                                 .check_script = check_script,
                                 .origins = quantizers::origins_of_actions,
                                 .model_calls = kModelCalls};

}  // namespace sparsecfg::dialect::mlx
