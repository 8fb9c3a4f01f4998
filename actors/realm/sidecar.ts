/**
 * Work of the realm actor outside its mailbox: runs data exports, and returns reserved message ids that were not handed
 * out, before the actor leaves memory.
 *
 * An export runs on the host of the actor and ends with the activation. Its record stays pending then, and the next
 * activation, perhaps on another host, records it as failed.
 */

import { blobNameOfDataExport } from '#domain/files';
import { realmActorCommands } from '#model/commands';
import type { ActorActivationHandle, ActorSidecar, DeferredRequest, PassivationReason } from '#runtime';
import type { ActorInputSources } from '../services.js';
import type { DataExportRecord } from './data-exports.js';
import type { RealmActorState } from './state.js';
import type { RealmMemoryState } from './volatile.js';

/** Time after which the end of an export is recorded again if the Store was away, ms. */
const RECORD_AGAIN_AFTER_MS = 5_000;

export class RealmActorSidecar implements ActorSidecar {
  /** Running exports by id. */
  readonly #runningExports = new Map<number, AbortController>();
  #isStopped = false;

  constructor(
    private readonly handle: ActorActivationHandle<RealmActorState, RealmMemoryState>,
    private readonly sources: ActorInputSources,
  ) {
    for (const id of handle.volatile.dataExports.orphanIds) void this.#endExportReliably(id, false);
  }

  handleCommand(_name: string, _args: unknown, request: DeferredRequest): void {
    request.reply({ ok: [] });
  }

  onCommitted(): void {
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
      await Promise.allSettled(this.#abortExports().map((id) => this.#endExport(id, false)));
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
    if (!running.signal.aborted) await this.#endExportReliably(id, stored);
    this.#runningExports.delete(id);
  }

  /** Aborts all running exports. @returns their ids */
  #abortExports(): number[] {
    const aborted = [...this.#runningExports].filter(([, { signal }]) => !signal.aborted);
    for (const [, running] of aborted) running.abort();
    return aborted.map(([id]) => id);
  }

  /** Records the end of an export, again and again until the activation stops. */
  async #endExportReliably(id: number, stored: boolean): Promise<void> {
    const { clock } = this.sources.services;
    while (!this.#isStopped) {
      try {
        await this.#endExport(id, stored);
        return;
      } catch {
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, RECORD_AGAIN_AFTER_MS));
      }
    }
  }

  #endExport(id: number, stored: boolean): Promise<void> {
    return this.handle.sendSelf(realmActorCommands.endExport, { id, stored });
  }
}
