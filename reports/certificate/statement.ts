import {
  listMember,
  objectMember,
  stringMember,
  wordMember,
  isJsonObject,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/index.ts';
import type { CertifyReport, Report, VerifyReport } from '../model/report.ts';
import { validateReport } from '../model/validate.ts';

/** What a certificate says, and of what: an in-toto Statement (in-toto attestation framework, "Statement v1"). */
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

const PREDICATE_FAMILY = 'https://github.com/stockcheck/stockcheck/certificate/';

export const SPECIFICATION = 'Petstore Inventory Service';

/** The kind of predicate that this version writes. */
const PREDICATE_TYPE = `${PREDICATE_FAMILY}v1`;

/** An artifact by its name and its digest (in-toto attestation framework, "ResourceDescriptor"). */
export interface ArtifactDescriptor {
  readonly name: string;
  readonly digest: Readonly<Record<string, string>>;
  readonly mediaType?: string;
}

/** The predicate of a certificate. */
export interface Certificate {
  readonly suite: { readonly name: 'stockcheck'; readonly version: string };
  readonly specification: { readonly name: typeof SPECIFICATION; readonly version: string };
  /** The kill matrix that the power of the run was counted by. */
  readonly killMatrix: ArtifactDescriptor;
  /** The report, its findings without evidence. */
  readonly report: VerifyReport | CertifyReport;
  /** The files of the client, or the image of the target; empty if there is none. */
  readonly artifacts: readonly ArtifactDescriptor[];
  readonly transcript: ArtifactDescriptor;
}

export function statementOf(certificate: Certificate): JsonObject {
  const { artifacts, transcript } = certificate;
  const statement = {
    _type: STATEMENT_TYPE,
    subject: [...artifacts, transcript],
    predicateType: PREDICATE_TYPE,
    predicate: certificate,
  };
  const value = parseJson(JSON.stringify(statement));
  if (!isJsonObject(value)) {
    throw new Error('A statement is a JSON object.');
  }
  return value;
}

/** What can be read of a statement. */
export type StatementReading =
  | { readonly kind: 'certificate'; readonly certificate: Certificate; readonly subject: JsonValue }
  /** A certificate in a form that a later version brought. */
  | { readonly kind: 'newer'; readonly predicateType: string };

/** @throws {SyntaxError} that says why it is no certificate */
export function readStatement(payload: Buffer): StatementReading {
  let value;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    throw new SyntaxError('its payload is not JSON');
  }
  if (!isJsonObject(value) || value['_type'] !== STATEMENT_TYPE) {
    throw new SyntaxError('its payload is no in-toto Statement');
  }
  const predicateType = stringMember(value, 'predicateType');
  if (predicateType !== PREDICATE_TYPE) {
    if (predicateType.startsWith(PREDICATE_FAMILY)) {
      return { kind: 'newer', predicateType };
    }
    throw new SyntaxError(`it attests ${JSON.stringify(predicateType)}, and no verdict of stockcheck`);
  }
  const certificate = readCertificate(objectMember(value, 'predicate'));
  return { kind: 'certificate', certificate, subject: listMember(value, 'subject') };
}

function readCertificate(predicate: JsonObject): Certificate {
  const suite = objectMember(predicate, 'suite');
  const specification = objectMember(predicate, 'specification');
  return {
    suite: { name: wordMember(suite, 'name', ['stockcheck']), version: stringMember(suite, 'version') },
    specification: {
      name: wordMember(specification, 'name', [SPECIFICATION]),
      version: stringMember(specification, 'version'),
    },
    killMatrix: descriptorOf(objectMember(predicate, 'killMatrix')),
    report: reportOf(predicate['report']),
    artifacts: listMember(predicate, 'artifacts').map((entry) => descriptorOf(entry)),
    transcript: descriptorOf(objectMember(predicate, 'transcript')),
  };
}

function reportOf(value: JsonValue | undefined): VerifyReport | CertifyReport {
  let report: Report;
  try {
    report = validateReport(value);
  } catch (error) {
    const [, problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new SyntaxError(`the report in it is none: ${problem.trim()}`, { cause: error });
  }
  if (report.kind === 'load') {
    throw new SyntaxError('the report in it is of load, which has no certificates');
  }
  return report;
}

function descriptorOf(value: JsonValue): ArtifactDescriptor {
  if (!isJsonObject(value)) {
    throw new SyntaxError('an artifact in it is no object');
  }
  const digest = objectMember(value, 'digest');
  const mediaType = 'mediaType' in value ? { mediaType: stringMember(value, 'mediaType') } : {};
  return { name: stringMember(value, 'name'), digest: membersOf(digest, stringMember), ...mediaType };
}

function membersOf<Value>(
  object: JsonObject,
  read: (object: JsonObject, name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.keys(object).map((name) => [name, read(object, name)]));
}

/** The report as a certificate holds it: without exchanges and trails of findings, and without what a client printed. */
export function withoutEvidence<Kind extends VerifyReport | CertifyReport>(report: Kind): Kind {
  return {
    ...report,
    requirements: report.requirements.map((row) => ({
      ...row,
      findings: row.findings.map(({ message, check }) => ({
        message,
        ...(check === undefined ? {} : { check }),
      })),
    })),
    ...(report.kind === 'certify'
      ? { scenarios: report.scenarios.map((scenario) => ({ ...scenario, output: '' })) }
      : {}),
  };
}
