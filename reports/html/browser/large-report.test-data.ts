import type { Finding } from '../../../contract/verdict.ts';
import type { VerifyReport } from '../../model/report.ts';
import { SAMPLE_REPORT, withRequirements } from '../../model/sample-report.test-data.ts';

/** A report whose requirements have so many findings together, each with an exchange and a message of its own. */
export function largeReport(findings: number): VerifyReport {
  const { requirements } = SAMPLE_REPORT;
  const each = Math.ceil(findings / requirements.length);
  const all = Array.from({ length: findings }, (_, pet) => missingPet(pet));
  return withRequirements(
    SAMPLE_REPORT,
    requirements.map((requirement, row) =>
      Object.assign({}, requirement, {
        outcome: 'fail',
        findings: all.slice(row * each, (row + 1) * each),
      }),
    ),
  );
}

function missingPet(petId: number): Finding {
  const body = `{"petId":${petId},"quantity":3,"status":"sold"}`;
  return {
    message: `Pet ${petId}: petId ${petId} is not in the store.`,
    exchange: {
      request: {
        method: 'GET',
        url: 'http://127.0.0.1:8080/v1/inventory',
        headers: [['Authorization', 'Bearer free#1']],
        body: null,
      },
      response: {
        status: 200,
        headers: [
          ['Content-Type', 'application/json'],
          ['X-RateLimit-Limit', '60'],
          ['X-RateLimit-Remaining', '59'],
          ['X-RateLimit-Reset', '1790000060'],
        ],
        body,
        bodyBytes: body.length,
      },
      sentAt: '2026-11-02T09:30:01.250Z',
      durationMilliseconds: 3.4,
    },
    curl: "curl -i 'http://127.0.0.1:8080/v1/inventory' -H 'Authorization: Bearer free#1'",
    check: 'list',
    repeat: 'npx stockcheck verify http://127.0.0.1:8080/v1 --only list',
  };
}
