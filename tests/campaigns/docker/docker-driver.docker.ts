/** The common tests of all hosting drivers on Docker Swarm: with volumes, and with databases and fixed memory sizes. */
import { describeHosting } from '#tests/server/drivers/hosting/describe-hosting.ts'
import { openDockerHosting } from '#tests/support/docker/docker-hosting.ts'
import { openDockerSite } from '#tests/support/docker/docker-site.ts'
import type { HostingUnderTest } from '#tests/support/hosting/hosting.ts'

type SiteOptions = Parameters<typeof openDockerSite>[0]
type HostingOptions = Parameters<typeof openDockerHosting>[1]

async function openHost(siteOptions: SiteOptions, options: HostingOptions = {}): Promise<HostingUnderTest> {
  const site = await openDockerSite(siteOptions)
  const host = openDockerHosting(site, options)
  return {
    ...host,
    async end() {
      try {
        await host.end()
      } finally {
        await site.close()
      }
    },
  }
}

describeHosting('docker with volumes', () => openHost({ storage: 'volume' }), { hasImages: true })
describeHosting(
  'docker with databases and fixed memory sizes',
  () => openHost({ storage: 'database' }, { memorySizes: [512, 1024, 2048] }),
  { hasImages: true },
)
