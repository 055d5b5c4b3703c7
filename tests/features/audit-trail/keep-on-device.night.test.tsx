/** What is kept of the audit trail and the proof of an entry, on the screen. */
import { screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { writeEntries } from '#tests/support/audit-trail/trail-entries.ts'

const the = setUpPages()
const dialog = () => screen.findByRole('dialog')
const days = 'dateFrom=2026-01-10&dateTo=2026-01-11'

async function open(query = days) {
  await writeEntries(
    the.server,
    { at: '2026-01-10 09:00:00', by: 'admin@alpha', code: 'user', operation: 'update', info: { UserName: 'Mei Lin' } },
    { at: '2026-01-11 10:00:00', by: 'admin@alpha', code: 'user', operation: 'create', info: { UserName: 'Tom' } },
  )
  await integrate(the.server.app)
  await the.browser.openAs('admin@alpha', `/app/systrail?${query}`)
}

async function choose(from: string, to: string): Promise<void> {
  const { fireEvent } = await import('@testing-library/dom')
  const room = within(await dialog())
  fireEvent.change(room.getByLabelText('From'), { target: { value: from } })
  fireEvent.change(room.getByLabelText('To'), { target: { value: to } })
}

it('days are kept: the size is said before, and all of it is checked and removed again', async () => {
  await open()
  await the.user.click(await screen.findByRole('button', { name: 'Save on this device' }))
  await choose('2026-01-11', '2026-01-10')
  const room = within(await dialog())
  expect(await room.findByText("The end can't be before the start, 2026-01-11.")).toBeDefined()
  // What is typed is no range: nothing is begun with the last one that was.
  expect(room.queryByText(/kB$/)).toBeNull()
  expect(room.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  await choose('2026-01-10', '')
  expect(await room.findByText('Please choose a date.')).toBeDefined()
  expect(room.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  await choose('2026-01-10', '2026-01-11')
  expect(await screen.findByText(/^2 entries, about \d+ kB$/)).toBeDefined()
  await the.user.click(within(await dialog()).getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('2026-01-10 to 2026-01-11')).toBeDefined()
  await the.user.click(await screen.findByRole('button', { name: 'Check all entries' }))
  expect(await screen.findByText(/^2 entries proven in/)).toBeDefined()
  the.browser.goOffline()
  await the.user.click(screen.getByRole('button', { name: 'Remove from this device' }))
  expect(await screen.findByText('The audit trail is no longer saved on this device.')).toBeDefined()
  expect(await within(await dialog()).findByText("The size is shown when you're online.")).toBeDefined()
})

it('days are said to be saved once each entry can be proven here, and not as soon as they can be read', async () => {
  await open()
  await the.user.click(await screen.findByRole('button', { name: 'Save on this device' }))
  await choose('2026-01-10', '2026-01-11')
  await screen.findByText(/^2 entries, about/)
  await the.user.click(within(await dialog()).getByRole('button', { name: 'Save' }))
  const behind = { hidden: true }
  await screen.findByRole('button', { name: 'Saved on this device', ...behind })
  // As where the browser is closed when all entries are here, and the hashes around them are not.
  const { thisDevice } = await import('#local/storage/device.ts')
  const [subject] = await thisDevice().directory.occupants.toArray()
  if (!subject) throw new Error('nobody is here')
  the.browser.goOffline()
  await thisDevice().of(subject).keptTrails.toCollection().modify({ note: null, key: null })
  await expect.poll(() => screen.queryByRole('button', { name: 'Saved on this device', ...behind })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Check all entries' })).toBeNull()
  // With a connection it goes on by itself.
  the.browser.goOnline()
  await screen.findByRole('button', { name: 'Saved on this device', ...behind })
  await screen.findByRole('button', { name: 'Check all entries' })
})

it('an entry is proven, and its proof is taken along as a file', async () => {
  await open()
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:proof')
  await the.user.click(await screen.findByRole('link', { name: /2026-01-11 10:00:00/ }))
  expect(await screen.findByText('Proven')).toBeDefined()
  await the.user.click(screen.getByRole('button', { name: 'Export proof' }))
  await expect.poll(() => saved.mock.calls).toHaveLength(1)
  const [blob] = saved.mock.calls[0] ?? []
  expect(JSON.parse(await (blob as Blob).text())).toMatchObject({ format: 'saas-portal audit proof', v: 1 })
  saved.mockRestore()
})
