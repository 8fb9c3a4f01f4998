/**
 * Opening and closing the listening socket: a limit on open connections, and the moment to stop without resetting new
 * connections.
 */
import { statSync } from 'node:fs';
import { REAL_CLOCK, runPeriodically } from '#base/clock';

const MANY_CONNECTIONS_CHECK_MS = 250;
/** Interval of the checks of the connection count while fewer than half of the allowed connections are open, ms. */
const FEW_CONNECTIONS_CHECK_MS = 1_000;
/** Share of the maximum of connections below which the server listens again. */
const REOPEN_BELOW_CONNECTION_SHARE = 0.95;

const countOpenFileDescriptors = (): number => {
  try {
    return statSync('/proc/self/fd').size;
  } catch {
    return 0;
  }
};

/**
 * Limits the connections of a server that does not count them, by the open file descriptors of this process, where the
 * system shows them (Linux since 6.2). The gate checks four times a second, so the connections of a quarter of a second
 * may exceed the limit; once a second while fewer than half are open.
 */
export class OpenConnectionLimiter {
  #isListenerShut = false;
  #earlyCheckTimer: NodeJS.Timeout | undefined;
  readonly #stopPeriodicChecks: () => void;
  /** Number of file descriptors that were open before the server listened: files and other sockets. */
  readonly #otherDescriptorCount = countOpenFileDescriptors();

  constructor(
    private readonly maxConnections: number,
    private readonly listener: { shut(): void; open(): void },
  ) {
    this.#stopPeriodicChecks = runPeriodically(REAL_CLOCK, FEW_CONNECTIONS_CHECK_MS, () =>
      this.#checkConnectionCount(),
    );
  }

  #checkConnectionCount(): void {
    const open = countOpenFileDescriptors() - this.#otherDescriptorCount;
    if (open * 2 >= this.maxConnections) this.#scheduleEarlyCheck();
    if (!this.#isListenerShut && open > this.maxConnections) {
      this.#isListenerShut = true;
      this.listener.shut();
    } else if (this.#isListenerShut && open <= this.maxConnections * REOPEN_BELOW_CONNECTION_SHARE) {
      this.#isListenerShut = false;
      this.listener.open();
    }
  }

  #scheduleEarlyCheck(): void {
    this.#earlyCheckTimer ??= setTimeout(() => {
      this.#earlyCheckTimer = undefined;
      this.#checkConnectionCount();
    }, MANY_CONNECTIONS_CHECK_MS).unref();
  }

  stopChecks(): void {
    this.#stopPeriodicChecks();
    clearTimeout(this.#earlyCheckTimer);
  }
}

/** Duration below which a turn of the event loop counts as idle, ms. */
const MAX_QUIET_TURN_MS = 0.2;
/** Number of turns of the event loop after which a server that is never idle stops listening anyway. */
const MAX_TURNS_AWAITING_QUIET = 500;

/**
 * Waits for an idle turn of the event loop that accepted no connection. Closing a listening socket resets connections
 * that the system made but the process has not accepted, and closing a connection resets it if a request on it has not
 * been read; right after an idle turn there are few of both. At least one turn reads from all sockets.
 *
 * @param accepted returns the number of connections accepted until now, if a turn accepts at most one (libuv); a
 * constant if a turn accepts all waiting connections
 */
export async function waitForQuietEventLoopTurn(accepted: () => number): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS_AWAITING_QUIET; turns++) {
    const before = accepted();
    const began = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (accepted() === before && performance.now() - began < MAX_QUIET_TURN_MS) return;
  }
}
