/** Logs in in Chinese, with a wrong password first. What was typed stays, and a reload does not end the session. */
import { deepEqual, equal } from 'node:assert/strict'
import problems from '#locales/zh/problem.json' with { type: 'json' }
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { people } from '#tests/support/browser/browser.ts'

export const signIn: Journey = async (user) => {
  const { company, username, password } = people.admin
  await user.open('/login?lang=zh')
  await user.fillLogin({ company, username, password: 'Wrong-password-1' })
  await user.click('form button[type="submit"]')
  await user.seeText(problems.invalid_grant)
  deepEqual(
    [await user.readValue('input[name="company"]'), await user.readValue('input[name="username"]')],
    [company, username],
  )
  await user.fill('input[name="password"]', password)
  await user.press('Enter')
  await user.see('.shell main h1')
  await user.reload()
  await user.see('.shell main h1')
  equal(await user.browser.run(() => document.documentElement.lang), 'zh-Hans')
  equal(await user.browser.run(() => location.pathname), '/saas/app/home')
}
