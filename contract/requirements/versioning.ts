import type { RequirementRow } from './row.ts';

export const VERSIONING_ROWS = [
  {
    id: 'sunset-header',
    clause: 'RFC 8594, section 3',
    level: 'should',
    statement: 'A Sunset header, if there is one, is an HTTP-date.',
    basis: 'RFC 8594, section 3: the value of Sunset is an HTTP-date.',
  },
  {
    id: 'deprecation-header',
    clause: 'RFC 9745, section 2',
    level: 'should',
    statement: 'A Deprecation header, if there is one, is a structured-field date such as @1688169599.',
    basis: 'RFC 9745, section 2: the value of Deprecation is a structured-field date.',
  },
  {
    id: 'base-address',
    clause: 'What the service does',
    level: 'must',
    statement: 'Both base addresses end in the path segment /v1.',
    quotes: ['Both addresses end in the path segment `/v1`.'],
    notChecked: 'The suite is given the address, so it can only warn if it does not end so.',
  },
  {
    id: 'api-version',
    clause: 'Versioning 1',
    level: 'must',
    statement: 'The API is at version 1.0.0.',
    quotes: ['The API is at version 1.0.0; the version segment `/v1` is part of the base address.'],
    notChecked: 'No response is documented to carry the version.',
  },
  {
    id: 'stability-marker',
    clause: 'Versioning 2',
    level: 'must',
    statement: 'Endpoints carry a stability marker, experimental or beta.',
    quotes: ['Endpoints carry a stability marker: `experimental` or `beta`.'],
    notChecked: 'A property of the API description; no response is documented to carry it.',
  },
  {
    id: 'deprecation-marker',
    clause: 'Versioning 3',
    level: 'must',
    statement: 'GET /pets/{petId} is deprecated with a sunset date.',
    quotes: ['Endpoints can be deprecated with a sunset date; `GET /pets/{petId}` is deprecated.'],
    notChecked:
      'The date is not shown and no header is documented to carry it. The form of Sunset and Deprecation is judged if they are present.',
  },
] as const satisfies readonly RequirementRow[];
