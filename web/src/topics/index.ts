/**
 * Topics as all views show them: the name with the mark of resolved ones, and the button of the menu. The first view
 * has them; the menu itself and its dialogs are in ../topics-later, a lazy chunk.
 *
 *     <a href={…}><TopicName topic={topic} /></a>   in an element whose parts stand side by side
 *     <TopicMenuButton stream={id} topic={topic} />
 */
export { loadAndOpenTopicMenu, TopicMenuButton } from './menu.js';
export { formatUnseenStreamName, TopicName } from './name.js';
