/** The server of an outgoing webhook: records its calls, and answers as the test wants. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../support/until.js';
import type { Fields } from './types.js';

export interface HookCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** JSON to answer with, or a function that answers. */
export type HookAnswer = Fields | string | ((response: ServerResponse, call: HookCall) => void);

export class Hook {
  readonly calls: HookCall[] = [];
  answer: HookAnswer = { response_not_required: true };
  #waited = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Hook> {
    const server = createServer();
    const hook = new Hook(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const call = { method, path, headers, body: Buffer.concat(chunks).toString() };
        hook.calls.push(call);
        const { answer } = hook;
        if (typeof answer === 'function') answer(response, call);
        else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** The next call that the test has not taken yet. */
  async next(): Promise<HookCall> {
    await until('the webhook is called', () => this.calls.length > this.#waited);
    return this.calls[this.#waited++]!;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
