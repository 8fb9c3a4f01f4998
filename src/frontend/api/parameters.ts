/** Short forms for the parameters that an operation declares. */
import { type TSchema, Type } from 'typebox';
import { MAX_CHARACTERS } from './operation.js';

type In = 'query' | 'form';

const bool = Type.Boolean();

/** JSON `true` or `false`, with a default. */
export const flag = (where: In, fallback: boolean, description: string) =>
  ({ in: where, encoding: 'json', schema: bool, required: false, default: fallback, description }) as const;

/** JSON `true` or `false`; undefined when absent. */
export const maybeFlag = (where: In, description: string) =>
  ({ in: where, encoding: 'json', schema: bool, required: false, description }) as const;

/** Text, taken verbatim; required. */
export const text = (where: In, description: string) =>
  ({ in: where, encoding: 'string', schema: Type.String(), required: true, description }) as const;

/** Text, taken verbatim; undefined when absent. */
export const maybeText = (where: In, description: string) =>
  ({ in: where, encoding: 'string', schema: Type.String(), required: false, description }) as const;

/** Required text up to MAX_CHARACTERS, for content and topics of messages, which are cut instead of refused. */
export const longText = (where: In, description: string) =>
  ({ ...text(where, description), maxCharacters: MAX_CHARACTERS }) as const;

/** JSON value of this shape; undefined when absent. */
export const maybeJson = <S extends TSchema>(where: In, schema: S, description: string) =>
  ({ in: where, encoding: 'json', schema, required: false, description }) as const;

/** Integer segment of the path. */
export const pathId = (description: string) =>
  ({ in: 'path', encoding: 'uint', schema: Type.Integer({ minimum: 0 }), required: true, description }) as const;

/** Id in the form, as JSON. */
export const formId = (description: string) =>
  ({ in: 'form', encoding: 'json', schema: Type.Integer(), required: true, description }) as const;

/** The rest of the path, slashes included. */
export const pathRest = (description: string) => ({ ...pathText(description), rest: true }) as const;

/** Segment of the path, taken verbatim. */
export const pathText = (description: string) =>
  ({ in: 'path', encoding: 'string', schema: Type.String(), required: true, description }) as const;
