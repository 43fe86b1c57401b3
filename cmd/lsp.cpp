#include "lsp/lsp.h"

#include "cmd/commands.h"
#include "cmd/options.h"

namespace sparsecfg::cmd {

Command lsp_command() {
  // Many editors pass this option to every language server.
  const auto stdio = std::make_shared<bool>(true);
  Command command{"lsp", "Run the language server (Language Server Protocol)", "", ""};
  command.options = [stdio] {
    return std::vector<Option>{
        flag("--stdio", *stdio, "Use standard input and output (the default and only transport)")};
  };
  command.run = [](const std::vector<std::string>&, const Streams& streams) {
    return lsp::serve(streams.in, streams.out, streams.err);
  };
  return command;
}

}  // namespace sparsecfg::cmd
