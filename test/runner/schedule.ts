/** Runs programs side by side, so that the cores are busy and not crowded. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Load {
  /** Share of one core that the program uses on average: 1 computes all the time, 0.2 mostly waits. */
  readonly load: number;
  /** About how long it takes on an idle machine; only for the order. */
  readonly seconds: number;
  /**
   * True for a program that computes all the time and waits for nothing: it runs at a low priority and uses what others
   * leave idle.
   */
  readonly inBackground?: boolean;
}

export interface Scheduled extends Load {
  readonly title: string;
}

/** Programs at a time, however much they wait: each also needs memory. */
const MAX_AT_ONCE = 8;
/** Cores that must have been idle since the last look for a program to start beyond the loads of the table. */
const MIN_IDLE_CORES = 0.6;
const IDLE_LOOK_MS = 3_000;

/** Cores of this machine that were idle, or had programs of a low priority, since the look before, every 3 s. */
export async function* watchIdleCores(): AsyncGenerator<number> {
  const idleSeconds = (): number => cpus().reduce((sum, { times }) => sum + times.idle + times.nice, 0) / 1e3;
  for (;;) {
    const [idle, begun] = [idleSeconds(), performance.now()];
    await sleep(IDLE_LOOK_MS, undefined, { ref: false });
    yield (idleSeconds() - idle) / ((performance.now() - begun) / 1e3);
  }
}

export interface Cores {
  /** Number that may be used. */
  readonly count: number;
  /** Idle ones, from time to time. */
  readonly idle: AsyncGenerator<number>;
}

/**
 * Longest first; the next one that fits starts as soon as there is room. Loads are averages, and a program that waits
 * leaves its core to others: one more starts at each look that finds the cores idle. One program in the background runs
 * beside them from the start; when no other one waits, the rest of these starts as all programs do.
 */
export async function runAll<P extends Scheduled>(
  programs: readonly P[],
  cores: Cores,
  run: (program: P) => Promise<void>,
): Promise<void> {
  const longestFirst = [...programs].sort((a, b) => b.seconds - a.seconds);
  const waiting = longestFirst.filter(({ inBackground }) => !inBackground);
  const background = longestFirst.filter(({ inBackground }) => inBackground);
  const running = new Set<Promise<void>>();
  let load = 0;
  const start = (program: P, ownLoad = program.load): Promise<void> => {
    load += ownLoad;
    const done = run(program).finally(() => {
      load -= ownLoad;
      running.delete(done);
    });
    running.add(done);
    return done;
  };
  const runInBackground = async (): Promise<void> => {
    while (waiting.length > 0 && background.length > 0) await start(background.shift()!, 0);
  };
  /** Starts the longest program that may run and has at most this load. */
  const startNext = (room: number): boolean => {
    if (running.size >= MAX_AT_ONCE) return false;
    if (waiting.length === 0) waiting.push(...background.splice(0));
    const next = waiting.findIndex(({ load }) => load <= room);
    if (next < 0) return false;
    start(waiting.splice(next, 1)[0]!);
    return true;
  };
  const useIdleCores = async (): Promise<void> => {
    for await (const idle of cores.idle) {
      if (waiting.length === 0 && background.length === 0) return;
      if (idle >= MIN_IDLE_CORES) startNext(Number.POSITIVE_INFINITY);
    }
  };
  void useIdleCores();
  // A failure rejects the promise that is awaited below.
  runInBackground().catch(() => undefined);
  while (waiting.length > 0 || background.length > 0 || running.size > 0) {
    // Alone, a program may want more than there is.
    while (startNext(running.size === 0 ? Number.POSITIVE_INFINITY : cores.count - load + 1e-9));
    await Promise.race(running);
  }
}
