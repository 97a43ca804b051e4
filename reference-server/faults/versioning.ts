import { setHeaderWhere } from '../alterations/responses.ts';
import type { Fault } from './fault.ts';
import { headerOf } from '../service/header-fields.ts';

export const VERSIONING_FAULTS: readonly Fault[] = [
  {
    id: 'sunset-in-unix-seconds',
    title: 'Sunset is in Unix seconds',
    breaks: 'sunset-header',
    excludes: ['deprecation headers'],
    alter: setHeaderWhere((response) => headerOf(response, 'Sunset') !== undefined, 'Sunset', '1830297600'),
  },
  {
    id: 'deprecation-true',
    title: 'Deprecation is the word true, as in an earlier draft',
    breaks: 'deprecation-header',
    excludes: ['deprecation headers'],
    alter: setHeaderWhere(
      (response) => headerOf(response, 'Deprecation') !== undefined,
      'Deprecation',
      'true',
    ),
  },
];
