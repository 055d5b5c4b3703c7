/** Audit trails to keep on a device: entries of some days on the real server, and what a liar in between would make of them. */
import type { keepTrail } from '#contract/audit-trail.ts'
import { keepTrail as keepCall } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { accept, begin, check, fill, remove, updateAll } from '#request/audit-trail/keep-trail.ts'
import { proveAllKept, proveEntry } from '#request/audit-trail/prove.ts'
import type { FillOptions } from '#request/results.ts'
import { comeIn, type Installation, reachOf } from '#tests/support/device/app.ts'
import { createTablet, type Received, type Sent, type Tablet } from '#tests/support/device/device.ts'
import { emptyTables, putBack, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'

export const dayMs = 24 * 3_600_000

/** Entries in the company's log, one a minute from `start` on unless said otherwise, each with its place. */
export async function fillTrail(
  { server }: Installation,
  companyId: number,
  count: number,
  { start, stepMs = 60_000, code = 'user' as const }: { start: number; stepMs?: number; code?: 'user' | 'price' },
): Promise<void> {
  const { app } = server
  await inTransaction(app, { role: 'portal_app', companyId }, async (db) => {
    for (let at = 0; at < count; at += 1) {
      const entry = {
        companyId,
        userId: null,
        now: start + at * stepMs,
        status: at % 10 === 9 ? (-1 as const) : (0 as const),
      }
      await addToTrail(db, { ...entry, intent: null, requestId: `r${at}` }, [
        {
          code,
          operation: at % 2 === 0 ? 'create' : 'update',
          info: { UserName: `Person ${at}`, Note: at % 7 === 0 ? 'Élan 陈' : 'x' },
        },
      ])
    }
  })
  await integrate(app)
}

/** Noon of 1 January, in the business time zone; a house's clock stands at 2 March. */
export const january = Date.UTC(2026, 0, 1, 4)
export const count = 600

const first = new WeakMap<Installation, Snapshot>()

/** A new world with 600 entries of January in the log of alpha. Written once for a house, which takes a second, and then put back. */
export async function resetWithTrail(house: Installation): Promise<void> {
  const { server } = house
  const made = first.get(house)
  if (made) {
    await emptyTables(server.app.database)
    await putBack(server.app.database, made)
    return
  }
  const { companies } = await server.reset()
  await fillTrail(house, companies.alpha, count, { start: january, stepMs: dayMs / 60 })
  first.set(house, await takeSnapshot(server.app.database))
}

/** What stands between device and server: changes an answer, or gives one of its own. */
export type Between = (sent: Sent, pass: (instead?: Sent) => Promise<Received>) => Promise<Received>

export interface Liar {
  tablet: Tablet
  between: Between | null
}

/** A device of that person, whose line somebody can sit on. */
export async function signedInBehind(house: Installation, who: string): Promise<Liar> {
  const reach = reachOf(house.server)
  const liar: { tablet: Tablet | null; between: Between | null } = { tablet: null, between: null }
  liar.tablet = createTablet(
    async (sent) => (liar.between ? await liar.between(sent, (instead = sent) => reach(instead)) : await reach(sent)),
    house.clock,
  )
  await comeIn(liar.tablet, who)
  return liar as Liar
}

/** What the page does with a range of days: the call that is recorded, then the fill. */
export async function keep(
  tablet: Tablet,
  days: { dateFrom: string; dateTo: string; today?: string },
  { companyId = null, ...options }: FillOptions & { companyId?: number | null } = {},
) {
  const opened = await openKeep(tablet, days, companyId)
  const { dateFrom, dateTo, today = '2026-03-02' } = days
  await begin(tablet.ports, { dateFrom, dateTo, today }, opened)
  return await fill(tablet.ports, opened.company_id, options)
}

export async function openKeep(
  { api }: Tablet,
  { dateFrom, dateTo }: { dateFrom: string; dateTo: string },
  companyId: number | null = null,
): Promise<OutputOf<typeof keepTrail>> {
  const opened = await api.call(keepCall, { body: { companyId, dateFrom, dateTo } })
  if (opened.kind !== 'fresh') throw new Error(`not opened: ${JSON.stringify(opened)}`)
  return opened.output
}

export const keeper = ({ ports }: Tablet) => ({
  fill: (companyId: number, options?: FillOptions) => fill(ports, companyId, options),
  update: () => updateAll(ports),
  remove: (companyId: number) => remove(ports, companyId),
  check: (companyId: number) => check(ports, companyId),
  accept: (companyId: number) => accept(ports, companyId),
  prove: (companyId: number, entry: Parameters<typeof proveEntry>[2]) => proveEntry(ports, companyId, entry),
  proveAll: (companyId: number) => proveAllKept(ports, companyId),
})
