/** Tests common components on the users page. Each test leaves the page unchanged. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  getAddress,
  readFocusedText,
  waitForList,
  setUpShared,
  createVisits,
} from '#tests/support/browser/browser-setup.ts'

const { resume } = createVisits(setUpShared())
let page: Page
beforeAll(async () => {
  ;({ page } = await resume('admin', '/app/user'))
  await waitForList(page)
})

describe('a drawer with a form', () => {
  const getDialog = () => page.getByRole('dialog', { name: 'New user' })
  async function open() {
    await page.getByRole('button', { name: 'New user' }).click()
    await page.locator('[role=dialog] input').first().waitFor()
  }

  it('has a name, keeps the focus inside, closes on Escape and returns the focus (A-10)', async () => {
    await open()
    await getDialog().waitFor()
    const within = () => page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)
    await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('name')
    for (let press = 0; press < 15; press += 1) {
      await page.keyboard.press('Tab')
      expect(await within()).toBe(true)
    }
    await page.keyboard.press('Escape')
    await getDialog().waitFor({ state: 'detached' })
    await expect.poll(() => readFocusedText(page)).toBe('New user')
  })

  it('focuses its first field before its animation ends, so early typing is not lost', async () => {
    const atRest = page.evaluate(
      () =>
        new Promise<boolean>((resolve) =>
          document.addEventListener('focusin', ({ target }) => {
            if (target instanceof HTMLInputElement && target.name === 'name')
              resolve(document.querySelector('.p-dialog-enter-done') !== null)
          }),
        ),
    )
    await open()
    expect(await atRest).toBe(false)
    await page.keyboard.type('Typed at once')
    expect(await getDialog().locator('[name=name]').inputValue()).toBe('Typed at once')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await getDialog().waitFor({ state: 'detached' })
  })

  nightly('asks before it discards unsaved input (C-22)', async () => {
    await open()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Somebody')
    await page.keyboard.press('Escape')
    await page.getByText('Your changes are not saved yet.').waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await name.inputValue()).toBe('Somebody')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  })
})

it('A confirmation dialog takes the focus as soon as it is shown, so that it receives an early key press', async () => {
  const focusedTexts = page.evaluate(
    () =>
      new Promise<(string | undefined)[]>((resolve) => {
        const focused: (string | undefined)[] = []
        const note = () => focused.push(document.activeElement?.textContent?.trim())
        const watch = new MutationObserver(() => {
          const dialog = document.querySelector('[role=dialog]')
          if (dialog && focused.length === 0) {
            note()
            dialog.addEventListener('focusin', note)
          }
          if (dialog?.matches('.p-dialog-enter-done')) {
            watch.disconnect()
            resolve(focused)
          }
        })
        watch.observe(document.body, { childList: true, subtree: true, attributes: true })
      }),
  )
  await page.locator('tbody .pick input').last().check()
  await page.locator('.picks-disable button').click()
  expect(await focusedTexts).toEqual(['Cancel'])
  await page.keyboard.press('Enter')
  await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  await page.locator('tbody .pick input').last().uncheck()
})

describe('a list', () => {
  it('offers row actions in a keyboard-operable menu, and returns the focus', async () => {
    const button = page.locator('.row-actions [aria-haspopup=menu]').first()
    await button.focus()
    await page.keyboard.press('Enter')
    const items = page.locator('[role=menuitem]')
    await items.first().waitFor()
    const isFirst = () => items.first().evaluate((item) => item === document.activeElement)
    await expect.poll(isFirst).toBe(true)
    await page.keyboard.press('ArrowDown')
    expect(await isFirst()).toBe(false)
    await page.keyboard.press('ArrowUp')
    expect(await isFirst()).toBe(true)
    await page.keyboard.press('Escape')
    await items.first().waitFor({ state: 'detached' })
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  nightly('keeps the menu at its button while the page scrolls, and closes it if the button is removed', async () => {
    const button = page.locator('.row-actions [aria-haspopup=menu]').first()
    const menu = page.locator('[role=menu]')
    const measureGap = async () => {
      const [menuBox, buttonBox] = [await menu.boundingBox(), await button.boundingBox()]
      return (menuBox?.y ?? 0) - (buttonBox?.y ?? 0)
    }
    await button.click()
    await menu.waitFor()
    // Waits for the animation of the menu, which slides in by a few pixels.
    const frame = page.locator('.menu')
    await frame.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)))
    const gapBefore = await measureGap()
    const layoutNodes = await page.evaluateHandle(() => {
      const [above, after] = [document.createElement('div'), document.createElement('div')]
      above.style.height = '120px'
      after.style.height = '3000px'
      document.querySelector('main')?.prepend(above)
      document.querySelector('main')?.append(after)
      return [above, after]
    })
    await expect.poll(measureGap).toBe(gapBefore)
    await page.evaluate(() => scrollBy(0, 60))
    await expect.poll(measureGap).toBe(gapBefore)
    await page.evaluate(() => scrollBy(0, 2000))
    await menu.waitFor({ state: 'detached' })
    await layoutNodes.evaluate((all) => all.forEach((element) => element.remove()))
  })

  nightly('sorts by its headers with the keyboard, and exposes the sort order (A-06)', async () => {
    const sorted = () =>
      page
        .locator('th[aria-sort]')
        .evaluateAll((all) => all.map((th) => `${th.textContent} ${th.getAttribute('aria-sort')}`))
    expect(await sorted()).toEqual(['Name ascending'])
    await page.locator('th button', { hasText: 'E-mail' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(sorted).toEqual(['E-mail ascending'])
    await page.keyboard.press('Space')
    await expect.poll(sorted).toEqual(['E-mail descending'])
    expect(getAddress(page).searchParams.get('sortOrder')).toBe('desc')
  })

  it('does not search while Chinese text is being composed (I-13)', async () => {
    await page.getByRole('textbox', { name: 'Search name or e-mail' }).focus()
    const keyboard = await page.context().newCDPSession(page)
    await page.clock.install()
    await keyboard.send('Input.imeSetComposition', { text: 'wang', selectionStart: 4, selectionEnd: 4 })
    await page.clock.runFor(2_000)
    expect(getAddress(page).searchParams.has('searchText')).toBe(false)
    await page.clock.resume()
    await keyboard.send('Input.insertText', { text: '王' })
    await page.waitForURL((url) => url.searchParams.get('searchText') === '王')
  })
})
