/** Helpers of the changes: new lists and objects from those that clients of the base level get. */
import { type Json, type JsonObject, type ParsedJsonText, parseJsonText } from '#base';

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

/** Maximum of values in JSON that is read here; the check of the parameters refuses JSON with more. */
const MAX_JSON_VALUES = 20_000;

function parseBoundedJson(text: string): ParsedJsonText | undefined {
  try {
    return parseJsonText(text, MAX_JSON_VALUES);
  } catch {
    return undefined;
  }
}

/**
 * Edits the JSON text of a request's field. Text that is no JSON stays for the check of the parameters.
 * @param mark matches every text that changes; others stay as the client wrote them
 */
export function editJsonText(
  fields: Map<string, string>,
  name: string,
  mark: RegExp,
  edit: (value: Json) => Json,
): void {
  const text = fields.get(name);
  if (text === undefined || !mark.test(text)) return;
  const parsed = parseBoundedJson(text);
  // Numbers that are not plain have a form that JSON.stringify would lose.
  if (parsed?.plain) fields.set(name, JSON.stringify(edit(parsed.value as Json)));
}
