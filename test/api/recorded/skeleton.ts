/**
 * The form of a JSON value, small enough to keep and to compare: lists become one element that stands for all, objects
 * keyed by ids or addresses become one value, and values that depend on ids, times or names become their type.
 */

/** `<type>` or `<type|type>` stands for any value of these types; other scalars stand for themselves. */
export type Skeleton = string | number | boolean | null | readonly Skeleton[] | { readonly [name: string]: Skeleton };

type Plain = Readonly<Record<string, Skeleton>>;

/** Values under these names differ between any two organizations. */
const VOLATILE =
  /(^|_)(ids?|key|timestamp|date|time|last_updated|joined|email|address|name|uri|url|version|subject|topic|content|host|generation|count|base|color|base36|secs|used|description|nonce|policy_url|anchor|realm|event|source|sender|prefix|language|timezone|realm_str|medium|created)$|^(id|to|local_id|raw_content|base64|last_event_id|updated|used|result_size|msg)$/;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);

/** The value that stands for all keys. */
const ANY = '*';
/** An object whose keys differ between organizations. */
const byId = (names: readonly string[]): boolean => names.length > 0 && names.every((name) => /^\d+$|@/.test(name));

export function skeletonOf(value: unknown, name = '', keepValues = true): Skeleton {
  if (Array.isArray(value))
    return value.length === 0 ? [] : [mergeAll(value.map((one) => skeletonOf(one, name, false)))];
  if (isPlain(value)) {
    const entries = Object.entries(value);
    if (byId(entries.map(([key]) => key)))
      return { [ANY]: mergeAll(entries.map(([, one]) => skeletonOf(one, '', false))) };
    return Object.fromEntries(entries.map(([key, one]) => [key, skeletonOf(one, key, keepValues)]));
  }
  return keepValues && !VOLATILE.test(name) ? (value as Skeleton) : `<${typeOf(value)}>`;
}

const mergeAll = (all: readonly Skeleton[]): Skeleton => all.reduce((a, b) => merge(a, b));

const typesIn = (value: Skeleton): string[] =>
  typeof value === 'string' && /^<[a-z|]+>$/.test(value) ? value.slice(1, -1).split('|') : [typeOf(value)];

/** Fields that only some of the elements have end with `?`. */
function merge(a: Skeleton, b: Skeleton): Skeleton {
  if (Array.isArray(a) && Array.isArray(b)) return a.length && b.length ? [merge(a[0]!, b[0]!)] : a.length ? a : b;
  if (isPlain(a) && isPlain(b)) return mergeObjects(a as Plain, b as Plain);
  if (isPlain(a) || Array.isArray(a)) return a;
  if (isPlain(b) || Array.isArray(b)) return b;
  return `<${[...new Set([...typesIn(a), ...typesIn(b)])].sort().join('|')}>`;
}

const bare = (name: string): string => (name.endsWith('?') ? name.slice(0, -1) : name);
const has = (object: Plain, name: string): boolean => name in object || `${name}?` in object;
const get = (object: Plain, name: string): Skeleton => (name in object ? object[name]! : object[`${name}?`]!);

function mergeObjects(a: Plain, b: Plain): Plain {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)].map(bare))];
  return Object.fromEntries(
    names.map((name) => {
      if (!has(a, name)) return [`${name}?`, get(b, name)];
      if (!has(b, name)) return [`${name}?`, get(a, name)];
      return [name in a && name in b ? name : `${name}?`, merge(get(a, name), get(b, name))];
    }),
  );
}

/** The differences of two forms, in words: `path: difference`. */
export function differences(theirs: Skeleton, ours: Skeleton, path = ''): string[] {
  // Null may stand for any type, and an empty list for any list: that is a matter of the data.
  if (theirs === '<null>' || ours === '<null>') return [];
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    return theirs.length && ours.length ? differences(theirs[0]!, ours[0]!, `${path}[]`) : [];
  }
  if (isPlain(theirs) && isPlain(ours)) return objectDifferences(theirs as Plain, ours as Plain, path);
  return scalarDifference(theirs, ours, path);
}

function objectDifferences(theirs: Plain, ours: Plain, path: string): string[] {
  // An empty object may be of either kind.
  if (Object.keys(theirs).length === 0 || Object.keys(ours).length === 0) {
    if (ANY in theirs || ANY in ours) return [];
  }
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const found: string[] = [];
  for (const name of Object.keys(theirs)) {
    if (has(ours, bare(name))) found.push(...differences(theirs[name]!, get(ours, bare(name)), at(bare(name))));
    else if (!name.endsWith('?')) found.push(`${at(name)}: not here`);
  }
  for (const name of Object.keys(ours)) {
    if (!has(theirs, bare(name)) && !name.endsWith('?')) found.push(`${at(name)}: only here`);
  }
  return found;
}

function scalarDifference(theirs: Skeleton, ours: Skeleton, path: string): string[] {
  const isType = (value: Skeleton): boolean => typeof value === 'string' && /^<[a-z|]+>$/.test(value);
  if (isPlain(theirs) || isPlain(ours) || Array.isArray(theirs) || Array.isArray(ours)) {
    return [`${path}: ${kind(theirs)} there, ${kind(ours)} here`];
  }
  if (!isType(theirs) && !isType(ours)) {
    return theirs === ours ? [] : [`${path}: ${JSON.stringify(theirs)} there, ${JSON.stringify(ours)} here`];
  }
  const [a, b] = [typesIn(theirs), typesIn(ours)];
  const agree = a.some((one) => b.includes(one)) || a.includes('null') || b.includes('null');
  return agree ? [] : [`${path}: ${a.join('|')} there, ${b.join('|')} here`];
}

const kind = (value: Skeleton): string =>
  Array.isArray(value) ? 'list' : isPlain(value) ? 'object' : typesIn(value).join('|');
