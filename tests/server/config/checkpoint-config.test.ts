import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'

const config = { dataDir: '/var/lib/portal' }
const readSettings = (AUDIT_CHECKPOINT_STORE: string, otherEnv: Record<string, string> = {}) =>
  readCheckpointSettings({ AUDIT_CHECKPOINT_STORE, ...otherEnv }, config)

it('AUDIT_CHECKPOINT_STORE defaults to a file in the data folder, and can be a path or off (fault 13d)', () => {
  expect(readSettings('')).toEqual({ kind: 'file', path: '/var/lib/portal/audit-checkpoints.json' })
  expect(readSettings('/mnt/witness/portal.json')).toEqual({ kind: 'file', path: '/mnt/witness/portal.json' })
  expect(readSettings('witness.json')).toEqual({ kind: 'file', path: resolve('witness.json') })
  expect(readSettings('off')).toEqual({ kind: 'none' })
})

it('AUDIT_CHECKPOINT_STORE can be an object in S3, with the connection settings of backups (fault 13d)', () => {
  const settings = readSettings('s3://witness/portal/checkpoints.json', {
    S3_ENDPOINT: 'https://s3.example.com',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
  })
  expect(settings).toMatchObject({
    kind: 's3',
    key: 'portal/checkpoints.json',
    bucket: { bucket: 'witness', endpoint: 'https://s3.example.com', credentials: { accessKeyId: 'a' } },
  })
  expect(() => readSettings('s3://witness/x')).toThrow('S3_REGION is not set')
})

it.each([
  's3://witness',
  's3://witness/',
  's3:witness/x',
  's3://W/x',
  's3://witness/../x',
  'https://example.com/x',
  '/var/lib/',
])('AUDIT_CHECKPOINT_STORE rejects %s with a message that names the allowed forms (fault 13d)', (store) => {
  expect(() => readSettings(store, { S3_REGION: 'eu-central-1' })).toThrow(
    'AUDIT_CHECKPOINT_STORE must be a file path, s3://BUCKET/NAME',
  )
})
