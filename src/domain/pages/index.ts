export { confirmed, confirmForm, notConfirmed } from './confirming.js';
export {
  type FormProblem,
  type JoinPage,
  joined,
  joinForm,
  letterSent,
  noInvitation,
  noSignUp,
  oldLetter,
  signUpForm,
} from './joining.js';
export { Html, html, pageAnswer } from './page.js';
