/** The translation between the model of the server and one API level: all changes up to the level, in order. */
import { EncodedJson, type Json, type JsonObject, type ResponseFields } from '#base';
import type { ApiErrorReply } from '#model/errors';
import type { ApiChange, ClientContext, RequestFields, StateContext } from './change.js';
import { API_CHANGES } from './changes/index.js';
import { API_LEVELS, type ApiLevel, BASE_API_LEVEL } from './levels.js';

type Step<V, C = ClientContext> = (value: V, client: C) => V;

/** Steps of several changes by key, in the order of the changes. */
function collectByKey<F>(tables: readonly (Readonly<Record<string, F>> | undefined)[]): ReadonlyMap<string, F[]> {
  const stepsByKey = new Map<string, F[]>();
  for (const table of tables) {
    for (const [key, step] of Object.entries(table ?? {})) {
      const steps = stepsByKey.get(key);
      if (steps) steps.push(step);
      else stepsByKey.set(key, [step]);
    }
  }
  return stepsByKey;
}

const applySteps = <V, C>(steps: readonly Step<V, C>[], value: V, client: C): V =>
  steps.reduce((translated, step) => step(translated, client), value);

const NO_AUX: JsonObject = {};
const jsonDecoder = new TextDecoder();

const decodeIfEncoded = (value: Json | EncodedJson): Json =>
  value instanceof EncodedJson ? (JSON.parse(jsonDecoder.decode(value.toBytes())) as Json) : value;

export class LevelTranslator {
  readonly #requestSteps: ReadonlyMap<string, ((fields: RequestFields) => void)[]>;
  readonly #answerSteps: ReadonlyMap<string, Step<JsonObject>[]>;
  readonly #stateSteps: ReadonlyMap<string, Step<Json, StateContext>[]>;
  readonly #addedState: ReadonlyMap<string, NonNullable<ApiChange['addedState']>[string][]>;
  readonly #messageSteps: readonly Step<JsonObject>[];
  readonly #messageMarks: readonly string[];
  readonly #eventSteps: ReadonlyMap<string, NonNullable<ApiChange['events']>[string][]>;
  readonly #errorSteps: readonly ((error: ApiErrorReply) => ApiErrorReply)[];

  constructor(
    readonly level: ApiLevel,
    changes: readonly ApiChange[],
  ) {
    this.#requestSteps = collectByKey([...changes].reverse().map(({ requests }) => requests));
    this.#answerSteps = collectByKey(changes.map(({ answers }) => answers));
    this.#stateSteps = collectByKey(changes.map(({ state }) => state));
    this.#addedState = collectByKey(changes.map(({ addedState }) => addedState));
    this.#messageSteps = changes.flatMap(({ message }) => message?.translate ?? []);
    this.#messageMarks = changes.flatMap(({ message }) => message?.marks ?? []);
    this.#eventSteps = collectByKey(changes.map(({ events }) => events));
    this.#errorSteps = changes.flatMap(({ error }) => error ?? []);
  }

  changesRequestsOf(operation: string): boolean {
    return this.#requestSteps.has(operation);
  }

  /** Turns the fields of a request into those of the base level, in place. */
  translateRequest(operation: string, fields: RequestFields): void {
    for (const step of this.#requestSteps.get(operation) ?? []) step(fields);
  }

  changesAnswersOf(operation: string): boolean {
    return this.#answerSteps.has(operation) || operation in MESSAGE_FIELD_BY_OPERATION;
  }

  /** True if this answer may change. Most answers with messages have nothing that differs, and need not be parsed. */
  mayChangeAnswer(operation: string, encodedParts: readonly Uint8Array[]): boolean {
    if (this.#answerSteps.has(operation)) return true;
    if (!(operation in MESSAGE_FIELD_BY_OPERATION)) return false;
    const body = Buffer.concat(encodedParts);
    return this.#messageMarks.some((mark) => body.includes(mark));
  }

  translateAnswer(operation: string, fields: JsonObject, client: ClientContext): JsonObject {
    const name = MESSAGE_FIELD_BY_OPERATION[operation];
    const answer = name === undefined ? fields : this.#withTranslatedMessages(name, fields, client);
    return applySteps(this.#answerSteps.get(operation) ?? [], answer, client);
  }

  #withTranslatedMessages(name: string, fields: JsonObject, client: ClientContext): JsonObject {
    const value = fields[name];
    if (value === undefined) return fields;
    const translate = (message: Json): JsonObject => this.translateMessage(message as JsonObject, client);
    return { ...fields, [name]: Array.isArray(value) ? value.map(translate) : translate(value) };
  }

  translateMessage(message: JsonObject, client: ClientContext): JsonObject {
    return applySteps(this.#messageSteps, message, client);
  }

  /** Translates fields of the state; a value that is encoded already is decoded only if it changes. */
  translateState(fields: ResponseFields, client: StateContext): ResponseFields {
    let translated: Record<string, Json | EncodedJson | undefined> | undefined;
    for (const name in fields) {
      const value = fields[name];
      const steps = this.#stateSteps.get(name);
      const added = this.#addedState.get(name);
      if (value === undefined || (!steps && !added)) continue;
      translated ??= { ...fields };
      if (steps) translated[name] = applySteps(steps, decodeIfEncoded(value), client);
      for (const further of added ?? [])
        Object.assign(translated, typeof further === 'function' ? further(decodeIfEncoded(value)) : further);
    }
    return translated ?? fields;
  }

  /** Translates an event. @param aux data of its log entry that clients don't get */
  translateEvent(event: JsonObject, client: ClientContext, aux: JsonObject = NO_AUX): JsonObject {
    const steps = this.#eventSteps.get(event.type as string) ?? [];
    const translated = steps.reduce((of, step) => step(of, client, aux), event);
    if (event.type !== 'message') return translated;
    return { ...translated, message: this.translateMessage(translated.message as JsonObject, client) };
  }

  translateError(error: ApiErrorReply): ApiErrorReply {
    return this.#errorSteps.reduce((of, step) => step(of), error);
  }
}

/** Field with a message object, or a list of them, in the answers of an operation. */
const MESSAGE_FIELD_BY_OPERATION: Readonly<Record<string, string>> = {
  'get-messages': 'messages',
  'get-message': 'message',
};

const TRANSLATOR_BY_LEVEL: ReadonlyMap<number, LevelTranslator> = new Map(
  API_LEVELS.filter(({ level }) => level !== BASE_API_LEVEL).map(({ level }) => [
    level,
    new LevelTranslator(
      level,
      API_CHANGES.filter(({ since }) => since <= level),
    ),
  ]),
);

/** The translation for clients of this level; undefined for the base level, which needs none. */
export const translatorOfLevel = (level: number | undefined): LevelTranslator | undefined =>
  level === undefined ? undefined : TRANSLATOR_BY_LEVEL.get(level);
