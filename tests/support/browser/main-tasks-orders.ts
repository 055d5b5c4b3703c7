/** Main tasks with contracts and payments, done by keys alone. */
import { jumpTo, type TaskContext, waitForClosed, waitForText } from '#tests/support/browser/main-tasks.ts'
import { validExpiry } from '#tests/support/orders/card-fields.ts'

/** Orders a contract in the wizard and pays it. */
export async function buyContract(task: TaskContext, code: string) {
  const { page, keyboard } = task
  await jumpTo(task, 'new contract', 'New contract')
  await keyboard.expectFocus('New contract')
  await keyboard.tabTo(/^Service code/)
  await keyboard.type(code)
  await keyboard.tabTo(/^(Service name|Name)/)
  await keyboard.type('By keys, 键盘 & more')
  await keyboard.tabTo('Choose modules')
  await keyboard.press('Enter')
  await page.locator('[name=module-core]').waitFor()
  await keyboard.tabTo(/^Core/)
  await keyboard.press('Space')
  await keyboard.tabTo(/^Create order/)
  await keyboard.press('Enter')
  await waitForText(page, `Order ${code} created.`)
  await payByCard(task)
  await page.getByRole('heading', { name: 'The contract is in effect' }).waitFor()
  await keyboard.expectFocus()
}

/** Fills the three fields of the card, which are in frames, and pays. */
async function payByCard({ page, keyboard }: TaskContext) {
  await page.frameLocator('.payment-frame').locator('#number').waitFor()
  await keyboard.tabTo('Card')
  for (const text of ['4242424242424242', validExpiry(), '123']) {
    await keyboard.type(text)
    await keyboard.press('Tab')
  }
  await keyboard.tabTo(/^Pay .* by card$/)
  await keyboard.press('Enter')
}

/** Pays everything that is due in one currency with one payment, from the home page. Starts on any page. */
export async function payDueItems(task: TaskContext) {
  const { page, keyboard } = task
  const group = /^Pay 2 items · HKD/
  await jumpTo(task, 'home', 'Home')
  await keyboard.expectFocus('Home')
  await page.getByRole('button', { name: group }).waitFor()
  await keyboard.tabTo(group)
  await keyboard.press('Enter')
  await keyboard.expectFocus(/by card$/)
  await keyboard.press('Escape')
  await waitForClosed(page)
  // The dialog returns the focus to its button.
  await keyboard.expectFocus(group)
  await keyboard.press('Enter')
  await keyboard.expectFocus(/by card$/)
  await payByCard(task)
  await waitForText(page, 'Payment received')
  await waitForClosed(page)
  await page.getByRole('button', { name: group }).waitFor({ state: 'detached' })
  await keyboard.expectFocus()
}

/** Selects rows of the list "To pay" and opens their payment, which is not made. Starts on any page. */
export async function selectDueItems(task: TaskContext) {
  const { page, keyboard } = task
  await jumpTo(task, 'contracts', 'Contracts')
  await keyboard.expectFocus('Contracts')
  await keyboard.tabTo(/^To pay/)
  await keyboard.press('Enter')
  await page.locator('main tbody .to-pay-date').first().waitFor()
  await keyboard.press('j')
  await keyboard.expectFocus(/^Change of/)
  await keyboard.press('x', 'j')
  await keyboard.expectFocus()
  await keyboard.press('x')
  await keyboard.tabTo(/^Pay \d+ items? · HKD/, { key: 'Shift+Tab' })
  await keyboard.press('Enter')
  await keyboard.expectFocus(/by card$/)
  await keyboard.press('Escape')
  await waitForClosed(page)
  await keyboard.expectFocus(/^Pay /)
}

/** Extends a contract by a year and pays it, after closing the question once. */
export async function extendContract(task: TaskContext, code: string, name: string) {
  const { page, keyboard } = task
  await jumpTo(task, code)
  await keyboard.expectFocus(name)
  await page.locator('.order-history tbody tr').first().waitFor()
  await keyboard.tabTo('Extend')
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^Extend by/)
  await keyboard.press('Escape')
  await waitForClosed(page)
  await keyboard.expectFocus('Extend')
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^Extend by/)
  await keyboard.tabTo(/^Order extension · HKD/)
  await keyboard.press('Enter')
  await payByCard(task)
  await finishPayment(task)
}

/** Orders more users for a contract and pays them. */
export async function changeContract(task: TaskContext, code: string, name: string) {
  const { page, keyboard } = task
  await jumpTo(task, code)
  await keyboard.expectFocus(name)
  await page.locator('.order-history tbody tr').first().waitFor()
  await keyboard.tabTo('Modify')
  await keyboard.press('Enter')
  // The form replaces the button and has the focus.
  await keyboard.expectFocus(/^Users and modules/)
  await keyboard.tabTo(/^Number of users/)
  await keyboard.press('Control+a')
  await keyboard.type('45')
  await keyboard.tabTo(/^Order change · HKD/)
  await keyboard.press('Enter')
  await payByCard(task)
  await finishPayment(task)
}

async function finishPayment({ page, keyboard }: TaskContext) {
  await waitForText(page, 'Payment received')
  await waitForClosed(page)
  await page.getByRole('button', { name: 'Modify' }).waitFor()
  await keyboard.expectFocus()
}
