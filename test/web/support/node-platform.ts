/** A `Platform` in Node: one tab of a browser, against a real server. Tabs of one browser share a `Browser`. */
import { type Signal, signal } from '@preact/signals-core';
import type {
  BrowserTabs,
  HttpAnswer,
  HttpRequest,
  Platform,
  StoredValue,
  UploadRequest,
} from '../../../web/src/core/index.js';

interface Leading {
  readonly gain: () => void;
  readonly lose: () => void;
}

/** Storage, messages and leadership of the tabs of one browser. */
export class Browser {
  readonly values = new Map<string, StoredValue>();
  readonly #tabs: TestTabs[] = [];
  #made = 0;
  #leader: TestTabs | undefined;

  openTab(): TestTabs {
    const tab = new TestTabs(this, `tab${++this.#made}`);
    this.#tabs.push(tab);
    return tab;
  }

  /** Another tab gets a copy in a later turn, as from a BroadcastChannel. */
  post(from: TestTabs, message: unknown): void {
    const copy: unknown = structuredClone(message);
    for (const tab of this.#tabs) if (tab !== from) queueMicrotask(() => tab.take(copy));
  }

  closeTab(tab: TestTabs): void {
    this.#tabs.splice(this.#tabs.indexOf(tab), 1);
    if (this.#leader !== tab) return;
    this.#leader = undefined;
    this.settle();
  }

  /** The first waiting tab leads when there is no leader. */
  settle(): void {
    if (this.#leader) return;
    const next = this.#tabs.find(({ leading }) => leading);
    this.#leader = next;
    if (next) queueMicrotask(() => next.leading?.gain());
  }

  steal(by: TestTabs): void {
    const before = this.#leader;
    this.#leader = by;
    before?.leading?.lose();
    by.leading?.gain();
  }

  alive(): readonly string[] {
    return this.#tabs.map(({ id }) => id);
  }
}

export class TestTabs implements BrowserTabs {
  leading: Leading | undefined;
  #take: (message: unknown) => void = () => {};

  constructor(
    private readonly browser: Browser,
    readonly id: string,
  ) {}

  post(message: unknown): void {
    this.browser.post(this, message);
  }

  onMessage(take: (message: unknown) => void): void {
    this.#take = take;
  }

  take(message: unknown): void {
    this.#take(message);
  }

  waitToLead(gain: () => void, lose: () => void): void {
    this.leading = { gain, lose };
    this.browser.settle();
  }

  stealLead(): void {
    this.browser.steal(this);
  }

  async listOpenTabIds(): Promise<readonly string[]> {
    return this.browser.alive();
  }
}

export class NodePlatform implements Platform {
  readonly tabs: TestTabs;
  readonly online: Signal<boolean> = signal(true);
  readonly visible: Signal<boolean> = signal(true);
  readonly focused: Signal<boolean> = signal(true);
  readonly hash = signal('');
  readonly store: Platform['store'];
  readonly address: Platform['address'];
  /** Requests so far, as "METHOD /path" without the query. */
  readonly requests: string[] = [];
  /** Called before each request and after its answer; an error is a lost connection. */
  before: (request: HttpRequest) => void | Promise<void> = () => {};
  after: (request: HttpRequest, text: string) => void | Promise<void> = () => {};
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor(
    private readonly origin: () => string,
    private readonly headers: Readonly<Record<string, string>>,
    readonly browser = new Browser(),
  ) {
    this.tabs = browser.openTab();
    const { values } = browser;
    this.store = {
      get: async (key) => values.get(key),
      set: async (key, value) => {
        if (!this.#closed) values.set(key, structuredClone(value));
      },
      delete: async (key) => {
        if (!this.#closed) values.delete(key);
      },
      keys: async (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)),
    };
    const { hash } = this;
    this.address = {
      hash,
      navigate: (to) => {
        hash.value = to;
      },
    };
  }

  async fetch(request: HttpRequest): Promise<HttpAnswer> {
    if (this.#closed) throw new Error('the tab is closed');
    this.requests.push(`${request.method} ${request.path.replace(/\?.*/, '')}`);
    await this.before(request);
    const answer = await fetch(`${this.origin()}${request.path}`, {
      method: request.method,
      headers: { ...request.headers, ...this.headers },
      body: request.body ?? null,
      signal: request.signal ?? null,
    });
    const text = await answer.text();
    // A closed tab never gets its answers.
    if (this.#closed) return new Promise(() => {});
    await this.after(request, text);
    return { status: answer.status, text };
  }

  upload(_: UploadRequest): Promise<HttpAnswer> {
    return Promise.reject(new Error('no uploads in Node'));
  }

  now(): number {
    return Date.now();
  }

  setTimer(run: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#closed) run();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  clearTimer(timer: object | number): void {
    for (const of of this.#timers) if (of === timer) clearTimeout(of);
  }

  random(): number {
    return Math.random();
  }

  /** Closes the tab: nothing of it runs any more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.browser.closeTab(this.tabs);
  }
}
