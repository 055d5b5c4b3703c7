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

/** An admin's consent that the provider's staff act for the company. Times in epoch ms. */
export interface ActingConsentTable {
  id: Generated<number>
  company_id: ImmutableColumn<number>
  giver_id: ImmutableColumn<number>
  giver_name: ImmutableColumn<string>
  /** Empty if the admin gave none. */
  reason: ImmutableColumn<string>
  /** Whether the staff may also change what decision 116 lists. */
  allows_changes: ImmutableColumn<boolean>
  create_time: ImmutableColumn<number>
  until_time: ImmutableColumn<number>
  ended: number | null
  /** `giver`: the admin who gave it is no longer an active admin. */
  ended_reason: 'revoked' | 'expired' | 'giver' | null
}

/** A time in which a member of the provider's staff acted under a consent. */
export interface ActingUseTable {
  id: Generated<number>
  /** The customer. */
  company_id: ImmutableColumn<number>
  consent_id: ImmutableColumn<number>
  user_id: ImmutableColumn<number>
  user_name: ImmutableColumn<string>
  /** The session that acted. Other browsers of the member do not act. */
  session_id: ImmutableColumn<string>
  start_time: ImmutableColumn<number>
  /** Null until the member stops. */
  end_time: number | null
}

export interface CustomerTables {
  customer_note: CustomerNoteTable
  acting_consent: ActingConsentTable
  acting_use: ActingUseTable
}
