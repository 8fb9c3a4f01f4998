/**
 * A push service on loopback, and the browsers that are subscribed there. It checks the signature of each push (RFC
 * 8292) and decrypts it (RFC 8188, 8291) by itself.
 */
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../support/until.js';
import type { Fields } from './types.js';

export interface ReceivedPush {
  readonly headers: IncomingHttpHeaders;
  /** The decrypted JSON. */
  readonly said: Fields;
  /** Claims of the signature, which is right. */
  readonly claims: Fields;
}

/** Identity of a push, the same in each attempt. The topic of a message is that of its conversation. */
const identityOf = ({ headers, said: { event, message } }: ReceivedPush): string =>
  JSON.stringify([headers.topic, event, message]);

type Answer = (response: ServerResponse, push: ReceivedPush) => void;

const accept: Answer = (response) => void response.writeHead(201).end();

const JSON_OF = (part: string): Fields => JSON.parse(Buffer.from(part, 'base64url').toString()) as Fields;

/** @throws Error if the header is not signed with the key */
function checkSignature(authorization: string, key: string): Fields {
  const [, token = '', sent = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
  if (sent !== key) throw new Error('signed with another key than the browser subscribed with');
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${header}.${claims}`);
  const isRight = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isRight || JSON_OF(header).alg !== 'ES256') throw new Error('the signature is wrong');
  return JSON_OF(claims);
}

/** A browser that is subscribed at the service. */
export class PushedBrowser {
  readonly pushes: ReceivedPush[] = [];
  answer: Answer = accept;
  readonly #keys: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  #waited = 0;
  /** Identities of pushes that were answered with a status of success. */
  readonly #accepted = new Set<string>();

  /** @param key of the server, with which the browser subscribed */
  constructor(
    readonly endpoint: string,
    private readonly key: string,
  ) {
    this.#keys.generateKeys();
  }

  /** The object that the browser hands to the server. */
  get subscription(): { readonly endpoint: string; readonly p256dh: string; readonly auth: string } {
    const { endpoint } = this;
    return { endpoint, p256dh: this.#keys.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
  }

  receive(headers: IncomingHttpHeaders, body: Buffer): ReceivedPush {
    const claims = checkSignature(String(headers.authorization), this.key);
    return { headers, claims, said: JSON.parse(this.#decrypt(body).toString()) as Fields };
  }

  /** The next push that the test has not taken yet. */
  async next(): Promise<ReceivedPush> {
    await until('a push arrives', () => this.pushes.length > this.#waited);
    return this.pushes[this.#waited++]!;
  }

  /** Answers a push and keeps it, unless it repeats one that this browser accepted and repeats are allowed. */
  take(response: ServerResponse, push: ReceivedPush, keepsRepeats: boolean): void {
    const identity = identityOf(push);
    if (keepsRepeats || !this.#accepted.has(identity)) this.pushes.push(push);
    response.once('finish', () => {
      if (response.statusCode < 300) this.#accepted.add(identity);
    });
    this.answer(response, push);
  }

  /** One record: salt, record size, length of the key, key, ciphertext with its tag. */
  #decrypt(body: Buffer): Buffer {
    const salt = body.subarray(0, 16);
    const serverKey = body.subarray(21, 21 + body[20]!);
    const sealed = body.subarray(21 + body[20]!);
    const shared = this.#keys.computeSecret(serverKey);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), serverKey]);
    const secret = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32));
    const derive = (purpose: string, length: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${purpose}\0`, length));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const end = padded.lastIndexOf(2);
    if (end < 0) throw new Error('the record is not the last one');
    return padded.subarray(0, end);
  }
}

export class PushService {
  readonly #browsers = new Map<string, PushedBrowser>();
  /** Requests that were no proper pushes. */
  readonly faults: string[] = [];

  private constructor(private readonly server: Server) {}

  /**
   * @param keepsRepeats false drops a push that its browser has accepted before. A host of a cluster that loses its
   * partitions between sending and commit, for example after 2.5 s without CPU, leaves the push to the next owner,
   * which sends it again (actors/push).
   */
  static async start(keepsRepeats = true): Promise<PushService> {
    const server = createServer();
    const service = new PushService(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const browser = service.#browsers.get(request.url ?? '');
        try {
          if (!browser || request.method !== 'POST') throw new Error(`${request.method} ${request.url}`);
          const push = browser.receive(request.headers, Buffer.concat(chunks));
          browser.take(response, push, keepsRepeats);
        } catch (error) {
          service.faults.push(String(error));
          response.writeHead(400).end();
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param key of the server */
  browser(key: string): PushedBrowser {
    const path = `/push/${randomBytes(8).toString('hex')}`;
    const browser = new PushedBrowser(`${this.origin}${path}`, key);
    this.#browsers.set(path, browser);
    return browser;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
