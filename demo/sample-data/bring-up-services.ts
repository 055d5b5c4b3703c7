/** The services of the demo world are said to run: where this machine runs services, they do. */
import type { Handle } from '#server/db/handle.ts'
import { serviceForUpdate, servicesOfDemo } from '#server/db/hosting/services.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { beginByClock } from '#server/use-cases/hosting/tend-services.ts'

/** What its addresses end in until then: no machine answers there. */
export const demoDomain = '.m18.example/'

/** Begins to create those that were never created here. */
export async function bringUpServices(app: AppContext): Promise<void> {
  const system = { role: 'portal_system' } as const
  const rows = await inTransaction(app, system, (db) => servicesOfDemo(db, demoDomain), 'reading')
  for (const row of rows) await inTransaction(app, system, (db) => bringUp(db, row, app.clock()))
  if (rows.length > 0) notifyJobs(app)
}

async function bringUp(db: Handle, row: Parameters<typeof beginByClock>[1], now: number): Promise<void> {
  const held = await serviceForUpdate(db, row.id)
  if (held && held.operation === null) await beginByClock(db, { ...row, fence: held.fence }, 'create-service', now)
}
