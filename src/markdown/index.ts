export { CannotRender, type Rendered, renderMarkdown } from './render.js';
