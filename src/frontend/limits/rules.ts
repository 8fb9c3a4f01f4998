/** Parser of rate rules, in the configuration and for single accounts: `60:200,3600:5000` (seconds:calls). */

/** A rate limit: at most `calls` calls within `windowMs` milliseconds. */
export interface RateLimitRule {
  readonly windowMs: number;
  readonly calls: number;
}

/** A list of rules that must all hold for a call; an empty list means no limit. */
export type RateLimitRules = readonly RateLimitRule[];

const MAX_WINDOW_SECONDS = 31 * 86_400;
const MAX_CALLS_PER_WINDOW = 1_000_000_000;
const MAX_RULES_PER_LIST = 8;
const RULES_FORMAT_HINT = 'must be seconds:calls, several separated by commas, or off';

/** Parses rules such as `60:200,3600:5000` (seconds:calls), or `off`. @throws Error with the reason */
export function parseRateLimitRules(text: string): RateLimitRules {
  if (text === 'off') return [];
  const rules = text.split(',').map((one): RateLimitRule => {
    const [, seconds, calls] = /^\s*(\d{1,12}):(\d{1,12})\s*$/.exec(one) ?? [];
    if (seconds === undefined || calls === undefined) throw new Error(RULES_FORMAT_HINT);
    const rule = { windowMs: Number(seconds) * 1000, calls: Number(calls) };
    if (rule.windowMs < 1000 || rule.windowMs > MAX_WINDOW_SECONDS * 1000) {
      throw new Error(`seconds must be from 1 to ${MAX_WINDOW_SECONDS}`);
    }
    if (rule.calls < 1 || rule.calls > MAX_CALLS_PER_WINDOW)
      throw new Error(`calls must be from 1 to ${MAX_CALLS_PER_WINDOW}`);
    return rule;
  });
  if (rules.length > MAX_RULES_PER_LIST) throw new Error(`must be at most ${MAX_RULES_PER_LIST} rules`);
  return rules;
}

const MAX_CACHED_RULE_TEXTS = 10_000;
const rulesByText = new Map<string, RateLimitRules>();

/**
 * Parses the rules of an account that has its own. They were checked when stored; unreadable rules mean no limit rather
 * than a lock-out.
 */
export function parseAccountRateRulesOrUnlimited(text: string): RateLimitRules {
  const known = rulesByText.get(text);
  if (known) return known;
  let rules: RateLimitRules = [];
  try {
    rules = parseRateLimitRules(text);
  } catch {
    // Unreadable rules mean no limit.
  }
  if (rulesByText.size >= MAX_CACHED_RULE_TEXTS) rulesByText.clear();
  rulesByText.set(text, rules);
  return rules;
}
