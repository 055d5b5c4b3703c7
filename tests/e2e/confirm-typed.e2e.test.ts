/** The confirmation of what cannot be undone, by itself in real Chromium. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser, seriousTrouble } from '#tests/support/browser.ts'
import { openStage } from '#tests/support/stage/serve.ts'

let stage: Awaited<ReturnType<typeof openStage>>
let browser: Browser
let page: Page

beforeAll(async () => {
  stage = await openStage()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await stage?.close()
})
beforeEach(async () => {
  const context = await browser.newContext()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(stage.url).origin })
  page = await context.newPage()
  await page.goto(stage.url)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.locator('[name=typed-code]').waitFor()
})
afterEach(() => page.context().close())

const value = () => page.locator('[name=typed-value]')
const code = () => page.locator('[name=typed-code]')
const shownCode = async () => (await page.locator('.confirm-code').innerText()).replaceAll(/\s/g, '')
const confirm = () => page.getByRole('button', { name: 'Delete service' }).click()
const confirmed = () => page.locator('output').innerText()

describe('a typed confirmation (M52, D84)', () => {
  it('acts only when the value and the code are typed exactly', async () => {
    await value().pressSequentially('abc01')
    await code().pressSequentially(await shownCode())
    await confirm()
    expect(await confirmed()).toBe('1')
  })

  it('lets the groups be typed with their spaces', async () => {
    await value().pressSequentially('abc01')
    await code().pressSequentially((await shownCode()).replace(/(.{4})(.{4})(.{4})/, '$1 $2 $3'))
    await confirm()
    expect(await confirmed()).toBe('1')
  })

  it.each([
    ['another value', 'abc02', true, ['Input Error!']],
    ['the value in capitals', 'ABC01', true, ['Input Error!']],
    ['another code', 'abc01', false, ['Input Error!']],
    ['nothing at all', '', false, ['Input Error!', 'Input Error!']],
  ])('says "Input Error!" to %s, and does nothing', async (_, typed, rightCode, errors) => {
    await value().pressSequentially(typed)
    if (rightCode) await code().pressSequentially(await shownCode())
    else if (typed) await code().pressSequentially('AAAAAAAAAAAA')
    await confirm()
    expect(await page.locator('.field-error').allInnerTexts()).toEqual(errors)
    expect(await confirmed()).toBe('0')
    const at = await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))
    expect(at).toBe('true')
  })

  it('takes no paste and no drop, but every key', async () => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), await shownCode())
    await code().focus()
    await page.keyboard.press('Control+V')
    expect(await code().inputValue()).toBe('')
    const dropped = await code().evaluate((box) => {
      const transfer = new DataTransfer()
      transfer.setData('text/plain', 'AAAAAAAAAAAA')
      return box.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
    })
    expect(dropped).toBe(false)
    await code().pressSequentially('abc')
    expect(await code().inputValue()).toBe('abc')
  })

  it('gives its code in groups that a reader hears with the field, and begins away from the dangerous button (A-18, C-16)', async () => {
    expect(await page.locator('.confirm-code code').allInnerTexts()).toHaveLength(3)
    const described = await code().evaluate(
      (input) => document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent,
    )
    expect(described).toBe(await shownCode())
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('typed-value')
    expect(await seriousTrouble(page)).toEqual([])
  })

  it('is left by Escape without anything done, and asks for another code next time', async () => {
    const before = await shownCode()
    await page.keyboard.press('Escape')
    await page.locator('[role=dialog]').waitFor({ state: 'detached' })
    expect(await confirmed()).toBe('0')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Ask')
    await page.getByRole('button', { name: 'Ask' }).click()
    await code().waitFor()
    expect(await shownCode()).not.toBe(before)
  })
})
