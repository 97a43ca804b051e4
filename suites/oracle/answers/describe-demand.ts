import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Exchange } from '../exchange.ts';
import type { UnansweredRequest } from '../history.ts';
import type { Demand } from './permitted-answers.ts';

const CIRCUMSTANCES: Partial<Record<RequirementId, string>> = {
  'update-missing-quantity': 'with a body that has no quantity',
  'update-invalid-quantity': 'with a quantity that is no integer',
  'update-malformed-body': 'with a body that is no JSON object',
  'update-unknown-pet': 'of a pet that is not in the store',
  'missing-key': 'without a key',
  'unknown-key': 'with an unknown key',
  'altered-key': 'with an altered key',
  'revoked-key': 'with a revoked key',
  'bearer-scheme': 'with a key that is not presented as Bearer',
  'every-operation-authenticates': 'without a valid key',
  'authentication-first': 'with an invalid key and other faults',
  'list-succeeds': 'with a valid key',
  'update-succeeds': 'with a valid key',
};

// Characters that a sentence bears.
const LONGEST_BODY = 60;

const SINCE: Readonly<Record<UnansweredRequest['since'], string>> = {
  'others answered': 'Other requests were answered meanwhile.',
  'nothing answered': 'From then on the target answered nothing; it seems to have died of this request.',
  'nothing answered to several':
    'From then on the target answered nothing; this is one of the requests that were under way when it ended.',
};

export function describeUnanswered({ words, since }: UnansweredRequest): string {
  return `${words} ${SINCE[since]}`;
}

/** One sentence on an answer that a demand does not permit. */
export function describeDemand({ requirement, wanted }: Demand, { request, response }: Exchange): string {
  const ofKey = CIRCUMSTANCES[requirement];
  const { body } = request;
  const circumstances =
    requirement === 'update-succeeds' && typeof body === 'string'
      ? `${ofKey} and the body ${cut(body)}`
      : ofKey;
  const what = `${request.method} ${request.path}${circumstances === undefined ? '' : ` ${circumstances}`}`;
  return `${what} was answered ${response.status}, not ${wanted}.`;
}

function cut(text: string): string {
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text;
}
