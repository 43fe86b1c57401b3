#include "compile/training.h"

#include <fmt/core.h>

#include <map>
#include <utility>

namespace sparsecfg {

using dialect::distiller::TrainingCommand;
using dialect::distiller::TrainingFile;

namespace {

class NamedFiles {
 public:
  NamedFiles(const source::SourceFile& script, const CompileOptions& options) : script_(script), options_(options) {}

  void add(const TrainingCommand& command) {
    const std::optional<ir::CallModel> model = network(command.network);
    for (const TrainingFile& file : command.files) {
      const auto [known, is_new] = places_.try_emplace(file.path, out_.size());
      const bool trains = file.dialect == "distiller";
      if (is_new) {
        out_.push_back({file.path, trains ? model : std::nullopt});
        out_.back().run = command.run;
        out_.back().dialect = file.dialect;
      } else {
        merge(out_[known->second], command, trains ? model : std::nullopt);
      }
    }
  }

  std::vector<RecipeReference> take() { return std::move(out_); }

 private:
  // Returns a network that torchvision has.
  std::optional<ir::CallModel> network(const std::string& name) {
    constexpr std::size_t kMaxNetworks = 100;
    if (name.empty() || !options_.find_model || networks_.size() >= kMaxNetworks) return std::nullopt;
    const std::string id = fmt::format("torchvision:{}", name);
    const auto [known, is_new] = networks_.try_emplace(id, false);
    if (is_new) known->second = options_.find_model(script_.name(), id) != nullptr;
    return known->second ? std::optional(ir::CallModel{id, {}, {}}) : std::nullopt;
  }

  static void merge(RecipeReference& known, const TrainingCommand& command, const std::optional<ir::CallModel>& model) {
    known.run->merge(command.run);
    const bool same = known.model && model ? known.model->is_same(*model) : !known.model && !model;
    if (!same) known.model = ir::CallModel{{}, {}, {"commands train different networks with the schedule", {}}};
  }

  const source::SourceFile& script_;
  const CompileOptions& options_;
  std::map<std::string, std::size_t> places_;  // of the paths in the list
  std::map<std::string, bool> networks_;       // true for those of torchvision
  std::vector<RecipeReference> out_;
};

}  // namespace

std::vector<RecipeReference> files_of(const std::vector<TrainingCommand>& commands, const source::SourceFile& script,
                                      const CompileOptions& options) {
  NamedFiles out(script, options);
  for (const TrainingCommand& command : commands) out.add(command);
  return out.take();
}

}  // namespace sparsecfg
