import { conformance } from 'stockcheck/vitest';
import target from '../stockcheck.config.json' with { type: 'json' };
conformance(target);
