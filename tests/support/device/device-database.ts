/** Builds users in the server's format and outbox entries about them, for tests of the device's storage. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { listUsers, type UserRow } from '#contract/users.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, openDevice } from '#local/storage/device.ts'
import type { NewEntry } from '#local/outbox/enqueue.ts'
import { openSession } from '#local/session/session.ts'
import type { ListQuery } from '#local/lists/list-view.ts'

export const companyId = 7
export const userList = listUsers.list as NonNullable<typeof listUsers.list>

export interface TestDevice {
  device: Device
  db: UserDatabase
  generation: number
}

export async function openTestDevice(): Promise<TestDevice> {
  const device = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange })
  await openSession(device, { companyId, userId: 1 })
  return { device, db: device.getDatabase({ companyId, userId: 1 }), generation: 1 }
}

export const buildUser = (id: number, fields: Partial<UserRow> = {}) => ({
  name: `User ${id}`,
  email: `user${id}@acme.example`,
  title: 0 as const,
  admin: false,
  order: false,
  alert: false,
  status: 1 as const,
  avatar: null,
  language: 'en' as const,
  access_level: 0 as const,
  company_id: companyId,
  company_name: 'Acme',
  company_code: 'acme',
  create_time: '2026-01-01 00:00:00',
  update_time: '2026-01-01 00:00:00',
  row_version: 1,
  ...fields,
  id,
})

export const firstPage: ListQuery = { scope: companyId, filters: {}, sort: ['name', 'asc'], page: 1, results: 10 }

export const buildPageResponse = (
  rows: ReturnType<typeof buildUser>[],
  asOf: number,
  change = '1',
  count = rows.length,
) => ({
  rows,
  count,
  asOf,
  change,
})

let entryCount = 0

/** Builds an outbox entry, by default a change of a user's title. */
export function buildNewEntry(fields: Partial<NewEntry> = {}): NewEntry {
  const intent = fields.intent ?? crypto.randomUUID()
  entryCount += 1
  return {
    intent,
    key: crypto.randomUUID(),
    endpoint: 'updateCompanyUser',
    kind: 'user',
    table: 'users',
    target: 1,
    action: 'change',
    input: { params: { id: fields.target ?? 1 }, body: { title: 1 } },
    isVersioned: true,
    ifMatch: null,
    base: null,
    referredIntents: [],
    forUser: `${companyId}:1`,
    since: entryCount,
    ...fields,
  }
}
