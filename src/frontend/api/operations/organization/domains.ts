/** Operations of the API for the domains to which e-mail addresses of accounts are restricted (realm.md § Domains). */
import { Type } from 'typebox';
import { checkEmailDomainName, formatEmailDomainForApi } from '#domain/people';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter, declareTextParameter } from '../../parameters.js';

const subdomains = {
  allow_subdomains: {
    in: 'form',
    encoding: 'json',
    schema: Type.Boolean(),
    required: true,
    description: 'Domains below it, too.',
  },
} as const;

const which = { domain: declarePathTextParameter('The domain.') } as const;

const getDomainsOperation = defineOperation({
  id: 'get-realm-domains',
  method: 'GET',
  path: '/realm/domains',
  guard: 'user',
  summary: 'Domains whose addresses accounts may have.',
  parameters: {},
  run: ({ directory }) => ({ fields: { domains: directory.emailDomains().map(formatEmailDomainForApi) } }),
});

const addDomainOperation = defineOperation({
  id: 'add-realm-domain',
  method: 'POST',
  path: '/realm/domains',
  guard: 'owner',
  summary: 'Allow addresses of a domain.',
  parameters: { domain: declareTextParameter('form', 'The domain.'), ...subdomains },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.addDomain,
      args: { domain: checkEmailDomainName(params.domain), allow_subdomains: params.allow_subdomains },
    }),
});

const changeDomainOperation = defineOperation({
  id: 'update-realm-domain',
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  guard: 'owner',
  summary: 'Change whether domains below it are meant, too.',
  parameters: { ...which, ...subdomains },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.changeDomain, args: { ...params } }),
});

const removeDomainOperation = defineOperation({
  id: 'remove-realm-domain',
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  guard: 'owner',
  summary: 'Allow addresses of a domain no longer.',
  parameters: which,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removeDomain, args: { ...params } }),
});

export const EMAIL_DOMAIN_OPERATIONS = [
  getDomainsOperation,
  addDomainOperation,
  changeDomainOperation,
  removeDomainOperation,
] as const;
