/**
 * The lease of imports, seen from the command line. Realm 0 keeps the lease and its beat, which the holder raises. A
 * contender measures with its own clock for how long the beat stands still, so that no clocks of different hosts are
 * compared.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { AdminError, ServerStoppedError, type SystemActorCaller } from '#app/admin';
import { type Clock, REAL_CLOCK, runPeriodically, waitOnClock } from '#base/clock';
import { type RealmId, realmActorKey, toRealmId } from '#model';
import { type RealmImportLease, type RealmImportReservation, realmActorCommands } from '#model/commands';

const SERVER_REALM_ACTOR_KEY = realmActorKey(toRealmId(0));
/** Time between two beats, ms. */
const BEAT_INTERVAL_MS = 2_500;
/** Time after which a lease without a new beat is taken over, ms. */
export const IMPORT_LEASE_MS = 10_000;
const MAX_OBSERVATION_PAUSE_MS = 500;

/** Host and process of this command, for operators of others. */
const PLACE = `${hostname()}/${process.pid}`;

const makeLeaseHeldError = ({ subdomain, place, isDrop }: RealmImportLease): AdminError =>
  new AdminError(
    isDrop
      ? `the import to '${subdomain}' is being given up on ${place}`
      : `an import to '${subdomain}' is under way on ${place}: one organization is imported at a time`,
  );

export class ImportLeaseHolder {
  readonly #holder = randomBytes(12).toString('base64url');
  readonly #lost = new AbortController();
  #stopBeating: (() => void) | undefined;

  constructor(
    private readonly actors: SystemActorCaller,
    private readonly subdomain: string,
    private readonly clock: Clock = REAL_CLOCK,
    /** Tells the operator that the command waits. */
    private readonly tellWait: (text: string) => void = (text) => void process.stderr.write(`${text}\n`),
  ) {}

  /** Aborted, with an AdminError as the reason, when another process has taken the lease or the server has stopped. */
  get lostSignal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Takes the lease and begins the import, or continues it.
   * @throws AdminError while another process imports
   */
  async takeAndReserve(source: string): Promise<RealmImportReservation> {
    const args = {
      subdomain: this.subdomain,
      source,
      seed: randomBytes(24).toString('base64url'),
      holder: this.#holder,
      place: PLACE,
    };
    const { reserved } = await this.#sendUntilLeaseIsFree(async (stale) =>
      this.actors.sendForValueOrThrow(SERVER_REALM_ACTOR_KEY, realmActorCommands.beginImport, { ...args, stale }),
    );
    this.#startBeating();
    return reserved;
  }

  /** Opens the imported organization. @throws AdminError if another process has the lease */
  async openOrganization(deactivated: boolean): Promise<void> {
    const args = { subdomain: this.subdomain, deactivated, holder: this.#holder };
    await this.actors.sendForValueOrThrow(SERVER_REALM_ACTOR_KEY, realmActorCommands.endImport, args);
    this.#stop();
  }

  /**
   * Gives up an unfinished import. May be repeated after a crash. @returns false if there was none
   * @param removeRealm removes the records and blobs of the import
   * @throws AdminError while another process imports it, or gives it up
   */
  async dropImport(removeRealm: (realm: RealmId) => Promise<unknown>): Promise<boolean> {
    const args = { subdomain: this.subdomain, holder: this.#holder, place: PLACE };
    const { reserved } = await this.#sendUntilLeaseIsFree(async (stale) =>
      this.actors.sendForValueOrThrow(SERVER_REALM_ACTOR_KEY, realmActorCommands.markImportDropped, { ...args, stale }),
    );
    this.#stop();
    if (!reserved) return false;
    this.#startBeating();
    try {
      await removeRealm(toRealmId(reserved.realm));
      const ended = await this.actors.sendForValueOrThrow(SERVER_REALM_ACTOR_KEY, realmActorCommands.dropImport, {
        ...args,
        stale: null,
      });
      if ('heldBy' in ended) throw makeLeaseHeldError(ended.heldBy);
      return true;
    } finally {
      this.#stop();
    }
  }

  /** Returns the lease, so that the next import need not wait. The lease lapses by itself if this fails. */
  async release(): Promise<void> {
    if (!this.#stopBeating) return;
    this.#stop();
    const { actors } = this;
    await actors
      .sendForReply(SERVER_REALM_ACTOR_KEY, realmActorCommands.releaseImport, { holder: this.#holder })
      .catch(() => undefined);
  }

  #startBeating(): void {
    this.#stopBeating = runPeriodically(this.clock, BEAT_INTERVAL_MS, () => void this.#beat());
  }

  #stop(): void {
    this.#stopBeating?.();
    this.#stopBeating = undefined;
  }

  async #beat(): Promise<void> {
    const { actors } = this;
    const kept = await actors
      .sendForValueOrThrow(SERVER_REALM_ACTOR_KEY, realmActorCommands.renewImport, {
        subdomain: this.subdomain,
        holder: this.#holder,
      })
      // A cluster can be away for a while: its lease is lost only to another process.
      .catch((error: unknown) => (error instanceof ServerStoppedError ? error : true));
    // A beat that was sent before the end of the import may be answered after it.
    if (kept === true || !this.#stopBeating) return;
    this.#stop();
    this.#lost.abort(kept === false ? new AdminError('another process has taken over the import') : kept);
  }

  /** Repeats a request while the lease of another process stands still, until it counts as stale. */
  async #sendUntilLeaseIsFree<T extends object>(
    send: (stale: RealmImportLease | null) => Promise<T | { readonly heldBy: RealmImportLease }>,
  ): Promise<T> {
    let reply = await send(null);
    if (!('heldBy' in reply)) return reply;
    const first = reply.heldBy;
    this.tellWait(`another import holds the lease (${first.place}): waiting up to ${IMPORT_LEASE_MS / 1_000} seconds`);
    const seen = this.clock.monotonic();
    while ('heldBy' in reply) {
      const { heldBy } = reply;
      if (heldBy.holder !== first.holder || heldBy.beat !== first.beat) throw makeLeaseHeldError(heldBy);
      await waitOnClock(this.clock, MAX_OBSERVATION_PAUSE_MS);
      reply = await send(this.clock.monotonic() - seen >= IMPORT_LEASE_MS ? first : null);
    }
    return reply;
  }
}
