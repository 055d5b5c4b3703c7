import { expect, it } from 'vitest'
import { storedTrailListSpec } from '#contract/audit-trail.ts'
import { endpoints } from '#contract/index.ts'
import { rowTables } from '#local/storage/database.ts'
import { openTestDevice } from '#tests/support/device/device-database.ts'

const tableNames = endpoints
  .flatMap(({ list, queue: queueSpec }) => [list?.table, queueSpec?.table])
  .filter((table) => table !== undefined)
  // This table is filled by a stream when a user saves a range of the audit trail.
  .concat(storedTrailListSpec.table)

it('Every list and every queued write has a table on the device, and there are no other tables', async () => {
  const { db } = await openTestDevice()
  expect([...new Set(tableNames)].sort()).toEqual([...rowTables].sort())
  expect(db.tables.map(({ name }) => name)).toEqual(expect.arrayContaining([...rowTables]))
})

it('Every queued write defines how it changes its row', () => {
  const queuedWrites = endpoints.filter(({ offline, encoding }) => offline === 'queue' && encoding !== 'multipart')
  expect(queuedWrites.filter(({ queue: queueSpec }) => !queueSpec).map(({ name }) => name)).toEqual([])
})
