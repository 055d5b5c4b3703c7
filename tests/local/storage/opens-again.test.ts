import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { openDevice } from '#local/storage/device.ts'

it('a database that a full disk did not let open is read and written again once there is room', async () => {
  const factory = new IDBFactory()
  const open = factory.open.bind(factory)
  let isFull = true
  factory.open = (...asked) => {
    if (isFull) throw new DOMException('no space left', 'QuotaExceededError')
    return open(...asked)
  }
  const device = openDevice({ indexedDB: factory, IDBKeyRange })
  const db = device.of({ companyId: 1, userId: 2 })
  const look = () => Promise.all([db.meta.where('name').equals('probe').count(), device.directory.session.count()])
  await expect(look()).rejects.toThrow()
  isFull = false
  await expect(look()).rejects.toThrow()
  await expect.poll(() => look().catch(() => null), { timeout: 3_000 }).toEqual([0, 0])
})
