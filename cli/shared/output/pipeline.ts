import { join } from 'node:path';

/** Whether a workflow of GitHub Actions runs this process, and reads workflow commands from its output. */
export function isGithubWorkflow({ GITHUB_ACTIONS: runs }: NodeJS.ProcessEnv): boolean {
  return runs === 'true';
}

/** Where a job of GitLab CI collects its Code Quality report, or `null` outside one. */
export function codeQualityPath({
  GITLAB_CI: runs,
  CI_PROJECT_DIR: directory,
}: NodeJS.ProcessEnv): string | null {
  return runs === 'true' ? join(directory ?? '', 'gl-code-quality-report.json') : null;
}
