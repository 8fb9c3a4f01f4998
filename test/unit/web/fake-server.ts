/** A server, a platform and a core for tests that decide when answers arrive and how time passes. */
import { signal } from '@preact/signals-core';
import type { Message } from '../../../web/src/contract/index.js';
import {
  Core,
  type HttpAnswer,
  type HttpRequest,
  type NarrowMatchFacts,
  type Platform,
  type StoredValue,
} from '../../../web/src/core/index.js';

export const ME = 1;

export const FACTS: NarrowMatchFacts = {
  ownUserId: ME,
  getStreamPrivacy: () => 'public',
  isTopicMuted: () => false,
  isSubscribed: () => true,
};

export const messageOf = (id: number, topic: string, content = `message ${id}`, flags: string[] = []): Message => ({
  ...{ id, subject: topic, content, flags, stream_id: 7, display_recipient: 'general', type: 'stream' },
  ...{ sender_id: 2, sender_full_name: 'Two', sender_email: 'two@example.com', sender_realm_str: '' },
  ...{ avatar_url: '', client: 'test', content_type: 'text/html', is_me_message: false, reactions: [] },
  ...{ recipient_id: 7, submessages: [], timestamp: id, topic_links: [] },
});

interface Held {
  readonly answer: () => HttpAnswer;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

export const answer = (fields: object, status = 200): HttpAnswer => ({
  status,
  text: JSON.stringify({ result: 'success', msg: '', ...fields }),
});

export const isPoll = (path: string): boolean => path.includes('/api/v1/events');

export const answerRegistration = (user_id: number, user_settings: object = {}): HttpAnswer =>
  answer({ queue_id: 'q', last_event_id: 1, user_id, max_message_id: 5, presences: {}, user_settings });

/** Answers to a client that is signed in: its session, its registration, and polls without events. */
export function answerSignedIn({ path }: HttpRequest): HttpAnswer | undefined {
  if (path.endsWith('/web/session')) return answer({ signed_in: true, user_id: ME, public_access: false });
  if (path.endsWith('/register')) return answerRegistration(ME);
  return isPoll(path) ? answer({ events: [], queue_id: 'q' }) : undefined;
}

/** Terms of stream and topic only. */
function isIn(message: Message, narrow: readonly { operator: string; operand: unknown }[]): boolean {
  return narrow.every(({ operator, operand }) => {
    if (operator === 'stream') return message.stream_id === operand;
    return operator !== 'topic' || message.subject.toLowerCase() === String(operand).toLowerCase();
  });
}

export class FakeServer {
  readonly messages = new Map<number, Message>();
  /** Answers that are computed but not yet delivered: an answer may be older than what the client knows. */
  readonly held: Held[] = [];
  readonly requests: HttpRequest[] = [];
  /** An answer to other requests than GET /messages. */
  other: (request: HttpRequest) => HttpAnswer | undefined = () => undefined;

  fetch(request: HttpRequest): Promise<HttpAnswer> {
    this.requests.push(request);
    const url = new URL(request.path, 'http://server');
    const isList = request.method === 'GET' && url.pathname === '/api/v1/messages';
    const made = isList ? this.#list(url.searchParams) : (this.other(request) ?? answer({}));
    return new Promise((resolve, reject) => {
      const held = { answer: () => made, resolve, reject };
      this.held.push(held);
      request.signal?.addEventListener('abort', () => {
        const at = this.held.indexOf(held);
        if (at >= 0) this.held.splice(at, 1);
        reject(new Error('aborted'));
      });
    });
  }

  /** Delivers the oldest answer. @returns whether there was one */
  async deliver(): Promise<boolean> {
    const next = this.held.shift();
    next?.resolve(next.answer());
    await turns();
    return next !== undefined;
  }

  async deliverAll(): Promise<void> {
    while (await this.deliver());
  }

  /** The request took effect, and its answer is lost. */
  async lose(): Promise<void> {
    this.held.shift()?.reject(new Error('no network'));
    await turns();
  }

  #list(params: URLSearchParams): HttpAnswer {
    const narrow = JSON.parse(params.get('narrow') ?? '[]') as { operator: string; operand: unknown }[];
    const [before, after] = [Number(params.get('num_before')), Number(params.get('num_after'))];
    const all = [...this.messages.values()].filter((one) => isIn(one, narrow)).sort((a, b) => a.id - b.id);
    const asked = params.get('anchor') ?? '';
    const firstUnread = all.find(({ flags }) => !flags.includes('read'))?.id ?? 1e16;
    const named: Record<string, number> = { newest: 1e16, oldest: 0, first_unread: firstUnread };
    const anchor = named[asked] ?? Number(asked);
    const older = all.filter(({ id }) => id < anchor);
    const newer = all.filter(({ id }) => id > anchor);
    const messages = [
      ...older.slice(Math.max(0, older.length - before)),
      ...all.filter(({ id }) => id === anchor),
      ...(anchor >= 1e16 ? [] : newer.slice(0, after)),
    ];
    return answer({
      anchor,
      messages,
      found_anchor: all.some(({ id }) => id === anchor),
      found_oldest: anchor === 0 || older.length < before,
      found_newest: anchor >= 1e16 || newer.length < after,
      history_limited: false,
    });
  }
}

/** Lets all that is ready run. */
export const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A platform whose timers run when the test says so. */
export class FakePlatform implements Platform {
  readonly online = signal(true);
  readonly visible = signal(true);
  readonly focused = signal(true);
  readonly values = new Map<string, StoredValue>();
  readonly timers = new Map<number, { readonly run: () => void; readonly at: number }>();
  time = 1_000_000;
  #count = 0;

  constructor(readonly server: FakeServer) {}

  readonly store: Platform['store'] = {
    get: async (key) => this.values.get(key),
    set: async (key, value) => void this.values.set(key, value),
    delete: async (key) => void this.values.delete(key),
    keys: async (prefix) => [...this.values.keys()].filter((key) => key.startsWith(prefix)),
  };

  readonly tabs: Platform['tabs'] = {
    id: 'tab',
    post() {},
    onMessage() {},
    waitToLead: (gain) => gain(),
    stealLead() {},
    listOpenTabIds: async () => ['tab'],
  };

  readonly address: Platform['address'] = { hash: signal(''), navigate() {} };

  fetch(request: HttpRequest): Promise<HttpAnswer> {
    return this.server.fetch(request);
  }

  upload(): Promise<HttpAnswer> {
    return Promise.reject(new Error('no uploads'));
  }

  now(): number {
    return this.time;
  }

  random(): number {
    return 0.5;
  }

  setTimer(run: () => void, ms: number): number {
    this.timers.set(++this.#count, { run, at: this.time + ms });
    return this.#count;
  }

  clearTimer(timer: object | number): void {
    this.timers.delete(Number(timer));
  }

  /** Runs what is due until then, in order. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const [next] = [...this.timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (!next) break;
      this.timers.delete(next[0]);
      this.time = next[1].at;
      next[1].run();
      await turns();
    }
    this.time = end;
  }
}

/** Starts a core of a server with `answerSignedIn`, until it is live. Its poll and its report of presence are held. */
export async function startLiveCore(platform: FakePlatform): Promise<Core> {
  const core = new Core(platform);
  core.startQueueAndPresence();
  await turns();
  await platform.server.deliver();
  await turns();
  await platform.server.deliver();
  const { value: status } = core.eventQueue.status;
  if (status !== 'live') throw new Error(`the core is ${status}`);
  return core;
}

export async function signOut(server: FakeServer, core: Core): Promise<void> {
  const signingOut = core.session.signOut();
  await server.deliverAll();
  await signingOut;
}

/** Signs in until the state of the account is loaded. The poll stays unanswered. */
export async function signInAs(server: FakeServer, core: Core, user: number): Promise<void> {
  const { other } = server;
  server.other = (request) => (request.path.endsWith('/register') ? answerRegistration(user) : other(request));
  const signingIn = core.session.signIn('name', 'password');
  const isLoaded = () => core.session.state.value === 'signed-in' && core.state.me.userIdSignal.value === user;
  while (!isLoaded()) await server.deliver();
  await signingIn;
  server.held.splice(0);
}
