/** The nodes that share this database, and the settings with which they run. */
import { type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { readFact, setFact } from '#server/db/installation-facts.ts'
import type { NodeTable } from '#server/db/tables/node-tables.ts'

export type NodeRow = Selectable<NodeTable>

/** Names of settings with their values. The value of a secret is a fingerprint. */
export type ClusterSettings = Readonly<Record<string, string>>

export interface ClusterFact {
  /** Id of the first node that started while no other one was running. */
  runId: string
  settings: ClusterSettings
}

/** Time in ms for which a node counts as running after it was last seen. A node that was killed does not delete its row. */
export const nodeLifetimeMs = 40_000

const clusterFactName = 'cluster'
/** Maximum wait in ms for other nodes that start at the same time. */
const maxLockWaitMs = 15_000

/** Only one node at a time may join, until the end of the transaction. */
export async function lockCluster(db: DatabaseHandle): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${maxLockWaitMs}ms`}, true)`.execute(db)
  await sql`select pg_advisory_xact_lock(7801, -2)`.execute(db)
}

export async function readClusterFact(db: DatabaseHandle): Promise<ClusterFact | null> {
  const text = await readFact(db, clusterFactName)
  return text === null ? null : (JSON.parse(text) as ClusterFact)
}

export const writeClusterFact = (db: DatabaseHandle, fact: ClusterFact): Promise<void> =>
  setFact(db, clusterFactName, JSON.stringify(fact))

/** Returns the running nodes, the oldest first. */
export const listRunningNodes = (db: DatabaseHandle, now: number): Promise<NodeRow[]> =>
  db
    .selectFrom('node')
    .selectAll()
    .where('seen_at', '>', now - nodeLifetimeMs)
    .orderBy('started_at')
    .orderBy('id')
    .execute()

export async function deleteLostNodes(db: DatabaseHandle, now: number): Promise<void> {
  await db
    .deleteFrom('node')
    .where('seen_at', '<=', now - nodeLifetimeMs)
    .execute()
}

export async function insertNode(db: DatabaseHandle, row: NodeRow): Promise<void> {
  await db
    .insertInto('node')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: row.seen_at }))
    .execute()
}

/** Returns false if the node was not seen for so long that others no longer counted it as running. */
export const renewNode = (db: DatabaseHandle, id: string, now: number): Promise<boolean> =>
  hasRow(
    db
      .updateTable('node')
      .set({ seen_at: now })
      .where('id', '=', id)
      .where('seen_at', '>', now - nodeLifetimeMs)
      .returning('id'),
  )

export async function deleteNode(db: DatabaseHandle, id: string): Promise<void> {
  await db.deleteFrom('node').where('id', '=', id).execute()
}
