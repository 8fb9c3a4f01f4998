/** Interface of the core to its environment. web/src/platform implements it for browsers, tests for Node. */
import type { ReadonlySignal } from '@preact/signals-core';

export interface HttpRequest {
  readonly method: string;
  /** Path with query, on the server that the page came from. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A file of the user: the browser's `File` fits. */
export interface LocalFile {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

export interface UploadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly file: LocalFile;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes sent so far. */
  readonly onProgress: (sent: number) => void;
}

/** Handle of a timer. */
export type TimerHandle = object | number;

/** A value that can be stored: the same as structured clone and as JSON. */
export type StoredValue =
  | string
  | number
  | boolean
  | null
  | readonly StoredValue[]
  | { readonly [key: string]: StoredValue };

/** Storage of this browser for this server. Failures are the implementation's concern: a failed `get` is a miss. */
export interface KeyValueStore {
  get(key: string): Promise<StoredValue | undefined>;
  set(key: string, value: StoredValue): Promise<void>;
  delete(key: string): Promise<void>;
  keys(prefix: string): Promise<readonly string[]>;
}

/** Messages between tabs of one account. Their content is the core's concern (sync/tabs.ts). */
export interface BrowserTabs {
  /** Id of this tab, unique among those open now. */
  readonly id: string;
  post(message: unknown): void;
  onMessage(take: (message: unknown) => void): void;
  /**
   * Waits to be the leading tab and then calls `gain`. The tab leads until it closes, or until another one takes the
   * lead with `stealLead`, which calls `lose`.
   */
  waitToLead(gain: () => void, lose: () => void): void;
  /** Takes the lead from a tab that doesn't answer. */
  stealLead(): void;
  /** Ids of the tabs that are open. */
  listOpenTabIds(): Promise<readonly string[]>;
}

/** The part of the address behind `#`. */
export interface PageAddress {
  /** Part of the page's address from `#` on; empty without one. */
  readonly hash: ReadonlySignal<string>;
  /** @param replace the current entry of the history, instead of adding one */
  navigate(hash: string, replace?: boolean): void;
}

export interface Platform {
  /** @throws any error when the server can't be reached */
  fetch(request: HttpRequest): Promise<HttpAnswer>;
  upload(request: UploadRequest): Promise<HttpAnswer>;
  /** Milliseconds since 1970. */
  now(): number;
  setTimer(run: () => void, ms: number): TimerHandle;
  clearTimer(timer: TimerHandle | undefined): void;
  /** A number from 0 to 1, without 1. */
  random(): number;
  readonly store: KeyValueStore;
  readonly tabs: BrowserTabs;
  readonly address: PageAddress;
  /** Whether there may be a network: browsers know only when there is none. */
  readonly online: ReadonlySignal<boolean>;
  /** Whether the user sees the page. */
  readonly visible: ReadonlySignal<boolean>;
  /** Whether the page is visible and its window has the focus, so that the user attends to it. */
  readonly focused: ReadonlySignal<boolean>;
}
