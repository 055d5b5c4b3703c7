/** Provides audit trails to store on a device: entries of some days on the real server, and interceptors that change responses. */
import type { keepTrail } from '#contract/audit-trail.ts'
import { keepTrail as keepCall } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import {
  acceptTrailLog,
  startStoredTrail,
  checkTrail,
  fillStoredTrail,
  removeTrailFromDevice,
  updateStoredTrails,
} from '#request/audit-trail/store-trail.ts'
import { proveStoredTrail, proveEntry } from '#request/audit-trail/prove.ts'
import type { FillOptions } from '#request/call-results.ts'
import { signInAs, type Installation, toServerTransport } from '#tests/support/device/app.ts'
import { createTablet, type ReceivedResponse, type SentRequest, type Tablet } from '#tests/support/device/device.ts'
import { emptyTables, restoreSnapshot, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'

export const dayMs = 24 * 3_600_000

/** Adds entries with log indexes to the company's log, by default one per minute from `startAt` on. */
export async function fillTrail(
  { server }: Installation,
  companyId: number,
  count: number,
  { startAt, stepMs = 60_000, code = 'user' as const }: { startAt: number; stepMs?: number; code?: 'user' | 'price' },
): Promise<void> {
  const { app } = server
  await runInTransaction(app, { role: 'portal_app', companyId }, async (db) => {
    for (let index = 0; index < count; index += 1) {
      const entry = {
        companyId,
        userId: null,
        now: startAt + index * stepMs,
        status: index % 10 === 9 ? (-1 as const) : (0 as const),
      }
      await addAuditEntries(db, { ...entry, intent: null, requestId: `r${index}` }, [
        {
          code,
          operation: index % 2 === 0 ? 'create' : 'update',
          info: { UserName: `Person ${index}`, Note: index % 7 === 0 ? 'Élan 陈' : 'x' },
        },
      ])
    }
  })
  await integrate(app)
}

/** Time of the first entry: noon of 1 January in the business time zone. The test clock starts on 2 March. */
export const january = Date.UTC(2026, 0, 1, 4)
export const entryCount = 600

const firstSnapshots = new WeakMap<Installation, Snapshot>()

/**
 * Resets the test data, with 600 entries of January in the log of alpha. They are written once per installation, which takes a second, and
 * restored afterwards.
 */
export async function resetWithTrail(installation: Installation): Promise<void> {
  const { server } = installation
  const snapshot = firstSnapshots.get(installation)
  if (snapshot) {
    await emptyTables(server.app.database)
    await restoreSnapshot(server.app.database, snapshot)
    return
  }
  const { companies } = await server.reset()
  await fillTrail(installation, companies.alpha, entryCount, { startAt: january, stepMs: dayMs / 60 })
  firstSnapshots.set(installation, await takeSnapshot(server.app.database))
}

/** Sits between device and server and changes or replaces a response. */
export type RequestInterceptor = (
  request: SentRequest,
  forward: (replacement?: SentRequest) => Promise<ReceivedResponse>,
) => Promise<ReceivedResponse>

export interface InterceptedTablet {
  tablet: Tablet
  intercept: RequestInterceptor | null
}

export async function signInIntercepted(installation: Installation, userName: string): Promise<InterceptedTablet> {
  const transport = toServerTransport(installation.server)
  const interceptedTablet: { tablet: Tablet | null; intercept: RequestInterceptor | null } = {
    tablet: null,
    intercept: null,
  }
  interceptedTablet.tablet = createTablet(
    async (request) =>
      interceptedTablet.intercept
        ? await interceptedTablet.intercept(request, (replacement = request) => transport(replacement))
        : await transport(request),
    installation.clock,
  )
  await signInAs(interceptedTablet.tablet, userName)
  return interceptedTablet as InterceptedTablet
}

/** Stores a range of days as the page does: records the call, then fills the range. */
export async function storeTrail(
  tablet: Tablet,
  days: { dateFrom: string; dateTo: string; today?: string },
  { companyId = null, ...options }: FillOptions & { companyId?: number | null } = {},
) {
  const output = await requestStoredTrail(tablet, days, companyId)
  const { dateFrom, dateTo, today = '2026-03-02' } = days
  await startStoredTrail(tablet.ports, { dateFrom, dateTo, today }, output)
  return await fillStoredTrail(tablet.ports, output.company_id, options)
}

export async function requestStoredTrail(
  { api }: Tablet,
  { dateFrom, dateTo }: { dateFrom: string; dateTo: string },
  companyId: number | null = null,
): Promise<OutputOf<typeof keepTrail>> {
  const result = await api.call(keepCall, { body: { companyId, dateFrom, dateTo } })
  if (result.kind !== 'fresh') throw new Error(`not opened: ${JSON.stringify(result)}`)
  return result.output
}

export const createStoredTrailActions = ({ ports }: Tablet) => ({
  fill: (companyId: number, options?: FillOptions) => fillStoredTrail(ports, companyId, options),
  update: () => updateStoredTrails(ports),
  remove: (companyId: number) => removeTrailFromDevice(ports, companyId),
  check: (companyId: number) => checkTrail(ports, companyId),
  accept: (companyId: number) => acceptTrailLog(ports, companyId),
  prove: (companyId: number, entry: Parameters<typeof proveEntry>[2]) => proveEntry(ports, companyId, entry),
  proveAll: (companyId: number) => proveStoredTrail(ports, companyId),
})
