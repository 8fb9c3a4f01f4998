/** Handlers of /realm/domains (realm.md § Domains): the domains of e-mail addresses that may join the organization. */

import { successReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { isOwner, presentDomain } from '#domain/people';
import { type LogItem, realmSettingEvent } from '#model';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryDomain } from '#model/records';
import { directoryLogItem, everyoneEventItem } from '../../log-items.js';
import { type ActorParts, DOMAINS_PART, domainRecords, encodeRecord } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';

function checkOwner(parts: ActorParts, caller: number): void {
  if (!isOwner(requireActingUser(parts, caller))) throw apiError('OWNER_REQUIRED');
}

function storeList(list: readonly DirectoryDomain[], version: number, event: JsonObject) {
  const events: LogItem[] = [
    directoryLogItem({ domains: list }),
    everyoneEventItem(version, { type: 'realm_domains', ...event }),
  ];
  return { parts: { [DOMAINS_PART]: encodeRecord(list) }, events };
}

/** Finds the entry of an e-mail domain, ignoring case. @throws ApiError */
function findDomain(list: readonly DirectoryDomain[], domain: string): DirectoryDomain {
  const found = list.find((one) => one.domain === domain.toLowerCase());
  if (!found) throw apiError('NO_SUCH_DOMAIN', { domain });
  return found;
}

export const addEmailDomainHandler: RealmCommand<typeof realmCommands.addDomain> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { domain, allow_subdomains: allowSubdomains }, _inputs, { caller, version }) {
    checkOwner(parts, caller);
    const list = domainRecords(parts);
    if (list.some((one) => one.domain === domain)) throw apiError('DOMAIN_EXISTS', { domain });
    const added = { id: state.nextDomain, domain, allowSubdomains };
    return {
      ...storeList([...list, added], version, { op: 'add', realm_domain: presentDomain(added) }),
      reply: successReply({ new_domain: [added.id, domain] }, version),
      state: { ...state, nextDomain: added.id + 1 },
    };
  },
};

export const updateEmailDomainHandler: RealmCommand<typeof realmCommands.changeDomain> = {
  lane: SETTINGS_LANE,
  handle({ parts }, { domain, allow_subdomains: allowSubdomains }, _inputs, { caller, version }) {
    checkOwner(parts, caller);
    const list = domainRecords(parts);
    const before = findDomain(list, domain);
    const after = { ...before, allowSubdomains };
    const next = list.map((one) => (one === before ? after : one));
    return {
      ...storeList(next, version, { op: 'change', realm_domain: presentDomain(after) }),
      reply: successReply(undefined, version),
    };
  },
};

export const removeEmailDomainHandler: RealmCommand<typeof realmCommands.removeDomain> = {
  lane: SETTINGS_LANE,
  handle({ state, parts }, { domain }, _inputs, { caller, version }) {
    checkOwner(parts, caller);
    const list = domainRecords(parts);
    const gone = findDomain(list, domain);
    const next = list.filter((one) => one !== gone);
    const { parts: written, events } = storeList(next, version, { op: 'remove', domain: gone.domain });
    const reply = successReply(undefined, version);
    // Removing the last domain also ends the restriction to listed domains, which would otherwise lock out all
    // newcomers.
    if (next.length > 0 || !state.settings.emails_restricted_to_domains) {
      return { parts: written, events, reply };
    }
    const unrestricted = { emails_restricted_to_domains: false };
    return {
      parts: written,
      reply,
      state: { ...state, settings: { ...state.settings, ...unrestricted } },
      events: [
        ...events,
        directoryLogItem({ settings: unrestricted }),
        everyoneEventItem(version, realmSettingEvent('emails_restricted_to_domains', false)),
      ],
    };
  },
};
