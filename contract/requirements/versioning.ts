import type { RequirementRow } from './row.ts';

export const VERSIONING_ROWS = [
  {
    id: 'sunset-header',
    clause: 'RFC 8594, section 3',
    level: 'should',
    statement: 'A Sunset header, where there is one, is an HTTP-date.',
  },
  {
    id: 'deprecation-header',
    clause: 'RFC 9745, section 2',
    level: 'should',
    statement: 'A Deprecation header, where there is one, is a structured-field date such as @1688169599.',
  },
  {
    id: 'base-address',
    clause: 'What the service does',
    level: 'must',
    statement: 'Both base addresses end in the path segment /v1.',
    notChecked: 'The address is given to the suite, which can only warn where it ends otherwise.',
  },
  {
    id: 'api-version',
    clause: 'Versioning 1',
    level: 'must',
    statement: 'The API is at version 1.0.0.',
    notChecked: 'No response is said to carry the version.',
  },
  {
    id: 'stability-marker',
    clause: 'Versioning 2',
    level: 'must',
    statement: 'Endpoints carry a stability marker, experimental or beta.',
    notChecked: 'A property of the description of the API; no response is said to carry it.',
  },
  {
    id: 'deprecation-marker',
    clause: 'Versioning 3',
    level: 'must',
    statement: 'GET /pets/{petId} is deprecated with a sunset date.',
    notChecked:
      'The date is not shown and no header is said to carry it; the form of Sunset and Deprecation is judged where they are present.',
  },
] as const satisfies readonly RequirementRow[];
