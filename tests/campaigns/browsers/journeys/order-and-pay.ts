/** Orders a contract in the wizard and pays by card over the page, then another one in Chinese on the gateway's own page. */
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import type { PageUser } from '#tests/campaigns/browsers/page-user.ts'
import { people } from '#tests/support/browser/browser.ts'

async function order(user: PageUser, code: string): Promise<void> {
  await user.open('/app/contract/new')
  await user.fill('[name="code"]', code)
  await user.fill('[name="name"]', `键盘 & more ${code}`)
  await user.fill('[name="users"]', '12')
  await user.click('.wizard form button[type="submit"]')
  await user.click('[name="module-fin"]')
  await user.click('[role="dialog"] .button.primary')
  await user.seeNone('[role="dialog"]')
  await user.click('.wizard div.priced .button.primary')
  // The card form is a frame of the payment provider. What follows it moves when it opens.
  await user.see('.payment-frame')
  await user.browser.inFrame(() => user.see('#number'))
}

export const orderAndPay: Journey = async (user) => {
  const expiry = `12${String(new Date().getFullYear() + 2).slice(2)}`
  await user.logIn(people.admin)
  await order(user, 'bykeys')
  await user.seeText('Order bykeys created.')
  await user.browser.inFrame(async () => {
    await user.fill('#number', '4242424242424242')
    await user.fill('#expiry', expiry)
    await user.fill('#cvc', '123')
  })
  await user.click({ role: 'button', name: '^Pay HKD .* by card$' })
  await user.seeText('The contract is in effect')
  await user.reload()
  await user.seeText('The contract is in effect')

  await user.open('/app/home?lang=zh')
  await user.see('.shell main h1')
  await order(user, 'bypage')
  await user.click({ role: 'button', name: '^前往付款页面付款' })
  await user.click('input[value="4000 0025 0000 3155"]')
  await user.click('form button')
  await user.click('button[value="yes"]')
  await user.seeText('已收到付款')
}
