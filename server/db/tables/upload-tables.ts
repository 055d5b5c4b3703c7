/** Uploaded packages and web resources as Kysely sees them. */
import type { ColumnType, Generated } from 'kysely'
import type { Manifest } from '#domain/checks/manifest-checks.ts'
import type { MappFault } from '#domain/catalogue/mapp.ts'

/** Set once. */
type Fixed<T> = ColumnType<T, T, never>
type Json<T> = ColumnType<T | null, string | null, string | null>

/** An icon or a change log, named by a word that nobody can guess and never changed. */
export interface WebResourceTable {
  id: Fixed<string>
  kind: Fixed<'icon' | 'changelog'>
  type: Fixed<string>
  bytes: Fixed<Uint8Array>
  create_time: Fixed<number>
}

/** A package on its way in: received, then read or refused, then published. Its bytes are a file of the same name. */
export interface AppUploadTable {
  id: Fixed<string>
  user_id: Fixed<number>
  company_id: Fixed<number>
  /** The file's. */
  name: Fixed<string>
  size: Fixed<number>
  /** These five: null until it was read. */
  md5: string | null
  sha256: string | null
  manifest: Json<Manifest>
  icon: string | null
  markdown: string | null
  /** Why it was refused. */
  fault: Json<MappFault>
  /** Who is writing its bytes just now, and until when that is believed. */
  lease: string | null
  lease_until: Generated<number>
  published: number | null
  until: number
  create_time: Fixed<number>
}

export interface UploadTables {
  web_resource: WebResourceTable
  app_upload: AppUploadTable
}
