/**
 * Puts a backup into a service: read to its end and compared before anything of the service is touched, then exchanged as a whole.
 * A kill makes it begin again; whatever ends it, the service has the data that it had, or that of the backup.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { restoreBackup as endpoint } from '#contract/backups.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { Handle } from '#server/db/handle.ts'
import { endRestore } from '#server/db/hosting/restores.ts'
import { storedNow } from '#server/db/hosting/stored-backups.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'
import type { JobKind, Step, Work } from '#server/jobs/job-kind.ts'
import { patience } from '#server/jobs/operate-service.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import type { RestoreInput } from '#server/use-cases/hosting/backups/ask-restore.ts'
import { faultIn, faultOf } from '#server/use-cases/hosting/backups/faults.ts'
import { progressTeller } from '#server/use-cases/hosting/backups/progress-teller.ts'
import { readBackup } from '#server/use-cases/hosting/backups/read-backup.ts'
import { type Watched, watchStalls } from '#server/use-cases/hosting/backups/stalls.ts'
import { type OperationPoint, settleOperation } from '#server/use-cases/hosting/settle-operation.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'

type Output = OutputOf<typeof endpoint>

/** `next`: 0 the data, 1 its health, 2 done. */
export interface RestorePoint extends OperationPoint {
  tables: number
  rows: number
  /** Tries that met nobody. */
  tries: number
}

/** How long to wait before what did not answer is asked again, ms. */
export const restoreRetries = { waits: [2_000, 10_000, 30_000] }

type Restoring = Work<RestoreInput, RestorePoint>

export const restoreBackup = (): JobKind<RestoreInput, RestorePoint, Output> => ({
  resumes: true,
  settle,
  ended: ({ app, input }) => announceServices(app, input.companyId),
  async step(work) {
    const point = work.point ?? { next: 0, tables: 0, rows: 0, tries: 0 }
    if (point.next === 0) return await putBack(work, point).catch((error: unknown) => again(work, point, error))
    if (point.next === 1) return await health(work, point)
    const { backupId: backup_id, serviceId: service_id } = work.input
    return { kind: 'done', output: { backup_id, service_id, tables: point.tables, rows: point.rows } }
  },
})

async function putBack({ app, input, tell }: Restoring, point: RestorePoint): Promise<Step<RestorePoint, Output>> {
  const { backupId, restoreId, companyId, serviceId, code, fence } = input
  const backup = await inTransaction(app, system, (db) => storedNow(db, backupId), 'reading')
  if (backup?.state !== 'done') throw new ProblemError('STATE_CONFLICT', { why: 'missing' })
  // What moves is of the service that the backup is of: its subscription pays for it.
  const run = { companyId, serviceId: backup.service_id, run: `restore-${restoreId}` }
  const { meter, finish } = openMeter(app, run)
  const watched = watchStalls()
  const told = progressTeller(tell)
  let moved = 0
  async function counted(bytes: number): Promise<void> {
    watched.beat()
    moved += bytes
    told(moved, backup?.bytes ?? null)
    await meter(bytes)
  }
  /** Once all of it was read, and is what was written: before anything is exchanged. */
  async function* pieces(): AsyncGenerator<DataPiece> {
    if (!backup) return
    yield* beating(readBackup(app, backup, counted), watched)
    await finish()
  }
  try {
    await watched.watch(app.hosting.replaceData({ serviceId, code }, pieces(), { fence }))
  } catch (error) {
    // It moved, though it came to nothing.
    await finish().catch((unwritten: unknown) =>
      app.log.warn({ err: unwritten, restore: restoreId }, 'moved bytes could not be written down'),
    )
    throw error
  }
  const { tables, rows } = backup
  return { kind: 'on', point: { ...point, next: 1, tables: tables ?? 0, rows: rows ?? 0 }, percent: 90 }
}

async function* beating<T>(given: AsyncIterable<T>, { beat }: Watched): AsyncGenerator<T> {
  for await (const one of given) {
    beat()
    yield one
    beat()
  }
}

async function again(
  { app, input }: Restoring,
  point: RestorePoint,
  error: unknown,
): Promise<Step<RestorePoint, Output>> {
  const fault = faultOf(error)
  if (fault === null) throw error
  app.log.warn({ err: error, restore: input.restoreId, fault }, 'a restore failed')
  const waitMs = restoreRetries.waits[point.tries]
  if (fault !== 'unreachable' || waitMs === undefined) throw new ProblemError('STATE_CONFLICT', { why: fault })
  await wait(waitMs)
  return { kind: 'on', point: { ...point, tries: point.tries + 1 }, percent: 1 }
}

/** The data is there, whatever its tasks do now: the health check says that from here on. */
async function health({ app, input }: Restoring, point: RestorePoint): Promise<Step<RestorePoint, Output>> {
  const since = point.waitsSince ?? app.clock()
  const { serviceId, code } = input
  const state = await app.hosting.look({ serviceId, code }).catch(() => null)
  const isStill = state !== null && (state.active === null || state.active.tasks === 0)
  const isOver = isStill || state?.healthy === true || app.clock() - since > patience.health
  if (!isOver) await wait(patience.look)
  return { kind: 'on', point: { ...point, next: isOver ? 2 : 1, waitsSince: since, state }, percent: 95 }
}

async function settle(db: Handle, work: Restoring, problem: ProblemError | null): Promise<Output> {
  const { app, input, point } = work
  await settleOperation(db, { app, input, point }, problem)
  await endRestore(db, input.restoreId, problem && faultIn(problem), app.clock())
  const { backupId: backup_id, serviceId: service_id } = input
  return { backup_id, service_id, tables: point?.tables ?? 0, rows: point?.rows ?? 0 }
}

const system = { role: 'portal_system' } as const
