import { authorizationName } from '../../contract/field-names.ts';
import {
  keepsPace,
  partsOf,
  type Trail,
  type TrailKey,
  type TrailRequest,
  type TrailStep,
} from '../../contract/trail.ts';
import { quote, word } from './shell-words.ts';

/** The lines that carry out one step. */
export function stepLines(step: TrailStep, trail: Pick<Trail, 'keys' | 'expectation'>): readonly string[] {
  const { keys } = trail;
  switch (step.do) {
    case 'issue key': {
      const key = keys[step.key - 1];
      return key === undefined
        ? []
        : [`issue ${step.key} ${key.plan} ${quote(key.label)} ${quote(JSON.stringify(orderOf(key)))}`];
    }
    case 'revoke key':
      return [`revoke ${step.key}`];
    case 'replace inventory':
      return [`replace_inventory ${quote(`[${step.items.map(itemText).join(',')}]`)}`];
    case 'wait':
      return waitLines(step, keepsPace(trail));
    case 'send':
      return [`at ${(step.at / 1000).toFixed(3)}`, ...step.requests.map(sendLine), `go ${step.connections}`];
  }
}

function waitLines(
  { at, seconds, told, outlasts }: Extract<TrailStep, { readonly do: 'wait' }>,
  isPaced: boolean,
): readonly string[] {
  const end = (at / 1000 + seconds).toFixed(3);
  if (told !== undefined) {
    return [`wait_as_told ${told} ${seconds}`, `set_moment ${end}`];
  }
  if (outlasts !== undefined && !isPaced) {
    return [`wait_as_told ${outlasts} ${seconds} or-longer`, `set_moment ${end}`];
  }
  return [isPaced ? `pause_until ${end}` : `pause ${seconds}`];
}

function orderOf({ plan, perMinute, perDay, usedToday }: TrailKey) {
  return {
    plan,
    ...(plan === 'enterprise' && perMinute !== null && perDay !== null ? { perMinute, perDay } : {}),
    ...(usedToday === 0 ? {} : { usedToday }),
  };
}

function itemText({ petId, quantity, status }: { petId: string; quantity: string; status: string }): string {
  return `{"petId":${petId},"quantity":${quantity},"status":${JSON.stringify(status)}}`;
}

function sendLine({
  operation,
  key,
  times,
  method,
  path,
  body,
  isBase64,
  authorization,
  headers,
}: TrailRequest): string {
  const form = body === null ? 'none' : isBase64 === true ? 'base64' : 'text';
  const fields = [
    ...authorization.map((value) => [`${authorizationName(headers)}: `, ...partsOf(value)]),
    ...headers.map(([name, value]) => [`${name}: `, ...partsOf(value)]),
  ];
  return [
    'send',
    operation ?? 'none',
    key ?? 0,
    times,
    quote(method),
    word(path),
    form,
    quote(body ?? ''),
    ...fields.map(word),
  ].join(' ');
}

/** Whether a request takes a part of a key, so that it needs the functions for that. */
export function takesPieces({ steps }: Trail): boolean {
  return steps.some(
    (step) =>
      step.do === 'send' &&
      step.requests.some(({ path, authorization, headers }) =>
        [path, ...authorization, ...headers.map(([, value]) => value)].some((text) =>
          partsOf(text).some(isPiece),
        ),
      ),
  );
}

function isPiece(part: ReturnType<typeof partsOf>[number]): boolean {
  return (
    typeof part === 'object' &&
    ('base64' in part || part.from !== undefined || part.to !== undefined || part.as !== undefined)
  );
}
