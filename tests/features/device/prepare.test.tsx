import { screen, within } from '@testing-library/dom'
import { afterEach, expect, it } from 'vitest'
import { getButton, findHeading } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { canaries } from '#tests/support/server/world.ts'

const fixture = setUpPages()

const matchMedia = window.matchMedia
afterEach(() => void (window.matchMedia = matchMedia))

/** As on a device that is touched. */
function emulateTablet() {
  window.matchMedia = (query) => {
    const list = matchMedia.call(window, query)
    return query.includes('pointer:coarse') ? Object.defineProperty(list, 'matches', { value: true }) : list
  }
}

const findPanel = async () => within(await screen.findByRole('region', { name: 'Ready to work offline' }))

it('fault 47h a tablet is offered it once; the panel says what is saved, pages never opened before are there, and it is turned off', async () => {
  emulateTablet()
  await fixture.browser.openAs('admin@alpha', '/app/home')
  const offerRegion = within(await screen.findByRole('region', { name: 'Work offline on this device?' }))
  await fixture.user.click(offerRegion.getByRole('button', { name: 'Prepare this device' }))
  await findHeading('This device')
  await (await findPanel()).findByText(/^Ready\. \d+(\.\d)? kB saved, updated \d\d:\d\d\.$/)
  const partsList = (await findPanel()).getByRole('list', { name: 'What is saved' })
  expect([...partsList.querySelectorAll('strong')].map(({ textContent }) => textContent)).toEqual([
    'Profile, company and settings',
    'Users',
    'Audit trail of the last 4 weeks',
  ])

  fixture.browser.goOffline()
  await fixture.browser.open('/app/profile/company')
  expect(await screen.findAllByDisplayValue(new RegExp(canaries.alpha))).not.toEqual([])

  fixture.browser.goOnline()
  await fixture.browser.open('/app/device')
  await (await findPanel()).findByText(/^Ready\./)
  await fixture.user.click(getButton('Turn off'))
  await (await findPanel()).findByRole('button', { name: 'Prepare this device' })
  // Neither on nor asked about again. Each page has modules of its own.
  const { readPreparation } = await import('#local/preparation/preparation-store.ts')
  expect(await readPreparation()).toMatchObject({ isOn: false, isOfferClosed: true })
})
