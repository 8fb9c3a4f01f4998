/** The form in which changes of the API since the base level are declared as data, in the files of `changes/`. */
import type { Json, JsonObject } from '#base';
import type { ApiErrorReply } from '#model/errors';

/** Facts about the client for which something is translated. */
export interface ClientContext {
  /** True if the client takes the empty topic name; false: it gets the name that the server stores. */
  readonly takesEmptyTopicName: boolean;
}

/** Facts about the client that registers an event queue. */
export interface StateContext extends ClientContext {
  /** Base URL under which the client reached the server, without trailing slash. */
  readonly origin: string;
}

/** Names and texts of a request's form and query, before they are checked; a change edits them in place. */
export type RequestFields = Map<string, string>;

export interface MessageChange {
  /**
   * Texts: the JSON of every message that changes contains at least one of them. An answer without any is not parsed.
   */
  readonly marks: readonly string[];
  readonly translate: (message: JsonObject, client: ClientContext) => JsonObject;
}

/**
 * A change of the API, with the translation between its form and the form of the level before. Requests are translated
 * from the newest change to the oldest; answers, state, events and refusals from the oldest to the newest. A
 * translation returns its argument if nothing changes, and never changes an object in place, except for the fields of a
 * request.
 */
export interface ApiChange {
  /** Level of the public API that brought the change. */
  readonly since: number;
  readonly summary: string;
  /** Translations of requests, by id of the operation. */
  readonly requests?: Readonly<Record<string, (fields: RequestFields) => void>>;
  /** Translations of the fields of an answer, by id of the operation. */
  readonly answers?: Readonly<Record<string, (fields: JsonObject, client: ClientContext) => JsonObject>>;
  /** Translations of values in the state of POST /register, by name of the field. */
  readonly state?: Readonly<Record<string, (value: Json, client: StateContext) => Json>>;
  /**
   * Fields that are added to the state if it has the field of this name, or a function that makes them from its value.
   */
  readonly addedState?: Readonly<Record<string, JsonObject | ((value: Json) => JsonObject)>>;
  /** Sections of the state (fetch_event_types) that lower levels don't have. */
  readonly newSections?: readonly string[];
  /** Translation of message objects, in answers and in events. */
  readonly message?: MessageChange;
  /** Translations of events, by type. `aux`: data of the log item that clients don't get (`EventLogItem.aux`). */
  readonly events?: Readonly<Record<string, (event: JsonObject, client: ClientContext, aux: JsonObject) => JsonObject>>;
  /** Translation of refusals. */
  readonly error?: (error: ApiErrorReply) => ApiErrorReply;
}
