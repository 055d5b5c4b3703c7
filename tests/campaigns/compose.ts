/**
 * Builds the container image, starts compose.yaml, and follows a new installation in Chromium: first administrator, catalogue, order, pay,
 * service, backup, restore. Then it stops portals under load, replaces the worker, and checks containers and image. Needs Debian and root,
 * or a Docker daemon in DOCKER_HOST, and port 8090 for the hosted services.
 *
 * npm run campaign -- compose [built]
 *
 * `built` uses the images that an earlier run has left in the daemon of DOCKER_HOST.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findContainerFaults, findImageFaults } from '#tests/campaigns/compose/container-checks.ts'
import { openDocker } from '#tests/campaigns/compose/docker.ts'
import { buildImages } from '#tests/campaigns/compose/images.ts'
import {
  type Installation,
  providerEmail,
  createInstallation,
  timeZone,
} from '#tests/campaigns/compose/installation.ts'
import { enterService, readItems } from '#tests/campaigns/compose/journey/customer.ts'
import { runJourney } from '#tests/campaigns/compose/journey/journey.ts'
import { type JourneySite, waitFor } from '#tests/campaigns/compose/journey/screen.ts'
import { stopPortalsUnderLoad } from '#tests/campaigns/compose/stop-under-load.ts'
import { openBrowser } from '#tests/support/browser/browser.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'

const report = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)

export async function run([mode]: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-compose-'))
  const docker = await openDocker(folder)
  let installation: Installation | null = null
  try {
    if (mode !== 'built') await buildImages(docker, folder, report)
    installation = createInstallation(docker, join(folder, 'installation'), await findFreePort())
    installation.start()
    await installation.waitUntilHealthy('postgres', 's3', 'portal-1', 'portal-2', 'worker', 'nginx')
    report('all containers are healthy')
    const faults = [
      ...findImageFaults(docker),
      ...(await tryInstallation(installation)),
      ...findContainerFaults(docker, installation),
    ]
    for (const fault of faults) report(`FAULT ${fault}`)
    report(`${faults.length} faults`)
    process.exitCode = faults.length === 0 ? 0 : 1
  } catch (error) {
    if (installation) console.error(installation.compose('logs', '--no-color', '--tail', '60'))
    throw error
  } finally {
    installation?.remove()
    await docker.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function tryInstallation(installation: Installation): Promise<string[]> {
  const browser = await openBrowser()
  const { url, readMailLink } = installation
  const site: JourneySite = { url, browser, readMailLink, report }
  try {
    const firstLink = await installation.readFirstLink()
    const { customer, service, servicePassword } = await runJourney(site, { firstLink, providerEmail, timeZone })
    const { requests, faults } = await stopPortalsUnderLoad(installation, customer)
    report(`stopped both portals under load: ${faults.length} of ${requests} requests failed`)

    installation.compose('rm', '--force', '--stop', 'worker')
    installation.compose('up', '--detach', 'worker')
    await installation.waitUntilHealthy('worker')
    await waitFor('the service answers again', () => answers(service), 180_000)
    await service.close()
    const newService = await enterService(site, customer, servicePassword)
    if (!(await readItems(newService)).includes('A thing to keep'))
      faults.push('the service lost its data with the worker')
    report('a new worker runs the service with its data')
    return faults
  } catch (error) {
    await saveScreens(site)
    throw error
  } finally {
    await browser.close()
  }
}

/** Asks the browser, because only browsers know that every name under `localhost` is this machine. */
const answers = (service: Page) =>
  service.reload().then(
    (response) => response !== null && response.status() < 500,
    () => false,
  )

/** Saves what a person would see, for the search of a fault. */
async function saveScreens({ browser }: JourneySite): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages())
  for (const [index, page] of pages.entries()) {
    const path = join(tmpdir(), `portal-compose-${index}.png`)
    await page.screenshot({ path }).catch(() => undefined)
    report(`${page.url()}: ${path}`)
  }
}
