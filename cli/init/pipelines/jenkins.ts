import { REPORT_FOLDER, START_HERE, type Pipeline } from './pipeline.ts';
import { verifyLine } from './verify-line.ts';

/** A declarative pipeline. It needs the plugins for Docker, credentials and JUnit. */
export const JENKINS: Pipeline = {
  id: 'jenkins',
  title: 'Jenkins',
  path: 'Jenkinsfile',
  secrets: 'Add each as a credential of the kind "Secret text", with the name of the variable as its id.',
  render: (context) =>
    [
      'pipeline {',
      "  agent { docker { image 'node:24' } }",
      '  environment {',
      '    // The user of the container has no home folder.',
      '    HOME = "${env.WORKSPACE_TMP}"',
      ...context.variables.map((name) => `    ${name} = credentials('${name}')`),
      '  }',
      '  stages {',
      "    stage('Conformance') {",
      '      steps {',
      ...(context.isLocal ? [`        // ${START_HERE}`] : []),
      `        sh ${groovyString(verifyLine(context))}`,
      '      }',
      '    }',
      '  }',
      '  post {',
      '    always {',
      `      junit '${REPORT_FOLDER}/junit.xml'`,
      `      archiveArtifacts artifacts: '${REPORT_FOLDER}/**', allowEmptyArchive: true`,
      '    }',
      '  }',
      '}',
      '',
    ].join('\n'),
};

/** A string that Groovy takes as it stands. */
function groovyString(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
