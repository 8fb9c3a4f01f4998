/** Runnable tasks of a simulation; a seeded random choice decides which task runs next. */

/** Deterministic random numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** @returns a number from 0 to below 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** Simulated process of a task: tasks of a dead process never run; tasks of a frozen process wait. */
export interface SimulatedProcess {
  readonly name: string;
  dead: boolean;
  frozen: boolean;
}

interface Task {
  readonly label: string;
  readonly process: SimulatedProcess | undefined;
  readonly run: () => void;
}

const DEFAULT_TRACE_LINES = 80;

export class Scheduler {
  readonly #trace: string[] = [];
  #tasks: Task[] = [];
  /** Tasks per channel, in order. Only the first task of a channel is runnable. */
  readonly #channels = new Map<string, Task[]>();
  #hash = 0;
  readonly #queueNames = new Map<string, string>();
  steps = 0;

  /** @param maxTraceLines number of newest trace lines to keep */
  constructor(
    readonly random: Random,
    private readonly maxTraceLines = DEFAULT_TRACE_LINES,
  ) {}

  add(label: string, process: SimulatedProcess | undefined, run: () => void): void {
    if (!process?.dead) this.#tasks.push({ label, process, run });
  }

  /** Adds a task that runs after all earlier tasks of the channel. */
  addInOrder(channel: string, label: string, process: SimulatedProcess | undefined, run: () => void): void {
    const waiting = this.#channels.get(channel) ?? [];
    this.#channels.set(channel, waiting);
    const task: Task = {
      label,
      process,
      run: () => {
        waiting.shift();
        if (waiting[0]) this.#tasks.push(waiting[0]);
        run();
      },
    };
    waiting.push(task);
    if (waiting.length === 1) this.#tasks.push(task);
  }

  /** @returns a promise that resolves when the seed picks it, and never if the process is dead */
  gate(label: string, process: SimulatedProcess): Promise<void> {
    return new Promise((resolve) => this.add(label, process, resolve));
  }

  /** Replaces random queue ids by q1, q2 … in order of appearance, so that equal runs have equal traces. */
  replaceQueueIds(text: string): string {
    return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
      const name = this.#queueNames.get(id) ?? `q${this.#queueNames.size + 1}`;
      this.#queueNames.set(id, name);
      return name;
    });
  }

  note(label: string): void {
    this.#trace.push(`${this.steps} ${label}`);
    if (this.#trace.length > this.maxTraceLines) this.#trace.shift();
    for (let i = 0; i < label.length; i++) this.#hash = (Math.imul(this.#hash, 31) + label.charCodeAt(i)) | 0;
  }

  /** Runs one runnable task. @returns false if no task is runnable */
  step(): boolean {
    this.#tasks = this.#tasks.filter((task) => !task.process?.dead);
    const runnable = this.runnableTasks();
    if (runnable.length === 0) return false;
    const task = this.random.pick(runnable);
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
    this.steps++;
    this.note(task.label);
    task.run();
    return true;
  }

  private runnableTasks(): readonly Task[] {
    return this.#tasks.some((task) => task.process?.frozen)
      ? this.#tasks.filter((task) => !task.process?.frozen)
      : this.#tasks;
  }

  get taskCount(): number {
    return this.#tasks.length;
  }

  get trace(): readonly string[] {
    return this.#trace;
  }

  /** Step count and hash of all trace lines; equal runs have equal fingerprints. */
  get fingerprint(): string {
    return `${this.steps}:${this.#hash >>> 0}`;
  }
}

/** Waits one event loop turn, in which all pending promises settle: a simulation has no real timers or I/O. */
export const settlePromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
