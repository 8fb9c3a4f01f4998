/** Renders messages: Markdown with the users, streams, emoji and linkifiers of the realm's directory. */
import { memoizeByObject } from '#base';
import {
  type CompleteMarkdownContext,
  completeMarkdownContext,
  type MarkdownContext,
  type MarkdownCustomEmoji,
  MarkdownRenderError,
  MarkdownRenderer,
} from '#domain/markdown';
import { isSystemBot, readUserSetting } from '#domain/people';
import type { MarkdownRenderResult, TextRenderedByFrontend, UserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { activeUsersNamed } from './active-users-by-name.js';

const toMarkdownUser = (user: DirectoryUser) => ({ id: user.id, name: user.fullName });

/** Maximum number of contexts kept for a directory: they differ by origin and by settings of authors. */
const MAX_CONTEXTS_PER_DIRECTORY = 32;

/** True if the author's emoticons become emoji. */
function translatesEmoticons(directory: DirectoryView, author: number): boolean {
  const writer = directory.user(author as UserId);
  return writer !== undefined && readUserSetting(directory, writer, 'translate_emoticons');
}

/**
 * The rendering context of a text.
 * @param origin base URL of the organization: links below it are local
 * @param author the author of the text; 0 = the system
 */
export function makeMarkdownRenderContext(
  directory: DirectoryView,
  origin: string,
  author = 0,
): Partial<MarkdownContext> {
  const { settings } = directory;
  // The map of custom emoji is built only if the text has one.
  let emoji: Map<string, MarkdownCustomEmoji> | undefined;
  const customEmoji = (name: string): MarkdownCustomEmoji | undefined => {
    emoji ??= new Map([...directory.customEmoji()].filter((of) => !of.deactivated).map((of) => [of.name, of]));
    return emoji.get(name);
  };
  return {
    origin,
    translateEmoticons: translatesEmoticons(directory, author),
    inlineImages: settings.inline_image_preview,
    defaultCodeLanguage: settings.default_code_block_language ?? '',
    productEmoji: directory.productEmoji,
    usersNamed: (name) => activeUsersNamed(directory, name).map(toMarkdownUser),
    userById: (id) => {
      const user = directory.user(id as UserId);
      return user?.isActive && !isSystemBot(user) ? toMarkdownUser(user) : undefined;
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

/** Renders message texts; long ones in worker threads. */
export class MessageRenderer {
  readonly #contextsOfDirectory = memoizeByObject(
    (_directory: DirectoryView) => new Map<string, CompleteMarkdownContext>(),
    ({ version }) => version,
  );

  /**
   * Makes a renderer of messages.
   *
   * @param imageProxySecret key that signs addresses of the image proxy; '' = no proxy: readers load pictures of other
   * hosts directly
   */
  constructor(
    private readonly imageProxySecret: string,
    private readonly renderer = new MarkdownRenderer(),
  ) {}

  /**
   * Renders a message text; null if it can't be rendered within the limits.
   *
   * @param author the author of the text; 0 = the system
   * @param newerMentions true if the author's client knows `@**channel**` and `@**topic**`
   */
  async renderOrNull(
    text: string,
    directory: DirectoryView,
    origin: string,
    author: number,
    newerMentions = false,
  ): Promise<MarkdownRenderResult | null> {
    try {
      const context = this.#makeContext(directory, origin, author, newerMentions);
      // A bot counts as its owner: an owner may have any number of bots.
      const person = directory.user(author as UserId)?.botOwner ?? author;
      return await this.renderer.renderInlineOrOnThread(text, context, `${directory.realm} ${person}`);
    } catch (error) {
      if (error instanceof MarkdownRenderError) return null;
      throw error;
    }
  }

  /**
   * Renders a message text in a frontend, whose cores are easier to multiply than those of the conversation's actor.
   * Synchronous, so that messages of a sender keep their order. Parameters: see renderOrNull.
   * @returns undefined for a long text, which the actor renders in a thread
   */
  renderInFrontendIfShort(
    text: string,
    directory: DirectoryView,
    origin: string,
    author: number,
    newerMentions: boolean,
  ): TextRenderedByFrontend | undefined {
    const directoryVersion = directory.version;
    try {
      const context = this.#makeContext(directory, origin, author, newerMentions);
      const result = this.renderer.renderIfShort(text, context);
      return result && { directoryVersion, result };
    } catch (error) {
      if (error instanceof MarkdownRenderError) return { directoryVersion, result: null };
      throw error;
    }
  }

  /** Finds or makes the context of a text. They last as long as a version of the directory. */
  #makeContext(
    directory: DirectoryView,
    origin: string,
    author: number,
    newerMentions: boolean,
  ): CompleteMarkdownContext {
    const known = this.#contextsOfDirectory(directory);
    const key = `${newerMentions ? 'n' : ''}${translatesEmoticons(directory, author) ? 'e' : ''} ${origin}`;
    let context = known.get(key);
    if (!context) {
      const made = makeMarkdownRenderContext(directory, origin, author);
      context = completeMarkdownContext({ ...made, imageProxySecret: this.imageProxySecret, newerMentions });
      // Origins come from requests, so their number is bounded.
      if (known.size >= MAX_CONTEXTS_PER_DIRECTORY) known.clear();
      known.set(key, context);
    }
    return context;
  }

  close(): Promise<void> {
    return this.renderer.close();
  }
}
