/**
 * The `parameters` step of the pipeline: looks up the parameters of an operation in the form, then in the query
 * (conventions.md § Parameters), decodes and checks them in the order of declaration. The first failure becomes the
 * answer.
 */
import { type ParsedJsonText, parseJsonText, TooManyJsonValuesError } from '#base';
import {
  type ApiOperation,
  MAX_JSON_PARAMETER_CHARACTERS,
  MAX_JSON_PARAMETER_VALUES,
  MAX_TEXT_PARAMETER_CHARACTERS,
  type ParameterDeclaration,
} from '#frontend/api';
import { apiError, checkParameterTextLength, tooManyItemsError } from '#model/errors';
import { compileSchemaValidator, type SchemaValidator } from '#model/schema';
import { type FormFields, NO_FORM_FIELDS } from './form-urlencoded.js';

interface DecodedParameters {
  readonly values: Readonly<Record<string, unknown>>;
  /** Sorted names of sent parameters that the operation does not know; undefined if there are none. */
  readonly ignored: readonly string[] | undefined;
}

interface ParameterRow {
  readonly name: string;
  readonly declared: ParameterDeclaration;
  readonly validator: SchemaValidator;
  /** Maximum of characters (UTF-16 units) of the parameter's text. */
  readonly maxCharacters: number;
  /** Index of the parameter in the order of declaration. */
  readonly place: number;
  /** Index among the variable segments of the path; -1 for a parameter outside the path. */
  readonly segment: number;
  /** The name of the parameter and its aliases. */
  readonly names: readonly string[];
}

/**
 * Returns the maximum of characters of a parameter's text. A schema with a maximum length refuses longer texts itself,
 * so that text gets the larger maximum, MAX_JSON_PARAMETER_CHARACTERS.
 */
function maxCharactersOf({ encoding, schema, maxCharacters: declared }: ParameterDeclaration): number {
  const hasLength = (schema as { maxLength?: number }).maxLength !== undefined;
  return (
    declared ?? (encoding === 'string' && !hasLength ? MAX_TEXT_PARAMETER_CHARACTERS : MAX_JSON_PARAMETER_CHARACTERS)
  );
}

/**
 * Parameters that every operation accepts: the name of the client program and, in forms, the method that a POST stands
 * for.
 */
const CLIENT = 'client';
const METHOD = 'method';

export class RequestParameterReader {
  readonly #rows: readonly ParameterRow[];
  readonly #names: ReadonlySet<string>;
  readonly #byName = new Map<string, ParameterRow>();
  /** Values of a call without any parameter; undefined where some parameter is required. Most GETs have such values. */
  #defaults: Readonly<Record<string, unknown>> | undefined;

  /** Compiles the validators of an operation's parameters. @throws Error for a schema that can't be compiled */
  constructor(operation: ApiOperation) {
    const variables = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);
    this.#rows = Object.entries(operation.parameters).map(([name, declared], place) => ({
      place,
      name,
      declared,
      validator: compileSchemaValidator(declared.schema),
      maxCharacters: maxCharactersOf(declared),
      segment: declared.in === 'path' ? variables.indexOf(name) : -1,
      names: [name, ...(declared.aliases ?? [])],
    }));
    this.#names = new Set([CLIENT, ...this.#rows.filter((r) => r.segment < 0).flatMap((r) => r.names)]);
    for (const row of this.#rows) {
      if (row.segment < 0) for (const name of row.names) this.#byName.set(name, row);
    }
    if (this.#rows.every((r) => r.segment < 0 && !r.declared.required)) {
      this.#defaults = Object.freeze(Object.fromEntries(this.#rows.map((r) => [r.name, r.declared.default])));
    }
  }

  /**
   * Decodes and checks the parameters of a call. @param segments decoded variable segments of the path, in order
   * @throws ApiError
   */
  read(form: FormFields, query: FormFields, segments: readonly string[]): DecodedParameters {
    if (this.#defaults && form.size === 0) {
      if (query.size === 0) return { values: this.#defaults, ignored: undefined };
      return { values: this.#readQuery(this.#defaults, query), ignored: this.#ignored(form, query) };
    }
    const values: Record<string, unknown> = {};
    for (const row of this.#rows) {
      const text = row.segment >= 0 ? segments[row.segment] : lookUp(row, form, query);
      if (text !== undefined) values[row.name] = decode(row, text);
      else if (row.declared.required) throw apiError('REQUEST_VARIABLE_MISSING', { var_name: row.name });
      else values[row.name] = row.declared.default;
    }
    return { values, ignored: this.#ignored(form, query) };
  }

  /** Reads a call of an operation whose parameters all have defaults: only those that the client sent are decoded. */
  #readQuery(defaults: Readonly<Record<string, unknown>>, query: FormFields): Readonly<Record<string, unknown>> {
    const sent: ParameterRow[] = [];
    for (const name of query.keys()) {
      const row = this.#byName.get(name);
      if (!row) continue;
      let at = sent.length;
      while (at > 0 && sent[at - 1]!.place > row.place) at--;
      // A parameter that was sent under two names is in the list, and refused, once.
      if (sent[at - 1] !== row) sent.splice(at, 0, row);
    }
    const values = { ...defaults };
    for (const row of sent) values[row.name] = decode(row, lookUp(row, NO_FORM_FIELDS, query)!);
    return values;
  }

  #ignored(form: FormFields, query: FormFields): readonly string[] | undefined {
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

function lookUp(row: ParameterRow, form: FormFields, query: FormFields): string | undefined {
  let found: string | undefined;
  let foundName = '';
  for (const name of row.names) {
    const value = form.get(name) ?? query.get(name);
    if (value === undefined) continue;
    if (found !== undefined) throw apiError('REQUEST_CONFUSING_VAR', { var_name1: foundName, var_name2: name });
    found = value;
    foundName = name;
  }
  return found;
}

const MAX_UINT = 4_294_967_295;

function decode({ name, declared, validator, maxCharacters }: ParameterRow, text: string): unknown {
  checkParameterTextLength(name, text.length, maxCharacters);
  switch (declared.encoding) {
    case 'string':
      return validator.text(text, name);
    case 'uint': {
      // The route pattern has matched the digits: an id that is too large simply doesn't exist.
      if (declared.in === 'path') return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
      const digits = text.trim();
      const value = /^[0-9]+$/.test(digits) ? Number(digits) : Number.NaN;
      if (!(value <= MAX_UINT)) throw apiError('REQUEST_VARIABLE_INVALID', { var_name: name, bad_value: text });
      return validator.json({ value, plain: true, suspicious: false }, name);
    }
    case 'json': {
      const json = boundedJson(text, name, declared.maxValues ?? MAX_JSON_PARAMETER_VALUES);
      if (!json) throw apiError('ARGUMENT_NOT_JSON', { var_name: name });
      return validator.json(json, name);
    }
  }
}

function boundedJson(text: string, name: string, maxValues: number): ParsedJsonText | undefined {
  try {
    return parseJsonText(text, maxValues);
  } catch (error) {
    throw error instanceof TooManyJsonValuesError ? tooManyItemsError(name, maxValues) : error;
  }
}
