import type { Check, Survey, Surveyed, SurveyRecord } from './check.ts';
import type { CheckContext } from './check-context.ts';

type WithoutRun<Kind extends Check> = Omit<Kind, 'run' | 'read' | 'after'>;

/** A check whose `run` returns what it found out. */
export function surveyOf<Result>({
  run,
  ...check
}: WithoutRun<Survey<Result>> & {
  readonly run: (context: CheckContext) => Promise<Result>;
}): Survey<Result> {
  const results = new WeakMap<object, { readonly result: Result }>();
  const survey: Survey<Result> = {
    ...check,
    run: async (context) => {
      const record: SurveyRecord = { survey: check.id };
      results.set(record, { result: await run(context) });
      return record;
    },
    read: (records) => {
      const record = records.get(survey) ?? { unknown: `The check ${check.id} was not carried out.` };
      return 'unknown' in record
        ? record
        : (results.get(record.result) ?? { unknown: `The check ${check.id} found out nothing.` });
    },
  };
  return survey;
}

/** A check whose `run` is handed what another one found out. */
export function checkAfter<Result>({
  after,
  run,
  ...check
}: WithoutRun<Check> & {
  readonly after: Survey<Result>;
  readonly run: (context: CheckContext, surveyed: Surveyed<Result>) => Promise<void>;
}): Check {
  return { ...check, after, run: (context, records) => run(context, after.read(records)) };
}

/** These checks, and before each what it comes after, each once. */
export function withSurveys(checks: readonly Check[]): readonly Check[] {
  const all = new Set<Check>();
  const add = (check: Check): void => {
    if (check.after !== undefined) {
      add(check.after);
    }
    all.add(check);
  };
  checks.forEach(add);
  return [...all];
}
