/**
 * Folder schema validates values of parameters against their TypeBox schemas, with the exact messages of the API.
 *
 * `makeSchemaValidator` is called once per parameter when the server starts; it refuses schemas with unknown
 * keywords. The validator then takes the text of a `string` parameter (`text`) or parsed JSON (`json`), and returns the
 * value or throws VALIDATION_FAILED:
 *
 * - `validate.ts` walks schema and value in the order that the API's messages need. Plain arrays and objects first go
 *   through a validator that TypeBox compiled; only values that it refuses are walked, for their message.
 * - `checks.ts` has the checks of strings without a JSON Schema keyword: URLs, colours, dates, time zones, addresses.
 *
 * Invariants: a compiled validator never accepts a value that the walk refuses. Importers: `frontend/http`, `domain`.
 */
export { makeSchemaValidator, type SchemaValidator } from './validate.js';
