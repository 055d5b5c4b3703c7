import { screen, within } from '@testing-library/dom'
import { afterEach, expect, it } from 'vitest'
import { button, heading } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { canaries } from '#tests/support/server/world.ts'

const the = setUpPages()

const matchMedia = window.matchMedia
afterEach(() => void (window.matchMedia = matchMedia))

/** As on a device that is touched. */
function becomeTablet() {
  window.matchMedia = (query) => {
    const list = matchMedia.call(window, query)
    return query.includes('pointer:coarse') ? Object.defineProperty(list, 'matches', { value: true }) : list
  }
}

const panel = async () => within(await screen.findByRole('region', { name: 'Ready to work offline' }))

it('fault 47h a tablet is offered it once; the panel says what is saved, pages never opened before are there, and it is turned off', async () => {
  becomeTablet()
  await the.browser.openAs('admin@alpha', '/app/home')
  const offer = within(await screen.findByRole('region', { name: 'Work offline on this device?' }))
  await the.user.click(offer.getByRole('button', { name: 'Prepare this device' }))
  await heading('This device')
  await (await panel()).findByText(/^Ready\. \d+(\.\d)? kB saved, updated \d\d:\d\d\.$/)
  const parts = (await panel()).getByRole('list', { name: 'What is saved' })
  expect([...parts.querySelectorAll('strong')].map(({ textContent }) => textContent)).toEqual([
    'Profile, company and settings',
    'Users',
    'Audit trail of the last 4 weeks',
  ])

  the.browser.goOffline()
  await the.browser.open('/app/profile/company')
  expect(await screen.findAllByDisplayValue(new RegExp(canaries.alpha))).not.toEqual([])

  the.browser.goOnline()
  await the.browser.open('/app/device')
  await (await panel()).findByText(/^Ready\./)
  await the.user.click(button('Turn off'))
  await (await panel()).findByRole('button', { name: 'Prepare this device' })
  // Neither on nor asked about again. Each page has modules of its own.
  const { readPreparation } = await import('#local/preparation/preparation-store.ts')
  expect(await readPreparation()).toMatchObject({ isOn: false, isOfferClosed: true })
})
