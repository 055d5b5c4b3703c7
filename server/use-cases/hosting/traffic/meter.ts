/**
 * Bytes of a backup or a restore, written down as they move, so that a kill loses at most the last few MB: those that nobody
 * has seen arrive. They count in the month in which they moved (D22), and never in one that was billed.
 */
import { countedIn } from '#domain/traffic-months.ts'
import { addMoved, movedByRun, type Run } from '#server/db/hosting/traffic.ts'
import { serviceForUpdate } from '#server/db/hosting/services.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { Meter } from '#server/drivers/backup-store/driver.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

export type { Run } from '#server/db/hosting/traffic.ts'

/** That may move before they are written down. */
const flushedBytes = 4_000_000

export interface OpenMeter {
  meter: Meter
  /** Writes down what is left. Throws where that cannot be done: the run is not done before it is. */
  finish(): Promise<void>
}

/** A run that was cut off and is done again under its name adds only what goes beyond what it had moved. */
export function openMeter(app: AppContext, run: Run): OpenMeter {
  let moved = 0
  let written = 0
  let last: Promise<void> = Promise.resolve()

  const flush = (): Promise<void> => {
    // One after the other: parts that are sent side by side are one run.
    last = last
      .catch(() => undefined)
      .then(async () => {
        const upto = moved
        if (upto === written) return
        await writeDown(app, run, upto)
        written = upto
      })
    return last
  }

  return {
    async meter(bytes) {
      moved += bytes
      if (moved - written < flushedBytes) return
      await flush().catch((error: unknown) => {
        app.log.warn({ err: error, run: run.run }, 'moved bytes could not be written down yet')
      })
    },
    finish: flush,
  }
}

/** Under the service's lock, so that its month is not billed meanwhile. */
const writeDown = (app: AppContext, run: Run, upto: number): Promise<void> =>
  inTransaction(app, { role: 'portal_system' }, async (db) => {
    const service = await serviceForUpdate(db, run.serviceId)
    if (!service) throw new Error('what moves bytes is of no service')
    const bytes = upto - (await movedByRun(db, run.run))
    if (bytes <= 0) return
    const { today } = momentOf({ app, now: app.clock() })
    await addMoved(db, run, { month: countedIn(today, service.closed_month), bytes })
  })
