import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildStoredTrailCsv } from '#request/audit-trail/stored-trail-csv.ts'
import { resetWithTrail, storeTrail } from '#tests/support/audit-trail/stored-trail.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import type { Tablet } from '#tests/support/device/device.ts'

let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(() => resetWithTrail(installation))

const month = { dateFrom: '2026-01-01', dateTo: '2026-01-31' }

describe('buildStoredTrailCsv', () => {
  const buildCsv = async (tablet: Tablet, query: object) => {
    const result = await buildStoredTrailCsv(tablet.ports, { query: { format: 'csv', ...query } as never })
    if (result?.kind !== 'cached' || !result.output) return { result, lines: [] }
    const text = Buffer.from(await result.output.bytes.arrayBuffer()).toString()
    return { result, lines: text.trimEnd().split('\r\n') }
  }

  it('writes the filtered stored rows as the server would, and names the stored days if some are missing', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    expect(await buildStoredTrailCsv(tablet.ports, { query: { format: 'csv' } })).toBeNull()
    await storeTrail(tablet, month)
    const server = await installation.server.signIn('admin@alpha')
    const csvQuery = { dateFrom: '2026-01-03', dateTo: '2026-01-04', sortOrder: 'asc' }
    const serverResponse = await server.send({
      url: `/api/systrail/export?${new URLSearchParams({ format: 'csv', ...csvQuery })}`,
    })
    tablet.connection.state = 'down'
    const { result, lines } = await buildCsv(tablet, csvQuery)
    expect(lines.length).toBeGreaterThan(100)
    expect(`${lines.join('\r\n')}\r\n`).toBe(serverResponse.body)
    expect(result).toMatchObject({ days: null, output: { name: expect.stringMatching(/^audit-trail-.*\.csv$/) } })
    expect((await buildCsv(tablet, { searchText: 'nowhere' })).lines).toHaveLength(1)
    const longerCsv = await buildCsv(tablet, { dateTo: '2026-02-28', dateFrom: '2025-12-01' })
    expect(longerCsv.lines).toHaveLength(601)
    expect(await buildStoredTrailCsv(tablet.ports, { query: { format: 'csv', dateFrom: '2026-02-10' } })).toBeNull()
    const completeCsv = await buildCsv(tablet, {})
    expect(completeCsv.result).toMatchObject({ days: { from: '2026-01-01', to: '2026-01-31' } })
  })
})
