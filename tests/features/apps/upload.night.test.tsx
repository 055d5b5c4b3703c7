/** The upload page before and after the sending (contracts 2, 4, 5; M155 to M160): what it reads, lets choose, asks and publishes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { screen, within } from '@testing-library/dom'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { addVersions, addVersionsWith } from '#tests/support/uploads/app-versions.ts'
import { button, described } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { packed, type PackageParts } from '#tests/support/uploads/packages.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { sendPackage } from '#tests/support/uploads/uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'portal-upload-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const the = setUpPages({ env: { FILES_DIR: folder } })

const addVersion = (code: string, version: string) => addVersions(the.server, code, code, version)
beforeEach(async () => {
  // The pages' day is the server's.
  the.server.clock.now = Date.now()
  await addVersion('barcode', '2.1')
})

const file = (name: string, bytes: Uint8Array | string) => new File([bytes as BlobPart], name)
const packageOf = async (name: string, parts: PackageParts = {}) => file(name, await packed(parts))
const app = (code: string, version: string, more: object = {}) =>
  packageOf(`${code}-${version}.mapp`, { facts: { code, name: code, version, ...more } })
const choose = (...files: File[]) =>
  the.user.upload(document.querySelector<HTMLInputElement>('input[type=file]') as HTMLElement, files)
const box = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name: `Publish ${name}` })
const rows = (table: string) =>
  [...(screen.queryByRole('table', { name: table })?.querySelectorAll('tbody tr') ?? [])].map((row) =>
    ['.package-file', '.package-status'].map((part) => row.querySelector(part)?.textContent).join(': '),
  )
const refused = () =>
  Object.fromEntries(
    [...document.querySelectorAll('.upload.exception')].map((one) => [
      one.querySelector('strong')?.textContent,
      one.querySelector('.upload-why')?.textContent,
    ]),
  )

/** Nothing is sent: the files of the tests are read with no line, as on a train. */
async function openOffline(lang = 'en') {
  await the.browser.openAs('admin@m18', '/app/m18/upload')
  await screen.findByText('Drop .mapp files here')
  await expect.poll(() => the.browser.sent.some(({ path }) => path.startsWith('/api/app?'))).toBe(true)
  the.browser.goOffline()
  if (lang !== 'en') await (await import('#app/i18n/i18n.ts')).chooseLanguage('zh')
}

it('reads each file without a line, and says what is wrong with it in the reader’s language', async () => {
  await openOffline()
  const pay = await app('pay', '1.0')
  await choose(
    file('empty.mapp', ''),
    file('nozip.mapp', 'hello'),
    await packageOf('mac.mapp', { files: { '._x': 'a' } }),
    await packageOf('wrong.mapp', { facts: { version: '1.beta' } }),
    file('bidi\u202Egpj.mapp', ''),
    pay,
    new File([pay], 'again.mapp'),
  )
  await expect.poll(() => Object.keys(refused()).length).toBe(5)
  await the.user.click(button('Next page'))
  await expect.poll(refused).toEqual({ 'again.mapp': expect.stringContaining('The same file as “pay-1.0.mapp”') })
  await the.user.click(button('Previous page'))
  await expect.poll(refused).toEqual({
    'empty.mapp': 'The file is empty.',
    'nozip.mapp': expect.stringMatching(/^The file is not a zip archive/),
    'mac.mapp': expect.stringMatching(/^“\._x” is a file that macOS adds/),
    'wrong.mapp': expect.stringMatching(/^manifest.json: “version” must be dotted numbers/),
    'bidi\uFFFDgpj.mapp': 'The file is empty.',
  })
  await (await import('#app/i18n/i18n.ts')).chooseLanguage('zh')
  await expect.poll(() => refused()['empty.mapp']).toBe('文件是空的。')
  await the.user.click(button('移除全部 6 个失败的文件'))
  await expect.poll(refused).toEqual({})
})

nightly(
  'takes files that are dropped, and the packages of dropped folders, and says of which folder there were none',
  async () => {
    await openOffline()
    const [pay, tax] = [await app('pay', '1.0'), await app('tax', '1.0')]
    const inFolder = (packed: File | null) => ({
      name: packed?.name ?? 'read.me',
      isDirectory: false,
      file: (done: (it: unknown) => void) => done(packed),
    })
    const folder = (name: string, entries: object[]) => {
      const pieces = [entries, []]
      return {
        name,
        isDirectory: true,
        createReader: () => ({ readEntries: (done: (some: object[]) => void) => done(pieces.shift() ?? []) }),
      }
    }
    const item = (entry: object, dropped: File | null = null) => ({
      kind: 'file',
      getAsFile: () => dropped,
      webkitGetAsEntry: () => entry,
    })
    const deep = (levels: number): object => folder('deep', levels === 0 ? [] : [deep(levels - 1)])
    const items = [
      item(folder('build', [inFolder(null), folder('out', [inFolder(tax)])]), new File([], 'build')),
      item({ isDirectory: false, name: 'pay-1.0.mapp' }, pay),
      item(folder('photos', [inFolder(null)])),
      item(deep(9)),
      item({
        name: 'gone',
        isDirectory: true,
        createReader: () => ({ readEntries: (_: unknown, failed: (e: Error) => void) => failed(new Error('gone')) }),
      }),
      item(
        folder(
          'disk',
          Array.from({ length: 3_000 }, () => inFolder(null)),
        ),
      ),
    ]
    const event = new Event('drop', { bubbles: true, cancelable: true })
    Object.assign(event, { dataTransfer: { items } })
    screen.getByRole('region', { name: 'Files to upload' }).dispatchEvent(event)
    await screen.findByText('No .mapp file is in the folder “photos”.')
    await screen.findByText(/^The folder “deep, disk” has too many files/)
    await screen.findByText(/^The folder “gone” cannot be read/)
    await expect.poll(() => rows('App info')).toEqual(['pay-1.0.mapp: Add', 'tax-1.0.mapp: Add'])
    expect(refused()).toEqual({})
  },
)

it('takes one version of an app, only what adds or upgrades, and lists conflicts five a page', async () => {
  await openOffline()
  await choose(
    ...(await Promise.all([
      ...['2.1', '2.2', '2.3'].map((version) => app('barcode', version)),
      app('pay', '1.0', { requires: [{ code: 'nothere', version: '1.0' }] }),
      ...Array.from({ length: 6 }, (_, at) => app('barcode', `1.${at}`)),
    ])),
  )
  await expect.poll(() => rows('Version conflicts').length).toBe(5)
  await expect
    .poll(() => rows('App info'))
    .toEqual([
      'barcode-2.1.mapp: Existed',
      'barcode-2.2.mapp: Upgrade',
      'barcode-2.3.mapp: Upgrade',
      'pay-1.0.mapp: Add',
    ])
  await expect
    .poll(() => rows('Version conflicts')[0])
    .toBe('barcode-1.0.mapp: Version conflictThe current version 2.1 is higher. Give it a higher version.')
  // The highest is chosen by itself; another one only after it was taken out.
  const highest = await box('barcode 2.3')
  await expect.poll(() => highest.checked).toBe(true)
  const lower = await box('barcode 2.2')
  await expect.poll(() => described(lower)).toMatch(/^barcode 2\.3 is already chosen/)
  await the.user.click(lower)
  expect(lower.checked).toBe(false)
  await the.user.click(highest)
  await the.user.click(lower)
  expect([lower.checked, highest.checked]).toEqual([true, false])
  const existed = await box('barcode 2.1')
  existed.focus()
  await the.user.keyboard(' ')
  expect([existed.checked, described(existed)]).toEqual([false, 'This version is published already.'])
  await screen.findByText('Missing: nothere')
  await expect.poll(() => described(button('Publish 2 apps'))).toBe('Publishing needs a connection.')
  const conflicts = within(screen.getByRole('region', { name: 'Version conflicts' }))
  await the.user.click(await conflicts.findByRole('button', { name: 'Next page' }))
  await expect.poll(() => rows('Version conflicts').length).toBe(1)
})

nightly(
  'knows without a line what published apps need themselves, and that a version is published with other bytes',
  async () => {
    const requires = JSON.stringify([{ code: 'ledger', version: '1.0' }])
    await addVersionsWith(the.server, { code: 'tax', name: 'Tax', requires, sha256: 'f'.repeat(64) }, '1.0')
    await openOffline()
    await choose(await app('pay', '1.0', { requires: [{ code: 'tax', version: '1.0' }] }), await app('tax', '1.0'))
    await expect.poll(() => rows('App info')).toEqual(['pay-1.0.mapp: Add'])
    await expect
      .poll(() => rows('Version conflicts'))
      .toEqual(['tax-1.0.mapp: Version conflictVersion 1.0 is published with other content. Give it a higher version.'])
    await screen.findByText('Missing: ledger')
  },
)

nightly('asks before files that are not uploaded are left, in the specified words, and stays or goes', async () => {
  await openOffline()
  await choose(await app('pay', '1.0'))
  await screen.findByText('Waiting for a connection')
  expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)
  await the.user.click(screen.getByRole('link', { name: 'App history' }))
  await screen.findByRole('dialog', { name: 'Are you sure to leave?' })
  await the.user.click(button('Stay'))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(the.browser.path()).toBe('/app/m18/upload')
  await the.user.click(screen.getByRole('link', { name: 'App history' }))
  await the.user.click(await screen.findByRole('button', { name: 'Leave' }))
  await arrived(the.browser, '/app/apphistory')
})

it('publishes what an earlier visit has uploaded, with progress, and gives the rows their new status', async () => {
  const staff = await the.server.signIn('admin@m18')
  for (const version of ['1.0', '1.1'])
    expect((await sendPackage(staff, await packed({ facts: { version } }), `pay-${version}.mapp`)).statusCode).toBe(200)
  await the.browser.openAs('admin@m18', '/app/m18/upload')
  const newer = await box('Pay 1.1')
  await expect.poll(() => newer.checked).toBe(true)
  await the.user.click(button('Publish 1 app'))
  await screen.findByRole('progressbar', { name: 'Progress of publishing' })
  // The page says so before the server has heard of it.
  await expect.poll(() => workOne(the.server.app, kinds)).toBe(true)
  while (await workOne(the.server.app, kinds));
  await screen.findByText('1 app is published.', { exact: false })
  // The other one is an upgrade no more.
  await expect.poll(() => rows('App info')).toEqual(['pay-1.1.mapp: Published'])
  await expect
    .poll(() => rows('Version conflicts'))
    .toEqual(['pay-1.0.mapp: Version conflictThe current version 1.1 is higher. Give it a higher version.'])
  await the.user.click(button('Remove Pay 1.0'))
  await expect.poll(() => rows('Version conflicts')).toEqual([])
  await expect.poll(async () => (await staff.send({ url: '/api/app/upload' })).json()).toEqual([])
  await the.user.click(within(screen.getByRole('main')).getByRole('link', { name: 'App history' }))
  await arrived(the.browser, '/app/apphistory')
  await screen.findByText('1.1')
})

nightly('says why nothing was published where the catalogue has changed meanwhile', async () => {
  const staff = await the.server.signIn('admin@m18')
  await sendPackage(staff, await packed({}), 'pay-1.0.mapp')
  await the.browser.openAs('admin@m18', '/app/m18/upload')
  const only = await box('Pay 1.0')
  await expect.poll(() => only.checked).toBe(true)
  await addVersion('pay', '2.0')
  await the.user.click(button('Publish 1 app'))
  await screen.findByText(/^Nothing was published: the catalogue has changed\./)
  await expect.poll(() => rows('Version conflicts').length).toBe(1)
})
