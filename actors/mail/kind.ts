/**
 * The mail actor of an organization: keeps outgoing mails until they are sent. Its own actor, so that a mail server that
 * is slow or away keeps nobody waiting: whoever sends a mail is through when it is stored here.
 */

import { value } from '#actors/shared';
import type { Json } from '#base';
import { type Fate, pauseAfter, withLinks } from '#domain/mail';
import { type ArgsOf, type Command, mailCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { type ActorKind, type CommandDefinition, handlersOf } from '#runtime';
import { mailMachine } from './machine.js';
import { type Kept, keptIn, MAIL_PART, type MailState, nextTry, waiting } from './state.js';

type MailCommand<C extends Command<'mail'>, I = undefined> = CommandDefinition<MailState, ArgsOf<C>, I, undefined>;

/** Tried at a time; the others follow at once. */
const BATCH = 40;

/** From other actors (actors/shared/mail.ts): never refuses. */
const send: MailCommand<typeof mailCommands.send> = {
  creates: true,
  handle({ state }, { to, subject, text }, _inputs, { now }) {
    const last = state.last + 1;
    const mail: Kept = { to, subject, text, date: now, tries: 0, next: now };
    return {
      reply: value(null),
      state: { ...state, last },
      parts: { [`${MAIL_PART}${last}`]: mail },
      // None can be earlier and not be due with it.
      due: now,
    };
  },
};

/**
 * In a lane of its own, since the mail server takes its time. Exclusive: what one run has sent, the next must not find.
 * After a crash between the sending and the commit a mail is sent again, under the same id.
 */
const due: MailCommand<typeof mailCommands.due, ReadonlyMap<string, Fate>> = {
  lane: 'sending',
  exclusive: true,
  async needs(_args, { realm, view }, { services }) {
    const now = services.clock.now();
    const batch = keptIn(view.parts)
      .filter(([, mail]) => mail.next <= now)
      .slice(0, BATCH);
    const open = (text: string): string => withLinks(services.secrets, text);
    const fates = await services.mail.send(batch.map(([part, mail]) => waiting(realm, part, mail, open)));
    return new Map(batch.map(([part], i) => [part, fates[i]!]));
  },
  handle({ parts }, _args, fates, { now }) {
    const written: Record<string, Json> = {};
    const left: Kept[] = [];
    for (const [part, mail] of keptIn(parts)) {
      const fate = fates.get(part);
      if (fate === 'done') written[part] = null;
      else if (fate === 'later') {
        const tries = mail.tries + 1;
        const kept: Kept = { ...mail, tries, next: now + pauseAfter(tries) };
        written[part] = kept;
        left.push(kept);
      } else left.push(mail);
    }
    return { reply: value(null), parts: written, due: nextTry(left) };
  },
};

export const mailKind: ActorKind<MailState> = {
  name: 'mail',
  machine: mailMachine,
  directory: false,
  loads: [MAIL_PART],
  partsWait: true,
  commands: handlersOf(mailCommands, { send, due }),
  initial: () => ({ phase: 'active', last: 0 }),
  volatile: () => undefined,
  missing: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
  refuse: () => ({ error: apiError('NO_SUCH_USER').toReply() }),
};
