/**
 * Leases of the scheduled jobs that run once per cluster. A node keeps the leases that it gets and renews them together every few seconds,
 * so that frequent jobs cost no further statements. The other nodes only read, and take over when the leases expire.
 */
import { randomUUID } from 'node:crypto'
import type { AppContext } from '#server/context/context.ts'
import { describeNode } from '#server/context/node-name.ts'
import { acquireClusterLeases, listForeignLeases, releaseClusterLeases } from '#server/db/cluster/leases.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'

/** Times in ms. A killed node is replaced after at most `lease` plus `renew`. The holder stops `margin` before its lease ends. */
export const jobLeaseTimesMs = { lease: 15_000, renew: 4000, margin: 1000 }

/** Channel on which a node that stops announces that its leases are free. */
const freeLeasesChannel = 'portal_leases'

export interface JobLeases {
  holder: string
  isHeld(jobName: string): boolean
  /** Tries to get or renew the leases now. Never rejects. */
  renew(): Promise<void>
  /** Stops renewing and lets the other nodes take over. */
  release(): Promise<void>
}

export const toLeaseName = (jobName: string) => `job ${jobName}`

/** `onAcquired` is called with the jobs whose leases this node got. */
export function holdJobLeases(
  app: AppContext,
  jobNames: readonly string[],
  onAcquired: (jobNames: readonly string[]) => void,
): JobLeases {
  const holder = randomUUID()
  const node = describeNode()
  const leaseNames = jobNames.map(toLeaseName)
  let heldNames: ReadonlySet<string> = new Set()
  let validUntil = -Infinity
  let isReleased = false
  let hasFailed = false

  const isHeld = (jobName: string) =>
    heldNames.has(toLeaseName(jobName)) && app.clock() < validUntil - jobLeaseTimesMs.margin

  async function acquire(): Promise<void> {
    const now = app.clock()
    const until = now + jobLeaseTimesMs.lease
    const foreignNames = await readAsSystem(app, (db) => listForeignLeases(db, leaseNames, { holder, now }))
    const freeNames = leaseNames.filter((name) => !foreignNames.has(name))
    const leases = await writeAsSystem(app, (db) => acquireClusterLeases(db, freeNames, { holder, node, now, until }))
    const formerJobs = new Set(jobNames.filter(isHeld))
    if (isReleased) return
    heldNames = new Set(leases.keys())
    validUntil = until
    const acquiredJobs = jobNames.filter((name) => isHeld(name) && !formerJobs.has(name))
    if (acquiredJobs.length === 0) return
    app.log.info(
      { event: 'scheduled_jobs_acquired', jobs: acquiredJobs },
      'this node runs scheduled jobs of the cluster',
    )
    onAcquired(acquiredJobs)
  }

  async function renewOrLog(): Promise<void> {
    try {
      await acquire()
      hasFailed = false
    } catch (error) {
      // Logged once per failure of the database, not every few seconds.
      if (!hasFailed)
        app.log.warn(
          { event: 'scheduled_job_leases_failed', err: error },
          'could not renew the leases of scheduled jobs',
        )
      hasFailed = true
    }
  }
  let renewal: Promise<void> | null = null
  const renew = async (): Promise<void> => {
    if (isReleased) return
    renewal ??= renewOrLog().finally(() => (renewal = null))
    await renewal
  }
  const timer = setInterval(() => void renew(), jobLeaseTimesMs.renew).unref()
  const unsubscribe = app.database.listen(freeLeasesChannel, () => void renew())
  void renew()

  return {
    holder,
    isHeld,
    renew,
    async release() {
      clearInterval(timer)
      unsubscribe()
      await renewal
      isReleased = true
      heldNames = new Set()
      // If the database cannot be reached, the leases expire by themselves.
      await writeAsSystem(app, (db) => releaseClusterLeases(db, leaseNames, holder)).catch(() => undefined)
      await app.database.announce(freeLeasesChannel, '').catch(() => undefined)
    },
  }
}
