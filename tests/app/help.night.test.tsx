/** Help, and the keys that lead about: on every page, for those signed in and for visitors (A-19, A-34, C-21, C-25). */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { button, heading } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages({ env: { SUPPORT_EMAIL: 'help@m18.example' } })
const help = () => screen.findByRole('dialog', { name: 'Help' })
const keysOf = (shown: HTMLElement) => [...shown.querySelectorAll('dt')].map(({ textContent }) => textContent)
const noDialog = () => expect.poll(() => document.querySelector('[role=dialog]')).toBeNull()
/** The part of the frame that hears them comes when the page has come to rest. */
const press = (keys: string, isDone: () => boolean) =>
  vi.waitFor(
    async () => {
      await the.user.keyboard(keys)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(isDone()).toBe(true)
    },
    { timeout: 30_000, interval: 50 },
  )
const isHelpOpen = () => screen.queryByRole('dialog', { name: 'Help' }) !== null

describe('help', () => {
  it.each(['/login', '/entrance', '/nowhere'])('is there for visitors, at %s', async (path) => {
    await the.browser.open(path)
    await the.user.click(await within(screen.getByRole('banner')).findByRole('button', { name: 'Help' }))
    const shown = await help()
    await within(shown).findByText('help@m18.example')
    const link = await within(shown).findByRole('link', { name: 'Write to support' })
    expect(link.getAttribute('href')).toBe('mailto:help@m18.example')
    await expect.poll(() => keysOf(shown)).toEqual(['?', '/', 'F8', 'Esc'])
  })

  it('names whom to ask, without a line too once they were named, and the keys that lead where one may go', async () => {
    await the.browser.openAs('admin@alpha', '/app/profile/user')
    await the.user.click(button('Help'))
    await within(await help()).findByText('help@m18.example')
    await expect.poll(async () => keysOf(await help())).toEqual(['?', '/', 'gh', 'gu', 'gw', 'F8', 'Esc'])
    await the.user.keyboard('{Escape}')
    await noDialog()
    the.browser.goOffline()
    await the.user.click(button('Help'))
    await within(await help()).findByText('help@m18.example')
  })

  nightly('copies what a report needs, without what stands behind the address', async () => {
    await the.browser.openAs('user@alpha', '/app/home?lang=en&otk=secret')
    const copied = vi.spyOn(navigator.clipboard, 'writeText')
    await the.user.click(button('Help'))
    const shown = within(await help())
    await shown.findByText(/worker none, server \S+/)
    await the.user.click(shown.getByRole('button', { name: 'Copy details' }))
    await shown.findByText('Copied')
    const [text = ''] = copied.mock.calls[0] ?? []
    expect(text).toMatch(
      /^address \/app\/home, connection online, last failed request \S+, page \S+, worker none, server /,
    )
    expect(text).not.toContain('secret')
  })
})

describe('single keys', () => {
  it('lead to the places one may go to, and to the help', async () => {
    await the.browser.openAs('admin@alpha')
    await press('gu', () => the.browser.path() === '/app/user')
    await heading('Users')
    await the.user.keyboard('gw')
    await arrived(the.browser, '/app/outbox')
    await heading('Waiting changes')
    await the.user.keyboard('?')
    await help()
  })

  nightly('show the help on a page in the moment it comes, and not on the one before it', async () => {
    await the.browser.openAs('admin@alpha')
    await press('?', isHelpOpen)
    await the.user.keyboard('{Escape}')
    await noDialog()
    const users = new MutationObserver(() => {
      if (document.querySelector('h1')?.textContent !== 'Users') return
      users.disconnect()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true }))
    })
    users.observe(document.body, { childList: true, characterData: true, subtree: true })
    await the.user.keyboard('gu')
    await help()
    history.back()
    await arrived(the.browser, '/app/home')
    await noDialog()
  })

  it('lead nowhere else: not where one may not go, not while typing, not with another key held, not under a dialog', async () => {
    await the.browser.openAs('admin@alpha', '/app/user')
    await press('?', isHelpOpen)
    await the.user.keyboard('gh')
    await the.user.keyboard('{Escape}')
    await noDialog()
    await the.user.keyboard('{Control>}g{/Control}h')
    await the.user.keyboard('g{Alt>}h{/Alt}')
    await the.user.type(screen.getByRole('textbox', { name: /Search/ }), 'gh?')
    expect(the.browser.path()).toMatch(/^\/app\/user/)
    expect(screen.queryByRole('dialog')).toBeNull()
    await the.browser.openAs('user@alpha')
    await press('?', isHelpOpen)
    await the.user.keyboard('{Escape}')
    await noDialog()
    await the.user.keyboard('gu')
    await the.user.keyboard('gc')
    expect(the.browser.path()).toBe('/app/home')
  })

  nightly('are all switched off together, on this device, and none is shown as one', async () => {
    await the.browser.openAs('admin@alpha', '/app/user')
    await press('?', isHelpOpen)
    await the.user.click(within(await help()).getByRole('switch', { name: 'Single-key shortcuts' }))
    await expect.poll(async () => keysOf(await help())).toEqual(['F8', 'Esc'])
    await the.user.keyboard('{Escape}')
    await noDialog()
    const search = screen.getByRole('textbox', { name: /Search/ })
    await expect.poll(() => search.hasAttribute('aria-keyshortcuts')).toBe(false)
    await expect.poll(() => document.querySelector('.searchbox kbd')).toBeNull()
    await the.user.keyboard('/?gh')
    expect(document.activeElement).not.toBe(search)
    expect(the.browser.path()).toMatch(/^\/app\/user/)
    await the.browser.open('/app/user')
    await heading('Users')
    const again = await screen.findByRole('textbox', { name: /Search/ })
    await the.user.keyboard('/')
    expect(document.activeElement).not.toBe(again)
    await the.user.click(button('Help'))
    await the.user.click(within(await help()).getByRole('switch', { name: 'Single-key shortcuts' }))
    await the.user.keyboard('{Escape}')
    await noDialog()
    await the.user.keyboard('/')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /Search/ }))
  })
})

it('what waits to be sent has its place in the menu while there is any', async () => {
  await the.browser.openAs('admin@alpha', '/app/user')
  expect(screen.queryByRole('link', { name: /^Waiting changes/ })).toBeNull()
  the.browser.goOffline()
  await the.browser.open('/app/profile/user?edit=1')
  const name = await screen.findByRole('textbox', { name: /^Name/ })
  await the.user.clear(name)
  await the.user.type(name, 'Ada')
  await the.user.click(screen.getByRole('button', { name: /^(Save|Update)/ }))
  const [link] = await screen.findAllByRole('link', { name: /^Waiting changes ?1$/ })
  expect(link?.getAttribute('href')).toBe('/saas/app/outbox')
})
