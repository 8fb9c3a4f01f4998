/** Operations of the API for the domains to which e-mail addresses of accounts are restricted (realm.md § Domains). */
import { Type } from 'typebox';
import { formatEmailDomainForApi, toCheckedEmailDomain } from '#domain/people';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter, declareRequiredTextParameter } from '../../parameters.js';

const allowSubdomainsParameter = {
  allow_subdomains: {
    in: 'form',
    encoding: 'json',
    schema: Type.Boolean(),
    required: true,
    description: 'Domains below it, too.',
  },
} as const;

const domainPathParameter = { domain: declarePathTextParameter('The domain.') } as const;

const getEmailDomainsOperation = defineOperation({
  id: 'get-realm-domains',
  method: 'GET',
  path: '/realm/domains',
  guard: 'user',
  summary: 'Domains whose addresses accounts may have.',
  parameters: {},
  run: ({ directory }) => ({ fields: { domains: directory.emailDomains().map(formatEmailDomainForApi) } }),
});

const allowEmailDomainOperation = defineOperation({
  id: 'add-realm-domain',
  method: 'POST',
  path: '/realm/domains',
  guard: 'owner',
  summary: 'Allow addresses of a domain.',
  parameters: { domain: declareRequiredTextParameter('form', 'The domain.'), ...allowSubdomainsParameter },
  run: ({ params, realm }) =>
    forwardCommand({
      to: realmActorKey(realm),
      command: realmActorCommands.addDomain,
      args: { domain: toCheckedEmailDomain(params.domain), allow_subdomains: params.allow_subdomains },
    }),
});

const changeEmailDomainSubdomainsOperation = defineOperation({
  id: 'update-realm-domain',
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  guard: 'owner',
  summary: 'Change whether domains below it are meant, too.',
  parameters: { ...domainPathParameter, ...allowSubdomainsParameter },
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.changeDomain, args: { ...params } }),
});

const disallowEmailDomainOperation = defineOperation({
  id: 'remove-realm-domain',
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  guard: 'owner',
  summary: 'Allow addresses of a domain no longer.',
  parameters: domainPathParameter,
  run: ({ params, realm }) =>
    forwardCommand({ to: realmActorKey(realm), command: realmActorCommands.removeDomain, args: { ...params } }),
});

export const EMAIL_DOMAIN_OPERATIONS = [
  getEmailDomainsOperation,
  allowEmailDomainOperation,
  changeEmailDomainSubdomainsOperation,
  disallowEmailDomainOperation,
] as const;
