import { join, resolve } from 'node:path'
import { readBucketSettings, isBucketName } from '#server/config/backup-config.ts'
import { type Config, type EnvironmentVariables, StartProblem } from '#server/config/config.ts'
import type { CheckpointSettings } from '#server/drivers/checkpoint-store/checkpoint-store.ts'

/** Throws StartProblem if a setting is invalid. */
export function readCheckpointSettings(
  env: EnvironmentVariables,
  { dataDir }: Pick<Config, 'dataDir'>,
): CheckpointSettings {
  const text = env.AUDIT_CHECKPOINT_STORE?.trim() ?? ''
  if (text === '') return { kind: 'file', path: join(dataDir, 'audit-checkpoints.json') }
  if (text === 'off') return { kind: 'none' }
  if (text.startsWith('s3:')) return readObject(env, text)
  if (/^[a-z0-9+.-]{2,}:\/\//i.test(text) || text.endsWith('/')) throw createStoreProblem(text)
  return { kind: 'file', path: resolve(text) }
}

function readObject(env: EnvironmentVariables, text: string): CheckpointSettings {
  const [, name = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(text) ?? []
  const isKey = key.length <= 512 && key.split('/').every((segment) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(segment))
  if (!isBucketName(name) || !isKey) throw createStoreProblem(text)
  return { kind: 's3', bucket: readBucketSettings(env, name), key }
}

const createStoreProblem = (text: string) =>
  new StartProblem(`AUDIT_CHECKPOINT_STORE must be a file path, s3://BUCKET/NAME or off, not "${text}".`)
