import type { Tabs } from '../core/index.js';

/**
 * Tabs of one browser: messages by a BroadcastChannel, leadership by a Web Lock, and a lock of its own for each tab,
 * by which others see that it is open. Without Web Locks (pages that are not served securely) each tab leads itself.
 */
export class LockedTabs implements Tabs {
  readonly id = [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  readonly #channel: BroadcastChannel;
  readonly #locks = 'locks' in navigator ? navigator.locks : undefined;
  #lead: { readonly gain: () => void; readonly lose: () => void } | undefined;

  constructor(private readonly name: string) {
    this.#channel = new BroadcastChannel(name);
    void this.#locks?.request(this.#ownLock(this.id), () => new Promise(() => {}));
  }

  post(message: unknown): void {
    if (this.#locks) this.#channel.postMessage(message);
  }

  onMessage(take: (message: unknown) => void): void {
    this.#channel.onmessage = ({ data }) => take(data);
  }

  lead(gain: () => void, lose: () => void): void {
    this.#lead = { gain, lose };
    if (this.#locks) this.#request({});
    else gain();
  }

  steal(): void {
    this.#request({ steal: true });
  }

  async alive(): Promise<readonly string[]> {
    const prefix = this.#ownLock('');
    const { held = [] } = (await this.#locks?.query()) ?? {};
    return held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  }

  /** The lock is held until the tab closes or another one steals it, which rejects the request. */
  #request(options: LockOptions): void {
    let held = false;
    const hold = (): Promise<never> => {
      held = true;
      this.#lead?.gain();
      return new Promise(() => {});
    };
    this.#locks?.request(`${this.name}/leader`, options, hold).catch(() => {
      if (!held) return;
      this.#lead?.lose();
      this.#request({});
    });
  }

  #ownLock(id: string): string {
    return `${this.name}/tab/${id}`;
  }
}
