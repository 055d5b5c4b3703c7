import type { Logger } from 'pino'
import { type HostingLease, openHostingLease } from '#server/composition/hosting-lease.ts'
import type { Config } from '#server/config/config.ts'
import { openClusterClock } from '#server/db/cluster/cluster-clock.ts'
import type { Database } from '#server/db/database.ts'

/** What this node shares with the other nodes of the database. */
export interface ClusterNode {
  /** Epoch ms of the database's clock. */
  clock: () => number
  hostingLease: HostingLease
  close(): Promise<void>
}

/** Opens the clock before anything else uses the time. Closes the database and throws StartProblem if this node must not start. */
export async function openCluster(config: Config, database: Database, log: Logger): Promise<ClusterNode> {
  try {
    const clusterClock = await openClusterClock(database, log)
    const clock = clusterClock.now
    const hostingLease = await openHostingLease({ config, database, log, clock })
    return {
      clock,
      hostingLease,
      async close() {
        clusterClock.close()
        await hostingLease.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
