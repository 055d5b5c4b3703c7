/** Parses the manifest of a package from untrusted text, or returns its first fault with the name of the field (D78). */
import { compareVersions, type AppRequirement } from '#domain/catalogue/apps.ts'
import { isObjectName, findJsonTrick } from '#domain/checks/json-checks.ts'
import { createMappFault, mappFiles, mappLimits, type MappFault, type MappFaultCode } from '#domain/catalogue/mapp.ts'
import { findHiddenCharacter, oneLinePattern } from '#domain/text.ts'

export const manifestFormat = 'portal-app'
export const manifestVersion = 1
const maxListLengths = { flags: 200, requires: 200 }

export interface ManifestFlag {
  key: string
  name: string
  type: 'boolean' | 'int'
  default: boolean | number
}

export interface AppManifest {
  format: typeof manifestFormat
  format_version: typeof manifestVersion
  /** Provider of the app: a letter, then letters and digits (M143, D80). */
  provider: string
  code: string
  name: string
  module: string
  module_name: string
  /** Dotted numbers (decision 40). */
  version: string
  /** The lowest version that can be upgraded; null for every version (D79). */
  min_version_required: string | null
  release_date: string | null
  flags: ManifestFlag[]
  requires: AppRequirement[]
  /** SHA-256 of every file except the manifest, as 64 hex digits. */
  files: Record<string, string>
}

export type ManifestResult = { manifest: AppManifest } | { fault: MappFault }

class ManifestError extends Error {
  readonly fault: MappFault
  constructor(code: MappFaultCode, subject?: string) {
    super(code)
    this.fault = createMappFault(code, subject)
  }
}

/** Never throws: a fault is part of the result. Linear in the length of the text. */
export function readManifest(text: string): ManifestResult {
  try {
    return { manifest: parseManifest(parseJson(text)) }
  } catch (error) {
    if (error instanceof ManifestError) return { fault: error.fault }
    throw error
  }
}

function parseJson(text: string): unknown {
  if (text.length > mappLimits.manifest) throw new ManifestError('MANIFEST_TOO_LARGE')
  let value: unknown
  try {
    // Some editors write a byte order mark at the start of a file.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new ManifestError('MANIFEST_NO_JSON')
  }
  const refusedName = findJsonTrick(text)
  if (refusedName !== null) throw new ManifestError('MANIFEST_NAME', refusedName)
  return value
}

const codePattern = /^\w{1,60}$/
const providerPattern = /^[A-Za-z][A-Za-z0-9]{0,59}$/
const versionPattern = /^\d{1,9}(\.\d{1,9}){0,9}$/
const hashPattern = /^[0-9a-f]{64}$/

type ManifestFields = Record<string, unknown>

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

function parseManifest(value: unknown): AppManifest {
  const fields = requireObject(value, '')
  if (fields.format !== manifestFormat || fields.format_version !== manifestVersion)
    throw new ManifestError('MANIFEST_FORMAT', fields.format === manifestFormat ? 'format_version' : 'format')
  refuseUnknownFields(fields, fieldNames, '')
  const appCode = requireMatch(fields, 'code', codePattern, 'BAD_CODE')
  const ownVersion = requireMatch(fields, 'version', versionPattern, 'BAD_VERSION')
  const minVersion = isMissing(fields.min_version_required)
    ? null
    : requireMatch(fields, 'min_version_required', versionPattern, 'BAD_VERSION')
  if (minVersion !== null && compareVersions(minVersion, ownVersion) > 0)
    throw new ManifestError('MIN_ABOVE_VERSION', minVersion)
  return {
    format: manifestFormat,
    format_version: manifestVersion,
    provider: requireMatch(fields, 'provider', providerPattern, 'BAD_PROVIDER'),
    code: appCode,
    name: requireLine(fields, 'name'),
    module: requireMatch(fields, 'module', codePattern, 'BAD_CODE'),
    module_name: requireLine(fields, 'module_name'),
    version: ownVersion,
    min_version_required: minVersion,
    release_date: isMissing(fields.release_date) ? null : requireDate(fields, 'release_date'),
    flags: parseFlags(fields.flags),
    requires: parseRequirements(fields.requires, appCode),
    files: parseFiles(fields.files),
  }
}

const isMissing = (value: unknown) => value === undefined || value === null

function requireObject(value: unknown, path: string): ManifestFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ManifestError('NO_OBJECT', path || undefined)
  return value as ManifestFields
}

/** Refuses unknown fields, because a mistyped name would otherwise be ignored silently. */
function refuseUnknownFields(fields: ManifestFields, names: readonly string[], path: string): void {
  const unknownField = Object.keys(fields).find((name) => !names.includes(name))
  if (unknownField !== undefined) throw new ManifestError('FIELD_UNKNOWN', `${path}${unknownField}`)
}

function requireValue(fields: ManifestFields, name: string, path: string): unknown {
  if (isMissing(fields[name])) throw new ManifestError('FIELD_MISSING', `${path}${name}`)
  return fields[name]
}

function requireMatch(fields: ManifestFields, name: string, pattern: RegExp, fault: MappFaultCode, path = ''): string {
  const value = requireValue(fields, name, path)
  if (typeof value !== 'string' || !pattern.test(value) || isObjectName(value))
    throw new ManifestError(fault, `${path}${name}`)
  return value
}

/**
 * Returns a value that is one line of text, without markup and without characters that change the text direction (U-10). Refuses other
 * values.
 */
function requireLine(fields: ManifestFields, name: string, path = ''): string {
  const value = requireValue(fields, name, path)
  const isValid =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= 100 &&
    value.isWellFormed() &&
    oneLinePattern.test(value) &&
    findHiddenCharacter(value) === null &&
    !/[<>]/.test(value)
  if (!isValid) throw new ManifestError('BAD_TEXT', `${path}${name}`)
  return value.normalize('NFC').trim()
}

function requireDate(fields: ManifestFields, name: string): string {
  const value = requireMatch(fields, name, /^\d{4}-\d{2}-\d{2}$/, 'BAD_DATE')
  const day = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value)) throw new ManifestError('BAD_DATE', name)
  return value
}

function readList(value: unknown, name: keyof typeof maxListLengths): unknown[] {
  if (isMissing(value)) return []
  if (!Array.isArray(value)) throw new ManifestError('NO_LIST', name)
  if (value.length > maxListLengths[name]) throw new ManifestError('LIST_TOO_LONG', name)
  return value
}

function parseFlags(value: unknown): ManifestFlag[] {
  const flags = readList(value, 'flags').map((flag, index): ManifestFlag => {
    const path = `flags.${index}.`
    const fields = requireObject(flag, `flags.${index}`)
    refuseUnknownFields(fields, ['key', 'name', 'type', 'default'], path)
    const key = requireMatch(fields, 'key', codePattern, 'BAD_CODE', path)
    const type = requireValue(fields, 'type', path)
    if (type !== 'boolean' && type !== 'int') throw new ManifestError('BAD_FLAG_TYPE', `${path}type`)
    return { key, name: requireLine(fields, 'name', path), type, default: parseDefault(fields, type, path) }
  })
  requireOnce(
    flags.map(({ key }) => key),
    'FLAG_TWICE',
  )
  return flags
}

function parseDefault(fields: ManifestFields, type: ManifestFlag['type'], path: string): boolean | number {
  const value = requireValue(fields, 'default', path)
  const isValid =
    type === 'boolean'
      ? typeof value === 'boolean'
      : Number.isInteger(value) && Math.abs(Number(value)) <= 2_147_483_647
  if (!isValid) throw new ManifestError('BAD_DEFAULT', `${path}default`)
  return value as boolean | number
}

function parseRequirements(value: unknown, appCode: string): AppRequirement[] {
  const requires = readList(value, 'requires').map((requirement, index) => {
    const path = `requires.${index}.`
    const fields = requireObject(requirement, `requires.${index}`)
    refuseUnknownFields(fields, ['code', 'version'], path)
    return {
      code: requireMatch(fields, 'code', codePattern, 'BAD_CODE', path),
      version: requireMatch(fields, 'version', versionPattern, 'BAD_VERSION', path),
    }
  })
  if (requires.some((requirement) => requirement.code === appCode)) throw new ManifestError('REQUIRES_ITSELF', appCode)
  requireOnce(
    requires.map((requirement) => requirement.code),
    'REQUIRED_TWICE',
  )
  return requires
}

function requireOnce(names: readonly string[], fault: MappFaultCode): void {
  const seenValues = new Set<string>()
  for (const name of names) {
    if (seenValues.has(name)) throw new ManifestError(fault, name)
    seenValues.add(name)
  }
}

function parseFiles(value: unknown): Record<string, string> {
  if (isMissing(value)) throw new ManifestError('FIELD_MISSING', 'files')
  const files = Object.entries(requireObject(value, 'files'))
  if (files.length > mappLimits.entries) throw new ManifestError('LIST_TOO_LONG', 'files')
  return Object.fromEntries(
    files.map(([name, digest]): [string, string] => {
      if (name === mappFiles.manifest || typeof digest !== 'string' || !hashPattern.test(digest))
        throw new ManifestError('BAD_HASH', name)
      return [name, digest]
    }),
  )
}
