import type { ComponentType } from 'react'

/** Lets the staff find a customer by name. The app passes it, because it belongs to the orders. */
export type MoneyCompanyPicker = ComponentType<{
  label: string
  help?: string
  opensOnFocus?: boolean
  error: string | null
  companyId: number | null
  onChoose: (id: number | null) => void
}>
