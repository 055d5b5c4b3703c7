/** Tests ordering in four steps (M70 to M80), online and offline. Field messages are tested in `tests/features/orders/wizard`. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { getCardField, validExpiry } from '#tests/support/orders/card-fields.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  getLabel,
  takeOwnCompany,
  resumePage,
  setUpShared,
  typeInto,
} from '#tests/support/browser/browser-setup.ts'
import {
  callApi,
  choose,
  getDialog,
  getField,
  fill,
  getOrderButton,
  type ListedOrder,
  listOrders,
  readStep,
  getSubmitButton,
} from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { fixture } = setup
const { code: own, admin } = takeOwnCompany()

const readAmount = (page: Page) => page.locator('.price-due .amount').innerText()
/** Returns the number of cached responses under a path. If `delete` follows the path, it deletes them afterwards. Runs in the page. */
async function countCachedResponses(pathAndAction: string): Promise<number> {
  const [path = '', action] = pathAndAction.split(' ')
  const names = (await indexedDB.databases()).map(({ name }) => name ?? '')
  const name = names.find((candidate) => /^portal-\d+-\d+$/.test(candidate)) ?? ''
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error(path))
    })
  const db = await result(indexedDB.open(name))
  const responses = db.transaction('responses', 'readwrite').objectStore('responses')
  const keys = (await result(responses.getAllKeys())).filter((key) => String(key).startsWith(path))
  if (action) for (const key of keys) await result(responses.delete(key))
  db.close()
  return keys.length
}
/** Returns everything the device stores for this origin as text. Runs in the page. */
async function readDevice(): Promise<{ texts: string; cachedOrigins: string[] }> {
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('not read'))
    })
  const texts = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]
  for (const { name = '' } of await indexedDB.databases()) {
    const db = await result(indexedDB.open(name))
    for (const store of db.objectStoreNames)
      texts.push(JSON.stringify(await result(db.transaction(store).objectStore(store).getAll())))
    db.close()
  }
  const origins = new Set<string>()
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) origins.add(new URL(url).origin)
  return { texts: texts.join('\n'), cachedOrigins: [...origins] }
}
const readErrors = (page: Page) => page.locator('.field-error').allInnerTexts()

nightly('The wizard orders at the shown price, and Back from the payment replaces the unpaid order (D36)', async () => {
  const page = await resumePage(setup, admin, '/app/contract/new')
  await getField(page, 'code').waitFor()
  await typeInto(getField(page, 'code'), 'Wizone')
  await typeInto(getField(page, 'name'), 'Service Wizone')
  await typeInto(getField(page, 'users'), '25')
  // The code is converted to lower case while it is typed.
  expect(await getField(page, 'code').inputValue()).toBe('wizone')
  await getLabel(getField(page, 'uat')).click()
  expect(await getField(page, 'uat').isChecked()).toBe(true)
  await typeInto(getField(page, 'period'), '2')
  await getSubmitButton(page).click()
  await expect.poll(() => readStep(page)).toContain('Modules')
  await expectNoFaults(page, 'the choice of modules')

  await getOrderButton(page).click()
  await expect.poll(() => readErrors(page)).toEqual(['Please select at least one module.'])
  await getField(page, 'module-scm').click()
  await getDialog(page).getByText('Supply chain needs these modules.').waitFor()
  expect(await getDialog(page).locator('li').allInnerTexts()).toEqual(['Finance fin', 'Core core'])
  await getDialog(page).getByText('HKD 64,800.00 → HKD 174,001.20 (+109,201.20)').waitFor()
  await getDialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await getField(page, 'module-scm').isChecked()).toBe(false)
  await choose(page, 'scm')
  // The amount is example G06 of the agreed price examples.
  await expect.poll(() => readAmount(page)).toBe('HKD 174,001.20')
  await page.locator('.modules-auto').getByText('Platform').waitFor()
  await page.locator('.price-why summary').click()
  await page.getByText('UAT system: 20% of 72,500.50').waitFor()

  await getField(page, 'module-fin').click()
  await getDialog(page).getByText('These modules need Finance.').waitFor()
  await getDialog(page).getByRole('button', { name: 'Remove all' }).click()
  await expect.poll(() => getField(page, 'module-scm').isChecked()).toBe(false)
  await choose(page, 'scm')

  await getOrderButton(page).click()
  await expect.poll(() => readStep(page)).toContain('Payment')
  await page.getByText('Order wizone created.').waitFor()
  const [first] = await listOrders(page, 'wizone')
  expect(first).toMatchObject({ state: 'unpaid', amount: '174001.20' })
  expect(await page.locator('.made-modules li').count()).toBe(5)
  await expectNoFaults(page, 'the confirmation')

  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await page.getByText('Your order wizone is unpaid.').waitFor()
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await getField(page, 'users').fill('12')
  await getSubmitButton(page).click()
  await getOrderButton(page).click()
  await expect.poll(() => readStep(page)).toContain('Payment')
  // The wizard does not ask whether to replace the first order, because it was created from this draft.
  const [second] = await listOrders(page, 'wizone')
  expect(second?.id).not.toBe(first?.id)
  expect(await callApi<ListedOrder>(page, 'GET', `/api/sorder/${first?.id}`)).toMatchObject({
    body: { state: 'invalid' },
  })

  const lines = await page.locator('.made-modules').innerText()
  await page.reload()
  await page.getByText('Order wizone created.').waitFor()
  // The confirmation lists the same modules and prices, including modules added automatically (P-13).
  expect(await page.locator('.made-modules').innerText()).toBe(lines)
  expect(lines).toContain('Platform')
  expect(await readStep(page)).toContain('Payment')
  // Discards the draft, so that the next test that uses this page does not find it.
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await getDialog(page).getByRole('button', { name: 'Discard draft' }).click()
  await expect.poll(() => getField(page, 'code').inputValue()).toBe('')
})

it('A contract is ordered and paid by keyboard, and no typed character is lost (A-12, M72, M81; fault 36M81e)', async () => {
  const page = await resumePage(setup, admin, '/app/contract/new')
  const { keyboard } = page
  await getField(page, 'code').waitFor()
  const readFocusedText = () =>
    page.evaluate(() => {
      const activeInput = document.activeElement as HTMLInputElement
      return activeInput.tagName === 'IFRAME' ? activeInput.title : activeInput.name || activeInput.innerText
    })
  const tabTo = async (name: RegExp) => {
    for (let pressCount = 0; pressCount < 25; pressCount++) {
      if (name.test(await readFocusedText())) return
      const focusedElement = await page.evaluateHandle(() => document.activeElement)
      await keyboard.press('Tab')
      // The card fields are frames in another process, which get the focus a moment later. The page cannot observe focus changes inside
      // them.
      await page
        .waitForFunction((previous) => document.activeElement !== previous, focusedElement, { timeout: 300 })
        .catch(() => undefined)
    }
    throw new Error(`no ${name} by keys`)
  }
  const paced = { delay: 45 }
  await tabTo(/^code$/)
  await keyboard.press('Enter')
  await expect.poll(() => readErrors(page)).toHaveLength(2)
  await keyboard.type('WizKeys', paced)
  await keyboard.press('Tab')
  await keyboard.type('By keys, 键盘 & more', paced)
  await keyboard.press('Shift+Tab')
  await keyboard.press('End')
  await keyboard.type('7', paced)
  await tabTo(/^users$/)
  await keyboard.type('12', paced)
  expect(await readErrors(page)).toEqual([])
  expect(await getField(page, 'code').inputValue()).toBe('wizkeys7')
  expect(await getField(page, 'name').inputValue()).toBe('By keys, 键盘 & more')
  expect(await getField(page, 'users').inputValue()).toBe('12')
  await tabTo(/^Choose modules$/)
  await keyboard.press('Enter')
  await expect.poll(() => readStep(page)).toContain('Modules')
  await tabTo(/^module-fin$/)
  await keyboard.press('Space')
  await getDialog(page).getByText('Finance needs').waitFor()
  await keyboard.press('Enter')
  await expect.poll(() => getField(page, 'module-core').isChecked()).toBe(true)
  await tabTo(/^Create order/)
  await keyboard.press('Enter')
  await page.getByText('Order wizkeys7 created.').waitFor()
  await getCardField(page, 'number').waitFor()
  await tabTo(/^Card$/)
  // The last digit of the card number is wrong.
  for (const text of ['4242424242424241', validExpiry(), '123']) {
    await keyboard.type(text, paced)
    await keyboard.press('Tab')
  }
  await tabTo(/^Pay HKD .* by card$/)
  await keyboard.press('Enter')
  await page.getByRole('alert').getByText('Your card information is invalid').waitFor()
  const typed = async () =>
    Promise.all((['number', 'expiry', 'cvc'] as const).map((name) => getCardField(page, name).inputValue()))
  expect(await typed()).toEqual(['4242 4242 4242 4241', validExpiry().replace(/^../, '$& / '), '123'])
  await keyboard.press('End')
  await keyboard.press('Backspace')
  await keyboard.type('2', paced)
  await tabTo(/^Pay HKD .* by card$/)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The contract is in effect' }).waitFor()
  // A reload shows the same result, not an empty form (fault 37k).
  await page.reload()
  await page.getByRole('heading', { name: 'The contract is in effect' }).waitFor()
  const { texts, cachedOrigins } = await page.evaluate(readDevice)
  expect(texts).toContain('wizkeys7')
  expect(texts).not.toMatch(/4242 ?4242|tok_[\da-f]{24}/)
  expect(cachedOrigins).toEqual([fixture.portal.url])
  expect(await listOrders(page, 'wizkeys7')).toMatchObject([
    { state: 'effective', name: 'By keys, 键盘 & more', users: 12 },
  ])
})

nightly("The gateway's own page remains the second way to pay by card (fault 36M81e)", async () => {
  const page = await resumePage(setup, admin, '/app/home')
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())
  const { body } = await callApi<ListedOrder>(page, 'POST', '/api/sorder', {
    code: 'wizpage',
    name: 'By page',
    currency: 'HKD',
    user_mode: 'CONCURRENT',
    users: 10,
    modules: ['core', 'fin'],
    period: 1,
    period_start: today,
  })
  await page.goto(`${fixture.portal.url}/saas/app/contract/${body.id}`)
  await page.getByRole('button', { name: /^Pay HKD/ }).click()
  await getCardField(page, 'number').waitFor()
  await page.getByRole('button', { name: /on the payment page$/ }).click()
  await page.getByRole('heading', { name: 'Pay by card' }).waitFor()
  await page.locator('form button').click()
  await page.locator('.payment-note', { hasText: 'Payment received' }).waitFor()
  expect(await listOrders(page, 'wizpage')).toMatchObject([{ state: 'effective' }])
})

nightly('A contract is ordered offline if the list was read before, and missing data is reported (P-10)', async () => {
  const page = await resumePage(setup, admin, '/app/home')
  const context = page.context()
  await waitForController(page)
  await waitForCachedPart(page, 'orders')
  await page.goto(`${fixture.portal.url}/saas/app/contract`)
  const countCachedModules = () => page.evaluate(countCachedResponses, '/api/module/info')
  await expect.poll(countCachedModules).toBe(1)
  await context.setOffline(true)
  await page.goto(`${fixture.portal.url}/saas/app/contract`)
  await page.locator('main tbody a', { hasText: `${own}trade` }).click()
  // The contract was listed but never opened. It is shown with the age of the list and with the names of its modules.
  await page.locator('.order-intro').getByText('Updated').waitFor()
  await page.locator('main').getByText('Supply chain').first().waitFor()
  await page.goto(`${fixture.portal.url}/saas/app/contract/new`)
  await fill(page, 'wizaway', { users: '25' })
  await getField(page, 'name').focus()
  await page.getByText('Availability is checked as soon as the server can be reached; nothing is lost.').waitFor()
  await page.getByText('Calculated on this device').waitFor()
  await expect.poll(() => readAmount(page)).toContain('HKD')
  await page.evaluate(countCachedResponses, '/api/module/info delete')
  await page.reload()
  await page.getByText('The order form could not be loaded yet.').waitFor()
  await context.setOffline(false)
  await getField(page, 'code').waitFor()
  expect(await getField(page, 'code').inputValue()).toBe('wizaway')
})

it('The wheel over a focused number changes nothing, and a fraction shows a message (fault 18a)', async () => {
  const page = await resumePage(setup, admin, '/app/contract/new')
  for (const name of ['users', 'period']) {
    const number = getField(page, name)
    await number.waitFor()
    await typeInto(number, '25')
    await number.hover()
    for (let turn = 0; turn < 3; turn++) await page.mouse.wheel(0, 120)
    // The arrow keys still change the value after the wheel was used.
    await number.press('ArrowUp')
    expect(await number.inputValue()).toBe('26')
    for (const text of ['1.5', '1e2', '+7']) {
      await typeInto(number, text)
      await getSubmitButton(page).click()
      const fieldErrors = page.locator('.field', { has: number }).locator('.field-error')
      await expect.poll(() => fieldErrors.allInnerTexts()).toEqual([expect.stringMatching(/a whole number from \d/)])
      expect(await number.inputValue()).toBe(text)
    }
    await typeInto(number, '１２')
    await number.press('Tab')
    expect(await number.inputValue()).toBe('12')
  }
})

nightly(
  'Enter that confirms a word in an input method submits no form and moves to no other step (fault 23a)',
  async () => {
    const page = await resumePage(setup, admin, '/app/contract/new')
    await getField(page, 'code').waitFor()
    await typeInto(getField(page, 'code'), 'composed')
    await typeInto(getField(page, 'users'), '10')
    const input = await page.context().newCDPSession(page)
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 }
    async function compose(name: string, word: string) {
      await getField(page, name).focus()
      await input.send('Input.imeSetComposition', { text: 'pinyin', selectionStart: 6, selectionEnd: 6 })
      await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
      await input.send('Input.insertText', { text: word })
      await input.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter })
      // Safari sends the key event only after it has inserted the composed text.
      await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
      await input.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter })
    }
    await getField(page, 'period_start').fill('')
    await compose('period_start', '明天')
    // The value is validated when the field is left, not while composing.
    expect(await getField(page, 'period_start').inputValue()).toBe('明天')
    expect(await readErrors(page)).toEqual([])
    await getField(page, 'period_start').fill('')
    await compose('period_start', '２０９９年１月５日')
    await getField(page, 'period_start').press('Tab')
    expect(await getField(page, 'period_start').inputValue()).toBe('2099-01-05')
    await compose('name', '服务一号')
    expect(await getField(page, 'name').inputValue()).toBe('服务一号')
    expect(await readStep(page)).toContain('Information')
    expect(await readErrors(page)).toEqual([])
    await getField(page, 'name').press('Enter')
    await expect.poll(() => readErrors(page)).toHaveLength(1)
  },
)

nightly(
  'With a clock 20 days behind, an ended contract is shown as ended, with the time zone (fault 34f)',
  async () => {
    const page = await resumePage(setup, admin, '/app/home')
    await page.addInitScript(() => {
      const behindMs = 20 * 86_400_000
      const OriginalDate = Date
      class SlowDate extends OriginalDate {
        constructor(...args: [] | [number | string]) {
          super(args.length === 0 ? OriginalDate.now() - behindMs : args[0])
        }
        static override now() {
          return OriginalDate.now() - behindMs
        }
      }
      globalThis.Date = SlowDate as DateConstructor
    })
    await page.goto(`${fixture.portal.url}/saas/app/contract`)
    await page.locator('main tbody a', { hasText: `${own}old` }).click()
    await page.getByText('The term has ended').waitFor()
    await page.locator('.footer').getByText('All dates and times: Hong Kong time (UTC+8)').waitFor()
  },
)
