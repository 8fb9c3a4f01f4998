/** Data exports of an organization: stored records, their form in the API, and the exports that wait for a worker. */

import type { JsonObject } from '#base';
import { dataExportUriOfPath } from '#domain/files';
import { ActorPartAccessor, type ActorParts } from '#model';

/**
 * A data export, as the realm actor stores it. Records are never removed: their number is the id of the newest one, and
 * the exports of a week are counted.
 */
export interface DataExportRecord extends JsonObject {
  readonly id: number;
  /** Administrator who asked for the export. */
  readonly requester: number;
  /** Wall time of the request, ms. */
  readonly requested: number;
  /** Path of the archive of the last attempt (domain/files/data-exports.ts). */
  readonly archive: string;
  /** Number of attempts, the running one included; absent: one. */
  readonly attempts?: number;
  /** Base URL of the organization at the request. */
  readonly origin: string;
  readonly phase: 'pending' | 'stored' | 'failed' | 'deleted';
  /** Wall time at which the export failed or its archive was deleted, ms; null in other phases. */
  readonly ended: number | null;
}

/** Data exports by id. */
export const DATA_EXPORT_PARTS = new ActorPartAccessor<DataExportRecord>('export/');

/** Data exports in the order of their ids. */
export const listDataExports = (parts: ActorParts): DataExportRecord[] =>
  [...DATA_EXPORT_PARTS.values(parts)].sort((a, b) => a.id - b.id);

/** True if an export runs, or waits to be run. */
export const hasPendingDataExport = (parts: ActorParts): boolean =>
  listDataExports(parts).some(({ phase }) => phase === 'pending');

/** Form of a data export in the API. @param origin base URL of the organization */
const presentDataExport = (record: DataExportRecord, origin: string): JsonObject => {
  const endedSeconds = (phase: DataExportRecord['phase']): number | null =>
    record.phase === phase && record.ended !== null ? record.ended / 1000 : null;
  return {
    id: record.id,
    export_time: record.requested / 1000,
    acting_user_id: record.requester,
    export_url: record.phase === 'stored' ? `${origin}${dataExportUriOfPath(record.archive)}` : null,
    deleted_timestamp: endedSeconds('deleted'),
    failed_timestamp: endedSeconds('failed'),
    pending: record.phase === 'pending',
  };
};

/** The list of all data exports, as an operation and the event show it. */
export const presentDataExports = (records: readonly DataExportRecord[], origin: string): JsonObject => ({
  exports: records.map((record) => presentDataExport(record, origin)),
});

/** Pending data exports in the memory of the actor, for its sidecar. Only the records are stored. */
export class PendingDataExports {
  /** Exports whose worker died with an earlier activation of the actor. */
  readonly orphanIds: readonly number[];
  #unstarted: DataExportRecord[] = [];

  constructor(parts: ActorParts) {
    this.orphanIds = listDataExports(parts).flatMap(({ id, phase }) => (phase === 'pending' ? [id] : []));
  }

  /** Adds an export that the sidecar is to start once its record is committed. */
  add(record: DataExportRecord): void {
    this.#unstarted.push(record);
  }

  takeUnstarted(): readonly DataExportRecord[] {
    const taken = this.#unstarted;
    this.#unstarted = [];
    return taken;
  }

  /** Drops the exports whose records were taken back. */
  dropWithoutRecord(parts: ActorParts): void {
    this.#unstarted = this.#unstarted.filter(({ id }) => DATA_EXPORT_PARTS.findPartValue(parts, id));
  }
}
