/** The audit trail on the screen (contracts 2, 3; M131 to M133): filters, dates, pages, details and the address. */
import { screen, within } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { button, named, problems } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { type Written, writeEntries, writeManyEntries } from '#tests/support/audit-trail/trail-entries.ts'
import { canaries } from '#tests/support/server/world.ts'

const the = setUpPages()
const path = '/app/systrail'
const name = (role: string) => `${canaries.alpha} ${role}`

const rows = () =>
  [...document.querySelectorAll('.trail-list tbody tr:not(.waiting)')].map((row) =>
    [...row.querySelectorAll('td')].map(textOf),
  )
const times = () => rows().map(([time]) => time)
const textOf = ({ textContent }: Element) => textContent?.trim()
const option = (select: string, choice: string) => the.user.selectOptions(named(select), choice)

const entry = (at: string, more: Partial<Written> = {}): Written => ({
  at,
  by: 'admin@alpha',
  code: 'user',
  operation: 'update',
  ...more,
})

const { matchMedia } = window
afterEach(() => vi.stubGlobal('matchMedia', matchMedia))

const intent = '6f1c2d3e-0000-4000-8000-00000000abcd'
/** Two days of the company, told by four entries. */
const story = () =>
  writeEntries(
    the.server,
    entry('2026-01-10 09:00:00', { info: { UserName: 'Mei Lin', UserId: 7 } }),
    entry('2026-01-10 10:00:00', {
      code: 'order',
      operation: 'pay',
      by: 'second@alpha',
      info: { ServiceCode: 'barbados', ContractCode: 'C-17' },
    }),
    entry('2026-01-11 08:30:00', {
      operation: 'login',
      failed: true,
      info: { UserName: 'Mei Lin', problem: 'invalid_grant' },
    }),
    entry('2026-01-11 23:59:59', {
      intent,
      info: { CompanyName: 'Alpha', UserName: 'Tom <b>Bold</b>' },
      changes: [
        { field: 'name', before: 'Tom', after: 'Tom <b>Bold</b>' },
        { field: 'admin', before: false, after: true },
        { field: 'not_known', before: null, after: ['a', 'b'] },
      ],
    }),
  )
/** Logins of the tests themselves stand in the log as well: the story's own days are asked for. */
const days = 'dateFrom=2026-01-10&dateTo=2026-01-11'
const all = ['2026-01-11 23:59:59', '2026-01-11 08:30:00', '2026-01-10 10:00:00', '2026-01-10 09:00:00']

async function open(query = days, who = 'admin@alpha') {
  await story()
  await the.browser.openAs(who, `${path}?${query}`)
}

it('shows who did what in words, the newest first, and what failed as such', async () => {
  await open()
  await expect.poll(rows).toEqual([
    [all[0], 'User', 'Update', name('admin'), 'Tom <b>Bold</b>', 'Done'],
    [all[1], 'User', 'Login', name('admin'), expect.stringContaining('Mei Lin'), 'Failed'],
    [all[2], 'Contract', 'Pay', name('second'), 'barbados · Contract: C-17', 'Done'],
    [all[3], 'User', 'Update', name('admin'), 'Mei Lin', 'Done'],
  ])
  expect(document.querySelector('tbody b')).toBeNull()
  await screen.findByText('4 entries')
  await the.user.click(screen.getByRole('button', { name: 'Time' }))
  await expect.poll(times).toEqual(all.toReversed())
  await arrived(the.browser, `${path}?${days}&sortField=end_time&sortOrder=asc`)
})

it('is narrowed by type, operation, status, person and text, all of which the address holds', async () => {
  await open()
  await expect.poll(times).toEqual(all)
  await option('code', 'user')
  await expect.poll(times).toEqual([all[0], all[1], all[3]])
  await option('operation', 'login')
  await expect.poll(times).toEqual([all[1]])
  await option('operation', '')
  await option('status', '-1')
  await expect.poll(times).toEqual([all[1]])
  await option('status', '')
  await option('code', '')
  await the.user.type(named('person'), 'second')
  await the.user.click(await screen.findByRole('option', { name: new RegExp(name('second')) }))
  await expect.poll(times).toEqual([all[2]])
  const id = the.server.world.users['second@alpha']
  await arrived(the.browser, `${path}?${days}&user=${id}`)
  // Loaded anew, it is the same list.
  await the.browser.open(the.browser.path())
  await expect.poll(times).toEqual([all[2]])
  // Whose name it is, is a question of its own.
  await expect.poll(() => named('person').value).toBe(name('second'))
  await the.user.clear(named('person'))
  await the.user.tab()
  await expect.poll(times).toEqual(all)
  await the.user.type(screen.getByRole('textbox', { name: /^Search/ }), 'c-17')
  await expect.poll(times).toEqual([all[2]])
  history.back()
  await expect.poll(times).toEqual(all)
})

nightly('says at once that a start is after the end, and keeps what was typed', async () => {
  await open()
  await expect.poll(times).toEqual(all)
  await the.user.clear(named('dateFrom'))
  await the.user.type(named('dateFrom'), '2026-01-15')
  expect(problems()).toEqual({ dateFrom: "The start can't be after the end, 2026-01-11." })
  expect(named('dateFrom').value).toBe('2026-01-15')
  // The list is that of the last range that holds.
  await arrived(the.browser, `${path}?dateTo=2026-01-11`)
  await the.user.clear(named('dateTo'))
  await the.user.type(named('dateTo'), '2026-01-14')
  expect(problems()).toEqual({ dateTo: "The end can't be before the start, 2026-01-15." })
  expect(named('dateFrom').value).toBe('2026-01-15')
  await the.user.clear(named('dateFrom'))
  await the.user.type(named('dateFrom'), '2026/1/11')
  await the.user.tab()
  expect(problems()).toEqual({})
  await arrived(the.browser, `${path}?dateFrom=2026-01-11&dateTo=2026-01-14`)
  await expect.poll(times).toEqual(all.slice(0, 2))
  await the.user.clear(named('dateTo'))
  await the.user.type(named('dateTo'), '2026-02-30')
  await the.user.tab()
  expect(problems()).toEqual({ dateTo: 'Please write a date such as 2026-11-24.' })
  expect(named('dateTo').value).toBe('2026-02-30')
})

nightly('takes what is wrong in an address for what is not there', async () => {
  await open(
    'code=price&operation=%3Cscript%3E&status=7&user=-1&intent=x&company=1&dateFrom=2026-13-40&dateTo=0000-00-00&page=99999999&results=7&sortField=__proto__&after=1e9&entry=NaN',
  )
  await expect.poll(() => times().slice(-4)).toEqual(all)
  expect(document.querySelector('.problem')).toBeNull()
  // A range that begins after its end, and a page that no entry is on: the address is corrected.
  await the.browser.open(`${path}?dateFrom=2026-01-11&dateTo=2026-01-10&page=5000`)
  await expect.poll(() => times().slice(-4)).toEqual(all)
  await arrived(the.browser, path)
})

it('pages by numbers, as the address says', async () => {
  await writeManyEntries(the.server, 25, '2026-01-01 00:00:01')
  await the.browser.openAs('admin@alpha', `${path}?dateTo=2026-01-31`)
  await expect.poll(() => times()[0]).toBe('2026-01-01 00:00:25')
  await the.user.click(await screen.findByRole('button', { name: 'Page 3' }))
  await expect.poll(times).toEqual([5, 4, 3, 2, 1].map((second) => `2026-01-01 00:00:0${second}`))
  await arrived(the.browser, `${path}?dateTo=2026-01-31&page=3`)
  await screen.findByText('21–25 of 25')
  await the.user.click(button('Previous page'))
  await expect.poll(() => times()[0]).toBe('2026-01-01 00:00:15')
  await option('operation', 'login')
  await arrived(the.browser, `${path}?operation=login&dateTo=2026-01-31`)
})

nightly('counts to 10,000, says that there are more, and goes on behind them without numbers', async () => {
  await writeManyEntries(the.server, 10_025, '2026-01-01 00:00:01')
  await the.browser.openAs('admin@alpha', `${path}?results=20&page=500&dateTo=2026-01-31`)
  await screen.findByText('more than 10,000 entries')
  await expect.poll(() => times().at(-1)).toBe('2026-01-01 00:00:26')
  await the.user.click(await screen.findByRole('button', { name: 'Next page' }))
  await expect.poll(() => times().length).toBe(20)
  await expect.poll(() => times().at(-1)).toBe('2026-01-01 00:00:06')
  await expect.poll(() => the.browser.path()).toMatch(/&after=\d+$/)
  await expect.poll(() => screen.getAllByRole('button', { name: /^Page / }).map(textOf)).toEqual(['1'])
  await the.user.click(button('Next page'))
  await expect.poll(times).toEqual([5, 4, 3, 2, 1].map((second) => `2026-01-01 00:00:0${second}`))
  await expect.poll(() => button('Next page').getAttribute('aria-disabled')).toBe('true')
  history.back()
  await expect.poll(() => times().at(-1)).toBe('2026-01-01 00:00:06')
  await the.user.click(button('Page 1'))
  await arrived(the.browser, `${path}?dateTo=2026-01-31&results=20`)
})

it('opens an entry with its differences, and goes to its neighbours by keys', async () => {
  await open()
  await expect.poll(times).toEqual(all)
  await the.user.click(screen.getByRole('link', { name: all[0] ?? '' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'User · Update' }))
  const changes = () =>
    [...document.querySelectorAll('.trail-changes tbody tr')].map((row) => [...row.children].map(textOf))
  await expect.poll(changes).toEqual([
    ['Name', 'Tom', 'Tom <b>Bold</b>'],
    ['Admin', 'No', 'Yes'],
    ['not_known', '–', 'a, b'],
  ])
  expect(document.querySelector('.trail-changes b')).toBeNull()
  await dialog.findByRole('button', { name: `Copy ${intent}` })
  await expect.poll(() => the.browser.path()).toMatch(/&entry=\d+$/)
  await expect.poll(() => button('Previous entry').getAttribute('aria-disabled')).toBe('true')
  await the.user.keyboard('{ArrowRight}')
  await screen.findByRole('dialog', { name: 'User · Login' })
  await screen.findByText('Why it failed')
  await the.user.keyboard('k')
  await screen.findByRole('dialog', { name: 'User · Update' })
  await the.user.click(button('Next entry'))
  await screen.findByRole('dialog', { name: 'User · Login' })
  await the.user.keyboard('{Escape}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await arrived(the.browser, `${path}?${days}`)
})

nightly('tells an update that changed nothing from one of which it is not known', async () => {
  await open()
  const user = { code: 'user' as const, operation: 'update', by: 'admin@alpha' }
  await writeEntries(
    the.server,
    { ...user, at: '2026-01-12 09:00:01', info: { UserName: 'Same' }, changes: [] },
    { ...user, at: '2026-01-12 09:00:02', info: { UserName: 'Old' } },
    { ...user, at: '2026-01-12 09:00:03', info: { UserName: 'Secret', Field: 'password' } },
  )
  await the.browser.open(`${path}?dateFrom=2026-01-12&dateTo=2026-01-12`)
  const said = async (second: number) => {
    await the.user.click(await screen.findByRole('link', { name: `2026-01-12 09:00:0${second}` }))
    const { textContent } = await screen.findByRole('dialog', { name: 'User · Update' })
    await the.user.click(screen.getByText('Close'))
    return /No field changed|does not say which fields/.exec(textContent ?? '')?.[0]
  }
  expect(await said(1)).toBe('No field changed')
  expect(await said(2)).toBe('does not say which fields')
  expect(await said(3)).toBeUndefined()
})

nightly('opens an entry that the address names and the page behind it does not show', async () => {
  await open()
  await the.user.click(await screen.findByRole('link', { name: all[3] ?? '' }))
  await screen.findByRole('dialog', { name: 'User · Update' })
  const id = new URLSearchParams(the.browser.path().split('?')[1]).get('entry')
  await the.browser.open(`${path}?code=order&entry=${id}`)
  const dialog = await screen.findByRole('dialog', { name: 'User · Update' })
  await expect.poll(() => dialog.textContent).toContain(all[3])
  await the.browser.open(`${path}?entry=2147483647`)
  await screen.findByRole('heading', { name: 'There is no such entry' })
  // Many of one moment, on either side: by time alone such an entry is not found.
  const many = Array.from({ length: 120 }, (_, at) => ({
    at: '2026-01-12 09:00:00',
    by: 'admin@alpha',
    code: 'company' as const,
    operation: 'update',
    info: { CompanyName: `Alpha ${at}` },
  }))
  await writeEntries(the.server, ...many)
  await the.browser.open(`${path}?searchText=Alpha+60`)
  await the.user.click(await screen.findByRole('link', { name: '2026-01-12 09:00:00' }))
  await screen.findByRole('dialog', { name: 'Company · Update' })
  const meant = new URLSearchParams(the.browser.path().split('?')[1]).get('entry')
  await the.browser.open(`${path}?code=order&entry=${meant}`)
  const company = await screen.findByRole('dialog', { name: 'Company · Update' })
  await expect.poll(() => company.textContent).toContain('Alpha 60')
})

nightly('finds the entries of one change by its number, as a receipt leads to it', async () => {
  await open(`intent=${intent}`)
  await expect.poll(times).toEqual([all[0]])
  await the.user.click(button(/^Remove filter One change: 6f1c2d3e/))
  await expect.poll(() => times().length).toBeGreaterThan(1)
  await arrived(the.browser, path)
})

nightly('filters to one day of the activity, by keys and from its table', async () => {
  await open()
  const days = await screen.findByRole('slider')
  await expect.poll(() => days.getAttribute('aria-valuetext')).toBe('2026-01-11: 1 done, 1 failed')
  days.focus()
  await the.user.keyboard('{ArrowLeft}')
  expect(days.getAttribute('aria-valuetext')).toBe('2026-01-10: 2 done, 0 failed')
  await the.user.keyboard('{Enter}')
  await expect.poll(times).toEqual(all.slice(2))
  await arrived(the.browser, `${path}?dateFrom=2026-01-10&dateTo=2026-01-10`)
  // The other days are still there to be chosen.
  await the.user.click(screen.getByText('Numbers as a table'))
  await the.user.click(await screen.findByRole('button', { name: /Show only 2026-01-11/ }))
  await expect.poll(times).toEqual(all.slice(0, 2))
  await the.user.click(button('Show all days'))
  await expect.poll(times).toEqual(all)
})

nightly('draws the days around a chosen one again after a reload, also without a network', async () => {
  await open()
  const slider = () => screen.findByRole('slider')
  await expect.poll(async () => (await slider()).getAttribute('aria-valuetext')).toBe('2026-01-11: 1 done, 1 failed')
  ;(await slider()).focus()
  await the.user.keyboard('{ArrowLeft}{Enter}')
  const chosen = `${path}?dateFrom=2026-01-10&dateTo=2026-01-10`
  await arrived(the.browser, chosen)
  await expect.poll(times).toEqual(all.slice(2))
  the.browser.goOffline()
  await the.browser.open(chosen)
  await expect.poll(times).toEqual(all.slice(2))
  await slider()
  expect(screen.queryByText('The daily numbers are not saved on this device.')).toBeNull()
  await the.user.click(button('Show all days'))
  await arrived(the.browser, `${path}?${days}`)
  // What another build or hand left there is no range.
  for (const left of ['{', '7', '["2026-01-11","2026-01-10"]', '[{"a":1},"x"]']) {
    sessionStorage.setItem('portal.trailDays', left)
    await the.browser.open(`${path}?dateFrom=2026-01-10&dateTo=2026-01-10`)
    await screen.findByRole('heading', { level: 1, name: 'Audit trail' })
    await expect.poll(times).toEqual(all.slice(2))
  }
})

nightly('offers the types of the catalogue to the delete level alone', async () => {
  const types = () => [...named('code').querySelectorAll('option')].map(({ textContent }) => textContent)
  await writeEntries(the.server, entry('2026-01-10 09:00:00', { by: 'admin@m18', code: 'price', operation: 'confirm' }))
  await the.browser.openAs('admin@m18', `${path}?code=price&${days}`)
  await expect.poll(types).not.toContain('Price list')
  await the.browser.openAs('delete@m18', `${path}?code=price&${days}`)
  await expect.poll(types).toEqual(expect.arrayContaining(['Price list', 'Module', 'Hidden module', 'App']))
  await expect.poll(() => rows().map((row) => row.slice(1, 3))).toEqual([['Price list', 'Confirm']])
})

it('shows the provider’s staff the trail of a company that they find by its name', async () => {
  await story()
  await the.browser.openAs('admin@m18', `${path}?${days}`)
  await screen.findByRole('heading', { name: 'No entry matches these filters' })
  await the.user.type(await screen.findByRole('combobox', { name: 'Company' }), canaries.alpha)
  await the.user.click(await screen.findByRole('option', { name: new RegExp(canaries.alpha) }))
  await expect.poll(times).toEqual(all)
  await arrived(
    the.browser,
    `${path}?dateFrom=2026-01-10&dateTo=2026-01-11&company=${the.server.world.companies.alpha}`,
  )
  // A customer's address may name any company, and is answered with the own one.
  await the.browser.openAs('admin@beta', the.browser.path())
  await screen.findByRole('heading', { name: 'No entry matches these filters' })
  expect(screen.queryByRole('combobox', { name: 'Company' })).toBeNull()
})

it('says offline what is not on this device, and shows again what was read', async () => {
  await open()
  await expect.poll(times).toEqual(all)
  the.browser.goOffline()
  await option('code', 'order')
  await screen.findByRole('heading', { name: 'These entries are not on this device' })
  expect(document.querySelector('.problem')).toBeNull()
  await option('code', '')
  await expect.poll(times).toEqual(all)
  await the.user.click(button('Export'))
  const csv = await screen.findByRole('menuitem', { name: /^CSV file/ })
  await expect.poll(() => csv.textContent).toContain('needs a connection')
})

nightly('keeps its filters and order in a sheet on a phone, behind one button that counts them', async () => {
  vi.stubGlobal('matchMedia', (query: string) => ({
    ...matchMedia.call(window, query),
    matches: query.startsWith('(width <'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
  await open()
  await expect.poll(times).toEqual(all)
  expect(document.querySelector('main [name=code]')).toBeNull()
  // The activity is folded away, where the screen is the list's.
  expect(screen.queryByRole('slider')).toBeNull()
  await the.user.click(button('Filter (2)'))
  const sheet = within(await screen.findByRole('dialog', { name: 'Filter and sort' }))
  await option('code', 'order')
  await expect.poll(times).toEqual([all[2]])
  await the.user.selectOptions(sheet.getByLabelText('Sort by'), 'Time, ascending')
  await the.user.click(sheet.getByRole('button', { name: 'Show' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await arrived(the.browser, `${path}?code=order&${days}&sortField=end_time&sortOrder=asc`)
  await screen.findByRole('button', { name: 'Filter (3)' })
})

it('is where “History” of a user leads, with the filter that finds them under every name they had', async () => {
  await writeEntries(
    the.server,
    entry('2026-01-10 09:00:00', { info: { UserName: 'Another name then', UserEmail: 'second@alpha.example' } }),
  )
  await the.browser.openAs('admin@alpha', `/app/user?searchText=${encodeURIComponent(name('second'))}`)
  await the.user.click(await screen.findByRole('link', { name: name('second') }))
  await the.user.click(await screen.findByRole('link', { name: 'History' }))
  await screen.findByRole('heading', { level: 1, name: 'Audit trail' })
  expect(Object.fromEntries(new URLSearchParams(the.browser.path().split('?')[1]))).toEqual({
    code: 'user',
    searchText: 'second@alpha.example',
  })
  await expect.poll(times).toContain('2026-01-10 09:00:00')
})

nightly('speaks Chinese', async () => {
  await open(`${days}&lang=zh`)
  await expect.poll(() => rows()[1]?.slice(1, 3)).toEqual(['用户', '登录'])
  await screen.findByRole('heading', { level: 1, name: '操作记录' })
})
