/** Callers at the API levels above the base level. */
import { API_LEVEL_HEADER, API_LEVELS } from '#domain/levels';
import type { Person } from './organization.js';

export const NEWEST_API_LEVEL = API_LEVELS.at(-1)!.level;

/** The same person with a client of this level. */
export const atLevel = (person: Person, level: number = NEWEST_API_LEVEL): Person => ({
  ...person,
  api: person.api.with({ [API_LEVEL_HEADER]: String(level) }),
});
