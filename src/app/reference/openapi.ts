/** docs/openapi.json, docs/openapi-….json: the OpenAPI description of all declared operations at each API level. */
import { type JsonObject, SERVER_VERSION } from '#base';
import { API_CHANGES, type ApiLevel, BASE_API_LEVEL } from '#domain/levels';
import {
  type ApiOperation,
  DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
  DEFAULT_MAX_JSON_PARAMETER_VALUES,
  DEFAULT_MAX_REQUEST_BODY_MIB,
  knownParametersOfLevel,
  type ParameterDeclaration,
} from '#frontend/api';

function parameterSchemaWithDefault(parameter: ParameterDeclaration): JsonObject {
  const schema = JSON.parse(JSON.stringify(parameter.schema)) as JsonObject;
  return parameter.default === undefined ? schema : { ...schema, default: parameter.default as never };
}

/** True if values of the parameter travel as JSON text. Plain texts don't, nor decimal ids and numbers (`uint`). */
const isJsonEncodedParameter = (parameter: ParameterDeclaration): boolean => parameter.encoding === 'json';

/** Bounds of a parameter that differ from the defaults, as extensions of its OpenAPI description. */
const parameterBoundExtensions = ({ maxValues, maxCharacters }: ParameterDeclaration): JsonObject => ({
  ...(maxValues === undefined ? {} : { 'x-most-values': maxValues }),
  ...(maxCharacters === undefined ? {} : { 'x-most-characters': maxCharacters }),
});

function describeNonFormParameter(name: string, parameter: ParameterDeclaration): JsonObject {
  const described = {
    name,
    in: parameter.in,
    required: parameter.required,
    ...(parameter.description ? { description: parameter.description } : {}),
    ...parameterBoundExtensions(parameter),
  };
  const schema = parameterSchemaWithDefault(parameter);
  return isJsonEncodedParameter(parameter)
    ? { ...described, content: { 'application/json': { schema } } }
    : { ...described, schema };
}

function describeFormRequestBody(parameters: readonly (readonly [string, ParameterDeclaration])[]): JsonObject {
  const encoding = parameters
    .filter(([, of]) => isJsonEncodedParameter(of))
    .map(([name]) => [name, { contentType: 'application/json' }]);
  return {
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(
            parameters.map(([name, of]) => [
              name,
              {
                ...parameterSchemaWithDefault(of),
                ...(of.description ? { description: of.description } : {}),
                ...parameterBoundExtensions(of),
              },
            ]),
          ),
          required: parameters.filter(([, of]) => of.required).map(([name]) => name),
        },
        encoding: Object.fromEntries(encoding),
      },
    },
  };
}

/** Body of an upload: one file, in a field of any name. */
const FILE_UPLOAD_REQUEST_BODY: JsonObject = {
  content: {
    'multipart/form-data': { schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } } },
  },
};

/** Body of an operation that reads it itself: JSON of any shape. */
const ANY_JSON_REQUEST_BODY: JsonObject = { content: { 'application/json': { schema: {} } } };

function describeOpenapiOperation(operation: ApiOperation, level: ApiLevel): JsonObject {
  const parameters = Object.entries(knownParametersOfLevel(operation.parameters, level));
  const form = parameters.filter(([, of]) => of.in === 'form');
  const others = parameters.filter(([, of]) => of.in !== 'form');
  return {
    operationId: operation.id,
    summary: operation.summary,
    'x-guard': operation.guard,
    ...(operation.maxBodyMib === undefined ? {} : { 'x-most-body-mib': operation.maxBodyMib }),
    ...(operation.guard === 'none' ? { security: [] } : {}),
    ...(operation.visitors ? { security: [{ basic: [] }, { key: [] }, {}] } : {}),
    ...(operation.keyInQuery ? { security: [{ key: [] }, { basic: [] }] } : {}),
    parameters: others.map(([name, of]) => describeNonFormParameter(name, of)),
    ...(operation.takesFiles ? { requestBody: FILE_UPLOAD_REQUEST_BODY } : {}),
    ...(operation.takesBody ? { requestBody: ANY_JSON_REQUEST_BODY } : {}),
    ...(form.length > 0 ? { requestBody: describeFormRequestBody(form) } : {}),
    responses: { 200: { description: 'Success: result, msg and the fields of the operation.' } },
  };
}

type OpenapiOperationsByPathAndMethod = Record<string, Record<string, JsonObject>>;

/** The changes up to the level, for the description of the document; undefined at the base level. */
function describeChangesUpTo(level: ApiLevel): string | undefined {
  if (level === BASE_API_LEVEL) return undefined;
  const changes = API_CHANGES.filter(({ since }) => since <= level).map(
    ({ since, summary }) => `- ${since}: ${summary}`,
  );
  return [`API level ${level}: level ${BASE_API_LEVEL} with these changes.`, '', ...changes].join('\n');
}

export function buildOpenapiDocument(operations: readonly ApiOperation[], level: ApiLevel): JsonObject {
  const below: OpenapiOperationsByPathAndMethod = {};
  const root: OpenapiOperationsByPathAndMethod = {};
  for (const operation of operations) {
    const paths = operation.root ? root : below;
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOpenapiOperation(operation, level);
    paths[operation.path] = path;
  }
  const description = describeChangesUpTo(level);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Conclave',
      version: SERVER_VERSION,
      ...(description === undefined ? {} : { description }),
    },
    servers: [{ url: '/api/v1' }],
    // Bounds of every operation and parameter that doesn't declare its own.
    'x-most-body-mib': DEFAULT_MAX_REQUEST_BODY_MIB,
    'x-most-values': DEFAULT_MAX_JSON_PARAMETER_VALUES,
    'x-most-characters': DEFAULT_MAX_JSON_PARAMETER_CHARACTERS,
    security: [{ basic: [] }],
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        key: { type: 'apiKey', in: 'query', name: 'api_key' },
      },
    },
    paths: below,
    // Operations with paths outside /api/v1. People open these addresses as links.
    'x-root-paths': root,
  };
}
