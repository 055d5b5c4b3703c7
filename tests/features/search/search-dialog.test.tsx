/** Tests the search and the keys of lists on complete pages: what is offered, keys, focus, recent items, offline. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { findHeading } from '#tests/support/pages/fields.ts'
import { setUpPages, waitForPath } from '#tests/support/pages/screen.ts'
import { readNames } from '#tests/support/pages/users.ts'
import { canaries } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const findSearch = () => screen.findByRole('dialog', { name: 'Search and commands' })
const querySearch = () => screen.queryByRole('dialog', { name: 'Search and commands' })
const readOptions = () =>
  [...document.querySelectorAll('.search-option')].map((option) => option.querySelector('.search-label')?.textContent)
const readActive = () => document.querySelector('[role=option][aria-selected=true] .search-label')?.textContent ?? null
const readGroups = () => screen.queryAllByRole('group').map((group) => group.querySelector('p')?.textContent)

async function openSearch(text = '') {
  await fixture.user.keyboard('{Control>}k{/Control}')
  const dialog = await findSearch()
  const field = within(dialog).getByRole('combobox', { name: 'Search or jump to' })
  expect(document.activeElement).toBe(field)
  if (text !== '') await fixture.user.type(field, text)
  return field
}

describe('the search', () => {
  it('opens a user from any page by the shortcut, text and Enter, and shows the user among the recent items', async () => {
    await fixture.browser.openAs('admin@alpha')
    const field = await openSearch(`${canaries.alpha} ord`)
    await expect.poll(readActive).toBe(`${canaries.alpha} order`)
    expect(field.getAttribute('aria-activedescendant')).toBe(
      document.querySelector('[role=option][aria-selected=true]')?.id,
    )
    await expect.poll(() => document.querySelector('dialog [role=status]')?.textContent).toMatch(/^\d+ results?$/)
    await fixture.user.keyboard('{Enter}')
    await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/user\?user=\d+$/)
    await screen.findByRole('dialog', { name: new RegExp(`${canaries.alpha} order`) })
    expect(querySearch()).toBeNull()
    await fixture.browser.open('/app/home')
    await openSearch()
    await expect.poll(() => readOptions()[0]).toBe(`${canaries.alpha} order`)
    expect(readGroups()).toEqual(['Recent', 'Do', 'Go to'])
  })

  it('offers only what the caller may do', async () => {
    await fixture.browser.openAs('user@alpha')
    await openSearch()
    await expect.poll(readGroups).toEqual(['Go to'])
    expect(readOptions()).not.toContain('Users')
    await fixture.user.keyboard('new')
    await screen.findByText('Nothing matches “new”.')
    await fixture.user.clear(screen.getByRole('combobox'))
    await fixture.user.keyboard('logout')
    await expect.poll(readOptions).toEqual(['Logout'])
  })

  it('moves by the arrow keys, Home and End, and returns the focus when Escape closes it', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await expect.poll(() => readNames().length).toBeGreaterThan(0)
    const button = screen.getByRole('button', { name: 'Search or jump to…' })
    await fixture.user.click(button)
    await findSearch()
    await expect.poll(() => readOptions().length).toBeGreaterThan(3)
    const options = readOptions()
    await fixture.user.keyboard('{ArrowDown}')
    expect(readActive()).toBe(options[1])
    await fixture.user.keyboard('{ArrowUp}{ArrowUp}')
    expect(readActive()).toBe(options.at(-1))
    await fixture.user.keyboard('{Home}')
    expect(readActive()).toBe(options[0])
    await fixture.user.keyboard('{End}')
    expect(readActive()).toBe(options.at(-1))
    await fixture.user.keyboard('{Escape}')
    await expect.poll(querySearch).toBeNull()
    await expect.poll(() => document.activeElement === button).toBe(true)
  })

  it('closes by Enter on its button, and by a click on the backdrop that does not start in the field', async () => {
    await fixture.browser.openAs('admin@alpha')
    const field = await openSearch('audit')
    await expect.poll(readActive).toBe('Audit trail')
    expect(document.querySelector('[role=option][aria-selected=true]')?.id).not.toMatch(/\s/)
    const dialog = await findSearch()
    await fixture.user.pointer([
      { keys: '[MouseLeft>]', target: field },
      { keys: '[/MouseLeft]', target: dialog },
    ])
    // The browser reports the click of a drag at the element that contains both ends.
    dialog.dispatchEvent(new MouseEvent('click', { bubbles: true }))
    expect(querySearch()).not.toBeNull()
    await fixture.user.click(dialog)
    await expect.poll(querySearch).toBeNull()
    await openSearch('audit')
    await expect.poll(readActive).toBe('Audit trail')
    within(await findSearch())
      .getByRole('button', { name: 'Close' })
      .focus()
    await fixture.user.keyboard('{Enter}')
    await expect.poll(querySearch).toBeNull()
    expect(fixture.browser.path()).toBe('/app/home')
  })

  it('opens an address in a new tab by Ctrl+Enter, and stays open', async () => {
    const openWindow = vi.spyOn(window, 'open').mockReturnValue(null)
    await fixture.browser.openAs('admin@alpha')
    await openSearch('audit')
    await expect.poll(readActive).toBe('Audit trail')
    await fixture.user.keyboard('{Control>}{Enter}{/Control}')
    expect(openWindow).toHaveBeenCalledWith('/saas/app/systrail', '_blank', 'noopener')
    expect(querySearch()).not.toBeNull()
    expect(fixture.browser.path()).toBe('/app/home')
    openWindow.mockRestore()
  })

  it('finds the rows on the device offline, and says how many they are', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await expect.poll(() => readNames().length).toBeGreaterThan(0)
    fixture.browser.goOffline()
    await openSearch('invited@')
    await expect.poll(readActive).toBe(`${canaries.alpha} invited`)
    await expect.poll(() => document.querySelector('.search-foot')?.textContent).toMatch(/On this device: \d+ users/)
    await fixture.user.keyboard('{Enter}')
    await screen.findByRole('dialog', { name: new RegExp(`${canaries.alpha} invited`) })
  })

  it('does not open over a question, and runs a command without an address', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/profile/user')
    await openSearch('help and')
    await expect.poll(readActive).toBe('Help and keyboard shortcuts')
    await fixture.user.keyboard('{Enter}')
    await screen.findByRole('dialog', { name: 'Help' })
    await fixture.user.keyboard('{Control>}k{/Control}')
    expect(querySearch()).toBeNull()
  })

  it('opens over a drawer only as long as it has no unsaved input', async () => {
    await fixture.browser.openAs('admin@alpha')
    await openSearch(`${canaries.alpha} ord`)
    await expect.poll(readActive).toBe(`${canaries.alpha} order`)
    await fixture.user.keyboard('{Enter}')
    const alertSwitch = await screen.findByRole('switch', { name: 'Alert' })
    // The drawer of the loaded form has replaced the first one when it has the focus.
    await expect.poll(() => document.activeElement?.className).toBe('p-dialog-title')
    await openSearch()
    await fixture.user.keyboard('{Escape}')
    await expect.poll(querySearch).toBeNull()
    await fixture.user.click(alertSwitch)
    await fixture.user.keyboard('{Control>}k{/Control}')
    expect(querySearch()).toBeNull()
    expect(alertSwitch.isConnected).toBe(true)
  })
})

describe('the keys of a list', () => {
  const readFocusedName = () => document.activeElement?.textContent
  /** Presses a key until it has its effect: the part of the layout that handles the keys is loaded once the page is idle. */
  const press = (key: string, isDone: () => boolean) =>
    vi.waitFor(
      async () => {
        await fixture.user.keyboard(key)
        expect(isDone()).toBe(true)
      },
      { timeout: 30_000, interval: 200 },
    )

  it('move between the rows, select and open one, and create', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await expect.poll(() => readNames().length).toBeGreaterThan(2)
    const names = readNames()
    await press('k', () => readFocusedName() === names.at(-1))
    await fixture.user.keyboard('kj')
    expect(readFocusedName()).toBe(names.at(-1))
    await fixture.user.keyboard('j')
    expect(readFocusedName()).toBe(names.at(-1))
    await fixture.user.keyboard('x')
    await screen.findByRole('region', { name: 'Selected users' })
    await fixture.user.keyboard('k')
    await fixture.user.keyboard('{Escape}')
    await expect.poll(() => screen.queryByRole('region', { name: 'Selected users' })).toBeNull()
    // The focus is on the check box of the same row now, which is no field to type in.
    await fixture.user.keyboard('kj')
    expect(readFocusedName()).toBe(names.at(-2))
    await fixture.user.keyboard('e')
    await screen.findByRole('dialog', { name: new RegExp(names.at(-2) ?? '') })
    // Keys do nothing while a dialog is open.
    const path = fixture.browser.path()
    await fixture.user.keyboard('c')
    expect(fixture.browser.path()).toBe(path)
    await fixture.user.keyboard('{Escape}')
    await waitForPath(fixture.browser, '/app/user')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    await fixture.user.keyboard('c')
    await waitForPath(fixture.browser, '/app/user?user=new')
  })

  it('do nothing while typing, on a page without a list, or when they are switched off', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/user')
    await expect.poll(() => readNames().length).toBeGreaterThan(2)
    await press('j', () => readFocusedName() === readNames()[0])
    await fixture.user.type(screen.getByRole('textbox', { name: /Search/ }), 'cjkxe')
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /Search/ }).value).toBe('cjkxe')
    expect(screen.queryByRole('dialog')).toBeNull()
    await fixture.browser.open('/app/profile/user')
    await findHeading('My account')
    await fixture.user.keyboard('cjxe')
    expect(fixture.browser.path()).toBe('/app/profile/user')
    await fixture.browser.open('/app/user')
    await expect.poll(() => readNames().length).toBeGreaterThan(2)
    await press('j', () => readFocusedName() === readNames()[0])
    localStorage.setItem('portal.keys', 'off')
    await fixture.user.keyboard('jc')
    expect(readFocusedName()).toBe(readNames()[0])
    expect(fixture.browser.path()).toBe('/app/user')
  })
})
