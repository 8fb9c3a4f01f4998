/** Helpers of the changes: new lists and objects from those that clients of the base level get. */
import type { Json, JsonObject } from '#base';

/** Maps a list of objects. */
export const mapObjects = (list: Json | undefined, map: (of: JsonObject) => JsonObject): JsonObject[] =>
  (list as readonly JsonObject[]).map(map);

/** Maps the values of an object. */
export const mapEntries = (of: Json | undefined, map: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(of as Readonly<Record<string, Json>>).map(([key, value]) => [key, map(value)]));

/** Maps the values of an object, which are objects. */
export const mapValues = (of: Json | undefined, map: (value: JsonObject) => JsonObject): JsonObject =>
  mapEntries(of, (value) => map(value as JsonObject));

/** Replaces the text of a field where the object has it. */
export const mapText = (of: JsonObject, name: string, map: (text: string) => string): JsonObject =>
  typeof of[name] === 'string' ? { ...of, [name]: map(of[name] as string) } : of;
