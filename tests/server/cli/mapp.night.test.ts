/** Tests of the package command line tool (docs/mapp.md, D88). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPackage } from '#server/drivers/packages/read-package.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { facts } from '#tests/support/uploads/packages.ts'
import { jpeg, png } from '#tests/support/uploads/pictures.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-mapp-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const script = join(import.meta.dirname, '../../../server/cli/mapp.ts')
const samples = join(import.meta.dirname, '../../../demo/write-sample-apps.ts')

const runMapp = (...args: string[]) => run(script, ...args)

async function run(program: string, ...args: string[]): Promise<[code: number, output: string]> {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  return [Number(code), output]
}

test('mapp pack leaves out the files that macOS adds, and the package passes the check', async () => {
  const app = join(folder, 'pay')
  await mkdir(join(app, 'data'), { recursive: true })
  // A manifest with an outdated hash.
  await writeFile(join(app, 'manifest.json'), JSON.stringify({ ...facts, files: { missing: '0' } }))
  await writeFile(join(app, 'icon.png'), await png(16))
  await writeFile(join(app, 'data', 'forms.json'), '{}')
  await writeFile(join(app, 'data', '._forms.json'), 'a resource fork')
  await writeFile(join(app, '.DS_Store'), 'views')
  const [code, output] = await runMapp('pack', app)
  expect([code, output]).toMatchObject([0, expect.stringContaining('Pay (pay) 1.0, 2 files')])
  const result = await readPackage(await readFile(join(folder, 'pay.mapp')))
  expect('content' in result && Object.keys(result.content.manifest.files)).toEqual(['data/forms.json', 'icon.png'])
  expect((await runMapp('check', 'pay.mapp'))[0]).toBe(0)
}, 60_000)

test('mapp pack prints the reason why a package would be refused', async () => {
  const app = join(folder, 'bad')
  await mkdir(app)
  expect(await runMapp('pack', app)).toMatchObject([1, expect.stringContaining('does not exist')])
  await writeFile(join(app, 'manifest.json'), JSON.stringify({ ...facts, provider: '18m' }))
  expect(await runMapp('pack', app)).toMatchObject([1, expect.stringContaining('BAD_PROVIDER')])
  await writeFile(join(app, 'manifest.json'), JSON.stringify(facts))
  await writeFile(join(app, 'icon.png'), await jpeg(16))
  expect(await runMapp('pack', app)).toMatchObject([1, expect.stringContaining('ICON_NO_PNG')])
  expect(await runMapp('check', 'none.mapp')).toMatchObject([1, expect.stringContaining('does not exist')])
  expect(await runMapp('frob')).toMatchObject([1, expect.stringContaining('Usage')])
}, 60_000)

nightly(
  'mapp samples writes packages that the portal accepts',
  async () => {
    expect(await run(samples, 'samples')).toMatchObject([0, expect.stringContaining('labels-1.0.mapp')])
    expect((await readdir(join(folder, 'samples'))).toSorted()).toEqual([
      'barcode-2.1.mapp',
      'barcode-3.0.mapp',
      'framework-1.11.mapp',
      'labels-1.0.mapp',
    ])
    const files = (await readdir(join(folder, 'samples'))).map((name) => join('samples', name))
    expect(await runMapp('check', ...files)).toMatchObject([0, expect.stringMatching(/(, 3 files, [^]*){4}/)])
  },
  60_000,
)
