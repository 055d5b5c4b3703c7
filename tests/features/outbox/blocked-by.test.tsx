/** Tests waiting changes on the outbox page that depend on each other by a code. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { createModule } from '#contract/modules.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const staffName = 'delete@m18'

const addModule = async (code: string, dependencies: string[]) =>
  (await import('#app/connection/api.ts')).api.call(createModule, {
    body: { name: `The ${code}`, code, type: 'saas', dependencies },
  })
const readReasons = () => [...document.querySelectorAll('.write-why')].map(({ textContent }) => textContent)
const readFieldLines = () => [...document.querySelectorAll('.write-fields li')].map(({ textContent }) => textContent)

async function openModules() {
  await fixture.browser.openAs(staffName, '/app/m18/module')
  await screen.findAllByText('core')
}

it('A waiting module names the module that is sent first, and later why that module was refused (fault 42b)', async () => {
  await openModules()
  fixture.browser.goOffline()
  await addModule('first', ['nowhere'])
  await addModule('second', ['first'])
  await fixture.browser.open('/app/outbox')
  await expect
    .poll(readReasons)
    .toEqual([
      expect.stringMatching(/back online|again automatically/),
      'Waits for module The first, which is sent first.',
    ])
  fixture.browser.goOnline()
  await expect
    .poll(readReasons)
    .toEqual(['Waits for module The first, which was refused. Correct or discard that one first.'])
  await expect.poll(readFieldLines).toEqual(['Dependencies: There is no such module: nowhere.'])
  expect(document.querySelector('.write-why a')?.getAttribute('href')).toMatch(/^#write-/)
})

it('A module code on the device is taken, in upper or lower case, except for its own entry (fault 46e)', async () => {
  await openModules()
  // The module is imported here, because each page load has its own modules.
  const { findTakenField } = await import('#features/outbox/edit/find-taken-field.ts')
  const entry = { endpoint: 'createModule', table: 'modules', intent: crypto.randomUUID() }
  // The page loads and stores the list in the background.
  await expect.poll(() => findTakenField(entry, { name: 'Again', code: 'CORE', type: 'saas' })).toBe('code')
  fixture.browser.goOffline()
  expect(await findTakenField(entry, { name: 'Other', code: 'other', type: 'saas' })).toBeNull()
  const result = await addModule('made_here', [])
  const intent = 'intent' in result ? (result.intent ?? '') : ''
  expect(await findTakenField({ ...entry, intent }, { name: 'Itself', code: 'made_here', type: 'saas' })).toBeNull()
  expect(await findTakenField(entry, { name: 'Twice', code: 'made_here', type: 'saas' })).toBe('code')
})
