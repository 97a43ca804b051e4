import * as fc from 'fast-check';

/** The same draws in every run, so that a failure is one of the change at hand. `PROPERTY_SEED=$RANDOM npm test` draws others. */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
