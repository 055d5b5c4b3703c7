import type { AppRow, listUploads } from '#contract/staff/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type ConflictReason, type MappFault, type UploadStatus, getUploadState } from '#domain/catalogue/mapp.ts'
import type { LocalPackage } from '#features/apps/upload/read-file.ts'

export type ListedUpload = OutputOf<typeof listUploads>[number]
/** Row of a package (M156), in the format of the server. */
export type PackageRow = NonNullable<ListedUpload['file']>

export type UploadPhase =
  | 'reading'
  /** This device or the server has found a fault in the file. */
  | 'refused'
  /** The version is already in the catalogue or conflicts with it, so the file is not sent. */
  | 'notNeeded'
  | 'waiting'
  | 'sending'
  | 'paused'
  /** There is no connection. The upload resumes by itself. */
  | 'offline'
  /** All bytes are on the server, and its result is being requested. */
  | 'checking'
  | 'failed'
  | 'sent'
  /** The upload was started before this page was opened. To continue it, the user has to select the file again. */
  | 'partial'

export interface UploadEntry {
  key: string
  name: string
  size: number
  phase: UploadPhase
  sentBytes: number
  fault: MappFault | null
  problem: Problem | null
  /** Name of a file with the same bytes that was selected before. */
  duplicateName: string | null
  row: PackageRow | null
  /** Whether `row` comes from the server. Until then, this device estimates its status. */
  isFromServer: boolean
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

export const isUnderWay = ({ phase }: UploadEntry): boolean =>
  ['reading', 'waiting', 'sending', 'paused', 'offline', 'checking'].includes(phase)

/** Builds a row in the server's format from what this device has read. Its `status` is not used: `getPackageState` calculates it. */
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

/** Latest versions that this device knows, by code, with their requirements and package hashes. */
export type KnownVersions = ReadonlyMap<string, Pick<AppRow, 'version' | 'requires' | 'sha256'>>

/** Returns the state from the server or, if the row is not from the server, the state calculated from the catalogue on this device. */
export function getPackageState(
  { row, isFromServer: isServerEntry }: Pick<UploadEntry, 'row' | 'isFromServer'>,
  apps: KnownVersions,
): PackageState | null {
  if (!row || isServerEntry) return row
  return getUploadState(apps.get(row.code) ?? null, row)
}
