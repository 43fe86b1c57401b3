#include "dialect/quantizers/saves.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/quantizers/program.h"

namespace sparsecfg::dialect::quantizers {

bool saves_model(const script::Value& call) {
  return is_method(call, "save_pretrained") || is_method(call, "push_to_hub");
}

std::string_view name_of_model(const script::Trace& trace, const script::Value& call) {
  const std::string_view text = text_at(trace, call.span);
  const std::string_view name = text.substr(0, text.find('.'));
  return std::ranges::all_of(name, base::is_name_letter) ? name : std::string_view();
}

}  // namespace sparsecfg::dialect::quantizers
