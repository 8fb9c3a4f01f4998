/** The public npm package, unmodified. */
import { onBothFaces, source } from './support/chat.js';
import { npmPackage } from './support/install.js';

const folder = await npmPackage('zulip-js', '2.1.0');
if (folder) {
  await onBothFaces([
    { fact: 'two clients talk to each other', words: [process.execPath, source('zulip-js-chat.mjs'), folder] },
    { fact: 'every call of the package works', words: [process.execPath, source('zulip-js-day.mjs'), folder] },
  ]);
}
