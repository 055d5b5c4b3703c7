/**
 * Hosting of the journeys in Chromium: the local one, or that of a Swarm which `npm run campaign -- docker journey` passes as JOURNEY_SITE.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type Docker from 'dockerode'
import { openDockerCluster } from '#tests/support/docker/docker-cluster.ts'
import { openSiteItems } from '#tests/support/docker/site-items.ts'

interface JourneySwarm {
  /** Begins the prefixes of all portals. */
  prefix: string
  /** Settings of all portals. */
  settings: Record<string, string>
}

const swarm = process.env.JOURNEY_SITE ? (JSON.parse(process.env.JOURNEY_SITE) as JourneySwarm) : null

/**
 * Returns the settings of a portal. Each portal has a database of its own, so each needs other names in the Swarm: `name` is one or two
 * letters.
 */
export const createJourneySettings = (name: string): Record<string, string> =>
  swarm ? { ...swarm.settings, DOCKER_PREFIX: getPrefix(swarm, name) } : { HOSTING: 'local' }

const getPrefix = ({ prefix }: JourneySwarm, name: string) => `${prefix}-${name}`

/** Time in ms for which a page may wait for an operation. */
export const operationMs = swarm ? 180_000 : 60_000

interface JourneyPortal {
  /** As in `createJourneySettings`. */
  name: string
  dataDir: string
}

/** Adds items to a running service directly, because a form for each would take too long. */
export async function addItems(portal: JourneyPortal, code: string, itemNames: readonly string[]): Promise<void> {
  if (swarm === null) return addLocalItems(join(portal.dataDir, 'hosting'), code, itemNames)
  const prefix = getPrefix(swarm, portal.name)
  // Opens the cluster of the campaign, whose socket is in DOCKER_TESTS.
  const cluster = await openDockerCluster()
  const serviceId = await findServiceId(cluster.docker, prefix, code)
  const databaseUrl = swarm.settings['SERVICE_DATABASE_URL'] ?? null
  await openSiteItems({ cluster, prefix, databaseUrl }).put({ serviceId, code }, itemNames, { isAddition: true })
}

async function findServiceId(docker: Docker, prefix: string, code: string): Promise<number> {
  const label = [`portal.name=${prefix}`, `portal.code=${code}`, 'portal.kind=service']
  const [service] = await docker.listServices({ filters: JSON.stringify({ label }) })
  return Number(service?.Spec?.Labels?.['portal.service'])
}

function addLocalItems(folder: string, code: string, names: readonly string[]): void {
  const path = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
    (file) => file.includes(`${code}-`) && file.endsWith('/instance.db'),
  )
  const store = new DatabaseSync(join(folder, path ?? ''), { timeout: 5000 })
  const insert = store.prepare(
    "insert into items (code, name, quantity, unit, version, changed) values (?, ?, 1000, 'pcs', 1, 0)",
  )
  store.exec('begin')
  names.forEach((name, index) => insert.run(`B-${index}`, name))
  store.exec('commit')
  store.close()
}
