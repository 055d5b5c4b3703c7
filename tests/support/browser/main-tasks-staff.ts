/** Main tasks of the provider's staff, done by keys alone, and the consent of a customer. */
import { jumpTo, type TaskContext, waitForClosed, waitForText } from '#tests/support/browser/main-tasks.ts'

/** Allows the provider's staff to look into the company, as its admin. */
export async function giveConsent(task: TaskContext) {
  const { page, keyboard } = task
  await jumpTo(task, 'company', 'Company')
  await keyboard.expectFocus('Company')
  await keyboard.tabTo(/^Hours/)
  await keyboard.press('Control+a')
  await keyboard.type('2')
  await keyboard.tabTo('Allow access')
  await keyboard.press('Enter')
  await waitForText(page, /^M18's staff may look into your company until/)
  await keyboard.expectFocus('Help from M18')
}

/** Acts for a customer that has allowed it, and stops. For the staff. */
export async function actForCustomer(task: TaskContext, code: string, name: string) {
  const { page, keyboard } = task
  // Contracts of the customer match too, until the list of customers is read.
  await jumpTo(task, code, new RegExp(`^\\s*${name}`))
  await keyboard.expectFocus(name)
  await keyboard.tabTo(`Act for ${name}`)
  await keyboard.press('Enter')
  await page.locator('.acting').waitFor()
  await keyboard.tabTo('Stop')
  await keyboard.press('Enter')
  await page.waitForURL(/m18\/customer/)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Copies the latest price list, changes the price of Core, runs the trial and confirms the copy. For the staff. */
export async function confirmPriceList(task: TaskContext, day: string) {
  const { page, keyboard } = task
  await jumpTo(task, 'price lists', 'Price lists')
  await keyboard.expectFocus('Price lists')
  await page.locator('main tbody tr:not(.waiting)').first().waitFor()
  await keyboard.press('j')
  await keyboard.expectFocus()
  await keyboard.tabTo(/^More/)
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^(Open|Edit)$/)
  await keyboard.press('ArrowDown')
  await keyboard.expectFocus('Save as')
  await keyboard.press('Enter')
  await keyboard.expectFocus('New price list')
  await keyboard.tabTo(/^Effective date/)
  await keyboard.type(day)
  await keyboard.press('Enter')
  await keyboard.expectFocus(`Price list of ${day}`)
  await changeCorePrice(task, '24000')
  await keyboard.tabTo('Confirm…', { limit: 200 })
  await keyboard.press('Enter')
  await keyboard.expectFocus('Start trial run')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: /largest change/ }).waitFor()
  await keyboard.tabTo('Confirm…')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await keyboard.expectFocus()
  await keyboard.tabTo('Confirm price list')
  await keyboard.press('Enter')
  await waitForClosed(page)
  await waitForText(page, 'This price list is confirmed, so its prices cannot be changed.')
  await keyboard.expectFocus()
}

async function changeCorePrice({ page, keyboard }: TaskContext, price: string) {
  await keyboard.tabTo('HKD, Core', { limit: 200 })
  await keyboard.press('Control+a')
  await keyboard.type(price)
  await keyboard.tabTo('Save', { limit: 200 })
  await keyboard.press('Enter')
  await page.locator('.price-save-bar:not(.changed)').waitFor()
  await keyboard.expectFocus()
}

/** Finds who changed the price, reads the sentence and saves the proof of the entry. Returns the name of the file. For the staff. */
export async function exportPriceProof(task: TaskContext, sentence: RegExp, change: string): Promise<string> {
  const { page, keyboard } = task
  await jumpTo(task, 'price lists', 'Price lists')
  await keyboard.expectFocus('Price lists')
  await page.locator('.trail-recent', { hasText: sentence }).waitFor()
  await keyboard.tabTo('All activity')
  await keyboard.press('Enter')
  await keyboard.expectFocus('Audit trail')
  const row = page.locator('main tbody tr:not(.waiting)', { hasText: change })
  await row.waitFor()
  do {
    await keyboard.press('j')
    await keyboard.expectFocus()
  } while (!(await row.evaluate((element) => element.contains(document.activeElement))))
  await keyboard.press('e')
  await page.getByRole('dialog').waitFor()
  await keyboard.tabTo('Export proof')
  const [download] = await Promise.all([page.waitForEvent('download'), keyboard.press('Enter')])
  await keyboard.press('Escape')
  await waitForClosed(page)
  await keyboard.expectFocus()
  return download.suggestedFilename()
}
