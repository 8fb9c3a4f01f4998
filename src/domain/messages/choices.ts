/** Look-ups over what everybody chose for himself: who is alerted by a text, who has muted a sender. */
import { madeOnce } from '#base';
import { AlertWords } from '#domain/markdown';
import type { UserId } from '#model';
import type { DirectoryView } from '#model/records';

interface Choices {
  readonly words: AlertWords;
  /** Lower-case word → those who want to know of it. */
  readonly byWord: ReadonlyMap<string, readonly UserId[]>;
  /** Sender → those who muted him. */
  readonly muters: ReadonlyMap<number, readonly UserId[]>;
}

function lookUps(directory: DirectoryView): Choices {
  const byWord = new Map<string, UserId[]>();
  const muters = new Map<number, UserId[]>();
  const add = <K>(to: Map<K, UserId[]>, key: K, user: UserId): void => {
    const list = to.get(key);
    if (list) list.push(user);
    else to.set(key, [user]);
  };
  for (const { user, alertWords, muted } of directory.alertsAndMutes()) {
    for (const word of alertWords) add(byWord, word.toLowerCase(), user);
    for (const { id } of muted) add(muters, id, user);
  }
  return { words: new AlertWords(byWord.keys()), byWord, muters };
}

/** Choices change rarely: made anew when they do. */
const choicesOf = madeOnce(lookUps, ({ preferencesVersion }) => preferencesVersion);

/** Users with an alert word in the text, each once. */
export function alertedBy(directory: DirectoryView, text: string): Iterable<UserId> {
  const { words, byWord } = choicesOf(directory);
  const users = new Set<UserId>();
  for (const word of words.find(text)) for (const user of byWord.get(word) ?? []) users.add(user);
  return users;
}

/** Users who have muted the sender. */
export const mutersOf = (directory: DirectoryView, sender: number): readonly UserId[] =>
  choicesOf(directory).muters.get(sender) ?? [];
