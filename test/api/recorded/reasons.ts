/** Why answers may differ from the recorded ones. Everything else is a fault, here or of the recording. */
import type { Entry } from './entry.js';

interface Reason {
  readonly why: string;
  /** Operations; absent: all. */
  readonly op?: readonly string[];
  /** Numbers in the recording; absent: all. */
  readonly n?: readonly number[];
  /** Absent: whatever differs. */
  readonly difference?: RegExp;
}

/** Differences that the seed decides, by their numbers in api/README.md § Seed and peer differ. */
const DECIDED: readonly Reason[] = [
  {
    why: '1: no code without Authorization header',
    difference: /^there 401 UNAUTHORIZED Not logged in.*, here 401 undefined Not logged in/,
  },
  {
    why: '1: no code for drafts that do not exist',
    difference: /^there 404 BAD_REQUEST Draft does not exist, here 404 undefined Draft does not exist$/,
  },
  { why: '1: no code for deactivating the only owner', n: [1193] },
  { why: '2: the address that the API shows names an account, too', n: [31] },
  { why: '7a: of oneself neither is told', n: [1129], difference: /^bot_(type|owner_id): not here$/ },
  { why: '7: both null for humans', difference: /^user\.bot_(type|owner_id): only here$/ },
  {
    why: '10: without queue_id a queue is made',
    op: ['get-events'],
    difference: /^(the call waits here|there 400 BAD_REQUEST Missing 'queue_id' argument, here 200)/,
  },
  {
    why: '10a: last_event_id is optional',
    op: ['get-events'],
    difference: /Missing 'last_event_id' argument, here 200/,
  },
  { why: '10b: queue_id is always in the answer', op: ['get-events'], difference: /^queue_id: only here$/ },
  { why: '13: all successes name ignored parameters', difference: /^ignored_parameters_unsupported: only here$/ },
  {
    why: '14: all members of client_capabilities are optional',
    op: ['register-queue'],
    difference: /notification_settings_null/,
  },
  { why: '17: CHOICE is sent beside SELECT', difference: /^custom_profile_field_types\.(CHOICE|SELECT|USER)/ },
  {
    why: 'a fault of the peer, which must be a clear refusal here',
    difference: /^there 500 undefined Internal server error, here 400 BAD_REQUEST /,
  },
  { why: 'the peer translates refusals; here they are English', n: [75] },
];

const MORE_DECIDED: readonly Reason[] = [
  {
    why: '5: STREAM_DOES_NOT_EXIST for a stream to be left',
    op: ['unsubscribe'],
    difference: /^there 400 BAD_REQUEST Stream\(s\) .* do not exist, here 400 STREAM_DOES_NOT_EXIST /,
  },
  {
    why: '9: is_mirror_dummy is always in the user of a reaction',
    difference: /reactions\[\]\.user\.is_mirror_dummy: only here$/,
  },
  {
    why: 'markdown.md § Previews: images are shown as they are, not by thumbnails',
    op: ['render-message'],
    difference: /\/thumbnail\?url=/,
  },
  {
    why: 'a path that does not exist is answered in JSON',
    difference: /^(there 404 undefined undefined, here 404|fields _non_json there)/,
  },
];

const OTHER_DATA: readonly Reason[] = [
  {
    why: 'other methods of authentication are configured',
    difference: /^(authentication_methods|external_authentication_methods)/,
    op: ['get-server-settings'],
  },
  {
    why: 'another icon, name and description',
    difference: /^realm_(icon|name|description)/,
    op: ['get-server-settings'],
  },
  { why: 'the host names an organization of its own here, or none', n: [3, 4, 47, 48] },
  { why: 'there is no /json here', n: [69, 165] },
  {
    why: 'user 37 belongs to another organization there, and fills a gap of ids here',
    n: [243, 1108, 1118, 1128, 1138],
  },
  {
    why: 'other messages were there before, so windows end elsewhere',
    n: [431, 438, 500, 542, 572, 714],
    difference: /^found_(oldest|newest): /,
  },
  { why: 'everybody had been here before, long ago', n: [1203, 1204, 1205, 1210, 1211, 1212, 1217, 1218, 1219] },
  { why: 'who has never been active counts as active since the account was made, a moment ago here', n: [1234] },
  { why: 'and so is the custom emoji green_tick', n: [1240] },
  {
    why: 'the regular expression engine words its complaint in its own way',
    difference: /^there 400 BAD_REQUEST Bad regular expression: .*, here 400 BAD_REQUEST Bad regular expression: /,
  },
  {
    why: 'the server is configured otherwise',
    difference:
      /^(realm_authentication_methods|realm_bot_domain|realm_available_video_chat_providers|development_environment|upgrade_text_for_wide_organization_logo|password_min_\w+|server_needs_upgrade)\b/,
  },
  {
    why: 'web-public streams are not switched on here',
    difference:
      /^(realm_web_public_access_enabled|server_web_public_streams_enabled|can_create_web_public_streams): true there, false here$/,
  },
  {
    why: 'the organization was set up otherwise',
    difference:
      /^(realm_enable_spectator_access|realm_invite_required|realm_org_type|((realm_user_settings_defaults|user_settings)\.)?(enter_sends|email_address_visibility)): /,
  },
  { why: 'was not so before, as the organization was set up otherwise', n: [1472, 1503], difference: /only here$/ },
  { why: 'methods of authentication are configured on the server', n: [1519] },
  { why: 'event ids of the recording are not those here, so they acknowledge something else', n: [172, 173, 174] },
  {
    why: 'highlighting is done by another library, with other class names (docs/dependencies.md)',
    op: ['render-message'],
    difference: /^rendered: "<div class=\\?"codehilite/,
  },
];

const OTHER_IDS: readonly Reason[] = [
  { why: 'the custom emoji green_tick is not there', n: [326, 659] },
  { why: 'ids of groups in HTML', n: [339, 340] },
  { why: 'the address of the server is another', n: [401] },
  { why: 'attachments and uploads have other ids and paths', n: [1669] },
  { why: 'uploads have other paths', op: ['get-file-temporary-url'] },
  { why: 'links of invitations have other addresses', difference: /^(invite_link|invites\[\]\.link_url): / },
  { why: 'streams made by calls that are refused here shift the ids of streams', n: [1053, 1098] },
];

const OTHERWISE: readonly Reason[] = [
  { why: 'web-public streams are not switched on here', n: [938, 939, 963, 1049] },
  { why: 'owners and administrators may create accounts here from the start', n: [1141, 1142] },
  { why: 'the server has no list of domains of throw-away addresses', n: [1150] },
  { why: 'the deactivated account has another address', n: [1197] },
  { why: 'no provider of video calls is configured here', n: [1563] },
];

const REASONS = [...DECIDED, ...MORE_DECIDED, ...OTHER_DATA, ...OTHER_IDS, ...OTHERWISE];
const used = new Set<Reason>();

export function reasonFor({ n, op }: Entry, difference: string): string | undefined {
  const found = REASONS.find(
    (one) =>
      (one.op === undefined || one.op.includes(op ?? '')) &&
      (one.n === undefined || one.n.includes(n)) &&
      (one.difference === undefined || one.difference.test(difference)),
  );
  if (found) used.add(found);
  return found?.why;
}

/** Why, of what nothing needed. */
export const unusedReasons = (): string[] => REASONS.filter((one) => !used.has(one)).map((one) => one.why);
