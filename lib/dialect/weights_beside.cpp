#include "dialect/weights_beside.h"

#include "diag/rule.h"
#include "model/folder_weights.h"

namespace sparsecfg::dialect {

std::shared_ptr<const model::ModelNames> weights_beside(const source::SourceFile& file, const ReadOptions& options,
                                                        source::Span place, diag::Sink& sink) {
  constexpr std::string_view kName = "config.json";
  const bool named = file.name() == kName || file.name().ends_with("/config.json");
  if (!named || options.parameters != nullptr) return nullptr;
  model::FolderWeights unshared;
  model::FolderWeights& weights = options.folder_weights != nullptr ? *options.folder_weights : unshared;
  const auto [names, refusal] = weights.beside(file.name());
  if (!refusal.empty()) {
    sink.report(diag::limits_exceeded, place, "the file is not compared with the weights in its folder: " + refusal)
        .with_severity(diag::Severity::warning)
        .with_help("pass the weights with `--params`");
  }
  return names;
}

}  // namespace sparsecfg::dialect
