import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getButton, findHeading, getNamedField } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const remainingMs = 50_000

const updateSession = async (session: { until?: number; renewFrom: number | undefined }) =>
  await (await import('#local/storage/device.ts')).getThisDevice().directory.session.update('now', session)
/** Simulates a long time without requests. Requests of the page do not renew the session until renewal is due. */
async function setSessionEndingSoon(): Promise<number> {
  const endsAt = Date.now() + remainingMs
  await updateSession({ until: endsAt, renewFrom: undefined })
  return endsAt
}
const makeRenewalDue = () => updateSession({ renewFrom: 0 })
const readSessionEnd = async () =>
  (await (await import('#local/storage/device.ts')).getThisDevice().directory.session.get('now'))?.until ?? 0
/** Waits for the banner above the page, which is rendered empty at first. */
const waitForBanner = () => expect.poll(() => document.querySelector('.body > [role=status]')).not.toBeNull()

it('The end of the session is announced and can be postponed with the keyboard', async () => {
  await fixture.browser.openAs('user@alpha')
  await waitForBanner()
  const endsAt = await setSessionEndingSoon()
  await screen.findByText(/^Your session ends in less than a minute, because/)
  expect(screen.queryByText(/connection/)).toBeNull()
  const extendButton = getButton('Stay logged in')
  await makeRenewalDue()
  extendButton.focus()
  await fixture.user.keyboard('{Enter}')
  await expect.poll(readSessionEnd).toBeGreaterThan(endsAt + remainingMs)
  await expect.poll(() => screen.queryByText(/^Your session ends/)).toBeNull()
})

nightly('Typing postpones the end of the session, so it is not announced', async () => {
  await fixture.browser.openAs('user@alpha', '/app/profile/password')
  await findHeading('My account')
  await waitForBanner()
  await fixture.user.click(getNamedField('original'))
  await fixture.user.keyboard('a')
  const endsAt = await setSessionEndingSoon()
  await makeRenewalDue()
  let announcementCount = 0
  const observer = new MutationObserver(() => {
    announcementCount += screen.queryAllByText(/^Your session ends/).length
  })
  observer.observe(document.body, { subtree: true, childList: true })
  for (let key = 0; key < 12; key += 1) {
    await fixture.user.keyboard('b')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await expect.poll(readSessionEnd).toBeGreaterThan(endsAt + remainingMs)
  observer.disconnect()
  expect(announcementCount).toBe(0)
  expect(getNamedField('original').value).toBe('abbbbbbbbbbbb')
})
