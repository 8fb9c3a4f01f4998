/** Reasons why a form was refused, in the form that pages show. */
import { htmlTemplate, type SafeHtml } from './page.js';

/** Reason why the form was refused, and the HTTP status. */
export interface FormRefusal {
  readonly status: number;
  readonly text: string;
}

const EMPTY_HTML: SafeHtml = htmlTemplate``;

export const renderFormProblemIfAny = (problem: FormRefusal | undefined): SafeHtml =>
  problem
    ? htmlTemplate`<p class="problem" role="alert" id="problem"><strong>That did not work:</strong> ${problem.text}</p>`
    : EMPTY_HTML;
