import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { dropStoredEntry } from '#local/outbox/entry-actions.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { storePage } from '#local/lists/response-store.ts'
import { acceptWrite, removeRefusedEntry, parkEntry } from '#local/outbox/settle-entry.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { readReceipts, receiptLifetimeMs, deleteOldReceipts } from '#local/outbox/receipts.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { freeze } from '#request/writes/record-write.ts'
import {
  buildNewEntry,
  buildUser,
  companyId,
  userList,
  firstPage,
  type TestDevice,
  openTestDevice,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

const claimOptions = {
  now: 1_000,
  leaseMs: 45_000,
  maxEntries: 4,
  generation: 1,
  isLockStolen: false,
  freezeRequest: freeze,
}
const acceptedWrite = { status: 200, body: '{}', row: null, version: null, now: 5_000, asOf: 5_000, generation: 1 }
const newId = () => crypto.randomUUID()

async function enqueueAndClaim({ db }: TestDevice, fields = {}): Promise<OutboxEntry> {
  await enqueue(db, buildNewEntry({ since: 900, ...fields }))
  const [entry] = await claimEntries(db, claimOptions)
  return entry as OutboxEntry
}

describe('a receipt', () => {
  it("has the action, row, time and outcome of a write, and the id of the server's record", async () => {
    const testDevice = await openTestDevice()
    const entry = await enqueueAndClaim(testDevice, { target: 2 })
    const row = buildUser(2, { name: 'Wei', row_version: 2 })
    await acceptWrite(testDevice.db, entry, { ...acceptedWrite, row, outcomeId: '77' })
    expect(await readReceipts(10, testDevice.device)).toMatchObject([
      {
        // The intent is the correlation id in the audit trail.
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

  it('exists for refused and dropped writes, with the name that the row had', async () => {
    const testDevice = await openTestDevice()
    const { db, device, generation } = testDevice
    await storePage(db, userList, firstPage, buildPageResponse([buildUser(1, { name: 'Mei' })], 100), generation)
    const refusedEntry = await enqueueAndClaim(testDevice)
    await parkEntry(db, refusedEntry, 'refused', {
      status: 409,
      code: 'DUP_USER',
      message: '',
      data: null,
      requestId: null,
    })
    await removeRefusedEntry(db, refusedEntry.intent, 6_000, newId)
    const droppedEntry = await enqueue(db, buildNewEntry())
    await dropStoredEntry(db, droppedEntry.intent, { now: 7_000, newId })
    const receipts = await readReceipts(10, device)
    expect(receipts.map(({ outcome, code, name }) => [outcome, code, name])).toEqual([
      ['dropped', null, 'Mei'],
      ['refused', 'DUP_USER', 'Mei'],
    ])
  })

  it('is stored for 30 days', async () => {
    const testDevice = await openTestDevice()
    await acceptWrite(testDevice.db, await enqueueAndClaim(testDevice), acceptedWrite)
    await deleteOldReceipts(testDevice.db, 5_000 + receiptLifetimeMs)
    expect(await readReceipts(10, testDevice.device)).toHaveLength(1)
    await deleteOldReceipts(testDevice.db, 5_001 + receiptLifetimeMs)
    expect(await readReceipts(10, testDevice.device)).toEqual([])
  })
})

describe('receipts of a user who signs out with nothing unsent', () => {
  async function signOutAndBackIn(hasKey: boolean) {
    const testDevice = await openTestDevice()
    const { db, device } = testDevice
    const keyResponse = { path: getUser.path, body: JSON.stringify({ seal_key: btoa('k'.repeat(32)) }), asOf: 1 }
    if (hasKey) await db.responses.put(keyResponse)
    const row = buildUser(1, { name: 'Wei Confidential' })
    await acceptWrite(db, await enqueueAndClaim(testDevice), { ...acceptedWrite, row, body: JSON.stringify(row) })
    await markSignedOut(device)
    const storedText = JSON.stringify(await Promise.all(db.tables.map((table) => table.toArray())))
    expect(storedText).not.toContain('Wei Confidential')
    await openSession(device, { companyId, userId: 1 })
    await db.responses.put(keyResponse)
    await unseal(db)
    return await readReceipts(10, device)
  }

  it('are sealed, and are restored with their user (protocol 30)', async () => {
    expect(await signOutAndBackIn(true)).toMatchObject([{ outcome: 'done', name: 'Wei Confidential' }])
  })

  it('lose the name of the row if there is no key', async () => {
    expect(await signOutAndBackIn(false)).toMatchObject([{ outcome: 'done', name: null }])
  })
})

it('A waiting file is sealed with its write and restored byte for byte (protocol 22, 30)', async () => {
  const { db, device } = await openTestDevice()
  await db.responses.put({ path: getUser.path, body: JSON.stringify({ seal_key: btoa('k'.repeat(32)) }), asOf: 1 })
  const bytes = crypto.getRandomValues(new Uint8Array(60_000)).buffer
  const file = { field: 'avatar', name: 'me.png', type: 'image/png', bytes }
  const draft = buildNewEntry({
    endpoint: 'uploadAsset',
    table: '',
    target: null,
    action: 'create',
    isVersioned: false,
    file,
  })
  const { intent } = await enqueue(db, draft)
  await markSignedOut(device)
  expect(await db.files.count()).toBe(0)
  await openSession(device, { companyId, userId: 1 })
  await db.responses.put({ path: getUser.path, body: JSON.stringify({ seal_key: btoa('k'.repeat(32)) }), asOf: 1 })
  expect(await unseal(db)).toBe(1)
  const restoredFile = await db.files.get(intent)
  expect(Buffer.from(restoredFile?.bytes ?? new ArrayBuffer(0)).equals(Buffer.from(bytes))).toBe(true)
})
