/** The app history on the screen (contracts 2, 3; M135, D87): found, sorted, paged, read offline, and its change logs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { screen } from '@testing-library/dom'
import { afterAll, expect, it } from 'vitest'
import { kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'
import { button, described } from '#tests/support/pages/fields.ts'
import { packed } from '#tests/support/uploads/packages.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { sendPackage } from '#tests/support/uploads/uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'portal-history-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const the = setUpPages({ env: { FILES_DIR: folder } })

const shown = () =>
  [...document.querySelectorAll('tbody tr:not(.waiting)')].map((row) =>
    [...row.querySelectorAll('td')].slice(0, 3).map(({ textContent }) => textContent),
  )
const versions = () => shown().map(([code, , version]) => `${code?.slice(1)} ${version}`)

async function publish(version: string, files: Record<string, string | null> = {}) {
  const staff = await the.server.signIn('admin@m18')
  const answer = await sendPackage(staff, await packed({ facts: { version }, files }))
  const begun = await staff.send({
    method: 'POST',
    url: '/api/app',
    headers: { 'idempotency-key': crypto.randomUUID() },
    payload: { modules: [answer.json()[0].md5] },
  })
  expect(begun.statusCode).toBe(202)
  while (await workOne(the.server.app, kinds));
}

it('is searched at typing speed, sorted and paged, as the address says, and with no line as well', async () => {
  await addVersions(the.server, 'barcode', 'Barcodes', '2.0', '2.1')
  the.server.clock.now += 10_000
  await addVersions(the.server, 'pay', 'Pay', ...Array.from({ length: 10 }, (_, at) => `1.${at}`))
  await the.browser.openAs('admin@m18', '/app/apphistory')
  await expect.poll(() => shown().length).toBe(10)
  // The newest first; its icon's place has the first letter until the picture is there.
  expect(shown()[0]).toEqual(['Ppay', 'Pay', '1.9'])
  await the.user.click(button('Next page'))
  await expect.poll(() => shown().length).toBe(2)
  expect(the.browser.path()).toBe('/app/apphistory?page=2')
  await the.user.type(screen.getByRole('textbox', { name: 'Search apps by code or name' }), 'barcod')
  await arrived(the.browser, '/app/apphistory?searchText=barcod')
  await expect.poll(versions).toEqual(['barcode 2.1', 'barcode 2.0'])

  the.browser.goOffline()
  await the.user.click(await screen.findByRole('button', { name: 'Clear search' }))
  await expect.poll(() => shown().length).toBe(10)
  await the.user.click(screen.getByRole('button', { name: 'Code' }))
  await expect.poll(() => versions()[0]).toMatch(/^barcode/)
  await the.user.type(screen.getByRole('textbox', { name: 'Search apps by code or name' }), 'no such app')
  await screen.findByRole('heading', { name: 'No version matches this search' })
  await the.user.click(button('Show all versions'))
  await expect.poll(() => shown().length).toBe(10)
  expect(document.querySelector('.problem')).toBeNull()
})

it('shows a change log in a frame of 700 by 300 without scripts, and says in place where it was never read', async () => {
  await addVersions(the.server, 'barcode', 'Barcodes', '2.0')
  await publish('1.0', { 'changelog.md': '# 1.0\n\nNew: [more](https://example.org/) <script>alert(1)</script>' })
  await the.browser.openAs('admin@m18', '/app/apphistory')
  await expect.poll(versions).toContain('pay 1.0')
  await the.user.click(button('Change log Pay 1.0'))
  const frame = await screen.findByTitle<HTMLIFrameElement>('Change log: Pay 1.0')
  expect([frame.getAttribute('width'), frame.getAttribute('height')]).toEqual(['700', '300'])
  expect(frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox')
  const shownPage = frame.getAttribute('srcdoc') ?? ''
  expect(shownPage).toContain('<h1>1.0</h1>')
  expect(shownPage).toMatch(/<a href="https:\/\/example.org\/"[^>]*target="_blank"/)
  expect(shownPage).not.toContain('script')
  expect(shownPage.match(/<style/g)).toHaveLength(1)
  await the.user.keyboard('{Escape}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(described(button('Change log Barcodes 2.0'))).toBe('This version has no change log')

  the.browser.goOffline()
  await the.user.click(button('Change log Pay 1.0'))
  await screen.findByRole('heading', { name: 'This change log is not saved on this device' })
  the.browser.goOnline()
  await screen.findByTitle('Change log: Pay 1.0')
})

it('says in the reader’s language that nothing of it is on the device', async () => {
  await the.browser.openAs('admin@m18')
  the.browser.goOffline()
  await the.browser.open('/app/apphistory?lang=zh')
  await screen.findByRole('heading', { name: '本设备上尚无应用历史' })
})
