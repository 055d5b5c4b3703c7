/** Creates the services that the demo data marks as running, if this machine hosts services. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { lockService, listDemoServices } from '#server/db/hosting/services.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { startOperationByClock } from '#server/use-cases/hosting/run-due-service-work.ts'

/** Suffix of the addresses until the service is created. No server answers there. */
export const demoDomain = '.m18.example/'

export async function bringUpServices(app: AppContext): Promise<void> {
  const system = { role: 'portal_system' } as const
  const rows = await runInTransaction(app, system, (db) => listDemoServices(db, demoDomain), 'reading')
  for (const row of rows) await runInTransaction(app, system, (db) => bringUpService(db, row, app.clock()))
  if (rows.length > 0) notifyJobs(app)
}

async function bringUpService(
  db: DatabaseHandle,
  row: Parameters<typeof startOperationByClock>[1],
  now: number,
): Promise<void> {
  const service = await lockService(db, row.id)
  if (service && service.operation === null)
    await startOperationByClock(db, { ...row, fence: service.fence }, 'create-service', now)
}
