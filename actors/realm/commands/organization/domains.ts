/** Handlers of /realm/domains (realm.md § Domains): the domains of e-mail addresses that may join the organization. */

import { makeSuccessReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { formatEmailDomainForApi, isOwner } from '#domain/people';
import { type LogItem, makeRealmSettingEvent } from '#model';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryEmailDomain } from '#model/records';
import { makeDirectoryLogItem, makeEveryoneEventLogItem } from '../../log-items.js';
import {
  type ActorParts,
  EMAIL_DOMAINS_PART_NAME,
  encodeDirectoryRecord,
  readEmailDomainRecords,
} from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';

function checkCallerIsOwner(parts: ActorParts, caller: number): void {
  if (!isOwner(getActingUserOrThrow(parts, caller))) throw apiError('OWNER_REQUIRED');
}

function makeStoreEmailDomainsCommit(list: readonly DirectoryEmailDomain[], version: number, event: JsonObject) {
  const events: LogItem[] = [
    makeDirectoryLogItem({ domains: list }),
    makeEveryoneEventLogItem(version, { type: 'realm_domains', ...event }),
  ];
  return { parts: { [EMAIL_DOMAINS_PART_NAME]: encodeDirectoryRecord(list) }, events };
}

/** Finds the entry of an e-mail domain, ignoring case. @throws ApiError */
function getEmailDomainOrThrow(list: readonly DirectoryEmailDomain[], domain: string): DirectoryEmailDomain {
  const found = list.find((one) => one.domain === domain.toLowerCase());
  if (!found) throw apiError('NO_SUCH_DOMAIN', { domain });
  return found;
}

export const addEmailDomainHandler: RealmCommandHandler<typeof realmActorCommands.addDomain> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { domain, allow_subdomains: allowSubdomains }, _inputs, { caller, version }) {
    checkCallerIsOwner(parts, caller);
    const list = readEmailDomainRecords(parts);
    if (list.some((one) => one.domain === domain)) throw apiError('DOMAIN_EXISTS', { domain });
    const added = { id: state.nextDomain, domain, allowSubdomains };
    return {
      ...makeStoreEmailDomainsCommit([...list, added], version, {
        op: 'add',
        realm_domain: formatEmailDomainForApi(added),
      }),
      reply: makeSuccessReply({ new_domain: [added.id, domain] }, version),
      state: { ...state, nextDomain: added.id + 1 },
    };
  },
};

export const updateEmailDomainHandler: RealmCommandHandler<typeof realmActorCommands.changeDomain> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { domain, allow_subdomains: allowSubdomains }, _inputs, { caller, version }) {
    checkCallerIsOwner(parts, caller);
    const list = readEmailDomainRecords(parts);
    const before = getEmailDomainOrThrow(list, domain);
    const after = { ...before, allowSubdomains };
    const next = list.map((one) => (one === before ? after : one));
    return {
      ...makeStoreEmailDomainsCommit(next, version, { op: 'change', realm_domain: formatEmailDomainForApi(after) }),
      reply: makeSuccessReply(undefined, version),
    };
  },
};

export const removeEmailDomainHandler: RealmCommandHandler<typeof realmActorCommands.removeDomain> = {
  lane: NO_INPUT_COMMAND_LANE,
  handle({ state, parts }, { domain }, _inputs, { caller, version }) {
    checkCallerIsOwner(parts, caller);
    const list = readEmailDomainRecords(parts);
    const gone = getEmailDomainOrThrow(list, domain);
    const next = list.filter((one) => one !== gone);
    const { parts: written, events } = makeStoreEmailDomainsCommit(next, version, {
      op: 'remove',
      domain: gone.domain,
    });
    const reply = makeSuccessReply(undefined, version);
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
        makeDirectoryLogItem({ settings: unrestricted }),
        makeEveryoneEventLogItem(version, makeRealmSettingEvent('emails_restricted_to_domains', false)),
      ],
    };
  },
};
