import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { EnvironmentError, readInstanceEnvironment } from '#demo/sample-instance/contract/environment.ts'
import { contractEnvironment, spawnTask, writeAppsFile } from '#tests/support/hosting/contract-instance.ts'

const folder = mkdtempSync(join(tmpdir(), 'contract-environment-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const env = { ...contractEnvironment, DATA_DIR: folder }
const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: { digits: 3, old: false }, package: null }

function listMistakes(changes: Record<string, string | undefined>): readonly string[] {
  try {
    readInstanceEnvironment({ ...env, ...changes })
    return []
  } catch (error) {
    if (error instanceof EnvironmentError) return error.mistakes
    throw error
  }
}

function writeSecret(text: string): string {
  const path = join(folder, `secret-${Buffer.from(text).toString('hex')}`)
  writeFileSync(path, text)
  return path
}

describe('the environment of the instance contract', () => {
  it('has defaults, and reads secrets from files', () => {
    const sha256 = '0a'.repeat(32)
    const { CONTROL_TOKEN: _, ...withoutToken } = env
    const environment = readInstanceEnvironment({
      ...withoutToken,
      PORT: '',
      CONTROL_TOKEN_FILE: writeSecret('a-token-from-a-file\n'),
      ...writeAppsFile(folder, [{ ...app, package: sha256 }]),
    })
    expect(environment).toMatchObject({
      port: 8080,
      storage: { kind: 'folder', folder },
      controlToken: 'a-token-from-a-file',
      taskNumber: 1,
      apps: [{ code: 'pay', folder: sha256 }],
    })
    expect(environment.memoryMb).toBeGreaterThan(0)
    const url = 'postgres://user:word@db.example/shop'
    for (const variables of [{ DATABASE_URL: url }, { DATABASE_URL_FILE: writeSecret(url) }])
      expect(readInstanceEnvironment({ ...contractEnvironment, ...variables }).storage).toEqual({
        kind: 'database',
        url,
      })
  })

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['no code', { SERVICE_CODE: undefined }, /^SERVICE_CODE must be/],
    ['a code with a line break', { SERVICE_CODE: 'acme\n' }, /^SERVICE_CODE must be/],
    ['no address', { PUBLIC_URL: '' }, /^PUBLIC_URL must be/],
    ['an address without a slash', { PUBLIC_URL: 'http://shop.example' }, /^PUBLIC_URL must be/],
    ['an address with a path', { ADMIN_URL: 'http://shop.example/admin/' }, /^ADMIN_URL must be/],
    ['an address of another kind', { ADMIN_URL: 'javascript://shop.example/' }, /^ADMIN_URL must be/],
    ['an address with a login', { ADMIN_URL: 'http://a:b@shop.example/' }, /^ADMIN_URL must be/],
    ['twice the same host', { ADMIN_URL: env.PUBLIC_URL }, /^PUBLIC_URL and ADMIN_URL must have different hosts/],
    ['a port that does not exist', { PORT: '65536' }, /^PORT must be a whole number from 0 to 65535/],
    ['a port that is no number', { PORT: '8e3' }, /^PORT must be/],
    ['a folder that does not exist', { DATA_DIR: '/does/not/exist' }, /^DATA_DIR must be an existing folder/],
    ['a relative folder', { DATA_DIR: 'data' }, /^DATA_DIR must be an absolute path/],
    ['two storages', { DATABASE_URL: 'postgres://a@b/c' }, /^Set either DATA_DIR or DATABASE_URL/],
    ['another database', { DATA_DIR: '', DATABASE_URL: 'mysql://a:secret@b/c' }, /^DATABASE_URL must be an address/],
    ['a short token', { CONTROL_TOKEN: 'too-short' }, /^CONTROL_TOKEN must have 16 to 500/],
    ['a token with a space', { CONTROL_TOKEN: 'sixteen characters' }, /^CONTROL_TOKEN must have/],
    ['two tokens', { CONTROL_TOKEN_FILE: '/x' }, /^Set either CONTROL_TOKEN or CONTROL_TOKEN_FILE/],
    ['a missing file', { CONTROL_TOKEN: '', CONTROL_TOKEN_FILE: '/does/not/exist' }, /^CONTROL_TOKEN_FILE .*ENOENT/],
    ['no memory', { MEMORY_MB: '0' }, /^MEMORY_MB must be/],
    ['a negative number', { TASK_NUMBER: '-1' }, /^TASK_NUMBER must be/],
    ['no file of apps', { APPS_FILE: '/does/not/exist' }, /^APPS_FILE must be the path of a JSON file: ENOENT/],
    ['a file that is not JSON', { APPS_FILE: import.meta.filename }, /^APPS_FILE .* its content is not JSON/],
  ])('refuses %s with one sentence', (_, changes, sentence) => {
    expect(listMistakes(changes)).toEqual([expect.stringMatching(sentence)])
    expect(listMistakes(changes).join(' ')).not.toContain('secret')
  })

  it.each<[string, object, RegExp]>([
    ['an app without a name', { ...app, name: 7 }, /^App 1 of APPS_FILE must have the texts/],
    ['an app with a path as package', { ...app, package: '../../x' }, /^App 1 of APPS_FILE must have a package/],
    ['an app without a package', { ...app, package: undefined }, /^App 1 of APPS_FILE must have a package/],
    ['an app with a text as flag', { ...app, flags: { a: 'b' } }, /^App 1 of APPS_FILE must have flags/],
  ])('refuses %s', (_, wrongApp, sentence) => {
    expect(listMistakes(writeAppsFile(folder, [wrongApp]))).toEqual([expect.stringMatching(sentence)])
    expect(listMistakes(writeAppsFile(folder, [app, app]))).toEqual([])
  })

  it('ends the program with code 2 and a line for each mistake', async () => {
    const { ended, readLog } = spawnTask({ ...env, PORT: 'x', SERVICE_CODE: '' })
    expect(await ended).toBe(2)
    expect(readLog()).toMatch(/^error SERVICE_CODE must be .*\.\nerror PORT must be .*\.\n$/)
  })
})
