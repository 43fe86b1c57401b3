#include "dialect/llmcompressor/rules.h"
#include "dialect/schemes/arguments.h"

// Checks the arguments of quantization and the observers.
namespace sparsecfg::dialect::llmcompressor {

using schemes::Use;
using source::Value;

static void check_numbers_of(const Reading& reading, const Value& arguments, Use use) {
  if (!schemes::check_arguments(reading.sink, arguments, use)) {
    return;
  }
  if (read_numbers(arguments).dynamic != Dynamic::yes) {  // a dynamic scale does not use an observer
    check_observer(reading, arguments, use == Use::weights);
  }
  schemes::check_use(reading.sink, arguments, use);
}

static void check_part(const Reading& reading, const Value& scheme, Use use) {
  const Value* part = scheme.find(schemes::field_of(use));
  if (part != nullptr && part->get<source::Map>() != nullptr) {
    check_numbers_of(reading, *part, use);
  }
}

static void check_group_parts(const Reading& reading, const Modifier& modifier) {
  const Value* groups = modifier.given("config_groups");
  const auto* map = groups == nullptr ? nullptr : groups->get<source::Map>();
  for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
    for (const Use use : {Use::weights, Use::inputs, Use::outputs}) {
      check_part(reading, (*map)[at].second, use);
    }
  }
}

void check_numbers(const Reading& reading, const Modifier& modifier) {
  check_group_parts(reading, modifier);
  const Value* cache = modifier.given("kv_cache_scheme");
  if (cache != nullptr && cache->get<source::Map>() != nullptr) {
    check_numbers_of(reading, *cache, Use::cache);
  }
  check_observers(reading, modifier);
}

}  // namespace sparsecfg::dialect::llmcompressor
