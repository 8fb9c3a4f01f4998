/** Handlers of /export/realm (realm.md § Data export): requests, ends and deletions of data exports. */

import { makeDirectNoticeCommand, makeSuccessReply, makeValueReply } from '#actors/shared';
import { TimeSlicer } from '#base';
import { blobNameOfDataExport, dataExportPathOfAttempt, dataExportUriOfPath } from '#domain/files';
import { storeNameOfStreamConversation } from '#domain/messages';
import { isAdminOrOwner } from '#domain/people';
import { type LogItem, type RealmId, realmActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { BlobStorageUnavailableError } from '#ports/blobs';
import type { Store } from '#ports/store';
import { DATA_EXPORT_PARTS, type DataExportRecord, listDataExports, presentDataExports } from '../../data-exports.js';
import { makeUserEventLogItem } from '../../log-items.js';
import { type ActorParts, findUserRecord, listStreamRecords, type RealmActorState } from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { computeNextRealmTimerTime } from '../due.js';
import { noticeTextsOfAccount } from '../mails.js';

/** Maximum number of requests of an organization in a week; failed, pending and deleted exports count. */
const MAX_EXPORTS_PER_WEEK = 5;
/** An export that broke off this often has failed: it may be what stops its process. */
const MAX_EXPORT_ATTEMPTS = 5;
const WEEK_MS = 7 * 86_400_000;
/** Above these numbers those who run the server make the export. */
const MAX_EXPORTED_MESSAGES = 250_000;
const MAX_EXPORTED_FILE_BYTES = 10 * 2 ** 30;
/** Number of messages that one read of the count passes. */
const MESSAGES_PER_COUNT = 5_000;

/** @throws ApiError for a caller who is no administrator */
function checkCallerIsAdmin(parts: ActorParts, caller: number): void {
  if (!isAdminOrOwner(getActingUserOrThrow(parts, caller))) throw apiError('ADMIN_REQUIRED');
}

const isWeeklyLimitReached = (parts: ActorParts, now: number): boolean =>
  listDataExports(parts).filter(({ requested }) => requested > now - WEEK_MS).length >= MAX_EXPORTS_PER_WEEK;

/** The list of exports with a new version of one of them. */
const withDataExport = (parts: ActorParts, changed: DataExportRecord): DataExportRecord[] =>
  [...listDataExports(parts).filter(({ id }) => id !== changed.id), changed].sort((a, b) => a.id - b.id);

/** Event for one administrator, with all exports. */
const makeDataExportEvent = (user: number, records: readonly DataExportRecord[], origin: string): LogItem =>
  makeUserEventLogItem(user, { type: 'realm_export', ...presentDataExports(records, origin) });

const makeEraseCommand = (realm: RealmId, { archive }: DataExportRecord): OutboxCommand =>
  makeOutboxCommand({
    to: realmActorKey(realm),
    name: realmActorCommands.eraseExport,
    args: { archive },
    caller: 0,
  });

export const listDataExportsHandler: RealmCommandHandler<typeof realmActorCommands.listExports> = {
  lane: NO_INPUT_COMMAND_LANE,
  read: true,
  handle({ parts }, { origin }, _inputs, { caller }) {
    checkCallerIsAdmin(parts, caller);
    return { reply: makeSuccessReply(presentDataExports(listDataExports(parts), origin)) };
  },
};

/** Starts an export: the sidecar runs it when the record is committed. The inputs are the number of public messages. */
export const startDataExportHandler: RealmCommandHandler<typeof realmActorCommands.startExport, number> = {
  lane: 'exports',
  inputs: (_args, { realm, view }, { store }) => countPublicMessages(store, realm, view),
  handle({ state, parts, volatile }, { archive, origin, administratorEmail }, publicMessages, { caller, now }) {
    checkCallerIsAdmin(parts, caller);
    if (isWeeklyLimitReached(parts, now)) throw apiError('EXPORT_LIMIT');
    if (publicMessages > MAX_EXPORTED_MESSAGES || state.uploads.used > MAX_EXPORTED_FILE_BYTES)
      throw apiError('EXPORT_BY_HAND', { email: administratorEmail });
    const before = listDataExports(parts);
    const id = (before.at(-1)?.id ?? 0) + 1;
    const record: DataExportRecord = {
      id,
      requester: caller,
      requested: now,
      archive,
      origin,
      phase: 'pending',
      ended: null,
    };
    volatile.dataExports.add(record);
    return {
      reply: makeSuccessReply({ id }),
      parts: DATA_EXPORT_PARTS.makePartChange(id, record),
      due: computeNextRealmTimerTime(parts, state, now, true),
      events: [makeDataExportEvent(caller, [...before, record], origin)],
    };
  },
};

/**
 * Counts the messages of public streams; the count ends above the bound of an export. An organization whose message ids
 * are all below the bound needs no count.
 */
async function countPublicMessages(
  store: Store,
  realm: RealmId,
  { state, parts }: { readonly state: RealmActorState; readonly parts: ActorParts },
): Promise<number> {
  if (state.reservedIds <= MAX_EXPORTED_MESSAGES) return state.reservedIds;
  const slicer = new TimeSlicer(1);
  let count = 0;
  for (const { id: stream, inviteOnly } of listStreamRecords(parts)) {
    if (inviteOnly) continue;
    const index = { by: 'conversation', conversation: storeNameOfStreamConversation(stream) } as const;
    for (let from = 0; count <= MAX_EXPORTED_MESSAGES; ) {
      const scan = { realm, index, from, direction: 'newer', limit: MESSAGES_PER_COUNT } as const;
      const records = await store.scanMessages(scan);
      count += records.length;
      if (records.length < MESSAGES_PER_COUNT) break;
      from = records.at(-1)!.id;
      const pause = slicer.yieldIfSliceIsOver();
      if (pause) await pause;
    }
  }
  return count;
}

/**
 * Starts an export again that ended with an earlier activation of the actor. Its archive gets another path: the process
 * that lost the actor may still store the archive of the attempt before, and then deletes it.
 */
export const restartDataExportHandler: RealmCommandHandler<typeof realmActorCommands.restartExport> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle(view, { id }, inputs, context) {
    const { state, parts, volatile } = view;
    const before = DATA_EXPORT_PARTS.findPartValue(parts, id);
    if (before?.phase !== 'pending') return { reply: makeValueReply(null) };
    const attempts = (before.attempts ?? 1) + 1;
    if (attempts > MAX_EXPORT_ATTEMPTS)
      return endDataExportHandler.handle(view, { id, archive: before.archive, stored: false }, inputs, context);
    const record: DataExportRecord = {
      ...before,
      attempts,
      archive: dataExportPathOfAttempt(before.archive, attempts),
    };
    volatile.dataExports.add(record);
    return {
      reply: makeValueReply(null),
      parts: DATA_EXPORT_PARTS.makePartChange(id, record),
      due: computeNextRealmTimerTime(parts, state, context.now, true),
      commands: [[makeEraseCommand(context.realm, before)]],
    };
  },
};

/**
 * Records that the archive of an export is stored, or never will be. Only the administrator who asked for the export
 * gets the event and the notice of success, and only while they are an administrator.
 */
export const endDataExportHandler: RealmCommandHandler<typeof realmActorCommands.endExport> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { id, archive, stored }, _inputs, { now, realm }) {
    const reply = makeValueReply(null);
    const before = DATA_EXPORT_PARTS.findPartValue(parts, id);
    if (before?.phase !== 'pending' || before.archive !== archive) return { reply };
    const record: DataExportRecord = stored
      ? { ...before, phase: 'stored' }
      : { ...before, phase: 'failed', ended: now };
    const { requester, origin } = record;
    const user = findUserRecord(parts, requester);
    const informed = user?.isActive === true && isAdminOrOwner(user);
    const commands: OutboxCommand[] = [];
    if (!stored) commands.push(makeEraseCommand(realm, record));
    else if (informed) {
      const content = noticeTextsOfAccount(parts, user).dataExportStored(
        `${origin}${dataExportUriOfPath(record.archive)}`,
      );
      commands.push(makeDirectNoticeCommand(realm, requester, { content, origin, after: state.directoryVersion }));
    }
    return {
      reply,
      parts: DATA_EXPORT_PARTS.makePartChange(id, record),
      commands: [commands],
      ...(informed && { events: [makeDataExportEvent(requester, withDataExport(parts, record), origin)] }),
    };
  },
};

/** Deletes the archive of an export; the record stays. The reply comes when the archive is gone. */
export const deleteDataExportHandler: RealmCommandHandler<typeof realmActorCommands.deleteExport> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { id, origin }, _inputs, { caller, now, realm }) {
    checkCallerIsAdmin(parts, caller);
    const before = DATA_EXPORT_PARTS.findPartValue(parts, id);
    if (!before) throw apiError('NO_SUCH_EXPORT');
    if (before.phase === 'deleted') throw apiError('EXPORT_DELETED');
    if (before.phase === 'failed') throw apiError('EXPORT_FAILED');
    if (before.phase === 'pending') throw apiError('EXPORT_PENDING');
    const record: DataExportRecord = { ...before, phase: 'deleted', ended: now };
    return {
      reply: makeSuccessReply(),
      parts: DATA_EXPORT_PARTS.makePartChange(id, record),
      events: [makeDataExportEvent(caller, withDataExport(parts, record), origin)],
      commands: [[makeEraseCommand(realm, record)]],
      replyAfterCommands: true,
    };
  },
};

/**
 * Deletes the archive of an export whose record says so already: the command comes from the outbox of that commit. A
 * repeat does no harm.
 */
export const eraseDataExportHandler: RealmCommandHandler<typeof realmActorCommands.eraseExport> = {
  lane: 'erase-exports',
  async inputs({ archive }, { realm }, { services }) {
    try {
      await services.blobs.delete(realm, blobNameOfDataExport(archive));
    } catch (error) {
      // An error of the disk is ignored: the archive must not block the outbox of the organization.
      if (error instanceof BlobStorageUnavailableError) throw error;
    }
    return undefined;
  },
  handle: () => ({ reply: makeValueReply(null) }),
};
