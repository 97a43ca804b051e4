import { existsSync, readFileSync } from 'node:fs';

/**
 * Adds up the JSON reports of several runs of vitest; the last line is "N passed, N failed", with ", N skipped" if
 * there are some.
 * usage: node tools/count-tests.js FAILED REPORT…
 *   FAILED is 1 if a run ended with an error, else 0.
 */
const SLOW_UNIT_SECONDS = 3;
const NO_REPORT = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };

const [, , failedRun, ...paths] = process.argv;
const reports = paths.map((path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : NO_REPORT));
const files = reports.flatMap(({ testResults }) => testResults);

for (const { name, startTime, endTime } of files) {
  const seconds = (endTime - startTime) / 1_000;
  if (seconds > SLOW_UNIT_SECONDS && !/\.(?:integration|system)\.test\.ts$/.test(name)) {
    console.log(
      `${name} took ${seconds.toFixed(1)} s; a unit test file should take ${SLOW_UNIT_SECONDS} s at most.`,
    );
  }
}

for (const { name, assertionResults } of files) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    const [reason] = (failureMessages[0] ?? '').split('\n');
    if (failureMessages.length > 0) {
      const outcome = status === 'passed' ? 'passed only when it was tried again' : 'failed';
      console.log(`${name}, "${fullName}", ${outcome}: ${reason}`);
    }
  }
}

const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
// A file that cannot be loaded fails without a failed test of its own.
const brokenFiles = files.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = sum('numFailedTests') + brokenFiles;
const isUnexplained =
  failed === 0 && (failedRun !== '0' || reports.some(({ numPassedTests }) => numPassedTests === 0));
const skipped = sum('numPendingTests') === 0 ? '' : `, ${sum('numPendingTests')} skipped`;
console.log(`${sum('numPassedTests')} passed, ${failed + Number(isUnexplained)} failed${skipped}`);
process.exitCode = failed + Number(isUnexplained) === 0 ? 0 : 1;
