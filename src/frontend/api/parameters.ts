/** Short forms of the parameters that operations declare. */
import { type TSchema, Type } from 'typebox';
import { DEFAULT_MAX_JSON_PARAMETER_CHARACTERS } from './operation.js';

type QueryOrFormLocation = 'query' | 'form';

const booleanSchema = Type.Boolean();

/** Optional parameter: JSON `true` or `false`, with a default. */
export const declareBooleanParameterWithDefault = (
  where: QueryOrFormLocation,
  fallback: boolean,
  description: string,
) => ({ in: where, encoding: 'json', schema: booleanSchema, required: false, default: fallback, description }) as const;

/** Optional parameter: JSON `true` or `false`; undefined when absent. */
export const declareOptionalBooleanParameter = (where: QueryOrFormLocation, description: string) =>
  ({ in: where, encoding: 'json', schema: booleanSchema, required: false, description }) as const;

/** Required parameter: text, taken verbatim. */
export const declareRequiredTextParameter = (where: QueryOrFormLocation, description: string) =>
  ({ in: where, encoding: 'string', schema: Type.String(), required: true, description }) as const;

/** Optional parameter: text, taken verbatim; undefined when absent. */
export const declareOptionalTextParameter = (where: QueryOrFormLocation, description: string) =>
  ({ in: where, encoding: 'string', schema: Type.String(), required: false, description }) as const;

/**
 * Required parameter: text up to DEFAULT_MAX_JSON_PARAMETER_CHARACTERS, for content and topics of messages, which are
 * cut instead of refused.
 */
export const declareRequiredLongTextParameter = (where: QueryOrFormLocation, description: string) =>
  ({
    ...declareRequiredTextParameter(where, description),
    maxCharacters: DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
  }) as const;

/** Optional parameter: JSON value of this shape; undefined when absent. */
export const declareOptionalJsonParameter = <S extends TSchema>(
  where: QueryOrFormLocation,
  schema: S,
  description: string,
) => ({ in: where, encoding: 'json', schema, required: false, description }) as const;

/** Path parameter: an integer segment. */
export const declarePathIdParameter = (description: string) =>
  ({ in: 'path', encoding: 'uint', schema: Type.Integer({ minimum: 0 }), required: true, description }) as const;

/** Required parameter of a form: an id, as JSON. */
export const declareRequiredFormIdParameter = (description: string) =>
  ({ in: 'form', encoding: 'json', schema: Type.Integer(), required: true, description }) as const;

/** Path parameter: the rest of the path, slashes included. */
export const declarePathRestParameter = (description: string) =>
  ({ ...declarePathTextParameter(description), rest: true }) as const;

/** Path parameter: a segment, taken verbatim. */
export const declarePathTextParameter = (description: string) =>
  ({ in: 'path', encoding: 'string', schema: Type.String(), required: true, description }) as const;

/** Parameter of calls whose answers name topics: API levels with an empty topic name have it. */
export const allowEmptyTopicNameParameter = {
  ...declareBooleanParameterWithDefault('query', false, 'The client takes the empty topic name.'),
  since: 334,
} as const;
