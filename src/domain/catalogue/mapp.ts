/** Rules for app packages (`.mapp`), shared by pages and server (contracts 2, 4, 5; D78, D79, D88). */
import { findAppFaults, type AppFaults, compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { findReachable } from '#domain/catalogue/dependency-cycles.ts'

export const mappFiles = { manifest: 'manifest.json', icon: 'icon.png', changeLog: 'changelog.md' } as const

/**
 * Limits of a package and its files, in bytes. `entries` is a number of files, `ratio` the maximum unpacked size relative to the packed
 * size (U-06).
 */
export const mappLimits = {
  packed: 64 * 1024 * 1024,
  entries: 2000,
  entry: 50 * 1024 * 1024,
  unpacked: 200 * 1024 * 1024,
  ratio: 100,
  manifest: 1024 * 1024,
  icon: 1024 * 1024,
  changeLog: 256 * 1024,
} as const

export const isMappName = (name: string): boolean => /^.{1,195}\.mapp$/is.test(name)

/** Reasons to refuse a package. Texts: `fault.<code>` in `locales/en/apps.json`; `{{named}}` is untrusted. */
export const mappFaults = [
  'WRONG_ENDING',
  'FILE_EMPTY',
  'FILE_TOO_LARGE',
  'NO_ZIP',
  'TOO_MANY_ENTRIES',
  'ENTRY_TOO_LARGE',
  'UNPACKED_TOO_LARGE',
  'UNPACKS_TOO_MUCH',
  'UNSAFE_NAME',
  'MAC_FILES',
  'NO_PLAIN_FILE',
  'ENCRYPTED',
  'PACKING_UNKNOWN',
  'DAMAGED',
  'TOO_COSTLY',
  'MD5_TAKEN',
  // Faults of the manifest. `named` is the field.
  'MANIFEST_MISSING',
  'MANIFEST_TOO_LARGE',
  'MANIFEST_NO_JSON',
  'MANIFEST_NAME',
  'MANIFEST_FORMAT',
  'FIELD_MISSING',
  'FIELD_UNKNOWN',
  'NO_OBJECT',
  'NO_LIST',
  'LIST_TOO_LONG',
  'BAD_TEXT',
  'BAD_CODE',
  'BAD_PROVIDER',
  'BAD_VERSION',
  'MIN_ABOVE_VERSION',
  'BAD_DATE',
  'BAD_FLAG_TYPE',
  'BAD_DEFAULT',
  'FLAG_TWICE',
  'REQUIRED_TWICE',
  'REQUIRES_ITSELF',
  'BAD_HASH',
  // Files that do not match the manifest. `named` is the file.
  'FILE_NOT_LISTED',
  'FILE_MISSING',
  'WRONG_HASH',
  'ICON_TOO_LARGE',
  'ICON_NO_PNG',
  'CHANGE_LOG_TOO_LARGE',
  'CHANGE_LOG_NO_TEXT',
] as const
export type MappFaultCode = (typeof mappFaults)[number]

export interface MappFault {
  code: MappFaultCode
  /** The field or file with the fault, safe to display. */
  named?: string
}

/** Makes a name from untrusted input safe to display, and shortens it. */
export const toDisplayName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
    .slice(0, 100)

export const createMappFault = (code: MappFaultCode, subject?: string): MappFault =>
  subject === undefined || subject === '' ? { code } : { code, named: toDisplayName(subject) }

/** Formats a fault as the single string of a field problem (`named` of BAD_PACKAGE), and parses it. */
export const formatMappFault = ({ code, named: subject }: MappFault): string =>
  subject === undefined ? code : `${code} ${subject}`
export function parseMappFault(faultText: string): MappFault | null {
  const [, codeText = '', subject] = /^(\w+)(?: (.*))?$/s.exec(faultText) ?? []
  const code = mappFaults.find((faultCode) => faultCode === codeText)
  return code ? createMappFault(code, subject) : null
}

export interface UploadedApp {
  code: string
  version: string
  min_version_required: string | null
  sha256: string
}
export interface CurrentApp {
  version: string
  sha256: string | null
}

/** 0 add, 1 upgrade, 2 already exists, 3 version conflict (D79). */
export type UploadStatus = 0 | 1 | 2 | 3
/**
 * Why a version cannot be published: it is lower than the current version, it can only upgrade from later versions, or it exists with other
 * bytes.
 */
export type ConflictReason = 'lower' | 'min_version' | 'other_bytes'

export interface UploadState {
  status: UploadStatus
  why: ConflictReason | null
  current_version: string | null
}

/** `current` is the latest version of the same app; null if the code is unknown. */
export function getUploadState(current: CurrentApp | null, app: UploadedApp): UploadState {
  if (!current) return { status: 0, why: null, current_version: null }
  const createState = (status: UploadStatus, reason: ConflictReason | null = null) => ({
    status,
    why: reason,
    current_version: current.version,
  })
  const order = compareVersions(app.version, current.version)
  if (order < 0) return createState(3, 'lower')
  if (order === 0)
    return current.sha256 === null || current.sha256 === app.sha256 ? createState(2) : createState(3, 'other_bytes')
  const { min_version_required: minVersion } = app
  return minVersion !== null && compareVersions(minVersion, current.version) > 0
    ? createState(3, 'min_version')
    : createState(1)
}

export const isPublishable = ({ status }: Pick<UploadState, 'status'>): boolean => status === 0 || status === 1

/** Returns the selected apps that neither add nor upgrade, and the codes selected with more than one version. */
export function findSelectionFaults<T extends { code: string; status: UploadStatus }>(
  selectedApps: readonly T[],
): { unpublishable: T[]; repeatedCodes: string[] } {
  const codes = selectedApps.map(({ code }) => code)
  return {
    unpublishable: selectedApps.filter((app) => !isPublishable(app)),
    repeatedCodes: [...new Set(codes.filter((code, index) => codes.indexOf(code) !== index))].toSorted(),
  }
}

/** Returns the faults that the selected packages and their requirements would have in the catalogue after publishing. */
export function findFaultsAfterUpload(
  publishedApps: readonly PublishedApp[],
  selectedApps: readonly PublishedApp[],
): AppFaults {
  const catalogueByCode = new Map([...publishedApps, ...selectedApps].map((app) => [app.code, app]))
  const getNeeds = (code: string) => (catalogueByCode.get(code)?.requires ?? []).map((requirement) => requirement.code)
  const affectedCodes = findReachable(
    selectedApps.map(({ code }) => code),
    getNeeds,
  )
  return findAppFaults(
    [...catalogueByCode.values()],
    [...affectedCodes].filter((code) => catalogueByCode.has(code)),
  )
}
