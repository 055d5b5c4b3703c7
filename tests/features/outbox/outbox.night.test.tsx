/** Tests the outbox page with a real server, where another administrator changes the same users. */
import { screen, within } from '@testing-library/dom'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { typeValues, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { readNames, saveUser, userAction } from '#tests/support/pages/users.ts'
import { mailsPerHour } from '#domain/mails.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const toUserName = (role: string) => `${canaries.alpha} ${role}`
const getUserId = (role: string) => fixture.server.world.users[`${role}@alpha`] ?? 0
const readStoredUser = (role: string) => readUser(fixture.server.app, fixture.server.world, `${role}@alpha`)
const findDialog = async () => within(await screen.findByRole('dialog'))
const waitUntilClosed = () => expect.poll(() => screen.queryByRole('dialog')).toBeNull()
const findHeading = (name: string) => screen.findByRole('heading', { name })
const waitUntilAllSent = () => findHeading('Everything has been sent')
const findEntry = async (name: string) => within((await findHeading(name)).closest('.write') as HTMLElement)
/** Waits for the text of an entry. The entry is looked up each time, because it moves to another group when it needs a decision. */
const expectEntryText = (name: string, expectedText: string) =>
  expect
    .poll(() => {
      const entries = [...document.querySelectorAll('.write')]
      return entries.find((entryElement) => entryElement.querySelector('h3')?.textContent === name)?.textContent
    })
    .toContain(expectedText)
const findReceipt = (name: string) =>
  [...document.querySelectorAll('.receipts li')]
    .map((li) => li.textContent ?? '')
    .find((receiptText) => receiptText.includes(name))

/** Loads the user list, then goes offline. */
async function openListOffline() {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  await expect.poll(() => readNames().length).toBeGreaterThan(0)
  await expect.poll(() => document.querySelector('.freshness')?.textContent).not.toContain('on this device')
  fixture.browser.goOffline()
}
async function changeUser(userId: string, values: Record<string, string>, ...flags: string[]) {
  await fixture.browser.open(`/app/user?user=${userId}`)
  const form = await findDialog()
  await expect.poll(() => document.querySelector('[role=dialog] [name=order]')).not.toBeNull()
  await typeValues(fixture.user, values)
  for (const flag of flags) await fixture.user.click(form.getByLabelText(flag))
  await saveUser(fixture.user)
  await waitUntilClosed()
}
/** Returns the id of a user in the list. The list shows a change shortly after it is saved. */
async function findListedId(name: string): Promise<string> {
  const findLink = () =>
    [...document.querySelectorAll<HTMLAnchorElement>('.lead a')].find(({ textContent }) => textContent?.includes(name))
  await expect.poll(findLink).toBeDefined()
  return new URL(findLink()?.href ?? '').searchParams.get('user') ?? ''
}
const createUser = (name: string, email: string) => changeUser('new', { name, email })
async function changeElsewhere(role: string, payload: object) {
  const { send } = await fixture.server.signIn('second@alpha')
  const response = await send({ method: 'PUT', url: `/api/m18s/company-user/${getUserId(role)}`, payload })
  expect(response.statusCode).toBe(200)
}
/** Opens the outbox page and goes online. */
async function goOnlineInOutbox() {
  await fixture.browser.open('/app/outbox')
  fixture.browser.goOnline()
}
const blockerText = 'Waits for user Bruno Lam, which is sent first.'
const pressInDialog = async (name: string) =>
  fixture.user.click(await (await findDialog()).findByRole('button', { name }))
const openComparison = async () => fixture.user.click(await screen.findByRole('button', { name: 'Compare and choose' }))

describe('a change in conflict with another one', () => {
  nightly('is deleted if all values of the server are kept, and the row is not changed', async () => {
    await openListOffline()
    await changeUser(String(getUserId('invited')), { name: 'Adrian of Mine' })
    await changeElsewhere('invited', { name: 'Adrian of Theirs' })
    await goOnlineInOutbox()
    await openComparison()
    await (await findDialog()).findByText(new RegExp(`^${toUserName('second')} changed it`))
    await fixture.user.click((await findDialog()).getByRole('radio', { name: /Adrian of Theirs/ }))
    await pressInDialog("Keep the server's, discard mine")
    await waitUntilAllSent()
    await expect.poll(() => findReceipt('Adrian')).toContain('Discarded')
    expect(await readStoredUser('invited')).toMatchObject({ name: 'Adrian of Theirs' })
  })

  it('asks for confirmation before it deletes a user who was changed meanwhile (protocol 14)', async () => {
    await openListOffline()
    await userAction(fixture.user, toUserName('invited'), 'Delete')
    await typeConfirmation(fixture.user, 'invited@alpha.example')
    await pressInDialog('Delete user')
    await changeElsewhere('invited', { name: 'Alan of Theirs' })
    await goOnlineInOutbox()
    await openComparison()
    await (await findDialog()).findByText(/it was changed after you last saw it/)
    await (await findDialog()).findByText('Alan of Theirs')
    await pressInDialog('Leave it as it is')
    await waitUntilAllSent()
    expect(await readStoredUser('invited')).toMatchObject({ name: 'Alan of Theirs', status: 0 })
  })
})

describe('waiting changes', () => {
  nightly('show, although there is a connection, what they wait for, when saved and later (protocol 16)', async () => {
    const { now } = fixture.server.clock
    const { alpha } = fixture.server.world.companies
    await bypassPolicies(fixture.server.app.database, (db) =>
      sql`update company set create_time = ${now} where id = ${alpha}`.execute(db),
    )
    const { send } = await fixture.server.signIn('second@alpha')
    for (let index = 0; index < mailsPerHour.newCompany; index++) {
      const payload = { name: `Stranger ${index}`, email: `stranger${index}@elsewhere.example`, title: 0 }
      expect((await send({ method: 'POST', url: '/api/m18s/user', payload })).statusCode).toBe(200)
    }
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await createUser('Bruno Lam', 'bruno.lam@alpha.example')
    const limitMessage = 'Your company has reached its limit of invitations for now. The next can be sent in 60 min.'
    await screen.findByText(`${limitMessage} Your change is saved on this device and tried again automatically.`)
    await changeUser(await findListedId('Bruno Lam'), { name: 'Bruno Lam Ka-ho' })
    await screen.findByText(
      `${limitMessage} An earlier change of yours waits for this. The new one is saved on this device and sent after it.`,
    )
    await fixture.browser.open('/app/outbox')
    await expectEntryText('New user Bruno Lam', 'Your company has reached its limit of invitations')
    await (await findEntry('Change name of Bruno Lam')).findByRole('link', { name: blockerText })
  })

  it('are reported in one message after sending, with their number, and which change was refused and why (P-11)', async () => {
    await openListOffline()
    await changeUser(String(getUserId('user')), {}, 'Alert')
    await createUser('Bruno Lam', 'bruno.lam@alpha.example')
    const { send } = await fixture.server.signIn('second@alpha')
    const url = '/api/m18s/user'
    const body = { name: 'Other', email: 'bruno.lam@alpha.example', title: 1 }
    expect((await send({ method: 'POST', url, payload: body })).statusCode).toBeLessThan(300)
    await fixture.browser.open('/app/home')
    await screen.findByRole('link', { name: '2 changes waiting to be sent' })
    fixture.browser.goOnline()
    const toast = await screen.findByText(
      /^1 change sent, 1 change needs review\. New user Bruno Lam: User with the same email exists already/,
    )
    await screen.findByRole('link', { name: '1 change needs review' })
    await expect.poll(() => screen.queryByRole('link', { name: /waiting to be sent/ })).toBeNull()
    await fixture.user.click(within(toast.closest('.toast') as HTMLElement).getByRole('button', { name: 'Review' }))
    const brunoEntry = await findEntry('New user Bruno Lam')
    // The entry has all details for support in one place.
    expect(brunoEntry.getByText('Details').closest('details')?.textContent).toMatch(
      /tried (once|\d+ times).*Request ID .+/,
    )
    expect(document.querySelector('.write-foot')?.textContent).not.toMatch(/tried/)
    const sentChange = await screen.findByText(/^Change alert of/)
    expect(sentChange.closest('details')?.textContent).toMatch(/Alert: (yes → no|no → yes)/)
  })

  nightly(
    'show what blocks them, and discarding a creation also discards its later changes (protocol 15)',
    async () => {
      await openListOffline()
      await createUser('Bruno Lam', 'bruno.lam@alpha.example')
      const brunoId = await findListedId('Bruno Lam')
      await changeUser(brunoId, {}, 'Alert')
      await changeUser(brunoId, { name: 'Bruno Lam Ka-ho' })
      await fixture.browser.open('/app/outbox')
      await expectEntryText('Change name of Bruno Lam', 'Name: Bruno Lam → Bruno Lam Ka-ho')
      const blockerLink = await (await findEntry('Change name of Bruno Lam')).findByRole('link', {
        name: blockerText,
      })
      expect(blockerLink.getAttribute('href')).toBe(
        `#${(await findHeading('New user Bruno Lam')).closest('.write')?.id}`,
      )
      await fixture.user.click(screen.getByRole('button', { name: 'Send now' }))
      await screen.findByText(/^The server could not be reached\./)

      await fixture.user.click(
        await (await findEntry('Change name of Bruno Lam')).findByRole('button', { name: 'Edit' }),
      )
      await expect.poll(() => document.querySelector('[role=dialog] [name=name]')).not.toBeNull()
      await typeValues(fixture.user, { name: 'Bruno Lam Ka-wai' })
      await saveUser(fixture.user)
      await waitUntilClosed()
      await expectEntryText('Change name of Bruno Lam', 'Name: Bruno Lam → Bruno Lam Ka-wai')
      // The failed attempt may have been executed.
      const firstEntry = await findEntry('New user Bruno Lam')
      await firstEntry.findByRole('button', { name: 'Edit', description: /^It may already have been sent\./ })
      await firstEntry.findByRole('button', { name: 'Try again' })

      await fixture.user.click(await (await findEntry('New user Bruno Lam')).findByRole('button', { name: 'Discard' }))
      await (await findDialog()).findByText('These depend on it and are discarded too:')
      const followers = [...document.querySelectorAll('.write-along li')].map(({ textContent }) => textContent)
      expect(followers).toEqual(['Change alert of Bruno Lam', 'Change name of Bruno Lam'])
      await pressInDialog('Discard all 3')
      fixture.browser.goOnline()
      await waitUntilAllSent()
      await fixture.browser.open('/app/user?searchText=bruno')
      await findHeading('Nothing matches “bruno”')
    },
  )

  it('are sent only after a confirmation if they are older than 30 days (protocol 19)', async () => {
    await openListOffline()
    await changeUser(String(getUserId('user')), {}, 'Alert')
    // Simulates an entry older than 30 days.
    const { getThisDevice } = await import('#local/storage/device.ts')
    const { readSession } = await import('#local/session/session.ts')
    const session = await readSession()
    if (!session) throw new Error('nobody is signed in')
    await getThisDevice()
      .getDatabase(session)
      .outbox.toCollection()
      .modify((entry) => void (entry.since -= 31 * 86_400_000))
    await goOnlineInOutbox()
    const entryTitle = `Change alert of ${toUserName('user')}`
    await expectEntryText(entryTitle, 'This has waited for over 30 days.')
    await expectEntryText(entryTitle, 'Saved 31 days ago')
    expect(await readStoredUser('user')).toMatchObject({ alert: false })
    await fixture.user.click(await (await findEntry(entryTitle)).findByRole('button', { name: 'Send anyway' }))
    await waitUntilAllSent()
    await expect.poll(() => findReceipt(toUserName('user'))).toContain('Done')
    expect(await readStoredUser('user')).toMatchObject({ alert: true })
  })
})
