/** Opening and closing the listening socket: a bound for open connections, and the right moment to stop. */
import { statSync } from 'node:fs';
import { REAL_CLOCK, runEvery } from '#base/clock';

const LOOK_MS = 250;
/** Interval of the checks while fewer than half of the allowed connections are open, ms. */
const FEW_LOOK_MS = 1_000;
/** Listens again when the connections are down to this share of the bound. */
const REOPEN = 0.95;

const descriptors = (): number => {
  try {
    return statSync('/proc/self/fd').size;
  } catch {
    return 0;
  }
};

/**
 * Bounds the connections of a server that does not count them, by the open descriptors of this process, where the
 * system shows them (Linux since 6.2). It looks four times a second, so the connections of a quarter of a second may
 * exceed the bound; once a second while fewer than half are open.
 */
export class ConnectionGate {
  #shut = false;
  #soon: NodeJS.Timeout | undefined;
  readonly #stop: () => void;
  /** Number of descriptors that were open before: files and other sockets. */
  readonly #others = descriptors();

  constructor(
    private readonly maxConnections: number,
    private readonly listener: { shut(): void; open(): void },
  ) {
    this.#stop = runEvery(REAL_CLOCK, FEW_LOOK_MS, () => this.#look());
  }

  #look(): void {
    const open = descriptors() - this.#others;
    if (open * 2 >= this.maxConnections) this.#lookSoon();
    if (!this.#shut && open > this.maxConnections) {
      this.#shut = true;
      this.listener.shut();
    } else if (this.#shut && open <= this.maxConnections * REOPEN) {
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

/** A turn of the event loop shorter than this did next to nothing. */
const QUIET_MS = 0.2;
/** A server that is never quiet stops listening after this number of turns. */
const MAX_TURNS = 500;

/**
 * Waits for a turn of the event loop that accepted no connection and did next to nothing else. Closing a listening
 * socket resets connections that are made but not yet accepted; right after such a turn there are only those of this
 * moment.
 *
 * @param accepted connections so far, where a turn accepts one at most (libuv); constant where a turn accepts all there
 * are
 */
export async function waitForQuietTurn(accepted: () => number): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    const before = accepted();
    const began = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (accepted() === before && performance.now() - began < QUIET_MS) return;
  }
}
