/** Tests how the settings of the file store are read from the environment. An error message never contains a secret. */
import { expect, it } from 'vitest'
import type { EnvironmentVariables } from '#server/config/config.ts'
import { readFilesSettings } from '#server/config/files-config.ts'

const readSettings = (env: EnvironmentVariables) => readFilesSettings(env, { filesDir: '/srv/files' })
const bucketEnv = {
  FILES_STORE: 's3',
  FILES_BUCKET: 'portal-files',
  S3_ENDPOINT: 'https://s3.example.com',
  AWS_ACCESS_KEY_ID: 'AKTEST',
  AWS_SECRET_ACCESS_KEY: 'very/secret',
}

it('uses the folder unless a bucket is configured', () => {
  expect(readSettings({})).toEqual({ kind: 'folder', folder: '/srv/files' })
  expect(readSettings({ FILES_STORE: 'folder', BACKUP_BUCKET: 'backups' })).toMatchObject({ kind: 'folder' })
  expect(readSettings(bucketEnv)).toEqual({
    kind: 's3',
    prefix: '',
    bucket: {
      bucket: 'portal-files',
      endpoint: 'https://s3.example.com',
      region: 'us-east-1',
      pathStyle: true,
      credentials: { accessKeyId: 'AKTEST', secretAccessKey: 'very/secret' },
    },
  })
})

it.each([
  ['', ''],
  ['portal-1', 'portal-1/'],
  ['portal-1/', 'portal-1/'],
  ['eu/portal_1.b', 'eu/portal_1.b/'],
])('reads the prefix %j as %j', (text, prefix) => {
  expect(readSettings({ ...bucketEnv, FILES_PREFIX: text })).toMatchObject({ prefix })
})

it('allows http in a private network only if the operator says so', () => {
  const env = { ...bucketEnv, S3_ENDPOINT: 'http://s3:9000' }
  expect(() => readSettings(env)).toThrow(/^S3_ENDPOINT must be an https address.*S3_ALLOW_HTTP=1/)
  expect(() => readSettings({ ...env, S3_ALLOW_HTTP: 'yes' })).toThrow(/^S3_ALLOW_HTTP must be one of/)
  expect(readSettings({ ...env, S3_ALLOW_HTTP: '1' })).toMatchObject({ bucket: { endpoint: 'http://s3:9000' } })
  expect(() => readSettings({ ...env, S3_ALLOW_HTTP: '1', S3_ENDPOINT: 'ftp://s3' })).toThrow(/^S3_ENDPOINT must be/)
})

const invalidSettings: readonly (readonly [EnvironmentVariables, RegExp])[] = [
  [{ FILES_STORE: 'bucket' }, /^FILES_STORE must be folder or s3, not "bucket"\.$/],
  [{ FILES_BUCKET: 'portal-files' }, /^FILES_BUCKET needs FILES_STORE=s3 as well\.$/],
  [{ FILES_PREFIX: 'portal' }, /^FILES_PREFIX needs FILES_STORE=s3 as well\.$/],
  [{ ...bucketEnv, FILES_BUCKET: '' }, /^FILES_STORE=s3 needs FILES_BUCKET/],
  ...['Portal', 'a', '../up', 's3://files', 'a/b', 'x'.repeat(64), 'files\0'].map(
    (name) => [{ ...bucketEnv, FILES_BUCKET: name }, /^FILES_STORE=s3 needs FILES_BUCKET/] as const,
  ),
  ...['/portal', '..', 'a/../b', 'a//b', '.a', '-a', 'ä', 'a b', 'a\0', 'a\n', '/', 'x'.repeat(201)].map(
    (prefix) => [{ ...bucketEnv, FILES_PREFIX: prefix }, /^FILES_PREFIX must be a name like portal-1/] as const,
  ),
  [{ ...bucketEnv, AWS_SECRET_ACCESS_KEY: '' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set/],
]
it.each(invalidSettings)('rejects %j in one sentence without the secret', (env, message) => {
  expect(() => readSettings(env)).toThrow(message)
  expect(() => readSettings(env)).not.toThrow(/very\/secret/)
})
