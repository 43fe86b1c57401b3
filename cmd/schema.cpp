#include "dialect/sparseml/schema.h"
#include "cmd/commands.h"

namespace sparsecfg::cmd {

int schema(const SchemaOptions& options, const Streams& streams) {
  streams.out << dialect::sparseml::schema(options.framework);
  return kClean;
}

}  // namespace sparsecfg::cmd
