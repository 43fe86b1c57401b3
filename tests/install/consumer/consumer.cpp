#include <sparsecfg/sparsecfg.h>

#include <iostream>

int main() {
  const char* recipe = "modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoc: 3.0\n";
  for (const auto& finding : sparsecfg::api::validate(recipe).findings) {
    std::cout << finding.range.begin.line << ": " << finding.code << ' ' << finding.message << '\n';
  }
}
