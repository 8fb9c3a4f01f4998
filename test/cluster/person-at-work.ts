/** Actions of a simulated person on messages and streams. */
import type { ApiMessage, Fields } from '../api/support/types.js';
import type { ClusterWorld } from './cluster-world.js';
import { type Beginning, CONVERSATIONS, MOVERS, OUTSIDER, type SimPerson, type SimStream } from './genesis.js';
import type { HttpAnswer, Params } from './http-call.js';
import type { CallKind, CallRecord } from './record.js';
import { outcomeOf, type SimDevice } from './sim-device.js';
import type { SimProcess } from './sim-process.js';

const HABITS: readonly (readonly [CallKind, number])[] = [
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
const WHOLE = HABITS.reduce((sum, [, weight]) => sum + weight, 0);

export class PersonAtWork {
  constructor(
    readonly person: SimPerson,
    private readonly devices: readonly SimDevice[],
    private readonly world: ClusterWorld,
    private readonly beginning: Beginning,
    private readonly calls: CallRecord[],
    /** Somebody was subscribed to a stream, and all is answered. */
    private readonly subscribed: (whom: number, stream: number) => void,
  ) {}

  act(): void {
    let left = this.world.random.below(WHOLE);
    const kind = HABITS.find(([, weight]) => {
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
        this.#change(kind);
        return;
      case 'read all':
        this.readAll();
        return;
      case 'subscribe':
      case 'unsubscribe':
        this.#move(kind);
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

  /** A person may use a new subscription as soon as its event arrives. */
  joined(stream: number): void {
    if (this.world.random.chance(0.85)) this.#send('send', stream);
  }

  schedule(): void {
    this.#send('schedule');
  }

  deactivate(whom: number): void {
    this.#call('deactivate', 'DELETE', `/users/${whom}`, {}, { whom });
  }

  #send(kind: 'send' | 'schedule', into?: number): void {
    const { random, clock } = this.world;
    const { streams, people } = this.beginning;
    const op = this.#op();
    const content = `${op} says ${this.person.name}${random.chance(0.1) ? ' to **carl**' : ''}`;
    const sets = CONVERSATIONS.filter((names) => names.includes(this.person.name));
    const direct = into === undefined && sets.length > 0 && random.chance(0.25) ? random.pick(sets) : undefined;
    const at = Math.floor(clock.now() / 1000) + 1 + random.below(12);
    const when: Params = kind === 'schedule' ? { scheduled_delivery_timestamp: at } : {};
    const path = kind === 'schedule' ? '/scheduled_messages' : '/messages';
    const known = kind === 'schedule' ? { at } : {};
    if (direct) {
      const ids = direct.map((name) => people.find((person) => person.name === name)!.id);
      const to = ids.filter((id) => id !== this.person.id);
      this.#call(kind, 'POST', path, { type: 'direct', to, content, ...when }, { ...known, people: ids }, op);
      return;
    }
    const stream = streams.find(({ id }) => id === into) ?? random.pick(streams);
    const queue = random.chance(0.5) ? random.pick(this.devices)?.queue : undefined;
    const local = queue && kind === 'send' ? { queue: queue.id, id: `local-${op}` } : undefined;
    const params = {
      type: 'stream',
      to: stream.id,
      topic: random.pick(['one', 'two']),
      content,
      ...when,
      ...(local && { queue_id: local.queue, local_id: local.id }),
    };
    this.#call(kind, 'POST', path, params, { ...known, stream: stream.id, ...(local && { local }) }, op);
  }

  #draft(): void {
    const op = this.#op();
    const drafts = [
      {
        type: 'stream',
        to: [this.beginning.streams.find(({ name }) => name === 'open')!.id],
        topic: 'one',
        content: op,
      },
    ];
    this.#call('draft', 'POST', '/drafts', { drafts }, {}, op);
  }

  /** Renames the person; after the confirmation they look at the same frontend. */
  #rename(): void {
    const op = this.#op();
    const front = this.world.random.pick(this.world.fronts);
    const params = { full_name: `${this.person.name} ${op}` };
    this.#call(
      'rename',
      'PATCH',
      '/settings',
      params,
      {},
      op,
      () => {
        if (!front.dead && !front.leaving) this.#call('me', 'GET', '/users/me', {}, {}, this.#op(), undefined, front);
      },
      front,
    );
  }

  /** Something is done with messages that the person has heard of. */
  #change(kind: 'edit' | 'delete' | 'react' | 'read'): void {
    const { random } = this.world;
    const own = kind === 'edit' || kind === 'delete';
    const known = this.#known().filter((message) => !own || message.sender_id === this.person.id);
    if (known.length === 0) {
      this.#send('send');
      return;
    }
    const { id, content } = random.pick(known);
    const op = this.#op();
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

  /** Messages of people that reached the person's queues. */
  #known(): ApiMessage[] {
    return this.devices
      .flatMap((device) => device.queue?.polls ?? [])
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.type === 'message' ? [event.message as ApiMessage] : []))
      .filter(({ content }) => /^(<p>)?op\d/.test(content));
  }

  #move(kind: 'subscribe' | 'unsubscribe'): void {
    const { random } = this.world;
    const mover = random.pick(MOVERS);
    const whom = this.beginning.people.find(({ name }) => name === mover)!.id;
    const { streams } = this.beginning;
    // Only there does it matter to who sends.
    const stream: SimStream = random.chance(0.6) ? streams.find(({ isPrivate }) => isPrivate)! : random.pick(streams);
    if (this.person.name === OUTSIDER || (whom !== this.person.id && kind === 'unsubscribe')) {
      this.#send('send');
      return;
    }
    const known = { stream: stream.id, whom };
    const path = '/users/me/subscriptions';
    if (kind === 'unsubscribe') this.#call(kind, 'DELETE', path, { subscriptions: [stream.name] }, known);
    else {
      const params = { subscriptions: [{ name: stream.name }], principals: [whom] };
      this.#call(kind, 'POST', path, params, known, this.#op(), () => this.subscribed(whom, stream.id));
    }
  }

  #op(): string {
    return `op${this.calls.length + 1}`;
  }

  #call(
    kind: CallKind,
    method: string,
    path: string,
    params: Params,
    known: Partial<CallRecord>,
    op = this.#op(),
    then: () => void = () => {},
    front: SimProcess = this.world.random.pick(this.world.fronts),
  ): void {
    const { scheduler } = this.world;
    const { authorization, name, id } = this.person;
    const record: CallRecord = {
      ...known,
      op,
      kind,
      user: id,
      begun: scheduler.steps,
      ended: 0,
      outcome: 'open',
      body: {},
    };
    this.calls.push(record);
    const label = `${name} ${op} ${method} ${path}`;
    const request = { method, path, params, authorization, label };
    const call = this.world.call(request, front, (answer: HttpAnswer) => {
      record.ended = scheduler.steps;
      record.endedMs = this.world.clock.now();
      record.outcome = outcomeOf(answer);
      record.body = (answer.body as Fields) ?? {};
      record.repeated = this.world.network.repeated.has(call.requestId);
      if (record.outcome === 'ok') then();
    });
  }
}
