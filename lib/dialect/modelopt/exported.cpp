#include "dialect/modelopt/exported.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/quantizers/script_code.h"

namespace sparsecfg::dialect::modelopt {

constexpr quantizers::Exported kExported[] = {{"copy"},
                                              {"modelopt.torch.quantization", {}, "mtq"},
                                              {"modelopt.torch.sparsity", {}, "mts"},
                                              {"modelopt.torch.export", "export_hf_checkpoint"}};

std::string shown_code(const python::ImportedNames& imported, std::string_view code) {
  return quantizers::code_for(imported, code, kExported).shown();
}

const Constant* constant_at(const source::SourceFile& file, source::Span place) {
  const auto found = std::ranges::find(constants(), base::last_part(file.text(place)), &Constant::name);
  return found == constants().end() ? nullptr : &*found;
}

}  // namespace sparsecfg::dialect::modelopt
