/** Parameters of an operation at an API level: newer levels have more of them, or take more values. */
import { type ApiLevel, BASE_API_LEVEL } from '#domain/levels';
import type { ParameterDeclaration, ParameterDeclarations } from './operation.js';

export const isParameterKnownAtLevel = ({ since = BASE_API_LEVEL }: ParameterDeclaration, level: ApiLevel): boolean =>
  since <= level;

const withSchemaOfLevel = (declaration: ParameterDeclaration, level: ApiLevel): ParameterDeclaration =>
  declaration.newerSchema && declaration.newerSchema.since <= level
    ? { ...declaration, schema: declaration.newerSchema.schema }
    : declaration;

/** The declarations with the schemas of this level. Parameters that the level does not know are among them. */
export const parametersOfLevel = (declared: ParameterDeclarations, level: ApiLevel): ParameterDeclarations =>
  Object.fromEntries(
    Object.entries(declared).map(([name, declaration]) => [name, withSchemaOfLevel(declaration, level)]),
  );

/** The parameters that clients of this level know, with their schemas there. */
export const knownParametersOfLevel = (declared: ParameterDeclarations, level: ApiLevel): ParameterDeclarations =>
  Object.fromEntries(
    Object.entries(parametersOfLevel(declared, level)).filter(([, of]) => isParameterKnownAtLevel(of, level)),
  );

/** True if clients of a higher level have other parameters than those of the base level. */
export const hasParametersOfHigherLevels = (declared: ParameterDeclarations): boolean =>
  Object.values(declared).some(({ since, newerSchema }) => since !== undefined || newerSchema !== undefined);
