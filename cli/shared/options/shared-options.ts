import { Option } from 'commander';

import { formatNames, type ReportKind } from '../../../reports/formats/index.ts';
import { collect } from './command.ts';

// Options that mean the same in several commands; each command needs its own, since it puts them into groups.

export const selfOption = (): Option =>
  new Option('--self', 'take the embedded reference server, in place of TARGET');
export const configOption = (): Option =>
  new Option('--config <file>', 'configuration (default: stockcheck.config.json, where there is one)');
export const keyOption = (): Option =>
  new Option('--key <plan=key>', 'API key of a plan, or plan=key@perMinute/perDay; repeatable').argParser(
    collect,
  );
export const controlOption = (): Option => new Option('--control <url>', 'base URL of the control contract');
export const existingPetOption = (): Option =>
  new Option('--existing-pet <id>', 'petId whose quantity may be changed and restored; repeatable').argParser(
    collect,
  );
export const insecureOption = (): Option => new Option('--insecure', 'accept any TLS certificate');
export const certificateAuthorityOption = (): Option =>
  new Option('--ca <file>', 'trust the certificates of this PEM file');
export const headerOption = (): Option =>
  new Option('--header <name: value>', 'header field to add to every request; repeatable').argParser(collect);
export const timeoutOption = (): Option =>
  new Option(
    '--timeout <seconds>',
    'longest wait for a response; three times as long while its body goes on',
  ).default('10');
export const profileOption = (): Option =>
  new Option('--profile <name>', 'safe (reads), standard (writes too) or full (exhausts limits)');
export const jsonOption = (): Option =>
  new Option('--json <file>', 'write the report as JSON; - for stdout, and nothing else goes there');
export const quietOption = (): Option => new Option('--quiet', 'no progress on stderr');
export const noColorOption = (): Option => new Option('--no-color', 'no colours');
export const levelOption = (): Option =>
  new Option('--level <level>', 'what decides the verdict: must or should').default('must');
export const reportOption = (kind: ReportKind): Option =>
  new Option('--report <dir>', `write the report into this folder as ${formatNames(kind)}`);
