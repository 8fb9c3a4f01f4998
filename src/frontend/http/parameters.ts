/**
 * The `parameters` step of the pipeline: looks up the parameters of an operation in the form, then in the query
 * (conventions.md § Parameters), decodes and checks them in the order of declaration. The first failure becomes the
 * answer.
 */
import { type ParsedJsonText, parseJsonText, TooManyJsonValuesError } from '#base';
import { type ApiLevel, BASE_API_LEVEL } from '#domain/levels';
import {
  type ApiOperation,
  DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
  DEFAULT_MAX_JSON_PARAMETER_VALUES,
  DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS,
  isParameterKnownAtLevel,
  type ParameterDeclaration,
  parametersOfLevel,
} from '#frontend/api';
import { apiError, checkParameterTextLength, tooManyItemsError } from '#model/errors';
import { makeSchemaValidator, type SchemaValidator } from '#model/schema';
import { type FormFields, NO_FORM_FIELDS } from './form-urlencoded.js';

export interface DecodedParameters {
  readonly values: Readonly<Record<string, unknown>>;
  /** Sorted names of sent parameters that the operation does not know; undefined if there are none. */
  readonly ignoredNames: readonly string[] | undefined;
}

interface CompiledParameter {
  readonly name: string;
  readonly declaration: ParameterDeclaration;
  readonly validator: SchemaValidator;
  /** Maximum of characters (UTF-16 units) of the parameter's text. */
  readonly maxCharacters: number;
  /** Index of the parameter in the order of declaration. */
  readonly declarationIndex: number;
  /** Index among the variable segments of the path; -1 for a parameter outside the path. */
  readonly pathSegmentIndex: number;
  /** The name of the parameter and its aliases; none if clients of the level don't know the parameter. */
  readonly namesWithAliases: readonly string[];
}

/**
 * Returns the maximum of characters of a parameter's text. A schema with a maximum length refuses longer texts itself,
 * so that text gets the larger maximum, DEFAULT_MAX_JSON_PARAMETER_CHARACTERS.
 */
function maxCharactersOfParameter({ encoding, schema, maxCharacters: declared }: ParameterDeclaration): number {
  const hasLength = (schema as { maxLength?: number }).maxLength !== undefined;
  return (
    declared ??
    (encoding === 'string' && !hasLength
      ? DEFAULT_MAX_TEXT_PARAMETER_CHARACTERS
      : DEFAULT_MAX_JSON_PARAMETER_CHARACTERS)
  );
}

/**
 * Parameters that every operation accepts: the name of the client program and, in forms, the method that a POST stands
 * for.
 */
const CLIENT_PARAMETER = 'client';
const METHOD_PARAMETER = 'method';

export class RequestParameterReader {
  readonly #parameters: readonly CompiledParameter[];
  readonly #knownNames: ReadonlySet<string>;
  readonly #parametersByName = new Map<string, CompiledParameter>();
  /** Values of a call without any parameter; undefined where some parameter is required. Most GETs have such values. */
  #defaultValues: Readonly<Record<string, unknown>> | undefined;

  /**
   * Compiles the validators of an operation's parameters, as clients of this API level know them.
   * @throws Error for a schema that can't be compiled
   */
  constructor(operation: ApiOperation, level: ApiLevel = BASE_API_LEVEL) {
    const variables = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);
    this.#parameters = Object.entries(parametersOfLevel(operation.parameters, level)).map(
      ([name, declaration], declarationIndex) => ({
        declarationIndex,
        name,
        declaration,
        validator: makeSchemaValidator(declaration.schema),
        maxCharacters: maxCharactersOfParameter(declaration),
        pathSegmentIndex: declaration.in === 'path' ? variables.indexOf(name) : -1,
        namesWithAliases: isParameterKnownAtLevel(declaration, level) ? [name, ...(declaration.aliases ?? [])] : [],
      }),
    );
    this.#knownNames = new Set([
      CLIENT_PARAMETER,
      ...this.#parameters.filter((r) => r.pathSegmentIndex < 0).flatMap((r) => r.namesWithAliases),
    ]);
    for (const row of this.#parameters) {
      if (row.pathSegmentIndex < 0) for (const name of row.namesWithAliases) this.#parametersByName.set(name, row);
    }
    if (this.#parameters.every((r) => r.pathSegmentIndex < 0 && !r.declaration.required)) {
      this.#defaultValues = Object.freeze(
        Object.fromEntries(this.#parameters.map((r) => [r.name, r.declaration.default])),
      );
    }
  }

  /**
   * Decodes and checks the parameters of a call. @param segments decoded variable segments of the path, in order
   * @throws ApiError
   */
  decodeAndCheckParameters(form: FormFields, query: FormFields, segments: readonly string[]): DecodedParameters {
    if (this.#defaultValues && form.size === 0) {
      if (query.size === 0) return { values: this.#defaultValues, ignoredNames: undefined };
      return {
        values: this.#decodeQueryOverDefaults(this.#defaultValues, query),
        ignoredNames: this.#findIgnoredNames(form, query),
      };
    }
    const values: Record<string, unknown> = {};
    for (const row of this.#parameters) {
      const text = row.pathSegmentIndex >= 0 ? segments[row.pathSegmentIndex] : findParameterText(row, form, query);
      if (text !== undefined) values[row.name] = parseAndValidateParameterText(row, text);
      else if (row.declaration.required) throw apiError('REQUEST_VARIABLE_MISSING', { var_name: row.name });
      else values[row.name] = row.declaration.default;
    }
    return { values, ignoredNames: this.#findIgnoredNames(form, query) };
  }

  /** Reads a call of an operation whose parameters all have defaults: only those that the client sent are decoded. */
  #decodeQueryOverDefaults(
    defaults: Readonly<Record<string, unknown>>,
    query: FormFields,
  ): Readonly<Record<string, unknown>> {
    const sent: CompiledParameter[] = [];
    for (const name of query.keys()) {
      const row = this.#parametersByName.get(name);
      if (!row) continue;
      let at = sent.length;
      while (at > 0 && sent[at - 1]!.declarationIndex > row.declarationIndex) at--;
      // A parameter that was sent under two names is in the list, and refused, once.
      if (sent[at - 1] !== row) sent.splice(at, 0, row);
    }
    const values = { ...defaults };
    for (const row of sent)
      values[row.name] = parseAndValidateParameterText(row, findParameterText(row, NO_FORM_FIELDS, query)!);
    return values;
  }

  #findIgnoredNames(form: FormFields, query: FormFields): readonly string[] | undefined {
    let ignored: Set<string> | undefined;
    for (const fields of [form, query]) {
      for (const name of fields.keys()) {
        if (this.#knownNames.has(name) || (name === METHOD_PARAMETER && fields === form)) continue;
        ignored ??= new Set();
        ignored.add(name);
      }
    }
    return ignored && [...ignored].sort();
  }
}

function findParameterText(row: CompiledParameter, form: FormFields, query: FormFields): string | undefined {
  let found: string | undefined;
  let foundName = '';
  for (const name of row.namesWithAliases) {
    const value = form.get(name) ?? query.get(name);
    if (value === undefined) continue;
    if (found !== undefined) throw apiError('REQUEST_CONFUSING_VAR', { var_name1: foundName, var_name2: name });
    found = value;
    foundName = name;
  }
  return found;
}

const MAX_UINT_PARAMETER_VALUE = 4_294_967_295;

function parseAndValidateParameterText(
  { name, declaration, validator, maxCharacters }: CompiledParameter,
  text: string,
): unknown {
  checkParameterTextLength(name, text.length, maxCharacters);
  switch (declaration.encoding) {
    case 'string':
      return validator.validateText(text, name);
    case 'uint': {
      // The route pattern has matched the digits: an id that is too large simply doesn't exist.
      if (declaration.in === 'path') return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
      const digits = text.trim();
      const value = /^[0-9]+$/.test(digits) ? Number(digits) : Number.NaN;
      if (!(value <= MAX_UINT_PARAMETER_VALUE))
        throw apiError('REQUEST_VARIABLE_INVALID', { var_name: name, bad_value: text });
      return validator.validateJson({ value, plain: true, suspicious: false }, name);
    }
    case 'json': {
      const json = parseJsonOfBoundedValueCount(text, name, declaration.maxValues ?? DEFAULT_MAX_JSON_PARAMETER_VALUES);
      if (!json) throw apiError('ARGUMENT_NOT_JSON', { var_name: name });
      return validator.validateJson(json, name);
    }
  }
}

function parseJsonOfBoundedValueCount(text: string, name: string, maxValues: number): ParsedJsonText | undefined {
  try {
    return parseJsonText(text, maxValues);
  } catch (error) {
    throw error instanceof TooManyJsonValuesError ? tooManyItemsError(name, maxValues) : error;
  }
}
