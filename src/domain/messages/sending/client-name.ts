/**
 * Client names (conventions.md § Client names). Messages store them. The client's name decides whether a sent message
 * counts as read for its sender.
 */

const UNSPECIFIED = 'Unspecified';
const MAX_LENGTH = 30;

const known = new Map<string, string>();
const MAX_KNOWN = 2000;

/** Name of a request's client: the `client` parameter, else the name part of the User-Agent. At most 30 characters. */
export function clientNameOfRequest(parameter: string | undefined, userAgent: string): string {
  if (parameter) return cut(parameter);
  if (userAgent === '') return UNSPECIFIED;
  let name = known.get(userAgent);
  if (name === undefined) {
    name = cut(agentName(userAgent)) || UNSPECIFIED;
    // A few agents make nearly all requests; a client with a new agent per request must not fill memory.
    if (known.size >= MAX_KNOWN || userAgent.length > 1000) known.clear();
    known.set(userAgent, name);
  }
  return name;
}

function agentName(agent: string): string {
  const first = /^[^/ ]*/.exec(agent)?.[0].length ?? 0;
  let end = first;
  while (end < agent.length && !/[0-9/(]/.test(agent[end]!)) end++;
  // A version or a comment starts after a slash or a blank: cut the name there, or at the end.
  while (end > first && end < agent.length && agent[end] !== '/' && agent[end] !== ' ') end--;
  return agent.slice(0, end).trim();
}

function cut(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  return [...name].slice(0, MAX_LENGTH).join('');
}

const HUMAN = new Set([
  'zulipandroid',
  'zulipios',
  'zulipdesktop',
  'zulipmobile',
  'zulipelectron',
  'zulipterminal',
  'snipe',
  'website',
  'ios',
  'android',
]);

/** True if people use this client: messages sent by it count as read for their sender. */
export function isHumanClient(name: string): boolean {
  const lower = name.toLowerCase();
  return HUMAN.has(lower) || lower.includes('desktop app');
}
