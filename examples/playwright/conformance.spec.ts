import { conformance } from 'stockcheck/playwright';
import target from '../stockcheck.config.json' with { type: 'json' };
conformance(target);
