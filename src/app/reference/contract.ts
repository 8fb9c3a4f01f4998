/**
 * web/src/contract/types.ts: the types of requests, answers and events that the web client is compiled against.
 *
 * Requests come from the declared operations. Answers and events come from the JSON Schema of the wire format
 * (test/fixtures/api/wire.json), which the tests of the API hold the server to. An operation without a described answer
 * has the type `Answer`. Types only, but for one table, so that the contract costs the client almost no script.
 */
import type { Json, JsonObject } from '#base';
import { BASE_API_LEVEL } from '#domain/levels';
import { API_OPERATIONS, type ApiOperation, knownParametersOfLevel, type ParameterDeclaration } from '#frontend/api';

export const WEB_CONTRACT_TYPES_FILE_PATH = 'web/src/contract/types.ts';
export const WIRE_FORMAT_FILE_PATH = 'test/fixtures/api/wire.json';

/** The part of wire.json that types are made from. */
interface ApiWireFormat {
  readonly operations: Readonly<
    Record<string, { readonly parameters: readonly WireParameterSchema[]; readonly response: JsonObject }>
  >;
  readonly events: Readonly<Record<string, JsonObject>>;
  readonly $defs: Readonly<Record<string, JsonObject>>;
}

interface WireParameterSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

const WEB_CONTRACT_FILE_HEADER = `/**
 * Requests, answers and events of the HTTP API as types. Made by \`npm run docs\` from the declared operations and
 * test/fixtures/api/wire.json; not edited by hand.
 */`;

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const jsonObjectsInList = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const quotePropertyKeyIfNeeded = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/**
 * Name of a type in the contract: the name of the schema's definition (`$defs`) in camel case, with a capital letter.
 */
const contractTypeNameOfReference = (ref: string): string => {
  const name = ref.slice(ref.lastIndexOf('/') + 1).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${name[0]!.toUpperCase()}${name.slice(1)}`;
};

const renderLiteralType = (value: Json): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

const renderUnionType = (types: readonly string[]): string => {
  const distinct = [...new Set(types)];
  return distinct.length === 0 || distinct.includes('unknown') ? 'unknown' : distinct.join(' | ');
};

/** Type of a list whose items have the type `item`. A union is put in parentheses. */
const renderReadonlyListType = (item: string): string =>
  / \| |^readonly /.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;

function renderObjectType(schema: JsonObject, depth: number): string {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const indent = '  '.repeat(depth);
  const rows = Object.entries(properties).map(
    ([name, of]) =>
      `${indent}  readonly ${quotePropertyKeyIfNeeded(name)}${required.has(name) ? '' : '?'}: ${renderTypeOfSchema(isJsonObject(of) ? of : {}, depth + 1)};`,
  );
  if (rows.length > 0) return `{\n${rows.join('\n')}\n${indent}}`;
  const others = schema.additionalProperties;
  if (others === false) return 'Record<string, never>';
  return `Readonly<Record<string, ${isJsonObject(others) ? renderTypeOfSchema(others, depth) : 'unknown'}>>`;
}

function renderTypeOfSchema(schema: JsonObject, depth: number): string {
  if (typeof schema.$ref === 'string') return contractTypeNameOfReference(schema.$ref);
  if (schema.const !== undefined) return renderLiteralType(schema.const);
  if (Array.isArray(schema.enum)) return renderUnionType(schema.enum.map(renderLiteralType));
  const choices = [...jsonObjectsInList(schema.anyOf), ...jsonObjectsInList(schema.oneOf)];
  if (choices.length > 0) return renderUnionType(choices.map((of) => renderTypeOfSchema(of, depth)));
  if (Array.isArray(schema.type))
    return renderUnionType(schema.type.map((type) => renderTypeOfSchema({ ...schema, type }, depth)));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return renderReadonlyListType(isJsonObject(schema.items) ? renderTypeOfSchema(schema.items, depth) : 'unknown');
    case 'object':
      return renderObjectType(schema, depth);
    default:
      return isJsonObject(schema.properties) ? renderObjectType(schema, depth) : 'unknown';
  }
}

const schemaToPlainJson = (schema: unknown): JsonObject => JSON.parse(JSON.stringify(schema)) as JsonObject;

/**
 * Schema of a request's parameter. A parameter whose text is JSON is declared as a plain string; the wire format then
 * describes the value in it.
 */
function declaredOrWireSchemaOf(
  parameter: ParameterDeclaration,
  described: WireParameterSchema | undefined,
): JsonObject {
  const declared = schemaToPlainJson(parameter.schema);
  return declared.type === 'string' && described && described.schema.type !== 'string' ? described.schema : declared;
}

function renderRequestType(operation: ApiOperation, wire: ApiWireFormat): string {
  const described = wire.operations[operationMethodAndPath(operation)]?.parameters ?? [];
  const rows = Object.entries(knownParametersOfLevel(operation.parameters, BASE_API_LEVEL)).map(([name, of]) => {
    const schema = declaredOrWireSchemaOf(
      of,
      described.find((other) => other.name === name),
    );
    const type = renderTypeOfSchema(schema, 2);
    return `    readonly ${quotePropertyKeyIfNeeded(name)}${of.required ? '' : '?'}: ${type}${of.required || type === 'unknown' ? '' : ' | undefined'};`;
  });
  return rows.length === 0 ? 'Record<never, never>' : `{\n${rows.join('\n')}\n  }`;
}

const operationMethodAndPath = ({ method, path }: ApiOperation): string => `${method} ${path}`;

const acceptsStringValue = (schema: JsonObject): boolean =>
  schema.type === 'string' || jsonObjectsInList(schema.anyOf).some(({ type }) => type === 'string');

/** Names of the parameters that travel as JSON even when the value is a string, which is then quoted. */
const namesOfJsonQuotedParameters = (operation: ApiOperation): string[] =>
  Object.entries(knownParametersOfLevel(operation.parameters, BASE_API_LEVEL))
    .filter(([, of]) => of.encoding === 'json' && acceptsStringValue(schemaToPlainJson(of.schema)))
    .map(([name]) => name);

/** The text of web/src/contract/types.ts, from the text of wire.json. */
export const renderWebContractFromWireJson = (wireFormat: string): string =>
  renderWebContractFile(API_OPERATIONS, JSON.parse(wireFormat, reviveWithSchemaCorrections) as ApiWireFormat);

/**
 * Corrects two schemas of the wire format. In `unread_msgs`, ids of direct messages have another name than servers and
 * clients use; `presences` lacks the slim form, which has two times for each user.
 */
function reviveWithSchemaCorrections(key: string, value: Json): Json {
  if (key === 'unread_msgs') {
    return JSON.parse(JSON.stringify(value).replaceAll('"message_ids"', '"unread_message_ids"')) as Json;
  }
  return key === 'presences' && isJsonObject(value) ? { anyOf: [SLIM_PRESENCES_SCHEMA, value] } : value;
}

const SLIM_PRESENCES_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { active_timestamp: { type: 'integer' }, idle_timestamp: { type: 'integer' } },
  },
};

function renderWebContractFile(operations: readonly ApiOperation[], wire: ApiWireFormat): string {
  const called = operations.filter(({ root }) => !root);
  const requests = called.map((of) => `  '${operationMethodAndPath(of)}': ${renderRequestType(of, wire)};`);
  const answers = called.map((of) => {
    const described = wire.operations[operationMethodAndPath(of)];
    return `  '${operationMethodAndPath(of)}': ${described ? renderTypeOfSchema(described.response, 1) : 'Answer'};`;
  });
  const quoted = called
    .map((of) => [operationMethodAndPath(of), namesOfJsonQuotedParameters(of)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([key, names]) => `  '${key}': [${names.map((name) => `'${name}'`).join(', ')}],`);
  return [
    WEB_CONTRACT_FILE_HEADER,
    '',
    ...Object.entries(wire.$defs).map(
      ([name, of]) => `export type ${contractTypeNameOfReference(name)} = ${renderTypeOfSchema(of, 0)};\n`,
    ),
    '/** Answer of an operation whose fields no schema describes. */',
    'export type Answer = { readonly result: string; readonly msg: string } & Readonly<Record<string, unknown>>;',
    '',
    '/** Parameters by operation, those of the path included. */',
    `export interface Requests {\n${requests.join('\n')}\n}`,
    '',
    '/** Answers by operation. */',
    `export interface Answers {\n${answers.join('\n')}\n}`,
    '',
    '/** Events by type, and by operation where a type has several. */',
    'export interface Events {',
    ...Object.entries(wire.events).map(([key, of]) => `  '${key}': ${renderTypeOfSchema(of, 1)};`),
    '}',
    '',
    '/** Parameters that are quoted as JSON even when their value is a text. */',
    'export const QUOTED: Readonly<Record<string, readonly string[]>> = {',
    ...quoted,
    '};',
    '',
  ].join('\n');
}
