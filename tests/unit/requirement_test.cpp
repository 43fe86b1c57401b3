#include "compile/requirement.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace sparsecfg::test {

static std::string found_in(std::string_view text, const std::string& file = "requirements.txt") {
  const auto found = requirements_in(text, file).llmcompressor;
  return found ? found->specifier + " in line " + std::to_string(found->line) : "none";
}

TEST_CASE("requirements of projects are read") {
  struct Written {
    const char* text;
    const char* expected;
  };

  const Written written = GENERATE(
      Written{"torch\nllmcompressor==0.10.1\n", "==0.10.1 in line 2"},
      Written{"llmcompressor[dev] >= 0.8, < 0.10  # why\n", ">=0.8,<0.10 in line 1"},
      Written{"llmcompressor~=0.9.0; python_version > \"3.9\"\n", "~=0.9.0 in line 1"},
      Written{"# llmcompressor==0.5\nllmcompressor\n", "none"},
      Written{"my-llmcompressor==0.5\nllmcompressor-extras==1\nllmcompressor_x==2\n", "none"},
      Written{"git+https://github.com/vllm-project/llm-compressor.git@0.7.1\n", "==0.7.1 in line 1"},
      Written{"llmcompressor @ git+https://github.com/vllm-project/llm-compressor@main\n", "none"},
      Written{"dependencies = [\n  \"llmcompressor>=0.6\",\n  \"llmcompressor==0.6.0.1\",\n]\n", "==0.6.0.1 in line 3"},
      Written{"llmcompressor = \"^0.6\"\n", "^0.6 in line 1"},
      Written{"llmcompressor = {version = \"0.9.0\", extras = [\"dev\"]}\n", "=0.9.0 in line 1"},
      Written{"llmcompressor = \"*\"\n", "none"},
      Written{"[[package]]\nname = \"llmcompressor\"\nversion = \"0.12.0\"\n", "==0.12.0 in line 2"},
      Written{"\"llmcompressor\": {\n  \"hashes\": [],\n  \"version\": \"==0.8.1\"\n}\n", "==0.8.1 in line 1"},
      Written{"{ name = \"llmcompressor\", specifier = \">=0.4\" },\n", "none"});
  CAPTURE(written.text);
  CHECK(found_in(written.text) == written.expected);
}

TEST_CASE("only installations count in a script") {
  const std::string text =
      "import llmcompressor  # 0.5\n"
      "print('llmcompressor==0.6')\n"
      "!pip install -q llmcompressor==0.7.1 transformers==4.57.1\n";
  const Requirements found = installed_by(text, "quantize.ipynb");
  REQUIRE(found.llmcompressor);
  CHECK(found.llmcompressor->text() == "`llmcompressor==0.7.1` in quantize.ipynb:3");
  CHECK(found.transformers->specifier == "==4.57.1");
  CHECK(installed_by("subprocess.run([\"pip\", \"install\", \"llmcompressor==0.9\"])\n", "a.py").llmcompressor);
  CHECK_FALSE(installed_by("# needs llmcompressor==0.9\n", "a.py").llmcompressor);
}

TEST_CASE("the newest known release that a requirement allows counts") {
  const std::vector<std::string_view> known{"0.14", "main", "0.13", "0.12", "0.10", "0.9", "0.5.2", "0.5.1"};
  const auto newest = [&](const char* specifier) {
    return std::string(newest_allowed({"llmcompressor", specifier, "", 1}, known).value_or("none"));
  };
  CHECK(newest("==0.10.1") == "0.10");
  CHECK(newest("==0.10.0.2") == "0.10");
  CHECK(newest("==0.11.0") == "0.10");
  CHECK(newest("==0.20") == "0.14");
  CHECK(newest("==0.5.1") == "0.5.1");
  CHECK(newest(">=0.9") == "0.14");
  CHECK(newest("<0.13") == "0.12");
  CHECK(newest(">=0.9,<0.13,!=0.12.*") == "0.10");
  CHECK(newest("~=0.12.0") == "0.12");
  CHECK(newest("^0.9") == "0.9");
  CHECK(newest("<=0.10.1") == "0.10");
  CHECK(newest(">0.14.0,<1") == "0.14");
  CHECK(newest("<0.1") == "none");
}

}  // namespace sparsecfg::test
