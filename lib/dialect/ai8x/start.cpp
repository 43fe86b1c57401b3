#include <cmath>

#include "dialect/dialects.h"
#include "doc/construct.h"
#include "doc/readers.h"

namespace sparsecfg::dialect::ai8x {

std::optional<double> start_of_qat(const std::string& name, std::string text) {
  const source::SourceFile file(name, std::move(text));
  diag::Sink sink;  // the policy has its own findings when it is validated
  const auto document = doc::read_yaml(file, {0, static_cast<std::uint32_t>(file.text().size())}, {}, sink);
  if (!document) {
    return std::nullopt;
  }
  const source::Value policy = doc::construct(*document, document->root, sink);
  const source::Value* start = policy.find("start_epoch");
  const auto number = start == nullptr || policy.find("weight_bits") == nullptr ? std::nullopt : start->number();
  const bool starts = number && *number > 0 && *number == std::floor(*number) && std::isfinite(*number);
  return starts ? number : std::nullopt;
}

}  // namespace sparsecfg::dialect::ai8x
