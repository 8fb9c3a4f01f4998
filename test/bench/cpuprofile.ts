/** Reads .cpuprofile files, for profile.ts and flame.ts. */

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

/** Below the package: actors/…, src/…, a module's name, or node:…; `NATIVE` for what has no file. */
export function fileOf(url: string): string {
  const path = url.replace(/^file:\/\//, '');
  if (path === '') return NATIVE;
  const module = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  if (module) return module[1]!;
  return /(?:^|\/)((?:src|actors|test)\/.*)$/.exec(path)?.[1] ?? path;
}

/** `src/frontend/http`, `actors/user`, a module's name, `node:*`. */
export function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts[0] === 'actors') return parts.slice(0, 2).join('/');
  // Wings with folders of their own are told apart by folder: src/frontend/http.
  if (parts[0] === 'src') return parts.slice(0, Math.min(3, parts.length - 1)).join('/');
  return file.replace(/^node:.*/, 'node:*');
}
