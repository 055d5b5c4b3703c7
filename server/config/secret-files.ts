/**
 * Reads secrets from files: for each secret setting NAME, NAME_FILE may be the path of a file with its value, as container platforms and
 * systemd provide it. No message repeats a value, and none repeats a path, because somebody may write the secret itself into NAME_FILE.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { type EnvironmentVariables, StartProblem } from '#server/config/config.ts'

/**
 * Settings whose value may be in a file: every secret, public keys, because they come as files together with the private ones, and the bank
 * accounts, because they are long.
 */
const secretNames = [
  'TOKEN_KEY',
  'AUDIT_KEY',
  'AUDIT_KEY_NEXT',
  'BACKUP_KEY',
  'BACKUP_KEYS_BEFORE',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'LISTEN_DATABASE_URL',
  'BACKUP_DATABASE_URL',
  'SERVICE_DATABASE_URL',
  'SERVICE_REGISTRY_PASSWORD',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'ALIPAY_PRIVATE_KEY',
  'ALIPAY_PUBLIC_KEY',
  'GLOBAL_ALIPAY_PRIVATE_KEY',
  'GLOBAL_ALIPAY_PUBLIC_KEY',
  'BANK_ACCOUNTS',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] as const

/** Maximum size of a file, in bytes. The longest secret is a private key of some kilobytes. */
const maxBytes = 65_536

/** Returns the environment of this process with the secrets from files. `process.env` stays as it is, so child processes get no secret. */
export const readEnvironment = (): EnvironmentVariables => resolveSecretFiles(process.env)

/** Returns a copy with the values of all files. Throws StartProblem if a file cannot be used, or if a value is set twice. */
export function resolveSecretFiles(env: EnvironmentVariables): EnvironmentVariables {
  const resolvedEnv = { ...env }
  for (const name of secretNames) {
    const path = env[`${name}_FILE`]
    if (!path) continue
    if (env[name]) throw new StartProblem(`${name} and ${name}_FILE are both set: unset one of them.`)
    resolvedEnv[name] = readSecretFile(`${name}_FILE`, path)
  }
  return resolvedEnv
}

function readSecretFile(setting: string, path: string): string {
  const bytes = readBytes(setting, path)
  if (bytes.length > maxBytes)
    throw new StartProblem(`The file that ${setting} names is larger than 64 kB, so it is not a secret of the portal.`)
  const text = decodeText(bytes)
  if (text === null)
    throw new StartProblem(`The file that ${setting} names is not a text file: it must contain the value as text.`)
  const value = removeLineBreaksAtEnd(text)
  if (value.trim() === '') throw new StartProblem(`The file that ${setting} names is empty: write the value into it.`)
  return value
}

function readBytes(setting: string, path: string): Buffer {
  let file: number | null = null
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!fstatSync(file).isFile())
      throw new StartProblem(`${setting} must name a file, not a folder, a pipe or a device.`)
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    // A read may return fewer bytes than requested. It returns 0 at the end of the file, or if there is no space left.
    for (let count = -1; count !== 0; length += count)
      count = readSync(file, bytes, length, bytes.length - length, null)
    return bytes.subarray(0, length)
  } catch (error) {
    throw error instanceof StartProblem ? error : createUnreadableProblem(setting, error)
  } finally {
    if (file !== null) closeSync(file)
  }
}

// The error is not attached as the cause, because its message contains the path.
function createUnreadableProblem(setting: string, error: unknown): StartProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new StartProblem(`The file that ${setting} names does not exist: ${setting} must be a path, not the value.`)
  if (code === 'EACCES' || code === 'EPERM')
    return new StartProblem(
      `This user is not allowed to read the file that ${setting} names: change its owner or mode.`,
    )
  return new StartProblem(`The file that ${setting} names cannot be read (${code}).`)
}

/** A regular expression would be slow for a file of many line breaks (S-10). */
function removeLineBreaksAtEnd(text: string): string {
  let { length } = text
  while (text[length - 1] === '\n' || text[length - 1] === '\r') length--
  return text.slice(0, length)
}

/** Returns null for bytes that are not UTF-8, and for control characters other than tab and line breaks. Drops a byte order mark. */
function decodeText(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text
  } catch {
    // Invalid UTF-8.
    return null
  }
}
