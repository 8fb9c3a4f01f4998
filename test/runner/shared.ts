/** Resources that the files of one process share, such as a browser. */
import type { Test } from 'tap';

const ends: (() => unknown)[] = [];

/** Runs at the end of the last file of the process: of this one, when it runs by itself. */
export function atEndOfProcess(t: Test, end: () => unknown): void {
  if (process.env.TEST_FILES === undefined) t.teardown(end);
  else ends.push(end);
}

export async function endShared(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}
