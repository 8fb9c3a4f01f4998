/**
 * Client names (conventions.md § Client names). Messages store them. The client's name decides whether a sent message
 * counts as read for its sender.
 */

const UNSPECIFIED_CLIENT_NAME = 'Unspecified';
const MAX_CLIENT_NAME_CHARACTERS = 30;

const clientNameByUserAgent = new Map<string, string>();
const MAX_CACHED_USER_AGENTS = 2000;

/** Name of a request's client: the `client` parameter, else the name part of the User-Agent. At most 30 characters. */
export function clientNameOfRequest(parameter: string | undefined, userAgent: string): string {
  if (parameter) return truncateClientName(parameter);
  if (userAgent === '') return UNSPECIFIED_CLIENT_NAME;
  let name = clientNameByUserAgent.get(userAgent);
  if (name === undefined) {
    name = truncateClientName(extractUserAgentProductName(userAgent)) || UNSPECIFIED_CLIENT_NAME;
    // A few agents make nearly all requests; a client with a new agent per request must not fill memory.
    if (clientNameByUserAgent.size >= MAX_CACHED_USER_AGENTS || userAgent.length > 1000) clientNameByUserAgent.clear();
    clientNameByUserAgent.set(userAgent, name);
  }
  return name;
}

function extractUserAgentProductName(agent: string): string {
  const first = /^[^/ ]*/.exec(agent)?.[0].length ?? 0;
  let end = first;
  while (end < agent.length && !/[0-9/(]/.test(agent[end]!)) end++;
  // A version or a comment starts after a slash or a blank: cut the name there, or at the end.
  while (end > first && end < agent.length && agent[end] !== '/' && agent[end] !== ' ') end--;
  return agent.slice(0, end).trim();
}

function truncateClientName(name: string): string {
  if (name.length <= MAX_CLIENT_NAME_CHARACTERS) return name;
  return [...name].slice(0, MAX_CLIENT_NAME_CHARACTERS).join('');
}

const HUMAN_CLIENT_NAMES_IN_LOWER_CASE = new Set([
  'zulipandroid',
  'zulipios',
  'zulipdesktop',
  'zulipmobile',
  'zulipflutter',
  'zulipelectron',
  'zulipterminal',
  'snipe',
  'website',
  'ios',
  'android',
]);

/** True if people use this client: messages sent by it count as read for their sender. */
export function isHumanClientName(name: string): boolean {
  const lower = name.toLowerCase();
  return HUMAN_CLIENT_NAMES_IN_LOWER_CASE.has(lower) || lower.includes('desktop app');
}
