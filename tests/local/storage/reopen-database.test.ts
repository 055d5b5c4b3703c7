import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { openDevice } from '#local/storage/device.ts'

it('A database that could not open on a full disk is read and written again once there is space', async () => {
  const factory = new IDBFactory()
  const open = factory.open.bind(factory)
  let isFull = true
  factory.open = (...args) => {
    if (isFull) throw new DOMException('no space left', 'QuotaExceededError')
    return open(...args)
  }
  const device = openDevice({ indexedDB: factory, IDBKeyRange })
  const db = device.getDatabase({ companyId: 1, userId: 2 })
  const countRows = () => Promise.all([db.meta.where('name').equals('probe').count(), device.directory.session.count()])
  await expect(countRows()).rejects.toThrow()
  isFull = false
  await expect(countRows()).rejects.toThrow()
  await expect.poll(() => countRows().catch(() => null), { timeout: 3_000 }).toEqual([0, 0])
})
