// The examples of the menu. Each has a mistake that users make.

import ai8x from '../examples/ai8x.yaml';
import config from '../examples/config.json';
import distiller from '../examples/distiller.yaml';
import llmcompressor from '../examples/llmcompressor.yaml';
import modules from '../examples/modules.txt';
import names from '../examples/names.yaml';
import nni from '../examples/nni.yaml';
import script from '../examples/script.py';
import sparseml from '../examples/sparseml.yaml';

export const EXAMPLES = {
  sparseml: {title: 'SparseML: prune, then quantize', state: {text: sparseml}},
  llmcompressor: {title: 'llm-compressor: recipe in stages', state: {text: llmcompressor, steps: '', tab: 'inspect'}},
  names: {title: 'llm-compressor: with module names', state: {text: names, modules, steps: '', tab: 'inspect'}},
  script: {title: 'llm-compressor: Python script', state: {text: script, name: 'oneshot.py', steps: '', tab: 'inspect'}},
  config: {title: 'compressed-tensors: config.json', state: {text: config, name: 'config.json', steps: '', tab: 'inspect'}},
  distiller: {title: 'Distiller: schedule', state: {text: distiller}},
  ai8x: {title: 'ai8x-training: QAT policy', state: {text: ai8x, name: 'qat_policy.yaml', options: '--epochs 100'}},
  nni: {title: 'NNI: pruner with a config list', state: {text: nni}},
};
