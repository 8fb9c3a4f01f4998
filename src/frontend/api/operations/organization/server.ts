/**
 * Operations for server settings and compatibility, which clients ask before they log in (realm.md § GET
 * /server_settings, § Other).
 */

import { SERVER_REALM_ID } from '#directory';
import { versionFieldsOfLevel } from '#domain/levels';
import { escapePlainTextForHtml, renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import { findSubdomainProblemText } from '#domain/people';
import { realmPictureOrDefaultUrl } from '#domain/pictures';
import { mayReadAnyStreamAnonymously } from '#domain/streams';
import { isLoginMethodOn, PASSWORD_LOGIN_METHOD, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { defineOperation, forwardCommand } from '../../operation.js';
import { declarePathTextParameter } from '../../parameters.js';
import { listUsableIdentityProviders, makeProviderIconPath, makeSingleSignOnPath } from '../../providers.js';

const USER_AGENT_HEADER = 'user-agent';

/** Rendered descriptions by their Markdown. Clients ask often; each text is rendered once. */
const descriptionHtmlByMarkdown = new Map<string, string>();
const MAX_CACHED_DESCRIPTIONS = 100;

/** A description that can't be rendered becomes escaped text: this response has no Markdown that clients could show. */
function getOrRenderDescriptionHtml(text: string): string {
  if (text.trim() === '') return '';
  const known = descriptionHtmlByMarkdown.get(text);
  if (known !== undefined) return known;
  if (descriptionHtmlByMarkdown.size >= MAX_CACHED_DESCRIPTIONS) descriptionHtmlByMarkdown.clear();
  const html = renderContextFreeMarkdownOrEmpty(text) || `<p>${escapePlainTextForHtml(text)}</p>`;
  descriptionHtmlByMarkdown.set(text, html);
  return html;
}

export const getServerSettingsOperation = defineOperation({
  id: 'get-server-settings',
  method: 'GET',
  path: '/server_settings',
  guard: 'none',
  unknownHost: 'INVALID_SUBDOMAIN',
  headers: [USER_AGENT_HEADER],
  summary: 'Facts about the server and the organization at this host.',
  parameters: {},
  run(call) {
    const methods = call.directory.settings.authentication_methods;
    const passwords = isLoginMethodOn(methods, PASSWORD_LOGIN_METHOD);
    const providers = listUsableIdentityProviders(call);
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
        ...versionFieldsOfLevel(call.apiLevel),
        push_notifications_enabled: call.pushesToMobileDevices,
        is_incompatible: isIncompatibilityTestAgent(call.header(USER_AGENT_HEADER)),
        email_auth_enabled: passwords,
        require_email_format_usernames: true,
        realm_uri: call.unverifiedBaseUrl,
        realm_name: call.directory.settings.name,
        realm_icon: realmPictureOrDefaultUrl(call.directory, 'icon'),
        realm_description: getOrRenderDescriptionHtml(call.directory.settings.description),
        realm_web_public_access_enabled: mayReadAnyStreamAnonymously(call.webPublicStreams, call.directory),
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

export const checkClientCompatibilityOperation = defineOperation({
  id: 'check-compatibility',
  method: 'GET',
  path: '/compatibility',
  guard: 'none',
  headers: [USER_AGENT_HEADER],
  summary: 'Whether this client is one that can be served, by its User-Agent.',
  parameters: {},
  run(call) {
    const agent = call.header(USER_AGENT_HEADER);
    if (agent === '') throw apiError('USER_AGENT_MISSING');
    if (isIncompatibleUserAgent(agent)) throw apiError('CLIENT_TOO_OLD');
    return { fields: {} };
  },
});

export const checkSubdomainAvailabilityOperation = defineOperation({
  id: 'check-subdomain',
  method: 'GET',
  path: '/realm/subdomain/{subdomain}',
  guard: 'none',
  summary: 'Whether an organization could have this subdomain: msg is available, or why not.',
  parameters: { subdomain: declarePathTextParameter('The name.') },
  async run(call) {
    const { subdomain } = call.params;
    const problem = findSubdomainProblemText(subdomain);
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
const INCOMPATIBILITY_TEST_AGENT_PATTERN = /^(?:Zulip|Conclave)Invalid(?:\/|$)/;

/** First version of the Android app that can show the answers of this API. */
const MIN_ANDROID_APP_VERSION = [16, 2, 96];
const ANDROID_APP_AGENT_PATTERN = /^ZulipMobile\/([0-9.]+) \(Android\b/;

const isIncompatibilityTestAgent = (agent: string): boolean => INCOMPATIBILITY_TEST_AGENT_PATTERN.test(agent);

function isIncompatibleUserAgent(agent: string): boolean {
  if (isIncompatibilityTestAgent(agent)) return true;
  const version = ANDROID_APP_AGENT_PATTERN.exec(agent)?.[1]?.split('.').map(Number);
  if (!version) return false;
  const at = MIN_ANDROID_APP_VERSION.findIndex((part, i) => part !== (version[i] ?? 0));
  return at >= 0 && (version[at] ?? 0) < MIN_ANDROID_APP_VERSION[at]!;
}
