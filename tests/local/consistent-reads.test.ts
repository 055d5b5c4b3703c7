import { describe, expect, it } from 'vitest'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import { accept } from '#local/outbox/settle.ts'
import { claim } from '#local/outbox/claim.ts'
import { readRowOn } from '#local/lists/read-row.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { freeze } from '#request/writes/record-write.ts'
import { aDraft, aUser, list, firstPage, keptDevice, pageAnswer } from '#tests/support/device/device-database.ts'

const claiming = { now: 1_000, leaseMs: 45_000, most: 4, generation: 1, stolen: false, freeze }
const done = { status: 200, body: '{}', version: null, now: 1_000, asOf: 1_000, generation: 1 }

/** A new user that is on its way, with a change of it waiting behind. */
async function onItsWay() {
  const { device, db, generation } = await keptDevice()
  await storePage(db, list, firstPage, pageAnswer([aUser(1)], 100), generation)
  const body = { title: 0, name: 'Li Wei', email: 'li@acme.example' }
  const made = await enqueue(db, aDraft({ target: null, action: 'create', endpoint: 'createUser', input: { body } }))
  const target = `~${made.intent}` as const
  const change = aDraft({ target, input: { params: { id: target }, body: { name: 'Li' } } })
  await enqueue(db, change)
  const [sent] = await claim(db, claiming)
  return { device, db, target, change, sent: sent as OutboxEntry }
}

const later = async (turns: number) => {
  for (let n = 0; n < turns; n++) await new Promise((go) => setImmediate(go))
}

/** What stands between two readings differs by turns of the event loop: every distance is tried. */
const distances = Array.from({ length: 24 }, (_, turns) => turns)

describe('what is read while the server accepts a write', () => {
  it('is the row with the change that still waits for it, never the bare row (protocol 9, 18)', async () => {
    for (const turns of distances) {
      const { device, db, target, change, sent } = await onItsWay()
      const accepting = later(turns).then(() => accept(db, sent, { ...done, row: aUser(9) }))
      const shown = await readRowOn(device, 'users', target)
      expect(shown?.waiting?.intent, `${turns} turns`).toBe(change.intent)
      await accepting
    }
  })

  it('is a list in which that row stands once, with its change', async () => {
    for (const turns of distances) {
      const { device, db, change, sent } = await onItsWay()
      const accepting = later(turns).then(() => accept(db, sent, { ...done, row: aUser(9) }))
      const { rows } = await readListOn(device, list, firstPage)
      const made = rows.filter(({ row }) => row.id !== 1) as OverlaidRow<ReturnType<typeof aUser>>[]
      expect(
        made.map(({ waiting }) => waiting?.intent),
        `${turns} turns`,
      ).toEqual([change.intent])
      await accepting
    }
  })
})
