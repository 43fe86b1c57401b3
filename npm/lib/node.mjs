// The API for node. The module of this package is compiled when the API is imported.

import {readFile} from 'node:fs/promises';
import {load} from './browser.mjs';

export {load, Sparsecfg, SparsecfgError} from './browser.mjs';

const sparsecfg = await load(readFile(new URL('../sparsecfg.wasm', import.meta.url)));

export const validate = (text, options) => sparsecfg.validate(text, options);
export const fix = (text, options) => sparsecfg.fix(text, options);
export const timeline = (text, options) => sparsecfg.timeline(text, options);
export const convert = (text, options) => sparsecfg.convert(text, options);
export const format = (text, options) => sparsecfg.format(text, options);
export const run = (args, settings) => sparsecfg.run(args, settings);
export const version = () => sparsecfg.version();
