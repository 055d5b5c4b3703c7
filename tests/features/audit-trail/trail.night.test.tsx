/** Tests the audit trail page (contracts 2, 3; M131 to M133): filters, dates, pages, details and the address. */
import { screen, within } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { getButton, getNamedField, readProblems, typeValues } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { type WrittenEntry, writeEntries, writeManyEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { canaries } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const path = '/app/systrail'
const toUserName = (role: string) => `${canaries.alpha} ${role}`

const readRows = () =>
  [...document.querySelectorAll('.trail-list tbody tr:not(.waiting)')].map((row) =>
    [...row.querySelectorAll('td')].map(readText),
  )
const readTimes = () => readRows().map(([time]) => time)
const readText = ({ textContent }: Element) => textContent?.trim()
const selectOption = (select: string, optionName: string) =>
  fixture.user.selectOptions(getNamedField(select), optionName)

const createEntry = (time: string, overrides: Partial<WrittenEntry> = {}): WrittenEntry => ({
  time,
  userName: 'admin@alpha',
  code: 'user',
  operation: 'update',
  ...overrides,
})

const { matchMedia } = window
afterEach(() => vi.stubGlobal('matchMedia', matchMedia))

const intent = '6f1c2d3e-0000-4000-8000-00000000abcd'
/** Writes four entries of the company, on two days. */
const writeStory = () =>
  writeEntries(
    fixture.server,
    createEntry('2026-01-10 09:00:00', { info: { UserName: 'Mei Lin', UserId: 7 } }),
    createEntry('2026-01-10 10:00:00', {
      code: 'order',
      operation: 'pay',
      userName: 'second@alpha',
      info: { ServiceCode: 'barbados', ContractCode: 'C-17' },
    }),
    createEntry('2026-01-11 08:30:00', {
      operation: 'login',
      isFailed: true,
      info: { UserName: 'Mei Lin', problem: 'invalid_grant' },
    }),
    createEntry('2026-01-11 23:59:59', {
      intent,
      info: { CompanyName: 'Alpha', UserName: 'Tom <b>Bold</b>' },
      changes: [
        { field: 'name', before: 'Tom', after: 'Tom <b>Bold</b>' },
        { field: 'admin', before: false, after: true },
        { field: 'not_known', before: null, after: ['a', 'b'] },
      ],
    }),
  )
/** The trail also contains logins of the tests, so the pages are opened with these days. */
const dateQuery = 'dateFrom=2026-01-10&dateTo=2026-01-11'
const entryTimes = ['2026-01-11 23:59:59', '2026-01-11 08:30:00', '2026-01-10 10:00:00', '2026-01-10 09:00:00']

async function openTrail(query = dateQuery, userName = 'admin@alpha') {
  await writeStory()
  await fixture.browser.openAs(userName, `${path}?${query}`)
}

it('The audit trail shows who did what, the latest first, and marks failures', async () => {
  await openTrail()
  await expect.poll(readRows).toEqual([
    [entryTimes[0], expect.stringMatching(/^Changed Tom <b>Bold<.b> – Admin added/), toUserName('admin'), 'Done'],
    [entryTimes[1], expect.stringMatching(/^Could not log in: ./), toUserName('admin'), 'Failed'],
    [entryTimes[2], 'Paid for the contract barbados', toUserName('second'), 'Done'],
    [entryTimes[3], 'Changed the user Mei Lin', toUserName('admin'), 'Done'],
  ])
  expect(document.querySelector('tbody b')).toBeNull()
  await screen.findByText('4 entries')
  await fixture.user.click(screen.getByRole('button', { name: 'Time' }))
  await expect.poll(readTimes).toEqual(entryTimes.toReversed())
  await waitForPath(fixture.browser, `${path}?${dateQuery}&sortField=end_time&sortOrder=asc`)
})

it('The audit trail is filtered by type, status, user and text, all in the address', async () => {
  await openTrail()
  await expect.poll(readTimes).toEqual(entryTimes)
  await selectOption('code', 'user')
  await expect.poll(readTimes).toEqual([entryTimes[0], entryTimes[1], entryTimes[3]])
  await selectOption('status', '-1')
  await expect.poll(readTimes).toEqual([entryTimes[1]])
  await selectOption('status', '')
  await selectOption('code', '')
  await fixture.user.type(getNamedField('person'), 'second')
  await fixture.user.click(await screen.findByRole('option', { name: new RegExp(toUserName('second')) }))
  await expect.poll(readTimes).toEqual([entryTimes[2]])
  const id = fixture.server.world.users['second@alpha']
  await waitForPath(fixture.browser, `${path}?${dateQuery}&user=${id}`)
  // A reload shows the same list.
  await fixture.browser.open(fixture.browser.path())
  await expect.poll(readTimes).toEqual([entryTimes[2]])
  // The name of the user is loaded by a separate request.
  await expect.poll(() => getNamedField('person').value).toBe(toUserName('second'))
  await fixture.user.clear(getNamedField('person'))
  await fixture.user.tab()
  await expect.poll(readTimes).toEqual(entryTimes)
  await fixture.user.type(screen.getByRole('textbox', { name: /^Search/ }), 'c-17')
  await expect.poll(readTimes).toEqual([entryTimes[2]])
  history.back()
  await expect.poll(readTimes).toEqual(entryTimes)
})

nightly('The audit trail reports a start after the end at once, and keeps the input', async () => {
  await openTrail()
  await expect.poll(readTimes).toEqual(entryTimes)
  await fixture.user.click(getButton('Time: 2026-01-10 – 01-11'))
  await typeValues(fixture.user, { dateFrom: '2026-01-15' })
  expect(readProblems()).toEqual({ dateFrom: "The start can't be after the end, 2026-01-11." })
  expect(getNamedField('dateFrom').value).toBe('2026-01-15')
  // The list still shows the last valid range.
  await waitForPath(fixture.browser, `${path}?dateTo=2026-01-11`)
  await typeValues(fixture.user, { dateTo: '2026-01-14' })
  expect(readProblems()).toEqual({ dateTo: "The end can't be before the start, 2026-01-15." })
  expect(getNamedField('dateFrom').value).toBe('2026-01-15')
  await typeValues(fixture.user, { dateFrom: '2026/1/11' })
  await fixture.user.tab()
  expect(readProblems()).toEqual({})
  await waitForPath(fixture.browser, `${path}?dateFrom=2026-01-11&dateTo=2026-01-14`)
  await expect.poll(readTimes).toEqual(entryTimes.slice(0, 2))
  await typeValues(fixture.user, { dateTo: '2026-02-30' })
  await fixture.user.tab()
  expect(readProblems()).toEqual({ dateTo: 'Please enter a date such as 2026-11-24.' })
  expect(getNamedField('dateTo').value).toBe('2026-02-30')
})

nightly('The audit trail ignores invalid values in the address', async () => {
  await openTrail(
    'code=price&operation=%3Cscript%3E&status=7&user=-1&intent=x&company=1&dateFrom=2026-13-40&dateTo=0000-00-00&page=99999999&results=7&sortField=__proto__&after=1e9&entry=NaN',
  )
  await expect.poll(() => readTimes().slice(-4)).toEqual(entryTimes)
  expect(document.querySelector('.problem')).toBeNull()
  // The address is corrected if its range starts after its end, or if its page has no entries.
  await fixture.browser.open(`${path}?dateFrom=2026-01-11&dateTo=2026-01-10&page=5000`)
  await expect.poll(() => readTimes().slice(-4)).toEqual(entryTimes)
  await waitForPath(fixture.browser, path)
})

it('The audit trail uses page numbers, also in the address', async () => {
  await writeManyEntries(fixture.server, 25, '2026-01-01 00:00:01')
  await fixture.browser.openAs('admin@alpha', `${path}?dateTo=2026-01-31`)
  await expect.poll(() => readTimes()[0]).toBe('2026-01-01 00:00:25')
  await fixture.user.click(await screen.findByRole('button', { name: 'Page 3' }))
  await expect.poll(readTimes).toEqual([5, 4, 3, 2, 1].map((second) => `2026-01-01 00:00:0${second}`))
  await waitForPath(fixture.browser, `${path}?dateTo=2026-01-31&page=3`)
  await screen.findByText('21–25 of 25')
  await fixture.user.click(getButton('Previous page'))
  await expect.poll(() => readTimes()[0]).toBe('2026-01-01 00:00:15')
  await selectOption('status', '-1')
  await waitForPath(fixture.browser, `${path}?dateTo=2026-01-31&status=-1`)
})

nightly('The audit trail counts up to 10,000 entries, and has no page numbers after them', async () => {
  await writeManyEntries(fixture.server, 10_025, '2026-01-01 00:00:01')
  await fixture.browser.openAs('admin@alpha', `${path}?results=20&page=500&dateTo=2026-01-31`)
  await screen.findByText('more than 10,000 entries')
  await expect.poll(() => readTimes().at(-1)).toBe('2026-01-01 00:00:26')
  await fixture.user.click(await screen.findByRole('button', { name: 'Next page' }))
  await expect.poll(() => readTimes().length).toBe(20)
  await expect.poll(() => readTimes().at(-1)).toBe('2026-01-01 00:00:06')
  await expect.poll(() => fixture.browser.path()).toMatch(/&after=\d+$/)
  await expect.poll(() => screen.getAllByRole('button', { name: /^Page / }).map(readText)).toEqual(['1'])
  await fixture.user.click(getButton('Next page'))
  await expect.poll(readTimes).toEqual([5, 4, 3, 2, 1].map((second) => `2026-01-01 00:00:0${second}`))
  await expect.poll(() => getButton('Next page').getAttribute('aria-disabled')).toBe('true')
  history.back()
  await expect.poll(() => readTimes().at(-1)).toBe('2026-01-01 00:00:06')
  await fixture.user.click(getButton('Page 1'))
  await waitForPath(fixture.browser, `${path}?dateTo=2026-01-31&results=20`)
})

it('The audit trail opens an entry with its changes, and moves to the next entry with the keyboard', async () => {
  await openTrail()
  await expect.poll(readTimes).toEqual(entryTimes)
  await fixture.user.click(screen.getByRole('link', { name: entryTimes[0] ?? '' }))
  const dialog = within(await screen.findByRole('dialog', { name: /admin changed Tom <b>Bold<\/b> – Admin added/ }))
  const readChanges = () =>
    [...document.querySelectorAll('.trail-changes tbody tr')].map((row) => [...row.children].map(readText))
  await expect.poll(readChanges).toEqual([
    ['Name', 'Tom', 'Tom <b>Bold</b>'],
    ['Admin', 'No', 'Yes'],
    ['not_known', '–', 'a, b'],
  ])
  expect(document.querySelector('.trail-changes b')).toBeNull()
  await dialog.findByRole('button', { name: `Copy ${intent}` })
  await expect.poll(() => fixture.browser.path()).toMatch(/&entry=\d+$/)
  await expect.poll(() => getButton('Previous entry').getAttribute('aria-disabled')).toBe('true')
  await fixture.user.keyboard('{ArrowRight}')
  await screen.findByRole('dialog', { name: /admin could not log in/ })
  await screen.findByText('Why it failed')
  await fixture.user.keyboard('k')
  await screen.findByRole('dialog', { name: /changed Tom/ })
  await fixture.user.click(getButton('Next entry'))
  await screen.findByRole('dialog', { name: /admin could not log in/ })
  await fixture.user.keyboard('{Escape}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await waitForPath(fixture.browser, `${path}?${dateQuery}`)
})

nightly('The audit trail distinguishes an update without changes from an update with unknown changes', async () => {
  await openTrail()
  await writeEntries(
    fixture.server,
    createEntry('2026-01-12 09:00:01', { info: { UserName: 'Same' }, changes: [] }),
    createEntry('2026-01-12 09:00:02', { info: { UserName: 'Old' } }),
    createEntry('2026-01-12 09:00:03', { info: { UserName: 'Secret', Field: 'password' } }),
  )
  await fixture.browser.open(`${path}?dateFrom=2026-01-12&dateTo=2026-01-12`)
  const readChangeNote = async (second: number) => {
    await fixture.user.click(await screen.findByRole('link', { name: `2026-01-12 09:00:0${second}` }))
    const { textContent } = await screen.findByRole('dialog', { name: /^.* (sent|changed) / })
    await fixture.user.click(screen.getByText('Close'))
    return /No field changed|does not say which fields/.exec(textContent ?? '')?.[0]
  }
  expect(await readChangeNote(1)).toBe('No field changed')
  expect(await readChangeNote(2)).toBe('does not say which fields')
  expect(await readChangeNote(3)).toBeUndefined()
})

nightly('The audit trail opens an entry from the address that is not on the current page', async () => {
  await openTrail()
  await fixture.user.click(await screen.findByRole('link', { name: entryTimes[3] ?? '' }))
  await screen.findByRole('dialog', { name: /changed the user Mei Lin$/ })
  const id = new URLSearchParams(fixture.browser.path().split('?')[1]).get('entry')
  await fixture.browser.open(`${path}?code=order&entry=${id}`)
  const dialog = await screen.findByRole('dialog', { name: /changed the user Mei Lin$/ })
  await expect.poll(() => dialog.textContent).toContain(entryTimes[3])
  await fixture.browser.open(`${path}?entry=2147483647`)
  await screen.findByRole('heading', { name: 'There is no such entry' })
  // An entry among many of the same second cannot be found by its time alone.
  const manyEntries = Array.from({ length: 120 }, (_, index) =>
    createEntry('2026-01-12 09:00:00', { code: 'company', info: { CompanyName: `Alpha ${index}` } }),
  )
  await writeEntries(fixture.server, ...manyEntries)
  await fixture.browser.open(`${path}?searchText=Alpha+60`)
  await fixture.user.click(await screen.findByRole('link', { name: '2026-01-12 09:00:00' }))
  await screen.findByRole('dialog', { name: /changed the company Alpha 60$/ })
  const entryId = new URLSearchParams(fixture.browser.path().split('?')[1]).get('entry')
  await fixture.browser.open(`${path}?code=order&entry=${entryId}`)
  const company = await screen.findByRole('dialog', { name: /changed the company Alpha 60$/ })
  await expect.poll(() => company.textContent).toContain('Alpha 60')
})

nightly('The audit trail finds the entries of one intent by the link of a receipt', async () => {
  await openTrail(`intent=${intent}`)
  await expect.poll(readTimes).toEqual([entryTimes[0]])
  await fixture.user.click(getButton(/^Remove filter One change: 6f1c2d3e/))
  await expect.poll(() => readTimes().length).toBeGreaterThan(1)
  await waitForPath(fixture.browser, path)
})

nightly('The audit trail is filtered to a day of the chart, with the keyboard and from the table', async () => {
  await openTrail()
  const daySlider = await screen.findByRole('slider')
  await expect.poll(() => daySlider.getAttribute('aria-valuetext')).toBe('2026-01-11: 1 done, 1 failed')
  daySlider.focus()
  await fixture.user.keyboard('{ArrowLeft}')
  expect(daySlider.getAttribute('aria-valuetext')).toBe('2026-01-10: 2 done, 0 failed')
  await fixture.user.keyboard('{Enter}')
  await expect.poll(readTimes).toEqual(entryTimes.slice(2))
  await waitForPath(fixture.browser, `${path}?dateFrom=2026-01-10&dateTo=2026-01-10`)
  // The other days can still be selected.
  await fixture.user.click(screen.getByText('Numbers as a table'))
  await fixture.user.click(await screen.findByRole('button', { name: /Show only 2026-01-11/ }))
  await expect.poll(readTimes).toEqual(entryTimes.slice(0, 2))
  await fixture.user.click(getButton('Show all days'))
  await expect.poll(readTimes).toEqual(entryTimes)
})

nightly('The audit trail shows the days around a chosen day again after a reload, also offline', async () => {
  await openTrail()
  const findSlider = () => screen.findByRole('slider')
  await expect
    .poll(async () => (await findSlider()).getAttribute('aria-valuetext'))
    .toBe('2026-01-11: 1 done, 1 failed')
  ;(await findSlider()).focus()
  await fixture.user.keyboard('{ArrowLeft}{Enter}')
  const dayPath = `${path}?dateFrom=2026-01-10&dateTo=2026-01-10`
  await waitForPath(fixture.browser, dayPath)
  await expect.poll(readTimes).toEqual(entryTimes.slice(2))
  fixture.browser.goOffline()
  await fixture.browser.open(dayPath)
  await expect.poll(readTimes).toEqual(entryTimes.slice(2))
  await findSlider()
  expect(screen.queryByText('The daily numbers are not saved on this device.')).toBeNull()
  await fixture.user.click(getButton('Show all days'))
  await waitForPath(fixture.browser, `${path}?${dateQuery}`)
  // Invalid values in the storage are ignored.
  for (const storedText of ['{', '7', '["2026-01-11","2026-01-10"]', '[{"a":1},"x"]']) {
    sessionStorage.setItem('portal.trailDays', storedText)
    await fixture.browser.open(`${path}?dateFrom=2026-01-10&dateTo=2026-01-10`)
    await screen.findByRole('heading', { level: 1, name: 'Audit trail' })
    await expect.poll(readTimes).toEqual(entryTimes.slice(2))
  }
})

nightly('The audit trail offers the types of the catalogue only to the delete level', async () => {
  const readTypes = () => [...getNamedField('code').querySelectorAll('option')].map(({ textContent }) => textContent)
  await writeEntries(
    fixture.server,
    createEntry('2026-01-10 09:00:00', { userName: 'admin@m18', code: 'price', operation: 'confirm' }),
  )
  await fixture.browser.openAs('admin@m18', `${path}?code=price&${dateQuery}`)
  await expect.poll(readTypes).not.toContain('Price list')
  await fixture.browser.openAs('delete@m18', `${path}?code=price&${dateQuery}`)
  await expect.poll(readTypes).toEqual(expect.arrayContaining(['Price list', 'Module', 'Hidden module', 'App']))
  await expect.poll(() => readRows().map((row) => row[1])).toEqual(['Confirmed a price list'])
})

it('The audit trail of a company is shown to provider staff, who find the company by name', async () => {
  await writeStory()
  await fixture.browser.openAs('admin@m18', `${path}?${dateQuery}`)
  await screen.findByRole('heading', { name: 'No entry matches these filters' })
  await fixture.user.type(await screen.findByRole('combobox', { name: 'Company' }), canaries.alpha)
  await fixture.user.click(await screen.findByRole('option', { name: new RegExp(canaries.alpha) }))
  await expect.poll(readTimes).toEqual(entryTimes)
  await waitForPath(
    fixture.browser,
    `${path}?dateFrom=2026-01-10&dateTo=2026-01-11&company=${fixture.server.world.companies.alpha}`,
  )
  // A customer's address may contain the id of any company. The server uses the customer's own company instead.
  await fixture.browser.openAs('admin@beta', fixture.browser.path())
  await screen.findByRole('heading', { name: 'No entry matches these filters' })
  expect(screen.queryByRole('combobox', { name: 'Company' })).toBeNull()
})

it('The audit trail shows offline which entries are not stored, and shows the stored entries again', async () => {
  await openTrail()
  await expect.poll(readTimes).toEqual(entryTimes)
  fixture.browser.goOffline()
  await selectOption('code', 'order')
  await screen.findByRole('heading', { name: 'These entries are not on this device' })
  expect(document.querySelector('.problem')).toBeNull()
  await selectOption('code', '')
  await expect.poll(readTimes).toEqual(entryTimes)
  await fixture.user.click(getButton('Export'))
  const csvItem = await screen.findByRole('menuitem', { name: /^CSV file/ })
  await expect.poll(() => csvItem.textContent).toContain('needs a connection')
})

nightly(
  'The audit trail has its filters and sort order in a sheet on a phone, with a count on the button',
  async () => {
    vi.stubGlobal('matchMedia', (query: string) => ({
      ...matchMedia.call(window, query),
      matches: query.startsWith('(width <'),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    await openTrail()
    await expect.poll(readTimes).toEqual(entryTimes)
    expect(document.querySelector('main [name=code]')).toBeNull()
    // The activity chart is collapsed on a phone, where the list needs the screen.
    expect(screen.queryByRole('slider')).toBeNull()
    await fixture.user.click(getButton('Filter (2)'))
    const filterSheet = within(await screen.findByRole('dialog', { name: 'Filter and sort' }))
    await selectOption('code', 'order')
    await expect.poll(readTimes).toEqual([entryTimes[2]])
    await fixture.user.selectOptions(filterSheet.getByLabelText('Sort by'), 'Time, ascending')
    await fixture.user.click(filterSheet.getByRole('button', { name: 'Show' }))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    await waitForPath(fixture.browser, `${path}?code=order&${dateQuery}&sortField=end_time&sortOrder=asc`)
    await screen.findByRole('button', { name: 'Filter (3)' })
  },
)

it('The audit trail opens from "History" of a user, and finds entries under all names of that user', async () => {
  await writeEntries(
    fixture.server,
    createEntry('2026-01-10 09:00:00', { info: { UserName: 'Another name then', UserEmail: 'second@alpha.example' } }),
  )
  await fixture.browser.openAs('admin@alpha', `/app/user?searchText=${encodeURIComponent(toUserName('second'))}`)
  await fixture.user.click(await screen.findByRole('link', { name: toUserName('second') }))
  await fixture.user.click(await screen.findByRole('link', { name: 'History' }))
  await screen.findByRole('heading', { level: 1, name: 'Audit trail' })
  expect(Object.fromEntries(new URLSearchParams(fixture.browser.path().split('?')[1]))).toEqual({
    code: 'user',
    searchText: 'second@alpha.example',
  })
  await expect.poll(readTimes).toContain('2026-01-10 09:00:00')
})

nightly('The audit trail is translated to Chinese', async () => {
  await openTrail(`${dateQuery}&lang=zh`)
  await expect.poll(() => readRows()[1]?.[1]).toMatch(/^未能登录：./)
  expect(readRows()[3]?.[1]).toBe('更改了用户 Mei Lin')
  await screen.findByRole('heading', { level: 1, name: '操作记录' })
})
