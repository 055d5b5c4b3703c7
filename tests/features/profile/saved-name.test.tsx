import { screen, waitFor } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { getButton, submit, typeValues } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const newName = 'Ana Lopes'

const findElement = (selector: string) =>
  waitFor(() => {
    const element = document.querySelector<HTMLElement>(selector)
    if (!element) throw new Error(`there is no ${selector}`)
    return element
  })
const click = async (selector: string) => await fixture.user.click(await findElement(selector))

async function saveName() {
  await fixture.browser.openAs('user@alpha', '/app/profile/user')
  await fixture.user.click(getButton('Edit profile'))
  const nameField = await findElement('main [name=name]')
  await waitFor(() => expect(document.activeElement).toBe(nameField))
  await typeValues(fixture.user, { name: newName })
  await submit(fixture.user)
  // The form was in the card of the profile, whose button gets the focus back.
  await waitFor(() => expect(document.activeElement).toBe(getButton('Edit profile')))
}

/** Opens the user menu, which has the new name, and then the home page. */
async function expectNameInMenu() {
  await click('header button:has(.avatar)')
  await screen.findByText(newName, { selector: 'strong' })
  await fixture.user.keyboard('{Escape}')
  await click('a[href="/saas/app/home"]')
  await screen.findByRole('heading', { level: 1, name: 'Home' })
}

it('The menu shows a saved name', async () => {
  await saveName()
  await expectNameInMenu()
})

it('The menu shows a saved name although the account cannot be read after the save', async () => {
  const send = globalThis.fetch
  let isSaved = false
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const { method, url } = input instanceof Request ? input : new Request(new URL(input, location.origin), init)
    if (isSaved && method === 'GET' && new URL(url).pathname === '/api/m18s/user')
      throw new TypeError('Failed to fetch')
    const response = await send(input, init)
    if (method === 'PUT') isSaved = true
    return response
  })
  await saveName()
  await expectNameInMenu()
  expect(isSaved).toBe(true)
})
