import { LEADER_LOCK_NAME } from '../contract/index.js';
import type { BrowserTabs } from '../core/index.js';

/** Message to other tabs, which answer with their ids. */
const ROLL_CALL = '?';
/** An open tab answers within this time, even if it is busy. */
const ROLL_CALL_MS = 2_000;

/**
 * Tabs of one browser: messages by a BroadcastChannel, leadership by a Web Lock, and a lock of its own for each tab,
 * by which others see that it is open. Without Web Locks (pages that are not served securely) each tab leads itself,
 * and answers when another one asks which tabs are open.
 */
export class LockedTabs implements BrowserTabs {
  readonly id = crypto.getRandomValues(new Uint32Array(2)).join('');
  readonly #channel: BroadcastChannel;
  readonly #lockManager = 'locks' in navigator ? navigator.locks : undefined;
  #leadCallbacks: { readonly gain: () => void; readonly lose: () => void } | undefined;

  /** Answers to all roll calls, the newest last. */
  readonly #presentTabIds: string[] = [];

  constructor(private readonly name: string) {
    this.#channel = new BroadcastChannel(name);
    void this.#lockManager?.request(this.#makeTabLockName(this.id), () => new Promise(() => {}));
  }

  post(message: unknown): void {
    if (this.#lockManager) this.#channel.postMessage(message);
  }

  onMessage(take: (message: unknown) => void): void {
    this.#channel.onmessage = ({ data }) => {
      if (data === ROLL_CALL) this.#channel.postMessage(this.id);
      else if (typeof data === 'string') this.#presentTabIds.push(data);
      else take(data);
    };
  }

  waitToLead(gain: () => void, lose: () => void): void {
    this.#leadCallbacks = { gain, lose };
    if (this.#lockManager) this.#requestLead({});
    else gain();
  }

  stealLead(): void {
    this.#requestLead({ steal: true });
  }

  async listOpenTabIds(): Promise<readonly string[]> {
    if (!this.#lockManager) {
      const earlier = this.#presentTabIds.length;
      this.#channel.postMessage(ROLL_CALL);
      await new Promise((resolve) => setTimeout(resolve, ROLL_CALL_MS));
      return this.#presentTabIds.slice(earlier);
    }
    const prefix = this.#makeTabLockName('');
    const { held = [] } = await this.#lockManager.query();
    return held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  }

  /** The lock is held until the tab closes or another one steals it, which rejects the request. */
  #requestLead(options: LockOptions): void {
    let held = false;
    const hold = (): Promise<never> => {
      held = true;
      this.#leadCallbacks?.gain();
      return new Promise(() => {});
    };
    this.#lockManager?.request(LEADER_LOCK_NAME, options, hold).catch(() => {
      if (!held) return;
      this.#leadCallbacks?.lose();
      this.#requestLead({});
    });
  }

  #makeTabLockName(id: string): string {
    return `${this.name}/tab/${id}`;
  }
}
