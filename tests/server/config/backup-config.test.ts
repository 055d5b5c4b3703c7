/** Where backups go, as the environment says it: what is read, and what is refused at the start in a sentence without a secret. */
import { describe, expect, test } from 'vitest'
import { readBackupSettings } from '#server/config/backup-config.ts'
import type { Env } from '#server/config/config.ts'

const read = (env: Env, databaseUrl: string | null = null) =>
  readBackupSettings(env, { dataDir: '/srv/data', databaseUrl })
const amazon = { BACKUP_STORE: 's3', BACKUP_BUCKET: 'acme-backups', S3_REGION: 'eu-central-1' }
const keys = { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'secret-1' }

describe('archives', () => {
  test('are files beside the data where nothing else is said, or in the folder that is named', () => {
    expect(read({})).toEqual({
      bucket: null,
      folder: '/srv/data/backups',
      copiesUrl: null,
      copiesFolder: '/srv/data/copies',
    })
    expect(read({ BACKUP_DIR: '/mnt/archives/' }).folder).toBe('/mnt/archives')
  })

  test("go to Amazon's bucket of a region, by keys or by what the machine has", () => {
    const bucket = {
      bucket: 'acme-backups',
      endpoint: null,
      region: 'eu-central-1',
      pathStyle: false,
      credentials: null,
    }
    expect(read(amazon).bucket).toEqual(bucket)
    expect(read({ ...amazon, ...keys, AWS_SESSION_TOKEN: ' token ' }).bucket).toEqual({
      ...bucket,
      credentials: { accessKeyId: 'AKIA1', secretAccessKey: 'secret-1', sessionToken: 'token' },
    })
  })

  test.each([
    ['https://s3.example.com/', 'https://s3.example.com'],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ['http://localhost:9000/base/', 'http://localhost:9000/base'],
  ])("go to another one's bucket at %s, which needs no region and has its name in the path", (given, endpoint) => {
    const { S3_REGION: _region, ...other } = amazon
    expect(read({ ...other, S3_ENDPOINT: given }).bucket).toMatchObject({
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
    })
    expect(read({ ...other, S3_ENDPOINT: given, S3_PATH_STYLE: '0' }).bucket).toMatchObject({ pathStyle: false })
  })

  test.each([
    [{ BACKUP_STORE: 'gcs' }, 'BACKUP_STORE must be one of local, s3, not "gcs".'],
    [{ BACKUP_BUCKET: 'acme-backups' }, 'BACKUP_BUCKET needs BACKUP_STORE=s3 as well.'],
    ...['', 'Acme', 'a', '-acme', 'acme_backups', 'acme/../other', 'a'.repeat(64)].map(
      (name) =>
        [
          { ...amazon, BACKUP_BUCKET: name },
          'BACKUP_STORE=s3 needs BACKUP_BUCKET, the name of a bucket in small letters and digits.',
        ] as const,
    ),
    [{ ...amazon, S3_REGION: '' }, /^S3_REGION is missing/],
    [{ ...amazon, S3_REGION: 'eu central' }, 'S3_REGION must be the name of a region like eu-central-1.'],
    ...[
      'http://s3.example.com',
      'http://127.0.0.1.example.com',
      'https://key:hidden@s3.example.com',
      'ftp://127.0.0.1',
      's3',
    ].map((endpoint) => [{ ...amazon, S3_ENDPOINT: endpoint }, /^S3_ENDPOINT must be an https address/] as const),
    [{ ...amazon, S3_PATH_STYLE: 'perhaps' }, /^S3_PATH_STYLE/],
    [{ ...amazon, AWS_ACCESS_KEY_ID: 'AKIA1' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together/],
    [{ ...amazon, AWS_SECRET_ACCESS_KEY: 'hidden' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together/],
  ] as [Env, string | RegExp][])('are not begun with %j', (env, said) => {
    expect(() => read(env)).toThrow(said)
    expect(() => read(env)).not.toThrow(/hidden|AKIA1/)
  })
})

describe('copies', () => {
  const portal = 'postgres://login:password@db.example.com/portal'

  test.each([
    'postgres://other:password@db.example.com/copies',
    'postgres://login:password@db.example.com:5433/portal',
    'postgres://login:password@backup.example.com/portal',
    'postgres://login:password@db.example.com/%zz',
  ])('go into %s', (url) => expect(read({ BACKUP_DATABASE_URL: url }, portal).copiesUrl).toBe(url))

  test.each([
    [portal, 'postgresql://other:password@db.example.com:5432/portal'],
    [portal, 'postgres://login:password@DB.example.com/portal'],
    [portal, 'postgres://login:password@db.example.com/%70ortal'],
    ['postgres://login:password@localhost/portal', 'postgres://login:password@127.0.0.1:5432/portal'],
    ['postgres://login:password@[::1]:5433/portal', 'postgres://login:password@localhost:5433/portal'],
  ])('of %s do not go into itself, %s', (database, url) => {
    const said = 'BACKUP_DATABASE_URL must be another database than DATABASE_URL.'
    expect(() => read({ BACKUP_DATABASE_URL: url }, database)).toThrow(said)
  })

  test('do not go to what is no database', () => {
    expect(() => read({ BACKUP_DATABASE_URL: 'mysql://login:hidden@db.example.com/copies' })).toThrow(
      /^BACKUP_DATABASE_URL/,
    )
  })
})
