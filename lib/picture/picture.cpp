#include "picture/picture.h"

#include "picture/draw.h"

namespace sparsecfg::picture {

constexpr std::size_t kDots = 720;

std::string draw_svg(const ir::Recipe& recipe, const timeline::Run& run, const std::string& title) {
  return draw({follow(recipe, run, kDots)}, title, {});
}

std::string draw_svg_of_two(const ir::Recipe& first, const timeline::Run& run, const ir::Recipe& second,
                            const timeline::Run& second_run, const std::string& title) {
  return draw({follow(first, run, kDots), follow(second, second_run, kDots)}, title, {});
}

}  // namespace sparsecfg::picture
