import type { ParameterDeclaration } from '#frontend/api';

/** A value of the shape that a parameter declares, for parameters that have no usual value. */
export function anyValueOf({ schema }: ParameterDeclaration): unknown {
  const {
    type,
    enum: choices,
    anyOf: forms,
  } = schema as { type?: string; enum?: unknown[]; anyOf?: { type?: string }[] };
  if (choices) return choices[0];
  switch (type ?? forms?.[0]?.type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'usual';
  }
}
