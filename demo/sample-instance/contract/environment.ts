/** Reads the environment of the instance contract (version 1). Each mistake is one sentence, which never repeats a secret. */
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { totalmem } from 'node:os'
import type { TaskArguments } from '#demo/sample-instance/erp/task-arguments.ts'

/** `folder` is the SHA-256 of the app's package. */
export type ContractApp = TaskArguments['apps'][number]

export interface InstanceEnvironment {
  code: string
  publicUrl: URL
  adminUrl: URL
  port: number
  /** Exactly one of the two is set. */
  storage: { kind: 'folder'; folder: string } | { kind: 'database'; url: string }
  apps: readonly ContractApp[]
  controlToken: string
  memoryMb: number
  taskNumber: number
}

type Variables = Record<string, string | undefined>
type Reader = <T>(read: () => T) => T | undefined

/** Message of one mistake. */
class MistakeError extends Error {}

/** Throws an error with the list of all mistakes. */
export class EnvironmentError extends Error {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join(' '))
    this.name = 'EnvironmentError'
    this.mistakes = mistakes
  }
}

/** Throws EnvironmentError. */
export function readInstanceEnvironment(env: Variables): InstanceEnvironment {
  const mistakes: string[] = []
  const attempt: Reader = (read) => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof MistakeError)) throw error
      mistakes.push(error.message)
      return undefined
    }
  }
  const code = attempt(() => readCode(env))
  const publicUrl = attempt(() => readSiteUrl(env, 'PUBLIC_URL'))
  const adminUrl = attempt(() => readSiteUrl(env, 'ADMIN_URL'))
  const port = attempt(() => readNumber(env, 'PORT', 8080, { min: 0, max: 65_535 }))
  const storage = attempt(() => readStorage(env))
  const apps = attempt(() => readApps(env.APPS_FILE))
  const controlToken = attempt(() => readControlToken(env))
  const memoryMb = attempt(() => readNumber(env, 'MEMORY_MB', getMachineMb(), { min: 1, max: 10_000_000 }))
  const taskNumber = attempt(() => readNumber(env, 'TASK_NUMBER', 1, { min: 1, max: 1_000_000 }))
  if (publicUrl && adminUrl && publicUrl.host === adminUrl.host)
    mistakes.push('PUBLIC_URL and ADMIN_URL must have different hosts.')
  if (mistakes.length > 0) throw new EnvironmentError(mistakes)
  return { code, publicUrl, adminUrl, port, storage, apps, controlToken, memoryMb, taskNumber } as InstanceEnvironment
}

function readCode({ SERVICE_CODE: code }: Variables): string {
  if (code && /^[a-z][a-z0-9-]{0,62}$/.test(code)) return code
  throw new MistakeError('SERVICE_CODE must be a code of small letters, digits and hyphens, like acmeshop.')
}

function readSiteUrl(env: Variables, name: string): URL {
  const text = env[name] ?? ''
  const url = URL.canParse(text) ? new URL(text) : null
  const isSite = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
  if (isSite && url.href === `${url.origin}/` && text.endsWith('/')) return url
  throw new MistakeError(
    `${name} must be a web address without a path that ends with a slash, like https://shop.example/.`,
  )
}

function readNumber(
  env: Variables,
  name: string,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  const text = env[name]
  if (!text) return fallback
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new MistakeError(`${name} must be a whole number from ${min} to ${max}.`)
}

/** Returns the limit of the container, or the memory of the machine. */
function getMachineMb(): number {
  const limit = process.constrainedMemory()
  const total = totalmem()
  return Math.round((limit > 0 && limit < total ? limit : total) / 1024 / 1024)
}

function readStorage(env: Variables): InstanceEnvironment['storage'] {
  const url = readSecret(env, 'DATABASE_URL')
  if (url !== undefined && env.DATA_DIR) throw new MistakeError('Set either DATA_DIR or DATABASE_URL, not both.')
  if (url === undefined) return { kind: 'folder', folder: readFolder(env.DATA_DIR || '/data') }
  const isPostgres = URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol)
  if (!isPostgres)
    throw new MistakeError('DATABASE_URL must be an address like postgres://user:password@host:5432/database.')
  return { kind: 'database', url }
}

function readFolder(folder: string): string {
  if (!isAbsolute(folder)) throw new MistakeError('DATA_DIR must be an absolute path, like /data.')
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new MistakeError('DATA_DIR must be an existing folder.')
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new MistakeError('DATA_DIR must be a folder in which this user may write.')
  }
  return folder
}

/** Reads a secret from its variable, or from the file that the variable with `_FILE` names. Undefined if neither is set. */
function readSecret(env: Variables, name: string): string | undefined {
  const [value, path] = [env[name], env[`${name}_FILE`]]
  if (value && path) throw new MistakeError(`Set either ${name} or ${name}_FILE, not both.`)
  if (!path) return value || undefined
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new MistakeError(`${name}_FILE must be the path of a readable file: ${code}.`)
  }
}

function readControlToken(env: Variables): string {
  const token = readSecret(env, 'CONTROL_TOKEN')
  if (token && /^[\x21-\x7e]{16,500}$/.test(token)) return token
  throw new MistakeError('CONTROL_TOKEN must have 16 to 500 characters: letters, digits and signs, without spaces.')
}

const maxApps = 1000
const maxTextLength = 500

/** Without the variable the instance has no apps. */
function readApps(path: string | undefined): ContractApp[] {
  if (!path) return []
  const apps = readJson(path)
  if (!Array.isArray(apps) || apps.length > maxApps)
    throw new MistakeError(`APPS_FILE must contain a list of at most ${maxApps} apps.`)
  return apps.map(parseApp)
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'its content is not JSON' : (error as NodeJS.ErrnoException).code
    throw new MistakeError(`APPS_FILE must be the path of a JSON file: ${reason}.`)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= maxTextLength
const isFlag = (value: unknown): value is boolean | number =>
  typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
export const isSha256 = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

function parseApp(value: unknown, index: number): ContractApp {
  const { code, name, version, module, flags, package: sha256 } = (value ?? {}) as Record<string, unknown>
  const fail = (problem: string): never => {
    throw new MistakeError(`App ${index + 1} of APPS_FILE ${problem}.`)
  }
  if (![code, name, version, module].every(isText)) return fail('must have the texts code, name, version and module')
  const hasFlags = typeof flags === 'object' && flags !== null && !Array.isArray(flags)
  if (!hasFlags || !Object.values(flags).every(isFlag)) return fail('must have flags that are numbers, true or false')
  if (sha256 !== null && !isSha256(sha256)) return fail('must have a package: null or a SHA-256 of 64 small hex digits')
  return { code, name, version, module, flags, folder: sha256 } as ContractApp
}
