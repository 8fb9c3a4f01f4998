/** fetch_event_types `realm_bot`: own bots, or all of them for administrators (register.md). */
import type { JsonObject } from '#base';
import { isAdmin, presentBot, unsealed } from '#domain/people';
import type { SnapshotInputs } from './inputs.js';

export function botsSection({ user, directory, unseal, unreadable }: SnapshotInputs): JsonObject {
  const all = isAdmin(user);
  const realm_bots: JsonObject[] = [];
  for (const bot of directory.bots()) {
    const account = directory.user(bot.user);
    if (!account || (!all && account.botOwner !== user.id)) continue;
    realm_bots.push(
      unsealed(
        presentBot(account, bot, (id) => directory.stream(id)?.name),
        (sealed) => {
          const text = unseal(sealed);
          if (text === undefined) unreadable.add(bot);
          return text;
        },
      ),
    );
  }
  return { realm_bots };
}
