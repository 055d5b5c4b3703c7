/** Where checkpoints of the audit trail are stored beside the database, read from the environment. */
import { join, resolve } from 'node:path'
import { bucketSettings, isBucketName } from '#server/config/backup-config.ts'
import { type Config, type Env, StartProblem } from '#server/config/config.ts'
import type { CheckpointSettings } from '#server/drivers/checkpoint-store/driver.ts'

/** Throws StartProblem. */
export function readCheckpointSettings(env: Env, { dataDir }: Pick<Config, 'dataDir'>): CheckpointSettings {
  const given = env.AUDIT_CHECKPOINT_STORE?.trim() ?? ''
  if (given === '') return { kind: 'file', path: join(dataDir, 'audit-checkpoints.json') }
  if (given === 'off') return { kind: 'none' }
  if (given.startsWith('s3:')) return readObject(env, given)
  if (/^[a-z0-9+.-]{2,}:\/\//i.test(given) || given.endsWith('/')) throw notUnderstood(given)
  return { kind: 'file', path: resolve(given) }
}

function readObject(env: Env, given: string): CheckpointSettings {
  const [, name = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(given) ?? []
  const isKey = key.length <= 512 && key.split('/').every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part))
  if (!isBucketName(name) || !isKey) throw notUnderstood(given)
  return { kind: 's3', bucket: bucketSettings(env, name), key }
}

const notUnderstood = (given: string) =>
  new StartProblem(
    `AUDIT_CHECKPOINT_STORE must be the path of a file, s3://BUCKET/NAME for an object of a bucket, or off, not "${given}".`,
  )
