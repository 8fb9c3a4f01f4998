/** Rendering of messages: the dialect with what the realm's directory knows. */
import { madeOnce } from '#base';
import type { CustomEmoji, MarkdownContext, Rendered } from '#domain/markdown';
import { CannotRender, RenderThreads } from '#domain/markdown';
import { isSystemBot, userSetting } from '#domain/people';
import type { UserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';

/** By lower-case name. Names change rarely: made anew when the directory's users do. */
const usersByName = madeOnce(
  (directory: DirectoryView) => {
    const byName = new Map<string, DirectoryUser[]>();
    for (const user of directory.users()) {
      if (!user.isActive) continue;
      const key = user.fullName.toLowerCase();
      byName.set(key, [...(byName.get(key) ?? []), user]);
    }
    return byName;
  },
  ({ usersVersion }) => usersVersion,
);

const usersNamed = (directory: DirectoryView, name: string): readonly DirectoryUser[] =>
  usersByName(directory).get(name.toLowerCase()) ?? [];

const shown = (user: DirectoryUser) => ({ id: user.id, name: user.fullName });

/**
 * @param origin base URL of the organization: its links are local
 * @param author whose text it is; 0 = the system's
 */
export function renderContext(directory: DirectoryView, origin: string, author = 0): Partial<MarkdownContext> {
  const { settings } = directory;
  const writer = directory.user(author as UserId);
  // Looked up only for texts that ask for one.
  let emoji: Map<string, CustomEmoji> | undefined;
  const customEmoji = (name: string): CustomEmoji | undefined => {
    emoji ??= new Map([...directory.emoji()].filter((of) => !of.deactivated).map((of) => [of.name, of]));
    return emoji.get(name);
  };
  return {
    origin,
    translateEmoticons: writer !== undefined && userSetting(directory, writer, 'translate_emoticons'),
    inlineImages: settings.inline_image_preview,
    defaultCodeLanguage: settings.default_code_block_language ?? '',
    productEmoji: directory.extraEmoji,
    usersNamed: (name) => usersNamed(directory, name).map(shown),
    userById: (id) => {
      const user = directory.user(id as UserId);
      return user?.isActive && !isSystemBot(user) ? shown(user) : undefined;
    },
    groupByName: (name) => {
      for (const group of directory.groups()) if (group.name === name) return { id: group.id, name };
      return undefined;
    },
    linkifiers: directory.linkifiers(),
    customEmoji,
    streamByName: (name) => {
      const stream = directory.streamByName(name);
      return stream?.name === name ? { id: stream.id, name } : undefined;
    },
  };
}

/** Long texts are rendered in threads of their own. */
export class MessageRenderer {
  readonly #threads = new RenderThreads();

  /** @param imageProxySecret '' = readers load pictures of other hosts directly */
  constructor(private readonly imageProxySecret: string) {}

  /** @param author whose text it is; 0 = the system's. null: the text can't be rendered within its limits. */
  async render(text: string, directory: DirectoryView, origin: string, author: number): Promise<Rendered | null> {
    try {
      const context = renderContext(directory, origin, author);
      return await this.#threads.render(text, { ...context, imageProxySecret: this.imageProxySecret });
    } catch (error) {
      if (error instanceof CannotRender) return null;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
