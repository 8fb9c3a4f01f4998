/** Every declared operation against the contract's machine-readable form: its callers, and each parameter. */
import t from 'tap';
import { BASE_API_LEVEL } from '#domain/levels';
import { API_OPERATIONS, knownParametersOfLevel, type ParameterDeclaration } from '#frontend/api';
import { type Declared, declaredAs, type WireParameter } from '../../api/support/wire.js';
import { DIFFERENCES } from './declared-differences.js';

/** wire.json's role → the guard that checks it before parameters; the rest of these roles is checked by the handler. */
const GUARDS: Readonly<Record<string, string>> = {
  none: 'none',
  user: 'user',
  admin: 'admin',
  owner: 'owner',
  human: 'human',
  non_guest: 'non_guest',
  member_human: 'member_human',
  user_group_edit_policy_human: 'user_group_edit_policy_human',
  webhook_bot: 'webhook_bot',
  admin_with_can_create_users: 'admin',
  admin_or_sender_by_policy: 'user',
  admin_or_bot_owner: 'user',
  admin_or_emoji_author: 'user',
};

function expectedEncoding({ encoding, check, in: where, schema }: WireParameter): string {
  // A path holds decimal text or text, even where wire.json says JSON.
  if (where === 'path') return schema.type === 'integer' ? 'uint' : 'string';
  return check === 'int >= 0' && encoding === 'string' ? 'uint' : (encoding ?? 'string');
}

/** Values of an enumeration, in any of the forms that schemas give it; undefined when the schema has none. */
function enumeration(schema: unknown): string | undefined {
  const { enum: values, anyOf } = schema as { enum?: unknown[]; anyOf?: { const?: unknown }[] };
  const found = values ?? (anyOf?.every((one) => one.const !== undefined) ? anyOf.map((one) => one.const) : undefined);
  return found && JSON.stringify(found.map(String).sort());
}

const text = (value: unknown): string => JSON.stringify(value) ?? 'none';

/** Pairs of our declaration and the contract, for each property of one parameter. */
function facts(declared: ParameterDeclaration, of: WireParameter): Record<string, [unknown, unknown]> {
  return {
    in: [declared.in, of.in],
    required: [declared.required, of.required],
    encoding: [declared.encoding, expectedEncoding(of)],
    default: [text(declared.default), text(of.default)],
    aliases: [text(declared.aliases ?? []), text(of.aliases ?? [])],
    ...(of.enum || of.schema.enum
      ? { enum: [enumeration(declared.schema), enumeration({ enum: of.enum ?? of.schema.enum })] }
      : {}),
  };
}

/** `operation parameter fact` → the difference. */
function differences(name: string, declaration: (typeof API_OPERATIONS)[number], of: Declared): Map<string, string> {
  const found = new Map<string, string>();
  const note = (key: string, ours: unknown, theirs: unknown): void => {
    if (ours !== theirs) found.set(`${name} ${key}`, `${ours} here, ${theirs} in wire.json`);
  };
  const role = of.auth.refusal === undefined ? GUARDS[of.auth.role] : 'user';
  note('guard', declaration.guard, role);
  note('webhookBots', declaration.webhookBots === true, of.auth.incoming_webhook_bots === true);
  if (of.operationId !== undefined) note('id', declaration.id, of.operationId);
  const theirs = new Map(of.parameters.map((parameter) => [parameter.name, parameter]));
  const ours = knownParametersOfLevel(declaration.parameters, BASE_API_LEVEL);
  for (const [parameter, declared] of Object.entries(ours)) {
    const known = theirs.get(parameter);
    if (!known) note(`${parameter} declared`, 'declared', 'not declared');
    else for (const [fact, [a, b]] of Object.entries(facts(declared, known))) note(`${parameter} ${fact}`, a, b);
  }
  for (const parameter of theirs.keys()) {
    if (!(parameter in ours)) note(`${parameter} declared`, 'not declared', 'declared');
  }
  return found;
}

const unused = new Set(Object.keys(DIFFERENCES));
const names = new Set<string>();
// Addresses at the root that users open as links are not part of the API.
for (const declaration of API_OPERATIONS.filter(({ root }) => !root)) {
  const found = declaredAs(declaration.method, declaration.path);
  t.test(`${declaration.method} ${declaration.path} is declared as the contract has it`, async (t) => {
    if (!found) return void t.fail('wire.json has no such operation');
    const [name, of] = found;
    t.notOk(names.has(name), 'declared once');
    names.add(name);
    for (const [key, what] of differences(name, declaration, of)) {
      if (unused.delete(key)) t.comment(`${key}: ${what}: ${DIFFERENCES[key]}`);
      else t.fail(`${key}: ${what}`);
    }
  });
}

t.test('every listed difference exists', async (t) => {
  for (const key of unused) {
    const isDeclared = [...names].some((name) => key.startsWith(`${name} `));
    if (isDeclared) t.fail(`${key} does not differ any more`);
  }
});
