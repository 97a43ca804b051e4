import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readOptions } from '../shared/options/option-rows.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { ConfigurationError, readOrRefuse } from '../../contract/configuration-error.ts';
import {
  countText,
  keyIdOf,
  printableLine,
  readPublicKey,
  type Style,
  styleFor,
} from '../../reports/index.ts';
import {
  checkEnvelope,
  knowsTheSameFaults,
  onChecksAlone,
  type CheckedCertificate,
  type JudgedAgain,
} from '../library/certificate/check-certificate.ts';
import { packageVersion } from '../library/version.ts';
import { EXIT_CODES } from '../shared/exit-codes.ts';
import { entryOf, readBytes, readTextFile } from '../shared/files/json-file.ts';
import { writeOutput } from '../shared/output/written-files.ts';
import { wantsColor, STDOUT } from '../shared/output/text-output.ts';
import { CHECK_OPTIONS } from './command.ts';

const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Checks a certificate, and says what came of it. @returns the exit code
 * @throws {ConfigurationError} if something cannot be read, or is no certificate
 */
export async function runCheck(
  { operands: [file = ''], flags, surroundings }: Omit<CommandCall, 'words'>,
  write: (text: string) => void = (text) => process.stdout.write(text),
): Promise<number> {
  const { directory } = surroundings;
  const { key, transcript, json } = readOptions(CHECK_OPTIONS, flags, surroundings);
  if (key === null) {
    throw new ConfigurationError('--key FILE is missing: the public key of whoever signed the certificate');
  }
  const pem = readTextFile(resolve(directory, key), `--key ${key}`);
  const publicKey = readOrRefuse(`--key ${key}`, () => readPublicKey(pem));
  const path = resolve(directory, file);
  refuseHuge(path, file);
  const text = readTextFile(path, file);
  const readTranscript = (name: string): Buffer | null => {
    // The name is the signer's, and only what lies beside the certificate is read.
    const beside =
      transcript === null
        ? join(dirname(path), name.replace(/^.*[/\\]/, ''))
        : resolve(directory, transcript);
    refuseHuge(beside, name);
    return transcript === null && !existsSync(beside)
      ? null
      : readBytes(beside, transcript === null ? name : `--transcript ${transcript}`);
  };
  const checked = readOrRefuse(`${file} is no certificate of stockcheck`, () =>
    checkEnvelope(text, publicKey, readTranscript),
  );
  const paint = styleFor(wantsColor(process.stdout, surroundings.environment));
  const lines = `${describe(checked, publicKey, paint).join('\n')}\n`;
  write(json === STDOUT ? jsonOf(checked) : lines);
  if (json !== null && json !== STDOUT) {
    await writeOutput(`--json ${json}`, resolve(directory, json), jsonOf(checked));
  }
  return exitCodeOf(checked);
}

function jsonOf(checked: CheckedCertificate): string {
  const value = {
    schemaVersion: 1,
    kind: 'check-certificate',
    suite: { version: packageVersion() },
    ...checked,
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function refuseHuge(path: string, named: string): void {
  const size = entryOf(path)?.size ?? 0;
  if (size > MOST_BYTES) {
    throw new ConfigurationError(
      `${named} is larger than ${MOST_BYTES / 2 ** 20} MiB, which no certificate is`,
    );
  }
}

function exitCodeOf({ state, certificate }: CheckedCertificate): number {
  switch (state) {
    case 'fails':
      return EXIT_CODES.nonconformant;
    case 'open':
      return EXIT_CODES.inconclusive;
    case 'holds':
      return certificate === null ? EXIT_CODES.inconclusive : EXIT_CODES[certificate.report.verdict];
  }
}

function describe(checked: CheckedCertificate, publicKey: KeyObject, paint: Style): readonly string[] {
  const { state, reasons, certificate } = checked;
  const head = {
    holds: paint('green', '✓ The certificate holds'),
    fails: paint('red', '✗ The certificate does not hold'),
    open: paint('yellow', '? The certificate cannot be judged again'),
  }[state];
  return [
    head,
    ...reasons.map((reason) => `  ${printableLine(reason, LONGEST_REASON)}`),
    ...(certificate === null ? [] : attested(checked, certificate, publicKey)),
  ];
}

const LONGEST_REASON = 1_000;

function attested(
  { state, again }: CheckedCertificate,
  certificate: NonNullable<CheckedCertificate['certificate']>,
  publicKey: KeyObject,
): readonly string[] {
  const { report, suite, artifacts, killMatrix, transcript } = certificate;
  const onTrust = again === null ? [] : onChecksAlone(certificate, again);
  const subject = report.kind === 'verify' ? report.target.url : report.target.command.join(' ');
  return [
    line('Attested', report.scope),
    line('Of', subject),
    line(
      'By',
      `stockcheck ${suite.version}, requirement set ${report.requirementSet ?? '?'}, started ${report.startedAt}`,
    ),
    line('Signed by', `key ${keyIdOf(publicKey)}`),
    ...(report.power !== undefined
      ? [
          line(
            'Power',
            `${report.power.withinReach} of ${report.power.known} known faults${report.kind === 'certify' ? ' of clients' : ''}, by the kill matrix ${killMatrix.digest['sha256']?.slice(0, 12)}…${knowsTheSameFaults(certificate) ? '' : ', which is not the one of this build'}`,
          ),
        ]
      : []),
    ...artifacts.map(({ name, digest }) => line('File', `${name} sha256:${digest['sha256'] ?? '?'}`)),
    line('Transcript', `${transcript.name} sha256:${transcript.digest['sha256'] ?? '?'}`),
    ...(again === null
      ? []
      : [
          line(
            'Judged again',
            `${exchangesText(again, report.kind)}; ${again.requirements.length} requirements${state === 'holds' ? ', none of which contradicts what is attested' : ''}`,
          ),
          line(
            'Not again',
            onTrust.length === 0
              ? 'nothing: every attested outcome follows from the transcript'
              : `${countText(onTrust.length, 'requirement')} and all observations rest on what the run said: ${onTrust.join(', ')}`,
          ),
        ]),
    line(
      'On trust',
      'that the transcript is of this subject, and that nothing was left out of it: the signer says so',
    ),
  ];
}

function exchangesText({ exchanges, histories }: JudgedAgain, kind: 'verify' | 'certify'): string {
  return kind === 'certify'
    ? `${countText(exchanges, 'response')} in ${countText(histories, 'scenario')}`
    : `${countText(exchanges, 'request')} in ${histories === 1 ? 'one history' : `${histories} histories`}`;
}

const LABEL = 14;

function line(label: string, text: string): string {
  return `${label.padEnd(LABEL)}${printableLine(text, LONGEST_REASON)}`;
}
