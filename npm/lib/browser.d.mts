/** Options of all functions. Every long option of the command line works in camel case: `--steps-per-epoch 10` is `stepsPerEpoch: 10`. */
export interface Options {
  /** Assumed name of the recipe, which decides how it is read (default: `recipe.yaml`). */
  filename?: string;
  /** Other files that the recipe or an option names, as an object from path to content. */
  files?: Record<string, string | Uint8Array>;
  /** The model: the text of its `config.json`, or a list of names as for `--model`. */
  model?: string | string[];
  /** Parameters of the model: the lines of the file of `--params`. */
  params?: string | string[];
  /** Modules of the model: the lines of the file of `--modules`. */
  modules?: string | string[];
  /** QAT policy of ai8x-training: the content of the file. */
  qatPolicy?: string;
  from?: Dialect;
  stepsPerEpoch?: number;
  epochs?: number;
  /** Variables of the recipe. */
  set?: Record<string, unknown>;
  [option: string]: unknown;
}

export type Dialect = 'ai8x' | 'compressed-tensors' | 'distiller' | 'ir' | 'llm-compressor' | 'modelopt' | 'nni' | 'sparseml';
export type Severity = 'error' | 'warning' | 'info';

export interface Position {
  line: number;
  column: number;
  byte: number;
}

export interface Span {
  start: Position;
  end: Position;
}

export interface Finding {
  code: string;
  name: string;
  severity: Severity;
  message: string;
  help: string;
  note?: string;
  /** Path of the page about the rule, below the address of the documentation. */
  page: string;
  span: Span;
  /** The cell of a notebook. */
  cell?: {index: number; line: number};
  labels: {span: Span; text: string}[];
  fix?: {applicability: 'safe' | 'unsafe'; edits: {span: Span; text: string}[]};
}

export interface Validation {
  /** True if no finding is an error (or what the option `failOn` says). */
  ok: boolean;
  dialect: Dialect | null;
  findings: Finding[];
  summary: {files: number; errors: number; warnings: number; infos: number};
  failures: {path: string; reason: string}[];
}

export interface Conversion {
  /** The converted recipe; null if parts cannot be converted and `allowLoss` is not set. */
  text: string | null;
  /** The report of `convert --report json`, or the error output if there is none. */
  report: unknown;
}

export interface Result {
  status: number;
  stdout: string;
  stderr: string;
  /** Size of the memory in bytes. */
  memory: number;
  /** All files after the run. */
  files: Record<string, string>;
}

export interface RunSettings {
  stdin?: string | Uint8Array;
  files?: Record<string, string | Uint8Array>;
  env?: Record<string, string>;
}

export type TimelineFormat = 'table' | 'csv' | 'jsonl' | 'svg' | 'html' | 'json';
export type Target = 'compressed-tensors' | 'distiller' | 'ir' | 'llm-compressor' | 'nni' | 'pytorch' | 'sparseml';

/** A command that could not do its work. */
export class SparsecfgError extends Error {
  status: number;
  stderr: string;
}

export class Sparsecfg {
  constructor(module: WebAssembly.Module);
  /** Returns the findings of a recipe. */
  validate(text: string, options?: Options & {select?: string[]; ignore?: string[]; failOn?: Severity | 'never'}): Validation;
  /** Returns the recipe with its safe fixes applied, and the unsafe ones if `unsafe` is true. */
  fix(text: string, options?: Options & {unsafe?: boolean}): string;
  /** Returns an object for the format `json` (default), and the text for all others. */
  timeline(text: string, options: Options & {format: Exclude<TimelineFormat, 'json'>; initialLr?: number}): string;
  timeline(text: string, options?: Options & {format?: 'json'; initialLr?: number}): Record<string, unknown>;
  convert(text: string, options: Options & {to: Target; allowLoss?: boolean; initialLr?: number}): Conversion;
  /** Returns the formatted recipe. */
  format(text: string, options?: Options): string;
  /** Runs the command line on files in memory. */
  run(args: string[], settings?: RunSettings): Result;
  version(): string;
}

/** Compiles the module from a response, bytes or a compiled module. */
export function load(
  source: Response | BufferSource | WebAssembly.Module | Promise<Response | BufferSource | WebAssembly.Module>,
): Promise<Sparsecfg>;
