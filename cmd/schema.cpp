#include "cmd/commands.h"
#include "dialect/dialect.h"

namespace sparsecfg::cmd {

int schema(const SchemaOptions& options, const Streams& streams) {
  dialect::ReadOptions read;
  read.framework = options.framework;
  streams.out << dialect::find_dialect(options.dialect)->schema(read);
  return kClean;
}

}  // namespace sparsecfg::cmd
