/**
 * Operations for server settings and compatibility, which clients ask before they log in (realm.md § GET
 * /server_settings, § Other).
 */

import { SERVER_VERSION_FIELDS } from '#base';
import { SERVER_REALM_ID } from '#directory';
import { renderMarkdownOrEmpty } from '#domain/markdown';
import { findSubdomainProblem } from '#domain/people';
import { realmPictureOrDefaultUrl } from '#domain/pictures';
import { isAnonymousAccessEnabled } from '#domain/streams';
import { isLoginMethodOn, PASSWORD_LOGIN_METHOD, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter } from '../../parameters.js';
import { listIdentityProviders, makeProviderIconPath, makeSingleSignOnPath } from '../../providers.js';

const AGENT = 'user-agent';

/** Rendered descriptions by their Markdown. Clients ask often; each text is rendered once. */
const rendered = new Map<string, string>();
const MAX_RENDERED = 100;

function renderedDescription(text: string): string {
  if (text === '') return '';
  const known = rendered.get(text);
  if (known !== undefined) return known;
  if (rendered.size >= MAX_RENDERED) rendered.clear();
  const html = renderMarkdownOrEmpty(text);
  rendered.set(text, html);
  return html;
}

export const getServerSettingsOperation = defineOperation({
  id: 'get-server-settings',
  method: 'GET',
  path: '/server_settings',
  guard: 'none',
  unknownHost: 'INVALID_SUBDOMAIN',
  headers: [AGENT],
  summary: 'Facts about the server and the organization at this host.',
  parameters: {},
  run(call) {
    const methods = call.directory.settings.authentication_methods;
    const passwords = isLoginMethodOn(methods, PASSWORD_LOGIN_METHOD);
    const providers = listIdentityProviders(call);
    return {
      fields: {
        authentication_methods: {
          password: passwords,
          dev: false,
          email: passwords,
          ldap: false,
          remoteuser: false,
          github: false,
          azuread: false,
          gitlab: false,
          google: false,
          apple: false,
          saml: false,
          'openid connect': providers.length > 0,
        },
        ...SERVER_VERSION_FIELDS,
        push_notifications_enabled: call.pushesToDevices,
        is_incompatible: isMarkedIncompatible(call.header(AGENT)),
        email_auth_enabled: passwords,
        require_email_format_usernames: true,
        realm_uri: call.origin,
        realm_name: call.directory.settings.name,
        realm_icon: realmPictureOrDefaultUrl(call.directory, 'icon'),
        realm_description: renderedDescription(call.directory.settings.description),
        realm_web_public_access_enabled: isAnonymousAccessEnabled(call.webPublicStreams, call.directory),
        external_authentication_methods: providers.map((provider) => ({
          name: `oidc:${provider.id}`,
          display_name: provider.name,
          display_icon: makeProviderIconPath(provider),
          login_url: makeSingleSignOnPath(provider.id),
          signup_url: makeSingleSignOnPath(provider.id),
        })),
      },
    };
  },
});

export const checkCompatibilityOperation = defineOperation({
  id: 'check-compatibility',
  method: 'GET',
  path: '/compatibility',
  guard: 'none',
  headers: [AGENT],
  summary: 'Whether this client is one that can be served, by its User-Agent.',
  parameters: {},
  run(call) {
    const agent = call.header(AGENT);
    if (agent === '') throw apiError('USER_AGENT_MISSING');
    if (isTooOld(agent)) throw apiError('CLIENT_TOO_OLD');
    return { fields: {} };
  },
});

export const checkSubdomainOperation = defineOperation({
  id: 'check-subdomain',
  method: 'GET',
  path: '/realm/subdomain/{subdomain}',
  guard: 'none',
  summary: 'Whether an organization could have this subdomain: msg is available, or why not.',
  parameters: { subdomain: declarePathTextParameter('The name.') },
  async run(call) {
    const { subdomain } = call.params;
    const problem = findSubdomainProblem(subdomain);
    if (problem !== undefined) return { fields: { msg: problem } };
    const { taken } = await call.send(
      forwardCommand({
        to: realmActorKey(SERVER_REALM_ID),
        command: realmActorCommands.subdomainTaken,
        args: { subdomain },
      }),
    );
    return { fields: { msg: taken ? 'This subdomain is taken.' : 'available' } };
  },
});

/** Matches the User-Agent with which clients test how they handle a refusal as incompatible. */
const MARKED_INCOMPATIBLE = /^(?:Zulip|Conclave)Invalid(?:\/|$)/;

/** First version of the Android app that can show the answers of this API. */
const FIRST_ANDROID_VERSION = [16, 2, 96];
const ANDROID_AGENT = /^ZulipMobile\/([0-9.]+) \(Android\b/;

const isMarkedIncompatible = (agent: string): boolean => MARKED_INCOMPATIBLE.test(agent);

function isTooOld(agent: string): boolean {
  if (isMarkedIncompatible(agent)) return true;
  const version = ANDROID_AGENT.exec(agent)?.[1]?.split('.').map(Number);
  if (!version) return false;
  const at = FIRST_ANDROID_VERSION.findIndex((part, i) => part !== (version[i] ?? 0));
  return at >= 0 && (version[at] ?? 0) < FIRST_ANDROID_VERSION[at]!;
}
