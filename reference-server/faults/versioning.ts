import { setHeaderWhere } from '../alterations/responses.ts';
import { type Fault, breaking } from './fault.ts';
import { headerOf } from '../service/messages.ts';

export const VERSIONING_FAULTS: readonly Fault[] = [
  ...breaking('sunset-header', {
    'sunset-in-unix-seconds': {
      title: 'Sunset is in Unix seconds',
      excludes: ['deprecation headers'],
      alter: setHeaderWhere((response) => headerOf(response, 'Sunset') !== undefined, 'Sunset', '1830297600'),
    },
  }),
  ...breaking('deprecation-header', {
    'deprecation-true': {
      title: 'Deprecation is the word true, as in an earlier draft',
      excludes: ['deprecation headers'],
      alter: setHeaderWhere(
        (response) => headerOf(response, 'Deprecation') !== undefined,
        'Deprecation',
        'true',
      ),
    },
  }),
];
