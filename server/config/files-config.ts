import { isBucketName, readBucketSettings } from '#server/config/backup-config.ts'
import { type Config, type EnvironmentVariables, StartProblem } from '#server/config/config.ts'
import type { StoreLocation } from '#server/drivers/file-store/file-store.ts'

const prefixPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*\/?$/
const maxPrefixLength = 200

/** Reads where uploads, published packages and archives of the audit trail are. Throws StartProblem if a setting is invalid. */
export function readFilesSettings(env: EnvironmentVariables, { filesDir }: Pick<Config, 'filesDir'>): StoreLocation {
  const store = env.FILES_STORE || 'folder'
  if (store !== 'folder' && store !== 's3') throw new StartProblem(`FILES_STORE must be folder or s3, not "${store}".`)
  const name = env.FILES_BUCKET ?? ''
  if (store === 'folder') {
    const unusedName = ['FILES_BUCKET', 'FILES_PREFIX'].find((variable) => env[variable])
    if (unusedName === undefined) return { kind: 'folder', folder: filesDir }
    throw new StartProblem(`${unusedName} needs FILES_STORE=s3 as well.`)
  }
  if (!isBucketName(name))
    throw new StartProblem('FILES_STORE=s3 needs FILES_BUCKET, a bucket name in lower-case letters and digits.')
  return { kind: 's3', bucket: readBucketSettings(env, name), prefix: readPrefix(env.FILES_PREFIX ?? '') }
}

function readPrefix(text: string): string {
  if (text === '') return ''
  if (text.length <= maxPrefixLength && prefixPattern.test(text)) return text.endsWith('/') ? text : `${text}/`
  throw new StartProblem(
    'FILES_PREFIX must be a name like portal-1, of letters, digits and . _ - and with / only between names.',
  )
}
