/**
 * API levels: the forms of the API that the server speaks beside its own, so that clients of today and of yesterday are
 * both served. The server has one model, that of the base level (184); what differs at a higher level is translated at
 * the border, when a request comes in and when an answer, the state or an event goes out.
 *
 * - `levels.ts`: the table of levels, and the version that each one reports.
 * - `clients.ts`: which client gets which level (setting `--api-levels`, header X-Conclave-Api-Level).
 * - `change.ts`, `changes/`: every change since the base level as data: what it does to requests, answers, state,
 *   messages, events and errors.
 * - `translator.ts`: all changes up to a level together.
 *
 * A parameter, or a form of one, that only higher levels have is declared with its operation (`since`,
 * `ParameterDeclaration`). An event queue keeps the level at which it was registered. Clients of the base level cost
 * nothing: they have no translator.
 *
 * Importers: src/frontend (requests, answers, errors), src/delivery and actors/event-queue (state, events).
 */
export type { ApiChange, ClientContext, RequestFields, StateContext } from './change.js';
export { FIRST_LEVEL_CREATING_CHANNELS_OF_GUESTS } from './changes/channels-of-guests.js';
export { API_CHANGES, isStateSectionOfLevel } from './changes/index.js';
export { API_LEVEL_HEADER, BASE_LEVEL_ONLY, ClientApiLevels, DEFAULT_LEVEL_BY_CLIENT } from './clients.js';
export { API_LEVELS, type ApiLevel, BASE_API_LEVEL, highestApiLevelUpTo, versionFieldsOfLevel } from './levels.js';
export { type LevelTranslator, translatorOfLevel } from './translator.js';
