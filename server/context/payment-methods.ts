/** The ways of paying that a house has. */
import type { PaymentType } from '#domain/payments.ts'
import type { PaymentDriver } from '#server/drivers/payment/driver.ts'

export interface Payments {
  /** Null: that way is not set up. */
  driver(type: PaymentType): Promise<PaymentDriver | null>
  /** For `settings.payment`: what a browser must know for Stripe's card fields. Null: Stripe has no keys. */
  stripeKey: string | null
  /** Of the demo: the sandbox's page with card fields, which stands in for Stripe's. Null: there is none. */
  cardFrame: string | null
  /** Those that are set up. */
  types: readonly PaymentType[]
  /** So many may one user begin in ten minutes (S-25). */
  perUser: number
  close(): Promise<void>
}

/** For tools and tests that sell nothing. */
export const noPayments: Payments = {
  driver: async () => null,
  stripeKey: null,
  cardFrame: null,
  types: [],
  perUser: 0,
  close: async () => undefined,
}
