/** The manifest of a package: read from text that anybody may have written, or refused with the field that is wrong (D78). */
import { compareVersions, type Requirement } from '#domain/catalogue/apps.ts'
import { isObjectName, jsonTrick } from '#domain/checks/json-checks.ts'
import { faultOf, mappFiles, mappLimits, type MappFault, type MappFaultCode } from '#domain/catalogue/mapp.ts'
import { hiddenCharacterIn, oneLine } from '#domain/text.ts'

export const manifestFormat = 'portal-app'
export const manifestVersion = 1
const most = { flags: 200, requires: 200 }

/** What an app can be told by the module that takes it in. */
export interface ManifestFlag {
  key: string
  name: string
  type: 'boolean' | 'int'
  default: boolean | number
}

export interface Manifest {
  format: typeof manifestFormat
  format_version: typeof manifestVersion
  /** Who made it: a letter, then letters and digits (M143, D80). */
  provider: string
  code: string
  name: string
  /** Code and name of the module that it comes from. */
  module: string
  module_name: string
  /** Dotted numbers (decision 40). */
  version: string
  /** The lowest version from which it upgrades; null: from every one (D79). */
  min_version_required: string | null
  /** YYYY-MM-DD. */
  release_date: string | null
  flags: ManifestFlag[]
  requires: Requirement[]
  /** SHA-256 of every file but the manifest itself, 64 hexadecimal digits. */
  files: Record<string, string>
}

export type ReadManifest = { manifest: Manifest } | { fault: MappFault }

/** Ends the reading at the first fault. */
class Fault extends Error {
  readonly fault: MappFault
  constructor(code: MappFaultCode, named?: string) {
    super(code)
    this.fault = faultOf(code, named)
  }
}

/** Never throws: every fault is in the answer. Linear in the length of the text. */
export function readManifest(text: string): ReadManifest {
  try {
    return { manifest: manifestIn(parsed(text)) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.fault }
    throw error
  }
}

function parsed(text: string): unknown {
  if (text.length > mappLimits.manifest) throw new Fault('MANIFEST_TOO_LARGE')
  let value: unknown
  try {
    // Some editors begin a file with a mark of its byte order.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new Fault('MANIFEST_NO_JSON')
  }
  const trick = jsonTrick(text)
  if (trick !== null) throw new Fault('MANIFEST_NAME', trick)
  return value
}

const code = /^\w{1,60}$/
const provider = /^[A-Za-z][A-Za-z0-9]{0,59}$/
const version = /^\d{1,9}(\.\d{1,9}){0,9}$/
const hash = /^[0-9a-f]{64}$/

type Fields = Record<string, unknown>

const fieldNames = [
  'format',
  'format_version',
  'provider',
  'code',
  'name',
  'module',
  'module_name',
  'version',
  'min_version_required',
  'release_date',
  'flags',
  'requires',
  'files',
] as const

function manifestIn(value: unknown): Manifest {
  const fields = object(value, '')
  if (fields.format !== manifestFormat || fields.format_version !== manifestVersion)
    throw new Fault('MANIFEST_FORMAT', fields.format === manifestFormat ? 'format_version' : 'format')
  known(fields, fieldNames, '')
  const own = matching(fields, 'code', code, 'BAD_CODE')
  const ownVersion = matching(fields, 'version', version, 'BAD_VERSION')
  const from = isNone(fields.min_version_required)
    ? null
    : matching(fields, 'min_version_required', version, 'BAD_VERSION')
  if (from !== null && compareVersions(from, ownVersion) > 0) throw new Fault('MIN_ABOVE_VERSION', from)
  return {
    format: manifestFormat,
    format_version: manifestVersion,
    provider: matching(fields, 'provider', provider, 'BAD_PROVIDER'),
    code: own,
    name: line(fields, 'name'),
    module: matching(fields, 'module', code, 'BAD_CODE'),
    module_name: line(fields, 'module_name'),
    version: ownVersion,
    min_version_required: from,
    release_date: isNone(fields.release_date) ? null : date(fields, 'release_date'),
    flags: flagsIn(fields.flags),
    requires: requiresIn(fields.requires, own),
    files: filesIn(fields.files),
  }
}

const isNone = (value: unknown) => value === undefined || value === null

function object(value: unknown, at: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Fault('NO_OBJECT', at || undefined)
  return value as Fields
}

/** A field whose name is mistyped would else be left out unseen. */
function known(fields: Fields, names: readonly string[], at: string): void {
  const stray = Object.keys(fields).find((name) => !names.includes(name))
  if (stray !== undefined) throw new Fault('FIELD_UNKNOWN', `${at}${stray}`)
}

function present(fields: Fields, name: string, at: string): unknown {
  if (isNone(fields[name])) throw new Fault('FIELD_MISSING', `${at}${name}`)
  return fields[name]
}

function matching(fields: Fields, name: string, shape: RegExp, fault: MappFaultCode, at = ''): string {
  const value = present(fields, name, at)
  if (typeof value !== 'string' || !shape.test(value) || isObjectName(value)) throw new Fault(fault, `${at}${name}`)
  return value
}

/** One line that is shown to people, among the words of others: no markup, nothing that turns what stands beside it (U-10). */
function line(fields: Fields, name: string, at = ''): string {
  const value = present(fields, name, at)
  const isFit =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= 100 &&
    value.isWellFormed() &&
    oneLine.test(value) &&
    hiddenCharacterIn(value) === null &&
    !/[<>]/.test(value)
  if (!isFit) throw new Fault('BAD_TEXT', `${at}${name}`)
  return value.normalize('NFC').trim()
}

function date(fields: Fields, name: string): string {
  const value = matching(fields, name, /^\d{4}-\d{2}-\d{2}$/, 'BAD_DATE')
  const day = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value)) throw new Fault('BAD_DATE', name)
  return value
}

function list(value: unknown, name: keyof typeof most): unknown[] {
  if (isNone(value)) return []
  if (!Array.isArray(value)) throw new Fault('NO_LIST', name)
  if (value.length > most[name]) throw new Fault('LIST_TOO_LONG', name)
  return value
}

function flagsIn(value: unknown): ManifestFlag[] {
  const flags = list(value, 'flags').map((one, index): ManifestFlag => {
    const at = `flags.${index}.`
    const fields = object(one, `flags.${index}`)
    known(fields, ['key', 'name', 'type', 'default'], at)
    const key = matching(fields, 'key', code, 'BAD_CODE', at)
    const type = present(fields, 'type', at)
    if (type !== 'boolean' && type !== 'int') throw new Fault('BAD_FLAG_TYPE', `${at}type`)
    return { key, name: line(fields, 'name', at), type, default: defaultOf(fields, type, at) }
  })
  requireOnce(
    flags.map(({ key }) => key),
    'FLAG_TWICE',
  )
  return flags
}

function defaultOf(fields: Fields, type: ManifestFlag['type'], at: string): boolean | number {
  const value = present(fields, 'default', at)
  const isFit =
    type === 'boolean'
      ? typeof value === 'boolean'
      : Number.isInteger(value) && Math.abs(Number(value)) <= 2_147_483_647
  if (!isFit) throw new Fault('BAD_DEFAULT', `${at}default`)
  return value as boolean | number
}

function requiresIn(value: unknown, own: string): Requirement[] {
  const requires = list(value, 'requires').map((one, index) => {
    const at = `requires.${index}.`
    const fields = object(one, `requires.${index}`)
    known(fields, ['code', 'version'], at)
    return {
      code: matching(fields, 'code', code, 'BAD_CODE', at),
      version: matching(fields, 'version', version, 'BAD_VERSION', at),
    }
  })
  if (requires.some((one) => one.code === own)) throw new Fault('REQUIRES_ITSELF', own)
  requireOnce(
    requires.map((one) => one.code),
    'REQUIRED_TWICE',
  )
  return requires
}

function requireOnce(names: readonly string[], fault: MappFaultCode): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw new Fault(fault, name)
    seen.add(name)
  }
}

function filesIn(value: unknown): Record<string, string> {
  if (isNone(value)) throw new Fault('FIELD_MISSING', 'files')
  const files = Object.entries(object(value, 'files'))
  if (files.length > mappLimits.entries) throw new Fault('LIST_TOO_LONG', 'files')
  return Object.fromEntries(
    files.map(([name, digest]): [string, string] => {
      if (name === mappFiles.manifest || typeof digest !== 'string' || !hash.test(digest))
        throw new Fault('BAD_HASH', name)
      return [name, digest]
    }),
  )
}
