/** A server that speaks as much of the API as the harness asks for, and has the faults that a test wants. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Faults {
  /** This delivery of a message (counted from 1) never happens. */
  readonly lose?: number;
  /** This one happens twice. */
  readonly double?: number;
  /** Number of first polls that are answered with an unknown queue. */
  readonly forget?: number;
  /** Response to calls of a path instead of success; undefined cuts the connection. */
  readonly answers?: Readonly<Record<string, { readonly status: number; readonly body: string } | undefined>>;
}

interface Queue {
  readonly user: number;
  readonly events: Record<string, unknown>[];
  held: ServerResponse | undefined;
}

const SUCCESS = { result: 'success', msg: '' };

export class FaultyServer {
  /** Paths that were called, without /api/v1 → how often. */
  readonly calls = new Map<string, number>();
  readonly #server: Server;
  readonly #users: string[] = [];
  readonly #streams = new Map<string, Set<number>>();
  readonly #queues = new Map<string, Queue>();
  #deliveries = 0;
  #count = 0;
  #forgotten = 0;

  private constructor(private readonly faults: Faults) {
    this.#server = createServer((request, response) => {
      let form = '';
      request.setEncoding('latin1').on('data', (text: string) => {
        form += text;
      });
      request.on('end', () => this.#called(request, new URLSearchParams(form), response));
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

  #called(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): void {
    const url = new URL(request.url!, 'http://localhost');
    const path = url.pathname.replace('/api/v1', '');
    this.calls.set(path, (this.calls.get(path) ?? 0) + 1);
    const answer = (body: Record<string, unknown>, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ ...SUCCESS, ...body }));
    };
    if (this.faults.answers && path in this.faults.answers) {
      const fault = this.faults.answers[path];
      if (!fault) request.socket.destroy();
      else response.writeHead(fault.status, fault.status === 429 ? { 'retry-after': '1' } : {}).end(fault.body);
      return;
    }
    const email = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64')
      .toString()
      .split(':')[0]!;
    const user = this.#users.indexOf(email);
    const route = `${request.method} ${path}`;
    if (route === 'GET /users') answer({ members: [] });
    else if (route === 'POST /users') answer({ user_id: this.#users.push(form.get('email')!) });
    else if (path === '/fetch_api_key') {
      answer({ api_key: 'k', user_id: this.#users.indexOf(form.get('username')!) + 1 });
    } else if (path === '/users/me/subscriptions') {
      const { name } = (JSON.parse(form.get('subscriptions')!) as { name: string }[])[0]!;
      const members = this.#streams.get(name) ?? new Set();
      for (const id of JSON.parse(form.get('principals')!) as number[]) members.add(id - 1);
      this.#streams.set(name, members);
      answer({});
    } else if (path === '/streams') {
      answer({ streams: [...this.#streams.keys()].map((name, i) => ({ name, stream_id: i + 1 })) });
    } else if (path === '/register') {
      const id = `q${++this.#count}`;
      this.#queues.set(id, { user, events: [], held: undefined });
      answer({ queue_id: id, last_event_id: -1 });
    } else if (route === 'GET /events') this.#poll(url.searchParams, response, answer);
    else if (route === 'POST /messages') answer({ id: this.#send(user, form) });
    else answer({ messages: [], ids: [] });
  }

  #poll(
    params: URLSearchParams,
    response: ServerResponse,
    answer: (body: Record<string, unknown>, status?: number) => void,
  ): void {
    const id = params.get('queue_id')!;
    const queue = this.#queues.get(id);
    if (!queue || this.#forgotten < (this.faults.forget ?? 0)) {
      this.#forgotten++;
      this.#queues.delete(id);
      answer({ result: 'error', code: 'BAD_EVENT_QUEUE_ID', msg: `Bad event queue ID: ${id}` }, 400);
      return;
    }
    const last = Number(params.get('last_event_id'));
    while (queue.events.length > 0 && (queue.events[0]!.id as number) <= last) queue.events.shift();
    if (queue.events.length > 0) answer({ events: queue.events, queue_id: id });
    else queue.held = response;
  }

  #send(sender: number, form: URLSearchParams): number {
    const message = { id: ++this.#count, sender_id: sender + 1, content: form.get('content')! };
    const to = JSON.parse(form.get('to')!) as number | number[];
    const users =
      typeof to === 'number' ? [...this.#streams.values()][to - 1]! : new Set([...to.map((id) => id - 1), sender]);
    for (const [id, queue] of this.#queues) {
      if (!users.has(queue.user)) continue;
      const nth = ++this.#deliveries;
      if (nth === this.faults.lose) continue;
      for (let i = 0; i < (nth === this.faults.double ? 2 : 1); i++) {
        queue.events.push({ type: 'message', id: ++this.#count, message });
      }
      queue.held?.end(JSON.stringify({ ...SUCCESS, events: queue.events, queue_id: id }));
      queue.held = undefined;
    }
    return message.id;
  }
}
