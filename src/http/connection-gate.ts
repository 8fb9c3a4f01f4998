/**
 * Bounds the connections of a server that does not count them: by the descriptors that this process has open, where the system
 * tells (Linux since 6.2). Looked at four times a second, so what comes in a quarter of a second comes on top; once a second while there are
 * fewer than half as many.
 */
import { statSync } from 'node:fs';

const LOOK_MS = 250;
/** Of four, while there are few. */
const FEWER = 3;
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
  /** Looks that are left out. */
  #leaves = 0;
  readonly #timer: NodeJS.Timeout;
  /** Files and connections of other purposes. */
  readonly #others = descriptors();

  constructor(
    private readonly most: number,
    private readonly listener: { shut(): void; open(): void },
  ) {
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    if (this.#leaves > 0) {
      this.#leaves--;
      return;
    }
    const open = descriptors() - this.#others;
    this.#leaves = open * 2 < this.most ? FEWER : 0;
    if (!this.#shut && open > this.most) {
      this.#shut = true;
      this.listener.shut();
    } else if (this.#shut && open <= this.most * REOPEN) {
      this.#shut = false;
      this.listener.open();
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
