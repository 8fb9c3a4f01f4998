/** Reason why a form was refused, as pages show it. */
import { type Html, html } from './page.js';

/** Reason why the form was refused, and the HTTP status. */
export interface FormProblem {
  readonly status: number;
  readonly text: string;
}

const NOTHING: Html = html``;

export const formProblemText = (problem: FormProblem | undefined): Html =>
  problem
    ? html`<p class="problem" role="alert" id="problem"><strong>That did not work:</strong> ${problem.text}</p>`
    : NOTHING;
