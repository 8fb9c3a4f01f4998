/** Drafts (messages.md § Drafts): one part of the user's actor per draft. The functions have no side effects. */
import type { Json, JsonObject } from '#base';

interface DraftFields extends JsonObject {
  /** Kind of recipient; '' = the draft has no recipient yet. */
  readonly type: '' | 'stream' | 'private';
  /** Recipients: the stream; or the other participants, ascending (the user itself when alone); or []. */
  readonly to: readonly number[];
  /** Topic of the message; '' unless `type` is 'stream'. */
  readonly topic: string;
  readonly content: string;
}

/** A draft without its id, checked and normalised. */
export interface DraftBody extends DraftFields {
  /** Time of the last edit by the client's clock; seconds since 1970. */
  readonly timestamp: number;
}

export interface Draft extends DraftBody {
  readonly id: number;
}

export const DRAFT_PART_PREFIX = 'draft/';
/** Maximum number of drafts that a user has; GET /drafts returns all of them. */
export const MAX_DRAFTS_PER_USER = 2_000;
/** Maximum number of drafts that POST /register returns. */
export const MAX_DRAFTS_IN_REGISTER_RESPONSE = 1_000;

export const draftPartName = (id: number): string => `${DRAFT_PART_PREFIX}${id}`;

export const findStoredDraft = (parts: ReadonlyMap<string, Json>, id: number): Draft | undefined =>
  parts.get(draftPartName(id)) as Draft | undefined;

/** The user's drafts, oldest edit first. */
export const listStoredDrafts = (parts: ReadonlyMap<string, Json>): Draft[] =>
  [...parts]
    .filter(([name]) => name.startsWith(DRAFT_PART_PREFIX))
    .map(([, value]) => value as Draft)
    .sort((a, b) => a.timestamp - b.timestamp || a.id - b.id);
