import { showVitest } from '#tests/campaigns/vitest.ts'
import { openDockerSite } from '#tests/support/docker/docker-site.ts'

const files = ['tests/campaigns/browser/services.test.ts', 'tests/campaigns/browser/backups.test.ts']

/** Runs the journeys of hosted services in Chromium on a portal with HOSTING=docker. */
export async function runJourney(args: string[]): Promise<void> {
  const site = await openDockerSite()
  try {
    await showVitest(['--project', 'campaign', ...files, ...args], {
      JOURNEY_SITE: JSON.stringify({ prefix: site.prefix, settings: site.settings }),
      DOCKER_TESTS: site.cluster.socket,
      DOCKER_TESTS_HOST: site.cluster.hostAddress,
    })
  } finally {
    await site.close()
  }
}
