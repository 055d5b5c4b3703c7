/** The end of a session is announced, put off, and never said into somebody's typing. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { button, heading, named } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages()
const soon = 50_000

const change = async (session: { until?: number; renewFrom: number | undefined }) =>
  await (await import('#local/storage/device.ts')).thisDevice().directory.session.update('now', session)
/** As after a long time in which nothing was asked. Whatever the page still asks for renews nothing until it is due. */
async function endSoon(): Promise<number> {
  const until = Date.now() + soon
  await change({ until, renewFrom: undefined })
  return until
}
const due = () => change({ renewFrom: 0 })
const untilNow = async () =>
  (await (await import('#local/storage/device.ts')).thisDevice().directory.session.get('now'))?.until ?? 0
/** What stands above a page is there, though it says nothing yet. */
const settled = () => expect.poll(() => document.querySelector('.body > [role=status]')).not.toBeNull()

it('is announced with a way to put it off, by keys', async () => {
  await the.browser.openAs('user@alpha')
  await settled()
  const until = await endSoon()
  await screen.findByText(/^Your session ends in less than a minute, because/)
  expect(screen.queryByText(/connection/)).toBeNull()
  const extend = button('Extend')
  await due()
  extend.focus()
  await the.user.keyboard('{Enter}')
  await expect.poll(untilNow).toBeGreaterThan(until + soon)
  await expect.poll(() => screen.queryByText(/^Your session ends/)).toBeNull()
})

nightly('is put off by typing and never announced meanwhile', async () => {
  await the.browser.openAs('user@alpha', '/app/profile/password')
  await heading('Change password')
  await settled()
  await the.user.click(named('original'))
  await the.user.keyboard('a')
  const until = await endSoon()
  await due()
  let announced = 0
  const watch = new MutationObserver(() => {
    announced += screen.queryAllByText(/^Your session ends/).length
  })
  watch.observe(document.body, { subtree: true, childList: true })
  for (let key = 0; key < 12; key += 1) {
    await the.user.keyboard('b')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await expect.poll(untilNow).toBeGreaterThan(until + soon)
  watch.disconnect()
  expect(announced).toBe(0)
  expect(named('original').value).toBe('abbbbbbbbbbbb')
})
