#include "source/shell_words.h"

#include <catch2/catch.hpp>

namespace sparsecfg::source {

// Returns the commands of a script in one line: words between blanks, `?` for an unknown value, and `!` before a
// command that a run can skip.
static std::string commands_in(std::string_view script) {
  std::string out;
  for (const ShellCommand& command : shell_commands(script)) {
    if (!out.empty()) out += "; ";
    if (command.conditional) out += '!';
    for (std::size_t at = 0; at < command.words.size(); ++at) {
      const ShellWord& word = command.words[at];
      out += (at == 0 ? "" : " ") + word.text + (word.unknown ? "?" : "");
    }
  }
  return out;
}

TEST_CASE("loops over literal words are repeated") {
  CHECK(commands_in("for q in a b; do run $q; done") == "run a; run b");
  CHECK(commands_in("for q in a b; do\n  for r in 1 2; do run $q$r; done\ndone") == "run a1; run a2; run b1; run b2");
  CHECK(commands_in("T=(a\n  b) \nfor q in \"${T[@]}\"; do run $q; done") == "run a; run b");
  CHECK(commands_in("for q in *.txt; do run $q; done; run $q") == "!run ?; run ?");
}

TEST_CASE("a variable that only some branches set is unknown") {
  CHECK(commands_in("if x; then A=1; else run $A; A=2; fi; run $A") == "x; !A=1; !run ?; !A=2; run ?");
  CHECK(commands_in("A=0; [ -f x ] && A=1; run $A") == "A=0; [ -f x ]; !A=1; run ?");
  CHECK(commands_in("A=0; case $x in a) A=1;; b) run $A;; esac") == "A=0; !A=1; !b; !run 0");
  CHECK(commands_in("f() { A=1; }; run $A") == "f; !A=1; run ?");
}

TEST_CASE("values are split where a shell splits them") {
  CHECK(shell_commands("A='a b'; run $A \"$A\"").back().words.size() == 4);
  CHECK(shell_commands("A=; run $A b \"$A\" ''").back().words.size() == 4);
  CHECK(shell_commands("A=(a 'b c'); run \"${A[@]}\"").back().words.size() == 3);
}

TEST_CASE("unknown words are compared by their variables") {
  const auto words = [](std::string_view script) { return shell_commands(script).back().words; };
  CHECK(words("A=$1; run \"$A/x\" \"$1/x\"")[1].identity == words("A=$1; run \"$A/x\" \"$1/x\"")[2].identity);
  CHECK(words("run $(a) $(a)")[1].identity != words("run $(a) $(a)")[2].identity);
}

TEST_CASE("here-documents and redirections are left out") {
  CHECK(commands_in("cat <<'END'\ndon't run a\nEND\nrun b") == "cat; run b");
  CHECK(commands_in("run a 2>&1 > log b") == "run a b");
  CHECK(commands_in("A=x; A=$A$A$A; run $A") == "A=x; A=xxx; run xxx");
}

}  // namespace sparsecfg::source
