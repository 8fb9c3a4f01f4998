/** What frontends need of the rest of the server: accounts from directory replicas, everything else from actors. */

import { encodeFields, SharedRuns } from '#base';
import type { Clock } from '#base/clock';
import { type Directories, DirectoryBehind, NoSuchRealm } from '#directory';
import type { Secrets } from '#domain/secrets';
import type { ActorRepeat, ActorReply, Forward } from '#frontend/api';
import type { AnonymousCaller, Caller, ForwardContext, Forwarding, FrontendServices, Log } from '#frontend/http';
import type { RealmId } from '#model';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { Blobs } from '#ports/blobs';
import { LogUnavailable } from '#ports/log';
import { type ActorClient, CommandTimeout } from '#runtime';
import { NewestByRealm } from './newest-by-realm.js';
import { realmAtHost, subdomainOf } from './realms.js';
import { type SiteOptions, siteOf } from './site.js';

export interface GatewayOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly directories: Directories;
  readonly client: ActorClient;
  readonly secrets: Secrets;
  readonly blobs: Blobs;
  readonly site: SiteOptions;
  /** Milliseconds for a command that isn't held. */
  readonly deadlineMs: number;
}

interface KnownKey {
  readonly realm: RealmId;
  readonly hash: string;
}

/** Keys whose realm and hash are remembered; both are pure functions of the key, so nothing can go stale. */
const KNOWN_KEYS = 50_000;

function unanswered(error: unknown): never {
  if (error instanceof CommandTimeout) throw apiError('SERVICE_UNAVAILABLE');
  throw error;
}

const released = ({ released: fields }: Forward): ActorReply =>
  fields ? { ok: [encodeFields(fields)] } : { error: apiError('SERVICE_UNAVAILABLE').toReply() };

export class Gateway implements FrontendServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly blobs: Blobs;
  readonly secrets: Secrets;
  readonly #known = new Map<string, KnownKey>();
  readonly #newest: NewestByRealm;
  readonly #refreshes = new SharedRuns<RealmId>();

  constructor(private readonly options: GatewayOptions) {
    this.clock = options.clock;
    this.log = options.log;
    this.blobs = options.blobs;
    this.secrets = options.secrets;
    this.#newest = new NewestByRealm(options.directories, options.client);
  }

  authenticate(username: string | undefined, key: string, host: string): Caller | Promise<Caller> {
    const known = this.#knownKey(key);
    const directory = this.options.directories.find(known.realm);
    const user = directory?.userByKeyHash(known.hash);
    if (directory && user) return this.#admit(directory, known, username, host);
    return this.#lookUp(known, username, host);
  }

  async anonymous(host: string): Promise<AnonymousCaller> {
    const realms = await this.#available(() => this.options.directories.realms());
    const entry = realmAtHost(host, this.options.site.externalHost, realms);
    if (!entry) throw apiError('NONEXISTENT_SUBDOMAIN');
    const directory = await this.#open(entry.id);
    return { realm: entry.id, directory };
  }

  site(host: string, subdomain: string): string {
    return siteOf(this.options.site, host, subdomain);
  }

  forward(forward: Forward, context: ForwardContext): Forwarding {
    let cancelled = false;
    let leaving = false;
    let cancel = (): void => {};
    let giveUp = (): void => {};
    // Plain reactions: an async function here would add three promises to every request.
    const step = (of: Forward): Promise<ActorReply | ActorRepeat> => {
      const held = of.held === true && of.followedBy === undefined;
      if (held && leaving) return Promise.resolve(released(of));
      const sent = this.options.client.send(of.to, of.command, of.args, {
        caller: of.as ?? context.caller?.user.id ?? 0,
        client: context.client,
        requestId: context.requestId,
        after: context.caller?.directory.version ?? 0,
        held,
        deadlineMs: held ? Number.POSITIVE_INFINITY : (forward.patienceMs ?? this.options.deadlineMs),
      });
      cancel = () => sent.cancel();
      const replied = sent.reply.then((reply) => {
        if ('value' in reply) throw new Error(`${of.command} was answered with a bare value`);
        if ('forward' in reply) {
          const next = { ...of, ...reply.forward };
          return reply.fresh ? this.refresh(context.realm).then(() => step(next)) : step(next);
        }
        if ('ok' in reply && reply.logged !== undefined && context.caller) {
          this.#newest.told(context.realm, context.caller.user.id, of.to, reply.logged);
        }
        if ('error' in reply || 'again' in reply || cancelled) return reply;
        if (of.followedBy) return step(of.followedBy);
        return of.plus ? { ...reply, ok: [encodeFields(of.plus), ...reply.ok] } : reply;
      }, unanswered);
      if (!held) return replied;
      return new Promise((resolve, reject) => {
        giveUp = () => {
          sent.cancel();
          resolve(released(of));
        };
        replied.then(resolve, reject);
      });
    };
    return {
      reply: step(forward),
      cancel: () => {
        cancelled = true;
        cancel();
      },
      release: () => {
        leaving = true;
        giveUp();
      },
    };
  }

  newestMessage({ realm, user }: Caller): number | Promise<number> {
    const newest = this.#newest.of(realm, user.id, this.options.deadlineMs);
    return newest instanceof Promise ? this.#available(() => newest) : newest;
  }

  onKeyRevoked(listener: (keyHash: string) => void): void {
    this.options.directories.onKeyRevoked = listener;
  }

  directoryNow(realm: RealmId): DirectoryView | undefined {
    return this.options.directories.find(realm);
  }

  async directoryOf(realm: RealmId): Promise<DirectoryView | undefined> {
    const { directories } = this.options;
    if (!directories.find(realm)) {
      // Clients may name any number: only a realm that exists is worth a replica.
      const realms = await this.#available(() => directories.realms());
      if (!realms.some(({ id }) => id === realm)) return undefined;
    }
    return this.#open(realm);
  }

  refresh(realm: RealmId): Promise<void> {
    return this.#available(() => this.#refreshes.ask(realm, () => this.options.directories.refresh(realm)));
  }

  waitFor(realm: RealmId, version: number): void | Promise<void> {
    const waiting = this.options.directories.ready(realm, version);
    return waiting && this.#available(() => waiting);
  }

  #knownKey(key: string): KnownKey {
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= KNOWN_KEYS) this.#known.clear();
    const { secrets } = this.options;
    const fresh = { realm: secrets.realmOfKey(key), hash: secrets.keyHash(key) };
    this.#known.set(key, fresh);
    return fresh;
  }

  async #lookUp(known: KnownKey, username: string | undefined, host: string): Promise<Caller> {
    const { directories } = this.options;
    let directory = await this.directoryOf(known.realm);
    if (!directory) throw apiError('API_KEY_UNKNOWN');
    if (!directory.userByKeyHash(known.hash)) {
      // Another frontend may have told the client of a key that this replica has not seen yet.
      await this.refresh(known.realm);
      directory = directories.now(known.realm);
    }
    return this.#admit(directory, known, username, host);
  }

  #admit(directory: DirectoryView, { realm, hash }: KnownKey, username: string | undefined, host: string): Caller {
    const user = directory.userByKeyHash(hash);
    const name = username?.toLowerCase();
    const fits = name === undefined || name === user?.deliveryEmail.toLowerCase() || name === user?.email.toLowerCase();
    if (!user || !fits) throw apiError('API_KEY_UNKNOWN');
    if (!user.isActive) throw apiError('ACCOUNT_DEACTIVATED');
    if (directory.deactivated) throw apiError('ORGANIZATION_DEACTIVATED');
    const subdomain = subdomainOf(host, this.options.site.externalHost);
    if (subdomain !== undefined && subdomain !== '' && subdomain !== directory.subdomain) {
      throw apiError('WRONG_SUBDOMAIN');
    }
    return { realm, user, directory };
  }

  async #open(realm: RealmId): Promise<DirectoryView> {
    await this.#available(async () => {
      await this.options.directories.ready(realm, 0);
    });
    return this.options.directories.now(realm);
  }

  /** Services that are away are an error of the API, not a fault of ours. */
  async #available<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof NoSuchRealm) throw apiError('NONEXISTENT_SUBDOMAIN');
      if (error instanceof CommandTimeout || error instanceof LogUnavailable || error instanceof DirectoryBehind) {
        throw apiError('SERVICE_UNAVAILABLE');
      }
      throw error;
    }
  }
}
