#include "dialect/gguf/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/decided.h"
#include "dialect/gguf/command.h"
#include "dialect/gguf/entries.h"
#include "dialect/gguf/names.h"
#include "dialect/gguf/plan.h"
#include "dialect/gguf/rules.h"
#include "dialect/runtime_option.h"

namespace sparsecfg::dialect::gguf {

// --- the model --------------------------------------------------------------------------------------

// Returns the header of a model of which only names and shapes are known.
static std::optional<model::GgufHeader> header_of(const model::ModelNames& names) {
  auto tensors = tensors_of(names);
  if (!tensors) return std::nullopt;
  model::GgufHeader out;
  out.tensors = *std::move(tensors);
  std::int64_t layers = 0;
  for (const model::GgufTensor& tensor : out.tensors) {
    if (!tensor.name.starts_with("blk.")) continue;
    const std::string number = tensor.name.substr(4, tensor.name.find('.', 4) - 4);
    if (!number.empty() && number.size() < 6 && std::ranges::all_of(number, base::is_digit)) {
      layers = std::max<std::int64_t>(layers, std::stoll(number) + 1);
    }
  }
  out.values.emplace("general.architecture", std::string("unknown"));
  out.values.emplace("unknown.block_count", layers);
  return out;
}

// Returns the tensors that language models usually have, so that the order of entries can be checked without a model.
static model::GgufHeader usual_header() {
  constexpr int kBlocks = 96;
  constexpr std::string_view kInBlock[] = {
      "attn_q",        "attn_k",      "attn_v",        "attn_qkv",       "attn_output",  "attn_q_a",      "attn_q_b",
      "attn_kv_a_mqa", "attn_kv_b",   "ffn_gate",      "ffn_up",         "ffn_down",     "ssm_in",        "ssm_out",
      "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps", "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"};
  model::GgufHeader out;
  const auto add = [&](std::string name) { out.tensors.push_back({std::move(name) + ".weight", {4096, 4096}}); };
  add("token_embd");
  add("output");
  for (int block = 0; block < kBlocks; ++block) {
    for (const std::string_view part : kInBlock) add(fmt::format("blk.{}.{}", block, part));
  }
  out.values.emplace("general.architecture", std::string("unknown"));
  out.values.emplace("unknown.block_count", std::int64_t{kBlocks});
  return out;
}

static std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : std::string(path.substr(0, slash));
}

static std::optional<model::GgufHeader> model_of(const Command& command, const std::string& folder,
                                                 const ReadOptions& options) {
  const std::string path = path_beside(folder, command.model.text);
  if (path.ends_with(kFileEnding)) {
    auto header = model::load_gguf(path);
    if (auto* read = std::get_if<model::GgufHeader>(&header)) return std::move(*read);
  }
  if (options.parameters == nullptr) return std::nullopt;
  return header_of(*options.parameters);
}

// --- reading ----------------------------------------------------------------------------------------

namespace {

class CommandReader {
 public:
  CommandReader(const Command& command, const source::SourceFile& file, std::string matrix,
                std::optional<model::GgufHeader> header, diag::Sink& sink)
      : command_(command),
        header_(std::move(header)),
        entries_(parse_entries(command, sink)),
        planned_{command, file, entries_, plan_, std::move(matrix)},
        sink_(sink) {}

  // Checks the types of tensors and returns the action. `recipe`: null if the command is not the recipe.
  ir::Action run(ir::Recipe* recipe, bool valid) {
    const std::string name = command_.tool == Tool::convert ? "convert_hf_to_gguf.py" : "llama-quantize";
    ir::Action action{ir::Opaque{}, ir::Cadence{}, {name, 1, {}, {}, command_.span, {}}, true, false};
    const bool known = !command_.incomplete && valid;
    if (header_ && known) {
      plan_ = plan_of(command_, entries_, *header_);
      if (command_.tool == Tool::quantize) check_plan(planned_, sink_);
      check_model_options(planned_, &*header_, sink_);
      if (!sink_.has_errors() && recipe != nullptr) lower(action, *recipe);
    } else if (known) {
      if (!entries_.empty()) plan_ = plan_of(command_, entries_, usual_header());
      if (!entries_.empty()) check_without_model(planned_, sink_);
      check_model_options(planned_, nullptr, sink_);
    }
    return action;
  }

 private:
  // Each type is one operation, because the type is the method of its tensors.
  void lower(ir::Action& action, ir::Recipe& recipe) const {
    std::map<std::string_view, const TensorType*> types;
    std::vector<model::Module> units;
    for (const PlannedTensor& tensor : plan_.tensors) {
      units.push_back({tensor.name, {}, tensor.shape.empty() ? std::nullopt : std::optional(tensor.shape)});
      if (tensor.type != nullptr && !is_plain(*tensor.type)) types.emplace(tensor.type->name, tensor.type);
    }
    for (const auto& [name, type] : types) action.operations.emplace_back(assignment_of(*type));
    if (types.empty()) action.operations.emplace_back(assignment_of(*type_called("f16")));
    recipe.units = std::move(units);
    recipe.units_are_parameters = true;
  }

  [[nodiscard]] ir::Assign assignment_of(const TensorType& type) const {
    static constexpr ir::Language kLanguage{.name{"ggml"}, .decide = decide_by_position, .stored_bits = stored_bits};
    std::vector<DecidedUnit> units;
    for (const PlannedTensor& tensor : plan_.tensors) {
      DecidedUnit& unit = units.emplace_back();
      unit.unknown = tensor.unknown;
      unit.reached = tensor.type == &type && !is_plain(type);
      if (!unit.reached) continue;
      unit.scheme = 0;
      if (tensor.entry) unit.entry = entries_[*tensor.entry].pattern, unit.span = entries_[*tensor.entry].span;
    }
    return {decided_selection(&kLanguage, units), {scheme_of(type)}, {std::string(type.name)}};
  }

  static double stored_bits(const ir::Scheme& scheme, const model::Module& module) {
    const auto elements = module.shape ? model::elements_of(*module.shape) : std::nullopt;
    return elements ? static_cast<double>(*elements) * static_cast<double>(scheme.weights.front().bits) : 0;
  }

  const Command& command_;
  std::optional<model::GgufHeader> header_;
  std::vector<ParsedEntry> entries_;
  TypePlan plan_;
  PlannedCommand planned_;
  diag::Sink& sink_;
};

}  // namespace

// Returns the steps of a script; none if no step writes a model. `name` is the path of the file.
static Script script_of(std::string_view name, std::string_view text) {
  const bool named = text.find("llama-quantize") != text.npos || text.find("convert_hf_to_gguf") != text.npos;
  if (!named || !(source::is_shell_file(name) || text.starts_with("#!"))) return {};
  Script script = read_script(text);
  const auto writes = [](const Step& step) { return step.tool == Tool::quantize || step.tool == Tool::convert; };
  return std::ranges::any_of(script.steps, writes) ? std::move(script) : Script();
}

bool is_script(std::string_view name, std::string_view text) { return !script_of(name, text).steps.empty(); }

static bool has_known_type(const TypeEntry& entry) {
  const std::size_t equals = entry.text.find('=');
  if (equals == entry.text.npos || equals == 0) return false;
  const std::string_view type = std::string_view(entry.text).substr(equals + 1);
  return find_type(Program::llama, type) != nullptr || find_type(Program::ik_llama, type) != nullptr;
}

bool is_list_of_types(std::string_view name, std::string_view text) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  if (file.find('.') != file.npos && !file.ends_with(".txt")) return false;
  const std::vector<TypeEntry> entries = entries_of_file(text);
  return !entries.empty() && std::ranges::all_of(entries, has_known_type);
}

// Returns the commands of a script that write models, or one for a list of types.
static std::vector<Command> commands_of(const Script& script, const Source& source, const std::string& folder) {
  std::vector<Command> out;
  for (const Step& step : script.steps) {
    if (auto command = command_of(step, folder)) out.push_back(*std::move(command));
  }
  if (out.empty()) {
    Command& list = out.emplace_back(Command{Step{.tool = Tool::quantize}});
    list.entries = entries_of_file(source.file.text());
  }
  return out;
}

static void set_runtime(const ReadOptions& options, std::vector<Command>& commands) {
  for (Command& command : commands) {
    if (runtime_name(options) == "ik_llama.cpp") command.program = Program::ik_llama;
    if (runtime_name(options) == "llama.cpp") command.program = Program::llama;
  }
}

// The recipe is the first quantization to a known type, or else the first one, or the first conversion.
static std::size_t main_command(const std::vector<Command>& commands) {
  const auto quantizes = [](const Command& command) { return command.tool == Tool::quantize; };
  const auto typed = [&](const Command& command) { return quantizes(command) && command.file_type; };
  auto found = std::ranges::find_if(commands, typed);
  if (found == commands.end()) found = std::ranges::find_if(commands, quantizes);
  return found == commands.end() ? 0 : static_cast<std::size_t>(found - commands.begin());
}

ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink) {
  constexpr std::size_t kMaxPlanned = 32;  // commands whose types are checked
  ir::Recipe recipe{"gguf", {}, {}, {}, std::nullopt};
  recipe.trains = false;
  recipe.has_rates = false;
  const std::string folder = folder_of(source.file.name());
  const Script script = script_of(source.file.name(), source.file.text());
  std::vector<Command> commands = commands_of(script, source, folder);
  set_runtime(options, commands);
  const std::size_t main = main_command(commands);
  check_files(script, commands, source.file, sink);
  check_requantized(script, commands, source.file, sink);
  std::optional<ir::Action> action;
  for (std::size_t at = 0; at < commands.size(); ++at) {
    const Command& command = commands[at];
    const std::size_t errors = sink.count(diag::Severity::error);
    check_arguments(command, source.file, sink);
    if (at != main && (at >= kMaxPlanned || command.tool == Tool::convert)) continue;
    CommandReader reader(command, source.file, matrix_before(script, command, source.file),
                         model_of(command, folder, options), sink);
    const bool valid = sink.count(diag::Severity::error) == errors;
    ir::Action read = reader.run(at == main ? &recipe : nullptr, valid);
    if (at == main) action = std::move(read);
  }
  action->valid = !sink.has_errors();
  recipe.actions.push_back(*std::move(action));
  return recipe;
}

std::vector<Page> pages() {
  std::vector<Page> out;
  Page page{"tensor-types", {}, "llama.cpp, ik_llama.cpp", "The types of `--tensor-type` and `--custom-q`.", {}};
  for (const TensorType& type : tensor_types()) {
    page.fields.push_back({type.name,
                           type.only_ik      ? "Only in ik_llama.cpp."
                           : type.only_llama ? "Only in llama.cpp."
                                             : "In both programs.",
                           {fmt::format("{} bits for each weight", type.bits)}});
  }
  out.push_back(std::move(page));
  return out;
}

}  // namespace sparsecfg::dialect::gguf
