export { confirmed, confirmForm, notConfirmed } from './confirming.js';
export {
  expiredLink,
  type FormProblem,
  invitationGone,
  invitationNeeded,
  type JoinPage,
  joined,
  joinForm,
  signUpForm,
  signUpMailSent,
} from './joining.js';
export { Html, html, pageAnswer } from './page.js';
