/**
 * The lease of the node that runs the hosted services (HOSTING=local). The services are processes and folders of one machine, so a second
 * node would report all of them as failed. The lease belongs to the folder of the services: its random id is stored there. A restart of the
 * same node continues at once, because the process that had the lease has ended.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { toFolderProblem } from '#server/config/folder-problem.ts'
import { type Config, StartProblem } from '#server/config/config.ts'
import { describeNode } from '#server/context/node-name.ts'
import {
  acquireClusterLeases,
  type ClusterLease,
  findClusterLease,
  type LeaseRequest,
} from '#server/db/cluster/leases.ts'
import { readAsSystem, writeAsSystem, type DatabaseOwner } from '#server/db/transaction.ts'
import { isOfThisHost, isRunning, readIdentity } from '#server/drivers/hosting/local/process-identity.ts'

export const hostingLeaseName = 'hosting'
/** Times in ms. The holder stops its work `margin` before the lease ends. */
export const hostingLeaseTimesMs = { lease: 30_000, renew: 5000, margin: 1000 }

export interface HostingLease {
  isHeld(): boolean
  /** Stops renewing. The lease is not released: a restart of this node continues at once, another node has to wait until it expires. */
  close(): Promise<void>
}

/** For nodes that do not host services, and for the embedded database, whose folder only one process opens. */
export const noHostingLease: HostingLease = { isHeld: () => true, close: async () => undefined }

export type HostingLeaseApp = DatabaseOwner & {
  config: Pick<Config, 'hosting' | 'hostingDir'>
  log: Logger
  clock: () => number
}

/** Throws StartProblem if another node runs the hosted services. */
export async function openHostingLease(app: HostingLeaseApp): Promise<HostingLease> {
  if (app.config.hosting !== 'local' || app.database.engine === 'embedded') return noHostingLease
  const { hostingDir } = app.config
  const hostId = await readHostId(hostingDir).catch((error: unknown) => {
    throw toFolderProblem(error, hostingDir)
  })
  const holder = formatHolder(hostId)
  const currentLease = await readAsSystem(app, (db) => findClusterLease(db, hostingLeaseName))
  const endedHolder = currentLease && hasEnded(currentLease, hostId) ? currentLease.holder : undefined
  const validUntil = await acquire(app, holder, endedHolder)
  if (validUntil === null)
    throw createRefusal(app, await readAsSystem(app, (db) => findClusterLease(db, hostingLeaseName)))
  return keepHostingLease(app, holder, validUntil)
}

/** Returns the end of the lease in epoch ms, or null if another process has it. */
async function acquire(app: HostingLeaseApp, holder: string, endedHolder?: string): Promise<number | null> {
  const now = app.clock()
  const until = now + hostingLeaseTimesMs.lease
  const request: LeaseRequest = { holder, node: describeNode(), now, until, endedHolder }
  const leases = await writeAsSystem(app, (db) => acquireClusterLeases(db, [hostingLeaseName], request))
  return leases.has(hostingLeaseName) ? until : null
}

function keepHostingLease(app: HostingLeaseApp, holder: string, firstValidUntil: number): HostingLease {
  let validUntil = firstValidUntil
  let isLossLogged = false
  let isClosed = false
  const isHeld = () => app.clock() < validUntil - hostingLeaseTimesMs.margin

  async function renew(): Promise<void> {
    // While the database cannot be reached, the lease stays valid until its end.
    const renewedUntil = await acquire(app, holder).catch(() => undefined)
    if (renewedUntil !== undefined) validUntil = renewedUntil ?? -Infinity
    if (isHeld() === !isLossLogged || isClosed) return
    isLossLogged = !isLossLogged
    if (isLossLogged)
      app.log.error(
        { event: 'hosting_lease_lost' },
        'this node stopped its work on hosted services: its lease expired or another node has it',
      )
    else app.log.info({ event: 'hosting_lease_acquired' }, 'this node works on hosted services again')
  }
  let renewal = Promise.resolve()
  let isRenewing = false
  const timer = setInterval(() => {
    if (isRenewing) return
    isRenewing = true
    renewal = renew().finally(() => (isRenewing = false))
  }, hostingLeaseTimesMs.renew).unref()
  return {
    isHeld,
    async close() {
      isClosed = true
      clearInterval(timer)
      await Promise.race([renewal, wait(1000, undefined, { ref: false })])
    },
  }
}

/** Reads the id of the folder of hosted services, or creates it. Throws StartProblem if the folder cannot be used. */
async function readHostId(hostingDir: string): Promise<string> {
  const path = join(hostingDir, 'host-id')
  const text = await readOrCreate(hostingDir, path).catch((error: Error) => {
    throw new StartProblem(`Could not write to HOSTING_DIR (${hostingDir}): ${error.message}.`, { cause: error })
  })
  const hostId = text.trim()
  if (!/^[\w-]{1,64}$/.test(hostId))
    throw new StartProblem(
      `${path} does not contain the id of this host: delete it, so that the server writes a new one.`,
    )
  return hostId
}

async function readOrCreate(hostingDir: string, path: string): Promise<string> {
  await mkdir(hostingDir, { recursive: true, mode: 0o711 })
  try {
    await writeFile(path, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return await readFile(path, 'utf8')
}

/** The id of the folder, then the process: its number, its start time and the boot of its machine. */
const formatHolder = (hostId: string): string =>
  `${hostId} ${process.pid} ${readIdentity(process.pid)?.started ?? ''}`.trimEnd()

/**
 * Whether the holder was a process of this machine, for the same folder, and has ended. A process on another machine may still run, although
 * its folder was copied to this one.
 */
function hasEnded({ holder }: ClusterLease, hostId: string): boolean {
  const [, holderHostId, pid, started = ''] = /^(\S+) (\d+) ?(.*)$/.exec(holder) ?? []
  const identity = { pid: Number(pid), started }
  return holderHostId === hostId && isOfThisHost(identity) && !isRunning(identity)
}

function createRefusal(app: HostingLeaseApp, lease: ClusterLease | null): StartProblem {
  const seconds = Math.max(1, Math.ceil(((lease?.until ?? 0) - app.clock()) / 1000))
  const since = new Date(lease?.since ?? 0).toISOString()
  return new StartProblem(
    `Another node (${lease?.node}, since ${since}) runs the hosted services of this portal: set HOSTING=elsewhere here, ` +
      `or stop that node and wait ${seconds} seconds.`,
  )
}
