import { REPORT_FOLDER, START_HERE, type Pipeline } from './pipeline.ts';
import { verifyLine } from './verify-line.ts';

/** A workflow of one job. Variables of the project reach it by themselves. */
export const CIRCLECI: Pipeline = {
  id: 'circleci',
  title: 'CircleCI',
  path: '.circleci/config.yml',
  secrets: 'Add each as an environment variable of the project, under Project Settings.',
  render: (context) =>
    [
      'version: 2.1',
      'jobs:',
      '  conformance:',
      '    docker:',
      '      - image: cimg/node:lts',
      '    steps:',
      '      - checkout',
      ...(context.isLocal ? [`      # ${START_HERE}`] : []),
      '      - run:',
      '          name: Conformance',
      `          command: ${JSON.stringify(verifyLine(context))}`,
      '      - store_test_results:',
      `          path: ${REPORT_FOLDER}/junit.xml`,
      '      - store_artifacts:',
      `          path: ${REPORT_FOLDER}`,
      'workflows:',
      '  conformance:',
      '    jobs:',
      '      - conformance',
      '',
    ].join('\n'),
};
