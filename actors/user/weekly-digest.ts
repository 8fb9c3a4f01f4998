/** The part with the weekly digest of a user: when the next one is to be made, and when the last one was mailed. */
import type { JsonObject } from '#base';
import { MAX_DIGEST_DELAY_MS } from '#domain/notifications';
import { ActorPartAccessor, type ActorParts } from '#model';
import type { PlanDigestArgs } from '#model/commands';

/** A digest that is to be made. */
export interface PlannedDigest extends JsonObject, PlanDigestArgs {
  /** Wall time of the next attempt to make the digest, ms. */
  readonly due: number;
}

export interface WeeklyDigestRecord extends JsonObject {
  /**
   * The last mailed digest: the time for which it was planned, and the time up to which it told the news, ms; absent:
   * none was mailed.
   */
  readonly lastMailed?: { readonly plannedAt: number; readonly toldUntil: number };
  readonly plan: PlannedDigest | null;
}

export const WEEKLY_DIGEST_PART_PREFIX = 'weekly-digest/';
const WEEKLY_DIGEST_PARTS = new ActorPartAccessor<WeeklyDigestRecord>(WEEKLY_DIGEST_PART_PREFIX);
/** Id of the only part of the table. */
const ONLY_ID = 'state';

const readStoredRecord = (parts: ActorParts): WeeklyDigestRecord =>
  WEEKLY_DIGEST_PARTS.findPartValue(parts, ONLY_ID) ?? { plan: null };

/** The record without a plan and a mail of a time when the clock was ahead: they would end later digests. */
export function readWeeklyDigestRecord(parts: ActorParts, now: number): WeeklyDigestRecord {
  const { plan, lastMailed } = readStoredRecord(parts);
  const latest = now + MAX_DIGEST_DELAY_MS;
  return {
    plan: plan && plan.at <= latest ? plan : null,
    ...(lastMailed && lastMailed.toldUntil <= latest && lastMailed.plannedAt <= latest ? { lastMailed } : {}),
  };
}

/** Makes the change that ends a plan of a time when the clock was ahead; none if there is no such plan. */
export const makePlannedAheadRemoval = (parts: ActorParts, now: number) =>
  readStoredRecord(parts).plan && !readWeeklyDigestRecord(parts, now).plan
    ? makeWeeklyDigestPartChange(readWeeklyDigestRecord(parts, now))
    : {};

/** Makes the change that stores the record; a record that says nothing is deleted. */
export const makeWeeklyDigestPartChange = (record: WeeklyDigestRecord) =>
  WEEKLY_DIGEST_PARTS.makePartChange(ONLY_ID, record.plan === null && record.lastMailed === undefined ? null : record);

/** Returns the wall time at which the digest is to be made, ms; null if none is planned. */
export const findNextDigestTime = (parts: ActorParts): number | null => readStoredRecord(parts).plan?.due ?? null;
