import {Sparsecfg} from './browser.mjs';

export * from './browser.mjs';

export const validate: Sparsecfg['validate'];
export const fix: Sparsecfg['fix'];
export const timeline: Sparsecfg['timeline'];
export const convert: Sparsecfg['convert'];
export const format: Sparsecfg['format'];
export const run: Sparsecfg['run'];
export const version: Sparsecfg['version'];
