/** Reads the environment once. An invalid value ends the start with one sentence that names the variable. */
import { randomBytes } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { readDatabaseSettings } from '#server/config/database-config.ts'
import { parsePostgresAddress, PostgresAddressError } from '#server/config/postgres-address.ts'

export type Config = ReturnType<typeof readConfig>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Minimum free disk space. Writes are refused below the larger of the two values, where the percentage is at most 1 GB. */
export type FreeSpaceMark = Config['freeSpace']

/** Error that ends the start: its message is printed without a stack, and the process exits with code 1. */
export class StartProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartProblem'
  }
}

export type EnvironmentVariables = Record<string, string | undefined>

const secondsPerHour = 3600
const secondsPerDay = 24 * secondsPerHour

export function readConfig(env: EnvironmentVariables) {
  const host = env.HOST || '127.0.0.1'
  const port = readInteger(env, 'PORT', 8080, 0, 65_535)
  const databaseUrl = readPostgresUrl(env, 'DATABASE_URL')
  const publicUrl = readPublicUrl(env, `http://localhost:${port}`)
  const key = readKey(env, 'TOKEN_KEY')
  const trustProxy = readInteger(env, 'TRUST_PROXY', 0, 0, 10)
  const publicSetting = findPublicSetting({ host, publicUrl: publicUrl.href, trustProxy })
  const isDemo = readDemo(env, databaseUrl === null, publicSetting)
  const dataDir = resolve(env.DATA_DIR || 'data')
  return {
    /** Port of the server. 0 means any free port. */
    port,
    host,
    dataDir,
    /** Folder of uploaded files. It must be the same on every node. */
    filesDir: env.FILES_DIR ? resolve(env.FILES_DIR) : join(dataDir, 'files'),
    /** Address of PostgreSQL. Null for the embedded database in `dataDir`. */
    databaseUrl,
    migrateDatabaseUrl: readPostgresUrl(env, 'MIGRATE_DATABASE_URL'),
    /** Whether a server with `migrateDatabaseUrl` migrates at its start. Otherwise it only checks. */
    migrateAtStart: readFlag(env, 'MIGRATE_AT_START', true),
    /** Address of the connection that listens for notifications. Null for `databaseUrl`. */
    listenDatabaseUrl: readPostgresUrl(env, 'LISTEN_DATABASE_URL'),
    database: readDatabaseSettings((...setting) => readInteger(env, ...setting)),
    demo: isDemo,
    /** Address of the portal for users, without a slash at the end. */
    publicUrl: publicUrl.href.replace(/\/$/, ''),
    /** Whether users reach the portal over TLS. Decides the cookie names and HSTS. */
    tls: publicUrl.protocol === 'https:',
    timeZone: readTimeZone(env),
    uatBound: readChoice(env, 'UAT_BOUND', 'floor', ['floor', 'ceiling'] as const),
    /** Whether what a smaller contract does not use becomes credit (D14, decision 124). */
    creditSmallerContracts: readFlag(env, 'CREDIT_SMALLER_CONTRACTS', false),
    /** Key of 32 bytes, from which token pairs (K-07) and request fingerprints (protocol 8) are derived. */
    tokenKey: key ?? randomBytes(32),
    /** False if the key was generated for this process. `create-app-context.ts` then reads the key file instead. */
    isTokenKeyConfigured: key !== null,
    /** Number of proxies in front of the server whose X-Forwarded-For is trusted. */
    trustProxy,
    logLevel: readChoice(env, 'LOG_LEVEL', 'info', logLevels),
    argon2: {
      memoryCost: readInteger(env, 'ARGON2_MEMORY_KB', 19_456, 4096, 1_048_576),
      timeCost: readInteger(env, 'ARGON2_TIME', 2, 1, 20),
      parallelism: readInteger(env, 'ARGON2_PARALLELISM', 1, 1, 16),
    },
    /** Lifetimes of access tokens and sessions, in seconds (S-42). */
    lifetimes: {
      accessSeconds: readInteger(env, 'ACCESS_SECONDS', 600, 5, 3600),
      customer: {
        idleSeconds: readInteger(env, 'REFRESH_IDLE_SECONDS', 12 * secondsPerHour, 10, 30 * secondsPerDay),
        absoluteSeconds: readInteger(env, 'REFRESH_ABSOLUTE_SECONDS', 7 * secondsPerDay, 10, 90 * secondsPerDay),
      },
      provider: {
        idleSeconds: readInteger(env, 'PROVIDER_REFRESH_IDLE_SECONDS', secondsPerHour, 10, 30 * secondsPerDay),
        absoluteSeconds: readInteger(
          env,
          'PROVIDER_REFRESH_ABSOLUTE_SECONDS',
          12 * secondsPerHour,
          10,
          90 * secondsPerDay,
        ),
      },
    },
    freeSpace: {
      bytes: readInteger(env, 'FREE_SPACE_MARK_MB', 64, 0, 1_048_576) * 1_048_576,
      percent: readInteger(env, 'FREE_SPACE_MARK_PERCENT', 5, 0, 90),
    },
    /** Address of the mail server. Null if each mail is written to a file in `dataDir`. */
    smtpUrl: readSmtpUrl(env),
    mailFrom: readMailFrom(env, `no-reply@${publicUrl.hostname}`),
    providerEmail: env.PROVIDER_EMAIL || 'provider-admin@m18.local',
    supportEmail: readSupportEmail(env, `support@${publicUrl.hostname}`),
    /** Whether endpoints with the trait `stepUp` require the password again (S-48). */
    stepUp: readFlag(env, 'STEP_UP', false),
    /** Key of 32 bytes that names and signs the logs of the audit trail. Null if `tokenKey` is used. */
    auditKey: readKey(env, 'AUDIT_KEY'),
    /** Key that will replace `auditKey`. Both keys sign, and `auditKey` names the logs. Null if no replacement is planned. */
    auditKeyNext: readKey(env, 'AUDIT_KEY_NEXT'),
    /** Name that the logs had before a key change. Null if the name is derived from the key. */
    auditName: readAuditName(env),
    /** Key of 32 bytes, from which the keys of the companies' archives are derived. Null if they are derived from `tokenKey`. */
    backupKey: readKey(env, 'BACKUP_KEY'),
    /** Former values of `backupKey`, which open older archives. */
    backupKeysBefore: readKeys(env, 'BACKUP_KEYS_BEFORE'),
    /** Maximum number and maximum age in days of the stored backups of each kind of a service. */
    backupKeepCount: readInteger(env, 'BACKUP_KEEP_COUNT', 30, 1, 1000),
    backupKeepDays: readInteger(env, 'BACKUP_KEEP_DAYS', 90, 1, 3650),
    /** Hour, in the business time zone, at which the nightly backups start. Their starts are spread over four hours. */
    backupHour: readInteger(env, 'BACKUP_HOUR', 1, 0, 20),
    /** Maximum size of all pictures of one company's users, in MB (decision 70). */
    picturesPerCompanyMb: readInteger(env, 'PICTURES_PER_COMPANY_MB', 200, 1, 100_000),
    /** Factor for the default request limits of an address, a user and a company (decision 70). */
    requestFactor: readInteger(env, 'REQUEST_FACTOR', 1, 1, 1000),
    /** Years after which an entry of the audit trail moves to an archive file (D86). 0 means never. */
    auditYears: readInteger(env, 'AUDIT_YEARS', 7, 0, 100),
    /** Where hosted services run: on this machine, in a Docker Swarm, on another node of this portal, or nowhere. */
    hosting: readChoice(env, 'HOSTING', 'local', ['local', 'docker', 'elsewhere', 'off'] as const),
    hostingDir: resolve(env.HOSTING_DIR || join(dataDir, 'hosting')),
    /**
     * Address of a service: `www.CODE.serviceDomain`, which this machine serves at the loopback port `servicePort`. 0 means any free port,
     * which stays the same after a restart.
     */
    serviceDomain: readServiceDomain(env),
    servicePort: readInteger(env, 'SERVICE_PORT', 0, 0, 65_535),
    serviceTls: readFlag(env, 'SERVICE_TLS', false),
    /**
     * Range of operating system user ids for services, used if the portal runs as root on Linux. If null, services run as the portal's
     * user.
     */
    serviceUsers: readUserRange(env),
    /** Maximum memory of all services on this machine together, in MB. 0 means the machine's memory except a part for the portal. */
    serviceMemoryMb: readInteger(env, 'SERVICE_MEMORY_MB', 0, 0, 100_000_000),
    serviceSetUp: readFlag(env, 'SERVICE_SETUP', true),
    /** Pause between two steps of a long request, in ms. */
    jobRestMs: readInteger(env, 'JOB_REST_MS', 0, 0, 60_000),
    /** Folder of the built client. Null for the project's `dist`. */
    clientDir: env.CLIENT_DIR ? resolve(env.CLIENT_DIR) : null,
    /** Minimum build number of clients (W-09): clients with a lower number must update. 0 means no minimum. */
    minBuild: readBuildNumber(env, 'MIN_BUILD'),
    /** Whether clients must work without the service worker and remove it, because it is broken (W-11). */
    workerBypass: readFlag(env, 'WORKER_BYPASS', false),
    apiDocs: readFlag(env, 'API_DOCS', isDemo),
  }
}

/** Default range of user ids for services. Linux distributions do not assign these ids. */
const defaultUserRange = '70000-70999'

function readUserRange(env: EnvironmentVariables): { first: number; last: number } | null {
  const text = env.SERVICE_USERS || defaultUserRange
  if (text === 'off') return null
  const [, first, last] = /^(\d{4,10})-(\d{4,10})$/.exec(text) ?? []
  const range = { first: Number(first), last: Number(last) }
  if (range.first >= 1000 && range.first <= range.last && range.last < 4_294_967_294) return range
  throw new StartProblem(
    `SERVICE_USERS must be "off" or a range of user ids from 1000 on, like ${defaultUserRange}, not "${text}".`,
  )
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/**
 * Returns whether only this machine can reach the host: an address in 127.0.0.0/8, `::1`, `localhost`, or a name that ends in `.localhost`
 * (RFC 6761). Returns false for every other name, even if it resolves to a loopback address, and for the wildcards 0.0.0.0 and `::`. Also
 * accepts the hostname of a URL.
 */
export function isLoopback(host: string): boolean {
  const bareHost = host.replace(/^\[(.*)\]$/, '$1')
  const ipVersion = isIP(bareHost)
  if (ipVersion !== 0) return loopback.check(bareHost, ipVersion === 4 ? 'ipv4' : 'ipv6')
  return /^(.+\.)?localhost\.?$/i.test(bareHost)
}

/** Returns the setting that makes this server reachable from other machines, or null. */
export function findPublicSetting({
  host,
  publicUrl,
  trustProxy,
}: {
  host: string
  publicUrl: string
  trustProxy: number
}): string | null {
  if (!isLoopback(new URL(publicUrl).hostname)) return `PUBLIC_URL ${publicUrl}`
  if (!isLoopback(host)) return `HOST ${host}`
  // A proxy on this machine gives other machines access to a loopback address.
  return trustProxy > 0 ? `TRUST_PROXY ${trustProxy}` : null
}

/**
 * Returns whether demo mode is on. Throws StartProblem if the demo could be reached from other machines: its passwords are public, and its
 * mails are visible to everyone.
 */
function readDemo(env: EnvironmentVariables, isEmbedded: boolean, publicSetting: string | null): boolean {
  const isDemo = readFlag(env, 'DEMO', isEmbedded && publicSetting === null)
  if (!isDemo || publicSetting === null) return isDemo
  throw new StartProblem(
    `DEMO=1 uses publicly known passwords, but ${publicSetting} opens the server to other machines: unset DEMO and use an empty DATA_DIR or DATABASE_URL, or set HOST and PUBLIC_URL to a loopback address and unset TRUST_PROXY.`,
  )
}

export function readInteger(
  env: EnvironmentVariables,
  name: string,
  defaultValue: number,
  min: number,
  max: number,
): number {
  const text = env[name]
  if (text === undefined || text === '') return defaultValue
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value
  throw new StartProblem(`${name} must be a whole number from ${min} to ${max}, not "${text}".`)
}

/** Accepts more digits than `readInteger`, because a build number is a time (scripts/build-id.mjs). */
function readBuildNumber(env: EnvironmentVariables, name: string): number {
  const text = env[name] || '0'
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new StartProblem(`${name} must be a build number, the first part of a build's name, not "${text}".`)
}

export function readChoice<const T extends string>(
  env: EnvironmentVariables,
  name: string,
  defaultValue: T,
  values: readonly T[],
): T {
  const text = env[name] || defaultValue
  const match = values.find((value) => value === text)
  if (match) return match
  throw new StartProblem(`${name} must be one of ${values.join(', ')}, not "${text}".`)
}

export function readFlag(env: EnvironmentVariables, name: string, defaultValue: boolean): boolean {
  if (!env[name]) return defaultValue
  return readChoice(env, name, '0', ['0', '1', 'false', 'true'] as const) === '1' || env[name] === 'true'
}

function readPublicUrl(env: EnvironmentVariables, defaultValue: string): URL {
  const text = env.PUBLIC_URL || defaultValue
  const parsedUrl = URL.canParse(text) ? new URL(text) : null
  if (!parsedUrl || !/^https?:$/.test(parsedUrl.protocol))
    throw new StartProblem(`PUBLIC_URL must be an http or https address, not "${text}".`)
  if (parsedUrl.href === `${parsedUrl.origin}/`) return parsedUrl
  // The message does not repeat the value, because it may contain a password.
  throw new StartProblem(
    `PUBLIC_URL must have no path, query, fragment or user name, because the portal needs a host name of its own: set it to an address like ${parsedUrl.origin}.`,
  )
}

// The message does not repeat the value, because it contains a password.
export function readPostgresUrl(env: EnvironmentVariables, name: string): string | null {
  const text = env[name]
  if (!text) return null
  try {
    parsePostgresAddress(text)
    return text
  } catch (error) {
    throw error instanceof PostgresAddressError ? new StartProblem(`${name} ${error.message}`) : error
  }
}

// The message does not repeat the value, because it may contain a password.
function readSmtpUrl(env: EnvironmentVariables): string | null {
  const text = env.SMTP_URL
  if (!text) return null
  const parsedUrl = URL.canParse(text) ? new URL(text) : null
  if (parsedUrl && /^smtps?:$/.test(parsedUrl.protocol) && parsedUrl.hostname !== '') return text
  throw new StartProblem('SMTP_URL must be an address like smtp://user:password@host:587 or smtps://host.')
}

/** Parses an address with or without a name: `Portal <portal@example.com>`. */
function readMailFrom(env: EnvironmentVariables, defaultValue: string): { name: string; address: string } {
  const text = env.MAIL_FROM || defaultValue
  const [, name = '', bracketedAddress, bareAddress] =
    /^(?:([^<>\r\n]*)<([^<>\s]+)>|([^<>\s]+))$/.exec(text.trim()) ?? []
  const address = bracketedAddress ?? bareAddress ?? ''
  if (/^[^\s@]+@[^\s@]+$/.test(address)) return { name: name.trim() || 'SaaS Portal', address }
  throw new StartProblem(`MAIL_FROM must be an address like Portal <portal@example.com>, not "${text}".`)
}

function readSupportEmail(env: EnvironmentVariables, defaultValue: string): string {
  const text = env.SUPPORT_EMAIL || defaultValue
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(text)) return text
  throw new StartProblem(`SUPPORT_EMAIL must be an address like help@example.com, not "${text}".`)
}

function readServiceDomain(env: EnvironmentVariables): string {
  const domain = env.SERVICE_DOMAIN || 'localhost'
  if (/^(?=.{1,200}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(domain))
    return domain
  throw new StartProblem(`SERVICE_DOMAIN must be a domain in lower case like services.example.com, not "${domain}".`)
}

function readTimeZone(env: EnvironmentVariables): string {
  const zone = env.TIME_ZONE || 'Asia/Hong_Kong'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    throw new StartProblem(`TIME_ZONE must be the name of a time zone like Asia/Hong_Kong, not "${zone}".`)
  }
}

function readKey(
  env: EnvironmentVariables,
  name: 'AUDIT_KEY' | 'AUDIT_KEY_NEXT' | 'BACKUP_KEY' | 'TOKEN_KEY',
): Buffer | null {
  const text = env[name]
  if (!text) return null
  const key = parseKey(text)
  if (key) return key
  throw new StartProblem(`${name} must be 32 bytes, written as 64 hexadecimal digits or as base64url.`)
}

function readKeys(env: EnvironmentVariables, name: 'BACKUP_KEYS_BEFORE'): Buffer[] {
  const texts = (env[name] ?? '').split(',').map((text) => text.trim())
  return texts.filter(Boolean).map((text) => {
    const key = parseKey(text)
    if (key) return key
    throw new StartProblem(`${name} must be keys of 32 bytes each, separated by commas, in the format of BACKUP_KEY.`)
  })
}

function parseKey(text: string): Buffer | null {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url')
  return key.length === 32 ? key : null
}

function readAuditName(env: EnvironmentVariables): string | null {
  const text = env['AUDIT_NAME']
  if (!text) return null
  if (/^[0-9a-f]{16}$/.test(text)) return text
  throw new StartProblem(
    'AUDIT_NAME must be 16 hexadecimal digits: copy them from the middle of the first line of a checkpoint.',
  )
}
