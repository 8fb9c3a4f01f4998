/**
 * web/src/contract/types.ts: the types of requests, answers and events that the web client is compiled against.
 *
 * Requests come from the declared operations. Answers and events come from the JSON Schema of the wire format
 * (test/fixtures/api/wire.json), which the tests of the API hold the server to. An operation without a described answer
 * has the type `Answer`. Types only, but for one table, so that the contract costs the client almost no script.
 */
import type { Json, JsonObject } from '#base';
import { API_OPERATIONS, type ApiOperation, type ParameterDeclaration } from '#frontend/api';

export const CONTRACT_TYPES_FILE = 'web/src/contract/types.ts';
export const WIRE_FORMAT_FILE = 'test/fixtures/api/wire.json';

/** The part of wire.json that types are made from. */
interface WireFormat {
  readonly operations: Readonly<
    Record<string, { readonly parameters: readonly WireParameter[]; readonly response: JsonObject }>
  >;
  readonly events: Readonly<Record<string, JsonObject>>;
  readonly $defs: Readonly<Record<string, JsonObject>>;
}

interface WireParameter {
  readonly name: string;
  readonly schema: JsonObject;
}

const CONTRACT_FILE_HEADER = `/**
 * Requests, answers and events of the HTTP API as types. Made by \`npm run docs\` from the declared operations and
 * test/fixtures/api/wire.json; not edited by hand.
 */`;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectsInList = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const typeScriptKeyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/**
 * Name of a type in the contract: the name of the schema's definition (`$defs`) in camel case, with a capital letter.
 */
const typeNameOfReference = (ref: string): string => {
  const name = ref.slice(ref.lastIndexOf('/') + 1).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${name[0]!.toUpperCase()}${name.slice(1)}`;
};

const literalType = (value: Json): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

const unionType = (types: readonly string[]): string => {
  const distinct = [...new Set(types)];
  return distinct.length === 0 || distinct.includes('unknown') ? 'unknown' : distinct.join(' | ');
};

/** Type of a list whose items have the type `item`. A union is put in parentheses. */
const listType = (item: string): string =>
  / \| |^readonly /.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`;

function objectType(schema: JsonObject, depth: number): string {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const indent = '  '.repeat(depth);
  const rows = Object.entries(properties).map(
    ([name, of]) =>
      `${indent}  readonly ${typeScriptKeyOf(name)}${required.has(name) ? '' : '?'}: ${typeOf(isObject(of) ? of : {}, depth + 1)};`,
  );
  if (rows.length > 0) return `{\n${rows.join('\n')}\n${indent}}`;
  const others = schema.additionalProperties;
  if (others === false) return 'Record<string, never>';
  return `Readonly<Record<string, ${isObject(others) ? typeOf(others, depth) : 'unknown'}>>`;
}

function typeOf(schema: JsonObject, depth: number): string {
  if (typeof schema.$ref === 'string') return typeNameOfReference(schema.$ref);
  if (schema.const !== undefined) return literalType(schema.const);
  if (Array.isArray(schema.enum)) return unionType(schema.enum.map(literalType));
  const choices = [...objectsInList(schema.anyOf), ...objectsInList(schema.oneOf)];
  if (choices.length > 0) return unionType(choices.map((of) => typeOf(of, depth)));
  if (Array.isArray(schema.type)) return unionType(schema.type.map((type) => typeOf({ ...schema, type }, depth)));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return listType(isObject(schema.items) ? typeOf(schema.items, depth) : 'unknown');
    case 'object':
      return objectType(schema, depth);
    default:
      return isObject(schema.properties) ? objectType(schema, depth) : 'unknown';
  }
}

const toPlainJson = (schema: unknown): JsonObject => JSON.parse(JSON.stringify(schema)) as JsonObject;

/**
 * Schema of a request's parameter. A parameter whose text is JSON is declared as a plain string; the wire format then
 * describes the value in it.
 */
function schemaOf(parameter: ParameterDeclaration, described: WireParameter | undefined): JsonObject {
  const declared = toPlainJson(parameter.schema);
  return declared.type === 'string' && described && described.schema.type !== 'string' ? described.schema : declared;
}

function requestType(operation: ApiOperation, wire: WireFormat): string {
  const described = wire.operations[methodAndPathOf(operation)]?.parameters ?? [];
  const rows = Object.entries(operation.parameters).map(([name, of]) => {
    const schema = schemaOf(
      of,
      described.find((other) => other.name === name),
    );
    const type = typeOf(schema, 2);
    return `    readonly ${typeScriptKeyOf(name)}${of.required ? '' : '?'}: ${type}${of.required || type === 'unknown' ? '' : ' | undefined'};`;
  });
  return rows.length === 0 ? 'Record<never, never>' : `{\n${rows.join('\n')}\n  }`;
}

const methodAndPathOf = ({ method, path }: ApiOperation): string => `${method} ${path}`;

const acceptsTextValue = (schema: JsonObject): boolean =>
  schema.type === 'string' || objectsInList(schema.anyOf).some(({ type }) => type === 'string');

/** Names of the parameters that travel as JSON even when the value is a string, which is then quoted. */
const quotedParameterNames = (operation: ApiOperation): string[] =>
  Object.entries(operation.parameters)
    .filter(([, of]) => of.encoding === 'json' && acceptsTextValue(toPlainJson(of.schema)))
    .map(([name]) => name);

/** The text of web/src/contract/types.ts, from the text of wire.json. */
export const renderWebContractTypes = (wireFormat: string): string =>
  renderContractTypes(API_OPERATIONS, JSON.parse(wireFormat, correctWireSchema) as WireFormat);

/**
 * Corrects two schemas of the wire format. In `unread_msgs`, ids of direct messages have another name than servers and
 * clients use; `presences` lacks the slim form, which has two times for each user.
 */
function correctWireSchema(key: string, value: Json): Json {
  if (key === 'unread_msgs') {
    return JSON.parse(JSON.stringify(value).replaceAll('"message_ids"', '"unread_message_ids"')) as Json;
  }
  return key === 'presences' && isObject(value) ? { anyOf: [SLIM_PRESENCES_SCHEMA, value] } : value;
}

const SLIM_PRESENCES_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { active_timestamp: { type: 'integer' }, idle_timestamp: { type: 'integer' } },
  },
};

function renderContractTypes(operations: readonly ApiOperation[], wire: WireFormat): string {
  const called = operations.filter(({ root }) => !root);
  const requests = called.map((of) => `  '${methodAndPathOf(of)}': ${requestType(of, wire)};`);
  const answers = called.map((of) => {
    const described = wire.operations[methodAndPathOf(of)];
    return `  '${methodAndPathOf(of)}': ${described ? typeOf(described.response, 1) : 'Answer'};`;
  });
  const quoted = called
    .map((of) => [methodAndPathOf(of), quotedParameterNames(of)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([key, names]) => `  '${key}': [${names.map((name) => `'${name}'`).join(', ')}],`);
  return [
    CONTRACT_FILE_HEADER,
    '',
    ...Object.entries(wire.$defs).map(([name, of]) => `export type ${typeNameOfReference(name)} = ${typeOf(of, 0)};\n`),
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
    ...Object.entries(wire.events).map(([key, of]) => `  '${key}': ${typeOf(of, 1)};`),
    '}',
    '',
    '/** Parameters that are quoted as JSON even when their value is a text. */',
    'export const QUOTED: Readonly<Record<string, readonly string[]>> = {',
    ...quoted,
    '};',
    '',
  ].join('\n');
}
