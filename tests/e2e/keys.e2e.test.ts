/** Tests the keys of lists in Chromium, and where the focus is after them. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createKeyboard } from '#tests/support/browser/keyboard.ts'
import { getAddress, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'
import { moveToFirstRow } from '#tests/support/browser/main-tasks.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const setup = setUpShared()

type DispatchedKey = Record<'key' | 'code', string> &
  Partial<Record<'shiftKey' | 'modifierAltGraph' | 'isComposing' | 'repeat', boolean>>

/** Dispatches a key that a keyboard with another layout or an input method sends. */
const dispatchKey = (page: Page, options: DispatchedKey) =>
  page.evaluate((init) => {
    const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
    ;(document.activeElement ?? document.body).dispatchEvent(event)
  }, options)

it('The opened contract has the focus, and Escape returns to its row', async () => {
  const page = await resumePage(setup, 'admin', '/app/contract')
  const keyboard = createKeyboard(page)
  await moveToFirstRow({ page, keyboard })
  const { name } = await keyboard.expectFocus()
  await keyboard.press('e')
  await page.locator('.order-intro').waitFor()
  await keyboard.expectFocus(/^Acme/)
  await keyboard.tabTo('More')
  await keyboard.press('Enter', 'Escape')
  await keyboard.expectFocus('More')
  await keyboard.press('Escape')
  await expect.poll(() => getAddress(page).pathname).toBe('/saas/app/contract')
  await keyboard.expectFocus(name)
})

it('The keys of a list work with other keyboards, and never act while typing or behind a dialog', async () => {
  const page = await resumePage(setup, 'admin', '/app/user')
  const keyboard = createKeyboard(page)
  await moveToFirstRow({ page, keyboard })
  const { name: first } = await keyboard.expectFocus()
  // Caps Lock, and a keyboard with Zhuyin letters.
  await dispatchKey(page, { key: 'J', code: 'KeyJ' })
  const { name: second } = await keyboard.expectFocus()
  await dispatchKey(page, { key: 'ㄜ', code: 'KeyK' })
  await keyboard.expectFocus(first)
  for (const ignoredKey of [
    { key: 'J', code: 'KeyJ', shiftKey: true },
    { key: '€', code: 'KeyE', modifierAltGraph: true },
    { key: 'c', code: 'KeyC', isComposing: true },
    { key: 'c', code: 'KeyC', repeat: true },
  ])
    await dispatchKey(page, ignoredKey)
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect((await keyboard.expectFocus()).name).toBe(first)

  await keyboard.press('x', 'j', 'x')
  await page.getByText('2 selected').first().waitFor()
  await dispatchKey(page, { key: '、', code: 'Slash' })
  await keyboard.expectFocus(/^Search/)
  await keyboard.type('jkxec?')
  expect(await page.locator('.searchbox input').inputValue()).toBe('jkxec?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await keyboard.press('Escape')
  await page.getByRole('link', { name: second, exact: true }).waitFor()
})

nightly('Escape closes the search, and only then ends the selection of the list below it', async () => {
  const page = await resumePage(setup, 'admin', '/app/user')
  const keyboard = createKeyboard(page)
  await moveToFirstRow({ page, keyboard })
  const { name } = await keyboard.expectFocus()
  await keyboard.press('x')
  await page.getByText('1 selected').first().waitFor()
  await keyboard.press('Control+k')
  await page.locator('dialog.search').waitFor()
  await keyboard.press('Escape')
  await page.locator('dialog.search').waitFor({ state: 'detached' })
  await page.getByText('1 selected').first().waitFor()
  await keyboard.expectFocus(name)
  await keyboard.press('Escape')
  await page.getByText('1 selected').first().waitFor({ state: 'detached' })
  await keyboard.expectFocus(name)
})
