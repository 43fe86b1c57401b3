#include "dialect/dialect.h"

#include "dialect/dialects.h"
#include "dialect/modelopt/imports.h"
#include "dialect/modelopt/read.h"
#include "dialect/modelopt/schema.h"
#include "dialect/modelopt/script.h"

namespace sparsecfg::dialect::modelopt {

constexpr std::string_view kReaderName = "ModelOpt";
constexpr std::string_view kFileWords[] = {
    "quantizer_name:", "modelopt-schema:", "recipe_type:", "modelopt.torch.quantization", "modelopt.torch.sparsity"};

static Page presets_page() {
  Page page{"presets", "", kReaderName, "Dictionaries that `modelopt.torch.quantization` exports.", {}, true};
  for (const Constant& constant : constants()) page.fields.push_back({constant.name, constant.preset, {}});
  return page;
}

static std::vector<Page> pages() {
  std::vector<Page> pages;
  for (const ClassSpec* spec : classes()) pages.push_back(page_of(*spec, kReaderName));
  for (const ClassSpec* spec : algorithms()) pages.push_back(page_of(*spec, kReaderName));
  pages.push_back(presets_page());
  return pages;
}

constexpr std::string_view kServedBy[] = {"vllm", "sglang"};

const Dialect kDialect{
    .name = "modelopt",
    .title = "ModelOpt",
    .text = "a ModelOpt recipe",
    .claims = claims,
    .marked_part = marked_part,
    .words = kFileWords,
    .read = read,
    .schema = schema,
    .pages = pages,
    .modules = true,
    .maintained = true,
    .trains = false,
    .parts_of_modules = true,
    .options = kReaderOptions,
    .runtimes = {.programs = kServedBy, .splits = true, .kernels = true},
    .remedies = {.pattern_prefix = ""},
    .module = "modelopt",
    .objects = &kObjects,
};

}  // namespace sparsecfg::dialect::modelopt
