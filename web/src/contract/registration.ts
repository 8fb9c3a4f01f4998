/**
 * The first two requests of a page, the check of the session and the registration, with the facts that decide whether
 * the page registers. They are here instead of in the core, because the early script sends them while the core is being
 * loaded (web/src/early.ts).
 */

/** Path of the check of the session (GET). */
export const SESSION_CHECK_PATH = '/web/session';

/** Answer of the check: the server lets this browser read as a user, or as a visitor without an account. */
export interface SessionCheck {
  readonly signed_in: boolean;
  /** Account of the session; 0 without one. */
  readonly user_id: number;
  readonly public_access: boolean;
}

/**
 * Cookie that the client sets while there is a session, because scripts can't read the session's own cookie. With it
 * the page registers without checking the session first; the session may have ended elsewhere since. Its name ends with
 * the port, as that of the session cookie, since browsers send a cookie to all ports of a host.
 * @param port of the page's address; '' for the default port
 * @returns name and value, as they are in `document.cookie`
 */
export const formatSessionHint = (port: string): string => `conclave_known${port === '' ? '' : `_${port}`}=1`;

/** The server takes a session cookie only together with this header, which no other site can send. */
export const CSRF_HEADERS: Readonly<Record<string, string>> = { 'X-Conclave-Web': '1' };

/**
 * Header with the id of the account that a request is meant for. The server refuses the request if the session is
 * another account's by now.
 */
export const USER_ID_HEADER = 'X-Conclave-User';

const CLIENT_CAPABILITIES = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
};

/** Parts of the state that the client uses, by their events; `subscription` has all visible streams. */
const FETCHED_EVENT_TYPES =
  'alert_words custom_profile_fields default_streams drafts message muted_users presence realm realm_bot realm_domains realm_emoji realm_linkifiers realm_playgrounds realm_user realm_user_groups realm_user_settings_defaults recent_private_conversations scheduled_messages starred_messages subscription update_message_flags user_settings user_status user_topic';

/**
 * Web lock of the tab that polls for all tabs of this browser. The early script looks at it: while another tab leads,
 * the page gets the state from that tab and does not register.
 */
export const LEADER_LOCK_NAME = 'conclave/leader';

/**
 * Parameters of the registration. `client_gravatar` stays at its default, true for accounts and false for visitors: the
 * page asks no other host for pictures, and their addresses were half of the answer's compressed bytes.
 */
export const REGISTRATION_PARAMS = {
  apply_markdown: true,
  slim_presence: true,
  include_subscribers: false,
  client_capabilities: CLIENT_CAPABILITIES,
  fetch_event_types: FETCHED_EVENT_TYPES.split(' '),
};
