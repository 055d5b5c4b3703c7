import type { ColumnType, Generated } from 'kysely'

type ImmutableColumn<T> = ColumnType<T, T, never>

/** A note of the provider's staff about a customer. Times in epoch ms. */
export interface CustomerNoteTable {
  id: Generated<number>
  /** The provider's company, to which the note belongs. */
  company_id: ImmutableColumn<number>
  customer_id: ImmutableColumn<number>
  author_id: ImmutableColumn<number>
  author_name: ImmutableColumn<string>
  note: string
  row_version: Generated<number>
  create_time: ImmutableColumn<number>
  update_time: number
}

export interface CustomerTables {
  customer_note: CustomerNoteTable
}
