/** A user has a limited number of saved snippets, because every registration has all of them. */
import t from 'tap';
import type { Json } from '#base';
import { listSavedSnippets, MAX_SAVED_SNIPPETS_PER_USER } from '#domain/messages';
import {
  createSavedSnippetHandler,
  deleteSavedSnippetHandler,
} from '../../../actors/user/commands/later/saved-snippets.js';

t.test('one more than the maximum is refused, until another one is deleted', async (t) => {
  const parts = new Map<string, Json>();
  let state = {};
  const keep = (changes: Readonly<Record<string, Json>>): void => {
    for (const [name, value] of Object.entries(changes))
      if (value === null) parts.delete(name);
      else parts.set(name, value);
  };
  const context = { caller: 7, now: 0 } as never;
  const create = (): void => {
    const args = { title: 'a', content: 'b' };
    const outcome = createSavedSnippetHandler.handle({ state, parts } as never, args, undefined as never, context);
    state = { ...outcome.state };
    keep(outcome.parts as Record<string, Json>);
  };
  for (let i = 0; i < MAX_SAVED_SNIPPETS_PER_USER; i++) create();
  const refusal = { message: 'saved_snippets has too many items (limit: 1000)' };
  t.throws(create, refusal);
  const [first, ...others] = listSavedSnippets(parts);
  t.equal(others.length, MAX_SAVED_SNIPPETS_PER_USER - 1);
  const { parts: changes } = deleteSavedSnippetHandler.handle(
    { state, parts } as never,
    { id: first!.id },
    undefined as never,
    context,
  );
  keep(changes as Record<string, Json>);
  create();
  t.throws(create, refusal);
});
