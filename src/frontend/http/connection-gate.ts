/**
 * Bounds the connections of a server that does not count them: by the descriptors that this process has open, where the system
 * tells (Linux since 6.2). Looked at four times a second, so what comes in a quarter of a second comes on top; once a second while there are
 * fewer than half as many.
 */
import { statSync } from 'node:fs';
import { every, REAL_CLOCK } from '#base/clock';

const LOOK_MS = 250;
/** While there are few. */
const FEW_LOOK_MS = 1_000;
/** Listens again when so many (of the bound) are left. */
const REOPEN = 0.95;

const descriptors = (): number => {
  try {
    return statSync('/proc/self/fd').size;
  } catch {
    return 0;
  }
};

export class ConnectionGate {
  #shut = false;
  #soon: NodeJS.Timeout | undefined;
  readonly #stop: () => void;
  /** Files and connections of other purposes. */
  readonly #others = descriptors();

  constructor(
    private readonly most: number,
    private readonly listener: { shut(): void; open(): void },
  ) {
    this.#stop = every(REAL_CLOCK, FEW_LOOK_MS, () => this.#look());
  }

  #look(): void {
    const open = descriptors() - this.#others;
    if (open * 2 >= this.most) this.#lookSoon();
    if (!this.#shut && open > this.most) {
      this.#shut = true;
      this.listener.shut();
    } else if (this.#shut && open <= this.most * REOPEN) {
      this.#shut = false;
      this.listener.open();
    }
  }

  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#look();
    }, LOOK_MS).unref();
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#soon);
  }
}
