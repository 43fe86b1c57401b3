#include "cmd/commands.h"
#include "dialect/sparseml/schema.h"

namespace sparsecfg::cmd {

int schema(const SchemaOptions& options, const Streams& streams) {
  streams.out << dialect::sparseml::schema(options.framework);
  return kClean;
}

}  // namespace sparsecfg::cmd
