/** Implements FrontendServices: accounts from directory replicas, everything else from actors. */
import { type Logger, SingleFlight } from '#base';
import type { Clock } from '#base/clock';
import { DirectoryReplicaBehindError, type DirectoryReplicas } from '#directory';
import { hashSessionToken, type ServerCryptography } from '#domain/secrets';
import { type ForwardedCommand, forwardCommand } from '#frontend/api';
import type {
  AnonymousCaller,
  AuthenticatedCaller,
  ForwardedCommandContext,
  ForwardedCommandHandle,
  FrontendServices,
} from '#frontend/http';
import { type RealmId, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryView, EndedCredentialKind } from '#model/records';
import type { BlobStorage } from '#ports/blobs';
import { EventLogUnavailableError } from '#ports/log';
import { type ActorClient, CommandTimeoutError } from '#runtime';
import { ForwardedCommandRun, type ForwardedCommandServices } from './forward-run.js';
import { NewestMessageCaches } from './newest-messages.js';
import { findRealmByHostOrFirst, subdomainOfHost } from './realms.js';
import { type SiteUrlOptions, siteUrlOfRealm } from './site.js';

interface FrontendGatewayOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly directories: DirectoryReplicas;
  readonly client: ActorClient;
  readonly secrets: ServerCryptography;
  readonly blobs: BlobStorage;
  readonly siteUrlOptions: SiteUrlOptions;
  /** Deadline of a command that an actor answers at once, ms. */
  readonly deadlineMs: number;
}

/** The parts of an API key that are computed from its text. */
interface ResolvedCredential {
  readonly realm: RealmId;
  readonly hash: string;
}

/**
 * Maximum of cached keys and sessions, with their realms and hashes. Both are pure functions of the key, so no entry
 * can go stale.
 */
const MAX_CACHED_CREDENTIALS = 50_000;

export class FrontendGateway implements FrontendServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly blobs: BlobStorage;
  readonly secrets: ServerCryptography;
  readonly #credentialsBySecret = new Map<string, ResolvedCredential>();
  /** Hashes of the sessions for which a command that records their use is under way. */
  readonly #sessionUsesBeingRecorded = new Set<string>();
  readonly #newestMessageCaches: NewestMessageCaches;
  readonly #forwardedCommandServices: ForwardedCommandServices;
  readonly #directoryRefreshes = new SingleFlight<RealmId>();

  constructor(private readonly options: FrontendGatewayOptions) {
    this.clock = options.clock;
    this.log = options.log;
    this.blobs = options.blobs;
    this.secrets = options.secrets;
    this.#newestMessageCaches = new NewestMessageCaches(options.directories, options.client);
    this.#forwardedCommandServices = {
      client: options.client,
      deadlineMs: options.deadlineMs,
      refreshDirectory: (realm) => this.refreshDirectory(realm),
      noteConfirmedCommit: (realm, user, actor, version) =>
        this.#newestMessageCaches.noteConfirmedCommit(realm, user, actor, version),
    };
  }

  authenticateApiKey(
    username: string | undefined,
    key: string,
    host: string,
  ): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    const known = this.#getOrComputeApiKeyCredential(key);
    const directory = this.options.directories.findOpenReplicaView(known.realm);
    const user = directory?.userByKeyHash(known.hash);
    if (directory && user) return this.#checkAndMakeApiKeyCaller(directory, known, username, host);
    return this.#authenticateUnknownApiKey(known, username, host);
  }

  async findAnonymousCaller(host: string): Promise<AnonymousCaller> {
    const realms = await this.#runWithOutagesAsApiErrors(() => this.options.directories.listRealms());
    const entry = findRealmByHostOrFirst(host, this.options.siteUrlOptions.externalHost, realms);
    if (!entry) throw apiError('NONEXISTENT_SUBDOMAIN');
    const directory = await this.#waitForDirectoryReplica(entry.id);
    return { realm: entry.id, directory };
  }

  siteUrlOfSubdomain(host: string, subdomain: string): string {
    return siteUrlOfRealm(this.options.siteUrlOptions, host, subdomain);
  }

  forwardCommand(forward: ForwardedCommand, context: ForwardedCommandContext): ForwardedCommandHandle {
    return new ForwardedCommandRun(this.#forwardedCommandServices, forward, context);
  }

  newestReceivedMessageId({ realm, user }: AuthenticatedCaller): number | Promise<number> {
    const newest = this.#newestMessageCaches.getOrFetchNewestMessageId(realm, user.id, this.options.deadlineMs);
    return newest instanceof Promise ? this.#runWithOutagesAsApiErrors(() => newest) : newest;
  }

  authenticateSession(token: string, host: string): AuthenticatedCaller | Promise<AuthenticatedCaller> {
    const known = this.#getOrComputeSessionCredential(token);
    const directory = this.options.directories.findOpenReplicaView(known.realm);
    if (directory?.sessionByHash(known.hash)) return this.#checkAndMakeSessionCaller(directory, known, host);
    return this.#authenticateUnknownSession(known, host);
  }

  recordSessionUse(caller: AuthenticatedCaller): void {
    const { realm, user, session } = caller;
    if (!session || this.#sessionUsesBeingRecorded.has(session.hash)) return;
    this.#sessionUsesBeingRecorded.add(session.hash);
    const command = {
      to: realmActorKey(realm),
      command: realmActorCommands.noteSessionUse,
      args: { hash: session.hash },
    };
    const context = { caller, realm, client: 'conclave', requestId: '' };
    const done = (): void => void this.#sessionUsesBeingRecorded.delete(session.hash);
    // A failure does no harm: the next request records the use.
    this.forwardCommand(forwardCommand({ ...command, as: user.id }), context).reply.then(done, done);
  }

  setCredentialEndedListener(listener: (hash: string, kind: EndedCredentialKind) => void): void {
    this.options.directories.credentialEndedListener = listener;
  }

  findOpenDirectory(realm: RealmId): DirectoryView | undefined {
    return this.options.directories.findOpenReplicaView(realm);
  }

  async openDirectoryIfRealmExists(realm: RealmId): Promise<DirectoryView | undefined> {
    const { directories } = this.options;
    if (!directories.findOpenReplicaView(realm)) {
      // Keys may name any realm id: only an existing realm gets a replica.
      const realms = await this.#runWithOutagesAsApiErrors(() => directories.listRealms());
      if (!realms.some(({ id }) => id === realm)) return undefined;
    }
    return this.#waitForDirectoryReplica(realm);
  }

  refreshDirectory(realm: RealmId): Promise<void> {
    return this.#runWithOutagesAsApiErrors(() =>
      this.#directoryRefreshes.joinQueuedRunOrStart(realm, () => this.options.directories.catchUpReplicaWithLog(realm)),
    );
  }

  waitForDirectoryVersion(realm: RealmId, version: number): void | Promise<void> {
    const waiting = this.options.directories.waitUntilReady(realm, version);
    return waiting && this.#runWithOutagesAsApiErrors(() => waiting);
  }

  #getOrComputeApiKeyCredential(key: string): ResolvedCredential {
    const known = this.#credentialsBySecret.get(key);
    if (known) return known;
    if (this.#credentialsBySecret.size >= MAX_CACHED_CREDENTIALS) this.#credentialsBySecret.clear();
    const { secrets } = this.options;
    const fresh = { realm: secrets.decodeRealmOfApiKey(key), hash: secrets.hashApiKeyOrToken(key) };
    this.#credentialsBySecret.set(key, fresh);
    return fresh;
  }

  #getOrComputeSessionCredential(token: string): ResolvedCredential {
    const name = `session/${token}`;
    const known = this.#credentialsBySecret.get(name);
    if (known) return known;
    if (this.#credentialsBySecret.size >= MAX_CACHED_CREDENTIALS) this.#credentialsBySecret.clear();
    const { secrets } = this.options;
    const fresh = { realm: secrets.decodeRealmOfApiKey(token), hash: hashSessionToken(secrets, token) };
    this.#credentialsBySecret.set(name, fresh);
    return fresh;
  }

  async #authenticateUnknownSession(known: ResolvedCredential, host: string): Promise<AuthenticatedCaller> {
    let directory = await this.openDirectoryIfRealmExists(known.realm);
    if (!directory) throw apiError('NOT_LOGGED_IN');
    if (!directory.sessionByHash(known.hash)) {
      // Another frontend may have begun a session that this replica doesn't show yet.
      await this.refreshDirectory(known.realm);
      directory = this.options.directories.currentView(known.realm);
    }
    return this.#checkAndMakeSessionCaller(directory, known, host);
  }

  /**
   * Finds the account of a session cookie. A cookie of another organization counts as none: the browser is not signed
   * in.
   */
  #checkAndMakeSessionCaller(
    directory: DirectoryView,
    { realm, hash }: ResolvedCredential,
    host: string,
  ): AuthenticatedCaller {
    const found = directory.sessionByHash(hash);
    const user = found && directory.user(found.user);
    if (!this.#doesHostNameRealmOrNone(host, directory)) throw apiError('NOT_LOGGED_IN');
    // The web client chooses the text that it shows by these codes; API keys are refused with one code for all reasons.
    if (!user?.isActive)
      throw apiError(directory.hasSessionEndedByDeactivation(hash) ? 'USER_DEACTIVATED' : 'NOT_LOGGED_IN');
    if (directory.deactivated) throw apiError('REALM_DEACTIVATED');
    return { realm, user, directory, session: found!.session };
  }

  /** True if the host name names this organization, or names none. */
  #doesHostNameRealmOrNone(host: string, { subdomain }: DirectoryView): boolean {
    const named = subdomainOfHost(host, this.options.siteUrlOptions.externalHost);
    return named === undefined || named === '' || named === subdomain;
  }

  async #authenticateUnknownApiKey(
    known: ResolvedCredential,
    username: string | undefined,
    host: string,
  ): Promise<AuthenticatedCaller> {
    const { directories } = this.options;
    let directory = await this.openDirectoryIfRealmExists(known.realm);
    if (!directory) throw apiError('API_KEY_UNKNOWN');
    if (!directory.userByKeyHash(known.hash)) {
      // Another frontend may have given out a key that this replica doesn't show yet.
      await this.refreshDirectory(known.realm);
      directory = directories.currentView(known.realm);
    }
    return this.#checkAndMakeApiKeyCaller(directory, known, username, host);
  }

  #checkAndMakeApiKeyCaller(
    directory: DirectoryView,
    { realm, hash }: ResolvedCredential,
    username: string | undefined,
    host: string,
  ): AuthenticatedCaller {
    const user = directory.userByKeyHash(hash);
    const name = username?.toLowerCase();
    const matches =
      name === undefined || name === user?.deliveryEmail.toLowerCase() || name === user?.email.toLowerCase();
    if (!user || !matches) throw apiError('API_KEY_UNKNOWN');
    if (!user.isActive) throw apiError('ACCOUNT_DEACTIVATED');
    if (directory.deactivated) throw apiError('ORGANIZATION_DEACTIVATED');
    if (!this.#doesHostNameRealmOrNone(host, directory)) throw apiError('WRONG_SUBDOMAIN');
    return { realm, user, directory };
  }

  async #waitForDirectoryReplica(realm: RealmId): Promise<DirectoryView> {
    await this.#runWithOutagesAsApiErrors(async () => {
      await this.options.directories.waitUntilReady(realm, 0);
    });
    return this.options.directories.currentView(realm);
  }

  /**
   * Turns failures of services, such as an unreachable log, into refusals of the API: they are not faults of this
   * process.
   */
  async #runWithOutagesAsApiErrors<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (
        error instanceof CommandTimeoutError ||
        error instanceof EventLogUnavailableError ||
        error instanceof DirectoryReplicaBehindError
      ) {
        throw apiError('SERVICE_UNAVAILABLE');
      }
      throw error;
    }
  }
}
