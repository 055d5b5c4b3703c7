/** Types of the table of nodes. Times are epoch ms. */
import type { ColumnType } from 'kysely'

type ImmutableColumn<T> = ColumnType<T, T, never>

export type NodeRole = 'serve' | 'worker'

/** A running process of the portal. The row is deleted when it stops, and ignored if it is not renewed (`nodeLifetimeMs`). */
export interface NodeTable {
  id: ImmutableColumn<string>
  host_name: ImmutableColumn<string>
  role: ImmutableColumn<NodeRole>
  /** Build of the client that the node serves. */
  build: ImmutableColumn<string>
  started_at: ImmutableColumn<number>
  seen_at: number
}

export interface NodeTables {
  node: NodeTable
}
