import { conformance } from 'stockcheck/node-test';
import target from '../stockcheck.config.json' with { type: 'json' };
conformance(target);
