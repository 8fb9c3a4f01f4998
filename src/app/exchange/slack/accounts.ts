/** Accounts of a Slack export: those that it lists, and others that its members and messages name. */
import type { JsonObject } from '#base';
import type { SlackMentionedAccount } from '#domain/integrations';
import { FAKE_EMAIL_DOMAIN, hasEmailAddressForm } from '#domain/people';
import type { CheckedExportRow } from '../format/row.js';
import { toAcceptableFullName } from '../tables/people.js';

const EXPORTED_ROLE_NUMBER = { owner: 100, admin: 200, member: 400, guest: 600 } as const;

/** User id of messages without a sender. */
const NOBODY_SLACK_ID = 'U00';

export interface ConvertedSlackAccount extends SlackMentionedAccount {
  readonly row: JsonObject;
}

/** A sender whom no list has: an app, or a person of a shared channel. The messages say who it is. */
interface UnlistedSlackSender {
  /** Empty if no message has a name. */
  readonly name: string;
  readonly isApp: boolean;
}

export class ConvertedSlackAccounts {
  readonly #accounts: ConvertedSlackAccount[] = [];
  readonly #accountBySlackId = new Map<string, ConvertedSlackAccount>();
  readonly #unlistedSenderBySlackId = new Map<string, UnlistedSlackSender>();
  /** Apps have an id as the user that writes, and one as the bot. */
  readonly #userIdByBotId = new Map<string, string>();
  readonly #takenEmails = new Set<string>();

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
    this.#getOrAdd(slackId, deleted || real === '' ? login : real, {
      delivery_email: this.#reserveUniqueEmailAddress(profile.textOrDefault('email'), login),
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
    const user = message.textOrDefault('user');
    const bot = message.textOrDefault('bot_id');
    const slackId = user || bot;
    if (slackId === '' || slackId === NOBODY_SLACK_ID || this.find(slackId)) return;
    const profile = message.objectOrEmpty('user_profile');
    const person =
      profile.textOrDefault('real_name') || profile.textOrDefault('display_name') || profile.textOrDefault('name');
    const isApp = bot !== '' && person === '';
    if (isApp && user !== '' && !this.#userIdByBotId.has(bot)) this.#userIdByBotId.set(bot, user);
    if (this.#unlistedSenderBySlackId.get(slackId)?.name) return;
    const app = message.textOrDefault('username') || message.objectOrEmpty('bot_profile').textOrDefault('name');
    this.#unlistedSenderBySlackId.set(slackId, { name: isApp ? app : person, isApp });
  }

  /** Adds accounts for the senders that `readUnlistedSender` found. */
  addUnlistedSenders(): void {
    for (const slackId of this.#unlistedSenderBySlackId.keys()) this.getOrAddUser(slackId);
  }

  getOrAddUser(userOrBotId: string): ConvertedSlackAccount {
    const slackId = this.#userIdByBotId.get(userOrBotId) ?? userOrBotId;
    const known = this.#accountBySlackId.get(slackId);
    if (known) return known;
    const { name, isApp } = this.#unlistedSenderBySlackId.get(slackId) ?? { name: '', isApp: false };
    return this.#getOrAdd(slackId, name || slackId, {
      delivery_email: this.#reserveUniqueEmailAddress('', isApp ? `${name || slackId}-bot` : slackId),
      role: EXPORTED_ROLE_NUMBER.member,
      is_active: isApp,
      ...(isApp ? { is_bot: true, bot_type: 1 } : {}),
    });
  }

  getOrAddSender(message: CheckedExportRow): ConvertedSlackAccount | undefined {
    const user = message.textOrDefault('user') || message.objectOrEmpty('file').textOrDefault('user');
    if (user !== '') return user === NOBODY_SLACK_ID ? undefined : this.getOrAddUser(user);
    const bot = message.textOrDefault('bot_id');
    return bot === '' ? undefined : this.getOrAddUser(bot);
  }

  /** Slack's exports have addresses only for owners of some plans; others get one without a mailbox. */
  #reserveUniqueEmailAddress(given: string, login: string): string {
    const local =
      login
        .toLowerCase()
        .replace(/[^a-z0-9_-]+/g, '-')
        .slice(0, 60) || 'user';
    let email = hasEmailAddressForm(given) ? given : `${local}@${FAKE_EMAIL_DOMAIN}`;
    for (let n = 2; this.#takenEmails.has(email.toLowerCase()); n++) email = `${local}-${n}@${FAKE_EMAIL_DOMAIN}`;
    this.#takenEmails.add(email.toLowerCase());
    return email;
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
