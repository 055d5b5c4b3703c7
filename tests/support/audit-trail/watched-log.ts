/** A company's log on the real server and devices that watch it, with somebody on the line between who lies. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { listTrail } from '#contract/audit-trail.ts'
import { type AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { verifierKeyOf } from '#domain/audit-log/note.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { originOf } from '#server/use-cases/audit/log-identity.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { type Between, keep, type Liar, resetWithTrail, signedInBehind } from '#tests/support/audit-trail/kept-trail.ts'
import { type Forgery, forgedLog } from '#tests/support/audit-trail/forged-log.ts'
export const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

export let house: Installation
export let companyId: number
/** For each test of the file 600 entries of a month. */
export function setUpLog(): void {
  beforeAll(async () => {
    house = await openInstallation()
  })
  afterAll(() => house.close())
  beforeEach(async () => {
    await resetWithTrail(house)
    companyId = house.server.world.companies.alpha
  })
}

export const database = async (tablet: Tablet) => {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.of(session)
}

/** The leaves of the company's log as they are, in order. */
export const leaves = () =>
  inTransaction(house.server.app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ leaf: string }>`
      select entry.leaf from audit_leaf place join audit_entry entry on entry.id = place.entry_id
      where place.company_id = ${companyId} order by place.log_index`.execute(db)
    return rows.map(({ leaf }) => leaf)
  })

export const forged = (entries: readonly string[], over?: Forgery) =>
  forgedLog(house.server.app, companyId, entries, over)

export async function kept(): Promise<Liar> {
  const liar = await signedInBehind(house, 'admin@alpha')
  expect(await keep(liar.tablet, month)).toEqual({ kind: 'done' })
  liars.set(liar.tablet, liar)
  return liar
}
export const keyFrom = (seed: Uint8Array) => verifierKeyOf(originOf(house.server.app, companyId), seed)
export const checkpointOf = async (tablet: Tablet) => (await database(tablet)).logCheckpoints.get(companyId)
/** Reads a page of the trail from the device or the server. */
export async function entries(tablet: Tablet): Promise<AuditEntryRow[]> {
  const answer = await tablet.api.call(listTrail, { query: { ...month, results: 50 } })
  await tablet.rest()
  if (answer.kind !== 'fresh' && answer.kind !== 'kept') throw new Error(answer.kind)
  return answer.output?.data as unknown as AuditEntryRow[]
}

/** Runs it with that liar on the line. */
export async function behind<T>(tablet: Tablet, between: Between, act: () => Promise<T>): Promise<T> {
  const liar = liars.get(tablet)
  if (!liar) throw new Error('nobody sits on that line')
  liar.between = between
  const result = await act()
  liar.between = null
  return result
}
const liars = new Map<Tablet, Liar>()
