/** The ways of paying that a house has. */
import type { PaymentType } from '#domain/payments.ts'
import type { PaymentDriver } from '#server/drivers/payment/payment-driver.ts'

export interface PaymentMethods {
  /** Null: that way is not set up. */
  findDriver(type: PaymentType): Promise<PaymentDriver | null>
  /** For `settings.payment`: what a browser must know for Stripe's card fields. Null: Stripe has no keys. */
  stripeKey: string | null
  /** Of the demo: the sandbox's page with card fields, which stands in for Stripe's. Null: there is none. */
  cardFrame: string | null
  /** Those that are set up. */
  types: readonly PaymentType[]
  /** So many may one user begin in ten minutes (S-25). */
  maxPaymentsPerUser: number
  close(): Promise<void>
}

/** For tools and tests that sell nothing. */
export const noPaymentMethods: PaymentMethods = {
  findDriver: async () => null,
  stripeKey: null,
  cardFrame: null,
  types: [],
  maxPaymentsPerUser: 0,
  close: async () => undefined,
}
