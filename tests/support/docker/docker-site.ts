/** A Swarm with the image of the sample, and the settings of a portal that runs its services there. */
import { randomBytes } from 'node:crypto'
import {
  type DockerCluster,
  listDockerObjects,
  openDockerCluster,
  removeDockerObjects,
} from '#tests/support/docker/docker-cluster.ts'
import { importBreakableImage } from '#tests/support/docker/breakable-image.ts'
import { type Cluster, postgresBin, startCluster } from '#tests/support/server/postgres.ts'

export interface DockerSite {
  cluster: DockerCluster
  /** Begins the names of all objects of its portal. */
  prefix: string
  image: string
  /** Address of the administrator of the services' databases. Null if the data is in volumes. */
  databaseUrl: string | null
  /** Settings of the portal. */
  settings: Record<string, string>
  listObjects(): Promise<string[]>
  close(): Promise<void>
}

interface SiteOptions {
  /** Number of nodes. */
  count?: number
  storage?: 'volume' | 'database'
  /** Socket through which the portal uses the daemon. Null for that of the daemon. */
  socket?: string | null
}

export async function openDockerSite({
  count = 1,
  storage = 'volume',
  socket = null,
}: SiteOptions = {}): Promise<DockerSite> {
  const prefix = `campaign-${randomBytes(3).toString('hex')}`
  const cluster = await openDockerCluster({ count })
  let postgres: Cluster | null = null
  async function close(): Promise<void> {
    try {
      if (!cluster.isOwn) await removeDockerObjects(cluster, prefix)
    } finally {
      await cluster.close()
      await postgres?.stop()
    }
  }
  try {
    let image = ''
    for (const { docker } of cluster.nodes) image = await importBreakableImage(docker)
    if (storage === 'database') postgres = await startServicePostgres(cluster.hostAddress)
    return {
      cluster,
      prefix,
      image,
      databaseUrl: postgres?.url ?? null,
      settings: {
        HOSTING: 'docker',
        DOCKER_HOST: `unix://${socket ?? cluster.socket}`,
        DOCKER_PREFIX: prefix,
        SERVICE_IMAGE: image,
        SERVICE_HEALTH_SECONDS: '1',
        ...(postgres && { SERVICE_DATABASE_URL: postgres.url }),
      },
      listObjects: () => listDockerObjects(cluster, prefix),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function startServicePostgres(address: string): Promise<Cluster> {
  const bin = postgresBin()
  if (bin === null) throw new Error('install PostgreSQL and try again')
  return startCluster(bin, { address })
}
