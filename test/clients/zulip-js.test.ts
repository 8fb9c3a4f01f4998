/** The public npm package, unmodified. */
import { chatOnBothFaces, source } from './support/chat.js';
import { npmPackage } from './support/install.js';

const folder = await npmPackage('zulip-js', '2.1.0');
if (folder) await chatOnBothFaces([process.execPath, source('zulip-js-chat.mjs'), folder]);
