#include "dialect/torchao/exported.h"

namespace sparsecfg::dialect::torchao {

constexpr std::string_view kPackage = "torchao.quantization";
constexpr std::string_view kBlockFormats = "torchao.prototype.mx_formats.inference_workflow";

constexpr quantizers::Exported kExported[] = {{"torch"},
                                              {"torch", "nn"},
                                              {kPackage, "FqnToConfig"},
                                              {kPackage, "Float8DynamicActivationFloat8WeightConfig"},
                                              {kPackage, "Float8DynamicActivationInt4WeightConfig"},
                                              {kPackage, "Float8WeightOnlyConfig"},
                                              {kPackage, "Int4WeightOnlyConfig"},
                                              {kPackage, "Int8DynamicActivationInt8WeightConfig"},
                                              {kPackage, "Int8DynamicActivationIntxWeightConfig"},
                                              {kPackage, "Int8WeightOnlyConfig"},
                                              {kPackage, "IntxWeightOnlyConfig"},
                                              {kPackage, "MappingType"},
                                              {kPackage, "PerAxis"},
                                              {kPackage, "PerBlock"},
                                              {kPackage, "PerGroup"},
                                              {kPackage, "PerRow"},
                                              {kPackage, "PerTensor"},
                                              {kPackage, "quantize_"},
                                              {kBlockFormats, "MXDynamicActivationMXWeightConfig"},
                                              {kBlockFormats, "NVFP4DynamicActivationNVFP4WeightConfig"},
                                              {kBlockFormats, "NVFP4WeightOnlyConfig"}};

quantizers::ScriptCode code_for(const source::SourceFile& file, std::string_view code) {
  return quantizers::code_for(python::imported_names(file), code, kExported);
}

}  // namespace sparsecfg::dialect::torchao
