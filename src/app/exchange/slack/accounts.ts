/** Accounts of a Slack export: those that it lists, and others that its members and messages name. */
import type { JsonObject } from '#base';
import type { SlackMentionedAccount } from '#domain/integrations';
import { FAKE_EMAIL_DOMAIN, hasEmailAddressForm, toEmailAddressWithAsciiDomain } from '#domain/people';
import { DistinctNames } from '../format/distinct-names.js';
import type { CheckedExportRow } from '../format/row.js';
import type { AdjustedRowCounts } from '../import/draft.js';
import { toAcceptableFullName } from '../tables/people.js';

const EXPORTED_ROLE_NUMBER = { owner: 100, admin: 200, member: 400, guest: 600 } as const;

/** User id of messages without a sender. */
const NOBODY_SLACK_ID = 'U00';

export interface ConvertedSlackAccount extends SlackMentionedAccount {
  readonly row: JsonObject;
}

/** A sender whom no list has: an app, or a person of a shared channel. The messages say who it is. */
interface UnlistedSlackSender {
  /** Name in messages that the sender wrote as a person; empty if none has one. */
  personName: string;
  /** Name in messages that the sender wrote as an app; empty if none has one. */
  appName: string;
  /** Bot ids of messages with this user id. An app can also write in the name of a person, under the person's id. */
  readonly botIds: Set<string>;
  hasWrittenAsApp: boolean;
  hasWrittenAsPerson: boolean;
}

export class ConvertedSlackAccounts {
  readonly #accounts: ConvertedSlackAccount[] = [];
  readonly #accountBySlackId = new Map<string, ConvertedSlackAccount>();
  readonly #unlistedSenderBySlackId = new Map<string, UnlistedSlackSender>();
  /** Apps have an id as the user that writes, and one as the bot. */
  readonly #userIdByBotId = new Map<string, string>();
  readonly #emails = new DistinctNames((email) => email.toLowerCase());

  constructor(private readonly leftOut: AdjustedRowCounts) {}

  get all(): readonly ConvertedSlackAccount[] {
    return this.#accounts;
  }

  find(slackId: string): ConvertedSlackAccount | undefined {
    return this.#accountBySlackId.get(this.#userIdByBotId.get(slackId) ?? slackId);
  }

  addListedUser(user: CheckedExportRow): void {
    const slackId = user.textOrDefault('id');
    const profile = user.objectOrEmpty('profile');
    const login = user.textOrDefault('name', slackId);
    const deleted = user.booleanOrDefault('deleted');
    const real = user.textOrDefault('real_name', profile.textOrDefault('real_name'));
    const restricted = user.booleanOrDefault('is_restricted') || user.booleanOrDefault('is_ultra_restricted');
    const owner = user.booleanOrDefault('is_owner') || user.booleanOrDefault('is_primary_owner');
    const role = restricted
      ? EXPORTED_ROLE_NUMBER.guest
      : owner
        ? EXPORTED_ROLE_NUMBER.owner
        : user.booleanOrDefault('is_admin')
          ? EXPORTED_ROLE_NUMBER.admin
          : EXPORTED_ROLE_NUMBER.member;
    const givenEmail = profile.textOrDefault('email');
    const email = this.#reserveUniqueEmailAddress(givenEmail, login);
    if (hasEmailAddressForm(givenEmail) && email !== givenEmail)
      this.leftOut.addCount(`address ${givenEmail} of ${login}, which another account has: it gets ${email}`);
    this.#getOrAdd(slackId, deleted || real === '' ? login : real, {
      delivery_email: email,
      role,
      is_active: !deleted,
      is_bot: user.booleanOrDefault('is_bot'),
      bot_type: user.booleanOrDefault('is_bot') ? 1 : null,
      timezone: user.textOrDefault('tz'),
    });
    const bot = profile.textOrDefault('bot_id');
    if (bot !== '') this.#userIdByBotId.set(bot, slackId);
  }

  /** Reads from a message what its sender is, if no list has the sender. */
  readUnlistedSender(message: CheckedExportRow): void {
    const slackId = slackIdOfSender(message);
    if (slackId === NOBODY_SLACK_ID || this.find(slackId)) return;
    const bot = message.textOrDefault('bot_id');
    const profile = message.objectOrEmpty('user_profile');
    const person =
      profile.textOrDefault('real_name') || profile.textOrDefault('display_name') || profile.textOrDefault('name');
    const app = message.textOrDefault('username') || message.objectOrEmpty('bot_profile').textOrDefault('name');
    const sender = this.#getOrAddUnlistedSender(slackId);
    sender.personName ||= person;
    sender.appName ||= app;
    if (person !== '') sender.hasWrittenAsPerson = true;
    else if (bot !== '') {
      sender.hasWrittenAsApp = true;
      if (bot !== slackId) sender.botIds.add(bot);
    }
    // A message with a subtype is no proof of a person: apps also join channels and set topics without a bot id.
    else if (!message.hasNonNullField('subtype')) sender.hasWrittenAsPerson = true;
  }

  #getOrAddUnlistedSender(slackId: string): UnlistedSlackSender {
    let sender = this.#unlistedSenderBySlackId.get(slackId);
    if (!sender) {
      const hasWritten = { hasWrittenAsApp: false, hasWrittenAsPerson: false };
      sender = { personName: '', appName: '', botIds: new Set(), ...hasWritten };
      this.#unlistedSenderBySlackId.set(slackId, sender);
    }
    return sender;
  }

  /** Adds accounts for the senders that `readUnlistedSender` found. */
  addUnlistedSenders(): void {
    this.#findUsersOfUnlistedBots();
    for (const slackId of this.#unlistedSenderBySlackId.keys()) this.getOrAddUser(slackId);
  }

  /** Maps each bot id to the user id of its app: the only user that wrote as this bot and never as a person. */
  #findUsersOfUnlistedBots(): void {
    const usersByBotId = new Map<string, string[]>();
    for (const [user, sender] of this.#unlistedSenderBySlackId) {
      if (!isApp(sender)) continue;
      for (const bot of sender.botIds) usersByBotId.set(bot, [...(usersByBotId.get(bot) ?? []), user]);
    }
    for (const [bot, [user, ...others]] of usersByBotId) {
      if (user === undefined || others.length > 0 || this.#userIdByBotId.has(bot)) continue;
      this.#userIdByBotId.set(bot, user);
      this.#getOrAddUnlistedSender(user).appName ||= this.#unlistedSenderBySlackId.get(bot)?.appName ?? '';
    }
  }

  getOrAddUser(userOrBotId: string): ConvertedSlackAccount {
    const slackId = this.#userIdByBotId.get(userOrBotId) ?? userOrBotId;
    const known = this.#accountBySlackId.get(slackId);
    if (known) return known;
    const sender = this.#unlistedSenderBySlackId.get(slackId);
    const isBot = sender !== undefined && isApp(sender);
    const name = (isBot ? sender.appName : sender?.personName) || slackId;
    return this.#getOrAdd(slackId, name, {
      delivery_email: this.#reserveUniqueEmailAddress('', isBot ? `${name}-bot` : slackId),
      role: EXPORTED_ROLE_NUMBER.member,
      is_active: isBot,
      ...(isBot ? { is_bot: true, bot_type: 1 } : {}),
    });
  }

  getOrAddSender(message: CheckedExportRow): ConvertedSlackAccount | undefined {
    const slackId = slackIdOfSender(message);
    return slackId === NOBODY_SLACK_ID ? undefined : this.getOrAddUser(slackId);
  }

  /** Slack's exports have addresses only for owners of some plans; others get one without a mailbox. */
  #reserveUniqueEmailAddress(given: string, login: string): string {
    const local =
      login
        .toLowerCase()
        .replace(/[^a-z0-9_-]+/g, '-')
        .slice(0, 60) || 'user';
    const ascii = toEmailAddressWithAsciiDomain(given);
    const email = hasEmailAddressForm(ascii) ? ascii : `${local}@${FAKE_EMAIL_DOMAIN}`;
    return this.#emails.take(email, (n) => `${local}-${n}@${FAKE_EMAIL_DOMAIN}`);
  }

  #getOrAdd(
    slackId: string,
    givenName: string,
    fields: JsonObject & { readonly delivery_email: string },
  ): ConvertedSlackAccount {
    const known = this.#accountBySlackId.get(slackId);
    if (known) return known;
    const id = this.#accounts.length + 1;
    // Mentions must have the name that the account will have.
    const name = toAcceptableFullName(givenName, fields.delivery_email, id);
    const row = { id, full_name: name, email: fields.delivery_email, avatar_source: 'G', ...fields };
    const account = { id, name, row };
    this.#accounts.push(account);
    this.#accountBySlackId.set(slackId, account);
    return account;
  }
}

const isApp = ({ hasWrittenAsApp, hasWrittenAsPerson }: UnlistedSlackSender): boolean =>
  hasWrittenAsApp && !hasWrittenAsPerson;

/** Returns the id of the user or bot that wrote a message. A file's owner comes last: others may write about a file. */
const slackIdOfSender = (message: CheckedExportRow): string =>
  message.textOrDefault('user') ||
  message.objectOrEmpty('comment').textOrDefault('user') ||
  message.textOrDefault('bot_id') ||
  message.objectOrEmpty('file').textOrDefault('user') ||
  NOBODY_SLACK_ID;
