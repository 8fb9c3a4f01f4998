/**
 * Facts of the API suite that do not hold at the newest API level: by family, and by the change that they contradict
 * (its level, docs/api/levels.md). All other facts of the suite hold at both levels (newest-level.test.ts).
 */

/** `all`: the family chooses the level of its callers itself, or is about the web client, which speaks level 184. */
export type FactsByChange = 'all' | Readonly<Record<number, readonly string[]>>;

export const BASE_LEVEL_FACTS: Readonly<Record<string, FactsByChange>> = {
  'API levels': 'all',
  'narrows of newer levels': 'all',
  'mentions of newer levels': 'all',
  'requests of newer levels': 'all',
  'requests of newer levels by every role': 'all',
  'operations of newer levels': 'all',
  'the mobile app': 'all',
  'permission groups of newer levels': 'all',
  'one account at two levels': 'all',
  'saved snippets': 'all',
  'followed topics': 'all',
  "the web client's sessions": 'all',
  "ends of the web client's sessions": 'all',
  'push notifications of browsers': 'all',
  'forgotten passwords': 'all',
  // Most of its refusals have no code at level 184, and its facts build on each other.
  visiting: 'all',
  // 184: the level itself. 277: a code for each refusal.
  authentication: { 277: ['a call without credentials gets 401 without code, and the scheme to use'] },
  'the frontend': { 277: ['a method that a path does not have is 405 with Allow, before authentication'] },
  people: { 184: ['the server settings describe the organization of the host, without credentials'] },
  registering: { 184: ['versions and the queue are always in the answer, alone if nothing is asked for'] },
  'registering again': {
    330: ['kinds of clients and roles side by side', 'changed and acknowledged data is in the new state'],
  },
  audiences: { 205: ['events of streams and subscriptions go to users who may see the stream'] },
  deactivating: {
    222: [
      'a deactivated account is refused everywhere, and all users get the event',
      'users deactivate themselves, except the last owner and the last user',
      'an address that its owner hides stays hidden when the account is reactivated',
    ],
    277: ['each refusal, in order'],
  },
  'deactivated bots': {
    222: ['bots are deactivated before their owner, and stay so when the owner is reactivated'],
    277: ['DELETE /users/{user_id} does not take a bot, but a bot may call it'],
  },
  'deactivating bots': { 222: ["all users get the event of the account, the bot's managers that of the bot"] },
  'deactivated organizations': { 222: ['the command line changes roles, billing and activity of accounts'] },
  'refusals of sending': {
    248: ['type, content, to and topic are checked in this order'],
    334: ['topics must be printable and not blank'],
  },
  fetching: {
    271: [
      'GET /messages: a narrow of the wrong shape is refused',
      'POST /messages/flags/narrow: a narrow of the wrong shape is refused',
      'a narrow that names a missing user or stream is refused',
    ],
  },
  editing: { 334: ['an edit is refused in this order'] },
  reactions: {
    277: [
      'the extra emoji has two names and is one emoji',
      'concurrent reactions all take effect, and none counts twice',
    ],
  },
  'refusals of reactions': { 277: ['the message must be one that the caller may read'] },
  submessages: {
    277: [
      'users add submessages, one after the other',
      'a submessage is checked for its message first, then for its author, then for its data',
    ],
  },
  'read receipts': { 277: ['the message must be one that the caller may read'] },
  marking: { 334: ['mark_topic_as_read ignores case; without a topic it marks the whole stream'] },
  subscribing: { 277: ['a subscription has the requested colour, or the next free one of the palette'] },
  'changing streams': {
    330: ['default streams are listed, published to all but guests, and always public'],
    333: ['each change is published to users who see the stream, with a notice in it'],
  },
  'settings of subscriptions': { 277: ['each property is set and published, also when nothing changes'] },
  'default stream groups': {
    330: [
      'a group of default streams is made, changed and removed; each time all but guests get the list',
      'only administrators manage groups of default streams',
      'a private stream in a group is hidden from users who may not see it',
      'snapshot and events agree through any change of the groups and their streams',
    ],
  },
  drafts: { 277: ['unknown drafts, and those of other users, do not exist for the caller'] },
  'organization settings': {
    243: ['one login method exists, and cannot be disabled'],
    277: ['administrators change most settings, owners all, other roles none'],
    291: ['a setting is stored, echoed and published to all users, once'],
  },
  'new organizations': {
    330: ['a new organization has two streams, one for all and one for administrators; the owner is in both'],
  },
  'user groups': {
    277: ['system groups follow from roles and form a chain'],
    // The second goes on with the group of the first.
    290: ['a new group is published to all users', 'name and description change; unchanged ones are not published'],
  },
  'uploaded files': {
    277: [
      'an upload has exactly one file, in any field',
      'a user deletes own files by number; any other number is an invalid attachment',
    ],
  },
  'files on the web': {
    277: [
      'a file linked by a message of a web-public stream is shown to anonymous visitors',
      'visitors get avatars by user id, and by no address',
    ],
  },
  'custom emoji': { 277: ['all users but guests may add emoji; a policy may say which roles'] },
  avatars: { 277: ['where avatar changes are disabled, administrators may still change theirs'] },
  'organization pictures': {
    277: ['icon', 'logo', 'night_logo'].flatMap((picture) => [
      `${picture}: the default is shown until a picture is uploaded`,
      `${picture}: other roles are refused`,
    ]),
  },
  'addresses of avatars': {
    277: ['GET /avatar without an account is refused where the organization has no public access'],
  },
  // The state lists topics in the order of their names, and the empty topic has another name for these clients.
  'snapshot and events': {
    334: [
      'registrations in the middle of many actions',
      'registrations in the middle of joining, leaving and changing',
      'registrations in the middle of sending and reading',
    ],
  },
  'user topics': {
    277: ['refusals of POST /user_topics', 'refusals of PATCH /users/me/subscriptions/muted_topics'],
  },
  typing: {
    215: ['typing in a direct conversation is published to all participants, the sender too'],
    277: ['typing is refused in this order'],
  },
  'status of users': {
    277: ['status emoji are named as in reactions: by name, custom ones, the extra one under both names'],
  },
  'scheduled messages': { 334: ['scheduling is refused in this order', 'edits are refused in this order'] },
};
