/** Uploaded packages and web resources as Kysely sees them. */
import type { ColumnType, Generated } from 'kysely'
import type { AppManifest } from '#domain/checks/manifest-checks.ts'
import type { MappFault } from '#domain/catalogue/mapp.ts'

/** Set once. */
type ImmutableColumn<T> = ColumnType<T, T, never>
type JsonColumn<T> = ColumnType<T | null, string | null, string | null>

/** An icon or a change log, named by a word that nobody can guess and never changed. */
export interface WebResourceTable {
  id: ImmutableColumn<string>
  kind: ImmutableColumn<'icon' | 'changelog'>
  type: ImmutableColumn<string>
  bytes: ImmutableColumn<Uint8Array>
  create_time: ImmutableColumn<number>
}

/** A package on its way in: received, then read or refused, then published. Its bytes are a file of the same name. */
export interface AppUploadTable {
  id: ImmutableColumn<string>
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  /** The file's. */
  name: ImmutableColumn<string>
  size: ImmutableColumn<number>
  /** These five: null until it was read. */
  md5: string | null
  sha256: string | null
  manifest: JsonColumn<AppManifest>
  icon: string | null
  markdown: string | null
  /** Why it was refused. */
  fault: JsonColumn<MappFault>
  /** Who is writing its bytes just now, and until when that is believed. */
  lease: string | null
  lease_until: Generated<number>
  published: number | null
  until: number
  create_time: ImmutableColumn<number>
}

export interface UploadTables {
  web_resource: WebResourceTable
  app_upload: AppUploadTable
}
