// A hundred selectors on the names of a large mixture of experts: ours, with the making of the
// graph of names, against PCRE2's machine code asked about every name by one pattern after the other.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "model/model_names.h"

using sparsecfg::model::ModelNames;
using sparsecfg::model::Term;

static std::vector<std::string> expert_model() {
  std::vector<std::string> names = {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"};
  for (int layer = 0; layer < 61; ++layer) {
    const std::string block = fmt::format("model.layers.{}.", layer);
    for (const char* part : {"self_attn.q_a_proj", "self_attn.q_b_proj", "self_attn.kv_a_proj_with_mqa",
                             "self_attn.kv_b_proj", "self_attn.o_proj", "mlp.shared_experts.gate_proj",
                             "mlp.shared_experts.up_proj", "mlp.shared_experts.down_proj"}) {
      names.push_back(block + part + ".weight");
      names.push_back(block + part + ".weight_scale_inv");
    }
    for (const char* part : {"input_layernorm", "post_attention_layernorm", "self_attn.q_a_layernorm",
                             "self_attn.kv_a_layernorm", "mlp.gate"}) {
      names.push_back(block + part + ".weight");
    }
    for (int expert = 0; layer >= 3 && expert < 256; ++expert) {
      for (const char* part : {"gate_proj", "up_proj", "down_proj"}) {
        names.push_back(fmt::format("{}mlp.experts.{}.{}.weight", block, expert, part));
        names.push_back(fmt::format("{}mlp.experts.{}.{}.weight_scale_inv", block, expert, part));
      }
    }
  }
  return names;
}

// What recipes hold: parts of the model, some of its layers, some of its experts, single names.
static std::vector<Term> selectors(const std::vector<std::string>& names) {
  std::vector<std::string> texts = {".*lm_head.*",
                                    ".*weight",
                                    ".*weight$",
                                    ".*bias",
                                    ".*norm.*",
                                    "model\\.layers\\..*",
                                    ".*mlp\\.gate\\.weight",
                                    ".*shared_experts.*",
                                    ".*embed.*",
                                    ".*(gate|up)_proj\\.weight$"};
  for (const char* part : {"q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj", "o_proj"}) {
    texts.push_back(fmt::format(".*{}.weight", part));
    texts.push_back(fmt::format(".*self_attn\\.{}\\.weight$", part));
  }
  for (const char* part : {"gate_proj", "up_proj", "down_proj"}) {
    texts.push_back(fmt::format(".*mlp.*{}.weight", part));
    texts.push_back(fmt::format(R"(model\.layers\.\d+\.mlp\.experts\.\d+\.{}\.weight)", part));
  }
  for (int layer = 0; layer < 24; ++layer) {
    texts.push_back(fmt::format(R"(model\.layers\.({}|{})\..*)", layer, layer + 30));
    texts.push_back(fmt::format(R"(.*layers\.{}\.mlp\.experts\.{}\..*)", layer + 3, layer * 7));
  }
  for (int tens = 1; tens < 6; ++tens) {
    texts.push_back(fmt::format(R"(.*\.({}\d|{}[0-4])\.mlp\..*)", tens, tens + 1));
    texts.push_back(fmt::format(R"(re_never{}.*)", tens));
  }
  std::vector<Term> terms;
  for (const std::string& text : texts) {
    terms.push_back({Term::Kind::pattern, text, {}});
  }
  while (terms.size() < 100) {
    terms.push_back({Term::Kind::exact, names[terms.size() * 701 % names.size()], {}});
  }
  return terms;
}

static double seconds(auto run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

static std::size_t count_ours(const std::vector<std::string>& names, const std::vector<Term>& terms) {
  const ModelNames model(names);
  std::size_t count = 0;
  for (const Term& term : terms) {
    for (const auto& [first, last] : model.matched(term).ranges) count += last - first;
  }
  return count;
}

// Names are compared, which is the least that can be done with them.
static std::size_t count_one_by_one(const std::vector<std::string>& names, const std::vector<Term>& terms) {
  std::size_t count = 0;
  for (const Term& term : terms) {
    if (term.kind == Term::Kind::exact) {
      count += static_cast<std::size_t>(std::ranges::count(names, term.text));
      continue;
    }
    int error = 0;
    std::size_t offset = 0;
    pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(term.text.data()), term.text.size(), PCRE2_ANCHORED,
                                     &error, &offset, nullptr);
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    pcre2_match_data* data = pcre2_match_data_create_from_pattern(code, nullptr);
    for (const std::string& name : names) {
      count += pcre2_jit_match(code, reinterpret_cast<PCRE2_SPTR>(name.data()), name.size(), 0, 0, data, nullptr) >= 0
                   ? 1
                   : 0;
    }
    pcre2_match_data_free(data);
    pcre2_code_free(code);
  }
  return count;
}

// A pattern that goes back and back in Python, on names that lead it on.
static void time_catastrophe() {
  std::vector<std::string> names;
  for (int number = 0; number < 90'000; ++number) {
    names.push_back(fmt::format("{}.{}.b", std::string(24 + static_cast<std::size_t>(number % 9), 'a'), number));
  }
  for (const char* pattern : {"(a+)+$", "(a|aa)+$", "(?=a)(a+)+$", R"((a+)+\.\1$)"}) {
    const double matched = seconds([&] { count_ours(names, {{Term::Kind::pattern, pattern, {}}}); });
    std::printf("%-20s on 90,000 names: %.0f ms (goal: at most 1000)\n", pattern, matched * 1e3);
  }
}

int main() {
  const std::vector<std::string> names = expert_model();
  const std::vector<Term> terms = selectors(names);
  if (count_ours(names, terms) != count_one_by_one(names, terms)) {
    std::fprintf(stderr, "the two take different names: %zu and %zu\n", count_ours(names, terms),
                 count_one_by_one(names, terms));
    return 1;
  }
  std::vector<double> ours;
  std::vector<double> theirs;
  std::vector<double> ratios;
  for (int round = 0; round < 5; ++round) {
    ours.push_back(seconds([&] { count_ours(names, terms); }));
    theirs.push_back(seconds([&] { count_one_by_one(names, terms); }));
    ratios.push_back(ours.back() / theirs.back());
  }
  for (auto* times : {&ours, &theirs, &ratios}) {
    std::ranges::sort(*times);
  }
  std::printf("%zu selectors on %zu names: %.3f times PCRE2 one by one (goal: at most 0.2), %.0f ms against %.0f ms\n",
              terms.size(), names.size(), ratios[2], ours[2] * 1e3, theirs[2] * 1e3);
  time_catastrophe();
}
