import { screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { writeEntries } from '#tests/support/audit-trail/trail-entries.ts'

const fixture = setUpPages()
const findDialog = () => screen.findByRole('dialog')
const dateQuery = 'dateFrom=2026-01-10&dateTo=2026-01-11'

async function openTrail(query = dateQuery) {
  await writeEntries(
    fixture.server,
    {
      time: '2026-01-10 09:00:00',
      userName: 'admin@alpha',
      code: 'user',
      operation: 'update',
      info: { UserName: 'Mei Lin' },
    },
    {
      time: '2026-01-11 10:00:00',
      userName: 'admin@alpha',
      code: 'user',
      operation: 'create',
      info: { UserName: 'Tom' },
    },
  )
  await integrate(fixture.server.app)
  await fixture.browser.openAs('admin@alpha', `/app/systrail?${query}`)
}

async function chooseRange(from: string, to: string): Promise<void> {
  const { fireEvent } = await import('@testing-library/dom')
  const storeDialog = within(await findDialog())
  fireEvent.change(storeDialog.getByLabelText('From'), { target: { value: from } })
  fireEvent.change(storeDialog.getByLabelText('To'), { target: { value: to } })
}

it('The size of days is shown before they are saved, and their entries can be verified and removed', async () => {
  await openTrail()
  await fixture.user.click(await screen.findByRole('button', { name: 'Save on this device' }))
  await chooseRange('2026-01-11', '2026-01-10')
  const storeDialog = within(await findDialog())
  expect(await storeDialog.findByText("The end can't be before the start, 2026-01-11.")).toBeDefined()
  // The input is not a valid range, so the previous range must not be saved instead.
  expect(storeDialog.queryByText(/kB$/)).toBeNull()
  expect(storeDialog.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  await chooseRange('2026-01-10', '')
  expect(await storeDialog.findByText('Please choose a date.')).toBeDefined()
  expect(storeDialog.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  await chooseRange('2026-01-10', '2026-01-11')
  expect(await screen.findByText(/^2 entries, about \d+ kB$/)).toBeDefined()
  await fixture.user.click(within(await findDialog()).getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('2026-01-10 to 2026-01-11')).toBeDefined()
  await fixture.user.click(await screen.findByRole('button', { name: 'Check all entries' }))
  expect(await screen.findByText(/^2 entries proven in/)).toBeDefined()
  fixture.browser.goOffline()
  await fixture.user.click(screen.getByRole('button', { name: 'Remove from this device' }))
  expect(await screen.findByText('The audit trail is no longer saved on this device.')).toBeDefined()
  expect(await within(await findDialog()).findByText("The size is shown when you're online.")).toBeDefined()
})

it('Days are shown as saved once every entry can be proven offline, not as soon as they can be read', async () => {
  await openTrail()
  await fixture.user.click(await screen.findByRole('button', { name: 'Save on this device' }))
  await chooseRange('2026-01-10', '2026-01-11')
  await screen.findByText(/^2 entries, about/)
  await fixture.user.click(within(await findDialog()).getByRole('button', { name: 'Save' }))
  const hiddenOptions = { hidden: true }
  await screen.findByRole('button', { name: 'Saved on this device', ...hiddenOptions })
  // Simulates a browser that was closed when all entries were stored, but not yet the hashes that prove them.
  const { getThisDevice } = await import('#local/storage/device.ts')
  const [subject] = await getThisDevice().directory.occupants.toArray()
  if (!subject) throw new Error('nobody is here')
  fixture.browser.goOffline()
  await getThisDevice().getDatabase(subject).storedTrails.toCollection().modify({ note: null, key: null })
  await expect.poll(() => screen.queryByRole('button', { name: 'Saved on this device', ...hiddenOptions })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Check all entries' })).toBeNull()
  // With a connection the download continues by itself.
  fixture.browser.goOnline()
  await screen.findByRole('button', { name: 'Saved on this device', ...hiddenOptions })
  await screen.findByRole('button', { name: 'Check all entries' })
})

it('An entry is proven, and its proof can be exported as a file', async () => {
  await openTrail()
  const createUrl = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:proof')
  await fixture.user.click(await screen.findByRole('link', { name: /2026-01-11 10:00:00/ }))
  expect(await screen.findByText('Proven')).toBeDefined()
  await fixture.user.click(screen.getByRole('button', { name: 'Export proof' }))
  await expect.poll(() => createUrl.mock.calls).toHaveLength(1)
  const [blob] = createUrl.mock.calls[0] ?? []
  expect(JSON.parse(await (blob as Blob).text())).toMatchObject({ format: 'saas-portal audit proof', v: 1 })
  createUrl.mockRestore()
})
