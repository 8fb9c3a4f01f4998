/** What clients ask before they log in (realm.md § GET /server_settings). */
import { realmPicture } from '../../pictures/index.js';
import { hasPublicAccess } from '../../streams/index.js';
import { VERSION_FIELDS } from '../../version.js';
import { operation } from '../operation.js';

export const getServerSettings = operation({
  id: 'get-server-settings',
  method: 'GET',
  path: '/server_settings',
  guard: 'none',
  unknownHost: 'INVALID_SUBDOMAIN',
  summary: 'Facts about the server and the organization at this host.',
  parameters: {},
  run: ({ directory, origin, webPublicStreams }) => ({
    fields: {
      authentication_methods: {
        password: true,
        dev: false,
        email: true,
        ldap: false,
        remoteuser: false,
        github: false,
        azuread: false,
        gitlab: false,
        google: false,
        apple: false,
        saml: false,
        'openid connect': false,
      },
      ...VERSION_FIELDS,
      push_notifications_enabled: false,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      realm_uri: origin,
      realm_name: String(directory.settings.name ?? ''),
      realm_icon: realmPicture(directory, 'icon'),
      realm_description: String(directory.settings.description ?? ''),
      realm_web_public_access_enabled: hasPublicAccess(webPublicStreams, directory),
      external_authentication_methods: [],
    },
  }),
});
