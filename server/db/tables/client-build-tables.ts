import type { ColumnType } from 'kysely'

type ImmutableColumn<T> = ColumnType<T, T, never>

/** A file of a build in one encoding. All files of a build are one object of the file store, one after the other. */
export interface PackedFile {
  /** Name in the folder `assets`, without the extension of the encoding. */
  name: string
  encoding: 'identity' | 'br' | 'gzip'
  start: number
  bytes: number
  /** In hex. */
  sha256: string
}

export interface ClientBuildTable {
  digest: ImmutableColumn<string>
  build: ImmutableColumn<string>
  /** Null until the files are in the file store. */
  files: ColumnType<PackedFile[] | null, string | null, string>
  /** When a node last reported that it serves this build, in epoch ms by the clock of the database. */
  seen_time: number
}

export interface ClientBuildTables {
  client_build: ClientBuildTable
}
