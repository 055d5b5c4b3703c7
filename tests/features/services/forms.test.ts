/** Tests the forms of the service pages (configuration, time range of a log), and the lines of a log. */
import { describe, expect, it } from 'vitest'
import { createLines, maxLines, appendLines, type LogResponse } from '#features/services/log/log-lines.ts'
import { toTimestamps, checkRange, getSpanStart } from '#features/services/log/log-range.ts'
import { readLogView, writeLogView } from '#features/services/log/log-view-state.ts'
import { parseMemory } from '#features/services/operations/parse-memory.ts'
import { servicesView, toListQuery } from '#features/services/view.ts'
import { toTimestamp } from '#domain/time.ts'

describe('the memory of a task (contracts 5, 9)', () => {
  it.each([
    ['0', 0],
    ['1000', 1000],
    ['8000', 8000],
    [' 2,500 ', 2500],
    ['999', null],
    ['8001', null],
    ['1', null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['2 GB', null],
    ['１０００', null],
    ['99999999999', null],
  ])('is parsed from %j as %j', (text, memory) => expect(parseMemory(text)).toBe(memory))
})

describe('the time range of a log', () => {
  const now = '2026-07-01 12:00'
  it.each([
    ['2026-07-01 11:00', '', {}],
    ['2026-07-01 11:00', '2026-07-01 11:01', {}],
    // This is the first day for which a log is stored.
    ['2026-01-02 00:00', '', {}],
    ['2026-01-01 23:59', '', { from: 'tooEarly' }],
    ['', '', { from: 'missing' }],
    ['2026-02-30 10:00', '', { from: 'notTime' }],
    ['2026-07-01 24:00', '', { from: 'notTime' }],
    ['2026-07-01 11:00', 'tomorrow', { to: 'notTime' }],
    ['2026-07-01 11:00', '2026-07-01 11:00', { from: 'crosses', to: 'crosses' }],
    ['2026-07-01 11:00', '2026-06-30 11:00', { from: 'crosses', to: 'crosses' }],
    ['2026-07-01 12:00', '', { from: 'crosses', to: 'crosses' }],
    ['x', 'y', { from: 'notTime', to: 'notTime' }],
  ] as const)('from %j to %j has the problems %j', (from, to, faults) =>
    expect(checkRange({ from, to }, now)).toEqual(faults),
  )

  it('needs both ends for a download (fault 36M119a)', () => {
    expect(checkRange({ from: '2026-07-01 11:00', to: '' }, now, false)).toEqual({ to: 'missing' })
    expect(checkRange({ from: '', to: '' }, now, false)).toEqual({ from: 'missing', to: 'missing' })
    expect(checkRange({ from: '2026-07-01 11:00', to: '2026-07-01 12:01' }, now, false)).toEqual({})
  })

  it('is set by a button in the business time zone, and ends at the current time', () => {
    const toMinute = (time: number) => toTimestamp('Asia/Hong_Kong', time).slice(0, 16)
    const time = Date.parse('2026-03-01T16:30:00Z')
    expect((['hour', 'day', 'week'] as const).map((span) => getSpanStart(span, time, toMinute))).toEqual([
      '2026-03-01 23:30',
      '2026-03-02 00:00',
      '2026-02-23 00:30',
    ])
    expect(toTimestamps({ from: '2026-03-02 00:00', to: '' }, '2026-03-02 00:31')).toEqual({
      from: '2026-03-02 00:00:00',
      to: '2026-03-02 00:31:00',
    })
  })

  it('is stored in the address, and invalid values of the address are ignored', () => {
    const view = {
      range: { from: '2026-03-02 00:00', to: '2026-03-02 01:00' },
      searchText: 'x & y',
      shouldFollow: false,
    }
    expect(readLogView(writeLogView(view))).toEqual(view)
    const query = new URLSearchParams('from=<b>&to=2026-03-02 01:00&follow=yes')
    expect(readLogView(query)).toEqual({ range: null, searchText: '', shouldFollow: false })
    expect(readLogView(new URLSearchParams({ searchText: 'a'.repeat(500) })).searchText).toHaveLength(100)
  })
})

describe('the lines of a log', () => {
  const createLine = (text: string): LogResponse['lines'][number] => ({ time: 1, task: 1, level: 'info', text })
  const getTexts = ({ lines }: { lines: readonly { text: string }[] }) => lines.map(({ text }) => text)

  it('continue after the previous part, each with its own number', () => {
    const firstPart = createLines({ lines: [createLine('a'), createLine('a')], next: '1-1', more: true })
    const bothParts = appendLines(firstPart, { lines: [createLine('b')], next: '1-2', more: false })
    expect(getTexts(bothParts)).toEqual(['a', 'a', 'b'])
    expect(bothParts.lines.map(({ number }) => number)).toEqual([0, 1, 2])
    expect(bothParts).toMatchObject({ next: '1-2', hasMore: true, isTruncated: false })
    // Without new lines the same object is returned, so no component renders again.
    expect(appendLines(bothParts, { lines: [], next: '1-2', more: false })).toBe(bothParts)
    expect(appendLines(bothParts, { lines: [], next: '2-0', more: false }).next).toBe('2-0')
  })

  it('are limited to what a page can render, and the latest are kept', () => {
    const manyLines = Array.from({ length: maxLines }, (_, index) => createLine(String(index)))
    const fullLines = appendLines(createLines({ lines: manyLines, next: 'n', more: false }), {
      lines: [createLine('last')],
      next: 'm',
      more: false,
    })
    expect(fullLines.lines).toHaveLength(maxLines)
    expect([fullLines.lines[0]?.text, fullLines.lines.at(-1)?.text, fullLines.isTruncated]).toEqual(['1', 'last', true])
    expect(fullLines.lines.at(-1)?.number).toBe(maxLines)
  })
})

it('The address of the service list contains its view, and invalid values give the default', () => {
  const address = 'company=7&status=2&searchText=shop&sortField=expired_date&sortOrder=desc&page=2&results=20'
  const view = servicesView.read(new URLSearchParams(address))
  expect(servicesView.write(view).toString()).toBe(address)
  expect(servicesView.toListQuery(view)).toEqual({
    results: 20,
    page: 2,
    sortField: 'expired_date',
    sortOrder: 'desc',
    systemStatus: 2,
    companyId: 7,
    searchText: 'shop',
  })
  const hostileView = servicesView.read(new URLSearchParams('company=-1&status=9&sortField=__proto__&page=x&results=7'))
  expect(servicesView.write(hostileView).toString()).toBe('')
  expect([view, hostileView].map(servicesView.isFiltered)).toEqual([true, false])
})

describe('the groups of services', () => {
  const viewOf = (query: string) => servicesView.read(new URLSearchParams(query))
  it('ask for services that need a reboot, and for contracts that end from today on within 30 days', () => {
    expect(toListQuery(viewOf('show=down'))).toMatchObject({ downStatus: 5 })
    expect(toListQuery({ ...viewOf('show=reboot'), today: '2026-12-05' })).toMatchObject({ needsReboot: true })
    expect(toListQuery({ ...viewOf('show=ending'), today: '2026-12-05' })).toMatchObject({
      expiresFrom: '2026-12-05',
      expiresUntil: '2027-01-04',
    })
    expect(toListQuery({ ...viewOf('show=other'), today: '2026-12-05' })).toEqual(servicesView.toListQuery(viewOf('')))
  })
})
