/**
 * Packages of apps (`.mapp`): what may be in one, what is wrong with one, and what an upload would do to the catalogue (contracts
 * 2, 4, 5; D78, D79, D88). The pages and the server go by the same rules.
 */
import { findAppFaults, type AppFaults, compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { findReachable } from '#domain/catalogue/dependency-cycles.ts'

/** The names of what a package says of itself; every other file is the app's own. */
export const mappFiles = { manifest: 'manifest.json', icon: 'icon.png', changeLog: 'changelog.md' } as const

/** Bytes, but for `entries` and `ratio`: how much more may come out of an entry than is packed. U-06. */
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

/** What the file of a package ends in, however its letters are written. */
export const isMappName = (name: string): boolean => /^.{1,195}\.mapp$/is.test(name)

/** Why a package is refused. Texts: `fault.<code>` in `locales/en/apps.json`; a word in `{{named}}` is of the package. */
export const mappFaults = [
  // The file.
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
  // Its manifest. `named`: the field.
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
  // Its files against its manifest. `named`: the file.
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
  /** The field or file that it is about, fit to be shown. */
  named?: string
}

/** Of what somebody else wrote, as much as can be shown beside our own words. */
export const toDisplayName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
    .slice(0, 100)

export const createMappFault = (code: MappFaultCode, subject?: string): MappFault =>
  subject === undefined || subject === '' ? { code } : { code, named: toDisplayName(subject) }

/** A fault as the one word that a field problem carries (`named` of BAD_PACKAGE), and back. */
export const formatMappFault = ({ code, named: subject }: MappFault): string =>
  subject === undefined ? code : `${code} ${subject}`
export function parseMappFault(faultText: string): MappFault | null {
  const [, codeText = '', subject] = /^(\w+)(?: (.*))?$/s.exec(faultText) ?? []
  const code = mappFaults.find((faultCode) => faultCode === codeText)
  return code ? createMappFault(code, subject) : null
}

/** What of a package decides what its upload would do. */
export interface UploadedApp {
  code: string
  version: string
  min_version_required: string | null
  sha256: string
}
/** The newest version of an app. `sha256`: of its package; null where it was published before packages were. */
export interface CurrentApp {
  version: string
  sha256: string | null
}

/** 0 add, 1 upgrade, 2 existed, 3 version conflict (D79). */
export type UploadStatus = 0 | 1 | 2 | 3
/** Why a version conflicts: it is lower than the current one; it upgrades later versions only; other bytes under the same version. */
export type ConflictReason = 'lower' | 'min_version' | 'other_bytes'

export interface UploadState {
  status: UploadStatus
  /** Null for every status but 3. */
  why: ConflictReason | null
  current_version: string | null
}

/** `current`: the newest version of the same app; null: its code is unknown. */
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

/** Whether it can be published at all: it adds or upgrades. */
export const isPublishable = ({ status }: Pick<UploadState, 'status'>): boolean => status === 0 || status === 1

/** What of a choice cannot be published: what does not add or upgrade, and codes of which more than one version is chosen. */
export function findSelectionFaults<T extends { code: string; status: UploadStatus }>(
  selectedApps: readonly T[],
): { unpublishable: T[]; repeatedCodes: string[] } {
  const codes = selectedApps.map(({ code }) => code)
  return {
    unpublishable: selectedApps.filter((app) => !isPublishable(app)),
    repeatedCodes: [...new Set(codes.filter((code, index) => codes.indexOf(code) !== index))].toSorted(),
  }
}

/** What the chosen packages, and all that they need, would lack in the catalogue once they are published. */
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
