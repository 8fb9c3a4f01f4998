/** The block parser as lists and quotes use it: they hand their content back to the parser that called them. */
import type { Block } from './tree.js';

/** How the innermost list or quote wants its content read. */
export type Mode = 'root' | 'list' | 'loose' | 'detabbed' | 'quote';

export interface BlockReader {
  readonly mode: Mode;
  /** Parses in a mode, and returns to the mode before. */
  within(mode: Mode, parse: () => void): void;
  /** Text that may hold several blocks. */
  chunk(parent: Block, text: string): void;
  /** Text that was cut into blocks before. */
  blocks(parent: Block, texts: readonly string[]): void;
}
