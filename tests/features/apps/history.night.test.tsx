/** Tests the app history page (contracts 2, 3; M135, D87): search, sort order, pages, offline use and change logs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { screen } from '@testing-library/dom'
import { afterAll, expect, it } from 'vitest'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'
import { getButton, getEmptyListButton, readDescription } from '#tests/support/pages/fields.ts'
import { packApp } from '#tests/support/uploads/packages.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { sendPackage } from '#tests/support/uploads/uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'portal-history-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const fixture = setUpPages({ env: { FILES_DIR: folder } })

const readShownRows = () =>
  [...document.querySelectorAll('tbody tr:not(.waiting)')].map((row) =>
    [...row.querySelectorAll('td')].slice(0, 3).map(({ textContent }) => textContent),
  )
const readVersions = () => readShownRows().map(([code, , version]) => `${code?.slice(1)} ${version}`)

async function publish(version: string, files: Record<string, string | null> = {}) {
  const staffSession = await fixture.server.signIn('admin@m18')
  const uploadResponse = await sendPackage(staffSession, await packApp({ facts: { version }, files }))
  const response = await staffSession.send({
    method: 'POST',
    url: '/api/app',
    headers: { 'idempotency-key': crypto.randomUUID() },
    payload: { modules: [uploadResponse.json()[0].md5] },
  })
  expect(response.statusCode).toBe(202)
  while (await runOneJob(fixture.server.app, requestJobKinds));
}

it('The app history is searched, sorted and paged by the address, also offline', async () => {
  await addVersions(fixture.server, 'barcode', 'Barcodes', '2.0', '2.1')
  fixture.server.clock.now += 10_000
  await addVersions(fixture.server, 'pay', 'Pay', ...Array.from({ length: 10 }, (_, index) => `1.${index}`))
  await fixture.browser.openAs('admin@m18', '/app/apphistory')
  await expect.poll(() => readShownRows().length).toBe(10)
  // The latest is first. The first letter of its name is shown until its icon is loaded.
  expect(readShownRows()[0]).toEqual(['Ppay', 'Pay', '1.9'])
  await fixture.user.click(getButton('Next page'))
  await expect.poll(() => readShownRows().length).toBe(2)
  expect(fixture.browser.path()).toBe('/app/apphistory?page=2')
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search apps by code or name' }), 'barcod')
  await waitForPath(fixture.browser, '/app/apphistory?searchText=barcod')
  await expect.poll(readVersions).toEqual(['barcode 2.1', 'barcode 2.0'])

  fixture.browser.goOffline()
  await fixture.user.click(await screen.findByRole('button', { name: 'Clear search' }))
  await expect.poll(() => readShownRows().length).toBe(10)
  await fixture.user.click(screen.getByRole('button', { name: 'Code' }))
  await expect.poll(() => readVersions()[0]).toMatch(/^barcode/)
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search apps by code or name' }), 'no such app')
  await screen.findByRole('heading', { name: 'Nothing matches “no such app”' })
  await fixture.user.click(getEmptyListButton('Clear search'))
  await expect.poll(() => readShownRows().length).toBe(10)
  expect(document.querySelector('.problem')).toBeNull()
})

it('The app history shows a change log in a frame without scripts, or that it was never loaded', async () => {
  await addVersions(fixture.server, 'barcode', 'Barcodes', '2.0')
  await publish('1.0', { 'changelog.md': '# 1.0\n\nNew: [more](https://example.org/) <script>alert(1)</script>' })
  await fixture.browser.openAs('admin@m18', '/app/apphistory')
  await expect.poll(readVersions).toContain('pay 1.0')
  await fixture.user.click(getButton('View Change log: Pay 1.0'))
  const frame = await screen.findByTitle<HTMLIFrameElement>('Change log: Pay 1.0')
  expect([frame.getAttribute('width'), frame.getAttribute('height')]).toEqual(['700', '300'])
  expect(frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox')
  const frameHtml = frame.getAttribute('srcdoc') ?? ''
  expect(frameHtml).toContain('<h1>1.0</h1>')
  expect(frameHtml).toMatch(/<a href="https:\/\/example.org\/"[^>]*target="_blank"/)
  expect(frameHtml).not.toContain('script')
  expect(frameHtml.match(/<style/g)).toHaveLength(1)
  await fixture.user.keyboard('{Escape}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(readDescription(getButton('View Change log: Barcodes 2.0'))).toBe('This version has no change log')

  fixture.browser.goOffline()
  await fixture.user.click(getButton('View Change log: Pay 1.0'))
  await screen.findByRole('heading', { name: 'This change log is not saved on this device' })
  fixture.browser.goOnline()
  await screen.findByTitle('Change log: Pay 1.0')
})

it('The app history says in Chinese that nothing of it is stored on the device', async () => {
  await fixture.browser.openAs('admin@m18')
  fixture.browser.goOffline()
  await fixture.browser.open('/app/apphistory?lang=zh')
  await screen.findByRole('heading', { name: '本设备上尚无应用版本历史' })
})
