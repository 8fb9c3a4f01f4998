/** A frontend with invented services, and raw HTTP over loopback sockets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ServerCryptography } from '#domain/secrets';
import type { ApiOperation, ForwardedCommand } from '#frontend/api';
import type {
  AuthenticatedCaller,
  ForwardedCommandContext,
  ForwardedCommandHandle,
  FrontendServices,
} from '#frontend/http';
import { type ActorReply, type ActorStartOverReply, toRealmId, toUserId } from '#model';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser, DirectoryView, EndedCredentialKind, WebSession } from '#model/records';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryBlobs } from '../../support/memory-blobs.js';

export const KEY = 'abcdefghijklmnopqrstuvwxyz012345';
export const AUTH = `Basic ${Buffer.from(`iago@example.com:${KEY}`).toString('base64')}`;

export function user(over: Partial<DirectoryUser> = {}): DirectoryUser {
  const base = {
    id: toUserId(5),
    email: 'iago@example.com',
    fullName: 'Iago',
    role: 400,
    isActive: true,
    botType: null,
  };
  return { ...base, ...over } as DirectoryUser;
}

export interface SentForward {
  readonly forward: ForwardedCommand;
  readonly context: ForwardedCommandContext;
  cancelled: boolean;
  answer(reply: ActorReply | ActorStartOverReply): void;
  fail(error: Error): void;
}

export class FakeServices implements FrontendServices {
  readonly clock = new FakeClock();
  readonly logged: { level: string; fields: object; msg: string }[] = [];
  readonly forwarded: SentForward[] = [];
  /** Called for each forwarded command. */
  onForward: (sent: SentForward) => void = () => {};
  onCancel: (sent: SentForward) => void = () => {};
  caller: AuthenticatedCaller = { realm: toRealmId(1), user: user(), directory: {} as DirectoryView };
  /** The session of the caller's browser, and its secret. */
  session: { readonly token: string; readonly of: WebSession } | undefined;
  /** If set, callers are looked up asynchronously. */
  slow = false;
  waitForDirectoryVersion: FrontendServices['waitForDirectoryVersion'] = () => {};
  openDirectoryIfRealmExists = (): Promise<DirectoryView> => Promise.resolve(this.caller.directory);
  refreshDirectory = (): Promise<void> => Promise.resolve();
  readonly secrets = new ServerCryptography('the secret of the frontend tests');
  readonly blobs = new MemoryBlobs();
  readonly log = {
    debug: (fields: object, msg: string) => void this.logged.push({ level: 'debug', fields, msg }),
    info: (fields: object, msg: string) => void this.logged.push({ level: 'info', fields, msg }),
    warn: (fields: object, msg: string) => void this.logged.push({ level: 'warn', fields, msg }),
    error: (fields: object, msg: string) => void this.logged.push({ level: 'error', fields, msg }),
  };

  authenticateApiKey(_username: string, key: string): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    if (key !== KEY) throw apiError('API_KEY_UNKNOWN');
    return this.slow ? Promise.resolve(this.caller) : this.caller;
  }

  /** A user that tests change while the frontend runs. */
  findOpenDirectory(): undefined {}

  authenticateSession(token: string): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    if (token !== this.session?.token) throw apiError('NOT_LOGGED_IN');
    return { ...this.caller, session: this.session.of };
  }

  recordSessionUse(): void {}

  revoke: (keyHash: string) => void = () => {};
  setCredentialEndedListener(listener: (hash: string, kind: EndedCredentialKind) => void): void {
    this.revoke = (keyHash) => listener(keyHash, 'key');
  }

  newestReceivedMessageId(): number {
    return 1;
  }

  findAnonymousCaller(): AuthenticatedCaller {
    return this.caller;
  }

  siteUrlOfSubdomain(host: string): string {
    return `http://${host}`;
  }

  forwardCommand(forward: ForwardedCommand, context: ForwardedCommandContext): ForwardedCommandHandle {
    let answer: (reply: ActorReply | ActorStartOverReply) => void = () => {};
    let fail: (error: Error) => void = () => {};
    const reply = new Promise<ActorReply | ActorStartOverReply>((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
    const sent: SentForward = { forward, context, cancelled: false, answer, fail };
    this.forwarded.push(sent);
    this.onForward(sent);
    return {
      reply,
      cancel: () => {
        sent.cancelled = true;
        this.onCancel(sent);
      },
      releaseForShutdown: () => {
        sent.cancelled = true;
        this.onCancel(sent);
        answer({ ok: [Buffer.from(',"events":[]')] });
      },
    };
  }
}

/** Catalogue name of what `fn` throws; undefined when it does not. Other exceptions pass. */
export async function refusal(fn: () => unknown): Promise<string | undefined> {
  try {
    await fn();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.reason;
    throw error;
  }
}

/** An operation with defaults for fields that most tests ignore. */
export function declare(over: Partial<ApiOperation> & Pick<ApiOperation, 'path'>): ApiOperation {
  return {
    id: `${over.method ?? 'GET'}-${over.path}`,
    method: 'GET',
    guard: 'user',
    summary: '',
    parameters: {},
    run: () => ({ fields: {} }),
    ...over,
  };
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent
  json(): any;
}

/** One connection; requests are written as text, responses read one after the other. */
export class RawClient {
  #buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    socket.on('close', end);
    socket.on('error', end);
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  send(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  request(line: string, headers: Record<string, string> = {}, body = ''): void {
    const all: Record<string, string> = { Host: 'localhost', ...headers };
    if (body !== '' && !('Content-Length' in all)) all['Content-Length'] = String(Buffer.byteLength(body));
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.send(`${line} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  }

  /** Undefined if the server closes before the end of the response. `bodiless`: an answer to HEAD. */
  async response(bodiless = false): Promise<RawResponse | undefined> {
    for (;;) {
      const taken = this.#take(bodiless);
      if (taken) return taken;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async closed(): Promise<void> {
    while (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(bodiless: boolean): RawResponse | undefined {
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [statusLine, ...lines] = this.#buffer.toString('latin1', 0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const length = bodiless ? 0 : Number(headers['content-length'] ?? 0);
    if (this.#buffer.length < end + 4 + length) return undefined;
    const bytes = Buffer.from(this.#buffer.subarray(end + 4, end + 4 + length));
    const text = bytes.toString('utf8');
    this.#buffer = this.#buffer.subarray(end + 4 + length);
    return { status: Number(statusLine!.split(' ')[1]), headers, text, bytes, json: () => JSON.parse(text) };
  }
}
