/** Tests the help and the keyboard shortcuts on every page, for signed-in users and visitors (A-19, A-34, C-21, C-25). */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { getButton, findHeading } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages({ env: { SUPPORT_EMAIL: 'help@m18.example' } })
const findHelp = () => screen.findByRole('dialog', { name: 'Help' })
const readKeys = (dialog: HTMLElement) => [...dialog.querySelectorAll('dt')].map(({ textContent }) => textContent)
const expectNoDialog = () => expect.poll(() => document.querySelector('[role=dialog]')).toBeNull()
/** Presses the keys until `isDone` returns true. The part of the layout that handles the keys is loaded once the page is idle. */
const pressUntil = (keys: string, isDone: () => boolean) =>
  vi.waitFor(
    async () => {
      await fixture.user.keyboard(keys)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(isDone()).toBe(true)
    },
    { timeout: 30_000, interval: 50 },
  )
const isHelpOpen = () => screen.queryByRole('dialog', { name: 'Help' }) !== null

describe('the help dialog', () => {
  it.each(['/login', '/entrance', '/nowhere'])('is available to visitors, at %s', async (path) => {
    await fixture.browser.open(path)
    await fixture.user.click(await within(screen.getByRole('banner')).findByRole('button', { name: 'Help' }))
    const dialog = await findHelp()
    await within(dialog).findByText('help@m18.example')
    const link = await within(dialog).findByRole('link', { name: 'Write to support' })
    expect(link.getAttribute('href')).toBe('mailto:help@m18.example')
    await expect.poll(() => readKeys(dialog)).toEqual(['?', '/', 'F8', 'Esc'])
  })

  it('shows the support address, offline too once it was loaded, and the shortcut keys of the allowed pages', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/profile/user')
    await fixture.user.click(getButton('Help'))
    await within(await findHelp()).findByText('help@m18.example')
    await expect
      .poll(async () => readKeys(await findHelp()))
      .toEqual(['?', '/', 'c', 'jk', 'x', 'e', 'gh', 'gu', 'gw', 'Ctrl K', 'F8', 'Esc'])
    await fixture.user.keyboard('{Escape}')
    await expectNoDialog()
    fixture.browser.goOffline()
    await fixture.user.click(getButton('Help'))
    await within(await findHelp()).findByText('help@m18.example')
  })

  nightly('copies the details of a report without the query of the address', async () => {
    await fixture.browser.openAs('user@alpha', '/app/home?lang=en&otk=secret')
    const writeText = vi.spyOn(navigator.clipboard, 'writeText')
    await fixture.user.click(getButton('Help'))
    const dialog = within(await findHelp())
    await dialog.findByText(/worker none, server \S+/)
    await fixture.user.click(dialog.getByRole('button', { name: 'Copy details' }))
    await dialog.findByText('Copied')
    const [text = ''] = writeText.mock.calls[0] ?? []
    expect(text).toMatch(
      /^address \/app\/home, connection online, last failed request \S+, page \S+, worker none, server /,
    )
    expect(text).not.toContain('secret')
  })
})

describe('a single-key shortcut', () => {
  it('opens an allowed page or the help', async () => {
    await fixture.browser.openAs('admin@alpha')
    await pressUntil('gu', () => fixture.browser.path() === '/app/user')
    await findHeading('Users')
    await fixture.user.keyboard('gw')
    await waitForPath(fixture.browser, '/app/outbox')
    await findHeading('Waiting changes')
    await fixture.user.keyboard('?')
    await findHelp()
  })

  nightly('opens the help on the new page if pressed at the moment that page appears', async () => {
    await fixture.browser.openAs('admin@alpha')
    await pressUntil('?', isHelpOpen)
    await fixture.user.keyboard('{Escape}')
    await expectNoDialog()
    const usersObserver = new MutationObserver(() => {
      if (document.querySelector('h1')?.textContent !== 'Users') return
      usersObserver.disconnect()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true }))
    })
    usersObserver.observe(document.body, { childList: true, characterData: true, subtree: true })
    await fixture.user.keyboard('gu')
    await findHelp()
    history.back()
    await waitForPath(fixture.browser, '/app/home')
    await expectNoDialog()
  })

  it('does nothing for a forbidden page, while typing, with a modifier key or under a dialog', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await pressUntil('?', isHelpOpen)
    await fixture.user.keyboard('gh')
    await fixture.user.keyboard('{Escape}')
    await expectNoDialog()
    await fixture.user.keyboard('{Control>}g{/Control}h')
    await fixture.user.keyboard('g{Alt>}h{/Alt}')
    await fixture.user.type(screen.getByRole('textbox', { name: /Search/ }), 'gh?')
    expect(fixture.browser.path()).toMatch(/^\/app\/user/)
    expect(screen.queryByRole('dialog')).toBeNull()
    await fixture.browser.openAs('user@alpha')
    await pressUntil('?', isHelpOpen)
    await fixture.user.keyboard('{Escape}')
    await expectNoDialog()
    await fixture.user.keyboard('gu')
    await fixture.user.keyboard('gc')
    expect(fixture.browser.path()).toBe('/app/home')
  })

  nightly('can be switched off together with all others on this device, and is then not announced', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await pressUntil('?', isHelpOpen)
    await fixture.user.click(within(await findHelp()).getByRole('switch', { name: 'Single-key shortcuts' }))
    await expect.poll(async () => readKeys(await findHelp())).toEqual(['Ctrl K', 'F8', 'Esc'])
    await fixture.user.keyboard('{Escape}')
    await expectNoDialog()
    const searchBox = screen.getByRole('textbox', { name: /Search/ })
    await expect.poll(() => searchBox.hasAttribute('aria-keyshortcuts')).toBe(false)
    await expect.poll(() => document.querySelector('.searchbox kbd')).toBeNull()
    await fixture.user.keyboard('/?gh')
    expect(document.activeElement).not.toBe(searchBox)
    expect(fixture.browser.path()).toMatch(/^\/app\/user/)
    await fixture.browser.open('/app/user')
    await findHeading('Users')
    const newSearchBox = await screen.findByRole('textbox', { name: /Search/ })
    await fixture.user.keyboard('/')
    expect(document.activeElement).not.toBe(newSearchBox)
    await fixture.user.click(getButton('Help'))
    await fixture.user.click(within(await findHelp()).getByRole('switch', { name: 'Single-key shortcuts' }))
    await fixture.user.keyboard('{Escape}')
    await expectNoDialog()
    await fixture.user.keyboard('/')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /Search/ }))
  })
})

it('The menu shows the waiting changes while there are any', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  expect(screen.queryByRole('link', { name: /^Waiting changes/ })).toBeNull()
  fixture.browser.goOffline()
  await fixture.browser.open('/app/profile/user?edit=1')
  const name = await screen.findByRole('textbox', { name: /^Name/ })
  await fixture.user.clear(name)
  await fixture.user.type(name, 'Ada')
  await fixture.user.click(screen.getByRole('button', { name: /^(Save|Update)/ }))
  const [link] = await screen.findAllByRole('link', { name: /^Waiting changes ?1$/ })
  expect(link?.getAttribute('href')).toBe('/saas/app/outbox')
})
