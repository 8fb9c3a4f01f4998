/** Types of V8's .cpuprofile files, and the source file and folder of a frame. */

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** Zero-based line number. */
  readonly lineNumber: number;
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

export const IDLE = '(idle)';
export const NATIVE = '(native)';

/** @returns a path like `src/…` or `actors/…`, a module's name, or `node:…`; `NATIVE` for a frame without a file */
export function fileOf(url: string): string {
  const path = url.replace(/^file:\/\//, '');
  if (path === '') return NATIVE;
  const module = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  if (module) return module[1]!;
  return /(?:^|\/)((?:src|actors|test)\/.*)$/.exec(path)?.[1] ?? path;
}

/** @returns a folder like `src/frontend/http` or `actors/user`, the name of a module, or `node:*` */
export function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts[0] === 'actors') return parts.slice(0, 2).join('/');
  // Wings with folders, like src/frontend/http, are listed by folder.
  if (parts[0] === 'src') return parts.slice(0, Math.min(3, parts.length - 1)).join('/');
  return file.replace(/^node:.*/, 'node:*');
}
