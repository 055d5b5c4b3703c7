import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { drop } from '#local/outbox/user-actions.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { storePage } from '#local/lists/response-store.ts'
import { accept, forgetRefused, holdForUser } from '#local/outbox/settle.ts'
import { claim } from '#local/outbox/claim.ts'
import { readReceipts, receiptLifetimeMs, sweepReceipts } from '#local/outbox/receipts.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { freeze } from '#request/writes/record-write.ts'
import {
  aDraft,
  aUser,
  company,
  list,
  firstPage,
  type Kept,
  keptDevice,
  pageAnswer,
} from '#tests/support/device/device-database.ts'

const claiming = { now: 1_000, leaseMs: 45_000, most: 4, generation: 1, stolen: false, freeze }
const accepted = { status: 200, body: '{}', row: null, version: null, now: 5_000, asOf: 5_000, generation: 1 }
const newId = () => crypto.randomUUID()

async function sent({ db }: Kept, given = {}): Promise<OutboxEntry> {
  await enqueue(db, aDraft({ since: 900, ...given }))
  const [entry] = await claim(db, claiming)
  return entry as OutboxEntry
}

describe('a receipt', () => {
  it("says what, whom, when and how it ended, and leads to the server's own record of it", async () => {
    const kept = await keptDevice()
    const entry = await sent(kept, { target: 2 })
    const row = aUser(2, { name: 'Wei', row_version: 2 })
    await accept(kept.db, entry, { ...accepted, row, outcomeId: '77' })
    expect(await readReceipts(10, kept.device)).toMatchObject([
      {
        // The trail's correlation id.
        intent: entry.intent,
        outcome: 'done',
        endpoint: 'updateCompanyUser',
        table: 'users',
        target: 2,
        name: 'Wei',
        since: 900,
        time: 5_000,
        outcomeId: '77',
      },
    ])
  })

  it('is there for what was refused and for what its user dropped, with the name the row had', async () => {
    const kept = await keptDevice()
    const { db, device, generation } = kept
    await storePage(db, list, firstPage, pageAnswer([aUser(1, { name: 'Mei' })], 100), generation)
    const refused = await sent(kept)
    await holdForUser(db, refused, 'refused', {
      status: 409,
      code: 'DUP_USER',
      message: '',
      data: null,
      requestId: null,
    })
    await forgetRefused(db, refused.intent, 6_000, newId)
    const dropped = await enqueue(db, aDraft())
    await drop(db, dropped.intent, { now: 7_000, newId })
    const told = await readReceipts(10, device)
    expect(told.map(({ outcome, code, name }) => [outcome, code, name])).toEqual([
      ['dropped', null, 'Mei'],
      ['refused', 'DUP_USER', 'Mei'],
    ])
  })

  it('is kept for thirty days', async () => {
    const kept = await keptDevice()
    await accept(kept.db, await sent(kept), accepted)
    await sweepReceipts(kept.db, 5_000 + receiptLifetimeMs)
    expect(await readReceipts(10, kept.device)).toHaveLength(1)
    await sweepReceipts(kept.db, 5_001 + receiptLifetimeMs)
    expect(await readReceipts(10, kept.device)).toEqual([])
  })
})

describe('when its user goes, nothing unsent being left', () => {
  async function leave(withKey: boolean) {
    const kept = await keptDevice()
    const { db, device } = kept
    const key = { path: getUser.path, body: JSON.stringify({ seal_key: btoa('k'.repeat(32)) }), asOf: 1 }
    if (withKey) await db.responses.put(key)
    const row = aUser(1, { name: 'Wei Confidential' })
    await accept(db, await sent(kept), { ...accepted, row, body: JSON.stringify(row) })
    await markSignedOut(device)
    const left = JSON.stringify(await Promise.all(db.tables.map((table) => table.toArray())))
    expect(left).not.toContain('Wei Confidential')
    await openSession(device, { companyId: company, userId: 1 })
    await db.responses.put(key)
    await unseal(db)
    return await readReceipts(10, device)
  }

  it('it is sealed, and comes back with them (protocol 30)', async () => {
    expect(await leave(true)).toMatchObject([{ outcome: 'done', name: 'Wei Confidential' }])
  })

  it('without a key it forgets whom it was about', async () => {
    expect(await leave(false)).toMatchObject([{ outcome: 'done', name: null }])
  })
})

it('a file that waits is sealed with its write and comes back to the byte (protocol 22, 30)', async () => {
  const { db, device } = await keptDevice()
  await db.responses.put({ path: getUser.path, body: JSON.stringify({ seal_key: btoa('k'.repeat(32)) }), asOf: 1 })
  const bytes = crypto.getRandomValues(new Uint8Array(60_000)).buffer
  const file = { field: 'avatar', name: 'me.png', type: 'image/png', bytes }
  const draft = aDraft({ endpoint: 'uploadAsset', table: '', target: null, action: 'create', versioned: false, file })
  const { intent } = await enqueue(db, draft)
  await markSignedOut(device)
  expect(await db.files.count()).toBe(0)
  await openSession(device, { companyId: company, userId: 1 })
  await db.responses.put({ path: getUser.path, body: JSON.stringify({ seal_key: btoa('k'.repeat(32)) }), asOf: 1 })
  expect(await unseal(db)).toBe(1)
  const back = await db.files.get(intent)
  expect(Buffer.from(back?.bytes ?? new ArrayBuffer(0)).equals(Buffer.from(bytes))).toBe(true)
})
