import { setHeaderWhere } from '../alterations/responses.ts';
import { type Fault, breaking } from './fault.ts';
import { headerOf } from '../service/messages.ts';

export const VERSIONING_FAULTS: readonly Fault[] = [
  ...breaking('sunset-header', {
    'sunset-in-unix-seconds': [
      'Sunset is in Unix seconds',
      setHeaderWhere((response) => headerOf(response, 'Sunset') !== undefined, 'Sunset', '1830297600'),
      { excludes: ['deprecation headers'] },
    ],
  }),
  ...breaking('deprecation-header', {
    'deprecation-true': [
      'Deprecation is the word true, as in an earlier draft',
      setHeaderWhere((response) => headerOf(response, 'Deprecation') !== undefined, 'Deprecation', 'true'),
      { excludes: ['deprecation headers'] },
    ],
  }),
];
