import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { toListInput } from '#features/device/refresh-lists.ts'
import { getTableLabel } from '#features/device/table-label.ts'
import { rowTables } from '#local/storage/database.ts'
import { addMessages, i18n } from '#ui/i18n/messages.ts'
import deviceTexts from '#locales/en/device.json' with { type: 'json' }
import shellTexts from '#locales/en/shell.json' with { type: 'json' }
import deviceTextsZh from '#locales/zh/device.json' with { type: 'json' }
import shellTextsZh from '#locales/zh/shell.json' with { type: 'json' }
import { formatBytes } from '#features/device/format-bytes.ts'

describe('buildListInput', () => {
  const lists = endpoints.filter(({ list }) => list)
  const buildListInput = (name: string, scope: number | null) => {
    const endpoint = lists.find((candidate) => candidate.name === name)
    return endpoint && toListInput(endpoint, scope)
  }

  it('puts the owner into the path or the query, as the call requires', () => {
    const query = { results: 50, page: 1 }
    expect(buildListInput('listUsers', 2)).toEqual({ params: { companyId: 2 }, query })
    expect(buildListInput('listBackupOrders', 7)).toEqual({ query: { ...query, serviceId: 7 } })
    expect(buildListInput('listModules', null)).toEqual({ query })
  })

  it('returns null if the owner of the list is unknown', () => {
    expect(buildListInput('listUsers', null)).toBeNull()
  })

  it('returns an input for every list that a device stores', () => {
    expect(lists.length).toBeGreaterThan(5)
    for (const list of lists) expect([list.name, toListInput(list, 1)]).not.toContain(null)
  })
})

it.each(['en', 'zh'] as const)('Every cached list has a name in %s', async (language) => {
  addMessages('device', { en: deviceTexts, zh: deviceTextsZh })
  addMessages('shell', { en: shellTexts, zh: shellTextsZh })
  await i18n.changeLanguage(language)
  expect(rowTables.filter((table) => getTableLabel(table) === table)).toEqual([])
  await i18n.changeLanguage('en')
})

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [30_400, '30 kB'],
    [2_640_000, '2.6 MB'],
    [999_600, '1.0 MB'],
    [11_000_000_000, '11 GB'],
  ])('formats %d bytes as %s', (bytes, expectedText) => {
    expect(formatBytes(bytes)).toBe(expectedText)
  })
})
