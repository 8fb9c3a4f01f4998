/** Random actions of a simulated user on messages, streams, drafts and their own name. */
import type { ApiMessage, Fields } from '../api/support/types.js';
import type { HttpResponse, Params } from './http-call.js';
import type { CallKind, CallRecord } from './record.js';
import { outcomeOf, type SimClient } from './sim-client.js';
import type { SimCluster } from './sim-cluster.js';
import type { SimProcess } from './sim-process.js';
import {
  DIRECT_CONVERSATIONS,
  OUTSIDER,
  type SimStream,
  type SimUser,
  type StartState,
  SUBSCRIPTION_CHANGERS,
} from './start-state.js';

const ACTION_WEIGHTS: readonly (readonly [CallKind, number])[] = [
  ['send', 40],
  ['schedule', 9],
  ['edit', 8],
  ['delete', 4],
  ['react', 6],
  ['read', 10],
  ['read all', 2],
  ['subscribe', 14],
  ['unsubscribe', 7],
  ['fetch', 10],
  ['draft', 8],
  ['drafts', 10],
  ['rename', 6],
];
const TOTAL_WEIGHT = ACTION_WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

export class UserActivity {
  constructor(
    readonly user: SimUser,
    private readonly clients: readonly SimClient[],
    private readonly cluster: SimCluster,
    private readonly startState: StartState,
    private readonly calls: CallRecord[],
    /** Called when a user's subscription to a stream is confirmed. */
    private readonly onSubscribed: (targetUser: number, stream: number) => void,
  ) {}

  act(): void {
    let left = this.cluster.random.below(TOTAL_WEIGHT);
    const kind = ACTION_WEIGHTS.find(([, weight]) => {
      left -= weight;
      return left < 0;
    })![0];
    switch (kind) {
      case 'send':
      case 'schedule':
        this.#send(kind);
        return;
      case 'edit':
      case 'delete':
      case 'react':
      case 'read':
        this.#changeMessage(kind);
        return;
      case 'read all':
        this.readAll();
        return;
      case 'subscribe':
      case 'unsubscribe':
        this.#changeSubscription(kind);
        return;
      case 'draft':
        this.#draft();
        return;
      case 'drafts':
        this.#call('drafts', 'GET', '/drafts', {}, {});
        return;
      case 'rename':
        this.#rename();
        return;
      default:
        this.fetch();
        return;
    }
  }

  fetch(): void {
    const params = { anchor: 'newest', num_before: 200, num_after: 0 };
    this.#call('fetch', 'GET', '/messages', params, {});
  }

  readAll(): void {
    this.#call('read all', 'POST', '/mark_all_as_read', {}, {});
  }

  /** Sends to a stream in 85 % of the cases, right after the event or the response of the user's subscription. */
  sendAfterJoin(stream: number): void {
    if (this.cluster.random.chance(0.85)) this.#send('send', stream);
  }

  schedule(): void {
    this.#send('schedule');
  }

  deactivate(targetUser: number): void {
    this.#call('deactivate', 'DELETE', `/users/${targetUser}`, {}, { targetUser });
  }

  #send(kind: 'send' | 'schedule', streamId?: number): void {
    const { random, clock } = this.cluster;
    const { streams, users } = this.startState;
    const op = this.#nextOp();
    const content = `${op} says ${this.user.name}${random.chance(0.1) ? ' to **carl**' : ''}`;
    const conversations = DIRECT_CONVERSATIONS.filter((names) => names.includes(this.user.name));
    const direct =
      streamId === undefined && conversations.length > 0 && random.chance(0.25)
        ? random.pick(conversations)
        : undefined;
    const dueS = Math.floor(clock.now() / 1000) + 1 + random.below(12);
    const schedule: Params = kind === 'schedule' ? { scheduled_delivery_timestamp: dueS } : {};
    const path = kind === 'schedule' ? '/scheduled_messages' : '/messages';
    const known = kind === 'schedule' ? { scheduledS: dueS } : {};
    if (direct) {
      const ids = direct.map((name) => users.find((user) => user.name === name)!.id);
      const to = ids.filter((id) => id !== this.user.id);
      this.#call(kind, 'POST', path, { type: 'direct', to, content, ...schedule }, { ...known, users: ids }, op);
      return;
    }
    const stream = streams.find(({ id }) => id === streamId) ?? random.pick(streams);
    const queue = random.chance(0.5) ? random.pick(this.clients)?.queue : undefined;
    const local = queue && kind === 'send' ? { queue: queue.id, id: `local-${op}` } : undefined;
    const params = {
      type: 'stream',
      to: stream.id,
      topic: random.pick(['one', 'two']),
      content,
      ...schedule,
      ...(local && { queue_id: local.queue, local_id: local.id }),
    };
    this.#call(kind, 'POST', path, params, { ...known, stream: stream.id, ...(local && { local }) }, op);
  }

  #draft(): void {
    const op = this.#nextOp();
    const drafts = [
      {
        type: 'stream',
        to: [this.startState.streams.find(({ name }) => name === 'open')!.id],
        topic: 'one',
        content: op,
      },
    ];
    this.#call('draft', 'POST', '/drafts', { drafts }, {}, op);
  }

  /** Renames the user; after the confirmation the user reads their data through that frontend. */
  #rename(): void {
    const op = this.#nextOp();
    const frontend = this.cluster.random.pick(this.cluster.frontends);
    const params = { full_name: `${this.user.name} ${op}` };
    this.#call(
      'rename',
      'PATCH',
      '/settings',
      params,
      {},
      op,
      () => {
        if (!frontend.dead && !frontend.isStopping)
          this.#call('me', 'GET', '/users/me', {}, {}, this.#nextOp(), undefined, frontend);
      },
      frontend,
    );
  }

  /** Edits, deletes, marks or reacts to a message that a queue of the user delivered. */
  #changeMessage(kind: 'edit' | 'delete' | 'react' | 'read'): void {
    const { random } = this.cluster;
    const own = kind === 'edit' || kind === 'delete';
    const known = this.#receivedMessages().filter((message) => !own || message.sender_id === this.user.id);
    if (known.length === 0) {
      this.#send('send');
      return;
    }
    const { id, content } = random.pick(known);
    const op = this.#nextOp();
    const text = /op\d+/.exec(content)?.[0] ?? '';
    if (kind === 'read') {
      const messages = random.chance(0.5) ? [id] : known.map((message) => message.id);
      const params = { messages, op: 'add', flag: 'read' };
      this.#call('read', 'POST', '/messages/flags', params, { messages }, op);
    } else if (kind === 'react') {
      this.#call('react', 'POST', `/messages/${id}/reactions`, { emoji_name: 'octopus' }, { messages: [id] }, op);
    } else if (kind === 'edit') {
      this.#call('edit', 'PATCH', `/messages/${id}`, { content: `${text} edit:${op}` }, { messages: [id] }, op);
    } else this.#call('delete', 'DELETE', `/messages/${id}`, {}, { messages: [id] }, op);
  }

  /** Messages of calls, without the bot's, that the user's queues delivered. */
  #receivedMessages(): ApiMessage[] {
    return this.clients
      .flatMap((client) => client.queue?.polls ?? [])
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.type === 'message' ? [event.message as ApiMessage] : []))
      .filter(({ content }) => /^(<p>)?op\d/.test(content));
  }

  #changeSubscription(kind: 'subscribe' | 'unsubscribe'): void {
    const { random } = this.cluster;
    const changer = random.pick(SUBSCRIPTION_CHANGERS);
    const targetUser = this.startState.users.find(({ name }) => name === changer)!.id;
    const { streams } = this.startState;
    // A private stream in 60 % of the changes: only there may a non-member not send.
    const stream: SimStream = random.chance(0.6) ? streams.find(({ isPrivate }) => isPrivate)! : random.pick(streams);
    if (this.user.name === OUTSIDER || (targetUser !== this.user.id && kind === 'unsubscribe')) {
      this.#send('send');
      return;
    }
    const known = { stream: stream.id, targetUser };
    const path = '/users/me/subscriptions';
    if (kind === 'unsubscribe') this.#call(kind, 'DELETE', path, { subscriptions: [stream.name] }, known);
    else {
      const params = { subscriptions: [{ name: stream.name }], principals: [targetUser] };
      this.#call(kind, 'POST', path, params, known, this.#nextOp(), () => this.onSubscribed(targetUser, stream.id));
    }
  }

  #nextOp(): string {
    return `op${this.calls.length + 1}`;
  }

  #call(
    kind: CallKind,
    method: string,
    path: string,
    params: Params,
    known: Partial<CallRecord>,
    op = this.#nextOp(),
    onOk: () => void = () => {},
    frontend: SimProcess = this.cluster.random.pick(this.cluster.frontends),
  ): void {
    const { scheduler } = this.cluster;
    const { authorization, name, id } = this.user;
    const record: CallRecord = {
      ...known,
      op,
      kind,
      user: id,
      startStep: scheduler.steps,
      endStep: 0,
      outcome: 'open',
      body: {},
    };
    this.calls.push(record);
    const label = `${name} ${op} ${method} ${path}`;
    const request = { method, path, params, authorization, label };
    const call = this.cluster.call(request, frontend, (response: HttpResponse) => {
      record.endStep = scheduler.steps;
      record.endMs = this.cluster.clock.now();
      record.outcome = outcomeOf(response);
      record.body = (response.body as Fields) ?? {};
      record.wasRepeated = this.cluster.network.repeatedRequestIds.has(call.requestId);
      if (record.outcome === 'ok') onOk();
    });
  }
}
