import { expect, it } from 'vitest'
import { keptTrail } from '#contract/audit-trail.ts'
import { endpoints } from '#contract/index.ts'
import { rowTables } from '#local/storage/database.ts'
import { keptDevice } from '#tests/support/device/device-database.ts'

const named = endpoints
  .flatMap(({ list, queue: queues }) => [list?.table, queues?.table])
  .filter((table) => table !== undefined)
  // Filled by a stream, where its user asked for it.
  .concat(keptTrail.table)

it('every list and every queued write has its table on the device, and every table is filled', async () => {
  const { db } = await keptDevice()
  expect([...new Set(named)].sort()).toEqual([...rowTables].sort())
  expect(db.tables.map(({ name }) => name)).toEqual(expect.arrayContaining([...rowTables]))
})

it('every queued write says what becomes of its row', () => {
  const queued = endpoints.filter(({ offline, encoding }) => offline === 'queue' && encoding !== 'multipart')
  expect(queued.filter(({ queue: queues }) => !queues).map(({ name }) => name)).toEqual([])
})
