import type { JsonObject } from '#base';
import { clientName } from '#domain/messages';
import type { Secrets } from '#domain/secrets';
import type { Call, Forward, UploadedFile } from '#frontend/api';
import type { ImageProxy } from '#frontend/image-proxy';
import type { DirectoryView } from '#model';
import { type RealmId, type UserId, userId } from '#model';
import type { Blobs } from '#ports/blobs';
import type { Arrival } from './arrival.js';
import type { FrontendOptions } from './options.js';
import type { Fields } from './params-form.js';
import type { AnonymousCaller, Caller, FrontendServices } from './services.js';

// biome-ignore lint/suspicious/noExplicitAny: an operation declares the type of its parameters, the table of operations cannot
type AnyValues = any;

/** On whose behalf something is forwarded. */
export interface Sender {
  readonly at: AnonymousCaller;
  /** Who calls; undefined where the operation needs no credentials, or none were given. */
  readonly account: Caller | undefined;
  /** Client name of the request. */
  readonly client: string;
  readonly arrival: Arrival;
}

/** What calls are carried out with. */
export interface CallContext {
  readonly options: FrontendOptions;
  readonly services: FrontendServices;
  send(forward: Forward, sender: Sender): Promise<JsonObject>;
}

const NOBODY = userId(0);

/** What an operation sees of a request. */
export class CallOf implements Call<AnyValues>, Sender {
  readonly realm: RealmId;
  readonly caller: UserId;
  readonly directory: DirectoryView;

  /** @param fields of the query */
  constructor(
    readonly arrival: Arrival,
    readonly at: AnonymousCaller,
    readonly account: Caller | undefined,
    readonly params: AnyValues,
    private readonly fields: Fields,
    private readonly context: CallContext,
  ) {
    this.realm = at.realm;
    this.caller = account ? account.user.id : NOBODY;
    this.directory = at.directory;
  }

  get client(): string {
    const { arrival } = this;
    return clientName(arrival.form.fields.get('client') ?? this.fields.get('client'), arrival.userAgent);
  }

  get origin(): string {
    const { scheme = 'http', externalHost = 'localhost' } = this.context.options;
    const { host } = this.arrival;
    // Goes into answers, so only what can be a host name or address passes.
    return `${scheme}://${/^[a-z0-9.\-_]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/.test(host) ? host : externalHost}`;
  }

  get site(): string {
    return this.context.services.site(this.arrival.host, this.directory.subdomain);
  }

  get files(): readonly UploadedFile[] | 'too large' {
    return this.arrival.form.files;
  }

  get maxFileMib(): number {
    return this.context.options.maxFileMib ?? DEFAULT_FILE_MIB;
  }

  get blobs(): Blobs {
    return this.context.services.blobs;
  }

  get imageProxy(): ImageProxy | undefined {
    return this.context.options.imageProxy;
  }

  get secrets(): Secrets {
    return this.context.services.secrets;
  }

  get query(): string {
    return this.arrival.exchange.query;
  }

  header(name: string): string {
    return this.arrival.headers.get(name) ?? '';
  }

  send<T>(forward: Forward<T>): Promise<T> {
    return this.context.send(forward, this) as Promise<T>;
  }

  newestMessage(): number | Promise<number> {
    if (!this.account) throw new Error('nobody has messages');
    return this.context.services.newestMessage(this.account);
  }

  get administratorEmail(): string {
    const { administratorEmail, externalHost = 'localhost' } = this.context.options;
    return administratorEmail ?? `admin@${externalHost.replace(/:\d+$/, '')}`;
  }

  get webPublicStreams(): boolean {
    return this.context.options.webPublicStreams ?? false;
  }

  get now(): number {
    return this.context.services.clock.now();
  }

  countLetter(): void {
    this.context.options.rates?.letter(this.arrival);
  }

  countVisit(path: string): void {
    this.context.options.rates?.visit(this.arrival, path);
  }

  refresh(realm = this.realm): Promise<void> {
    return this.context.services.refresh(realm);
  }

  directoryOf(realm: RealmId): Promise<DirectoryView | undefined> {
    return this.context.services.directoryOf(realm);
  }

  async siteOf(realm: RealmId): Promise<string> {
    const directory = await this.directoryOf(realm);
    return this.context.services.site(this.arrival.host, (directory ?? this.directory).subdomain);
  }
}

/** Megabytes of one file, unless configured. */
export const DEFAULT_FILE_MIB = 25;
