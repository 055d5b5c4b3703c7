/** Tests the upload page before and after sending (contracts 2, 4, 5; M155 to M160): checks, selection, questions, publication. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { screen, within } from '@testing-library/dom'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { addVersions, addVersionsWith } from '#tests/support/uploads/app-versions.ts'
import { getButton, readDescription } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { packApp, type PackageParts } from '#tests/support/uploads/packages.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { sendPackage } from '#tests/support/uploads/uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'portal-upload-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const fixture = setUpPages({ env: { FILES_DIR: folder } })

const addVersion = (code: string, version: string) => addVersions(fixture.server, code, code, version)
beforeEach(async () => {
  // The server's clock is set to now, because the pages use the day of the server.
  fixture.server.clock.now = Date.now()
  await addVersion('barcode', '2.1')
})

const createFile = (name: string, bytes: Uint8Array | string) => new File([bytes as BlobPart], name)
const createPackage = async (name: string, parts: PackageParts = {}) => createFile(name, await packApp(parts))
const createAppPackage = (code: string, version: string, facts: object = {}) =>
  createPackage(`${code}-${version}.mapp`, { facts: { code, name: code, version, ...facts } })
const chooseFiles = (...files: File[]) =>
  fixture.user.upload(document.querySelector<HTMLInputElement>('input[type=file]') as HTMLElement, files)
const findPublishBox = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name: `Publish ${name}` })
const readRows = (table: string) =>
  [...(screen.queryByRole('table', { name: table })?.querySelectorAll('tbody tr') ?? [])].map((row) =>
    ['.package-file', '.package-status'].map((part) => row.querySelector(part)?.textContent).join(': '),
  )
const readRefusals = () =>
  Object.fromEntries(
    [...document.querySelectorAll('.upload.exception')].map((upload) => [
      upload.querySelector('strong')?.textContent,
      upload.querySelector('.upload-why')?.textContent,
    ]),
  )

/** Opens the page and goes offline, so that the files are checked but not sent. */
async function openOffline(lang = 'en') {
  await fixture.browser.openAs('admin@m18', '/app/m18/upload')
  await screen.findByText('Drop .mapp files here')
  await expect.poll(() => fixture.browser.sentRequests.some(({ path }) => path.startsWith('/api/app?'))).toBe(true)
  fixture.browser.goOffline()
  if (lang !== 'en') await (await import('#app/i18n/page-messages.ts')).chooseLanguage('zh')
}

it("The upload page reads files offline, and shows their errors in the user's language", async () => {
  await openOffline()
  const payPackage = await createAppPackage('pay', '1.0')
  await chooseFiles(
    createFile('empty.mapp', ''),
    createFile('nozip.mapp', 'hello'),
    await createPackage('mac.mapp', { files: { '._x': 'a' } }),
    await createPackage('wrong.mapp', { facts: { version: '1.beta' } }),
    createFile('bidi\u202Egpj.mapp', ''),
    payPackage,
    new File([payPackage], 'again.mapp'),
  )
  await expect.poll(() => Object.keys(readRefusals()).length).toBe(5)
  await fixture.user.click(getButton('Next page'))
  await expect.poll(readRefusals).toEqual({ 'again.mapp': expect.stringContaining('The same file as “pay-1.0.mapp”') })
  await fixture.user.click(getButton('Previous page'))
  await expect.poll(readRefusals).toEqual({
    'empty.mapp': 'The file is empty.',
    'nozip.mapp': expect.stringMatching(/^The file is not a zip archive/),
    'mac.mapp': expect.stringMatching(/^“\._x” is a file that macOS adds/),
    'wrong.mapp': expect.stringMatching(/^manifest.json: “version” must be dotted numbers/),
    'bidi\uFFFDgpj.mapp': 'The file is empty.',
  })
  await (await import('#app/i18n/page-messages.ts')).chooseLanguage('zh')
  await expect.poll(() => readRefusals()['empty.mapp']).toBe('文件是空的。')
  await fixture.user.click(getButton('移除全部 6 个失败的文件'))
  await expect.poll(readRefusals).toEqual({})
})

nightly('The upload page accepts dropped files and folders, and names folders without packages', async () => {
  await openOffline()
  const [payPackage, taxPackage] = [await createAppPackage('pay', '1.0'), await createAppPackage('tax', '1.0')]
  const createFileEntry = (packageFile: File | null) => ({
    name: packageFile?.name ?? 'read.me',
    isDirectory: false,
    file: (onFile: (it: unknown) => void) => onFile(packageFile),
  })
  const createFolderEntry = (name: string, entries: object[]) => {
    const batches = [entries, []]
    return {
      name,
      isDirectory: true,
      createReader: () => ({
        readEntries: (onEntries: (batch: object[]) => void) => onEntries(batches.shift() ?? []),
      }),
    }
  }
  const createDropItem = (entry: object, droppedFile: File | null = null) => ({
    kind: 'file',
    getAsFile: () => droppedFile,
    webkitGetAsEntry: () => entry,
  })
  const createDeepFolder = (levels: number): object =>
    createFolderEntry('deep', levels === 0 ? [] : [createDeepFolder(levels - 1)])
  const items = [
    createDropItem(
      createFolderEntry('build', [createFileEntry(null), createFolderEntry('out', [createFileEntry(taxPackage)])]),
      new File([], 'build'),
    ),
    createDropItem({ isDirectory: false, name: 'pay-1.0.mapp' }, payPackage),
    createDropItem(createFolderEntry('photos', [createFileEntry(null)])),
    createDropItem(createDeepFolder(9)),
    createDropItem({
      name: 'gone',
      isDirectory: true,
      createReader: () => ({ readEntries: (_: unknown, onError: (e: Error) => void) => onError(new Error('gone')) }),
    }),
    createDropItem(
      createFolderEntry(
        'disk',
        Array.from({ length: 3_000 }, () => createFileEntry(null)),
      ),
    ),
  ]
  const event = new Event('drop', { bubbles: true, cancelable: true })
  Object.assign(event, { dataTransfer: { items } })
  screen.getByRole('region', { name: 'Files to upload' }).dispatchEvent(event)
  await screen.findByText('There is no .mapp file in the folder “photos”.')
  await screen.findByText(/^The folder “deep, disk” has too many files/)
  await screen.findByText(/^The folder “gone” cannot be read/)
  await expect.poll(() => readRows('App info')).toEqual(['pay-1.0.mapp: Add', 'tax-1.0.mapp: Add'])
  expect(readRefusals()).toEqual({})
})

it('The upload page accepts one new version per app, and lists five conflicts per page', async () => {
  await openOffline()
  await chooseFiles(
    ...(await Promise.all([
      ...['2.1', '2.2', '2.3'].map((version) => createAppPackage('barcode', version)),
      createAppPackage('pay', '1.0', { requires: [{ code: 'nothere', version: '1.0' }] }),
      ...Array.from({ length: 6 }, (_, index) => createAppPackage('barcode', `1.${index}`)),
    ])),
  )
  await expect.poll(() => readRows('Version conflicts').length).toBe(5)
  await expect
    .poll(() => readRows('App info'))
    .toEqual([
      'barcode-2.1.mapp: Existed',
      'barcode-2.2.mapp: Upgrade',
      'barcode-2.3.mapp: Upgrade',
      'pay-1.0.mapp: Add',
    ])
  await expect
    .poll(() => readRows('Version conflicts')[0])
    .toBe('barcode-1.0.mapp: Version conflictThe current version 2.1 is higher. Give it a higher version.')
  // The highest version is selected by default. A lower version can be selected only after the highest is deselected.
  const highestBox = await findPublishBox('barcode 2.3')
  await expect.poll(() => highestBox.checked).toBe(true)
  const lowerBox = await findPublishBox('barcode 2.2')
  await expect.poll(() => readDescription(lowerBox)).toMatch(/^barcode 2\.3 is already chosen/)
  await fixture.user.click(lowerBox)
  expect(lowerBox.checked).toBe(false)
  await fixture.user.click(highestBox)
  await fixture.user.click(lowerBox)
  expect([lowerBox.checked, highestBox.checked]).toEqual([true, false])
  const existingBox = await findPublishBox('barcode 2.1')
  existingBox.focus()
  await fixture.user.keyboard(' ')
  expect([existingBox.checked, readDescription(existingBox)]).toEqual([false, 'This version is already published.'])
  await screen.findByText('Missing: nothere')
  await expect.poll(() => readDescription(getButton('Publish 2 apps'))).toBe('Publishing needs a connection.')
  const conflictsRegion = within(screen.getByRole('region', { name: 'Version conflicts' }))
  await fixture.user.click(await conflictsRegion.findByRole('button', { name: 'Next page' }))
  await expect.poll(() => readRows('Version conflicts').length).toBe(1)
})

nightly('The upload page checks requirements and published versions offline', async () => {
  const requires = JSON.stringify([{ code: 'ledger', version: '1.0' }])
  await addVersionsWith(fixture.server, { code: 'tax', name: 'Tax', requires, sha256: 'f'.repeat(64) }, '1.0')
  await openOffline()
  await chooseFiles(
    await createAppPackage('pay', '1.0', { requires: [{ code: 'tax', version: '1.0' }] }),
    await createAppPackage('tax', '1.0'),
  )
  await expect.poll(() => readRows('App info')).toEqual(['pay-1.0.mapp: Add'])
  await expect
    .poll(() => readRows('Version conflicts'))
    .toEqual([
      'tax-1.0.mapp: Version conflictVersion 1.0 is already published with different content. Give it a higher version.',
    ])
  await screen.findByText('Missing: ledger')
})

nightly('The upload page asks before the user leaves files that are not uploaded', async () => {
  await openOffline()
  await chooseFiles(await createAppPackage('pay', '1.0'))
  await screen.findByText('Waiting for a connection')
  expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)
  await fixture.user.click(screen.getByRole('link', { name: 'App history' }))
  await screen.findByRole('dialog', { name: 'Are you sure to leave?' })
  await fixture.user.click(getButton('Stay'))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(fixture.browser.path()).toBe('/app/m18/upload')
  await fixture.user.click(screen.getByRole('link', { name: 'App history' }))
  await fixture.user.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitForPath(fixture.browser, '/app/apphistory')
})

it('The upload page publishes earlier uploads with progress, and updates their status', async () => {
  const staffSession = await fixture.server.signIn('admin@m18')
  for (const version of ['1.0', '1.1'])
    expect(
      (await sendPackage(staffSession, await packApp({ facts: { version } }), `pay-${version}.mapp`)).statusCode,
    ).toBe(200)
  await fixture.browser.openAs('admin@m18', '/app/m18/upload')
  const newerBox = await findPublishBox('Pay 1.1')
  await expect.poll(() => newerBox.checked).toBe(true)
  await fixture.user.click(getButton('Publish 1 app'))
  await screen.findByRole('progressbar', { name: 'Progress of publishing' })
  // The page shows the progress before the server has started the job.
  await expect.poll(() => runOneJob(fixture.server.app, requestJobKinds)).toBe(true)
  while (await runOneJob(fixture.server.app, requestJobKinds));
  await screen.findByText('1 app is published.', { exact: false })
  // The other version is no longer an upgrade.
  await expect.poll(() => readRows('App info')).toEqual(['pay-1.1.mapp: Published'])
  await expect
    .poll(() => readRows('Version conflicts'))
    .toEqual(['pay-1.0.mapp: Version conflictThe current version 1.1 is higher. Give it a higher version.'])
  await fixture.user.click(getButton('Remove Pay 1.0'))
  await expect.poll(() => readRows('Version conflicts')).toEqual([])
  await expect.poll(async () => (await staffSession.send({ url: '/api/app/upload' })).json()).toEqual([])
  await fixture.user.click(within(screen.getByRole('main')).getByRole('link', { name: 'App history' }))
  await waitForPath(fixture.browser, '/app/apphistory')
  await screen.findByText('1.1')
})

nightly('The upload page explains why nothing was published if the catalogue has changed', async () => {
  const staffSession = await fixture.server.signIn('admin@m18')
  await sendPackage(staffSession, await packApp({}), 'pay-1.0.mapp')
  await fixture.browser.openAs('admin@m18', '/app/m18/upload')
  const onlyBox = await findPublishBox('Pay 1.0')
  await expect.poll(() => onlyBox.checked).toBe(true)
  await addVersion('pay', '2.0')
  await fixture.user.click(getButton('Publish 1 app'))
  await screen.findByText(/^Nothing was published: the catalogue has changed\./)
  await expect.poll(() => readRows('Version conflicts').length).toBe(1)
})
