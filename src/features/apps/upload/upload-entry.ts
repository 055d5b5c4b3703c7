/** One file on the upload page: what is known of it, and where it stands on its way to the server. */
import type { AppRow, listUploads } from '#contract/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type ConflictReason, type MappFault, type UploadStatus, getUploadState } from '#domain/catalogue/mapp.ts'
import type { LocalPackage } from '#features/apps/upload/read-file.ts'

export type ListedUpload = OutputOf<typeof listUploads>[number]
/** M156, as the server says it. */
export type PackageRow = NonNullable<ListedUpload['file']>

export type UploadPhase =
  /** The browser looks into it. */
  | 'reading'
  /** There is a fault in it, by this device or by the server. */
  | 'refused'
  /** There already or in conflict: it is not sent. */
  | 'notNeeded'
  | 'waiting'
  | 'sending'
  | 'paused'
  /** The line is down; it goes on by itself. */
  | 'offline'
  /** All of it is there; what the server found in it is being asked for. */
  | 'checking'
  | 'failed'
  | 'sent'
  /** Begun before this page was opened: its file is to be chosen again. */
  | 'partial'

export interface UploadEntry {
  key: string
  name: string
  size: number
  phase: UploadPhase
  /** Bytes of it that the server has. */
  sentBytes: number
  fault: MappFault | null
  problem: Problem | null
  /** The name of a file with the same bytes that was chosen before. */
  duplicateName: string | null
  row: PackageRow | null
  /** Whether `row` is the server's word; its status is this device's guess until then. */
  isFromServer: boolean
  /** It was published from here. */
  isPublished: boolean
  iconUrl: string | null
  changeLog: string | null
  uploadId: string | null
}

export const createUploadEntry = (key: string, name: string, size: number): UploadEntry => ({
  key,
  name,
  size,
  phase: 'reading',
  sentBytes: 0,
  fault: null,
  problem: null,
  duplicateName: null,
  row: null,
  isFromServer: false,
  isPublished: false,
  iconUrl: null,
  changeLog: null,
  uploadId: null,
})

/** Work that leaving the page would cut short. */
export const isUnderWay = ({ phase }: UploadEntry): boolean =>
  ['reading', 'waiting', 'sending', 'paused', 'offline', 'checking'].includes(phase)

/** What this device has found, as the server would say it. The status is worked out when it is shown. */
export const toPackageRow = (name: string, size: number, { md5, sha256, manifest }: LocalPackage): PackageRow => ({
  name,
  md5,
  module: manifest.module,
  module_name: manifest.module_name,
  release_date: manifest.release_date,
  version: manifest.version,
  min_version_required: manifest.min_version_required,
  current_version: null,
  status: 0,
  why: null,
  code: manifest.code,
  app_name: manifest.name,
  provider: manifest.provider,
  sha256,
  size,
  flag: manifest.flags,
  requires: manifest.requires,
  icon: null,
  markdown: null,
})

export interface PackageState {
  status: UploadStatus
  why: ConflictReason | null
  current_version: string | null
}

/** The newest versions that this device knows, by code, with what they need and the bytes of their packages. */
export type KnownVersions = ReadonlyMap<string, Pick<AppRow, 'version' | 'requires' | 'sha256'>>

/** The server's word; before that, by what this device knows of the catalogue. */
export function getPackageState(
  { row, isFromServer: isServerEntry }: Pick<UploadEntry, 'row' | 'isFromServer'>,
  apps: KnownVersions,
): PackageState | null {
  if (!row || isServerEntry) return row
  return getUploadState(apps.get(row.code) ?? null, row)
}
