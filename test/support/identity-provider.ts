/** OpenID provider on loopback (oidc-provider), with a sign-in page and faults that tests switch on. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Adapter, type AdapterPayload, type ClientMetadata } from 'oidc-provider';

type Claims = Readonly<Record<string, unknown>>;

/** Fault that replaces the provider's responses. */
export type ProviderFault = 'none' | 'away' | 'failing' | 'flooding' | 'silent';

const CLIENT_ID = 'conclave';
/** PNG image of one pixel. */
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const CLIENT_SECRET = 'the secret of the client in the tests';

/** In-memory storage adapter. Unlike the library's own, it reads the client on each access, so a test can change it. */
function makeAdapter(client: () => ClientMetadata) {
  const records = new Map<string, AdapterPayload>();
  const find = (test: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
    [...records.values()].find(test);
  return class implements Adapter {
    constructor(private readonly model: string) {}
    #key(id: string): string {
      return `${this.model}/${id}`;
    }
    async upsert(id: string, payload: AdapterPayload): Promise<void> {
      records.set(this.#key(id), payload);
    }
    async find(id: string): Promise<AdapterPayload | undefined> {
      if (this.model === 'Client') return id === CLIENT_ID ? (client() as AdapterPayload) : undefined;
      return records.get(this.#key(id));
    }
    async findByUserCode(code: string): Promise<AdapterPayload | undefined> {
      return find(({ userCode }) => userCode === code);
    }
    async findByUid(uid: string): Promise<AdapterPayload | undefined> {
      return find((payload) => payload.uid === uid);
    }
    async consume(id: string): Promise<void> {
      const found = records.get(this.#key(id));
      if (found) found.consumed = Math.floor(Date.now() / 1000);
    }
    async destroy(id: string): Promise<void> {
      records.delete(this.#key(id));
    }
    async revokeByGrantId(grant: string): Promise<void> {
      for (const [key, { grantId }] of records) if (grantId === grant) records.delete(key);
    }
  };
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

export class TestIdentityProvider {
  fault: ProviderFault = 'none';
  /** Paths to which the fault applies. */
  faulty = /./;
  /** Received requests: method and path. */
  readonly requests: string[] = [];
  /** Claims by the user name entered on the sign-in page. */
  readonly people = new Map<string, Claims>();
  readonly #redirectUris = new Set<string>();
  /** Callbacks that resume the requests withheld by the fault `silent`. */
  readonly #held: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<TestIdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const own = new TestIdentityProvider(server, `http://127.0.0.1:${port}`);
    const provider = own.#provider();
    const handle = provider.callback();
    server.on('request', (request, response) => {
      own.requests.push(`${request.method} ${request.url}`);
      const answer = (): void => {
        if (request.url?.startsWith('/picture.png'))
          response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
        else if (request.url?.startsWith('/interaction/')) void own.#interact(provider, request, response);
        else void handle(request, response);
      };
      if (!own.#isFaulty(request, response)) answer();
      else if (own.fault === 'silent') own.#held.push(answer);
    });
    return own;
  }

  /** Number of requests withheld by the fault `silent`. */
  get heldCount(): number {
    return this.#held.length;
  }

  /** Ends the fault and answers the withheld requests. */
  release(): void {
    this.fault = 'none';
    this.faulty = /./;
    for (const answer of this.#held.splice(0)) answer();
  }

  /** Adds an address to which the provider may redirect. */
  allow(redirectUri: string): void {
    this.#redirectUris.add(redirectUri);
  }

  #provider(): Provider {
    return new Provider(this.issuer, {
      adapter: makeAdapter(() => ({
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [...this.#redirectUris],
        token_endpoint_auth_method: 'client_secret_basic',
      })),
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture', 'groups'] },
      cookies: { keys: ['a key of the tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, id) => {
        const claims = this.people.get(id);
        return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) };
      },
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({
          clientId: ctx.oidc.client!.clientId,
          accountId: ctx.oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
  }

  /** Shows the sign-in page: a form for the user name. */
  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      response.end('<form method="post"><input name="login"><button>Go</button></form>');
      return;
    }
    const accountId = (await bodyOf(request)).get('login') ?? '';
    const result =
      accountId === 'nobody'
        ? { error: 'access_denied', error_description: 'the person said no' }
        : { login: { accountId, remember: false } };
    await provider.interactionFinished(request, response, result);
  }

  #isFaulty(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.fault === 'none' || !this.faulty.test(request.url ?? '')) return false;
    if (this.fault === 'away') request.socket.destroy();
    if (this.fault === 'failing') response.writeHead(500).end('out of order');
    if (this.fault === 'flooding') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`"${'x'.repeat(3_000_000)}"`);
    }
    return true;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
