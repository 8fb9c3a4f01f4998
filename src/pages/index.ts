export { confirmed, confirmForm, notConfirmed } from './confirming.js';
export {
  type JoinPage,
  joined,
  joinForm,
  letterSent,
  noInvitation,
  noSignUp,
  oldLetter,
  signUpForm,
  type Typed,
} from './joining.js';
export { Html, html, pageAnswer } from './page.js';
