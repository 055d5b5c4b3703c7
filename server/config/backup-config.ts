/** Reads the backup settings from the environment. No message repeats a key or a password. */
import { join, resolve } from 'node:path'
import {
  type Config,
  type EnvironmentVariables,
  readFlag,
  isLoopback,
  readPostgresUrl,
  StartProblem,
} from '#server/config/config.ts'
import { parsePostgresAddress } from '#server/config/postgres-address.ts'
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'

export interface BackupSettings {
  /** Null if archives are files in `folder`. */
  bucket: BucketSettings | null
  folder: string
  /** Address of the second database. Null for an embedded one in `copiesFolder`. */
  copiesUrl: string | null
  copiesFolder: string
}

/** Throws StartProblem if a setting is invalid. */
export function readBackupSettings(
  env: EnvironmentVariables,
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
): BackupSettings {
  const copiesUrl = readPostgresUrl(env, 'BACKUP_DATABASE_URL')
  if (copiesUrl !== null && databaseUrl !== null && isSame(copiesUrl, databaseUrl))
    throw new StartProblem('BACKUP_DATABASE_URL must not be the database of DATABASE_URL.')
  return {
    bucket: readBucket(env),
    folder: env.BACKUP_DIR ? resolve(env.BACKUP_DIR) : join(dataDir, 'backups'),
    copiesUrl,
    copiesFolder: join(dataDir, 'copies'),
  }
}

/**
 * Returns whether both addresses can mean the same database, in any spelling. A copy in the same database would be lost together with it.
 * A Unix socket is an address of this machine.
 */
function isSame(first: string, second: string): boolean {
  const toDatabaseAddresses = (text: string) => {
    const { hosts, database, user } = parsePostgresAddress(text)
    return hosts.map(({ host, port }) => {
      const isLocal = host.startsWith('/') || isLoopback(host)
      return [isLocal ? 'localhost' : host.toLowerCase(), port, database ?? user].join(' ')
    })
  }
  const otherAddresses = toDatabaseAddresses(second)
  return toDatabaseAddresses(first).some((address) => otherAddresses.includes(address))
}

function readBucket(env: EnvironmentVariables): BucketSettings | null {
  const store = env.BACKUP_STORE || 'local'
  if (store !== 'local' && store !== 's3') throw new StartProblem(`BACKUP_STORE must be local or s3, not "${store}".`)
  const name = env.BACKUP_BUCKET ?? ''
  if (store === 'local') {
    if (name === '') return null
    throw new StartProblem('BACKUP_BUCKET needs BACKUP_STORE=s3 as well.')
  }
  if (!isBucketName(name))
    throw new StartProblem('BACKUP_STORE=s3 needs BACKUP_BUCKET, a bucket name in lower-case letters and digits.')
  return readBucketSettings(env, name)
}

export const isBucketName = (name: string) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)

/** Reads how to reach the bucket with this name. Throws StartProblem. */
export function readBucketSettings(env: EnvironmentVariables, name: string): BucketSettings {
  const endpoint = readEndpoint(env)
  return {
    bucket: name,
    endpoint,
    region: readRegion(env, endpoint),
    pathStyle: readFlag(env, 'S3_PATH_STYLE', endpoint !== null),
    credentials: readCredentials(env),
  }
}

/**
 * Returns null for Amazon's own address. Files, backups and signed requests are sent to the endpoint, so it needs TLS unless it is on this
 * machine, or the operator says that the network is private.
 */
function readEndpoint(env: EnvironmentVariables): string | null {
  const text = env.S3_ENDPOINT
  if (!text) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && (isLoopback(url.hostname) || readFlag(env, 'S3_ALLOW_HTTP', false)))
  if (url && isSafe && url.username === '' && url.password === '') return url.href.replace(/\/$/, '')
  throw new StartProblem(
    'S3_ENDPOINT must be an https address, or an http address of this machine, without user name and password. In a private network, S3_ALLOW_HTTP=1 allows http for other machines.',
  )
}

/** Returns the region. The default for an endpoint of another provider is `us-east-1`, because the SDK needs some region name. */
function readRegion(env: EnvironmentVariables, endpoint: string | null): string {
  const name = env.S3_REGION || (endpoint === null ? '' : 'us-east-1')
  if (/^[a-z0-9-]{2,40}$/.test(name)) return name
  throw new StartProblem(
    name === ''
      ? 'S3_REGION is not set: set it to the region of the Amazon bucket, like eu-central-1, or set S3_ENDPOINT for another provider.'
      : 'S3_REGION must be the name of a region like eu-central-1.',
  )
}

/** Returns null if neither key variable is set. The SDK then uses its default sources. */
function readCredentials(env: EnvironmentVariables): BucketSettings['credentials'] {
  const [accessKeyId, secretAccessKey] = [env.AWS_ACCESS_KEY_ID?.trim(), env.AWS_SECRET_ACCESS_KEY?.trim()]
  if (!accessKeyId && !secretAccessKey) return null
  if (!accessKeyId || !secretAccessKey)
    throw new StartProblem('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set: one of them is missing.')
  const sessionToken = env.AWS_SESSION_TOKEN?.trim()
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}
