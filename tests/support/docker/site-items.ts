/** Reads and writes items of sample instances in a Swarm directly: in the file of their volume, or in their database. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { DockerSite } from '#tests/support/docker/docker-site.ts'

export interface SiteItems {
  /** Replaces the items, or adds to them. */
  put(ref: InstanceRef, names: readonly string[], options?: { isAddition?: boolean }): Promise<void>
  /** Returns the names in the order of their creation. */
  read(ref: InstanceRef): Promise<string[]>
}

type ItemSite = Pick<DockerSite, 'prefix' | 'databaseUrl'> & { cluster: Pick<DockerSite['cluster'], 'nodes'> }

export const openSiteItems = (site: ItemSite): SiteItems =>
  site.databaseUrl === null ? openVolumeItems(site) : openDatabaseItems(site, site.databaseUrl)

function openVolumeItems({ cluster, prefix }: ItemSite): SiteItems {
  /** All nodes run on this machine, so it reaches the folders of all volumes. */
  async function withFile<T>({ serviceId }: InstanceRef, work: (database: DatabaseSync) => T): Promise<T> {
    const volumes = cluster.nodes.map(({ docker }) =>
      docker
        .getVolume(`${prefix}-${serviceId}`)
        .inspect()
        .then(({ Mountpoint }) => Mountpoint)
        .catch(() => null),
    )
    const folder = (await Promise.all(volumes)).find((path) => path !== null)
    if (folder === undefined || folder === null) throw new Error(`the service ${serviceId} has no volume`)
    const currentPath = join(folder, 'current.json')
    const current = existsSync(currentPath)
      ? (JSON.parse(readFileSync(currentPath, 'utf8')) as { folder: string })
      : { folder: 'data' }
    const database = new DatabaseSync(join(folder, current.folder, 'instance.db'), { timeout: 5000 })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    put: (ref, names, { isAddition = false } = {}) =>
      withFile(ref, (database) => {
        database.exec(isAddition ? 'begin immediate' : 'begin immediate; delete from items')
        const insert = database.prepare(
          "insert into items (code, name, quantity, unit, version, changed) values (?, ?, 1000, 'pcs', 1, 0)",
        )
        names.forEach((name, index) => insert.run(`I${index}`, name))
        database.exec('commit')
      }),
    read: (ref) =>
      withFile(ref, (database) =>
        database
          .prepare('select name from items order by id')
          .all()
          .map(({ name }) => String(name)),
      ),
  }
}

function openDatabaseItems({ prefix }: ItemSite, url: string): SiteItems {
  async function withDatabase<T>({ serviceId }: InstanceRef, work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: `${url}/${getDatabasePrefix(prefix)}${serviceId}` })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  return {
    put: (ref, names, { isAddition = false } = {}) =>
      withDatabase(ref, async (client) => {
        await client.query('begin')
        if (!isAddition) await client.query('delete from instance.items')
        await client.query(
          `insert into instance.items (code, name, quantity, unit, version, changed)
           select 'I' || (position - 1), name, 1000, 'pcs', 1, 0 from unnest($1::text[]) with ordinality as list (name, position)`,
          [names],
        )
        await client.query('commit')
      }),
    read: (ref) =>
      withDatabase(ref, async (client) => {
        const { rows } = await client.query<{ name: string }>('select name from instance.items order by id')
        return rows.map(({ name }) => name)
      }),
  }
}

const getDatabasePrefix = (prefix: string) => `${prefix.replaceAll('-', '_')}_`

/** Returns the databases and logins of services. */
export async function listServiceDatabases({ databaseUrl, prefix }: DockerSite): Promise<{ serviceId: number }[]> {
  if (databaseUrl === null) return []
  const client = new Client({ connectionString: `${databaseUrl}/postgres` })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database union all select rolname from pg_roles',
    )
    const start = getDatabasePrefix(prefix)
    return rows.flatMap(({ name }) => (name.startsWith(start) ? [{ serviceId: Number(name.slice(start.length)) }] : []))
  } finally {
    await client.end()
  }
}
