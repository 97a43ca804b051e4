import { header, isOmitted, type RequestMessage } from '../exchange.ts';
import type { HistoryMonitor } from '../history-monitor.ts';
import { describeUnanswered } from './describe-demand.ts';

interface DocumentedPath {
  readonly path: RegExp;
  readonly right: string;
}

const LIST: DocumentedPath = { path: /^\/inventory$/, right: 'GET' };
const UPDATE: DocumentedPath = { path: /^\/inventory\/[1-9]\d*$/, right: 'PATCH' };
const PET: DocumentedPath = { path: /^\/pets\/[1-9]\d*$/, right: 'GET' };
const ORDERS: DocumentedPath = { path: /^\/store\/orders$/, right: 'GET' };

/** Methods that are wrong on a path, and that a server of the wider store API hardly has there. */
const WRONG: Readonly<Partial<Record<string, readonly DocumentedPath[]>>> = {
  GET: [UPDATE],
  POST: [LIST, UPDATE, PET],
  PUT: [ORDERS],
  DELETE: [LIST],
};

/** What a documented path answers to a method that it does not have (RFC 9110, section 15.5.6). */
export const wrongMethodsMonitor: HistoryMonitor = {
  id: 'wrong-methods',
  title: 'A wrong method is answered 405 with an Allow that names the right one',
  judges: ['method-not-allowed'],
  open: (context, report) => (event) => {
    if (event.type === 'request-unanswered') {
      if (event.credential.kind === 'valid' && rightMethod(event.request) !== undefined) {
        report.judge('method-not-allowed', false, () => describeUnanswered(event));
      }
      return;
    }
    const sent = event.type === 'response-received' ? context.requestOf(event.id) : undefined;
    if (event.type !== 'response-received' || sent?.credential.kind !== 'valid') {
      return;
    }
    const { method, path } = sent.request;
    const right = rightMethod(sent.request);
    const { exchange } = event;
    const { status } = exchange.response;
    // That a key is refused comes first.
    if (right === undefined || [401, 403, 429].includes(status)) {
      return;
    }
    const allow = header(exchange, 'Allow');
    const allowed = new Set((allow ?? '').split(',').map((name) => name.trim()));
    report.judge(
      'method-not-allowed',
      status === 405 &&
        (isOmitted(exchange.response, 'Allow') || (allowed.has(right) && !allowed.has(method))),
      () =>
        `${method} ${path} was answered ${status}${status === 405 ? ` ${describe(allow, right, method)}` : ', not 405'}.`,
      exchange,
    );
  },
};

function rightMethod({ method, path }: Pick<RequestMessage, 'method' | 'path'>): string | undefined {
  return WRONG[method]?.find((row) => row.path.test(path))?.right;
}

function describe(allow: string | undefined, right: string, wrong: string): string {
  return allow === undefined
    ? 'without Allow'
    : `with "Allow: ${allow}", which should name ${right} and not ${wrong}`;
}
