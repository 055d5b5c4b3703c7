import { expect, it } from 'vitest'
import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import { buildStoredTrailCsv } from '#request/audit-trail/stored-trail-csv.ts'
import { storeTrail } from '#tests/support/audit-trail/stored-trail.ts'
import { installation, setUpLog } from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

it('A stored range without entries gives an empty list, no days of activity and a file without rows', async () => {
  const tablet = await installation.signInTablet('admin@alpha')
  const days = { dateFrom: '2025-11-01', dateTo: '2025-11-30' }
  expect(await storeTrail(tablet, days)).toEqual({ kind: 'done' })
  tablet.connection.state = 'down'
  expect(await tablet.api.call(listTrail, { query: { results: 50, ...days } })).toMatchObject({
    kind: 'cached',
    output: { count: 0, data: [] },
  })
  expect(await tablet.api.call(trailActivity, { query: days })).toMatchObject({ kind: 'cached', output: { days: [] } })
  const csv = await buildStoredTrailCsv(tablet.ports, { query: { format: 'csv', ...days } })
  expect(csv).toMatchObject({ kind: 'cached', days: null })
  expect(csv).toHaveProperty('output.name', expect.stringMatching(/^audit-trail-\d{4}-\d\d-\d\d\.csv$/))
})
