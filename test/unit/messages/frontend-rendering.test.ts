/** A text that a frontend has rendered is used only by actors with the same version of the directory. */
import t from 'tap';
import { MessageRenderer } from '#domain/messages';
import type { DirectoryView } from '#model/records';
import { loadMessageComposeInputs } from '../../../actors/stream/commands/compose.js';

const SENDER = 9;
const ORIGIN = 'https://chat.example.com';

/** A directory in which the sender has a name, and linkifiers and emoji are missing. */
const makeDirectory = (version: number, fullName: string) => {
  const user = { id: SENDER, isActive: true, fullName };
  return {
    version,
    usersVersion: version,
    settings: { inline_image_preview: true, default_code_block_language: '' },
    user: (id: number) => (id === SENDER ? user : undefined),
    users: () => [user],
    groups: () => [],
    linkifiers: () => [],
    customEmoji: () => [],
    streamByName: () => undefined,
    preferencesOf: () => ({ settings: {} }),
  } as unknown as DirectoryView;
};

const renderer = new MessageRenderer('');
t.teardown(() => renderer.close());

/** HTML that the actor stores for a text that a frontend rendered with another directory. */
async function htmlOfActor(content: string, atFrontend: DirectoryView, atActor: DirectoryView) {
  const rendered = renderer.renderInFrontendIfShort(content, atFrontend, ORIGIN, SENDER, false);
  const args = { content, topic: 'one', origin: ORIGIN, ...(rendered && { rendered }) };
  const sources = {
    fetchMessageId: async () => 7,
    loadDirectory: async () => atActor,
    findOpenDirectory: () => atActor,
    services: { renderer },
  };
  const context = { realm: 1, caller: SENDER, key: 'stream/1/5' };
  const inputs = await loadMessageComposeInputs(args, context as never, sources as never);
  return inputs.rendered?.html;
}

const MENTION = 'ask @**Ada|9**';

t.test('with the same version, the HTML of the frontend is stored', async (t) => {
  // Directories of one version have the same content in a cluster; here the names tell the two renderings apart.
  const html = await htmlOfActor(MENTION, makeDirectory(4, 'Ada'), makeDirectory(4, 'Ada Lovelace'));
  t.match(html, '>@Ada<');
});

t.test('with another version, the actor renders with its own directory', async (t) => {
  t.match(await htmlOfActor(MENTION, makeDirectory(3, 'Ada Lovelace'), makeDirectory(4, 'Ada')), '>@Ada<');
  t.notMatch(await htmlOfActor(MENTION, makeDirectory(4, 'Ada'), makeDirectory(5, 'Grace')), '>@Ada<');
});

t.test('long texts are left to the actor', async (t) => {
  const long = `${'word '.repeat(500)}**end**`;
  const directory = makeDirectory(4, 'Ada');
  t.equal(renderer.renderInFrontendIfShort(long, directory, ORIGIN, SENDER, false), undefined);
  t.match(await htmlOfActor(long, directory, directory), '<strong>end</strong>');
});

t.test('a text that cannot be rendered is refused by both', async (t) => {
  // A linkifier that fails is not at hand, so a look-up of names throws.
  const broken = {
    ...makeDirectory(4, 'Ada'),
    users: () => {
      throw new Error('look-up failed');
    },
  } as unknown as DirectoryView;
  t.same(renderer.renderInFrontendIfShort('@**Somebody**', broken, ORIGIN, SENDER, false), {
    directoryVersion: 4,
    result: null,
  });
  t.equal(await htmlOfActor('@**Somebody**', broken, broken), undefined);
});
