#include "dialect/decided.h"

#include <map>
#include <tuple>

namespace sparsecfg::dialect {

static ir::Decisions::Decision decision_of(const DecidedUnit& unit) {
  ir::Decisions::Decision out{.reason = unit.reason,
                              .kind = unit.scheme ? ir::Rule::Kind::assigns : ir::Rule::Kind::excludes,
                              .rule = unit.rule,
                              .overridden = unit.overridden,
                              .unknown = unit.unknown};
  out.scheme = unit.scheme.value_or(0);
  return out;
}

std::shared_ptr<const ir::Decisions> decisions_of(const std::vector<DecidedUnit>& units) {
  using Key = std::tuple<std::optional<std::uint32_t>, std::optional<std::uint32_t>, std::vector<std::uint32_t>,
                         ir::Decisions::Reason, bool>;
  auto out = std::make_shared<ir::Decisions>();
  std::map<Key, std::uint32_t> numbers;
  for (const DecidedUnit& unit : units) {
    const auto [found, is_new] = numbers.emplace(Key{unit.scheme, unit.rule, unit.overridden, unit.reason, unit.unknown},
                                                 static_cast<std::uint32_t>(out->entries.size()));
    if (is_new) out->entries.push_back(decision_of(unit));
    out->of_modules.push_back(found->second);
  }
  return out;
}

}  // namespace sparsecfg::dialect
