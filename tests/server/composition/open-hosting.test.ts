import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openHosting } from '#server/composition/open-hosting.ts'
import { readConfig } from '#server/config/config.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'
import { silent } from '#tests/support/server/database.ts'
import { sampleProgram } from '#tests/support/hosting/hosting.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'portal-hosting-start-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Creates the folders with the permissions that a start of the server sets: only the owner can access them. */
function closeAll(...folders: string[]): void {
  for (const folder of folders) {
    mkdirSync(join(dataDir, folder), { recursive: true })
    chmodSync(join(dataDir, folder), 0o700)
  }
}
const readMode = (folder: string) => (statSync(join(dataDir, folder)).mode & 0o777).toString(8)

function openTestHosting(env: Record<string, string>) {
  const config = readConfig(env)
  return openHosting(config, {
    settings: readHostingSettings(env, config),
    log: silent,
    program: sampleProgram,
    role: 'serve',
    demo: null,
  })
}

// Only root can run services as separate users. Without root no permission is changed.
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const expectedMode = isRoot ? '711' : '700'

it('openHosting restores access to the hosting folder at each start', () => {
  closeAll('hosting', 'pgdata')
  const { driver } = openTestHosting({ DATA_DIR: dataDir, HOSTING: 'local' })
  expect([readMode('.'), readMode('hosting'), readMode('pgdata')]).toEqual([expectedMode, expectedMode, '700'])
  return driver.close()
})

it('openHosting refuses a folder that it cannot use, in one sentence', () => {
  closeAll('hosting')
  writeFileSync(join(dataDir, 'hosting', 'run'), '')
  expect(() =>
    openTestHosting({ DATA_DIR: dataDir, HOSTING: 'local', HOSTING_DIR: join(dataDir, 'hosting', 'run', 'x') }),
  ).toThrow(
    /^The portal cannot use .*run.* \(ENOTDIR\): set HOSTING_DIR to a folder of its user, or HOSTING to elsewhere or off\.$/,
  )
})

it('openHosting makes every folder on the path to HOSTING_DIR accessible, and no other folder', () => {
  closeAll('services', 'services/of-customers', 'pgdata')
  const env = { DATA_DIR: dataDir, HOSTING: 'local', HOSTING_DIR: join(dataDir, 'services', 'of-customers') }
  const { driver } = openTestHosting(env)
  const modes = ['.', 'services', 'services/of-customers', 'pgdata'].map(readMode)
  expect(modes).toEqual([expectedMode, expectedMode, expectedMode, '700'])
  return driver.close()
})
