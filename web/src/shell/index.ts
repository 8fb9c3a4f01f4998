/** The frame of the client: layout, routes, status line and keyboard map. The entry renders `App`. */
export { App } from './app.js';
