/**
 * Records the bytes of a backup or restore during the transfer. A kill loses at most the last few MB. The bytes are added to the month of
 * the transfer (D22), or to a later one if that month is already billed.
 */
import { getCountingMonth } from '#domain/traffic-months.ts'
import { addTraffic, sumTrafficOfRun, type TrafficRun } from '#server/db/hosting/traffic.ts'
import { lockService } from '#server/db/hosting/services.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ByteMeter } from '#server/drivers/file-store/file-store.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export type { TrafficRun } from '#server/db/hosting/traffic.ts'

const flushBytes = 4_000_000

export interface OpenMeter {
  meter: ByteMeter
  /** Records the bytes that are not recorded yet. Throws if that fails. The run is complete only after this call. */
  finish(): Promise<void>
}

/** If a run is repeated under the same name, only the bytes beyond the recorded number are added. */
export function openMeter(app: AppContext, run: TrafficRun): OpenMeter {
  let movedBytes = 0
  let writtenBytes = 0
  let lastFlush: Promise<void> = Promise.resolve()

  const flush = (): Promise<void> => {
    // Records are written one after the other, because the parallel parts of a run share one total.
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

/** Runs under the service's lock, so that the month is not billed meanwhile. */
const writeMovedBytes = (app: AppContext, run: TrafficRun, totalBytes: number): Promise<void> =>
  writeAsSystem(app, async (db) => {
    const service = await lockService(db, run.serviceId)
    if (!service) throw new Error('the service of the transfer does not exist')
    const bytes = totalBytes - (await sumTrafficOfRun(db, run.run))
    if (bytes <= 0) return
    const { today } = getBusinessMoment({ app, now: app.clock() })
    await addTraffic(db, run, { month: getCountingMonth(today, service.closed_month), bytes })
  })
