import { LEADER_LOCK_NAME } from '../contract/index.js';
import type { BrowserTabs } from '../core/index.js';

/**
 * Tabs of one browser: messages by a BroadcastChannel, leadership by a Web Lock, and a lock of its own for each tab,
 * by which others see that it is open. Without Web Locks (pages that are not served securely) each tab leads itself.
 */
export class LockedTabs implements BrowserTabs {
  readonly id = [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  readonly #channel: BroadcastChannel;
  readonly #lockManager = 'locks' in navigator ? navigator.locks : undefined;
  #leadCallbacks: { readonly gain: () => void; readonly lose: () => void } | undefined;

  constructor(private readonly name: string) {
    this.#channel = new BroadcastChannel(name);
    void this.#lockManager?.request(this.#makeTabLockName(this.id), () => new Promise(() => {}));
  }

  post(message: unknown): void {
    if (this.#lockManager) this.#channel.postMessage(message);
  }

  onMessage(take: (message: unknown) => void): void {
    this.#channel.onmessage = ({ data }) => take(data);
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
    const prefix = this.#makeTabLockName('');
    const { held = [] } = (await this.#lockManager?.query()) ?? {};
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
