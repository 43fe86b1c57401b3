#include "compile/serving.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "architecture/user_model.h"
#include "base/limits.h"
#include "compile/model.h"
#include "dialect/dialect.h"
#include "dialect/quantized_dialects.h"
#include "source/load.h"

namespace sparsecfg {

using architecture::UserModel;
using dialect::checkpoint::ServeCommand;
using dialect::checkpoint::ServedConfig;
using source::ShellCommand;

std::string_view plain_folder(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string_view result_folder(const ShellCommand& command) {
  for (std::size_t at = 0; at + 1 < command.words.size(); ++at) {
    const std::string_view option = command.words[at].text;
    const bool saves =
        option.starts_with("--") && (option.find("out") != option.npos || option.find("export") != option.npos);
    if (saves && !command.words[at + 1].unknown) return plain_folder(command.words[at + 1].text);
  }
  return {};
}

void ServedModels::add(const std::vector<ShellCommand>& script) {
  for (const ShellCommand& command : script) {
    if (auto serve = dialect::checkpoint::serve_command(command)) {
      commands.push_back(*std::move(serve));
    } else if (const std::string_view folder = result_folder(command); !folder.empty()) {
      written.emplace(folder);
    }
  }
}

namespace {

// A model that commands name.
struct Known {
  std::shared_ptr<const UserModel> model;  // null: unknown
  std::optional<ServedConfig> config{};    // of the model
  std::string file{};                      // its `config.json`; empty for ids
};

class ServedCheck {
 public:
  ServedCheck(const source::SourceFile& file, const ServedModels& served, const CompileOptions& options)
      : file_(file), served_(served), options_(options) {}

  ServedFindings run() {
    for (const ServeCommand& command : served_.commands) check(command);
    out_.findings = sink_.take();
    return std::move(out_);
  }

 private:
  void check(const ServeCommand& command) {
    static const Known kUnknown;
    const std::string& id = command.model.value;
    const bool changes = id.empty() || is_written(id);
    const Known& known = changes ? kUnknown : known_model(id);
    dialect::checkpoint::check_serving(command, known.config ? &*known.config : nullptr, sink_);
    const bool splits = known.model == nullptr || command.other_config || check_split(command, known.model);
    if (changes || known.file.empty() || command.other_config) return;
    add_reference(known, command, splits);
  }

  // Returns true if a command of the script writes the folder, so that its files may be older than the command.
  [[nodiscard]] bool is_written(std::string_view folder) const {
    constexpr std::size_t kMostParts = 32;
    folder = plain_folder(folder);
    for (std::size_t part = 0; part < kMostParts && !folder.empty(); ++part) {
      if (served_.written.contains(folder)) return true;
      const std::size_t end = folder.rfind('/');
      folder = folder.substr(0, end == folder.npos ? 0 : end);
    }
    return false;
  }

  const Known& known_model(const std::string& id) {
    const auto [found, is_new] = known_.try_emplace(id);
    if (is_new && options_.find_model) found->second = find(id);
    return found->second;
  }

  // Returns the model of an id, or of a folder below that of the script or the current one.
  [[nodiscard]] Known find(const std::string& id) const {
    Known out;
    if (UserModel::is_name(id)) {
      out.model = options_.find_model(file_.name(), id);
      if (out.model != nullptr) out.config = ServedConfig{};
      return out;
    }
    for (const std::string& folder : source::folders_near(file_.name())) {
      const std::string path = (std::filesystem::path(id) / "config.json").lexically_normal().native();
      const auto text = source::read_below(file_.view().get(), folder, path, limits::kMaxProjectBytes);
      if (!text) continue;
      out.file = path;
      out.model = options_.find_model((std::filesystem::path(folder) / "script").native(), id);
      if (out.model != nullptr) out.config = config_of(*out.model, folder, id);
      if (out.config) out.config->has_method_file |= text->find("\"compression_config\"") != std::string::npos;
      break;
    }
    return out;
  }

  [[nodiscard]] ServedConfig config_of(const UserModel& model, const std::string& folder, const std::string& id) const {
    ServedConfig out{model.quantization_config(), false, true};
    for (const std::string_view name : {"quant_config.json", "quantize_config.json", "hf_quant_config.json"}) {
      const std::string path = (std::filesystem::path(id) / name).native();
      out.has_method_file =
          out.has_method_file || source::read_below(file_.view().get(), folder, path, limits::kMaxProjectBytes);
    }
    return out;
  }

  // Reports a number of GPUs that cannot split the model. Returns false then.
  bool check_split(const ServeCommand& command, const std::shared_ptr<const UserModel>& model) {
    const auto gpus = command.gpu_count();
    if (!gpus || *gpus == 1) return true;
    CompileOptions options = options_;
    options.model = model;
    dialect::set_reader_option("runtime", command.server->runtime, options.read);
    dialect::set_reader_option("tensor-parallel", command.gpus.value, options.read);
    std::erase_if(options.read.reader_options, [](const auto& each) { return each.first == "expert-parallel"; });
    const std::string_view text = command.gpus.text;
    check_gpus(options, dialect::checkpoint::kDialect, sink_,
               {command.gpus.span, std::string(text.substr(0, text.find_first_of(" =")))});
    return !options.gpus_rejected;
  }

  // Adds the configuration of a quantized folder, or one that cannot be read.
  void add_reference(const Known& known, const ServeCommand& command, bool splits) {
    const bool quantized = !known.config || !known.config->quantization.is_null();
    if (!quantized || !listed_.insert(known.file).second) return;
    RecipeReference reference{known.file, std::nullopt};
    reference.runtime = command.server->runtime;
    reference.gpus = splits ? command.gpu_count().value_or(1) : 1;
    out_.references.push_back(std::move(reference));
  }

  const source::SourceFile& file_;
  const ServedModels& served_;
  const CompileOptions& options_;
  std::map<std::string, Known> known_;
  std::set<std::string> listed_;
  diag::Sink sink_;
  ServedFindings out_;
};

}  // namespace

ServedFindings check_served(const source::SourceFile& file, const ServedModels& served, const CompileOptions& options) {
  return ServedCheck(file, served, options).run();
}

}  // namespace sparsecfg
