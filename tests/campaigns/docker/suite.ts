import { showVitest } from '#tests/campaigns/vitest.ts'
import { openDockerCluster } from '#tests/support/docker/docker-cluster.ts'

/** Runs the vitest project `docker` on one cluster. */
export async function runSuite(args: string[]): Promise<void> {
  const cluster = await openDockerCluster()
  try {
    await showVitest(['--project', 'docker', '--reporter', 'verbose', ...args], {
      DOCKER_TESTS: cluster.socket,
      DOCKER_TESTS_HOST: cluster.hostAddress,
    })
  } finally {
    await cluster.close()
  }
}
