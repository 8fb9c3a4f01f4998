/** Saved snippets (messages.md § Saved snippets): texts for later messages, one part of the user's actor for each. */
import type { JsonObject } from '#base';
import { ActorPartAccessor, type ActorParts } from '#model';

/** A saved snippet as the API shows it. */
export interface SavedSnippet extends JsonObject {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  /** Time of its creation, seconds since 1970. */
  readonly date_created: number;
}

/** Maximum number of characters (code points) of a title. */
export const MAX_SAVED_SNIPPET_TITLE_CHARACTERS = 60;

/** Maximum number of snippets of a user: every registration of the user's clients has all of them. */
export const MAX_SAVED_SNIPPETS_PER_USER = 1_000;

export const SAVED_SNIPPET_PART_PREFIX = 'snippet/';
/** The user's snippets, by id. */
export const SAVED_SNIPPET_TABLE = new ActorPartAccessor<SavedSnippet>(SAVED_SNIPPET_PART_PREFIX);

/** The user's snippets, oldest first. */
export const listSavedSnippets = (parts: ActorParts): SavedSnippet[] =>
  [...SAVED_SNIPPET_TABLE.values(parts)].sort((a, b) => a.id - b.id);
