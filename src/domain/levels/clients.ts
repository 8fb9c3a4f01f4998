/** Chooses the API level of a request: by an explicit header, else by the name of the client program. */
import { apiError } from '#model/errors';
import { API_LEVELS, type ApiLevel, BASE_API_LEVEL, highestApiLevelUpTo } from './levels.js';

/** Header by which a client names the highest level that it knows. It wins over the table of clients. */
export const API_LEVEL_HEADER = 'x-conclave-api-level';

/** Client programs that get another level than the base level: name part of the User-Agent → level. */
export const DEFAULT_LEVEL_BY_CLIENT = 'ZulipFlutter=371,ZulipRust=371';

/** Value of the setting that gives every client the base level, whatever its header says. */
const OFF = 'off';
const MAX_CLIENTS_IN_SETTING = 100;

export class ClientApiLevels {
  readonly #levelByLowerCaseName: ReadonlyMap<string, ApiLevel>;

  /** Makes the chooser. @param isOn false: every request gets the base level */
  private constructor(
    readonly isOn: boolean,
    levelByName: readonly (readonly [name: string, level: ApiLevel])[],
  ) {
    this.#levelByLowerCaseName = new Map(levelByName.map(([name, level]) => [name.toLowerCase(), level]));
  }

  /**
   * Parses the setting: `off`, or `NAME=LEVEL` separated by commas; an empty text leaves only the header.
   * @throws Error with the reason
   */
  static fromSetting(text: string): ClientApiLevels {
    if (text === OFF) return new ClientApiLevels(false, []);
    const items = text === '' ? [] : text.split(',');
    if (items.length > MAX_CLIENTS_IN_SETTING) throw new Error(`must name at most ${MAX_CLIENTS_IN_SETTING} clients`);
    return new ClientApiLevels(true, items.map(parseClientLevel));
  }

  /**
   * Chooses the level of a request.
   * @param header value of API_LEVEL_HEADER; '' when absent
   * @param clientName name part of the User-Agent
   * @throws ApiError API_LEVEL_INVALID
   */
  levelOfRequest(header: string, clientName: string): ApiLevel {
    if (!this.isOn) return BASE_API_LEVEL;
    if (header === '') return this.#levelByLowerCaseName.get(clientName.toLowerCase()) ?? BASE_API_LEVEL;
    if (!/^\d{1,6}$/.test(header)) throw apiError('API_LEVEL_INVALID');
    return highestApiLevelUpTo(Number(header));
  }
}

function parseClientLevel(item: string): readonly [name: string, level: ApiLevel] {
  const [, name, number] = /^([^\s=,/()]{1,30})=(\d{1,6})$/.exec(item.trim()) ?? [];
  if (name === undefined) throw new Error('must be off, or NAME=LEVEL for each client, separated by commas');
  const row = API_LEVELS.find(({ level }) => level === Number(number));
  if (!row) throw new Error(`must name levels of the server: ${API_LEVELS.map(({ level }) => level).join(', ')}`);
  return [name, row.level];
}

/** Chooser of a server that speaks the base level only. */
export const BASE_LEVEL_ONLY = ClientApiLevels.fromSetting(OFF);
