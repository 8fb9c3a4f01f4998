/**
 * The mail actor of an organization stores outgoing mails until they are sent. It is an actor of its own, so that a
 * mail server that is slow or away delays no other command: the sender of a mail is done when the mail is stored
 * here.
 */

import { makeValueReply } from '#actors/shared';
import type { Json } from '#base';
import { MAX_MAIL_RETRY_DELAY_MS, type MailDisposition, mailRetryDelayMs, unsealMailLinks } from '#domain/mail';
import { isReachableAddress } from '#domain/people';
import { type RealmId, realmActorKey, toUserId } from '#model';
import { type ActorCommandName, type ArgsOfCommand, mailActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKindDefinition, type CommandDefinition, mapHandlersByName } from '#runtime';
import type { ActorInputSources, ActorServices } from '../services.js';
import {
  computeNextMailAttemptTime,
  listWaitingMails,
  type MailActorState,
  type StoredMail,
  timeOfNextMailAttempt,
  toUnsealedQueuedMail,
  WAITING_MAIL_TABLE,
  type WaitingMail,
} from './state.js';

type MailCommandHandler<C extends ActorCommandName<'mail'>, I = undefined> = CommandDefinition<
  MailActorState,
  ArgsOfCommand<C>,
  I,
  undefined,
  ActorServices
>;

/** Maximum number of mails sent per run; the others follow at once. */
const MAX_MAILS_PER_SENDING_RUN = 40;
/** Minimum number of bulk mails in a run, if as many are due, so that a steady stream of others doesn't starve them. */
const MIN_BULK_MAILS_PER_SENDING_RUN = 4;
/** Pause before the next run if a failure interrupted the last one or it found the mail server away, ms. */
const PAUSE_AFTER_FAILED_RUN_MS = 10_000;
const FAILED_RUN_DISPOSITIONS: ReadonlySet<MailDisposition> = new Set(['away', 'unclear', 'untried']);

/**
 * Earliest time of the next run, wall time, ms. A pause longer than `PAUSE_AFTER_FAILED_RUN_MS` was stored while the
 * clock was ahead, and is ignored.
 */
const earliestTimeOfNextRun = ({ pausedUntil = 0 }: MailActorState, now: number): number =>
  pausedUntil > now && pausedUntil <= now + PAUSE_AFTER_FAILED_RUN_MS ? pausedUntil : now;

/**
 * Stores a mail, or drops it if its address has no mailbox. Other actors send this command (actors/shared/mail.ts); it
 * never refuses.
 */
const storeMailHandler: MailCommandHandler<typeof mailActorCommands.send> = {
  creates: true,
  handle({ state }, given, _inputs, { now }) {
    if (!isReachableAddress(given.to)) return { reply: makeValueReply(null) };
    const last = state.last + 1;
    const mail: StoredMail = { ...given, date: now, tries: 0, next: now };
    return {
      reply: makeValueReply(null),
      state: { ...state, last },
      parts: WAITING_MAIL_TABLE.makePartChange(last, mail),
      // The run begins at once, unless sending is paused. It also sends earlier mails that are due.
      due: earliestTimeOfNextRun(state, now),
    };
  },
};

/** Chooses the mails of a run from those that are due: bulk mails go last, and some of them go in every run. */
function chooseMailsOfRun(due: readonly WaitingMail[]): readonly WaitingMail[] {
  const bulk = due.filter(([, mail]) => mail.bulk);
  const others = due.filter(([, mail]) => !mail.bulk);
  const reserved = Math.min(bulk.length, MIN_BULK_MAILS_PER_SENDING_RUN);
  return [...others.slice(0, MAX_MAILS_PER_SENDING_RUN - reserved), ...bulk].slice(0, MAX_MAILS_PER_SENDING_RUN);
}

/**
 * Leaves out mails whose account or organization was deactivated, or whose invitation was revoked or used, while they
 * waited. An account that the replica of the directory lacks counts as active, because it is new. The Store has an
 * invitation before its mail is stored here, because an actor's records go before its commands.
 */
async function selectNeededMails(
  mails: readonly WaitingMail[],
  realm: RealmId,
  sources: ActorInputSources,
): Promise<readonly WaitingMail[]> {
  const [directory, missing] = await Promise.all([
    mails.some(([, { needs }]) => needs !== undefined) ? sources.loadDirectory(realm) : undefined,
    findMissingParts(mails, realm, sources),
  ]);
  const isActive = (user: number): boolean =>
    !directory?.deactivated && directory?.user(toUserId(user))?.isActive !== false;
  return mails.filter(
    ([, { needs, needsPart }]) =>
      (needs === undefined || isActive(needs)) && (needsPart === undefined || !missing.has(needsPart)),
  );
}

/** Parts of the organization's actor that mails need and that are deleted. */
async function findMissingParts(
  mails: readonly WaitingMail[],
  realm: RealmId,
  { store }: ActorInputSources,
): Promise<ReadonlySet<string>> {
  const names = mails.flatMap(([, { needsPart }]) => needsPart ?? []);
  if (names.length === 0) return new Set();
  const key = realmActorKey(realm);
  const stored = await store.getParts(names.map((part) => ({ key, part })));
  return new Set(names.filter((_, i) => stored[i] === null));
}

/**
 * Sends the mails that are due. The lane is separate, because a mail server takes its time, and exclusive, because a
 * run must not find the mails of the run before. After a crash between sending and commit a mail is sent again, under
 * the same id.
 */
const sendDueMailsHandler: MailCommandHandler<typeof mailActorCommands.due, ReadonlyMap<string, MailDisposition>> = {
  lane: 'sending',
  exclusive: true,
  async inputs(_args, { realm, view }, sources) {
    const { services } = sources;
    const now = services.clock.now();
    // Sending is paused: a mail that was stored during a failed run had made this run due.
    if (earliestTimeOfNextRun(view.state, now) > now) return new Map();
    const due = listWaitingMails(view.parts).filter(([, mail]) => timeOfNextMailAttempt(mail, now) <= now);
    const batch = chooseMailsOfRun(due);
    const open = (text: string): string => unsealMailLinks(services.secrets, text);
    const needed = await selectNeededMails(batch, realm, sources);
    const fates = await services.mail.sendAllOnce(
      needed.map(([number, mail]) => toUnsealedQueuedMail(realm, number, mail, open)),
    );
    const fateByNumber = new Map<string, MailDisposition>(batch.map(([number]) => [number, 'done']));
    for (const [i, [number]] of needed.entries()) fateByNumber.set(number, fates[i]!);
    return fateByNumber;
  },
  handle({ state, parts }, _args, fates, { now }) {
    const written: Record<string, Json> = {};
    const left: StoredMail[] = [];
    for (const [number, mail] of listWaitingMails(parts)) {
      const fate = fates.get(number);
      if (fate === 'done') Object.assign(written, WAITING_MAIL_TABLE.makePartChange(number, null));
      else if (fate === 'later' || fate === 'away') {
        const tries = mail.tries + 1;
        const again: StoredMail = { ...mail, tries, next: now + mailRetryDelayMs(tries) };
        Object.assign(written, WAITING_MAIL_TABLE.makePartChange(number, again));
        left.push(again);
      } else {
        left.push(mail);
        // Bulk mails go last, but the next run must begin with this mail.
        if (fate === 'unclear' && mail.bulk)
          Object.assign(written, WAITING_MAIL_TABLE.makePartChange(number, { ...mail, bulk: false }));
      }
    }
    const hasFailed = [...fates.values()].some((fate) => FAILED_RUN_DISPOSITIONS.has(fate));
    const after = hasFailed ? { ...state, pausedUntil: now + PAUSE_AFTER_FAILED_RUN_MS } : state;
    const next = computeNextMailAttemptTime(left, now);
    const due = next === null ? null : Math.max(next, earliestTimeOfNextRun(after, now));
    return { reply: makeValueReply(null), state: after, parts: written, due };
  },
};

export const mailActorKind: ActorKindDefinition<MailActorState, undefined, ActorServices> = {
  name: 'mail',
  summary: 'The outgoing mails of an organization, until a mail server has taken them.',
  usesDirectory: false,
  loadedParts: [WAITING_MAIL_TABLE.prefix],
  partsAreDeliveries: true,
  dueReachesOutside: true,
  maxDueDelayMs: MAX_MAIL_RETRY_DELAY_MS,
  commands: mapHandlersByName(mailActorCommands, { send: storeMailHandler, due: sendDueMailsHandler }),
  makeInitialState: () => ({ last: 0 }),
  makeVolatile: () => undefined,
  makeMissingActorReply: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
