/** Tests how the backup settings are read from the environment. An error message never contains a secret. */
import { describe, expect, test } from 'vitest'
import { readBackupSettings } from '#server/config/backup-config.ts'
import type { EnvironmentVariables } from '#server/config/config.ts'

const readSettings = (env: EnvironmentVariables, databaseUrl: string | null = null) =>
  readBackupSettings(env, { dataDir: '/srv/data', databaseUrl })
const s3Env = { BACKUP_STORE: 's3', BACKUP_BUCKET: 'acme-backups', S3_REGION: 'eu-central-1' }
const keyEnv = { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'secret-1' }

describe('the settings of the archives', () => {
  test('default to a folder in the data folder, or use BACKUP_DIR', () => {
    expect(readSettings({})).toEqual({
      bucket: null,
      folder: '/srv/data/backups',
      copiesUrl: null,
      copiesFolder: '/srv/data/copies',
    })
    expect(readSettings({ BACKUP_DIR: '/mnt/archives/' }).folder).toBe('/mnt/archives')
  })

  test('read an Amazon S3 bucket with keys or with the credentials of the machine', () => {
    const bucket = {
      bucket: 'acme-backups',
      endpoint: null,
      region: 'eu-central-1',
      pathStyle: false,
      credentials: null,
    }
    expect(readSettings(s3Env).bucket).toEqual(bucket)
    expect(readSettings({ ...s3Env, ...keyEnv, AWS_SESSION_TOKEN: ' token ' }).bucket).toEqual({
      ...bucket,
      credentials: { accessKeyId: 'AKIA1', secretAccessKey: 'secret-1', sessionToken: 'token' },
    })
  })

  test.each([
    ['https://s3.example.com/', 'https://s3.example.com'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ['http://localhost:9000/base/', 'http://localhost:9000/base'],
  ])('accept the S3 endpoint %s without a region, and use path-style addresses', (endpointUrl, endpoint) => {
    const { S3_REGION: _region, ...otherEnv } = s3Env
    expect(readSettings({ ...otherEnv, S3_ENDPOINT: endpointUrl }).bucket).toMatchObject({
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
    })
    expect(readSettings({ ...otherEnv, S3_ENDPOINT: endpointUrl, S3_PATH_STYLE: '0' }).bucket).toMatchObject({
      pathStyle: false,
    })
  })

  test.each([
    [{ BACKUP_STORE: 'gcs' }, 'BACKUP_STORE must be local or s3, not "gcs".'],
    [{ BACKUP_BUCKET: 'acme-backups' }, 'BACKUP_BUCKET needs BACKUP_STORE=s3 as well.'],
    ...['', 'Acme', 'a', '-acme', 'acme_backups', 'acme/../other', 'a'.repeat(64)].map(
      (name) =>
        [
          { ...s3Env, BACKUP_BUCKET: name },
          'BACKUP_STORE=s3 needs BACKUP_BUCKET, a bucket name in lower-case letters and digits.',
        ] as const,
    ),
    [{ ...s3Env, S3_REGION: '' }, /^S3_REGION is not set/],
    [{ ...s3Env, S3_REGION: 'eu central' }, 'S3_REGION must be the name of a region like eu-central-1.'],
    ...[
      'http://s3.example.com',
      'http://127.0.0.1.example.com',
      'https://key:hidden@s3.example.com',
      'ftp://127.0.0.1',
      's3',
    ].map((endpoint) => [{ ...s3Env, S3_ENDPOINT: endpoint }, /^S3_ENDPOINT must be an https address/] as const),
    [{ ...s3Env, S3_PATH_STYLE: 'perhaps' }, /^S3_PATH_STYLE/],
    [{ ...s3Env, AWS_ACCESS_KEY_ID: 'AKIA1' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set/],
    [{ ...s3Env, AWS_SECRET_ACCESS_KEY: 'hidden' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set/],
  ] as [EnvironmentVariables, string | RegExp][])('reject %j', (env, expectedMessage) => {
    expect(() => readSettings(env)).toThrow(expectedMessage)
    expect(() => readSettings(env)).not.toThrow(/hidden|AKIA1/)
  })
})

describe('the settings of the copies', () => {
  const portalUrl = 'postgres://login:password@db.example.com/portal'

  test.each([
    'postgres://other:password@db.example.com/copies',
    'postgres://login:password@db.example.com:5433/portal',
    'postgres://login:password@backup.example.com/portal',
    'postgres://login:password@db.example.com/%zz',
  ])('accept the database %s', (url) =>
    expect(readSettings({ BACKUP_DATABASE_URL: url }, portalUrl).copiesUrl).toBe(url),
  )

  test.each([
    [portalUrl, 'postgresql://other:password@db.example.com:5432/portal'],
    [portalUrl, 'postgres://login:password@DB.example.com/portal'],
    [portalUrl, 'postgres://login:password@db.example.com/%70ortal'],
    ['postgres://login:password@localhost/portal', 'postgres://login:password@127.0.0.1:5432/portal'],
    ['postgres://login:password@[::1]:5433/portal', 'postgres://login:password@localhost:5433/portal'],
  ])("reject the portal's own database %s, also written as %s", (database, url) => {
    const expectedMessage = 'BACKUP_DATABASE_URL must not be the database of DATABASE_URL.'
    expect(() => readSettings({ BACKUP_DATABASE_URL: url }, database)).toThrow(expectedMessage)
  })

  test('reject an address that is not a PostgreSQL database', () => {
    expect(() => readSettings({ BACKUP_DATABASE_URL: 'mysql://login:hidden@db.example.com/copies' })).toThrow(
      /^BACKUP_DATABASE_URL/,
    )
  })
})
