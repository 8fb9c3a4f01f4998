/**
 * Work of the realm actor outside its mailbox: runs data exports, and returns reserved message ids that were not handed
 * out, before the actor leaves memory.
 *
 * An export runs on the host of the actor and ends with the activation. Its record stays pending then, and the next
 * activation, perhaps on another host, starts it again.
 */

import { waitOnClock } from '#base/clock';
import { blobNameOfDataExport } from '#domain/files';
import { realmActorCommands } from '#model/commands';
import type { ActorActivationHandle, ActorSidecar, DeferredRequest, PassivationReason } from '#runtime';
import type { ActorInputSources } from '../services.js';
import type { DataExportRecord } from './data-exports.js';
import type { RealmActorState } from './state.js';
import type { RealmMemoryState } from './volatile.js';

/** Time after which the start or the end of an export is recorded again if the Store was away, ms. */
const RECORD_AGAIN_AFTER_MS = 5_000;

export class RealmActorSidecar implements ActorSidecar {
  /** Running exports by id. */
  readonly #runningExports = new Map<number, AbortController>();
  #isStopped = false;

  constructor(
    private readonly handle: ActorActivationHandle<RealmActorState, RealmMemoryState>,
    private readonly sources: ActorInputSources,
  ) {
    for (const id of handle.volatile.dataExports.orphanIds)
      void this.#recordReliably(() => handle.sendSelf(realmActorCommands.restartExport, { id }));
  }

  handleCommand(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  onCommitted(): void {
    if (this.handle.state().phase === 'deleted') this.#abortExports();
    for (const record of this.handle.volatile.dataExports.takeUnstarted()) void this.#runExport(record);
  }

  isIdle(): boolean {
    return this.#runningExports.size === 0;
  }

  async flush(reason: PassivationReason): Promise<void> {
    const { volatile } = this.handle;
    // The actor still hands out ids while the partition is handed over, but reserves each singly. This holds for drains
    // only: any other passivation can be called off by a new command, after which the actor stays.
    if (reason === 'drained') {
      volatile.isPartitionDraining = true;
      this.#abortExports();
    }
    if (volatile.nextMessageId <= this.handle.state().reservedIds)
      await this.handle.sendSelf(realmActorCommands.returnIds, {});
  }

  onActivationStopped(): void {
    this.#isStopped = true;
    this.#abortExports();
  }

  async #runExport({ id, archive }: DataExportRecord): Promise<void> {
    const running = new AbortController();
    this.#runningExports.set(id, running);
    let stored = true;
    try {
      const { exporter } = this.sources.services;
      await exporter.storePublicExport(this.handle.realm, blobNameOfDataExport(archive), running.signal);
    } catch {
      stored = false;
    }
    const end = { id, archive, stored };
    if (!running.signal.aborted)
      await this.#recordReliably(() => this.handle.sendSelf(realmActorCommands.endExport, end));
    this.#runningExports.delete(id);
  }

  #abortExports(): void {
    for (const running of this.#runningExports.values()) running.abort();
  }

  /** Records the start or the end of an export, again and again until the activation stops. */
  async #recordReliably(record: () => Promise<void>): Promise<void> {
    const { clock } = this.sources.services;
    while (!this.#isStopped) {
      try {
        await record();
        return;
      } catch {
        await waitOnClock(clock, RECORD_AGAIN_AFTER_MS);
      }
    }
  }
}
