import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { toListInput } from '#features/device/refresh-lists.ts'
import { formatBytes } from '#features/device/format-bytes.ts'

describe('a kept list is read anew', () => {
  const lists = endpoints.filter(({ list }) => list)
  const buildListInput = (name: string, scope: number | null) => {
    const endpoint = lists.find((candidate) => candidate.name === name)
    return endpoint && toListInput(endpoint, scope)
  }

  it('in the words of its own call: in the path, in the query, or with nothing to name', () => {
    const query = { results: 50, page: 1 }
    expect(buildListInput('listUsers', 2)).toEqual({ params: { companyId: 2 }, query })
    expect(buildListInput('listBackupOrders', 7)).toEqual({ query: { ...query, serviceId: 7 } })
    expect(buildListInput('listModules', null)).toEqual({ query })
  })

  it('unless nobody noted whose it is', () => {
    expect(buildListInput('listUsers', null)).toBeNull()
  })

  it('and every list that a device keeps can be asked for', () => {
    expect(lists.length).toBeGreaterThan(5)
    for (const list of lists) expect([list.name, toListInput(list, 1)]).not.toContain(null)
  })
})

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [30_400, '30 kB'],
    [2_640_000, '2.6 MB'],
    [999_600, '1.0 MB'],
    [11_000_000_000, '11 GB'],
  ])('%d bytes are %s', (bytes, expectedText) => {
    expect(formatBytes(bytes)).toBe(expectedText)
  })
})
