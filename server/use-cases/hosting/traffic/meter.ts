/**
 * Bytes of a backup or a restore, written down as they move, so that a kill loses at most the last few MB: those that nobody
 * has seen arrive. They count in the month in which they moved (D22), and never in one that was billed.
 */
import { getCountingMonth } from '#domain/traffic-months.ts'
import { addTraffic, sumTrafficOfRun, type TrafficRun } from '#server/db/hosting/traffic.ts'
import { lockService } from '#server/db/hosting/services.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ByteMeter } from '#server/drivers/backup-store/backup-store.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export type { TrafficRun } from '#server/db/hosting/traffic.ts'

/** That may move before they are written down. */
const flushBytes = 4_000_000

export interface OpenMeter {
  meter: ByteMeter
  /** Writes down what is left. Throws where that cannot be done: the run is not done before it is. */
  finish(): Promise<void>
}

/** A run that was cut off and is done again under its name adds only what goes beyond what it had moved. */
export function openMeter(app: AppContext, run: TrafficRun): OpenMeter {
  let movedBytes = 0
  let writtenBytes = 0
  let lastFlush: Promise<void> = Promise.resolve()

  const flush = (): Promise<void> => {
    // One after the other: parts that are sent side by side are one run.
    lastFlush = lastFlush
      .catch(() => undefined)
      .then(async () => {
        const totalBytes = movedBytes
        if (totalBytes === writtenBytes) return
        await writeMovedBytes(app, run, totalBytes)
        writtenBytes = totalBytes
      })
    return lastFlush
  }

  return {
    async meter(bytes) {
      movedBytes += bytes
      if (movedBytes - writtenBytes < flushBytes) return
      await flush().catch((error: unknown) => {
        app.log.warn(
          { event: 'traffic_record_delayed', err: error, run: run.run },
          'could not record the traffic of a restore or backup yet; retrying',
        )
      })
    },
    finish: flush,
  }
}

/** Under the service's lock, so that its month is not billed meanwhile. */
const writeMovedBytes = (app: AppContext, run: TrafficRun, totalBytes: number): Promise<void> =>
  writeAsSystem(app, async (db) => {
    const service = await lockService(db, run.serviceId)
    if (!service) throw new Error('what moves bytes is of no service')
    const bytes = totalBytes - (await sumTrafficOfRun(db, run.run))
    if (bytes <= 0) return
    const { today } = getBusinessMoment({ app, now: app.clock() })
    await addTraffic(db, run, { month: getCountingMonth(today, service.closed_month), bytes })
  })
