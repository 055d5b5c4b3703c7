/** Provides a company's log on the real server, devices that watch it, and an interceptor that changes responses. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { listTrail } from '#contract/audit-trail.ts'
import { type AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { getLogOrigin } from '#server/use-cases/audit/log-identity.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import {
  type RequestInterceptor,
  storeTrail,
  type InterceptedTablet,
  resetWithTrail,
  signInIntercepted,
} from '#tests/support/audit-trail/stored-trail.ts'
import { type ForgedLogOptions, createForgedLog } from '#tests/support/audit-trail/forged-log.ts'
export const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

export let installation: Installation
export let companyId: number
/** Sets up 600 entries of a month for each test of the file. */
export function setUpLog(): void {
  beforeAll(async () => {
    installation = await openInstallation()
  })
  afterAll(() => installation.close())
  beforeEach(async () => {
    await resetWithTrail(installation)
    companyId = installation.server.world.companies.alpha
  })
}

export const openUserDatabase = async (tablet: Tablet) => {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.getDatabase(session)
}

export const readLeaves = () =>
  runInTransaction(installation.server.app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ leaf: string }>`
      select entry.leaf from audit_leaf place join audit_entry entry on entry.id = place.entry_id
      where place.company_id = ${companyId} order by place.log_index`.execute(db)
    return rows.map(({ leaf }) => leaf)
  })

export const forgeLog = (entries: readonly string[], options?: ForgedLogOptions) =>
  createForgedLog(installation.server.app, companyId, entries, options)

export async function signInWithStoredTrail(): Promise<InterceptedTablet> {
  const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
  expect(await storeTrail(interceptedTablet.tablet, month)).toEqual({ kind: 'done' })
  interceptedByTablet.set(interceptedTablet.tablet, interceptedTablet)
  return interceptedTablet
}
export const toVerifierKey = (seed: Uint8Array) =>
  createVerifierKey(getLogOrigin(installation.server.app, companyId), seed)
export const readCheckpoint = async (tablet: Tablet) => (await openUserDatabase(tablet)).logCheckpoints.get(companyId)
export async function listEntries(tablet: Tablet): Promise<AuditEntryRow[]> {
  const result = await tablet.api.call(listTrail, { query: { ...month, results: 50 } })
  await tablet.settle()
  if (result.kind !== 'fresh' && result.kind !== 'cached') throw new Error(result.kind)
  return result.output?.data as unknown as AuditEntryRow[]
}

export async function withInterceptor<T>(
  tablet: Tablet,
  intercept: RequestInterceptor,
  action: () => Promise<T>,
): Promise<T> {
  const interceptedTablet = interceptedByTablet.get(tablet)
  if (!interceptedTablet) throw new Error('nobody sits on that line')
  interceptedTablet.intercept = intercept
  const result = await action()
  interceptedTablet.intercept = null
  return result
}
const interceptedByTablet = new Map<Tablet, InterceptedTablet>()
