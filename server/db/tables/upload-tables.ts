import type { ColumnType, Generated } from 'kysely'
import type { AppManifest } from '#domain/checks/manifest-checks.ts'
import type { MappFault } from '#domain/catalogue/mapp.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>
type JsonColumn<T> = ColumnType<T | null, string | null, string | null>

/** An icon or a change log. Its id cannot be guessed, and it never changes. */
export interface WebResourceTable {
  id: ImmutableColumn<string>
  kind: ImmutableColumn<'icon' | 'changelog'>
  type: ImmutableColumn<string>
  bytes: ImmutableColumn<Uint8Array>
  create_time: ImmutableColumn<number>
}

/** An uploaded package: received, then read or refused, then published. Its bytes are in a file named after its id. */
export interface AppUploadTable {
  id: ImmutableColumn<string>
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
  name: ImmutableColumn<string>
  size: ImmutableColumn<number>
  /** Null until the package was read. The same applies to the next four columns. */
  md5: string | null
  sha256: string | null
  manifest: JsonColumn<AppManifest>
  icon: string | null
  markdown: string | null
  fault: JsonColumn<MappFault>
  /** Lease of the process that is writing the bytes. `lease_until` is its end in epoch ms. */
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
