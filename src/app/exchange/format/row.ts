/** Reads checked fields from a row of an export. Every value in an archive is untrusted: none is used unchecked. */
import type { Json, JsonObject } from '#base';
import { makeExportRowError } from './problem.js';

/** Largest id, and largest other number, that a row may have. */
const MAX_ROW_NUMBER = Number.MAX_SAFE_INTEGER;
/** Largest time that a row may have, seconds since 1970: the year 9999. */
export const MAX_TIME_SECONDS = 253_402_300_799;

export class CheckedExportRow {
  /** @param label names the row in errors, if it has no id */
  constructor(
    readonly table: string,
    readonly fields: JsonObject,
    private readonly label?: string,
  ) {}

  get requiredId(): number {
    return this.requireNonNegativeInteger('id');
  }

  hasNonNullField(name: string): boolean {
    const value = this.fields[name];
    return value !== undefined && value !== null;
  }

  uncheckedValue(name: string): Json | undefined {
    return this.fields[name];
  }

  /** Returns the object in a field as a row; errors about it name this row. Empty if the field has another value. */
  objectOrEmpty(name: string): CheckedExportRow {
    const value = this.fields[name];
    const fields = isJsonObject(value) ? value : {};
    return new CheckedExportRow(this.table, fields, this.#name);
  }

  /** Returns the objects in a list; none if the field has another value. */
  objectsOfList(name: string): readonly JsonObject[] {
    const value = this.fields[name];
    return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
  }

  /** Reads a whole number of at least 0. */
  requireNonNegativeInteger(name: string): number {
    const value = this.fields[name];
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > MAX_ROW_NUMBER) {
      throw this.makeRowError(`${name} is ${describeJsonValueBriefly(value)} instead of an id or a number`);
    }
    return value as number;
  }

  nonNegativeIntegerOr<T>(name: string, otherwise: T): number | T {
    return this.hasNonNullField(name) ? this.requireNonNegativeInteger(name) : otherwise;
  }

  /** Reads a text; a missing field and null give `otherwise`. */
  textOrDefault(name: string, otherwise = ''): string {
    const value = this.fields[name];
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== 'string')
      throw this.makeRowError(`${name} is ${describeJsonValueBriefly(value)} instead of a text`);
    return value;
  }

  /** Reads a boolean; a missing field and null give `otherwise`. */
  booleanOrDefault(name: string, otherwise = false): boolean {
    const value = this.fields[name];
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== 'boolean')
      throw this.makeRowError(`${name} is ${describeJsonValueBriefly(value)} instead of true or false`);
    return value;
  }

  booleanOrNull(name: string): boolean | null {
    return this.hasNonNullField(name) ? this.booleanOrDefault(name) : null;
  }

  /** Reads a time in seconds since 1970, with fraction; a missing field and null give `otherwise`. */
  timeSecondsOrDefault(name: string, otherwise = 0): number {
    const value = this.fields[name];
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > MAX_TIME_SECONDS) {
      throw this.makeRowError(`${name} is ${describeJsonValueBriefly(value)} instead of a time`);
    }
    return value;
  }

  /** Reads a list of ids. */
  numberListOrEmpty(name: string): number[] {
    const value = this.fields[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value))
      throw this.makeRowError(`${name} is ${describeJsonValueBriefly(value)} instead of a list`);
    return (value as Json[]).map((one) =>
      new CheckedExportRow(this.table, { [name]: one }, this.#name).requireNonNegativeInteger(name),
    );
  }

  makeRowError(what: string): Error {
    return makeExportRowError(this.table, this.#name, what);
  }

  get #name(): string {
    return this.label ?? String(this.fields.id ?? '?');
  }
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Describes a value for an error message, briefly whatever its size. */
function describeJsonValueBriefly(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
