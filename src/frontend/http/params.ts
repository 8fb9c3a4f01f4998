/**
 * Parameters of an operation: looked up in the form, then in the query (conventions.md § Parameters), decoded and
 * checked in the order of declaration; the first failure wins.
 */

import { type JsonText, parseJsonText, TooManyValues } from '#base';
import { MOST_CHARACTERS, MOST_TEXT, MOST_VALUES, type Operation, type Parameter } from '#frontend/api';
import { apiError, checkLength, tooMany } from '#model/errors';
import { compileValidator, type Validator } from '#model/schema';
import { type Fields, NO_FIELDS } from './params-form.js';

export interface ReadParameters {
  readonly values: Readonly<Record<string, unknown>>;
  /** Sorted names that nothing consumed; undefined when there are none. */
  readonly ignored: readonly string[] | undefined;
}

interface Reader {
  readonly name: string;
  readonly declared: Parameter;
  readonly validator: Validator;
  /** Characters of its text. */
  readonly most: number;
  /** Place in the order of declaration. */
  readonly place: number;
  /** Index among the variable segments of the path; -1 for the others. */
  readonly segment: number;
  /** The name and its aliases. */
  readonly names: readonly string[];
}

/** Where the schema has a length, the refusal is that of the schema. */
function mostCharacters({ encoding, schema, mostCharacters: declared }: Parameter): number {
  const hasLength = (schema as { maxLength?: number }).maxLength !== undefined;
  return declared ?? (encoding === 'string' && !hasLength ? MOST_TEXT : MOST_CHARACTERS);
}

/** Consumed on every operation: the client name, and in forms the method that a POST stands for. */
const CLIENT = 'client';
const METHOD = 'method';

export class ParameterReader {
  #readers: readonly Reader[];
  #names: ReadonlySet<string>;
  readonly #byName = new Map<string, Reader>();
  /** Values of a call that sends nothing, where that is allowed: most GETs. */
  #defaults: Readonly<Record<string, unknown>> | undefined;

  /** Throws for a schema that validate.ts cannot check. */
  constructor(operation: Operation) {
    const variables = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);
    this.#readers = Object.entries(operation.parameters).map(([name, declared], place) => ({
      place,
      name,
      declared,
      validator: compileValidator(declared.schema),
      most: mostCharacters(declared),
      segment: declared.in === 'path' ? variables.indexOf(name) : -1,
      names: [name, ...(declared.aliases ?? [])],
    }));
    this.#names = new Set([CLIENT, ...this.#readers.filter((r) => r.segment < 0).flatMap((r) => r.names)]);
    for (const reader of this.#readers) {
      if (reader.segment < 0) for (const name of reader.names) this.#byName.set(name, reader);
    }
    if (this.#readers.every((r) => r.segment < 0 && !r.declared.required)) {
      this.#defaults = Object.freeze(Object.fromEntries(this.#readers.map((r) => [r.name, r.declared.default])));
    }
  }

  /** `segments`: decoded variable segments of the path, in order. Throws ApiError. */
  read(form: Fields, query: Fields, segments: readonly string[]): ReadParameters {
    if (this.#defaults && form.size === 0) {
      if (query.size === 0) return { values: this.#defaults, ignored: undefined };
      return { values: this.#readQuery(this.#defaults, query), ignored: this.#ignored(form, query) };
    }
    const values: Record<string, unknown> = {};
    for (const reader of this.#readers) {
      const text = reader.segment >= 0 ? segments[reader.segment] : lookUp(reader, form, query);
      if (text !== undefined) values[reader.name] = decode(reader, text);
      else if (reader.declared.required) throw apiError('REQUEST_VARIABLE_MISSING', { var_name: reader.name });
      else values[reader.name] = reader.declared.default;
    }
    return { values, ignored: this.#ignored(form, query) };
  }

  /** All have a default: only those that were sent are looked at. */
  #readQuery(defaults: Readonly<Record<string, unknown>>, query: Fields): Readonly<Record<string, unknown>> {
    const given: Reader[] = [];
    for (const name of query.keys()) {
      const reader = this.#byName.get(name);
      if (!reader) continue;
      let at = given.length;
      while (at > 0 && given[at - 1]!.place > reader.place) at--;
      // Under two names: it is looked up, and refused, once.
      if (given[at - 1] !== reader) given.splice(at, 0, reader);
    }
    const values = { ...defaults };
    for (const reader of given) values[reader.name] = decode(reader, lookUp(reader, NO_FIELDS, query)!);
    return values;
  }

  #ignored(form: Fields, query: Fields): readonly string[] | undefined {
    let ignored: Set<string> | undefined;
    for (const fields of [form, query]) {
      for (const name of fields.keys()) {
        if (this.#names.has(name) || (name === METHOD && fields === form)) continue;
        ignored ??= new Set();
        ignored.add(name);
      }
    }
    return ignored && [...ignored].sort();
  }
}

function lookUp(reader: Reader, form: Fields, query: Fields): string | undefined {
  let found: string | undefined;
  let foundName = '';
  for (const name of reader.names) {
    const value = form.get(name) ?? query.get(name);
    if (value === undefined) continue;
    if (found !== undefined) throw apiError('REQUEST_CONFUSING_VAR', { var_name1: foundName, var_name2: name });
    found = value;
    foundName = name;
  }
  return found;
}

const MAX_UINT = 4_294_967_295;

function decode({ name, declared, validator, most }: Reader, text: string): unknown {
  checkLength(name, text.length, most);
  switch (declared.encoding) {
    case 'string':
      return validator.text(text, name);
    case 'uint': {
      // The router has matched the digits of a path: too large an id is one that does not exist.
      if (declared.in === 'path') return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
      const digits = text.trim();
      const value = /^[0-9]+$/.test(digits) ? Number(digits) : Number.NaN;
      if (!(value <= MAX_UINT)) throw apiError('REQUEST_VARIABLE_INVALID', { var_name: name, bad_value: text });
      return validator.json({ value, plain: true, suspicious: false }, name);
    }
    case 'json': {
      const json = boundedJson(text, name, declared.mostValues ?? MOST_VALUES);
      if (!json) throw apiError('ARGUMENT_NOT_JSON', { var_name: name });
      return validator.json(json, name);
    }
  }
}

function boundedJson(text: string, name: string, most: number): JsonText | undefined {
  try {
    return parseJsonText(text, most);
  } catch (error) {
    throw error instanceof TooManyValues ? tooMany(name, most) : error;
  }
}
