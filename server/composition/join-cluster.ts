/**
 * Lets this node join the nodes that share its database. A node whose settings differ from those of running nodes does not start (decision
 * 97). If no other node runs, its settings become those of the cluster.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { isFingerprint } from '#server/composition/cluster-settings.ts'
import { StartProblem } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  type ClusterSettings,
  deleteLostNodes,
  deleteNode,
  insertNode,
  listRunningNodes,
  lockCluster,
  nodeLifetimeMs,
  type NodeRow,
  readClusterFact,
  renewNode,
  writeClusterFact,
} from '#server/db/cluster/nodes.ts'
import type { NodeRole } from '#server/db/tables/node-tables.ts'
import { writeAsSystem } from '#server/db/transaction.ts'

const renewalMs = 10_000
/** Maximum time in ms to delete the row at the stop. Without the database the row expires by itself. */
const maxLeaveMs = 2000

type ClusterContext = Pick<AppContext, 'config' | 'database' | 'log' | 'clock'>

export interface JoinOptions {
  role: NodeRole
  build: string
  settings: ClusterSettings
  /**
   * Called if nodes with other settings have started since this node was last seen, for example because its machine was suspended. The node
   * must stop.
   */
  onDifference: () => void
  /** Interval of the renewals in ms. */
  everyMs?: number
}

export interface ClusterMember {
  /** The same for all nodes until no node runs. */
  runId: string
  hostName: string
  leave(): Promise<void>
}

/** Throws StartProblem if settings differ from those of running nodes. The embedded database has only one node, which always joins. */
export async function joinCluster(app: ClusterContext, options: JoinOptions): Promise<ClusterMember> {
  const hostName = hostname()
  if (app.database.engine === 'embedded') return { runId: randomUUID(), hostName, leave: async () => undefined }
  const now = app.clock()
  const row: NodeRow = {
    id: randomUUID(),
    host_name: hostName,
    role: options.role,
    build: options.build,
    started_at: now,
    seen_at: now,
  }
  const { runId, changedNames } = await writeAsSystem(app, (db) => register(db, row, options.settings, app.clock()))
  if (changedNames.length > 0)
    app.log.info(
      { event: 'settings_changed', settings: changedNames },
      'settings that all nodes share differ from those of the last start',
    )
  const stopRenewals = startRenewals(app, row, options)
  return { runId, hostName, leave: () => leaveCluster(app, row.id, stopRenewals) }
}

async function register(db: DatabaseHandle, row: NodeRow, settings: ClusterSettings, now: number) {
  await lockCluster(db)
  await deleteLostNodes(db, now)
  const otherNodes = await listRunningNodes(db, now)
  const fact = await readClusterFact(db)
  const changedNames = listDifferences(fact?.settings ?? {}, settings)
  if (fact && otherNodes.length > 0 && changedNames.length > 0)
    throw createDifferenceProblem(changedNames, settings, fact.settings, otherNodes)
  const isFirst = fact === null || otherNodes.length === 0
  const runId = isFirst ? row.id : fact.runId
  // A node of another version may compare other settings, so theirs stay.
  await writeClusterFact(db, { runId, settings: isFirst ? settings : { ...fact.settings, ...settings } })
  await insertNode(db, { ...row, seen_at: now })
  return { runId, changedNames }
}

/** Registers a running node again that was not seen for a while. Throws StartProblem if nodes with other settings have started since. */
async function registerAgain(db: DatabaseHandle, row: NodeRow, settings: ClusterSettings, now: number): Promise<void> {
  await lockCluster(db)
  const fact = await readClusterFact(db)
  const changedNames = listDifferences(fact?.settings ?? {}, settings)
  if (fact && changedNames.length > 0)
    throw createDifferenceProblem(changedNames, settings, fact.settings, await listRunningNodes(db, now))
  await insertNode(db, { ...row, seen_at: now })
}

/** Returns the names of the settings that both have with different values. */
const listDifferences = (clusterSettings: ClusterSettings, settings: ClusterSettings): string[] =>
  Object.keys(settings).filter((name) => name in clusterSettings && clusterSettings[name] !== settings[name])

function createDifferenceProblem(
  names: readonly string[],
  settings: ClusterSettings,
  clusterSettings: ClusterSettings,
  nodes: readonly NodeRow[],
): StartProblem {
  const describe = (name: string) => {
    const [value = '', clusterValue = ''] = [settings[name], clusterSettings[name]]
    const isSecret = isFingerprint(value) || isFingerprint(clusterValue)
    return isSecret ? name : `${name} (here "${value}", there "${clusterValue}")`
  }
  const hostNames = [...new Set(nodes.map(({ host_name }) => host_name))].join(', ')
  return new StartProblem(
    `${names.map(describe).join(', ')} must be the same on all nodes, but ${nodes.length === 1 ? '1 other node runs' : `${nodes.length} other nodes run`} with another value (${hostNames}): ` +
      `make them equal, or stop those nodes first. A node that was killed counts as running for ${nodeLifetimeMs / 1000} seconds.`,
  )
}

function startRenewals(
  app: ClusterContext,
  row: NodeRow,
  { settings, onDifference, everyMs = renewalMs }: JoinOptions,
) {
  let renewalPromise: Promise<void> | null = null
  const timer = setInterval(() => {
    renewalPromise ??= renew().finally(() => {
      renewalPromise = null
    })
  }, everyMs).unref()

  async function renew(): Promise<void> {
    try {
      await writeAsSystem(app, async (db) => {
        if (!(await renewNode(db, row.id, app.clock()))) await registerAgain(db, row, settings, app.clock())
      })
    } catch (error) {
      if (!(error instanceof StartProblem)) {
        app.log.warn({ event: 'node_renewal_failed', err: error }, 'could not record that this node is running')
        return
      }
      clearInterval(timer)
      app.log.fatal(
        { event: 'node_settings_differ', reason: error.message },
        'the node stops: nodes with other settings have started since it was last seen',
      )
      onDifference()
    }
  }

  return async () => {
    clearInterval(timer)
    await renewalPromise
  }
}

async function leaveCluster(app: ClusterContext, id: string, stopRenewals: () => Promise<void>): Promise<void> {
  const timeoutController = new AbortController()
  const leave = async () => {
    await stopRenewals()
    await writeAsSystem(app, (db) => deleteNode(db, id))
  }
  await Promise.race([
    // The row of a node that cannot be deleted expires.
    leave().catch(() => undefined),
    wait(maxLeaveMs, undefined, { signal: timeoutController.signal }).catch(() => undefined),
  ])
  timeoutController.abort()
}
