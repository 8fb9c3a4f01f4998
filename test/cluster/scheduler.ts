/** Everything that may happen next in a simulated cluster, and the seeded choice among it. */

/** Deterministic random numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** 0 ≤ x < 1. */
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

/** Where a task happens: tasks of a dead process never run, those of a frozen one wait. */
export interface Place {
  readonly name: string;
  dead: boolean;
  frozen: boolean;
}

interface Task {
  readonly label: string;
  readonly place: Place | undefined;
  readonly run: () => void;
}

const TRACE = 80;

export class Scheduler {
  readonly #trace: string[] = [];
  #tasks: Task[] = [];
  /** Tasks that must keep their order among themselves: only the first of each channel can be picked. */
  readonly #channels = new Map<string, Task[]>();
  #hash = 0;
  readonly #names = new Map<string, string>();
  steps = 0;

  /** @param keep lines of the trace that are kept: the newest */
  constructor(
    readonly random: Random,
    private readonly keep = TRACE,
  ) {}

  add(label: string, place: Place | undefined, run: () => void): void {
    if (!place?.dead) this.#tasks.push({ label, place, run });
  }

  /** Runs after everything added to this channel before. */
  addInOrder(channel: string, label: string, place: Place | undefined, run: () => void): void {
    const waiting = this.#channels.get(channel) ?? [];
    this.#channels.set(channel, waiting);
    const task: Task = {
      label,
      place,
      run: () => {
        waiting.shift();
        if (waiting[0]) this.#tasks.push(waiting[0]);
        run();
      },
    };
    waiting.push(task);
    if (waiting.length === 1) this.#tasks.push(task);
  }

  /** A gate: resolves when the seed picks it; never once its process is dead. */
  gate(label: string, place: Place): Promise<void> {
    return new Promise((resolve) => this.add(label, place, resolve));
  }

  /**
   * Ids of queues are made by chance, and must not be part of a trace that is to repeat: names in order of appearance.
   */
  short(text: string): string {
    return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
      const name = this.#names.get(id) ?? `q${this.#names.size + 1}`;
      this.#names.set(id, name);
      return name;
    });
  }

  note(label: string): void {
    this.#trace.push(`${this.steps} ${label}`);
    if (this.#trace.length > this.keep) this.#trace.shift();
    for (let i = 0; i < label.length; i++) this.#hash = (Math.imul(this.#hash, 31) + label.charCodeAt(i)) | 0;
  }

  /** Do one thing that is possible now; false if there is none. */
  step(): boolean {
    this.#tasks = this.#tasks.filter((task) => !task.place?.dead);
    const able = this.able();
    if (able.length === 0) return false;
    const task = this.random.pick(able);
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
    this.steps++;
    this.note(task.label);
    task.run();
    return true;
  }

  private able(): readonly Task[] {
    return this.#tasks.some((task) => task.place?.frozen)
      ? this.#tasks.filter((task) => !task.place?.frozen)
      : this.#tasks;
  }

  get waiting(): number {
    return this.#tasks.length;
  }

  get trace(): readonly string[] {
    return this.#trace;
  }

  /** Equal for equal runs. */
  get fingerprint(): string {
    return `${this.steps}:${this.#hash >>> 0}`;
  }
}

/** Let all promises that can settle do so: no timer or I/O is real in a simulation. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
