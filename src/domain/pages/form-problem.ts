/** Reasons why a form was refused, in the form that pages show. */
import { type PageTexts, translatePageRefusal } from '#domain/texts';
import { htmlTemplate, type SafeHtml } from './page.js';

/** Reason why the form was refused, and the HTTP status. */
export interface FormRefusal {
  readonly status: number;
  /** Refusal of the API, in English; null: too many mails were sent. */
  readonly text: string | null;
}

const EMPTY_HTML: SafeHtml = htmlTemplate``;

export function renderFormProblemIfAny(problem: FormRefusal | undefined, texts: PageTexts): SafeHtml {
  if (!problem) return EMPTY_HTML;
  const text = problem.text === null ? texts.tooManyMails : translatePageRefusal(problem.text, texts);
  return htmlTemplate`<p class="problem" role="alert" id="problem"><strong>${texts.formFailed}</strong> ${text}</p>`;
}
