/** Runs programs side by side, so that the cores are busy and not crowded. */

export interface Load {
  /** Share of one core that the program uses on average: 1 computes all the time, 0.2 mostly waits. */
  readonly load: number;
  /** About how long it takes on an idle machine; only for the order. */
  readonly seconds: number;
}

export interface Scheduled extends Load {
  readonly title: string;
  /** Titles of the programs that must have ended before. */
  readonly after: readonly string[];
}

/** Programs at a time, however much they wait: each also needs memory. */
const MAX_AT_ONCE = 8;

/** Longest first; the next one that fits starts as soon as there is room. @param cores that may be used */
export async function runAll<P extends Scheduled>(
  programs: readonly P[],
  cores: number,
  run: (program: P) => Promise<void>,
): Promise<void> {
  const waiting = [...programs].sort((a, b) => b.seconds - a.seconds);
  const running = new Set<Promise<void>>();
  const open = new Set(programs.map(({ title }) => title));
  let load = 0;
  const start = (program: P): void => {
    load += program.load;
    const done = run(program).finally(() => {
      load -= program.load;
      open.delete(program.title);
      running.delete(done);
    });
    running.add(done);
  };
  while (waiting.length > 0 || running.size > 0) {
    while (running.size < MAX_AT_ONCE) {
      const room = cores - load + 1e-9;
      // Alone, a program may want more than there is.
      const next = waiting.findIndex(
        ({ load, after }) => !after.some((title) => open.has(title)) && (load <= room || running.size === 0),
      );
      if (next < 0) break;
      start(waiting.splice(next, 1)[0]!);
    }
    await Promise.race(running);
  }
}
