import type { Call, Forward, UploadedFile } from '../api/index.js';
import type { Blobs } from '../blobs/index.js';
import { type JsonObject, type RealmId, type UserId, userId } from '../core/index.js';
import type { DirectoryView } from '../directory/index.js';
import type { Secrets } from '../secrets/index.js';
import type { Arrival } from './arrival.js';
import type { FrontendOptions } from './options.js';
import type { AnonymousCaller, Caller, FrontendServices } from './services.js';

// biome-ignore lint/suspicious/noExplicitAny: an operation declares the type of its parameters, the table of operations cannot
type AnyValues = any;

/** What a call is made of. */
export interface CallFacts {
  readonly params: AnyValues;
  readonly at: AnonymousCaller;
  readonly caller: Caller | undefined;
  readonly client: string;
  readonly host: string;
  readonly query: string;
  readonly files: readonly UploadedFile[] | 'too large';
  /** Those that the operation declares. */
  readonly headers: ReadonlyMap<string, string>;
  readonly arrival: Arrival;
  readonly send: (forward: Forward) => Promise<JsonObject>;
}

/** What an operation sees of a request. */
export class CallOf implements Call<AnyValues> {
  readonly params: AnyValues;
  readonly realm: RealmId;
  readonly caller: UserId;
  readonly directory: DirectoryView;
  readonly client: string;

  constructor(
    private readonly facts: CallFacts,
    private readonly options: FrontendOptions,
    private readonly services: FrontendServices,
  ) {
    const { params, at, caller, client } = facts;
    this.params = params;
    this.realm = at.realm;
    this.caller = caller ? caller.user.id : userId(0);
    this.directory = at.directory;
    this.client = client;
  }

  get origin(): string {
    const { scheme = 'http', externalHost = 'localhost' } = this.options;
    const { host } = this.facts;
    // Goes into answers, so only what can be a host name or address passes.
    return `${scheme}://${/^[a-z0-9.\-_]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/.test(host) ? host : externalHost}`;
  }

  get site(): string {
    return this.services.site(this.facts.host, this.directory.subdomain);
  }

  get files(): readonly UploadedFile[] | 'too large' {
    return this.facts.files;
  }

  get maxFileMib(): number {
    return this.options.maxFileMib ?? DEFAULT_FILE_MIB;
  }

  get blobs(): Blobs {
    return this.services.blobs;
  }

  get secrets(): Secrets {
    return this.services.secrets;
  }

  get query(): string {
    return this.facts.query;
  }

  header(name: string): string {
    return this.facts.headers.get(name) ?? '';
  }

  send(forward: Forward): Promise<JsonObject> {
    return this.facts.send(forward);
  }

  newestMessage(): number | Promise<number> {
    const { caller } = this.facts;
    if (!caller) throw new Error('nobody has messages');
    return this.services.newestMessage(caller);
  }

  get webPublicStreams(): boolean {
    return this.options.webPublicStreams ?? false;
  }

  get now(): number {
    return this.services.clock.now();
  }

  countLetter(): void {
    this.options.rates?.letter(this.facts.arrival);
  }

  countVisit(path: string): void {
    this.options.rates?.visit(this.facts.arrival, path);
  }

  refresh(realm = this.realm): Promise<void> {
    return this.services.refresh(realm);
  }

  directoryOf(realm: RealmId): Promise<DirectoryView | undefined> {
    return this.services.directoryOf(realm);
  }

  async siteOf(realm: RealmId): Promise<string> {
    const directory = await this.directoryOf(realm);
    return this.services.site(this.facts.host, (directory ?? this.directory).subdomain);
  }
}

/** Megabytes of one file, unless configured. */
export const DEFAULT_FILE_MIB = 25;
