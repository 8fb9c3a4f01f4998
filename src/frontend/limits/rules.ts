/** How often something may be done, as configured and as written for one account: `60:200,3600:5000`. */

/** So many calls within so many milliseconds. */
export interface Rule {
  readonly windowMs: number;
  readonly calls: number;
}

/** No rules: no limit. */
export type Rules = readonly Rule[];

const LONGEST_SECONDS = 31 * 86_400;
const MOST_CALLS = 1_000_000_000;
const MOST_RULES = 8;
const FORM = 'must be seconds:calls, several separated by commas, or off';

/** @throws Error with the reason */
export function parseRules(text: string): Rules {
  if (text === 'off') return [];
  const rules = text.split(',').map((one): Rule => {
    const [, seconds, calls] = /^\s*(\d{1,12}):(\d{1,12})\s*$/.exec(one) ?? [];
    if (seconds === undefined || calls === undefined) throw new Error(FORM);
    const rule = { windowMs: Number(seconds) * 1000, calls: Number(calls) };
    if (rule.windowMs < 1000 || rule.windowMs > LONGEST_SECONDS * 1000) {
      throw new Error(`seconds must be from 1 to ${LONGEST_SECONDS}`);
    }
    if (rule.calls < 1 || rule.calls > MOST_CALLS) throw new Error(`calls must be from 1 to ${MOST_CALLS}`);
    return rule;
  });
  if (rules.length > MOST_RULES) throw new Error(`must be at most ${MOST_RULES} rules`);
  return rules;
}

const MOST_REMEMBERED = 10_000;
const parsed = new Map<string, Rules>();

/** Of an account: what is stored was checked; something else would rather not limit than lock out. */
export function rulesOf(text: string): Rules {
  const known = parsed.get(text);
  if (known) return known;
  let rules: Rules = [];
  try {
    rules = parseRules(text);
  } catch {
    // As said above.
  }
  if (parsed.size >= MOST_REMEMBERED) parsed.clear();
  parsed.set(text, rules);
  return rules;
}
