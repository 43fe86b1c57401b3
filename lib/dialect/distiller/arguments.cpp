#include "dialect/distiller/arguments.h"

#include "dialect/record/check.h"
#include "python/numbers.h"

namespace sparsecfg::dialect::distiller {

using source::Value;

std::optional<Names> Names::from(const Value& value) {
  const auto* list = value.get<source::List>();
  const auto* map = value.get<source::Map>();
  if (value.get<std::string>() != nullptr) return Names{{&value}, true};
  if (list == nullptr && map == nullptr) return std::nullopt;
  Names out;
  for (const Value& item : list == nullptr ? Items() : Items(*list)) out.values.push_back(&item);
  for (const source::Entry& entry : map == nullptr ? Pairs() : Pairs(*map)) out.values.push_back(&entry.first);
  return out;
}

std::optional<Regims> Regims::from(const Value& value) {
  const auto* map = value.get<source::Map>();
  if (map == nullptr) return std::nullopt;
  Regims out;
  for (const auto& [name, given] : *map) {
    const auto* pair = given.get<source::List>();
    const Value* strength = pair == nullptr || pair->empty() ? &given : pair->data();
    out.push_back({&name, &given, strength, pair == nullptr || pair->size() < 2 ? nullptr : &(*pair)[1]});
  }
  return out;
}

const Field* enabled(const Record& record, FieldName name) {
  const Field* field = record.find(name);
  return field != nullptr && python::is_true(field->value) ? field : nullptr;
}

const std::string* Regim::group_text() const { return group == nullptr ? nullptr : group->get<std::string>(); }

const Value* Arguments::block_shape() const {
  return kwargs.field() == nullptr ? nullptr : kwargs.field()->value.find("block_shape");
}

RunArguments run_arguments(source::Span key, const Value& args) {
  const auto* map = args.get<source::Map>();
  return {{nullptr, key, map == nullptr ? Fields() : fields_of(*map), true, {}, {}, 0}};
}

}  // namespace sparsecfg::dialect::distiller
