import { shellWord } from '../../../reports/index.ts';
import { REPORT_FOLDER, type PipelineContext } from './pipeline.ts';

/** The line of a shell that judges the target and writes the reports. */
export function verifyLine({ configuration, major, requirementSet }: PipelineContext): string {
  const named = configuration === null ? '' : ` --config ${shellWord(configuration)}`;
  return `npx --yes stockcheck@${major} verify${named} --requirements ${requirementSet} --report ${REPORT_FOLDER}`;
}
