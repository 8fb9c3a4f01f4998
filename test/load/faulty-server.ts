/** Fake server with the part of the API that the harness calls, and with configurable faults. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Faults {
  /** Number of the message delivery to lose, counted from 1. */
  readonly lostDelivery?: number;
  /** Number of the message delivery to repeat, counted from 1. */
  readonly repeatedDelivery?: number;
  /** Number of polls, from the first, that get the error of an unknown queue. */
  readonly forgottenQueues?: number;
  /** Error response by path; undefined closes the connection instead. */
  readonly responses?: Readonly<Record<string, { readonly status: number; readonly body: string } | undefined>>;
}

interface Queue {
  readonly user: number;
  readonly events: Record<string, unknown>[];
  waitingPoll: ServerResponse | undefined;
}

const SUCCESS = { result: 'success', msg: '' };

export class FaultyServer {
  /** Number of calls by path, without /api/v1. */
  readonly calls = new Map<string, number>();
  readonly #server: Server;
  readonly #users: string[] = [];
  readonly #streams = new Map<string, Set<number>>();
  readonly #queues = new Map<string, Queue>();
  #deliveries = 0;
  #lastId = 0;
  #forgotten = 0;

  private constructor(private readonly faults: Faults) {
    this.#server = createServer((request, response) => {
      let form = '';
      request.setEncoding('latin1').on('data', (text: string) => {
        form += text;
      });
      request.on('end', () => this.#handle(request, new URLSearchParams(form), response));
    });
  }

  static async start(faults: Faults): Promise<FaultyServer> {
    const server = new FaultyServer(faults);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get site(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #handle(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): void {
    const url = new URL(request.url!, 'http://localhost');
    const path = url.pathname.replace('/api/v1', '');
    this.calls.set(path, (this.calls.get(path) ?? 0) + 1);
    const respond = (body: Record<string, unknown>, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ ...SUCCESS, ...body }));
    };
    if (this.faults.responses && path in this.faults.responses) {
      const fault = this.faults.responses[path];
      if (!fault) request.socket.destroy();
      else response.writeHead(fault.status, fault.status === 429 ? { 'retry-after': '1' } : {}).end(fault.body);
      return;
    }
    const email = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64')
      .toString()
      .split(':')[0]!;
    const user = this.#users.indexOf(email);
    const route = `${request.method} ${path}`;
    if (route === 'GET /users') respond({ members: [] });
    else if (route === 'POST /users') respond({ user_id: this.#users.push(form.get('email')!) });
    else if (path === '/fetch_api_key') {
      respond({ api_key: 'k', user_id: this.#users.indexOf(form.get('username')!) + 1 });
    } else if (path === '/users/me/subscriptions') {
      const { name } = (JSON.parse(form.get('subscriptions')!) as { name: string }[])[0]!;
      const members = this.#streams.get(name) ?? new Set();
      for (const id of JSON.parse(form.get('principals')!) as number[]) members.add(id - 1);
      this.#streams.set(name, members);
      respond({});
    } else if (path === '/streams') {
      respond({ streams: [...this.#streams.keys()].map((name, i) => ({ name, stream_id: i + 1 })) });
    } else if (path === '/register') {
      const id = `q${++this.#lastId}`;
      this.#queues.set(id, { user, events: [], waitingPoll: undefined });
      respond({ queue_id: id, last_event_id: -1 });
    } else if (route === 'GET /events') this.#poll(url.searchParams, response, respond);
    else if (route === 'POST /messages') respond({ id: this.#send(user, form) });
    else respond({ messages: [], ids: [] });
  }

  #poll(
    params: URLSearchParams,
    response: ServerResponse,
    respond: (body: Record<string, unknown>, status?: number) => void,
  ): void {
    const id = params.get('queue_id')!;
    const queue = this.#queues.get(id);
    if (!queue || this.#forgotten < (this.faults.forgottenQueues ?? 0)) {
      this.#forgotten++;
      this.#queues.delete(id);
      respond({ result: 'error', code: 'BAD_EVENT_QUEUE_ID', msg: `Bad event queue ID: ${id}` }, 400);
      return;
    }
    const lastEventId = Number(params.get('last_event_id'));
    while (queue.events.length > 0 && (queue.events[0]!.id as number) <= lastEventId) queue.events.shift();
    if (queue.events.length > 0) respond({ events: queue.events, queue_id: id });
    else queue.waitingPoll = response;
  }

  #send(sender: number, form: URLSearchParams): number {
    const message = { id: ++this.#lastId, sender_id: sender + 1, content: form.get('content')! };
    const to = JSON.parse(form.get('to')!) as number | number[];
    const users =
      typeof to === 'number' ? [...this.#streams.values()][to - 1]! : new Set([...to.map((id) => id - 1), sender]);
    for (const [id, queue] of this.#queues) {
      if (!users.has(queue.user)) continue;
      const number = ++this.#deliveries;
      if (number === this.faults.lostDelivery) continue;
      for (let i = 0; i < (number === this.faults.repeatedDelivery ? 2 : 1); i++) {
        queue.events.push({ type: 'message', id: ++this.#lastId, message });
      }
      queue.waitingPoll?.end(JSON.stringify({ ...SUCCESS, events: queue.events, queue_id: id }));
      queue.waitingPoll = undefined;
    }
    return message.id;
  }
}
