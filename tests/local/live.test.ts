import { liveQuery } from 'dexie'
import { expect, it } from 'vitest'
import { openDevice } from '#local/device.ts'
import { readListOn } from '#local/lists.ts'
import { storePage } from '#local/rows.ts'
import { openSession } from '#local/session.ts'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { aUser, company, fills, firstPage, pageAnswer } from '#tests/support/kept.ts'

it('a list on the screen hears what is stored for it, a device opened just now included', async () => {
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  await openSession(openDevice(storage), { companyId: company, userId: 1 })
  // Opened again, as after a reload: no connection stands yet when the list asks.
  const device = openDevice(storage)
  const seen: number[] = []
  const screen = liveQuery(async () => await readListOn(device, fills, firstPage)).subscribe(({ rows }) =>
    seen.push(rows.length),
  )
  await expect.poll(() => seen).toEqual([0])
  await storePage(device.of({ companyId: company, userId: 1 }), fills, firstPage, pageAnswer([aUser(1)], 100), 1)
  await expect.poll(() => seen.at(-1)).toBe(1)
  screen.unsubscribe()
})
