import { describe, expect, it } from 'vitest'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import { acceptWrite } from '#local/outbox/settle-entry.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { readRowOnDevice } from '#local/lists/read-row.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { freeze } from '#request/writes/record-write.ts'
import {
  buildNewEntry,
  buildUser,
  userList,
  firstPage,
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
const acceptedWrite = { status: 200, body: '{}', version: null, now: 1_000, asOf: 1_000, generation: 1 }

/** Opens a device with a new user that is being sent, and a waiting change of that user. */
async function openDeviceWithSentUser() {
  const { device, db, generation } = await openTestDevice()
  await storePage(db, userList, firstPage, buildPageResponse([buildUser(1)], 100), generation)
  const body = { title: 0, name: 'Li Wei', email: 'li@acme.example' }
  const createEntry = await enqueue(
    db,
    buildNewEntry({ target: null, action: 'create', endpoint: 'createUser', input: { body } }),
  )
  const target = `~${createEntry.intent}` as const
  const change = buildNewEntry({ target, input: { params: { id: target }, body: { name: 'Li' } } })
  await enqueue(db, change)
  const [sentEntry] = await claimEntries(db, claimOptions)
  return { device, db, target, change, sentEntry: sentEntry as OutboxEntry }
}

const waitForTurns = async (turns: number) => {
  for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * Turns of the event loop between the start of a read and the acceptance of the write. The result may depend on them, so many are tried.
 */
const distances = Array.from({ length: 24 }, (_, turns) => turns)

describe('reads on the device while the server accepts a write', () => {
  it('return the row with the change that still waits, and never without it (protocol 9, 18)', async () => {
    for (const turns of distances) {
      const { device, db, target, change, sentEntry } = await openDeviceWithSentUser()
      const acceptance = waitForTurns(turns).then(() =>
        acceptWrite(db, sentEntry, { ...acceptedWrite, row: buildUser(9) }),
      )
      const overlaidRow = await readRowOnDevice(device, 'users', target)
      expect(overlaidRow?.waiting?.intent, `${turns} turns`).toBe(change.intent)
      await acceptance
    }
  })

  it('return a list that contains the row once, with its change', async () => {
    for (const turns of distances) {
      const { device, db, change, sentEntry } = await openDeviceWithSentUser()
      const acceptance = waitForTurns(turns).then(() =>
        acceptWrite(db, sentEntry, { ...acceptedWrite, row: buildUser(9) }),
      )
      const { rows } = await readListOnDevice(device, userList, firstPage)
      const createdRows = rows.filter(({ row }) => row.id !== 1) as OverlaidRow<ReturnType<typeof buildUser>>[]
      expect(
        createdRows.map(({ waiting }) => waiting?.intent),
        `${turns} turns`,
      ).toEqual([change.intent])
      await acceptance
    }
  })
})
