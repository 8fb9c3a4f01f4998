export { confirmed, confirmForm, notConfirmed } from './confirming.js';
export { type JoinPage, joined, joinForm, noInvitation, type Typed } from './joining.js';
export { Html, html, pageAnswer } from './page.js';
