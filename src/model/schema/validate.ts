/**
 * Validation of a value against the schema of its parameter, with the messages of conventions.md § Validator messages.
 * The function `validateBySchema` is the authority. For schemas on which both agree, a compiled validator accepts valid
 * values first, because it is faster.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { cleanParsedJson, JsonFloat, type ParsedJsonText } from '#base';
import { type ApiError, validationError } from '#model/errors';
import { INVALID_EMAIL_MESSAGE, SCHEMA_STRING_CHECKS } from './checks.js';

/** The JSON Schema keywords that parameters use, and this server's annotations. */
interface ParameterSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ParameterSchema[];
  readonly items?: ParameterSchema | readonly ParameterSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ParameterSchema;
  readonly patternProperties?: Readonly<Record<string, ParameterSchema>>;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Name of a string check in checks.ts; on unions 'stringOrIntList'. */
  readonly check?: string;
  /** True if surrounding blanks are removed before the other checks. */
  readonly trim?: boolean;
}

export interface SchemaValidator {
  /**
   * Validates the text of a parameter and returns the value.
   * @param name name of the parameter, for messages
   * @throws ApiError VALIDATION_FAILED
   */
  validateText(text: string, name: string): unknown;
  /**
   * Validates the parsed JSON of a parameter and returns the value.
   * @param name name of the parameter, for messages
   * @throws ApiError VALIDATION_FAILED
   */
  validateJson(json: ParsedJsonText, name: string): unknown;
}

/**
 * Makes the validator of a schema. @throws Error for a schema with a keyword or check that `validateBySchema` would
 * silently ignore
 */
export function makeSchemaValidator(declared: TSchema): SchemaValidator {
  const schema = declared as ParameterSchema;
  checkSchemaKeywordsSupported(schema);
  const fast =
    (schema.type === 'array' || schema.type === 'object') && agreesWithCompiledValidator(schema)
      ? Compile(declared)
      : undefined;
  return {
    validateText: (text, name) => validateBySchema(schema, text, name),
    validateJson(json, name) {
      const isValid = json.plain && fast?.Check(json.value);
      const value = isValid ? json.value : validateBySchema(schema, json.value, name);
      if (json.suspicious && hasPrototypeKey(value))
        throw makeValidationRefusal(`${name} contains an invalid key: __proto__`);
      return json.plain && !json.suspicious ? value : cleanParsedJson(value);
    },
  };
}

const KNOWN_SCHEMA_KEYWORDS = new Set([
  ...['type', 'const', 'enum', 'anyOf', 'items', 'minItems', 'maxItems', 'properties', 'required', 'pattern', 'title'],
  ...['additionalProperties', 'patternProperties', 'minLength', 'maxLength', 'minimum', 'maximum', 'additionalItems'],
  ...['check', 'trim', 'description', 'default', 'examples', 'deprecated'],
]);
const KNOWN_UNION_CHECKS = new Set(['stringOrIntList']);

function checkSchemaKeywordsSupported(schema: ParameterSchema): void {
  for (const key of Object.keys(schema)) {
    if (!KNOWN_SCHEMA_KEYWORDS.has(key)) throw new Error(`no validator message for the schema keyword ${key}`);
  }
  if (schema.check && !(schema.anyOf ? KNOWN_UNION_CHECKS.has(schema.check) : SCHEMA_STRING_CHECKS[schema.check])) {
    throw new Error(`unknown check ${schema.check}`);
  }
  for (const inner of listSubschemas(schema)) checkSchemaKeywordsSupported(inner);
}

function listSubschemas(schema: ParameterSchema): readonly ParameterSchema[] {
  const { anyOf = [], items = [], properties = {}, patternProperties = {}, additionalProperties: rest } = schema;
  return [
    ...anyOf,
    ...(Array.isArray(items) ? (items as readonly ParameterSchema[]) : [items as ParameterSchema]),
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...(typeof rest === 'object' ? [rest] : []),
  ];
}

/**
 * True if a compiled validator agrees with `validateBySchema` on the schema. A compiled validator counts lengths
 * differently and ignores our annotations.
 */
function agreesWithCompiledValidator(schema: ParameterSchema): boolean {
  const { check, trim, minLength, maxLength, pattern } = schema;
  if (check || trim || minLength !== undefined || maxLength !== undefined || pattern) return false;
  if (schema.patternProperties) return false;
  return listSubschemas(schema).every(agreesWithCompiledValidator);
}

/** True if an object at any level has the key `__proto__`, which neither the stores nor the bus keep. */
const hasPrototypeKey = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey));

const makeValidationRefusal = (message: string): ApiError => validationError(message);

/**
 * Validates a value by its schema and returns it. @param at beginning of a message: position of the value, or a phrase
 * for the values of an open dict
 */
function validateBySchema(schema: ParameterSchema, value: unknown, at: string): unknown {
  if (schema.anyOf) return validateUnion(schema, schema.anyOf, value, at);
  switch (schema.type ?? inferTypeOfChoices(schema)) {
    case 'string':
      return validateString(schema, value, at);
    case 'integer':
      return validateInteger(schema, value, at);
    case 'number':
      return validateNumber(schema, value, at);
    case 'boolean':
      if (typeof value !== 'boolean') throw makeValidationRefusal(`${at} is not a boolean`);
      return checkAllowedValues(schema, value, at);
    case 'null':
      if (value !== null) throw makeValidationRefusal(`${at} is not null`);
      return value;
    case 'array':
      return validateList(schema, value, at);
    case 'object':
      return validateDict(schema, value, at);
    default:
      return checkAllowedValues(schema, value, at);
  }
}

function inferTypeOfChoices(schema: ParameterSchema): string | undefined {
  const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (choices.length === 0) return undefined;
  if (choices.every((c) => typeof c === 'string')) return 'string';
  return choices.every((c) => typeof c === 'number') ? 'integer' : undefined;
}

function checkAllowedValues(schema: ParameterSchema, value: unknown, at: string): unknown {
  if (schema.const !== undefined && schema.const !== value) throw makeValidationRefusal(`Invalid ${at}`);
  if (schema.enum && !schema.enum.includes(value)) throw makeValidationRefusal(`Invalid ${at}`);
  return value;
}

function validateString(schema: ParameterSchema, given: unknown, at: string): string {
  if (typeof given !== 'string') throw makeValidationRefusal(`${at} is not a string`);
  const value = schema.trim ? given.trim() : given;
  checkAllowedValues(schema, value, at);
  if (schema.minLength !== undefined || schema.maxLength !== undefined) checkStringLength(schema, value, at);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
    throw makeValidationRefusal(`Invalid ${at}`);
  const problem = schema.check === undefined ? undefined : SCHEMA_STRING_CHECKS[schema.check]!(value);
  if (problem !== undefined)
    throw makeValidationRefusal(problem === INVALID_EMAIL_MESSAGE ? problem : `${at}${problem}`);
  return value;
}

function checkStringLength(schema: ParameterSchema, value: string, at: string): void {
  const { minLength: min = 0, maxLength: max = Number.POSITIVE_INFINITY } = schema;
  // A code point has one or two UTF-16 units, so most lengths need no counting.
  if (value.length <= max && value.length >= 2 * min) return;
  let length = 0;
  for (const _ of value) length++;
  if (min === max && length !== min)
    throw makeValidationRefusal(`${at} has incorrect length ${length}; should be ${min}`);
  if (length > max) throw makeValidationRefusal(`${at} is too long (limit: ${max} characters)`);
  if (length < min)
    throw makeValidationRefusal(
      length === 0 ? `${at} cannot be blank.` : `${at} is too short (minimum: ${min} characters)`,
    );
}

function checkNumberRange(schema: ParameterSchema, value: number, at: string): number {
  if (value < (schema.minimum ?? Number.NEGATIVE_INFINITY)) throw makeValidationRefusal(`${at} is too small`);
  if (value > (schema.maximum ?? Number.POSITIVE_INFINITY)) throw makeValidationRefusal(`${at} is too large`);
  return value;
}

function validateInteger(schema: ParameterSchema, given: unknown, at: string): number {
  // Booleans are accepted as integers, like by the API's original server.
  const value = typeof given === 'boolean' ? Number(given) : given;
  if (typeof value !== 'number') throw makeValidationRefusal(`${at} is not an integer`);
  // Larger integers are not exact in a JavaScript number, and no id or limit is that large.
  if (!Number.isSafeInteger(value)) throw makeValidationRefusal(`${at} is too ${value < 0 ? 'small' : 'large'}`);
  checkAllowedValues(schema, value, at);
  return checkNumberRange(schema, value, at);
}

function validateNumber(schema: ParameterSchema, given: unknown, at: string): number {
  const value = given instanceof JsonFloat ? given.value : given;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw makeValidationRefusal(`${at} is not a float`);
  return checkNumberRange(schema, value, at);
}

function validateList(schema: ParameterSchema, value: unknown, at: string): unknown {
  if (!Array.isArray(value)) throw makeValidationRefusal(`${at} is not a list`);
  const tuple = Array.isArray(schema.items) ? (schema.items as readonly ParameterSchema[]) : undefined;
  const { minItems: min = tuple?.length ?? 0, maxItems: max = tuple?.length ?? Number.POSITIVE_INFINITY } = schema;
  if (min === max && value.length !== min) throw makeValidationRefusal(`${at} should have exactly ${min} items`);
  if (value.length < min) throw makeValidationRefusal(`${at} should have at least ${min} items`);
  if (value.length > max) throw makeValidationRefusal(`${at} should have at most ${max} items`);
  for (let i = 0; i < value.length; i++) {
    const item = tuple ? tuple[i] : (schema.items as ParameterSchema | undefined);
    if (item) value[i] = validateBySchema(item, value[i], `${at}[${i}]`);
  }
  return value;
}

function validateDict(schema: ParameterSchema, value: unknown, at: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof JsonFloat) {
    throw makeValidationRefusal(`${at} is not a dict`);
  }
  const object = value as Record<string, unknown>;
  const { properties = {}, required = [] } = schema;
  const inner = (key: string): void => {
    object[key] = validateBySchema(properties[key]!, object[key], `${at}["${key}"]`);
  };
  for (const key of required) {
    if (!Object.hasOwn(object, key)) throw makeValidationRefusal(`${key} key is missing from ${at}`);
    if (Object.hasOwn(properties, key)) inner(key);
  }
  for (const key of Object.keys(properties)) {
    if (!required.includes(key) && Object.hasOwn(object, key)) inner(key);
  }
  const rest = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0] ?? true;
  if (rest === true) return object;
  const extra = Object.keys(object).filter((key) => !Object.hasOwn(properties, key));
  if (rest === false && extra.length > 0) throw makeValidationRefusal(`Unexpected arguments: ${extra.join(', ')}`);
  if (typeof rest === 'object') {
    for (const key of extra) object[key] = validateBySchema(rest, object[key], `${at} contains a value that`);
  }
  return object;
}

function validateUnion(
  schema: ParameterSchema,
  members: readonly ParameterSchema[],
  value: unknown,
  at: string,
): unknown {
  const choices = members.every((m) => m.const !== undefined || m.enum);
  if (choices) {
    const all = members.flatMap((m) => m.enum ?? [m.const]);
    return validateBySchema({ enum: all }, value, at);
  }
  const rest = members.filter((m) => m.type !== 'null');
  if (rest.length < members.length) {
    if (value === null) return value;
    return validateBySchema(rest.length === 1 ? rest[0]! : { ...schema, anyOf: rest }, value, at);
  }
  if (schema.check === 'stringOrIntList') {
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) throw makeValidationRefusal(`${at} is not a string or an integer list`);
    return validateBySchema(members.find((m) => m.type === 'array')!, value, at);
  }
  // A boolean counts as an integer only if no other member of the union accepts it.
  for (const strict of typeof value === 'boolean' ? [true, false] : [false]) {
    for (const member of members) {
      if ((strict && member.type === 'integer') || isTypeMismatch(member, value)) continue;
      try {
        return validateBySchema(
          member,
          member.type === 'array' || member.type === 'object' ? copyJsonValue(value) : value,
          at,
        );
      } catch {
        // The next member of the union may accept the value.
      }
    }
  }
  const types = members.map((m) => m.type).sort();
  throw makeValidationRefusal(
    types.join() === 'integer,string' ? `${at} is not a string or integer` : `${at} is not an allowed_type`,
  );
}

/**
 * True if a member of a union can't accept the type of the value. This check avoids exceptions, which are slow: 100 ms
 * for a dictionary of 30,000 texts.
 */
function isTypeMismatch({ type }: ParameterSchema, value: unknown): boolean {
  if (type === 'string') return typeof value !== 'string';
  if (type === 'array') return !Array.isArray(value);
  return type === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value));
}

/**
 * Copies a value, because `validateBySchema` converts in place: a union member that fails half-way must not change the
 * value for the next member.
 */
function copyJsonValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof JsonFloat) return value;
  if (Array.isArray(value)) return value.map(copyJsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyJsonValue(item)]));
}
