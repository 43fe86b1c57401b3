#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <map>
#include <string>

#include "python/tree.h"
#include "script/operation.h"
#include "script/trace.h"

// Each row of the tables of operations, with its largest arguments in a loop.
namespace sparsecfg::test {

using script::Operation;
using script::Parameter;

// Defines large values: a string, a list, a tuple, a set, a dictionary, a path, a file, a parser and an object.
constexpr const char* kValues =
    "import argparse, collections, copy, dataclasses, functools, inspect, itertools, json, os, pathlib, pprint, sys\n"
    "import textwrap, time, types, typing, warnings, yaml, m\n"
    "s = 'a' * 1000000\nl = [0] * 300000\nt = (0,) * 300000\n"
    "d = dict(zip(range(5000), range(5000)))\nx = set(range(5000))\nk = {f'a{i}': 1 for i in range(1000)}\n"
    "path = pathlib.Path('a/' * 400000)\nfile = open('f')\nparser = argparse.ArgumentParser()\n"
    "for i in range(500): parser.add_argument(f'--o{i}', default=l)\n"
    "commands = argparse.ArgumentParser().add_subparsers()\n"
    "model = m.A(**k)\n";

// Returns the expression of the largest receiver of a table.
static std::string receiver_of(std::string_view table) {
  static const std::map<std::string_view, std::string> kReceivers = {{"str", "s"},
                                                                     {"list", "l"},
                                                                     {"tuple", "t"},
                                                                     {"set", "x"},
                                                                     {"dict", "d"},
                                                                     {"Path", "path"},
                                                                     {"file", "file"},
                                                                     {"ArgumentParser", "parser"},
                                                                     {"BaseModel", "model"},
                                                                     {"globals", "globals()"},
                                                                     {"subparsers", "commands"}};
  const auto found = kReceivers.find(table);
  return found == kReceivers.end() ? std::string() : found->second;
}

static std::string argument_of(const Parameter& parameter, const std::string& large) {
  switch (parameter.presence) {
    case Parameter::Presence::rest: return "l, l";
    case Parameter::Presence::mapping: return "**k";
    default: break;
  }
  if (parameter.types == script::types::any) return large;
  if ((parameter.types & script::types::text) != 0) return "s";
  return "9999";
}

static std::string call_of(std::string_view table, const Operation& row, const std::string& large) {
  std::string arguments;
  for (const Parameter& parameter : row.parameters)
    arguments += (arguments.empty() ? "" : ", ") + argument_of(parameter, large);
  const std::string receiver = receiver_of(table);
  return (receiver.empty() ? "" : receiver + ".") + std::string(row.name) + "(" + arguments + ")";
}

// Returns the CPU seconds of following a script.
static double seconds_of(const std::string& text) {
  const python::Script tree = python::parse_script(text);
  script::Library library;
  library.keeps_arguments = [](std::string_view path) { return path.starts_with("m."); };
  const std::clock_t begin = std::clock();
  static_cast<void>(script::follow({text, {&tree, 1}}, library));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

static long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

TEST_CASE("each operation charges what it reads and builds") {
  constexpr double kMaxSeconds = 1.0;
  constexpr long kMaxMegabytes = 64;
  const long before = peak_megabytes();
  std::size_t rows = 0;
  for (const script::OperationTable& table : script::operation_tables()) {
    for (const Operation& row : table.rows) {
      ++rows;
      for (const char* large : {"l", "s", "k"}) {
        const std::string call = call_of(table.name, row, large);
        const std::string text =
            std::string(kValues) + "r = []\nfor i in range(1000):\n for j in range(60): r.append(" + call + ")\n";
        INFO(call);
        CHECK(seconds_of(text) < kMaxSeconds);
      }
    }
  }
  CHECK(rows > 150);
  CHECK(peak_megabytes() - before < kMaxMegabytes);
}

TEST_CASE("each operation has a name and a function") {
  for (const script::OperationTable& table : script::operation_tables()) {
    for (const Operation& row : table.rows) {
      INFO(table.name << '.' << row.name);
      const std::string path =
          table.name.empty() ? std::string(row.name) : std::string(table.name) + "." + std::string(row.name);
      CHECK(row.function != nullptr);
      CHECK(script::find_function(path) == &row);
    }
  }
}

}  // namespace sparsecfg::test
