#include "lsp/lsp.h"

#include "cmd/commands.h"
#include "cmd/options.h"

namespace sparsecfg::cmd {

Command lsp_command() {
  // Editors start most servers with this option.
  const auto stdio = std::make_shared<bool>(true);
  Command command{"lsp", "Serve an editor (Language Server Protocol)", "", ""};
  command.options = [stdio] {
    return std::vector<Option>{flag("--stdio", *stdio, "Talk over standard input and output (always so)")};
  };
  command.run = [](const std::vector<std::string>&, const Streams& streams) {
    return lsp::serve(streams.in, streams.out, streams.err);
  };
  return command;
}

}  // namespace sparsecfg::cmd
