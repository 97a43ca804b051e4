import { REPORT_FOLDER, START_HERE, type Pipeline } from './pipeline.ts';
import { verifyLine } from './verify-line.ts';

/** A job whose reports GitLab shows in merge requests. Variables of the project reach it by themselves. */
export const GITLAB: Pipeline = {
  id: 'gitlab',
  title: 'GitLab CI',
  path: '.gitlab-ci.yml',
  secrets: 'Add each as a masked variable of the project, under Settings, CI/CD, Variables.',
  render: (context) =>
    [
      'conformance:',
      '  image: node:24',
      '  script:',
      ...(context.isLocal ? [`    # ${START_HERE}`] : []),
      `    - ${JSON.stringify(verifyLine(context))}`,
      '  artifacts:',
      '    when: always',
      '    paths:',
      `      - ${REPORT_FOLDER}/`,
      '    reports:',
      `      junit: ${REPORT_FOLDER}/junit.xml`,
      '      codequality: gl-code-quality-report.json',
      '',
    ].join('\n'),
};
